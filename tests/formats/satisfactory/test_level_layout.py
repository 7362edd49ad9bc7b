"""How levels are stored: each version gate on both sides, counts and sizes at their limits."""

from __future__ import annotations

import struct

import pytest
from cursors import cursor_over
from satisfactory_layouts import reader_over
from writer.primitives import Ref, bool32, i32, ref
from writer.satisfactory import VersionData

from streamsave import DamagedSave
from streamsave.formats.satisfactory.level_layout import DESTROYED_BY_LEVEL, REFERENCES, LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.object_header import LEAST_HEADER

LIST = ["destroyed_actors"]


@pytest.mark.parametrize(
    ("version", "blob", "entry_versions", "tail", "by_level"),
    [
        (28, ["count"], False, LIST, False),
        (29, ["size", "count"], False, LIST, True),
        (40, ["size", "count"], False, LIST, True),
        (41, ["size", "count"], True, LIST, True),
        (50, ["size", "count"], True, LIST, True),
        (51, ["size", "count"], True, ["level_save_version", *LIST], True),
        (52, ["size", "count"], True, ["level_save_version", *LIST], True),
        (53, ["size", "count"], True, ["level_save_version", *LIST, "version_data"], True),
    ],
)
def test_layouts(version, blob, entry_versions, tail, by_level):
    layout = LevelLayout(version)
    assert layout.blob.names == blob
    assert layout.blob.size == {"count": 4, "size": 12 if version >= 41 else 8}[blob[0]]
    assert layout.entry_versions == entry_versions
    assert layout.entries(version).version_data
    assert layout.tail.names == tail
    assert layout.persistent_tail.names == LIST
    assert destroyed_actors(layout.tail) is REFERENCES
    assert destroyed_actors(layout.persistent_tail) is (DESTROYED_BY_LEVEL if by_level else REFERENCES)


@pytest.mark.parametrize("room", [0, 1, 3])
@pytest.mark.parametrize("spare", [0, LEAST_HEADER - 1])
@pytest.mark.parametrize("sized", [True, False])
def test_as_many_headers_as_there_is_room_for(room, spare, sized):
    """One more is refused, before anything is made for them."""
    size = room * LEAST_HEADER + spare
    layout = LevelLayout(52)
    for count in (0, room):
        data = i32(count) + bytes(size)
        end = len(data) if sized else -1
        assert layout.header_count(cursor_over(data + b"more" * sized), end) == count
    for count in (room + 1, -1, (1 << 31) - 1):
        data = i32(count) + bytes(size)
        end = len(data) if sized else -1
        with pytest.raises(DamagedSave, match="objects do not fit") as error:
            layout.header_count(cursor_over(data + b"more" * sized), end)
        assert (error.value.offset, error.value.expected, error.value.actual) == (0, f"0 to {room}", count)


@pytest.mark.parametrize(
    ("version", "after", "versions"),
    [
        (51, i32(46), (46, 0)),
        (52, i32(51), (51, 0)),
        (53, i32(52) + i32(1) + ref(Ref("Level", "Gone")) + bool32(False), (52, 0)),
        (53, i32(53) + i32(0) + bool32(True) + VersionData(ue5=1017).encode(), (53, 1017)),
    ],
)
def test_versions_are_read_ahead(version, after, versions):
    reader = reader_over(struct.pack("<qi", 4, 0) * 2 + after)
    assert LevelLayout(version).read_ahead(reader.cursor, reader) == versions
    assert reader.cursor.remaining() == 0
