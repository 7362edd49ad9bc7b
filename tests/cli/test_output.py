"""Writing to standard output, standard error and files."""

from __future__ import annotations

import errno
import os

import pytest
from cli_runs import SAMPLES, terminal

from streamsave.cli.output import OutputFailed, open_output, report, write_bytes, write_json, write_row, write_table


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


def test_a_table_in_a_pipe_is_lines(capsys):
    write_table("title", ("a", "b"), [("1", "2"), ("3", "4")])
    assert capsys.readouterr().out == "1\t2\n3\t4\n"


def test_a_table_on_a_terminal_has_title_and_head():
    code, text = terminal("ls", "--by-class", SAMPLES[0])
    assert code == 0
    assert str(SAMPLES[0]) in text.replace("\n", "")
    assert all(column in text for column in ("class", "objects", "bytes"))


@pytest.mark.parametrize(("number", "message", "code"), [(errno.EPIPE, "", 141), (errno.ENOSPC, "No space left on device", 2)])
def test_standard_output_that_cannot_be_written(monkeypatch, number, message, code):
    monkeypatch.setattr("sys.stdout", Full(number))
    with pytest.raises(OutputFailed) as caught:
        write_row(("a",))
    assert (caught.value.message, caught.value.exit_code) == (message, code)
    with pytest.raises(OutputFailed):
        write_bytes(Full(number), b"a")


def test_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(OutputFailed) as caught, open_output(str(tmp_path / "no" / "file")):
        pass
    assert (caught.value.message, caught.value.exit_code) == ("No such file or directory", 2)


def test_a_file_is_written(tmp_path):
    path = tmp_path / "file"
    with open_output(str(path)) as file:
        write_bytes(file, b"data")
    assert path.read_bytes() == b"data"


def test_a_report_is_one_clean_line(capsys):
    report("a\nb", "c\x1bd")
    assert capsys.readouterr().err == "streamsave: a\\nb: c\\x1bd\n"
