"""The game's binary structs: everything that is not listed here is a property list.

`real` is a float up to SaveVersion 40 and a double from 41 on.
"""

from __future__ import annotations

from typing import Final

from streamsave.codecs import BYTES, F32, F64, I32, I64, STRING, U8, Array, BuildContext, Codec, Map, Struct
from streamsave.cursor import Cursor
from streamsave.formats.satisfactory.versions import (
    BUILD_TEXT_INVARIANT,
    BUILD_TEXT_INVARIANT_EARLY,
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_ITEM_STATE,
    SAVE_VERSION_SINGLE_PLAYER_HANDLE,
    SAVE_VERSION_WIDE_PLAYER_HANDLE,
    UE5_TYPE_TREES,
)
from streamsave.formats.unreal.codecs import REFERENCE, SOFT_OBJECT_PATH, SOFT_OBJECT_PATH_UE4, Dynamic
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.structs import engine_structs
from streamsave.formats.unreal.text import TextCodec
from streamsave.native import i64
from streamsave.values import DynamicStruct, InventoryItem, ObjectReference, Opaque, RailroadTrackPosition

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


class Raw(Codec):
    """A fixed number of bytes."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.take(self.size)


class Rest(Codec):
    """All bytes up to the enclosing length."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip(cursor.remaining())

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        size = cursor.remaining()
        context.spend(1, size)
        return Opaque(cursor.take(size), self.name)


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


class NetworkTrace(Codec):
    """FicsIt-Networks: `reference; bool32 has; [the trace before]; bool32 has; [str step]`. Decoded as a list of hops."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._hop(cursor, context, 0)

    def _hop(self, cursor: Cursor, context: BuildContext, depth: i64) -> object:
        if depth > i64(cursor.limits.depth):
            raise cursor.exceeded("depth", depth)
        context.spend(3, 0)
        target = REFERENCE.decode(cursor, context)
        before = self._hop(cursor, context, depth + 1) if cursor.bool32() else None
        step = cursor.string() if cursor.bool32() else None
        return {"object": target, "before": before, "step": step}


UNIQUE_NET_ID: Final[Codec] = UniqueNetId("UniqueNetIdRepl", -1, 1)
NETWORK_TRACE: Final[Codec] = NetworkTrace("FINNetworkTrace", -1, 16)
DYNAMIC: Final[Codec] = Dynamic()


def item_of(reference: object, state: object) -> InventoryItem:
    """Make an item; an empty reference to a state actor is no state."""
    if not isinstance(reference, ObjectReference):
        raise TypeError("an item needs a reference")
    if isinstance(state, DynamicStruct) or (isinstance(state, ObjectReference) and state.path_name):
        return InventoryItem(reference, state)
    return InventoryItem(reference, None)


def player_handle(save_version: int) -> Codec:
    """PlayerInfoHandle: which service, and the player's number there."""
    index = I32 if save_version >= SAVE_VERSION_WIDE_PLAYER_HANDLE else U8
    handle: dict[str, Codec] = {"service_provider": U8, "player_info_table_index": index}
    if SAVE_VERSION_WIDE_PLAYER_HANDLE <= save_version < SAVE_VERSION_SINGLE_PLAYER_HANDLE:
        handle |= {"service_provider_again": U8, "player_info_table_index_again": index}
    return Struct("PlayerInfoHandle", None, **handle)


def inventory_item(save_version: int) -> Codec:
    """InventoryItem: what it is, and its state."""
    state = DYNAMIC if save_version >= SAVE_VERSION_ITEM_STATE else REFERENCE
    return Struct("InventoryItem", item_of, item=REFERENCE, state=state)


def struct_table(save_version: int, real: Codec) -> dict[str, Codec]:
    """Make the table of binary structs of one SaveVersion."""
    soft = SOFT_OBJECT_PATH if save_version >= SAVE_VERSION_64_BIT else SOFT_OBJECT_PATH_UE4
    rows: list[Codec] = [
        Struct("FluidBox", None, value=F32),
        Struct("RailroadTrackPosition", RailroadTrackPosition, track=REFERENCE, offset=F32, forward=F32),
        inventory_item(save_version),
        player_handle(save_version),
        Struct("ClientIdentityInfo", None, offline_id=STRING, account_ids=Map(U8, BYTES)),
        UNIQUE_NET_ID,
        Struct("SlateBrush", None, resource_name=STRING),
        NETWORK_TRACE,
        Struct("LBBalancerIndexing", None, normal_index=I32, overflow_index=I32, filter_index=I32),
        Struct("FICFrameRange", None, begin=I64, end=I64),
        Raw("FINGPUT1BufferPixel", 34, 34),
        Struct(
            "FINLuaProcessorStateStorage",
            None,
            traces=Array(NETWORK_TRACE),
            references=Array(REFERENCE),
            thread=STRING,
            globals=STRING,
            rest=Rest("typed structs", -1, 0),
        ),
    ]
    table = engine_structs(real) | {row.name: row for row in rows}
    table["FIRTrace"] = NETWORK_TRACE
    table["FINLuaRuntimePersistenceState"] = table["FINLuaProcessorStateStorage"]
    table["SoftClassPath"] = soft
    table["SoftObjectPath"] = soft
    return table


def make_dialect(save_version: int, ue5_version: int, build_version: int) -> Dialect:
    """Make the dialect of objects written by one version of the game."""
    dialect = Dialect()
    wide = save_version >= SAVE_VERSION_64_BIT
    dialect.new_tags = ue5_version >= UE5_TYPE_TREES
    dialect.structs = struct_table(save_version, F64 if wide else F32)
    dialect.other_structs = struct_table(save_version, F32 if wide else F64)
    dialect.hints = dict(HINTS)
    if not wide:
        dialect.types["SoftObjectProperty"] = SOFT_OBJECT_PATH_UE4
    invariant = build_version >= BUILD_TEXT_INVARIANT or build_version == BUILD_TEXT_INVARIANT_EARLY
    dialect.types["TextProperty"] = TextCodec(invariant_flag=invariant, wide_integers=True)
    return dialect
