"""Warnings: through the application's structlog, or through `logging`; the library is imported with the first."""

import logging

import pytest
import structlog
from cli_runs import python
from click.testing import CliRunner
from feeding import pieces
from saves import VALID, read

import streamsave
from streamsave._log import each_once, quiet, warn
from streamsave.check import check
from streamsave.cli.app import main
from streamsave.events import Damage, SaveStart
from streamsave.input.source import open_source
from streamsave.rewriting import rewrite


def test_to_logging_without_a_configuration(caplog):
    warn("save is large", size=5)
    assert caplog.record_tuples == [("streamsave", logging.WARNING, "level='warning' event='save is large' size=5")]


@pytest.mark.slow
def test_to_stderr_if_nothing_is_configured():
    code = "from streamsave._log import debug, warn; warn('save is large', size=5); debug('layout chosen')"
    run = python(code)
    assert (run.stdout, run.stderr) == ("", "level='warning' event='save is large' size=5\n")


def test_a_logger_can_ask_for_what_was_decided(caplog):
    caplog.set_level(logging.DEBUG, "streamsave")
    read(VALID / "satisfactory" / "sv58.sav")
    assert [message.split(" save=")[0] for message in caplog.messages] == ["level='debug' event='layout chosen'"]


def test_to_the_configuration_of_the_application():
    with structlog.testing.capture_logs() as logs:
        warn("save is large", size=5)
    assert logs == [{"event": "save is large", "size": 5, "log_level": "warning"}]


@pytest.mark.slow
def test_structlog_is_imported_with_the_first_warning():
    code = (
        "import sys, streamsave; from streamsave._log import warn; before = 'structlog' in sys.modules; warn('x');"
        "print(before, 'structlog' in sys.modules)"
    )
    assert python(code).stdout.split() == ["False", "True"]


def test_what_was_decided_comes_to_the_configuration_of_the_application():
    """Which layout, what was spooled, what was lost: the same as the events say."""
    damaged = (VALID / "satisfactory" / "sv58.sav").read_bytes()[:-600]
    with structlog.testing.capture_logs() as logs:
        found = read(pieces(damaged, 1000), on_damage="resync")
    assert {each["log_level"] for each in logs} == {"debug"}
    start = found[0]
    assert isinstance(start, SaveStart)
    (layout,) = [each for each in logs if each["event"] == "layout chosen"]
    assert (layout["format"], layout["version"]) == (start.format, start.version)
    lost = [(event.offset, event.size, str(event.error)) for event in found if isinstance(event, Damage)]
    assert lost
    assert [(each["offset"], each["size"], each["error"]) for each in logs if each["event"] == "damage"] == lost


def test_what_was_spooled_is_logged():
    whole = (VALID / "satisfactory" / "sv58.sav").read_bytes()
    large = whole + bytes(3 << 20)
    with structlog.testing.capture_logs() as logs:
        source = open_source(iter([large]), streamsave.Limits())
        assert source.read_at(2 << 20, 5) == bytes(5)
        assert source.read_at(0, 5) == whole[:5]
        source.close()
    ((event, size),) = [(each["event"], each["size"]) for each in logs]
    assert event == "spooled, because the input cannot seek"
    assert 0 < size <= len(large)


def test_debug_is_silent_without_a_configuration(capsys):
    list(streamsave.open((VALID / "satisfactory" / "sv58.sav").read_bytes()[:-600], on_damage="resync"))
    assert capsys.readouterr() == ("", "")


def warnings_of(caplog: pytest.LogCaptureFixture) -> int:
    count = len(caplog.records)
    caplog.clear()
    return count


def test_each_once(caplog):
    with each_once():
        for save in ("a", "b", "a"):
            warn("save is old", save=save)
    assert warnings_of(caplog) == 2
    warn("save is old", save="a")
    assert warnings_of(caplog) == 1
    with quiet():
        warn("save is old", save="a")
    assert warnings_of(caplog) == 0


OLD, NEW = VALID / "shapez2" / "old.spz2", VALID / "shapez2" / "future.spz2"


@pytest.mark.parametrize("path", [OLD, NEW], ids=lambda path: path.stem)
def test_what_reads_a_save_several_times_warns_once(caplog, tmp_path, path):
    """A check reads it twice; a copy is read again."""
    list(check(path))
    assert warnings_of(caplog) == 1
    list(check(path.read_bytes()))
    assert warnings_of(caplog) == 1
    with rewrite(path, tmp_path / "out.spz2") as save:
        for _ in save:
            pass
    assert warnings_of(caplog) == 1


COMMANDS = [
    ["check"],
    ["cat"],
    ["diff", str(OLD)],
    ["edit", "-o", "out.spz2", "--drop", 'class_name = "Nothing"'],
    ["salvage", "--save", "out.spz2"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_command_warns_once_for_each_save(command, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, [*command, str(OLD)])
    (warning,) = caplog.messages
    assert "older than" in warning
    assert str(OLD) in warning
    if command[0] in {"check", "cat"}:
        caplog.clear()
        CliRunner().invoke(main, [*command, str(OLD), str(NEW)])
        assert (caplog.text.count("older than"), caplog.text.count("newer than")) == (1, 1)
