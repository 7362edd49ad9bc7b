"""The garbage collector, in the processes of the command line."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc, sys
from streamsave.__main__ import run
sys.argv[1:] = {arguments!r}
try:
    run()
except SystemExit as end:
    print(end.code, gc.isenabled(), gc.get_threshold()[0] > 10_000, gc.get_freeze_count() > len(gc.get_objects()))
"""


def last_line(*arguments):
    """What the process of a command line says of its collector at the end."""
    code = CODE.format(arguments=list(arguments))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()[-1]


def test_it_looks_rarely_and_not_at_what_is_imported():
    assert last_line("--version") == "0 True True True"


def test_it_is_the_same_after_an_error():
    assert last_line("ls", "nowhere.sav") == "2 True True True"


def test_it_is_left_alone_by_the_library():
    code = "import gc, streamsave, streamsave.cli; print(gc.get_threshold()[0] < 10_000, gc.get_freeze_count())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True", "0"]
