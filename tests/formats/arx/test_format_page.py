"""The struct tables of FORMAT.md are those of the code."""

from __future__ import annotations

import re

import pytest
from saves import ROOT

from streamsave.formats.arx import entry_walker  # noqa: F401 - makes all tables
from streamsave.formats.arx.layout import TYPES, Layout
from streamsave.formats.arx.versions import VERSIONS

PAGE = (ROOT / "streamsave" / "formats" / "arx" / "FORMAT.md").read_text(encoding="utf-8")
LAYOUTS = {name: codec for name, codec in TYPES.items() if isinstance(codec, Layout)}
#: Name, size, rows of offset, size, name, type.
STRUCTS = {
    name: (int(size), re.findall(r"^\| (\d+) \| (\d+) \| `(\w+)` \| (\S+) \|", table, re.MULTILINE))
    for name, size, table in re.findall(r"^### (\w+): (\d+) bytes\n((?:(?!^#).*\n?)*)", PAGE, re.MULTILINE)
}


def test_all_structs_are_on_the_page():
    assert set(STRUCTS) == set(LAYOUTS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_struct(name):
    codec = LAYOUTS[name]
    size, rows = STRUCTS[name]
    assert size == codec.size
    assert rows == [(str(row.offset), str(row.codec.size), row.name, row.codec.name) for row in codec.rows]


def test_versions():
    assert re.findall(r"^\| (0x\d{8}) \|", PAGE, re.MULTILINE) == [f"{version:#010x}" for version in VERSIONS]
