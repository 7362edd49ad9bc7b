"""Terrain: bytes made by hand -> events, and the values of its leaves."""

import zlib

import pytest
from cursors import cursor_over
from writer.primitives import i32, i64

from streamsave import DamagedSave, Event, Field, TruncatedSave
from streamsave.decode.reader import Reader
from streamsave.formats.astroneer.layout import is_terrain, walk_terrain
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
