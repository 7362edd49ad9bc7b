"""`--since` and `--newest`."""

from __future__ import annotations

import errno
import os
import time
from datetime import datetime, timedelta

import pytest
from cli_runs import lines, run, small_world

from streamsave.cli.options import TimeChoice

pytestmark = pytest.mark.usefixtures("series")


@pytest.fixture
def series(tmp_path):
    """Saves that were written one, two, ... hours ago; names are in another order."""
    data = small_world(tmp_path).read_bytes()
    (tmp_path / "small.sav").unlink()
    paths = []
    for hours, name in enumerate("dbace", 1):
        path = tmp_path / f"{name}.sav"
        path.write_bytes(data)
        os.utime(path, (time.time() - 3600 * hours,) * 2)
        paths.append(path)
    return paths


def names(*options):
    return [row[0][-5] for row in lines("check", "--summary", *options)]


def test_newest(series, tmp_path):
    assert names(tmp_path) == list("abcde")
    assert names(tmp_path, "--newest", "2") == ["b", "d"]
    assert names(tmp_path, "--newest", "99") == list("ecabd")
    assert names("--newest", "1", *series) == ["d"]
    assert names(tmp_path, "--newest", "3", "--jobs", "2") == list("abd")


def test_since(tmp_path):
    assert names(tmp_path, "--since", "150min") == ["b", "d"]
    assert names(tmp_path, "--since", "3h", "--newest", "1") == ["d"]
    assert names(tmp_path, "--since", "1d") == list("ecabd")
    moment = (datetime.now() - timedelta(minutes=200)).isoformat()  # noqa: DTZ005 - as a user writes it
    assert names(tmp_path, "--since", moment) == list("abd")


def test_nothing_is_so_new(tmp_path):
    result = run("check", tmp_path, "--since", "5min")
    assert (result.exit_code, result.stderr) == (2, "streamsave: --since: no save is so new\n")


@pytest.mark.parametrize("command", [["stats"], ["info"], ["ls"], ["export", "-o", "-", "--format", "csv"]])
def test_other_commands(command, series, tmp_path):
    result = run(*command, tmp_path, "--newest", "1")
    assert result.exit_code == 0
    assert {path.name for path in series if str(path) in result.stdout} == {"d.sav"}


@pytest.mark.parametrize("option", [("--since", "soon"), ("--since", "5"), ("--newest", "0")])
def test_usage(option, tmp_path):
    assert run("check", tmp_path, *option).exit_code == 2


def test_what_has_no_time(series, tmp_path):
    missing = FileNotFoundError(errno.ENOENT, "gone", "x")
    found = list(TimeChoice(newest=2).of([missing, "-", str(tmp_path / "none.sav"), str(series[0]), "SHAPEZ2-1-x$"]))
    assert found[0] == str(series[0])
    assert [(type(each).__name__, each.filename) for each in found[1:]] == [
        ("FileNotFoundError", "x"),
        ("OSError", "(standard input)"),
        ("FileNotFoundError", str(tmp_path / "none.sav")),
        ("OSError", "SHAPEZ2-1-x$..."),
    ]
    assert list(TimeChoice().of([missing, "-"])) == [missing, "-"]
