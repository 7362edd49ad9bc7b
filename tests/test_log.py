"""Warnings: through the application's structlog, or to stderr; the library is imported with the first."""

from __future__ import annotations

import subprocess
import sys

import pytest
import structlog
from click.testing import CliRunner
from saves import VALID

import streamsave
from streamsave._log import each_once, quiet, warn
from streamsave.check import check
from streamsave.cli.app import main
from streamsave.events import Damage, SaveStart
from streamsave.input.source import open_source
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


def test_what_was_decided_comes_to_the_configuration_of_the_application():
    """Which layout, what was spooled, what was lost: the same as the events say."""
    whole = (VALID / "satisfactory" / "sv58.sav").read_bytes()
    damaged = whole[:-600]
    with structlog.testing.capture_logs() as logs:
        pieces = iter([damaged[start : start + 1000] for start in range(0, len(damaged), 1000)])
        with streamsave.open(pieces, on_damage="resync") as events:
            found = list(events)
    structlog.reset_defaults()
    assert {each["log_level"] for each in logs} == {"debug"}
    start = found[0]
    assert isinstance(start, SaveStart)
    (layout,) = [each for each in logs if each["event"] == "layout chosen"]
    assert (layout["format"], layout["version"]) == (start.format, start.version)
    lost = [(event.offset, event.size, str(event.error)) for event in found if isinstance(event, Damage)]
    assert lost
    assert [(each["offset"], each["size"], each["error"]) for each in logs if each["event"] == "damage"] == lost


def test_what_was_spooled_is_logged():
    whole = b"".join(path.read_bytes() for path in [VALID / "satisfactory" / "sv58.sav"])
    large = whole + bytes(3 << 20)
    with structlog.testing.capture_logs() as logs:
        source = open_source(iter([large]), streamsave.Limits())
        assert source.read_at(2 << 20, 5) == bytes(5)
        assert source.read_at(0, 5) == whole[:5]
        source.close()
    structlog.reset_defaults()
    ((event, size),) = [(each["event"], each["size"]) for each in logs]
    assert event == "spooled, because the input cannot seek"
    assert 0 < size <= len(large)


def test_debug_is_silent_without_a_configuration(capsys):
    list(streamsave.open((VALID / "satisfactory" / "sv58.sav").read_bytes()[:-600], on_damage="resync"))
    assert capsys.readouterr() == ("", "")


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
