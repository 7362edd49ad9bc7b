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

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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

if TYPE_CHECKING:
    from hashlib import _Hash

__all__ = ["SAVE_HEADER", "BlueprintConfig", "BlueprintHeader", "SaveHeader", "new_md5", "read_blueprint_header", "read_header"]

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
    """What the game shows in its list of saves. Fields that the version does not have are None.

    Attributes:
        save_header_version (int): version of this header.
        save_version (int): version of the save's data.
        build_version (int): number of the game's build.
        map_name (str): the map.
        map_options (str): options of the map, as stored.
        session_name (str): name of the session.
        play_duration (int): seconds that were played.
        save_date_time (DateTime): when it was saved.
        session_visibility (int | None): as stored; None where the version has none.
        editor_object_version (int | None): version of objects, as stored; None where the version has none.
        mod_metadata (str | None): JSON text that lists mods; None where the version has none.
        is_modded_save (bool | None): whether the game had mods; None where the version has none.
        save_identifier (str | None): as stored; None where the version has none.
        is_partitioned_world (bool | None): whether the world is made of cells; None where the version has none.
        save_data_hash (bytes | None): MD5 of everything after the header as stored, 16 bytes; None where the save has none.
        is_creative_mode_enabled (bool | None): whether creative mode is on; None where the version has none.
        save_name (str | None): name of the save; None where the version has none.
        size (int): bytes of the header: the first chunk starts there.
    """

    save_header_version: int
    save_version: int
    build_version: int
    map_name: str
    map_options: str
    session_name: str
    play_duration: int
    save_date_time: DateTime
    session_visibility: int | None = None
    editor_object_version: int | None = None
    mod_metadata: str | None = None
    is_modded_save: bool | None = None
    save_identifier: str | None = None
    is_partitioned_world: bool | None = None
    save_data_hash: bytes | None = None
    is_creative_mode_enabled: bool | None = None
    save_name: str | None = None
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
    """What the game shows of a blueprint before it is built.

    Attributes:
        header_version (int): version of this header.
        save_version (int): version of the blueprint's data.
        build_version (int): number of the game's build.
        dimensions (tuple[int, int, int]): x, y, z in foundations.
        cost (list[tuple[ObjectReference, int]] | None): items and how many of each; None where the version has no cost.
        recipes (list[ObjectReference] | None): what has to be unlocked; None where the version has none.
        ue5_version (int): UE5 object version of the properties; 0 if the blueprint has none.
        size (int): bytes of the header: the first chunk starts there.
    """

    header_version: int
    save_version: int
    build_version: int
    dimensions: tuple[int, int, int]
    cost: list[tuple[ObjectReference, int]] | None = None
    recipes: list[ObjectReference] | None = None
    ue5_version: int = 0
    size: int = 0


@define
class BlueprintConfig(Header):
    """What the game shows of a blueprint in its menu. Fields that the version does not have are None.

    Attributes:
        config_version (int): version of the configuration.
        description (str): text of the player.
        icon_id (int): number of the icon in its library.
        color (LinearColor): of the icon.
        icon_package (str | None): where that library is; None where the version has none.
        icon_asset (str | None): the name of that library; None where the version has none.
        editors (list[dict[str, str]] | None): who has edited it, each a dict; None where the version has none.
        last_edited_by (dict[str, int] | None): who has edited it last, as stored; None where the version has none.
    """

    config_version: int
    description: str
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


def new_md5() -> _Hash:
    """Return an MD5 of no bytes."""
    module: Any
    try:
        module = import_module("_md5")  # `hashlib` imports OpenSSL first
    except ImportError:  # an interpreter that was built without it
        module = import_module("hashlib")
    digest: _Hash = module.md5(usedforsecurity=False)
    return digest
