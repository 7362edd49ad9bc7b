"""Where objects are, and where they face; where islands and buildings are on the map, in tiles."""

from __future__ import annotations

import re
from typing import Final

from streamsave._native import i64
from streamsave.events import ObjectHeader
from streamsave.values import Transform

__all__ = ["ISLAND", "SQUARE_TILES", "make_transform", "place_of", "tile_of"]

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


#: The kind of object that holds other objects.
ISLAND: Final = "island"
#: An island is counted in squares of so many tiles along each side. Of 230,000 buildings in players' blueprints, those on islands
#: of one square have places from 2 to 17, and those on islands of several squares keep as far from the edges of the squares.
SQUARE_TILES: Final = 20
#: The name of an island, which is its place.
ISLAND_NAME: Final = re.compile(r"\((-?[0-9]+), (-?[0-9]+), -?[0-9]+\)")


def tile_of(header: ObjectHeader) -> tuple[float, float] | None:
    """Return x and y of an island (its middle) or a building on the map, in tiles; y counts to the south.

    None for an object without a place, and for one on an island without a place.
    """
    if header.transform is None:
        return None
    x, y, _ = header.transform.translation
    if header.kind == ISLAND:
        middle = (SQUARE_TILES - 1) / 2
        return x * SQUARE_TILES + middle, y * SQUARE_TILES + middle
    if not header.outer:  # in a blueprint of buildings
        return x, y
    island = ISLAND_NAME.fullmatch(header.outer)
    if island is None:
        return None
    return int(island[1]) * SQUARE_TILES + x, int(island[2]) * SQUARE_TILES + y
