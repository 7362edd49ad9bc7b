"""An interpreter with a lock of its own cannot import what is compiled (librt, and ours): it says so, and others go on."""

import pytest
from cli_runs import python
from saves import SATISFACTORY

PROGRAM = """
import sys

import _interpreters

import streamsave

path = sys.argv[1]
expected = [repr(event) for event in streamsave.open(path)]
for _ in range(2):
    other = _interpreters.create()
    failed = _interpreters.exec(other, f"import sys; sys.path[:] = {sys.path!r}; import streamsave")
    assert failed.type.__name__ == "ImportError", failed
    assert "does not support loading in subinterpreters" in failed.msg
    _interpreters.destroy(other)
    assert [repr(event) for event in streamsave.open(path)] == expected
"""


def test_an_interpreter_of_its_own_is_refused():
    pytest.importorskip("_interpreters", reason="from Python 3.13 on")
    done = python(PROGRAM, SATISFACTORY / "sv52.sav")
    assert (done.returncode, done.stderr) == (0, "")
