"""Where objects are, and where they face."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.events import ObjectHeader
from streamsave.values import Transform

__all__ = ["make_transform", "place_of"]

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
