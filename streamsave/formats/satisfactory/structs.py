"""The game's binary structs: everything that is not listed here, or in `mod_structs`, is a property list.

`real` is a float up to SaveVersion 40 and a double from 41 on.
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import BYTES, F32, F64, I32, STRING, U8, BuildContext, Codec, Map, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.satisfactory.mod_structs import OWNER_HINTS, mod_structs
from streamsave.formats.satisfactory.versions import (
    BUILD_TEXT_INVARIANT,
    BUILD_TEXT_INVARIANT_EARLY,
    SAVE_VERSION_DOUBLES,
    SAVE_VERSION_ITEM_STATE,
    SAVE_VERSION_SINGLE_PLAYER_HANDLE,
    SAVE_VERSION_SOFT_PACKAGES,
    SAVE_VERSION_WIDE_PLAYER_HANDLE,
    Member,
    members,
)
from streamsave.formats.unreal.codecs import REFERENCE, SOFT_OBJECT_PATH, SOFT_OBJECT_PATH_UE4, Dynamic
from streamsave.formats.unreal.dialect import Dialect, engine_structs
from streamsave.formats.unreal.text import TextCodec
from streamsave.formats.unreal.versions import UE5_TYPE_TREES
from streamsave.values import DynamicStruct, InventoryItem, ObjectReference, RailroadTrackPosition

__all__ = ["make_dialect", "struct_table"]

#: Structs in maps and sets: (property, role) -> struct. Lists are recognised by their bytes, all others are GUIDs.
HINTS: Final = {
    ("mSaveData", "key"): "IntVector",
    ("mUnresolvedSaveData", "key"): "IntVector",
    ("mRemovalLocations", "element"): "Vector",
    ("mDestroyedPickups", "element"): "Guid",
    ("mLootedDropPods", "element"): "Guid",
    ("mIndexMapping", "value"): "LBBalancerIndexing",
    ("Destroyed_Foliage_Transform", "key"): "Vector",
}


class UniqueNetId(Codec):
    """A player's id at an online service (FUniqueNetIdRepl).

    `u8 flags`; bit 0: encoded, bit 1: no id, bits 3 to 7: type. Type 30: `u8 service; i32 n; n bytes`. Type 31: the type's name
    is stored. Encoded: `u8 n; n bytes`, else a string. Type 0: nothing.
    """

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        flags = cursor.u8()
        kind = flags >> 3
        values: dict[str, object] = {"flags": flags}
        encoded = (flags & 1) != 0
        if encoded and flags & 2:
            return values
        if encoded and kind == 30:
            values["online_services_type"] = cursor.u8()
            values["replication_data"] = BYTES.decode(cursor, context)
            return values
        if kind == 31:
            values["type"] = cursor.string()
        if kind != 0:
            values["contents"] = cursor.take(cursor.u8()) if encoded else cursor.string()
        return values

    def encode(self, value: object, encoder: Encoder) -> None:
        flags = value.get("flags") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(flags, int):
            raise EditError(f"not a {self.name}", value, "a dict of flags and what they say")
        kind = flags >> 3
        encoded = (flags & 1) != 0
        names = ["flags"]
        if encoded and flags & 2:
            pass
        elif encoded and kind == 30:
            names += ["online_services_type", "replication_data"]
        else:
            names += (["type"] if kind == 31 else []) + (["contents"] if kind != 0 else [])
        if list(value) != names:
            raise EditError(f"not a {self.name}", value, f"a dict of {', '.join(names)}")
        encoder.u8(flags)
        for name in names[1:]:
            part = value[name]
            if name == "replication_data":
                BYTES.encode(part, encoder)
            elif name == "contents" and encoded:
                encoder.u8(len(part) if isinstance(part, bytes) else -1)
                encoder.put(part)
            elif name == "online_services_type":
                encoder.u8(part)
            else:
                encoder.string(part)


UNIQUE_NET_ID: Final[Codec] = UniqueNetId("UniqueNetIdRepl", -1, 1)
DYNAMIC: Final[Codec] = Dynamic()


def item_of(reference: object, state: object) -> InventoryItem:
    """Make an item; an empty reference to a state actor is no state."""
    if not isinstance(reference, ObjectReference):
        raise TypeError("an item needs a reference")
    if isinstance(state, DynamicStruct) or (isinstance(state, ObjectReference) and state.path_name):
        return InventoryItem(reference, state)
    return InventoryItem(reference, None)


def player_handle(save_version: int) -> Codec:
    """Make the layout of a PlayerInfoHandle: which service, and the player's number there."""
    rows = [
        Member("service_provider", U8),
        Member("player_info_table_index", U8, before=SAVE_VERSION_WIDE_PLAYER_HANDLE),
        Member("player_info_table_index", I32, SAVE_VERSION_WIDE_PLAYER_HANDLE),
        Member("service_provider_again", U8, SAVE_VERSION_WIDE_PLAYER_HANDLE, SAVE_VERSION_SINGLE_PLAYER_HANDLE),
        Member("player_info_table_index_again", I32, SAVE_VERSION_WIDE_PLAYER_HANDLE, SAVE_VERSION_SINGLE_PLAYER_HANDLE),
    ]
    return Struct("PlayerInfoHandle", None, **members(save_version, rows))


def inventory_item(save_version: int) -> Codec:
    """Make the layout of an InventoryItem: what it is, and its state."""
    rows = [
        Member("item", REFERENCE),
        Member("state", REFERENCE, before=SAVE_VERSION_ITEM_STATE),
        Member("state", DYNAMIC, SAVE_VERSION_ITEM_STATE),
    ]
    return Struct("InventoryItem", item_of, **members(save_version, rows))


def soft_object_path(save_version: int) -> Codec:
    """Return the layout of a soft object path."""
    return SOFT_OBJECT_PATH if save_version >= SAVE_VERSION_SOFT_PACKAGES else SOFT_OBJECT_PATH_UE4


def struct_table(save_version: int, real: Codec) -> dict[str, Codec]:
    """Make the table of binary structs of one SaveVersion."""
    soft = soft_object_path(save_version)
    rows: list[Codec] = [
        Struct("FluidBox", None, value=F32),
        Struct("RailroadTrackPosition", RailroadTrackPosition, track=REFERENCE, offset=F32, forward=F32),
        inventory_item(save_version),
        player_handle(save_version),
        Struct("ClientIdentityInfo", None, offline_id=STRING, account_ids=Map(U8, BYTES)),
        UNIQUE_NET_ID,
        Struct("SlateBrush", None, resource_name=STRING),
    ]
    table = engine_structs(real) | {row.name: row for row in rows}
    table["SoftClassPath"] = soft
    table["SoftObjectPath"] = soft
    return table | mod_structs(table)


def make_dialect(save_version: int, ue5_version: int, build_version: int) -> Dialect:
    """Make the dialect of objects written by one version of the game."""
    dialect = Dialect()
    wide = save_version >= SAVE_VERSION_DOUBLES
    dialect.new_tags = ue5_version >= UE5_TYPE_TREES
    dialect.structs = struct_table(save_version, F64 if wide else F32)
    dialect.other_structs = struct_table(save_version, F32 if wide else F64)
    dialect.hints = dict(HINTS)
    dialect.owner_hints = OWNER_HINTS
    dialect.types["SoftObjectProperty"] = soft_object_path(save_version)
    invariant = build_version >= BUILD_TEXT_INVARIANT or build_version == BUILD_TEXT_INVARIANT_EARLY
    dialect.types["TextProperty"] = TextCodec(invariant_flag=invariant, wide_integers=True)
    return dialect
