"""What saves and blueprint codes have in common: how objects are placed, and how a Text and a checkpoint are stored.

| | save | blueprint |
|---|---|---|
| Text | i32 index into `strings.bin`; -2^31: null | i16 size and that many bytes of UTF-8; size -1: null |
| checkpoint | u32, where `BinaryDataCheckpoints` of `savegame.json` is set | none |
"""

from __future__ import annotations

import math
import re
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, text_of, utf8_of
from streamsave.decode.reader import Length, Reader
from streamsave.errors import EditError, PathStep
from streamsave.events import Event, ObjectHeader, StructEnter
from streamsave.input.windows import Windows
from streamsave.limits import Limits
from streamsave.values import Transform

__all__ = [
    "BUILDING",
    "CHECKPOINTS",
    "ISLAND",
    "SQUARE_TILES",
    "GameCursor",
    "GameEncoder",
    "GameReader",
    "cost_of",
    "make_transform",
    "place_of",
    "tile_of",
]

#: The kind of object that holds other objects, and that of these.
ISLAND: Final = "island"
BUILDING: Final = "building"

HALF: Final = 0.7071067811865476
#: Quaternions about the upward axis: east, south, west, north. They turn x (east) to y, which counts to the south: in players'
#: blueprints, a Foundation_1x2 that is turned south has buildings at y from 2 to 37, one that is turned north from -18 to 17.
TURNS: Final[list[tuple[float, float, float, float]]] = [
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, HALF, HALF),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, -HALF, HALF),
]


def make_transform(x: i64, y: i64, z: i64, rotation: i64) -> Transform:
    """Return the transform of an object at a place in tiles, turned by `rotation` quarters."""
    return Transform(TURNS[rotation & 3], (float(x), float(y), float(z)), (1.0, 1.0, 1.0))


def place_of(header: ObjectHeader) -> str:
    """Return the last part of an object's name: its place on its island, or in the world."""
    return header.instance_name.rpartition(":")[2]


#: An island is counted in squares of so many tiles along each side. Of 230,000 buildings in players' blueprints, those on islands
#: of one square have places from 2 to 17, and those on islands of several squares keep as far from the edges of the squares.
SQUARE_TILES: Final = 20
#: The name of an island, which is its place.
ISLAND_NAME: Final = re.compile(r"\((-?[0-9]+), (-?[0-9]+), -?[0-9]+\)")


def tile_of(header: ObjectHeader) -> tuple[float, float] | None:
    """Return x and y of an island (its middle) or a building on the map, in tiles; y counts to the south.

    None for an object without a place, and for one on an island without a place.
    """
    if header.position is None:
        return None
    x, y, _ = header.position
    if header.kind == ISLAND:
        middle = (SQUARE_TILES - 1) / 2
        return x * SQUARE_TILES + middle, y * SQUARE_TILES + middle
    if not header.outer:  # in a blueprint of buildings
        return x, y
    island = ISLAND_NAME.fullmatch(header.outer)
    if island is None:
        return None
    return int(island[1]) * SQUARE_TILES + x, int(island[2]) * SQUARE_TILES + y


def cost_of(buildings: int) -> int:
    """Return how many blueprint points it costs to place so many buildings at once; the first one is free.

    No save or code says what a blueprint costs. The formula is that of the game's `BuildingBlueprint` in alpha 15.2, as tools of
    players have it to this day; a world of a later game may multiply it (`BlueprintCostMultiplier` of its difficulty).
    """
    return math.ceil(math.pow(max(buildings - 1, 0), 1.3))


# --- texts and checkpoints ---

NULL_INDEX: Final = -(1 << 31)
#: All checkpoints that the game writes: the hash of a name as `u32`, before the thing that the name says. A test computes them.
CHECKPOINTS: Final[dict[str, int]] = {
    "blob:start": 0xC4720D54,
    "blob:end": 0x84A43021,
    "island": 0xB121029A,
    "buildings": 0xA4496D7C,
    "building": 0x35A08DE5,
    "belt-path-state:start": 0x730DB46B,
    "belt-path-state:end": 0xFCC69DC9,
    "fast-belt-path:start": 0x37DBF32A,
    "fast-belt-path:end": 0xB4C2C396,
    "super-chunk": 0xA64674EE,
    "super-chunk:shape-resources": 0x09F27CDA,
    "super-chunk:fluid-resources": 0x16473A51,
    "TrainData": 0xECEF68E7,
}


class GameCursor(Cursor):
    """A cursor that reads the strings and checkpoints of the game."""

    #: The strings that a Text refers to by index; None where each Text holds its bytes.
    table: list[str] | None = None
    has_checkpoints = False

    def text(self) -> str | None:
        """Read a string, or None for null.

        Raises:
            DamagedSave: the index is not in the table, or the size does not fit.
        """
        start = self.tell()
        table = self.table
        if table is None:
            size = self.i16()
            if size < -1 or size > self.remaining():
                raise self.damaged("size of a string", offset=start, expected=f"-1 to {self.remaining()}", actual=size)
            return None if size < 0 else self.take(size).decode("utf-8", "surrogateescape")
        index = self.i32()
        if index == NULL_INDEX:
            return None
        if index < 0 or index >= len(table):
            raise self.damaged("index of a string", offset=start, expected=f"0 to {len(table) - 1}", actual=index)
        return table[index]

    def checkpoint(self, name: str) -> int:
        """Read a checkpoint and return it.

        Raises:
            DamagedSave: it is not the hash of `name`.
        """
        start = self.tell()
        found = self.u32()
        expected = CHECKPOINTS[name]
        if found != expected:
            known = [other for other, value in CHECKPOINTS.items() if value == found]
            raise self.damaged(
                "wrong checkpoint",
                offset=start,
                expected=f"{name}, {expected:#010x}",
                actual=f"{known[0] if known else 'unknown'}, {found:#010x}",
            )
        return expected


class GameEncoder(Encoder):
    """An encoder that writes the strings of the game; `table` is that of the save, None for a blueprint."""

    def __init__(self, table: list[str] | None) -> None:
        super().__init__()
        self._table = table

    def text(self, value: object) -> None:
        """Write a string, or None.

        Raises:
            EditError: the table does not have it, and cannot grow; or it is too long.
        """
        table = self._table
        if table is None:
            raw = b"" if value is None else utf8_of(value)
            self.integer(-1 if value is None else len(raw), 2, signed=True)
            self.put(raw)
        elif value is None:
            self.integer(NULL_INDEX, 4, signed=True)
        elif text_of(value) in table:
            self.integer(table.index(text_of(value)), 4, signed=True)
        else:
            raise EditError("the save has no such string", value)


# --- reading ---


class GameReader(Reader):
    """A reader whose cursor reads the strings and checkpoints of the game."""

    def __init__(self, windows: Windows, limits: Limits) -> None:
        game = GameCursor(windows, limits)
        super().__init__(game)
        #: The same as `cursor`.
        self.game = game
        #: The consumer has passed over what the last event opened.
        self.was_skipped = False
        #: Open sequences whose count is before them, and where it is.
        self.counted: list[tuple[StructEnter, Length]] = []

    def open_stream(self, windows: Windows) -> None:
        """Go to the start of the inflated stream."""
        self.game = GameCursor(windows, self.limits)
        self.cursor = self.game

    def skip(self, event: Event) -> bool:
        self.was_skipped = super().skip(event)
        return self.was_skipped

    def holds_objects(self, header: ObjectHeader) -> bool:
        return header.kind == ISLAND

    def leaf_path(self) -> tuple[PathStep, ...]:
        # An element is named by its number alone: the name of its container is in the path already.
        return super().leaf_path()[-1:]
