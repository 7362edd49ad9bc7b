"""FSaveObjectVersionData: which versions of engine and game wrote a body, a level or an object.

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

from streamsave.decode.codecs import I32, STRING, U16, U32, Array, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.unreal.codecs import GUID

__all__ = ["OPTIONAL_VERSION_DATA", "VERSION_DATA", "read_optional_ue5_version", "read_ue5_version"]

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


def read_ue5_version(cursor: Cursor) -> int:
    """Read version data and give the only part that changes layouts: the UE5 object version."""
    cursor.skip(8)
    ue5_version = cursor.i32()
    cursor.skip(4 + 6 + 4)
    cursor.skip_strings(1)
    cursor.skip(20 * cursor.count(20))
    return ue5_version


def read_optional_ue5_version(cursor: Cursor) -> int | None:
    """Read `bool32`, and version data if it is set; None where it is not."""
    return read_ue5_version(cursor) if cursor.bool32() else None
