"""The manual page."""

import re
import shutil
import subprocess

import pytest
from make_man import PAGE, manual_page

from streamsave.cli.app import COMMANDS


def test_the_page_is_that_of_the_help():
    assert manual_page() == PAGE.read_text(encoding="utf-8"), "run `python tools/make_man.py`"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_page_can_be_shown():
    command = [shutil.which("groff"), "-man", "-Tascii", "-ww", str(PAGE)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stderr == ""
    shown = re.sub(".\b", "", ran.stdout)  # bold is struck twice
    for name in COMMANDS:
        assert f"streamsave {name}" in shown
    for part in ("-i, --ignore-case", "EXIT STATUS", 'eval "$(streamsave completion bash)"'):
        assert part in shown
