"""The struct tables of FORMAT.md are those of the code."""

import re

import pytest
from saves import ROOT

from streamsave.formats.arx.layout import STRUCTS as TABLES
from streamsave.formats.arx.layout import struct_of
from streamsave.formats.arx.versions import VERSIONS

PAGE = (ROOT / "streamsave" / "formats" / "arx" / "FORMAT.md").read_text(encoding="utf-8")
LAYOUTS = {name: struct_of(name) for name in TABLES}
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
    assert rows == [
        (str(codec.offset(field)), str(member.size), field, member.name)
        for field, member in zip(codec.names, codec.members, strict=True)
    ]


def test_versions():
    assert re.findall(r"^\| (0x\d{8}) \|", PAGE, re.MULTILINE) == [f"{version:#010x}" for version in VERSIONS]
