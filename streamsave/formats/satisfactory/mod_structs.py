"""Binary structs of mods, as other readers have them.

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

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BOOL32, F64, I32, I64, STRING, Array, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.unreal.codecs import REFERENCE, read_reference, write_reference
from streamsave.values import DynamicStruct, Opaque, Vector

__all__ = ["OWNER_HINTS", "mod_structs"]

#: Structs in maps and sets of the mods' own classes: (part of the class's name, role, struct).
OWNER_HINTS: Final = (
    ("FicsItNetworks", "element", "FINNetworkTrace"),
    ("BGU_Subsystem", "key", "Vector3f"),
    ("NoImpureSubsystem", "key", "Vector3f"),
    ("StorageStatsRoom", "value", "Vector3d"),
    ("CentralStorage", "value", "Vector3d"),
)


class Raw(Codec):
    """A fixed number of bytes."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.take(self.size)

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.put(value, self.size)


class Rest(Codec):
    """All bytes up to the enclosing length."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip(cursor.remaining())

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        size = cursor.remaining()
        context.spend(1, size)
        return Opaque(cursor.take(size), self.name)

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Opaque):
            raise EditError("not an Opaque", value)
        encoder.put(value.data)


class NetworkTrace(Codec):
    """Decoded as a hop that holds the hop before it."""

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

    def encode(self, value: object, encoder: Encoder) -> None:
        hop = value
        ended: list[object] = []
        while True:
            if not isinstance(hop, dict) or list(hop) != ["object", "before", "step"]:
                raise EditError(f"not a {self.name}", hop, "a dict of object, before, step")
            write_reference(hop["object"], encoder)
            ended.append(hop["step"])
            hop = hop["before"]
            encoder.bool32(hop is not None)
            if hop is None:
                break
        for step in ended[::-1]:
            encoder.bool32(step is not None)
            if step is not None:
                encoder.string(step)


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
        if not isinstance(value, DynamicStruct):
            raise EditError("not a DynamicStruct", value)
        path = value.script_struct.path_name
        codec = self._structs.get(path[path.rfind(".") + 1 :])
        if codec is None:
            super().encode(value, encoder)
            return
        write_reference(value.script_struct, encoder)
        codec.encode(value.value, encoder)


class AnyValue(Codec):
    """A value of a script: `u8 type`, then what `values` says; 0 is nothing, 9 `i32 n; n values`, 10 another one."""

    NOTHING: Final = 0
    ARRAY: Final = 9
    ANY: Final = 10

    def __init__(self, values: dict[int, Codec]) -> None:
        super().__init__("FIRAnyValue", -1, 1)
        self.tentative = True
        self._values = values

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.nesting += 1
        try:
            if context.nesting > i64(cursor.limits.depth):
                raise cursor.exceeded("depth", context.nesting)
            return self._value(cursor, context)
        finally:
            context.nesting -= 1

    def _value(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(1, 0)
        kind = cursor.u8()
        if kind == self.NOTHING:
            return None
        if kind == self.ARRAY:
            return [self.decode(cursor, context) for _ in range(cursor.count(1))]
        if kind == self.ANY:
            return self.decode(cursor, context)
        codec = self._values.get(kind)
        if codec is None:
            raise cursor.unsupported("unknown type of a value", expected="0 to 10", actual=kind)
        return codec.decode(cursor, context)


NETWORK_TRACE: Final[Codec] = NetworkTrace("FINNetworkTrace", -1, 16)


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
