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

from streamsave._native import i64
from streamsave.decode.codecs import I32, STRING, U16, U32, Array, BuildContext, Optional, Struct
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
