"""How files of shapez 2 start."""

from __future__ import annotations

import subprocess
import sys

import pytest
from saves import ROOT

from streamsave.formats.shapez2.sniff import sniff_code, sniff_save

HEADS = [
    # first bytes, a save, a code
    (b"PK\x03\x04", True, False),
    (b"PK\x05\x06", True, False),
    (b"PK\x03", False, False),
    (b"PK\x01\x02", False, False),
    (b"SHAPEZ2-", False, True),
    (b"SHAPEZ2", False, False),
    (b"SHAPEZ-4-", False, False),
    (b"", False, False),
]


@pytest.mark.parametrize(("head", "is_save", "is_code"), HEADS)
def test_first_bytes(head, is_save, is_code):
    assert (sniff_save(head), sniff_code(head)) == (is_save, is_code)
    assert (sniff_save(head + bytes(56)), sniff_code(head + bytes(56))) == (is_save, is_code)


@pytest.mark.parametrize("family", ["shapez2", "arx"])
def test_a_sniffer_imports_no_reader(family):
    """Opening a save of another format must not cost the import of this one."""
    code = f"""
import sys
import streamsave.formats.{family}.sniff
print(sorted(name for name in sys.modules if name.startswith("streamsave.formats.{family}.")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    names = ["sniff", "versions"] if family == "arx" else ["sniff"]
    assert done.stdout.strip() == str([f"streamsave.formats.{family}.{name}" for name in names])
