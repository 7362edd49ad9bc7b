"""How the levels of a save are stored, by SaveVersion: the start of their blobs, the entries of objects, the tail.

A blob, of headers or of objects:

| field | type | SaveVersion |
|---|---|---|
| size | i64 | from 41 |
| size | i32 | from 29, and in blueprints |
| count | i32 | |

`size` counts the bytes after itself. The tail of a level follows its objects:

| field | type | SaveVersion |
|---|---|---|
| level_save_version | i32 | streaming levels from 51 |
| destroyed_actors | list of references; for the persistent level from 29 on, a map of level names to such lists | |
| version_data | optional | streaming levels from 53 |

Blueprints have no tail. `levels` has the layout around this.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import I32, I64, STRING, Array, BuildContext, Codec, Map, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length
from streamsave.formats.satisfactory.object_entry import OPTIONAL_VERSION_DATA, ObjectEntryCodec, read_optional_ue5_version
from streamsave.formats.satisfactory.object_header import LEAST_HEADER
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_ENTRY_VERSIONS,
    SAVE_VERSION_LEVEL_VERSION,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VERSION_DATA,
    Member,
    members,
)
from streamsave.formats.unreal.codecs import REFERENCE

__all__ = ["BLUEPRINT_LAYOUT", "DESTROYED_BY_LEVEL", "REFERENCES", "LevelLayout", "destroyed_actors"]

REFERENCES: Final = Array(REFERENCE)
DESTROYED_BY_LEVEL: Final = Map(STRING, REFERENCES)


#: What follows the objects of a streaming level, and of the persistent level.
TAIL: Final = [
    Member("level_save_version", I32, SAVE_VERSION_LEVEL_VERSION),
    Member("destroyed_actors", REFERENCES),
    Member("version_data", OPTIONAL_VERSION_DATA, SAVE_VERSION_VERSION_DATA),
]
PERSISTENT_TAIL: Final = [
    Member("destroyed_actors", REFERENCES, before=SAVE_VERSION_LEVELS),
    Member("destroyed_actors", DESTROYED_BY_LEVEL, SAVE_VERSION_LEVELS),
]


class LevelLayout:
    """How the levels of a save are stored, by its SaveVersion.

    A blueprint has one level: 32-bit sizes in all versions, no versions and no version data of objects, no tail. Its
    `save_version` is 0 here.
    """

    def __init__(self, save_version: int, *, is_blueprint: bool = False) -> None:
        self._is_blueprint = is_blueprint
        #: Entries of objects start with a SaveVersion of their own.
        self.entry_versions = save_version >= SAVE_VERSION_ENTRY_VERSIONS
        size = I64 if save_version >= SAVE_VERSION_64_BIT else I32
        #: Type of the size at the start of a blob, or None without one; the start of a blob, as a value.
        self.blob_size: Codec | None = size if is_blueprint or save_version >= SAVE_VERSION_LEVELS else None
        start: dict[str, Codec] = {} if self.blob_size is None else {"size": self.blob_size}
        self.blob = Struct("Blob", None, **start, count=I32)
        self.tail = Struct("LevelTail", None, **({} if is_blueprint else members(save_version, TAIL)))
        self.persistent_tail = Struct("LevelTail", None, **({} if is_blueprint else members(save_version, PERSISTENT_TAIL)))

    def entries(self, level_version: int) -> ObjectEntryCodec:
        """Make the reader for the entries of a level."""
        return ObjectEntryCodec(level_version, entry_versions=self.entry_versions, version_data=not self._is_blueprint)

    # --- blobs ---

    def blob_end(self, cursor: Cursor) -> i64:
        """Read the size of a blob, which holds at least its count; return where it ends, or -1 where it has no size.

        Raises:
            DamagedSave: the size does not fit.
        """
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

    def blob_lengths(self, count_offset: i64, section: int) -> list[Length]:
        """Return the fields at the start of a blob, a section: its size, if it has one, and its count, which is at an offset."""
        size = self.blob.size - 4
        sizes = [Length(int(count_offset - size), int(size), False, section)] if size > 0 else []
        return [*sizes, Length(int(count_offset), 4, True, section)]

    def header_count(self, toc: Cursor, toc_end: i64) -> i64:
        """Read how many headers a blob has that ends at `toc_end` (-1: at the limit).

        Raises:
            DamagedSave: there is no room for that many.
        """
        count = toc.i32()
        room = ((toc_end if toc_end >= 0 else toc.limit()) - toc.tell()) // LEAST_HEADER
        if count < 0 or count > room:
            raise toc.damaged(f"{count} objects do not fit", offset=toc.tell() - 4, expected=f"0 to {room}", actual=count)
        return count

    def skip_objects(self, data: Cursor, level_version: int) -> None:
        """Pass over the blob of the objects: by its size, or entry by entry where it has none."""
        data_end = self.blob_end(data)
        if data_end >= 0:
            data.seek(data_end)
            return
        entries = self.entries(level_version)
        for _ in range(data.count(4)):
            entries.measure(data)

    # --- tails ---

    def read_ahead(self, cursor: Cursor, context: BuildContext) -> tuple[int, int]:
        """Pass over both blobs of a streaming level and its tail; return its SaveVersion and UE5 object version.

        Only for a layout whose tail has them; the UE5 version is 0 where it has none.

        Raises:
            DamagedSave: the level has the version of no save.
        """
        for _ in range(2):
            cursor.seek(self.blob_end(cursor))
        level_version = 0
        ue5_version: int | None = None
        for name, codec in zip(self.tail.names, self.tail.members, strict=True):
            if name == "level_save_version":
                level_version = cursor.i32()
                if level_version <= 0:
                    raise cursor.damaged(
                        "SaveVersion of a level", offset=cursor.tell() - 4, expected="1 or more", actual=level_version
                    )
            elif name == "version_data":
                ue5_version = read_optional_ue5_version(cursor)
            elif "version_data" in self.tail.names:
                codec.measure(cursor, context)
        return level_version, ue5_version or 0


def destroyed_actors(tail: Struct) -> Codec | None:
    """Return the codec of the list of destroyed actors in a tail, or None without one."""
    return tail.members[tail.names.index("destroyed_actors")] if "destroyed_actors" in tail.names else None


BLUEPRINT_LAYOUT: Final = LevelLayout(0, is_blueprint=True)
