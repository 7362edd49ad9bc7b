"""What a blob is, noted before it."""

from __future__ import annotations

import pytest
from cursors import cursor_over
from writer.primitives import fstring

from streamsave.formats.unreal.blob_layouts import NOTED_SIZE, BlobLayouts, noted_value


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (fstring("EPalType::Wood"), "EPalType::Wood"),
        (fstring(""), ""),
        (b"\5\0\0\0Wood\0", "Wood"),
        (b"\4\0\0\0Wood", "Wood"),
        (b"\0", ""),
        (b"", ""),
        (fstring("W" * 1000), "W" * (NOTED_SIZE - 4)),
        (b"\xff\xff\xff\x7fWood", "Wood"),
        (b"\4\0\0\0W\xe9", "W\xe9"),
    ],
)
def test_noted_value(data, text):
    cursor = cursor_over(data + b"more", limit=len(data) + 4)
    assert noted_value(cursor, len(data)) == text
    assert cursor.tell() == 0


def test_the_end_of_the_stream_is_no_fault_yet():
    assert noted_value(cursor_over(b"\4\0\0\0Wo", limit=100), 9) == "Wo"


def test_interface_has_no_layouts_of_its_own():
    blobs = BlobLayouts("RawData", "Versions", frozenset())
    assert (blobs.name, blobs.versions_name, blobs.noted_names) == ("RawData", "Versions", frozenset())
    with pytest.raises(NotImplementedError):
        blobs.kind([])
    with pytest.raises(NotImplementedError):
        blobs.layouts([], None)
