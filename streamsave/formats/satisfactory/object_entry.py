"""The entry of an object among the data of its level.

| field | type | |
|---|---|---|
| save_version | i32 | saves from 41; else that of the level |
| migrate_references | bool32 | saves from 41 |
| size | i32 | |
| data | `size` bytes | see `objects` |
| version_data | optional | if `save_version` is 53 or later; not in blueprints |

Version data (FSaveObjectVersionData) say which versions of engine and game wrote a body, a level or an object:

| field | type |
|---|---|
| data_version | u32 |
| ue4_version, ue5_version, licensee_version | i32 each |
| engine_major, engine_minor, engine_patch | u16 each |
| changelist | u32 |
| branch | str |
| custom_versions | i32 n, n * (16-byte GUID, i32) |
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BOOL32, I32, STRING, U16, U32, Array, BuildContext, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.events import MIGRATES_REFERENCES, STORES_MIGRATION
from streamsave.formats.satisfactory.versions import SAVE_VERSION_VERSION_DATA
from streamsave.formats.unreal.codecs import GUID

__all__ = [
    "OPTIONAL_VERSION_DATA",
    "VERSION_DATA",
    "ObjectEntryCodec",
    "entry_layout",
    "read_optional_ue5_version",
    "read_ue5_version",
]

# --- version data ---

VERSION_DATA: Final = Struct(
    "SaveObjectVersionData",
    None,
    data_version=U32,
    ue4_version=I32,
    ue5_version=I32,
    licensee_version=I32,
    engine_major=U16,
    engine_minor=U16,
    engine_patch=U16,
    changelist=U32,
    branch=STRING,
    custom_versions=Array(Struct("CustomVersion", None, key=GUID, version=I32)),
)
OPTIONAL_VERSION_DATA: Final = Optional(VERSION_DATA)

_UE5_VERSION: Final = VERSION_DATA.names.index("ue5_version")
#: Bytes before the UE5 object version.
_SIZE_BEFORE: Final[i64] = sum(member.size for member in VERSION_DATA.members[:_UE5_VERSION])
#: What follows it.
_REST: Final = Struct(
    "", None, **dict(zip(VERSION_DATA.names[_UE5_VERSION + 1 :], VERSION_DATA.members[_UE5_VERSION + 1 :], strict=True))
)
#: Measuring plain values needs nothing from its context.
_CONTEXT: Final = BuildContext()


def read_ue5_version(cursor: Cursor) -> int:
    """Pass over version data; return the only part of it that changes layouts: the UE5 object version."""
    cursor.skip(_SIZE_BEFORE)
    ue5_version = cursor.i32()
    _REST.measure(cursor, _CONTEXT)
    return ue5_version


def read_optional_ue5_version(cursor: Cursor) -> int | None:
    """Pass over `bool32` and, if it is set, version data; return the UE5 object version, or None without version data."""
    return read_ue5_version(cursor) if cursor.bool32() else None


# --- entries ---

#: Saves from 41 on have the first two.
ENTRY: Final = Struct("ObjectEntry", None, save_version=I32, migrate_references=BOOL32, size=I32)
OLD_ENTRY: Final = Struct("ObjectEntry", None, size=I32)


def entry_layout(prefix_size: int) -> Struct:
    """Return the layout of the bytes before the data, of which there are so many."""
    return ENTRY if prefix_size == ENTRY.size else OLD_ENTRY


class ObjectEntryCodec:
    """Reads the entries of one level. The attributes hold the entry that was decoded last.

    Args:
        level_version: the SaveVersion of the level.
        entry_versions: entries start with a SaveVersion of their own.
        version_data: version data may follow the data of an object.
    """

    def __init__(self, level_version: int, *, entry_versions: bool, version_data: bool) -> None:
        self._entry_versions = entry_versions
        self.version_data = version_data
        self.save_version: i64 = level_version
        #: How many bytes come before the data in each entry.
        self.prefix_size: i64 = ENTRY.size if entry_versions else OLD_ENTRY.size
        #: `migrate_references`, as `ObjectHeader.stored_flags`.
        self.stored_flags: i64 = 0
        #: Where the data start, and how many bytes they have.
        self.data_offset: i64 = 0
        self.size: i64 = 0

    def decode(self, data: Cursor, name: str = "an object") -> None:
        """Read an entry up to its data.

        Raises:
            DamagedSave: the size does not fit.
        """
        if not self.read(data):
            raise data.damaged(
                f"size of {name} does not fit",
                offset=data.tell() - 4,
                expected=f"0 to {data.remaining()} bytes",
                actual=self.size,
            )

    def read(self, data: Cursor) -> bool:
        """Read an entry up to its data; return whether its size fits."""
        start = data.tell()
        if self._entry_versions:
            self.save_version = data.i32()
            self.stored_flags = STORES_MIGRATION | (MIGRATES_REFERENCES if data.i32() != 0 else 0)
        size = data.i32()
        self.size = size
        self.data_offset = start + self.prefix_size
        return size >= 0 and size <= data.remaining()

    def measure(self, data: Cursor) -> None:
        """Pass over a whole entry."""
        self.decode(data)
        self.skip_data(data)

    def skip_data(self, data: Cursor) -> None:
        """Pass over the data and version data of the entry that was decoded last."""
        data.skip(self.size)
        self.read_ue5_version(data, self.save_version)

    def read_ue5_version(self, data: Cursor, save_version: i64) -> int | None:
        """Pass over the version data after an object; return its UE5 object version, or None without version data."""
        may_follow = self.version_data and save_version >= SAVE_VERSION_VERSION_DATA
        return read_optional_ue5_version(data) if may_follow else None
