"""Lines are collected for a pipe, and written at once to a terminal and with `PYTHONUNBUFFERED`."""

from __future__ import annotations

import io
import sys

import pytest

from streamsave.cli.lines import MOST_CHARACTERS, MOST_LINES, Lines
from streamsave.cli.output import OutputFailed


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_to_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    lines = Lines()
    lines.put("one")
    assert sys.stdout.getvalue() == "one\n"


def test_to_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    lines = Lines()
    for number in range(MOST_LINES + 2):
        assert sys.stdout.getvalue() == "" or number >= MOST_LINES
        lines.put(str(number))
    lines.flush()
    assert sys.stdout.getvalue().splitlines() == [str(number) for number in range(MOST_LINES + 2)]
    lines.flush()
    assert sys.stdout.getvalue().count("\n") == MOST_LINES + 2


def test_long_lines_to_a_pipe(monkeypatch):
    """A hundred names of a MiB are not kept until the last of them."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    lines = Lines()
    lines.put("x" * MOST_CHARACTERS)
    assert sys.stdout.getvalue() == ""
    lines.put("y")
    assert sys.stdout.getvalue() == "x" * MOST_CHARACTERS + "\ny\n"
    lines.put("z")
    assert sys.stdout.getvalue().endswith("y\n")
    lines.flush()
    assert sys.stdout.getvalue().endswith("y\nz\n")


def test_unbuffered(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), write_through=True))
    lines = Lines()
    lines.put("one")
    assert sys.stdout.buffer.getvalue() == b"one\n"


class Closed(io.StringIO):
    def write(self, _text):
        raise BrokenPipeError

    def fileno(self):
        raise OSError


def test_a_pipe_without_reader(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Closed())
    lines = Lines()
    lines.put("one")
    with pytest.raises(OutputFailed):
        lines.flush()
