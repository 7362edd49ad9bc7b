"""Writing to standard output, standard error and files."""

import errno
import io
import os
import re

import pytest
from cli_runs import SAMPLES, Terminal, refused, run
from saves import raises

from streamsave.cli.output import (
    Metrics,
    OutputFailed,
    flush,
    prepare,
    report,
    write_bytes,
    write_json,
    write_row,
    write_rows,
)


class Full:
    """Standard output on a full disk, or without a reader."""

    def __init__(self, number: int) -> None:
        self.number = number

    def write(self, data: object) -> None:
        raise OSError(self.number, os.strerror(self.number))

    def fileno(self) -> int:
        raise OSError(errno.EBADF, "no file")

    def isatty(self) -> bool:
        return False


def test_rows_and_json(capsys):
    write_row(("a", "b"))
    write_json({"a": [1]})
    write_json({"a": 1}, pretty=True)
    assert capsys.readouterr().out == 'a\tb\n{"a":[1]}\n{\n  "a": 1\n}\n'


def screen_of(monkeypatch, width):
    """A terminal of a width, instead of standard output."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", width)
    return screen


@pytest.mark.parametrize(
    ("width", "cells"),
    [
        ("80", {"class_name", "owner_id", "Storage Container (Build_StorageContainerMk1_C)", "123-456"}),
        ("60", {"class_name", "Storage Container (Build_StorageContainerMk1_C)"}),
        ("30", {"class_name", "Storage Container"}),
    ],
)
def test_a_table_that_is_too_wide_for_the_terminal(monkeypatch, width, cells):
    """Without ids; then without what the save calls a class: no word is broken."""
    screen = screen_of(monkeypatch, width)
    write_rows("title", ("class_name", "owner_id"), [("Storage Container (Build_StorageContainerMk1_C)", "123-456")])
    lines = screen.getvalue().splitlines()
    assert {cell.strip() for line in (lines[2], lines[4]) for cell in re.split("[┃│]", line)} - {""} == cells


def test_no_number_is_broken(monkeypatch):
    """The heads of their columns are, and texts get what is left. A column may have no number at all."""
    screen = screen_of(monkeypatch, "40")
    numbers = ("connections", "demand", "place", "clock")
    row = ("Constructor of something", 1_234_567, "1418.82 MW", "-1.25 23 m", "")
    write_rows("title", ("class", *numbers), [row], right=numbers)
    text = screen.getvalue()
    assert max(map(len, text.splitlines())) <= 40
    assert {"1,234,567", "1418.82", "-1.25", "23"} <= {word for line in text.splitlines() for word in re.split("[ │]", line)}


def test_columns_that_the_user_has_named_stay(monkeypatch):
    screen = screen_of(monkeypatch, "20")
    write_rows("title", ("id", "owner_id"), [("1" * 16, "2" * 16)], is_whole=True)
    text = screen.getvalue()
    assert (text.count("1"), text.count("2")) == (16, 16)


def test_a_pipe_gets_the_same_bytes_on_windows(monkeypatch):
    """There, it has another encoding and other ends of lines: what that has not would be escaped so that it is no JSON."""
    file = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(file, "cp1252", newline="\r\n"))
    prepare()
    write_json(["ß \U0001f600", 1])
    write_row(("世界",))
    flush()
    assert file.getvalue().decode() == '["ß \U0001f600",1]\n世界\n'


@pytest.mark.parametrize(
    ("system", "number", "message", "code"),
    [
        ("posix", errno.EPIPE, "", 141),
        ("nt", errno.EINVAL, "", 141),
        ("posix", errno.EINVAL, "Invalid argument", 2),
        ("posix", errno.ENOSPC, "No space left on device", 2),
    ],
)
def test_standard_output_that_cannot_be_written(monkeypatch, system, number, message, code):
    monkeypatch.setattr("sys.stdout", Full(number))
    with monkeypatch.context() as patched, raises(OutputFailed, message=message, exit_code=code):
        patched.setattr("os.name", system)
        write_row(("a",))
    with pytest.raises(OutputFailed):
        write_bytes(Full(number), b"a")


def test_a_report_is_one_clean_line(capsys):
    report("a\nb", "c\x1bd")
    assert capsys.readouterr().err == "streamsave: a\\nb: c\\x1bd\n"


HELPS = {"a_bytes": "Bytes of a.", "b_count": "How many b.", "c_count": "Never."}


def test_samples_of_a_metric_are_together():
    metrics = Metrics(HELPS)
    metrics.add({"b_count": 1, "c_count": None})
    metrics.add({"a_bytes": 5}, file="x")
    metrics.add({"b_count": 2.5}, file="x", kind="y")
    metrics.add({"a_bytes": 7}, file="x")
    assert metrics.text().splitlines() == [
        "# HELP a_bytes Bytes of a.",
        "# TYPE a_bytes gauge",
        'a_bytes{file="x"} 7',
        "# HELP b_count How many b.",
        "# TYPE b_count gauge",
        "b_count 1",
        'b_count{file="x",kind="y"} 2.5',
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [('a"b', 'a\\"b'), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("a\x1b[31m", "a\N{REPLACEMENT CHARACTER}[31m"), ("ß", "ß")],
)
def test_labels_are_escaped(text, shown):
    metrics = Metrics(HELPS)
    metrics.add({"a_bytes": 1}, file=text)
    assert f'a_bytes{{file="{shown}"}} 1' in metrics.text()


def test_a_file_appears_whole(tmp_path):
    metrics = Metrics(HELPS)
    metrics.add({"a_bytes": 1}, file="\udcff")
    target = tmp_path / "a.prom"
    metrics.write(str(target))
    assert target.read_text(encoding="utf-8").endswith(" 1\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.prom"]
    with pytest.raises(OutputFailed, match="No such file"):
        metrics.write(str(tmp_path / "none" / "a.prom"))


@pytest.mark.parametrize("command", [("json",), ("json", "--ndjson"), ("salvage",)])
def test_a_dash_is_standard_output(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert run(*command, SAMPLES[0], "-o", "-").stdout_bytes == run(*command, SAMPLES[0]).stdout_bytes
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("report", "-o"), ("salvage", "--save"), ("edit", "--drop", "class_name ~ Spawner", "-o")])
def test_what_is_no_text_does_not_go_to_standard_output(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert "standard output" in refused(*command, "-", SAMPLES[0])
    assert list(tmp_path.iterdir()) == []
