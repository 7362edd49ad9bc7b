"""Where the sizes of objects and of voxel blocks are. Events do not say it.

| what was opened | its fields |
|---|---|
| an object | `u32 property_size`; with save flag 0x04 `u32 total_size`, with the custom data; then its data |
| a voxel block | `i32 size` of the voxels, after the key |
"""

from __future__ import annotations

from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.events import ObjectHeader, StructEnter
from streamsave.formats.astroneer.instances import SAVE_FLAG_CUSTOM_DATA

__all__ = ["block_length", "has_custom_data", "record_lengths"]

#: Bytes of a size, and of the key of a block.
WIDTH = 4
KEY_SIZE = 8


def has_custom_data(header: ObjectHeader) -> bool:
    """Return whether an object has two sizes; the custom data may have no bytes."""
    return header.flags >> 32 & SAVE_FLAG_CUSTOM_DATA != 0


def record_lengths(header: ObjectHeader, cursor: Cursor) -> list[Length]:
    """Return the sizes of an object; the cursor is moved."""
    data = header.data_offset
    if not has_custom_data(header):
        return [Length(data - WIDTH, WIDTH, counts=False)]
    cursor.seek(data - 2 * WIDTH)
    end = data + int(cursor.u32())
    return [Length(data - 2 * WIDTH, WIDTH, counts=False, end=end), Length(data - WIDTH, WIDTH, counts=False)]


def block_length(block: StructEnter) -> list[Length]:
    """Return the size of a voxel block."""
    return [Length(block.offset + KEY_SIZE, WIDTH, counts=False)]
