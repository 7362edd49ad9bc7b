"""The binary structs of the game and of mods: everything that is not listed here is a property list.

`real` is a float up to SaveVersion 40 and a double from 41 on. Structs of mods are as other readers have them:

| struct | mod | fields |
|---|---|---|
| FINNetworkTrace, FIRTrace | FicsIt-Networks | reference; bool32, the trace before; bool32, str step |
| FINGPUT1BufferPixel | | 34 bytes |
| FINLuaProcessorStateStorage, FINLuaRuntimePersistenceState | | traces, references, str thread, str globals, typed structs |
| FINDynamicStructHolder, FIRInstancedStruct | | reference to the struct's type, the struct; not verified |
| FIRAnyValue | | u8 type and a value, see `AnyValue`; not verified |
| FICFrameRange | FicsItCam | i64 begin, i64 end |
| LBBalancerIndexing | LoadBalancers | i32 normal, i32 overflow, i32 filter |

A layout that is not verified is tentative: if it does not take its bytes exactly, they are opaque.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from streamsave.decode.codecs import (
    BOOL32,
    BYTES,
    F32,
    F64,
    I32,
    I64,
    STRING,
    U8,
    Array,
    BuildContext,
    Codec,
    Map,
    Optional,
    Struct,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.errors import EditError
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
from streamsave.formats.unreal.codecs import (
    REFERENCE,
    SOFT_OBJECT_PATH,
    SOFT_OBJECT_PATH_UE4,
    Dynamic,
    Raw,
    read_reference,
    write_reference,
)
from streamsave.formats.unreal.dialect import Dialect, engine_structs
from streamsave.formats.unreal.tags import UE5_TYPE_TREES
from streamsave.formats.unreal.text import text_codec
from streamsave.values import DynamicStruct, InventoryItem, ObjectReference, Opaque, RailroadTrackPosition, Vector

__all__ = ["OWNER_HINTS", "make_dialect", "mod_structs", "struct_table"]

#: Tables that are kept.
KEPT_TABLES: Final = 16

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


class ShortBytes(Codec):
    """`u8` length and that many bytes."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.take(cursor.u8())

    def encode(self, value: object, encoder: Encoder) -> None:
        U8.encode(len(value) if isinstance(value, bytes) else -1, encoder)
        encoder.put(value)


SHORT_BYTES: Final[Codec] = ShortBytes("bytes", -1, 1)


class UniqueNetId(Codec):
    """A player's id at an online service (FUniqueNetIdRepl).

    `u8 flags`; bit 0: encoded, bit 1: no id, bits 3 to 7: type. Type 30: `u8 service; i32 n; n bytes`. Type 31: the type's name
    is stored. Encoded: `u8 n; n bytes`, else a string. Type 0: nothing.
    """

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        flags = cursor.u8()
        cursor.seek(cursor.tell() - 1)
        return self._layout(flags).decode(cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        flags = value.get("flags") if isinstance(value, dict) else None
        if not isinstance(flags, int):
            raise EditError(f"not a {self.name}", value, "a dict of flags and what they say")
        self._layout(flags).encode(value, encoder)

    def _layout(self, flags: int) -> Codec:
        """Return the layout with these flags."""
        kind = flags >> 3
        is_encoded = (flags & 1) != 0
        rows: dict[str, Codec] = {"flags": U8}
        if is_encoded and kind == 30 and not flags & 2:
            rows |= {"online_services_type": U8, "replication_data": BYTES}
        elif not (is_encoded and flags & 2):
            if kind == 31:
                rows["type"] = STRING
            if kind != 0:
                rows["contents"] = SHORT_BYTES if is_encoded else STRING
        return Struct(self.name, None, **rows)


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


@lru_cache(KEPT_TABLES)
def struct_table(save_version: int, real: Codec) -> dict[str, Codec]:
    """Make the table of binary structs of one SaveVersion. Some contain themselves: tables of each reader would not be freed."""
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
    dialect.types["TextProperty"] = text_codec(invariant_flag=invariant, wide_integers=True)
    return dialect


#: Structs in maps and sets of the mods' own classes: (part of the class's name, role, struct).
OWNER_HINTS: Final = (
    ("FicsItNetworks", "element", "FINNetworkTrace"),
    ("BGU_Subsystem", "key", "Vector3f"),
    ("NoImpureSubsystem", "key", "Vector3f"),
    ("StorageStatsRoom", "value", "Vector3d"),
    ("CentralStorage", "value", "Vector3d"),
)


class Rest(Codec):
    """All bytes up to the enclosing length."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip(cursor.remaining())

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        size = cursor.remaining()
        context.spend(1, size)
        return Opaque(cursor.take(size), self.name)

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.put(typed(value, Opaque, "an Opaque").data)


class NetworkTrace(Codec):
    """A hop, which holds the hop before it."""

    def __init__(self) -> None:
        super().__init__("FINNetworkTrace", -1, 16)
        self._hop = Struct("FINNetworkTrace", None, object=REFERENCE, before=Optional(self), step=Optional(STRING))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return nested_value(self._hop, cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        self._hop.encode(value, encoder)


def nested_value(codec: Codec, cursor: Cursor, context: BuildContext) -> object:
    """Decode a value that may contain values of its own kind.

    Raises:
        LimitExceeded: more than `Limits.depth` are open.
    """
    context.build.enter(cursor)
    try:
        return codec.decode(cursor, context)
    finally:
        context.build.leave()


class TypedStruct(Codec):
    """A struct after a reference to its type. Decoded as a `DynamicStruct`, or as None if the reference is empty."""

    def __init__(self, name: str, structs: dict[str, Codec]) -> None:
        super().__init__(name, -1, 8)
        self.tentative = True
        self._structs = structs

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        script_struct = read_reference(cursor)
        path = script_struct.path_name
        context.spend(2, len(path))
        if not path:
            return None
        codec = self._structs.get(path[path.rfind(".") + 1 :])
        if codec is not None:
            return DynamicStruct(script_struct, codec.decode(cursor, context))
        if not context.starts_property_list(cursor):
            raise cursor.unsupported(f"unknown struct {path}")
        return DynamicStruct(script_struct, context.properties(cursor))

    def encode(self, value: object, encoder: Encoder) -> None:
        if value is None:
            write_reference(None, encoder)
            return
        struct = typed(value, DynamicStruct, "a DynamicStruct")
        path = struct.script_struct.path_name
        codec = self._structs.get(path[path.rfind(".") + 1 :])
        if codec is None:
            super().encode(value, encoder)
            return
        write_reference(struct.script_struct, encoder)
        codec.encode(struct.value, encoder)


class AnyValue(Codec):
    """A value of a script: `u8 type`, then what `values` says; 0 is nothing, 9 `i32 n; n values`, 10 another one."""

    def __init__(self, values: dict[int, Codec]) -> None:
        super().__init__("FIRAnyValue", -1, 1)
        self.tentative = True
        self._values: dict[int, Codec] = {**values, 9: Array(self), 10: self}

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(1, 0)
        kind = cursor.u8()
        if kind == 0:
            return None
        codec = self._values.get(kind)
        if codec is None:
            raise cursor.unsupported("unknown type of a value", expected="0 to 10", actual=kind)
        return nested_value(codec, cursor, context)


NETWORK_TRACE: Final[Codec] = NetworkTrace()


def mod_structs(structs: dict[str, Codec]) -> dict[str, Codec]:
    """Make the table; `structs` are those that may follow a type of their own."""
    holder = TypedStruct("FINDynamicStructHolder", structs)
    lua_state = Struct(
        "FINLuaProcessorStateStorage",
        None,
        traces=Array(NETWORK_TRACE),
        references=Array(REFERENCE),
        thread=STRING,
        globals=STRING,
        rest=Rest("typed structs", -1, 0),
    )
    any_value = AnyValue(
        {1: BOOL32, 2: I64, 3: F64, 4: STRING, 5: REFERENCE, 6: REFERENCE, 7: NETWORK_TRACE, 8: holder},
    )
    return {
        "FINNetworkTrace": NETWORK_TRACE,
        "FIRTrace": NETWORK_TRACE,
        "FINGPUT1BufferPixel": Raw("FINGPUT1BufferPixel", 34, 34),
        "FINLuaProcessorStateStorage": lua_state,
        "FINLuaRuntimePersistenceState": lua_state,
        "FINDynamicStructHolder": holder,
        "FIRInstancedStruct": TypedStruct("FIRInstancedStruct", structs),
        "FIRAnyValue": any_value,
        "FICFrameRange": Struct("FICFrameRange", None, begin=I64, end=I64),
        "LBBalancerIndexing": Struct("LBBalancerIndexing", None, normal_index=I32, overflow_index=I32, filter_index=I32),
        "Vector3d": Struct("Vector3d", Vector, x=F64, y=F64, z=F64),
    }
