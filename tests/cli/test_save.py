"""One save that a command reads: what it is opened from, and how its faults are reported."""

from __future__ import annotations

import errno

import pytest
from cli_runs import SAMPLES
from shapez2_worlds import SAMPLES as CODES

from streamsave.cli.save import attempt, open_input
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
