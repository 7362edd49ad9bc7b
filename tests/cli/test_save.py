"""One save that a command reads: what it is opened from, and how its faults are reported."""

from __future__ import annotations

import errno
import io

import pytest
from cli_runs import SAMPLES, run, small_world
from shapez2_worlds import SAMPLES as CODES

from streamsave.cli.save import WatchedFile, attempt, bar_is_wanted, open_input
from streamsave.consume.stream import open_save
from streamsave.errors import DamagedSave, UnsupportedOption

CODE = (CODES / "no-icons.spz2bp").read_text(encoding="ascii")


def refuse(error: Exception):
    """Work that fails."""

    def visit(_name: str) -> None:
        raise error

    return visit


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DamagedSave("odd", 16), "x.sav: offset 0x10: odd"),
        (UnsupportedOption("type_hints", "Arx save"), "x.sav: Arx save takes no --type-hint"),
        (UnsupportedOption("sparse", "Toy save"), "x.sav: Toy save takes no --sparse"),
        (OSError(errno.EIO, "cannot be read", "x.sav"), "x.sav: cannot be read"),
        (OSError("plain"), "x.sav: plain"),
    ],
)
def test_a_fault_is_reported(capsys, error, message):
    assert attempt("x.sav", refuse(error)) == 2
    assert capsys.readouterr().err == f"streamsave: {message}\n"


def test_a_name_without_a_save_is_reported(capsys):
    assert attempt(FileNotFoundError(errno.ENOENT, "no file matches", "*.sav"), refuse(AssertionError())) == 2
    assert capsys.readouterr().err == "streamsave: *.sav: no file matches\n"


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1), (4, 4)])
def test_the_exit_code_of_the_work(returned, code):
    assert attempt("x.sav", lambda _: returned) == code


def test_a_bug_is_not_hidden():
    with pytest.raises(TypeError, match="a bug"):
        attempt("x.sav", refuse(TypeError("a bug")))


def test_a_file():
    path = str(SAMPLES[0])
    with open_input(path) as save:
        assert (save.label, save.size) == (path, SAMPLES[0].stat().st_size)
        assert save.events.format.name == "Satisfactory save"


def test_a_save_that_is_an_argument_itself():
    with open_input(CODE) as save:
        assert (save.label, save.size) == (f"{CODE[:24]}...", len(CODE))


def test_options_reach_the_stream():
    with pytest.raises(UnsupportedOption), open_input(str(SAMPLES[0]), sparse=True):
        pass
    with pytest.raises(UnsupportedOption), open_input(str(SAMPLES[0]), type_hints={"a": "Vector"}):
        pass


# --- the progress bar ---


LARGE = 100 * 1024 * 1024


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminals(monkeypatch):
    """Make standard error a terminal; standard output too, if asked."""

    def set_up(*, output: bool) -> Terminal:
        errors = Terminal()
        monkeypatch.setattr("sys.stderr", errors)
        monkeypatch.setattr("sys.stdout", Terminal() if output else io.StringIO())
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "120")
        return errors

    return set_up


def test_only_for_large_files(terminals):
    terminals(output=False)
    assert bar_is_wanted(LARGE, summary=False)
    assert not bar_is_wanted(1000, summary=False)


def test_only_on_a_terminal():
    assert not bar_is_wanted(LARGE, summary=True)


def test_not_between_the_lines_of_output(terminals):
    terminals(output=True)
    assert not bar_is_wanted(LARGE, summary=False)
    assert bar_is_wanted(LARGE, summary=True)


def watch(path, delay: float) -> None:
    watched = WatchedFile(path.open("rb"), "the name", path.stat().st_size, delay)
    try:
        with open_save(watched) as events:
            assert sum(1 for _ in events) > 10
    finally:
        watched.close()
    with pytest.raises(ValueError, match="closed"):
        watched.tell()


def test_bar(terminals, tmp_path):
    errors = terminals(output=False)
    watch(small_world(tmp_path), delay=0)
    assert "the name" in errors.getvalue()
    assert " bytes" in errors.getvalue()


def test_no_bar_before_it_takes_long(terminals, tmp_path):
    errors = terminals(output=False)
    watch(small_world(tmp_path), delay=3600)
    assert errors.getvalue() == ""


def test_results_do_not_go_where_the_bar_is(terminals, tmp_path):
    import sys

    errors = terminals(output=False)
    path = small_world(tmp_path)
    watched = WatchedFile(path.open("rb"), "the name", path.stat().st_size, 0)
    watched.read(10)
    sys.stdout.write("a result\n")
    watched.close()
    assert sys.stdout.getvalue() == "a result\n"
    assert "a result" not in errors.getvalue()


def test_commands_read_through_the_bar(monkeypatch, tmp_path):
    """The same output, whether there is a bar or not."""
    path = small_world(tmp_path)
    plain = run("ls", path).stdout
    monkeypatch.setattr("streamsave.cli.save.bar_is_wanted", lambda _, *, summary: not summary)
    assert run("ls", path).stdout == plain
