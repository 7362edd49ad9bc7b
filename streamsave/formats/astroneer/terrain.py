"""Voxel terrain: what `VoxelVolumeComponent`, one for each planet, writes after its properties.

| field | type | |
|---|---|---|
| terrain_version | i32 | `TERRAIN_VERSION` |
| terrain_id | i32 | a seed, or an id |
| voxel_blocks | i32 n, n blocks | |
| unknown_records_8 | i32 n, n times 8 bytes | |
| unknown_records_18 | i32 n, n times 18 bytes | 4 f32, 2 u8 |
| terrain_end | u64 | 2 in all seen |

A block is `i64 key`, `i32 size`, and `voxels`: one zlib stream of that many bytes. `raw()` returns the stream as it is stored,
for `zlib.decompress`; `build()` returns what it inflates to. No other block is inflated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.decode.codecs import I32, I64, U64
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.events import Event, StructEnter, StructExit
from streamsave.formats.astroneer.layout import DEFLATED, UNKNOWN_RECORDS_8, UNKNOWN_RECORDS_18
from streamsave.formats.astroneer.versions import TERRAIN_VERSION

__all__ = ["BLOCK", "BLOCKS", "TERRAIN_END", "block_length", "is_terrain", "walk_terrain"]

CLASS_ENDS_WITH: Final = ".VoxelVolumeComponent"
BLOCKS: Final = "voxel_blocks"
BLOCK: Final = "VoxelBlock"
#: The last number in all seen.
TERRAIN_END: Final = 2
#: Bytes of a block's key and size.
LEAST_BLOCK: Final = 12


def is_terrain(class_name: str, cursor: Cursor) -> bool:
    """Return whether terrain of the known version starts here."""
    if not class_name.endswith(CLASS_ENDS_WITH) or cursor.remaining() < 4:
        return False
    cursor.need(4)
    return int.from_bytes(cursor.peek(4), "little") == TERRAIN_VERSION


def walk_terrain(reader: Reader) -> Iterator[Event]:
    """Walk the terrain that starts at the cursor."""
    cursor = reader.cursor
    yield reader.field("terrain_version", I32)
    yield reader.field("terrain_id", I32)
    start = cursor.tell()
    count = cursor.count(LEAST_BLOCK)
    yield StructEnter(start, BLOCKS, BLOCK, 4, -1, -1, count)
    reader.steps.append(BLOCKS)
    for index in range(count):
        start = cursor.tell()
        cursor.skip(8)
        size = cursor.count(1)
        end = cursor.tell() + size
        cursor.seek(start)
        yield StructEnter(start, BLOCKS, BLOCK, 0, end - start, index, -1)
        reader.steps.append(int(index))
        if cursor.tell() < end:
            yield reader.field("key", I64)
            yield reader.field("size", I32)
            cursor.skip(size)
            yield reader.passed("voxels", DEFLATED, end - size)
        reader.steps.pop()
        yield StructExit(end, BLOCKS, 0)
    reader.steps.pop()
    yield StructExit(cursor.tell(), BLOCKS, 0)
    yield reader.field("unknown_records_8", UNKNOWN_RECORDS_8)
    yield reader.field("unknown_records_18", UNKNOWN_RECORDS_18)
    yield reader.field("terrain_end", U64)


def block_length(block: StructEnter) -> Length:
    """Return the size of a voxel block."""
    return Length(block.offset + I64.size, I32.size, counts=False)
