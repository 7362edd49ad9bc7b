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
| checkpoint | u32 hash of a name, only where the save has checkpoints |

The module is long because each value is made of numbers, and made into numbers again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from streamsave.decode.codecs import BOOL8, I16, I32, I64, U8, Array, BuildContext, Codec, Struct, encode_each, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.shapez2.game_cursor import GameCursor, GameEncoder
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
    "GLOBAL_TILE",
    "ISLAND_TILE",
    "ROTATION",
    "SHAPE",
    "SHAPE_PACKAGE",
    "SIGNAL",
    "SIGNAL_TICKS",
    "STEPS",
    "TEXT",
    "TICKS",
    "Counted8",
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


class Alias(Codec):
    """A number under the name that the game has for it, perhaps made into a value, and back into the number by `split`."""

    def __init__(
        self,
        name: str,
        codec: Codec,
        make: Callable[[int], object] | None = None,
        split: Callable[[object], object] | None = None,
    ) -> None:
        super().__init__(name, codec.size, codec.least)
        self._codec = codec
        self._make = make
        self._split = split

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        value = self._codec.decode(cursor, context)
        if self._make is None:
            return value
        return self._make(cast(int, value))

    def encode(self, value: object, encoder: Encoder) -> None:
        self._codec.encode(value if self._split is None else self._split(value), encoder)


class Tagged(Codec):
    """`u8` tag, then a value or nothing. One row for each tag: what to make of the value, and its codec.

    `split` returns the tag of what was made, and the value.
    """

    def __init__(
        self,
        name: str,
        rows: list[tuple[Callable[[object], object], Codec | None]],
        split: Callable[[object], tuple[int, object]],
    ) -> None:
        super().__init__(name, -1, 1)
        self._rows = rows
        self._split = split

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        codec = self._row(cursor)[1]
        if codec is not None:
            codec.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        make, codec = self._row(cursor)
        return make(None if codec is None else codec.decode(cursor, context))

    def encode(self, value: object, encoder: Encoder) -> None:
        tag, inner = self._split(value)
        encoder.u8(tag)
        codec = self._rows[tag][1]
        if codec is not None:
            codec.encode(inner, encoder)

    def _row(self, cursor: Cursor) -> tuple[Callable[[object], object], Codec | None]:
        tag = cursor.u8()
        if tag >= len(self._rows):
            message = f"unknown kind of {self.name}"
            raise cursor.damaged(message, offset=cursor.tell() - 1, expected=f"0 to {len(self._rows) - 1}", actual=tag)
        return self._rows[tag]


class Maybe(Codec):
    """A number, then a value unless the number is 0. `make` gets both, or None in place of the value; `split` returns both.

    The number may be a bool: compiled code makes an integer of it where the type says so.
    """

    def __init__(
        self,
        name: str,
        number: Codec,
        value: Codec,
        make: Callable[[int, object], object],
        split: Callable[[object], tuple[object, object]],
    ) -> None:
        super().__init__(name, -1, number.least)
        self._number = number
        self._value = value
        self._make = make
        self._split = split

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        if self._number.decode(cursor, context):
            self._value.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        number = cast(int, self._number.decode(cursor, context))
        return self._make(number, self._value.decode(cursor, context) if number else None)

    def encode(self, value: object, encoder: Encoder) -> None:
        number, inner = self._split(value)
        self._number.encode(number, encoder)
        if number:
            self._value.encode(inner, encoder)
        elif inner is not None:
            raise EditError("nothing can be in it", inner)


class Counted8(Codec):
    """`u8` count, then elements."""

    def __init__(self, element: Codec) -> None:
        super().__init__(f"{element.name}[]", -1, 1)
        self._element = element

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        for _ in range(cursor.u8()):
            self._element.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        count = cursor.u8()
        context.spend(count, 0)
        return [self._element.decode(cursor, context) for _ in range(count)]

    def encode(self, value: object, encoder: Encoder) -> None:
        elements = list_of(value)
        encoder.u8(len(elements))
        encode_each(self._element, elements, encoder)


class Collapse(Codec):
    """What is left of a shape that was cut: `u8` count, and unless that is 0: ShapeItem, then `Text, u8, bool` each."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        count = cursor.u8()
        if count:
            SHAPE.measure(cursor, context)
            for _ in range(count):
                FALLEN_PART.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        count = cursor.u8()
        if not count:
            return None
        context.spend(count, 0)
        result = SHAPE.decode(cursor, context)
        return {"result": result, "parts": [FALLEN_PART.decode(cursor, context) for _ in range(count)]}

    def encode(self, value: object, encoder: Encoder) -> None:
        if value is None:
            encoder.u8(0)
            return
        if not isinstance(value, dict) or value.keys() != {"result", "parts"} or not value["parts"]:
            raise EditError(f"not a {self.name}", value, "None, or a dict of result and parts")
        parts = list_of(value["parts"])
        encoder.u8(len(parts))
        SHAPE.encode(value["result"], encoder)
        encode_each(FALLEN_PART, parts, encoder)


# --- what the values become ---


def itself(value: object) -> object:
    """Return the value as it is."""
    return value


def make_shape(_is_set: int, code: object) -> object:
    return Shape(cast("str | None", code)) if _is_set else None


def make_fluid(color: object) -> object:
    return Fluid(chr(cast(int, color)))


def make_channel(number: int) -> object:
    return Channel((number >> 24) & 0xFF, number & 0xFFFFFF)


def make_signal(kind: str) -> Callable[[object], object]:
    def make(value: object) -> object:
        return Signal(kind, value)

    return make


def constant_signal(value: object) -> Callable[[object], object]:
    def make(_: object) -> object:
        return value

    return make


def make_item(_is_set: int, item: object) -> object:
    return item


def make_rotation(number: int) -> object:
    return ROTATIONS[number] if number < len(ROTATIONS) else number


def make_fluid_on_track(amount: int, fluid: object) -> object:
    return FluidOnTrack(amount, cast("Fluid | None", fluid))


def make_shape_on_track(amount: int, shape: object) -> object:
    return ShapeOnTrack(amount, cast("Shape | None", shape))


# --- and back ---


def split_shape(value: object) -> tuple[object, object]:
    if value is None or isinstance(value, Shape):
        return isinstance(value, Shape), value.code if isinstance(value, Shape) else None
    raise EditError("not a Shape", value)


def split_fluid(value: object) -> tuple[int, object]:
    if value is None:
        return 0, None
    if isinstance(value, Fluid) and len(value.color) == 1:
        return 1, ord(value.color)
    raise EditError("not a Fluid", value)


def split_channel(value: object) -> object:
    if not isinstance(value, Channel) or not 0 <= value.kind <= 0xFF or not 0 <= value.value <= 0xFFFFFF:
        raise EditError("not a Channel", value)
    number = value.kind << 24 | value.value
    return number - (1 << 32) if number >> 31 else number


def split_signal(value: object) -> tuple[int, object]:
    if value is None:
        return 0, None
    if not isinstance(value, Signal) or value.kind not in SIGNAL_TAGS:
        raise EditError("not a Signal", value)
    if value.kind == "Integer" and isinstance(value.value, int) and 0 <= value.value <= 1:
        return 4 + value.value, None
    return SIGNAL_TAGS[value.kind], value.value


def split_rotation(value: object) -> object:
    return ROTATIONS.index(value) if isinstance(value, str) and value in ROTATIONS else value


def split_belt_item(value: object) -> tuple[int, object]:
    for tag, kind in enumerate((Shape, FluidPackage, FluidOnTrack, ShapeOnTrack), 1):
        if isinstance(value, kind):
            return tag, value
    if value is not None:
        raise EditError("not an item", value)
    return 0, None


def split_lane(value: object) -> tuple[object, object]:
    return value is not None, value


def split_fluid_package(value: object) -> tuple[object, object]:
    if not isinstance(value, FluidOnTrack):
        raise EditError("not a FluidOnTrack", value)
    return value.amount, value.fluid


def split_shape_package(value: object) -> tuple[object, object]:
    if not isinstance(value, ShapeOnTrack):
        raise EditError("not a ShapeOnTrack", value)
    return value.amount, value.shape


#: Where the value of a signal decides, it has a tag of its own.
SIGNAL_TAGS: Final = {"Null": 1, "Conflict": 2, "Integer": 3, "Item": 6, "Fluid": 7}

TEXT: Final[Codec] = Text("str", -1, 2)
TICKS: Final[Codec] = Alias("Ticks", I64)
SIGNAL_TICKS: Final[Codec] = Alias("SignalTicks", I64)
STEPS: Final[Codec] = Alias("Steps", I64)
FLUID_UNIT: Final[Codec] = Alias("FluidUnit", I64)
ROTATION: Final[Codec] = Alias("Rotation", U8, make_rotation, split_rotation)
CHANNEL: Final[Codec] = Alias("SignalChannelId", I32, make_channel, split_channel)

GLOBAL_CHUNK: Final[Codec] = Struct("GlobalChunkCoordinate", Coordinate, x=I32, y=I32, z=I16)
GLOBAL_TILE: Final[Codec] = Struct("GlobalTileCoordinate", Coordinate, x=I32, y=I32, z=I16)
ISLAND_TILE: Final[Codec] = Struct("IslandTileCoordinate", Coordinate, x=I16, y=I16, z=U8)

SHAPE: Final[Codec] = Maybe("ShapeItem", BOOL8, TEXT, make_shape, split_shape)
FLUID: Final[Codec] = Tagged("Fluid", [(itself, None), (make_fluid, U8)], split_fluid)
FLUID_PACKAGE: Final[Codec] = Maybe("Package<Fluid>", I16, FLUID, make_fluid_on_track, split_fluid_package)
SHAPE_PACKAGE: Final[Codec] = Maybe("Package<ShapeItem>", I16, SHAPE, make_shape_on_track, split_shape_package)
BELT_ITEM: Final[Codec] = Tagged(
    "BeltItem",
    [
        (itself, None),
        (itself, SHAPE),
        (itself, Struct("FluidPackage", FluidPackage, fluid=FLUID, amount=FLUID_UNIT)),
        (itself, FLUID_PACKAGE),
        (itself, SHAPE_PACKAGE),
    ],
    split_belt_item,
)
SIGNAL: Final[Codec] = Tagged(
    "Signal",
    [
        (itself, None),
        (constant_signal(Signal("Null")), None),
        (constant_signal(Signal("Conflict")), None),
        (make_signal("Integer"), I32),
        (constant_signal(Signal("Integer", 0)), None),
        (constant_signal(Signal("Integer", 1)), None),
        (make_signal("Item"), BELT_ITEM),
        (make_signal("Fluid"), FLUID),
    ],
    split_signal,
)
#: A place on a belt for one item.
BELT_LANE: Final[Codec] = Maybe(
    "BeltLane", BOOL8, Struct("LaneItem", LaneItem, item=BELT_ITEM, steps=STEPS), make_item, split_lane
)
#: The end of a wire: the last signals that came in.
CONDUIT: Final[Codec] = Struct("SignalConduit", None, signals=Array(SIGNAL), time=TICKS, signal_time=SIGNAL_TICKS, is_dirty=BOOL8)
FALLEN_PART: Final[Codec] = Struct("FallenPart", None, shape=TEXT, layer=U8, is_crystal=BOOL8)
COLLAPSE: Final[Codec] = Collapse("ShapeCollapseResult", -1, 1)
