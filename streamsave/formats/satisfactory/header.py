"""The headers of saves and blueprints, uncompressed at the start of a file; and the content of a configuration.

A save:

| field | type | from version |
|---|---|---|
| save_header_version, save_version, build_version | i32 each | |
| save_name | str | 14 |
| map_name, map_options, session_name | str each | |
| play_duration | i32 seconds | |
| save_date_time | i64 ticks | |
| session_visibility | i8 | 5 |
| editor_object_version | i32 | 7 |
| mod_metadata, is_modded_save | str, bool32 | 8 |
| save_identifier | str | 10 |
| is_partitioned_world | bool32 | 11 |
| save_data_hash | bool32, then 16 bytes | 12; the MD5 of all that follows the header, as stored |
| is_creative_mode_enabled | bool32 | 13 |

A blueprint (`.sbp`):

| field | type | from version |
|---|---|---|
| header_version, save_version, build_version | i32 each | |
| dimensions | i32 * 3, in foundations | |
| cost | i32 n, n * (reference item, i32 amount) | 1 |
| recipes | i32 n, n references | 2 |
| version_data | see `object_entry` | SaveVersion 53 |
"""

from __future__ import annotations

from typing import Any, Final

from attrs import define

from streamsave.decode.codecs import BOOL32, I8, I32, STRING, Array, BuildContext, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.satisfactory.object_entry import read_ue5_version
from streamsave.formats.satisfactory.versions import (
    BLUEPRINT_HEADER_COST,
    BLUEPRINT_HEADER_RECIPES,
    HEADER_CREATIVE,
    HEADER_EDITOR_VERSION,
    HEADER_HASH,
    HEADER_MODS,
    HEADER_PARTITIONED,
    HEADER_SAVE_IDENTIFIER,
    HEADER_SAVE_NAME,
    HEADER_SESSION_VISIBILITY,
    HEADER_VERSION_OLDEST,
    SAVE_VERSION_VERSION_DATA,
    Member,
    members,
)
from streamsave.formats.unreal.codecs import DATE_TIME, REFERENCE, Raw
from streamsave.values import DateTime, Header, LinearColor, ObjectReference

__all__ = ["BlueprintConfig", "BlueprintHeader", "SaveHeader", "read_blueprint_header", "read_header"]


#: What follows the version of the header.
SAVE_HEADER: Final = [
    Member("save_version", I32),
    Member("build_version", I32),
    Member("save_name", STRING, HEADER_SAVE_NAME),
    Member("map_name", STRING),
    Member("map_options", STRING),
    Member("session_name", STRING),
    Member("play_duration", I32),
    Member("save_date_time", DATE_TIME),
    Member("session_visibility", I8, HEADER_SESSION_VISIBILITY),
    Member("editor_object_version", I32, HEADER_EDITOR_VERSION),
    Member("mod_metadata", STRING, HEADER_MODS),
    Member("is_modded_save", BOOL32, HEADER_MODS),
    Member("save_identifier", STRING, HEADER_SAVE_IDENTIFIER),
    Member("is_partitioned_world", BOOL32, HEADER_PARTITIONED),
    Member("save_data_hash", Optional(Raw("bytes", 16, 16)), HEADER_HASH),
    Member("is_creative_mode_enabled", BOOL32, HEADER_CREATIVE),
]


#: The header of a blueprint, after its version.
BLUEPRINT_HEADER: Final = [
    Member("save_version", I32),
    Member("build_version", I32),
    Member("dimensions", Struct("Dimensions", lambda *values: values, x=I32, y=I32, z=I32)),
    Member("cost", Array(Struct("Cost", lambda *values: values, item=REFERENCE, amount=I32)), BLUEPRINT_HEADER_COST),
    Member("recipes", Array(REFERENCE), BLUEPRINT_HEADER_RECIPES),
]


class HeaderContext(BuildContext):
    """The values of a header are no part of what `build()` makes, and not limited as that is: only tables are."""

    def __init__(self, cursor: Cursor) -> None:
        super().__init__()
        self._cursor = cursor

    def spend(self, nodes: int, size: int) -> None:
        if nodes > self._cursor.limits.table_entries:
            raise self._cursor.exceeded("table_entries", nodes)


@define
class SaveHeader(Header):
    """What the game shows in its list of saves. Fields that the version does not have are None."""

    save_header_version: int
    save_version: int
    build_version: int
    map_name: str
    map_options: str
    session_name: str
    #: Seconds.
    play_duration: int
    save_date_time: DateTime
    session_visibility: int | None = None
    editor_object_version: int | None = None
    #: JSON text.
    mod_metadata: str | None = None
    is_modded_save: bool | None = None
    save_identifier: str | None = None
    is_partitioned_world: bool | None = None
    #: MD5 of everything after the header as stored, or None where the save has none.
    save_data_hash: bytes | None = None
    is_creative_mode_enabled: bool | None = None
    save_name: str | None = None
    #: Bytes of the header: the first chunk starts there.
    size: int = 0


def read_header(cursor: Cursor) -> SaveHeader:
    """Read the header at the start of the file.

    Raises:
        UnsupportedSave: a header version below 4.
    """
    version = cursor.i32()
    if version < HEADER_VERSION_OLDEST:
        raise cursor.unsupported("header version", expected=f"{HEADER_VERSION_OLDEST} or later", actual=int(version))
    values: Any = Struct("SaveHeader", None, **members(version, SAVE_HEADER)).decode(cursor, HeaderContext(cursor))
    return SaveHeader(version, **values, size=cursor.tell())


@define
class BlueprintHeader(Header):
    """What the game shows of a blueprint before it is built."""

    header_version: int
    save_version: int
    build_version: int
    #: In foundations: x, y, z.
    dimensions: tuple[int, int, int]
    #: Items and how many of each; None where the version has no cost.
    cost: list[tuple[ObjectReference, int]] | None = None
    recipes: list[ObjectReference] | None = None
    #: UE5 object version of the properties, or 0.
    ue5_version: int = 0
    #: Bytes of the header: the first chunk starts there.
    size: int = 0


@define
class BlueprintConfig(Header):
    """What the game shows of a blueprint in its menu. Fields that the version does not have are None."""

    config_version: int
    description: str
    #: Number of the icon in its library.
    icon_id: int
    color: LinearColor
    icon_package: str | None = None
    icon_asset: str | None = None
    editors: list[dict[str, str]] | None = None
    last_edited_by: dict[str, int] | None = None


def read_blueprint_header(cursor: Cursor) -> BlueprintHeader:
    """Read the header at the start of a blueprint file.

    Raises:
        LimitExceeded: more items or recipes than `Limits.table_entries`.
    """
    version = cursor.i32()
    layout = Struct("BlueprintHeader", None, **members(version, BLUEPRINT_HEADER))
    values: Any = layout.decode(cursor, HeaderContext(cursor))
    header = BlueprintHeader(version, **values)
    if header.save_version >= SAVE_VERSION_VERSION_DATA:
        header.ue5_version = read_ue5_version(cursor)
    header.size = cursor.tell()
    return header
