"""How levels are stored, by SaveVersion: the sizes of their blobs, what stands behind their data.

The layout itself is described in `levels`.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import I32, I64, STRING, Array, Codec, Map, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.satisfactory.version_data import OPTIONAL_VERSION_DATA
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_LEVEL_VERSION,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.codecs import REFERENCE

__all__ = ["BLUEPRINT_LAYOUT", "DESTROYED_BY_LEVEL", "LEAST_HEADER", "REFERENCES", "LevelLayout", "level_layout"]

REFERENCES: Final = Array(REFERENCE)
DESTROYED_BY_LEVEL: Final = Map(STRING, REFERENCES)

#: A header has a bool and three strings at least.
LEAST_HEADER: Final = 16


class LevelLayout:
    """How the levels of one SaveVersion are stored."""

    def __init__(self, blob_size: Codec | None, *, entry_versions: bool, tail: Struct, persistent_tail: Struct) -> None:
        #: Type of the size in front of a blob, or None where there is none.
        self.blob_size = blob_size
        count = {"count": I32}
        self.blob = Struct("Blob", None, **count) if blob_size is None else Struct("Blob", None, size=blob_size, **count)
        #: `i32 save_version; bool32 migrate_references` stand in front of each object's size.
        self.entry_versions = entry_versions
        #: What stands behind the data.
        self.tail = tail
        self.persistent_tail = persistent_tail

    def blob_end(self, cursor: Cursor) -> i64:
        """Read the size of a blob, which holds at least its count, and tell where it ends; -1 where it has no size."""
        blob_size = self.blob_size
        if blob_size is None:
            return -1
        start = cursor.tell()
        size = cursor.i64() if blob_size is I64 else cursor.i32()
        if size < 4 or size > cursor.remaining():
            raise cursor.damaged(
                "size of a blob does not fit", offset=start, expected=f"4 to {cursor.remaining()} bytes", actual=size
            )
        return cursor.tell() + size


def level_layout(save_version: int) -> LevelLayout:
    """Make the layout of a save's levels."""
    destroyed: dict[str, Codec] = {"destroyed_actors": REFERENCES}
    tail = destroyed
    persistent_tail = Struct("LevelTail", None, destroyed_actors=DESTROYED_BY_LEVEL)
    if save_version < SAVE_VERSION_LEVELS:
        persistent_tail = Struct("LevelTail", None, **destroyed)
    if save_version >= SAVE_VERSION_LEVEL_VERSION:
        tail = {"level_save_version": I32, **destroyed}
    if save_version >= SAVE_VERSION_VERSION_DATA:
        tail = {**tail, "version_data": OPTIONAL_VERSION_DATA}
    blob_size: Codec | None = None
    if save_version >= SAVE_VERSION_LEVELS:
        blob_size = I64 if save_version >= SAVE_VERSION_64_BIT else I32
    return LevelLayout(
        blob_size,
        entry_versions=save_version >= SAVE_VERSION_64_BIT,
        tail=Struct("LevelTail", None, **tail),
        persistent_tail=persistent_tail,
    )


#: The only level of a blueprint: 32-bit sizes in all versions, nothing behind the data.
BLUEPRINT_LAYOUT: Final = LevelLayout(
    I32, entry_versions=False, tail=Struct("LevelTail", None), persistent_tail=Struct("LevelTail", None)
)
