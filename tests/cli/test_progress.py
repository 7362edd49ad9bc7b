"""The progress bar."""

from __future__ import annotations

import io

import pytest
from cli_runs import run, small_world

from streamsave.cli import progress
from streamsave.cli.progress import WatchedFile, bar_is_wanted
from streamsave.consume.stream import open_save

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
    monkeypatch.setattr(progress, "DELAY", 0.0)
    assert run("ls", path).stdout == plain
