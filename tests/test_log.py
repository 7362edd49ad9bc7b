"""Warnings: through the application's structlog, or to stderr; the library is imported with the first."""

from __future__ import annotations

import subprocess
import sys

import pytest
import structlog
from click.testing import CliRunner
from saves import VALID

from streamsave._log import each_once, quiet, warn
from streamsave.check import check
from streamsave.cli.app import main
from streamsave.rewriting import rewrite


def test_to_stderr_without_a_configuration(capsys):
    warn("save is large", size=5)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split() == ["level='warning'", "event='save", "is", "large'", "size=5"]


def test_to_the_configuration_of_the_application():
    try:
        with structlog.testing.capture_logs() as logs:
            warn("save is large", size=5)
    finally:
        structlog.reset_defaults()
    assert logs == [{"event": "save is large", "size": 5, "log_level": "warning"}]


@pytest.mark.slow
def test_structlog_is_imported_with_the_first_warning():
    code = (
        "import sys, streamsave; from streamsave._log import warn; before = 'structlog' in sys.modules; warn('x');"
        "print(before, 'structlog' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["False", "True"]


def warnings_of(capsys: pytest.CaptureFixture[str]) -> int:
    return capsys.readouterr().err.count("level='warning'")


def test_each_once(capsys):
    with each_once():
        for save in ("a", "b", "a"):
            warn("save is old", save=save)
    assert warnings_of(capsys) == 2
    warn("save is old", save="a")
    assert warnings_of(capsys) == 1
    with quiet():
        warn("save is old", save="a")
    assert warnings_of(capsys) == 0


OLD, NEW = VALID / "shapez2" / "old.spz2", VALID / "shapez2" / "future.spz2"


@pytest.mark.parametrize("path", [OLD, NEW], ids=lambda path: path.stem)
def test_what_reads_a_save_several_times_warns_once(capsys, tmp_path, path):
    """A check reads it twice; a copy is read again."""
    list(check(path))
    assert warnings_of(capsys) == 1
    list(check(path.read_bytes()))
    assert warnings_of(capsys) == 1
    with rewrite(path, tmp_path / "out.spz2") as save:
        for _ in save:
            pass
    assert warnings_of(capsys) == 1


COMMANDS = [
    ["check"],
    ["cat"],
    ["diff", str(OLD)],
    ["edit", "-o", "out.spz2", "--drop", 'class = "Nothing"'],
    ["salvage", "--save", "out.spz2"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_command_warns_once_for_each_save(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(main, [*command, str(OLD)])
    assert run.stderr.count("level='warning'") == run.stderr.count("older than") == 1
    assert str(OLD) in run.stderr
    if command[0] in {"check", "cat"}:
        run = CliRunner().invoke(main, [*command, str(OLD), str(NEW)])
        assert (run.stderr.count("older than"), run.stderr.count("newer than")) == (1, 1)
