"""Terrain: bytes made by hand -> events, and the values of its leaves."""

from __future__ import annotations

import struct
import zlib

import pytest
from cursors import cursor_over
from writer.primitives import i32, i64

from streamsave import DamagedSave, Event, Field, StructEnter, StructExit, TruncatedSave
from streamsave.decode.reader import Length, Reader
from streamsave.formats.astroneer.layout import block_length, is_terrain, walk_terrain
from streamsave.formats.astroneer.versions import TERRAIN_VERSION

CLASS = "/Script/TerrainComponents.VoxelVolumeComponent"
STREAM = zlib.compress(b"voxels")
ENDS = i32(0) + i32(0) + i64(2)


def terrain(*blocks: bytes, count: int | None = None) -> bytes:
    return i32(TERRAIN_VERSION) + i32(77) + i32(len(blocks) if count is None else count) + b"".join(blocks)


def block(key: int, stream: bytes) -> bytes:
    return i64(key) + i32(len(stream)) + stream


def walked(data: bytes) -> tuple[list[Event], list[object], Reader]:
    """All events, the values of the leaves, and the reader after them."""
    reader = Reader(cursor_over(data))
    events = []
    values = []
    for event in walk_terrain(reader):
        events.append(event)
        if isinstance(event, Field):
            values.append((reader.path(), reader.value(event)))
            reader.cursor.seek(event.offset + event.size)
    return events, values, reader


@pytest.mark.parametrize(
    ("class_name", "data", "expected"),
    [
        (CLASS, i32(TERRAIN_VERSION), True),
        (CLASS, i32(TERRAIN_VERSION - 1), False),
        (CLASS, i32(TERRAIN_VERSION + 1), False),
        (CLASS, i32(TERRAIN_VERSION)[:3], False),
        (CLASS, b"", False),
        (CLASS + "2", i32(TERRAIN_VERSION), False),
        ("VoxelVolumeComponent", i32(TERRAIN_VERSION), False),
    ],
)
def test_is_terrain(class_name, data, expected):
    for window in (1, 1000):
        cursor = cursor_over(data, window)
        assert is_terrain(class_name, cursor) is expected
        assert cursor.tell() == 0


def test_events_claim_every_byte():
    data = terrain(block(5, STREAM)) + ENDS
    events, values, reader = walked(data)
    size = len(STREAM)
    assert events == [
        Field(0, "terrain_version", "i32", 4, -1),
        Field(4, "terrain_id", "i32", 4, -1),
        StructEnter(8, "voxel_blocks", "VoxelBlock", 4, -1, -1, 1),
        StructEnter(12, "voxel_blocks", "VoxelBlock", 0, 12 + size, 0, -1),
        Field(12, "key", "i64", 8, -1),
        Field(20, "size", "i32", 4, -1),
        Field(24, "voxels", "zlib", size, -1),
        StructExit(24 + size, "voxel_blocks", 0),
        StructExit(24 + size, "voxel_blocks", 0),
        Field(24 + size, "unknown_records_8", events[9].type, 4, -1),
        Field(28 + size, "unknown_records_18", events[10].type, 4, -1),
        Field(32 + size, "terrain_end", "u64", 8, -1),
    ]
    assert [value for _, value in values] == [TERRAIN_VERSION, 77, 5, size, b"voxels", [], [], 2]
    assert values[2][0] == ("voxel_blocks", 0, "key")
    assert reader.steps == []
    assert reader.cursor.tell() == len(data)


def test_records_of_unknown_meaning():
    data = terrain() + i32(2) + bytes(16) + i32(1) + struct.pack("<4f2B", 1, 2, 3, 4, 5, 6) + i64(2)
    events, values, _ = walked(data)
    assert [(event.name, event.size) for event in events[-3:]] == [
        ("unknown_records_8", 20),
        ("unknown_records_18", 22),
        ("terrain_end", 8),
    ]
    assert len(values[2][1]) == 2
    assert len(values[3][1]) == 1


def test_a_block_that_was_skipped_has_no_members():
    """The consumer moved the cursor to its end."""
    data = terrain(block(5, STREAM), block(6, STREAM)) + ENDS
    reader = Reader(cursor_over(data))
    keys = []
    for event in walk_terrain(reader):
        if isinstance(event, StructEnter) and event.index == 0:
            reader.cursor.seek(event.offset + event.size)
        if isinstance(event, Field):
            if event.name == "key":
                keys.append(reader.value(event))
            reader.cursor.seek(event.offset + event.size)
    assert keys == [6]


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        # A count with room for no more blocks of 12 bytes, and one below zero.
        (terrain(count=2) + bytes(23), 8),
        (terrain(count=-1) + ENDS, 8),
        # A block whose stream is longer than what follows.
        (terrain(i64(5) + i32(17)) + bytes(16), 20),
        (terrain(i64(5) + i32(-1)) + ENDS, 20),
    ],
)
def test_counts_that_do_not_fit(data, offset):
    with pytest.raises(DamagedSave) as caught:
        walked(data)
    assert caught.value.offset == offset


def test_a_save_that_ends_inside():
    data = terrain(block(5, STREAM)) + ENDS
    reader = Reader(cursor_over(data[:-1], limit=len(data)))
    with pytest.raises(TruncatedSave):
        for event in walk_terrain(reader):
            if isinstance(event, Field):
                reader.cursor.seek(event.offset)
                reader.cursor.need(event.size)
                reader.cursor.seek(event.offset + event.size)


def test_a_voxel_block():
    assert block_length(StructEnter(30, "voxel_blocks", "VoxelBlock", 0, 36, 0, -1)) == Length(38, 4, counts=False)
