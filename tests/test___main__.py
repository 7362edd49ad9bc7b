"""The process of a command: its exit code, and its garbage collector."""

import pytest
from cli_runs import python

CODE = """
import gc, sys
import streamsave.cli
from streamsave.__main__ import run
sys.argv[1:] = {arguments!r}
frozen = []
main = streamsave.cli.main
def noting(**options):
    frozen.append(gc.get_freeze_count())
    main(**options)
streamsave.cli.main = noting
try:
    run()
except SystemExit as end:
    print(end.code, gc.isenabled(), gc.get_threshold()[0] > 10_000, frozen[0] > 10_000, len(gc.get_objects()) < 100)
"""


def last_line(*arguments):
    """What the process of a command line says of its collector at the end."""
    return python(CODE.format(arguments=list(arguments))).stdout.splitlines()[-1]


@pytest.mark.slow
def test_the_collector_looks_rarely_and_not_at_what_is_imported():
    assert last_line("--version") == "0 True True True True"


def test_an_error_is_the_exit_code():
    assert last_line("ls", "nowhere.sav") == "2 True True True True"


def test_importing_the_library_leaves_the_collector_alone():
    # CPython 3.12 itself freezes some objects.
    facts = "(gc.get_threshold(), gc.get_freeze_count(), gc.isenabled())"
    code = f"import gc; before = {facts}; import streamsave, streamsave.cli; print(before == {facts})"
    assert python(code).stdout.split() == ["True"]
