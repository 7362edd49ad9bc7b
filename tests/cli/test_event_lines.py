"""Events as lines."""

from __future__ import annotations

import pytest
from attrs import evolve

from streamsave import BlobSkip, ChunkStart, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, StructExit
from streamsave.cli.event_lines import is_one_value, line_of, type_text

HEADER = ObjectHeader(0, "actor", "/A.B_C", "B_1", "L", "", None, 0, 46, 10, 8, 18, 1)


def tag(kind: str, type_name: str = "", inner: str = "", value: str = "", index: int = 0) -> PropertyTag:
    return PropertyTag(0, "m\n", kind, 8, index, 8, type_name, inner, value, False, None, None)


@pytest.mark.parametrize(
    ("event", "text", "one"),
    [
        (tag("IntProperty"), "IntProperty", True),
        (tag("StructProperty", "Vector"), "StructProperty(Vector)", True),
        (tag("StructProperty", "InventoryStack"), "StructProperty(InventoryStack)", False),
        (tag("ArrayProperty", "", "IntProperty"), "ArrayProperty(IntProperty)", True),
        (tag("ArrayProperty", "A\x1b", "StructProperty"), "ArrayProperty(StructProperty(A\\x1b))", False),
        (tag("SetProperty", "", "StructProperty"), "SetProperty(StructProperty)", False),
        (tag("MapProperty", "", "IntProperty", "StrProperty"), "MapProperty(IntProperty, StrProperty)", True),
        (tag("MapProperty", "A", "IntProperty", "StructProperty"), "MapProperty(IntProperty, StructProperty(A))", False),
        (tag("MapProperty", "A", "StructProperty", "IntProperty"), "MapProperty(StructProperty, IntProperty(A))", False),
        (tag("MapProperty", "", "", "IntProperty"), "MapProperty(IntProperty)", True),
    ],
)
def test_types(event, text, one):
    assert type_text(event) == text
    assert is_one_value(event) is one


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (tag("IntProperty"), "m\\n: IntProperty"),
        (tag("IntProperty", index=2), "m\\n[2]: IntProperty"),
        (Field(0, "a", "i32", 4, -1), "a: i32"),
        (Field(0, "a", "i32", 4, 3), "[3] i32"),
        (StructEnter(0, "Persistent", "Level", 0, 8, -1, -1), "level Persistent"),
        (StructEnter(0, "m", "ArrayProperty", 0, 8, -1, 1), "m: ArrayProperty [1 element]"),
        (StructEnter(0, "m", "ArrayProperty", 0, 8, -1, 1000), "m: ArrayProperty [1000 elements]"),
        (StructEnter(0, "", "", 0, 8, 4, -1), "[4] struct"),
        (HEADER, "actor B_C B_1 (1 byte)"),
        (evolve(HEADER, kind="B_C", size=-1), "B_C B_1 (size unknown)"),
        (ChunkStart(0, 3, 1024, 255, 100, "zlib"), "chunk 3 at 0xff: 100 bytes -> 1024 bytes"),
        (BlobSkip(0, 5, "because"), "(5 bytes: because)"),
        (SaveEnd(2), "end of 2 bytes"),
        (StructExit(0, "", 0), ""),
        (ObjectEnd(0, "", 0), ""),
    ],
)
def test_lines(event, line):
    assert line_of(event) == line
