"""The game's own types, in saves and in blueprints.

| type | bytes |
|---|---|
| Text | save: i32 index into `strings.bin`, -2^31: null; blueprint: i16 size, -1: null, that many bytes of UTF-8 |
| GlobalChunkCoordinate, GlobalTileCoordinate | i32 x, i32 y, i16 z |
| IslandTileCoordinate | i16 x, i16 y, u8 z |
| Rotation | u8: 0 east, 1 south, 2 west, 3 north |
| ShapeItem | bool, then Text if it is set |
| Fluid | u8: 0 null, 1 a colour: its letter as u8 |
| Package | i16 amount, then what is in it, unless that is 0 |
| BeltItem | u8: 0 null, 1 ShapeItem, 2 Fluid and i64 amount, 3 Package of Fluid, 4 Package of ShapeItem |
| Signal | u8: 0 null, 1 Null, 2 conflict, 3 i32, 4 integer 0, 5 integer 1, 6 BeltItem, 7 Fluid |
| Channel | i32: kind in the upper byte, value in the others |
| Ticks, SignalTicks | i64: 9,604,980,000 a second; 12 a second |
| Steps, FluidUnit | i64: 2,305,195,200,000 a tile; 38,419,920,000 a litre |
| bool | u8: any but 0 is true |
| ShapeCollapseResult | u8 count, and unless that is 0: ShapeItem, then `Text, u8, bool` each |
| checkpoint | u32 hash of a name, only where the save has checkpoints |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast

from streamsave._native import i64
from streamsave.decode.codecs import BOOL8, I16, I32, I64, U8, Array, BuildContext, Codec, Repeat, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.shapez2.game_reader import GameCursor, GameEncoder
from streamsave.formats.shapez2.header import (
    ROTATIONS,
    Channel,
    Coordinate,
    Fluid,
    FluidOnTrack,
    FluidPackage,
    LaneItem,
    Shape,
    ShapeOnTrack,
    Signal,
)

__all__ = [
    "BELT_ITEM",
    "BELT_LANE",
    "CHANNEL",
    "COLLAPSE",
    "CONDUIT",
    "FLUID",
    "FLUID_PACKAGE",
    "FLUID_UNIT",
    "GLOBAL_CHUNK",
    "ISLAND_TILE",
    "ROTATION",
    "SHAPE",
    "SHAPE_PACKAGE",
    "SIGNAL",
    "SIGNAL_TICKS",
    "STEPS",
    "TEXT",
    "TICKS",
    "Alias",
    "Choice",
    "Counted",
    "Named",
]


class Text(Codec):
    """A string or null."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cast(GameCursor, cursor).text()

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        text = cast(GameCursor, cursor).text()
        if text is not None:
            context.spend(0, len(text))
        return text

    def encode(self, value: object, encoder: Encoder) -> None:
        cast(GameEncoder, encoder).text(value)


class Choice(Codec):
    """A value whose layout follows from its bytes."""

    def choose(self, cursor: Cursor) -> Codec:
        """Return the layout of the value at the cursor, and go where it starts.

        Raises:
            SaveError: there is none.
        """
        raise NotImplementedError

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self.choose(cursor).measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self.choose(cursor).decode(cursor, context)


class Alias(Codec):
    """A value under the name that the game has for it."""

    def __init__(self, name: str, codec: Codec) -> None:
        super().__init__(name, codec.size, codec.least)
        self._codec = codec

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self._codec.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._codec.decode(cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        self._codec.encode(value, encoder)


class Named(Codec):
    """`u8` number, as the name that it has; as a number if it has none."""

    def __init__(self, name: str, names: dict[int, str]) -> None:
        super().__init__(name, U8.size, U8.least)
        self._names = names
        self._numbers = {text: number for number, text in names.items()}

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        number = int(cursor.u8())
        return self._names.get(number, number)

    def encode(self, value: object, encoder: Encoder) -> None:
        U8.encode(self._numbers.get(value, value) if isinstance(value, str) else value, encoder)


class Letter(Codec):
    """`u8`, as the letter with this number."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return chr(cursor.u8())

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, str) or len(value) != 1:
            raise EditError("not a letter", value)
        U8.encode(ord(value), encoder)


class SignalChannel(Codec):
    """`i32`: kind in the upper byte, value in the others."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        number = cursor.u32()
        return Channel(int(number >> 24), int(number & 0xFFFFFF))

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Channel) or not 0 <= value.kind <= 0xFF or not 0 <= value.value <= 0xFFFFFF:
            raise EditError("not a Channel", value)
        encoder.integer(value.kind << 24 | value.value, I32.size, signed=False)


class Constant(Codec):
    """A value that takes no bytes: those before it say what it is."""

    def __init__(self, value: object) -> None:
        super().__init__("constant", 0, 0)
        self._value = value

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._value

    def encode(self, value: object, encoder: Encoder) -> None:
        if value != self._value:
            raise EditError("nothing can be in it", value)


NULL: Final[Codec] = Constant(None)


class Tagged(Choice):
    """`u8` tag, then a value: one row for each tag, from 0 on. If `is_bool`, all tags but 0 mean 1.

    `key` of a value is that of the row which has such values.
    """

    def __init__(
        self, name: str, rows: dict[object, Codec], key: Callable[[object], object] = type, *, is_bool: bool = False
    ) -> None:
        super().__init__(name, -1, 1)
        self._codecs = list(rows.values())
        self._tags = {row: tag for tag, row in enumerate(rows)}
        self._key = key
        self._is_bool = is_bool

    def encode(self, value: object, encoder: Encoder) -> None:
        tag = self._tags.get(self._key(value))
        if tag is None:
            raise EditError(f"not a {self.name}", value)
        U8.encode(tag, encoder)
        self._codecs[tag].encode(value, encoder)

    def choose(self, cursor: Cursor) -> Codec:
        tag = cursor.u8()
        if self._is_bool and tag > 1:
            tag = 1
        if tag >= len(self._codecs):
            message = f"unknown kind of {self.name}"
            raise cursor.damaged(message, offset=cursor.tell() - 1, expected=f"0 to {len(self._codecs) - 1}", actual=tag)
        return self._codecs[tag]


class Package(Choice):
    """`i16` amount, then what is in it, unless that is 0."""

    def __init__(self, name: str, make_value: type, item: Codec) -> None:
        super().__init__(name, -1, I16.size)
        self._empty = Struct(name, make_value, amount=I16, item=NULL)
        self._full = Struct(name, make_value, amount=I16, item=item)

    def encode(self, value: object, encoder: Encoder) -> None:
        layout = self._full if getattr(value, "amount", 0) else self._empty
        layout.encode(value, encoder)

    def choose(self, cursor: Cursor) -> Codec:
        return self._full if cursor.peek(I16.size).strip(b"\0") else self._empty


class Counted(Choice):
    """A count, then what `layout` returns for it: elements, or a struct with them."""

    def __init__(self, name: str, count: Codec, least: i64, layout: Callable[[int], Codec]) -> None:
        super().__init__(name, -1, least)
        self._count = count
        self._layout = lru_cache(KEPT_COUNTS)(layout)

    def choose(self, cursor: Cursor) -> Codec:
        count = cursor.u8() if self._count is U8 else cursor.i16()
        if count < 0:
            raise cursor.damaged(f"count of {self.name}", offset=cursor.tell() - 2, expected="0 or more", actual=count)
        return self._layout(count)

    def encode(self, value: object, encoder: Encoder) -> None:
        parts = value.values() if isinstance(value, dict) else [value]
        count = sum([len(part) for part in parts if isinstance(part, list)])
        self._count.encode(count, encoder)
        self._layout(count).encode(value, encoder)


def collapse(count: int) -> Codec:
    """Return the layout of what is left of a shape that was cut, after the number of its parts that fall."""
    return Struct("ShapeCollapseResult", None, result=SHAPE, parts=Repeat(FALLEN_PART, count)) if count else NULL


def signal(kind: str, value: Codec) -> Codec:
    """Return the layout of a signal of a kind, after its tag."""
    return Struct("Signal", Signal, kind=Constant(kind), value=value)


def signal_key(value: object) -> object:
    """Return the key of the row of `SIGNAL` for a value: the integers 0 and 1 have rows of their own."""
    if not isinstance(value, Signal):
        return type(value)
    key = (value.kind, value.value)
    return key if key in BITS else value.kind


#: Layouts that are kept of each `Counted`.
KEPT_COUNTS: Final = 64
NOTHING: Final = type(None)
BITS: Final = (("Integer", 0), ("Integer", 1))

TEXT: Final[Codec] = Text("str", -1, 2)
TICKS: Final[Codec] = Alias("Ticks", I64)
SIGNAL_TICKS: Final[Codec] = Alias("SignalTicks", I64)
STEPS: Final[Codec] = Alias("Steps", I64)
FLUID_UNIT: Final[Codec] = Alias("FluidUnit", I64)
LETTER: Final[Codec] = Letter("letter", U8.size, U8.least)
ROTATION: Final[Codec] = Named("Rotation", dict(enumerate(ROTATIONS)))
CHANNEL: Final[Codec] = SignalChannel("SignalChannelId", I32.size, I32.least)

GLOBAL_CHUNK: Final[Codec] = Struct("GlobalChunkCoordinate", Coordinate, x=I32, y=I32, z=I16)
ISLAND_TILE: Final[Codec] = Struct("IslandTileCoordinate", Coordinate, x=I16, y=I16, z=U8)

SHAPE: Final[Codec] = Tagged("ShapeItem", {NOTHING: NULL, Shape: Struct("Shape", Shape, code=TEXT)}, is_bool=True)
FLUID: Final[Codec] = Tagged("Fluid", {NOTHING: NULL, Fluid: Struct("Fluid", Fluid, color=LETTER)})
FLUID_PACKAGE: Final[Codec] = Package("Package<Fluid>", FluidOnTrack, FLUID)
SHAPE_PACKAGE: Final[Codec] = Package("Package<ShapeItem>", ShapeOnTrack, SHAPE)
BELT_ITEM: Final[Codec] = Tagged(
    "BeltItem",
    {
        NOTHING: NULL,
        Shape: SHAPE,
        FluidPackage: Struct("FluidPackage", FluidPackage, fluid=FLUID, amount=FLUID_UNIT),
        FluidOnTrack: FLUID_PACKAGE,
        ShapeOnTrack: SHAPE_PACKAGE,
    },
)
SIGNAL: Final[Codec] = Tagged(
    "Signal",
    {
        NOTHING: NULL,
        "Null": signal("Null", NULL),
        "Conflict": signal("Conflict", NULL),
        "Integer": signal("Integer", I32),
        ("Integer", 0): signal("Integer", Constant(0)),
        ("Integer", 1): signal("Integer", Constant(1)),
        "Item": signal("Item", BELT_ITEM),
        "Fluid": signal("Fluid", FLUID),
    },
    signal_key,
)
#: A place on a belt for one item.
BELT_LANE: Final[Codec] = Tagged(
    "BeltLane", {NOTHING: NULL, LaneItem: Struct("LaneItem", LaneItem, item=BELT_ITEM, steps=STEPS)}, is_bool=True
)
#: The end of a wire: the last signals that came in.
CONDUIT: Final[Codec] = Struct("SignalConduit", None, signals=Array(SIGNAL), time=TICKS, signal_time=SIGNAL_TICKS, is_dirty=BOOL8)
FALLEN_PART: Final[Codec] = Struct("FallenPart", None, shape=TEXT, layer=U8, is_crystal=BOOL8)
COLLAPSE: Final[Codec] = Counted("ShapeCollapseResult", U8, 1, collapse)
