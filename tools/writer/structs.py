"""Structs with a binary layout of their own.

LWC = f64 from SaveVersion 41 on, f32 before.

+------------------------+------------------------------------------------------------+
| Color                  | u8 B, G, R, A                                              |
| LinearColor            | f32 R, G, B, A                                             |
| Guid                   | 16 bytes                                                   |
| IntPoint, IntVector,   |                                                            |
| IntVector4             | 2, 3, 4 * i32                                              |
| FluidBox               | f32                                                        |
| DateTime               | i64 ticks                                                  |
| Vector2D               | 2 LWC                                                      |
| Vector, Rotator        | 3 LWC                                                      |
| Quat, Vector4, Vector4D| 4 LWC                                                      |
| Box                    | 6 LWC; u8 valid                                            |
| Box3f                  | 6 f32; u8 valid                                            |
| RailroadTrackPosition  | ref track; f32 offset, forward                             |
| InventoryItem          | ref item; >= 43: dynamic struct; else ref state            |
| dynamic struct         | bool32 has; [ref struct; i32 size; property list]          |
| ClientIdentityInfo     | FString offline id; i32 n; n * (u8 platform; i32 n; bytes) |
| UniqueNetIdRepl        | u8 encoding flags; what they ask for                       |
| PlayerInfoHandle       | u8 provider; < 57: u8 index; 57: i32, all twice; i32       |
| SlateBrush             | FString                                                    |
| SoftClassPath,         |                                                            |
| SoftObjectPath         | soft path                                                  |
| FINNetworkTrace,       |                                                            |
| FIRTrace               | ref; bool32 [trace]; bool32 [FString step]                 |
| FINGPUT1BufferPixel    | 34 bytes                                                   |
| FICFrameRange          | 2 * i64                                                    |
| LBBalancerIndexing     | 3 * i32                                                    |
+------------------------+------------------------------------------------------------+
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import frozen

from writer.dialect import SAVE_VERSION_PLAYER_HANDLE, SAVE_VERSION_PLAYER_HANDLE_TWICE, Dialect
from writer.primitives import NO_REF, Ref, bool32, counted, doubles, f32, floats, fstring, i32, i64, ref, sized, u8
from writer.tags import CORE, GAME, Fields, Native, Props, SoftPath, property_list

T = TypeVar("T")


def lwc(values: Sequence[float], dialect: Dialect) -> bytes:
    """Doubles or floats, as the version has it."""
    return doubles(values) if dialect.doubles else floats(values)


def _ints(values: Sequence[int], _dialect: Dialect) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def _frames(first_last: tuple[int, int], _dialect: Dialect) -> bytes:
    return i64(first_last[0]) + i64(first_last[1])


def _always(encode: Callable[[T], bytes]) -> Callable[[T, Dialect], bytes]:
    return lambda value, _dialect: encode(value)


@frozen
class Bounds:
    """A box: two corners and whether it holds anything."""

    minimum: tuple[float, float, float]
    maximum: tuple[float, float, float]
    valid: bool = True

    def encode(self, dialect: Dialect) -> bytes:
        """LWC corners."""
        return lwc((*self.minimum, *self.maximum), dialect) + u8(self.valid)

    def encode3f(self, _dialect: Dialect) -> bytes:
        """Single precision corners."""
        return floats((*self.minimum, *self.maximum)) + u8(self.valid)


@frozen
class TrackPosition:
    """Where on a railroad track."""

    track: Ref
    offset: float
    forward: float

    def encode(self, _dialect: Dialect) -> bytes:
        """The track, how far, and which way."""
        return ref(self.track) + f32(self.offset) + f32(self.forward)


@frozen
class DynamicStruct:
    """A struct whose type is stored with it; ``raw`` replaces the property list."""

    struct: Ref
    fields: Props = ()
    raw: bytes | None = None

    def encode(self, dialect: Dialect) -> bytes:
        """Has, type, size, payload."""
        payload = property_list(self.fields, dialect) if self.raw is None else self.raw
        return bool32(True) + ref(self.struct) + sized(payload)


def dynamic(value: DynamicStruct | None, dialect: Dialect) -> bytes:
    """A dynamic struct that may be absent."""
    return bool32(False) if value is None else value.encode(dialect)


@frozen
class Item:
    """An item in an inventory; ``legacy_state`` is the state before SaveVersion 43."""

    item: Ref = NO_REF
    state: DynamicStruct | None = None
    legacy_state: Ref = NO_REF

    def encode(self, dialect: Dialect) -> bytes:
        """The item class and its state."""
        state = dynamic(self.state, dialect) if dialect.item_state_structs else ref(self.legacy_state)
        return ref(self.item) + state


@frozen
class ClientIdentity:
    """Who a client is: an offline id, and ids by platform (1 Epic, 6 Steam)."""

    offline_id: str
    accounts: Sequence[tuple[int, bytes]] = ()

    def encode(self, _dialect: Dialect) -> bytes:
        """The offline id and all accounts."""
        return fstring(self.offline_id) + counted(self.accounts, lambda pair: u8(pair[0]) + sized(pair[1]))


UNIQUE_ID_ENCODED = 1
UNIQUE_ID_EMPTY = 2
UNIQUE_ID_SERVICE = 30
UNIQUE_ID_NAMED = 31


@frozen
class UniqueNetId:
    """A replicated network id. ``flags >> 3`` is its type: 30 a service, 31 a named one, 0 none."""

    flags: int
    data: bytes = b""
    service: int = 0
    type_name: str = ""
    contents: str = ""

    def encode(self, _dialect: Dialect) -> bytes:
        """The flags and what they ask for."""
        kind = self.flags >> 3
        named = fstring(self.type_name) if kind == UNIQUE_ID_NAMED else b""
        if not self.flags & UNIQUE_ID_ENCODED:
            return u8(self.flags) + named + (fstring(self.contents) if kind else b"")
        if self.flags & UNIQUE_ID_EMPTY:
            return u8(self.flags)
        if kind == UNIQUE_ID_SERVICE:
            return u8(self.flags) + u8(self.service) + sized(self.data)
        return u8(self.flags) + named + (u8(len(self.data)) + self.data if kind else b"")


@frozen
class PlayerHandle:
    """Which player: a provider and an index."""

    provider: int = 0
    index: int = 0

    def encode(self, dialect: Dialect) -> bytes:
        """Two bytes, later five."""
        long = u8(self.provider) + i32(self.index)
        if dialect.save_version >= SAVE_VERSION_PLAYER_HANDLE:
            return long
        if dialect.save_version == SAVE_VERSION_PLAYER_HANDLE_TWICE:
            return long + long
        return u8(self.provider) + u8(self.index)


@frozen
class Trace:
    """A FicsIt-Networks trace: an object, where it came from, by which step."""

    target: Ref
    previous: Trace | None = None
    step: str | None = None

    def encode(self, dialect: Dialect) -> bytes:
        """Object, previous trace, step."""
        previous = bool32(False) if self.previous is None else bool32(True) + self.previous.encode(dialect)
        step = bool32(False) if self.step is None else bool32(True) + fstring(self.step)
        return ref(self.target) + previous + step


def _core(name: str, encode: Callable[[T, Dialect], bytes]) -> Native[T]:
    return Native(name, CORE, encode=encode)


def _game(name: str, encode: Callable[[T, Dialect], bytes], package: str = GAME) -> Native[T]:
    return Native(name, package, encode=encode)


COLOR: Native[bytes] = _core("Color", _always(bytes))
LINEAR_COLOR: Native[Sequence[float]] = _core("LinearColor", _always(floats))
GUID: Native[bytes] = _core("Guid", _always(bytes))
INT_POINT: Native[Sequence[int]] = _core("IntPoint", _ints)
INT_VECTOR: Native[Sequence[int]] = _core("IntVector", _ints)
INT_VECTOR4: Native[Sequence[int]] = _core("IntVector4", _ints)
FLUID_BOX: Native[float] = _game("FluidBox", _always(f32))
DATE_TIME: Native[int] = _core("DateTime", _always(i64))
VECTOR2D: Native[Sequence[float]] = _core("Vector2D", lwc)
VECTOR: Native[Sequence[float]] = _core("Vector", lwc)
ROTATOR: Native[Sequence[float]] = _core("Rotator", lwc)
QUAT: Native[Sequence[float]] = _core("Quat", lwc)
VECTOR4: Native[Sequence[float]] = _core("Vector4", lwc)
VECTOR4D: Native[Sequence[float]] = _core("Vector4D", lwc)
BOX: Native[Bounds] = _core("Box", Bounds.encode)
BOX3F: Native[Bounds] = _core("Box3f", Bounds.encode3f)
TRACK_POSITION: Native[TrackPosition] = _game("RailroadTrackPosition", TrackPosition.encode)
INVENTORY_ITEM: Native[Item] = _game("InventoryItem", Item.encode)
CLIENT_IDENTITY: Native[ClientIdentity] = _game("ClientIdentityInfo", ClientIdentity.encode)
UNIQUE_NET_ID: Native[UniqueNetId] = _game("UniqueNetIdRepl", UniqueNetId.encode, "/Script/Engine")
PLAYER_HANDLE: Native[PlayerHandle] = _game("PlayerInfoHandle", PlayerHandle.encode)
SLATE_BRUSH: Native[str] = _game("SlateBrush", _always(fstring), "/Script/SlateCore")
SOFT_CLASS_PATH: Native[SoftPath] = _core("SoftClassPath", SoftPath.encode)
SOFT_OBJECT_PATH: Native[SoftPath] = _core("SoftObjectPath", SoftPath.encode)
FIN_TRACE: Native[Trace] = _game("FINNetworkTrace", Trace.encode, "/Script/FicsItNetworks")
FIR_TRACE: Native[Trace] = _game("FIRTrace", Trace.encode, "/Script/FicsItReflection")
FIN_PIXEL: Native[bytes] = _game("FINGPUT1BufferPixel", _always(bytes), "/Script/FicsItNetworks")
FIC_FRAME_RANGE: Native[tuple[int, int]] = _game("FICFrameRange", _frames, "/Script/FicsItCam")
LB_INDEXING: Native[Sequence[int]] = _game("LBBalancerIndexing", _ints, "/Script/LoadBalancers")
# No field is ever set, so it reads as the string "None" as well as it does as an empty list.
TIMER_HANDLE = Fields("TimerHandle", "/Script/Engine")
