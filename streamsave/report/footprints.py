"""How much room an object takes, seen from above: what a page and a picture draw of it where that is larger than a dot.

Belts, pipes, rails and wires are lines: the corners of their splines. All others are rectangles.

The sizes are facts of the games. A rectangle is (left, top, wide, long) in the unit of the map, from the place of an object that
faces east. An object of more than one rectangle has all of them.

| game | from |
|---|---|
| Satisfactory | buildings, by class |
| Palworld | a base is the circle of 35 m that its `area_range` says; which way walls face is not in their headers |
| shapez 2 | squares of 20 tiles of an island, and tiles of a building; those that are mirrored have y mirrored |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import atan2, hypot, isfinite, pi
from typing import Final, NamedTuple, TypeAlias

from streamsave.events import ObjectHeader
from streamsave.formats import TILES, PlaceUnit
from streamsave.formats.satisfactory.game import SPLINE, WIRES
from streamsave.formats.shapez2.game_reader import BUILDING, ISLAND, SQUARE_TILES, tile_of
from streamsave.values import Transform, Vector

__all__ = [
    "MOST_CORNERS",
    "Footprint",
    "Rectangle",
    "corners_of",
    "footprint",
    "spline_corners",
    "spot_of",
    "turn_of",
    "wire_corners",
]

#: Left, top, width, length.
Rectangle: TypeAlias = tuple[float, float, float, float]


class Footprint(NamedTuple):
    """What an object takes: rectangles, from the place of one that faces east; none where it is a dot."""

    boxes: tuple[Rectangle, ...]
    #: A rectangle is around a circle.
    is_round: bool
    #: It is the ground of others.
    lies_under: bool


#: Patterns of short class names -> metres; the first that matches counts.
SIZES: Final[tuple[tuple[re.Pattern[str], float, float], ...]] = tuple(
    (re.compile(pattern), wide, long)
    for pattern, wide, long in (
        (r"Build_\w*(Wall|Fence|Railing|Door|Gate|Window)", 0.6, 8),
        (r"Build_\w*(Foundation|Ramp|Roof|Floor|MetalF_|Ceiling|Stair|Road|Concrete_Block|Frame|Dome|Ground)", 8, 8),
        (r"Build_(Catwalk|Walkway)", 4, 4),
        (r"Build_\w*(Beam|Pillar|Pole|Sign)", 1, 1),
        (r"Build_Constructor", 8, 10),
        (r"Build_Assembler", 10, 15),
        (r"Build_Manufacturer", 18, 20),
        (r"Build_Smelter", 6, 9),
        (r"Build_Foundry", 10, 9),
        (r"Build_OilRefinery", 10, 20),
        (r"Build_Blender", 18, 16),
        (r"Build_Packager", 8, 8),
        (r"Build_HadronCollider", 24, 38),
        (r"Build_(Converter|QuantumEncoder)", 16, 20),
        (r"Build_Miner", 6, 14),
        (r"Build_OilPump", 8, 14),
        (r"Build_WaterPump", 20, 20),
        (r"Build_Generator(Coal|Fuel)", 10, 26),
        (r"Build_GeneratorNuclear", 36, 43),
        (r"Build_GeneratorBiomass", 8, 8),
        (r"Build_GeneratorGeo", 20, 20),
        (r"Build_StorageContainer", 5, 10),
        (r"Build_StoragePlayer", 2, 2),
        (r"Build_Industrial", 14, 14),
        (r"Build_PowerStorage", 6, 6),
        (r"Build_ConveyorAttachment|Build_PipelineJunction", 4, 4),
        (r"Build_(TrainDocking|TrainStation|TrainPlatform)", 16, 34),
        (r"Build_(TruckStation|DroneStation)", 11, 20),
        (r"Build_SpaceElevator", 54, 54),
        (r"Build_TradingPost", 14, 26),
        (r"Build_ResourceSink", 16, 13),
        (r"BP_(Locomotive|FreightWagon)", 5, 16),
    )
)
#: The kind of a base of Palworld, and its radius in metres.
BASE: Final = "base"
RADIUS: Final = 35.0

#: Columns and rows of squares or tiles: the first one, and how many.
Cells: TypeAlias = tuple[int, int, int, int]
ONE: Final[Cells] = (0, 0, 1, 1)
#: What takes more than one, by the start of its class.
CELLS: Final[tuple[tuple[re.Pattern[str], tuple[Cells, ...]], ...]] = tuple(
    (re.compile(pattern), cells)
    for pattern, cells in (
        (r"Foundation_L3|Layout_Normal_3_L", ((0, 0, 2, 1), (0, 1, 1, 1))),
        (r"Foundation_L4", ((0, 0, 3, 1), (0, -1, 1, 1))),
        (r"Foundation_S4", ((-1, 0, 2, 1), (0, 1, 2, 1))),
        (r"Foundation_T4|Layout_Normal_4_T", ((-1, 0, 3, 1), (0, 1, 1, 1))),
        (r"Foundation_C5|Layout_Normal_5", ((-1, 0, 3, 1), (0, -1, 1, 1), (0, 1, 1, 1))),
        (r"Layout_Normal_2", ((0, 0, 2, 1),)),
        (r"Layout_Normal_4_2x2", ((0, 0, 2, 2),)),
        (r"Layout_Normal_9", ((-1, -1, 3, 3),)),
        (r"Layout_Train(Loader|Unloader|Transfer)", ((0, -1, 1, 2),)),
        (r"Layout_TrainProducer", ((-1, 0, 2, 1),)),
        (r"CrystalGenerator|Painter", ((0, 0, 1, 2),)),
        (r"CutterDefault|(Virtual)?HalvesSwapper", ((0, -1, 1, 2),)),
        (r"FluidStorage", ((-1, -1, 2, 2),)),
        (r"Label", ((-2, 0, 5, 1),)),
        (r"Mixer", ((0, 0, 3, 1), (0, -1, 2, 1))),
        (r"WireGlobalTransmitter", ((-1, -1, 3, 3),)),
    )
)
#: A foundation of so many rows of so many squares: its place is in the middle, or before it.
RECTANGLE: Final = re.compile(r"Foundation_([0-9])x([0-9])")
MIRRORED: Final = re.compile("(_Flipped|Mirrored)$")


@lru_cache(maxsize=1 << 12)
def footprint(kind: str, class_name: str) -> Footprint:
    """Return what an object of a kind and a class, which may be the full path, takes."""
    name = class_name[class_name.rfind(".") + 1 :]
    if kind in {ISLAND, BUILDING}:
        size = SQUARE_TILES if kind == ISLAND else 1
        boxes: tuple[Rectangle, ...] = tuple(
            ((x - 0.5) * size, (y - 0.5) * size, wide * size, long * size) for x, y, wide, long in _cells(name)
        )
        return Footprint(boxes, is_round=False, lies_under=kind == ISLAND)
    if kind == BASE:
        return Footprint(((-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS),), is_round=True, lies_under=True)
    boxes = next((((-wide / 2, -long / 2, wide, long),) for pattern, wide, long in SIZES if pattern.match(name)), ())
    return Footprint(boxes, is_round=False, lies_under=False)


def _cells(name: str) -> tuple[Cells, ...]:
    """Return the cells of an island or a building of shapez 2."""
    rows_of = RECTANGLE.match(name)
    if rows_of is not None:
        rows, columns = map(int, rows_of.groups())
        cells: tuple[Cells, ...] = ((-((columns - 1) // 2), -((rows - 1) // 2), columns, rows),)
    else:
        cells = next((cells for pattern, cells in CELLS if pattern.match(name)), (ONE,))
    if MIRRORED.search(name):
        return tuple((x, 1 - y - long, wide, long) for x, y, wide, long in cells)
    return cells


def turn_of(transform: Transform) -> int:
    """Return the turn about the upward axis in 256th parts of a circle."""
    cos, sin = _direction(transform)
    return int(atan2(sin, cos) / pi * 128 + 256.5) & 255


def spot_of(header: ObjectHeader, unit: PlaceUnit) -> tuple[float, float, int] | None:
    """Return where an object is on the map, x and y in its unit, and its turn, as `turn_of` does; None if it is not there.

    The states of buildings of shapez 2 are objects, too, where the buildings are.
    """
    transform = header.transform
    if transform is None:
        return None
    if unit == TILES:
        tile = tile_of(header) if header.kind in {ISLAND, BUILDING} else None
        return None if tile is None else (*tile, (header.flags & 3) << 6)
    x, y, _ = transform.translation
    return x / unit.scale, y / unit.scale, turn_of(transform)


#: Corners of a line; the others are left out.
MOST_CORNERS: Final = 2000
#: Parts of a bend between two points of a spline.
BEND_PARTS: Final = 4
#: A piece is a bend if its middle is farther from the straight line than this part of its length.
BENT: Final = 0.03


def spline_corners(points: object, transform: Transform) -> list[float]:
    """Return x and y of each corner of a spline, in the unit of the save; none if the value is no spline.

    Args:
        points: the value of `mSplineData`, whose places are seen from the object.
        transform: where the object is.
    """
    x0, y0, _ = transform.translation
    cos, sin = _direction(transform)
    corners: list[float] = []
    before: tuple[float, float, float, float] | None = None
    for point in points if isinstance(points, list) else ():
        if len(corners) >= 2 * MOST_CORNERS or not isinstance(point, dict):
            break
        place, arrive, leave = point.get("Location"), point.get("ArriveTangent"), point.get("LeaveTangent")
        if not isinstance(place, Vector):
            continue
        x, y = place.x, place.y
        if before is not None and isinstance(arrive, Vector):
            for at_x, at_y in _bend(before, (x, y, arrive.x, arrive.y)):
                corners += (x0 + cos * at_x - sin * at_y, y0 + sin * at_x + cos * at_y)
        corners += (x0 + cos * x - sin * y, y0 + sin * x + cos * y)
        before = (x, y, leave.x, leave.y) if isinstance(leave, Vector) else None
    return corners if len(corners) >= 4 and all(map(isfinite, corners)) else []


def wire_corners(wires: object) -> Iterator[list[float]]:
    """Yield x and y of both ends of each wire of a power line: the value of `mWireInstances`."""
    for wire in wires if isinstance(wires, list) else ():
        if isinstance(wire, dict):
            one, other = wire.get("Locations"), wire.get("Locations[1]")
            if isinstance(one, Vector) and isinstance(other, Vector):
                corners = [one.x, one.y, other.x, other.y]
                if all(map(isfinite, corners)):
                    yield corners


def corners_of(name: str, value: object, transform: Transform | None) -> Iterator[list[float]]:
    """Yield x and y of the corners of each line in a property of an object that is at `transform`."""
    if name == WIRES:
        yield from wire_corners(value)
    elif name == SPLINE and transform is not None:
        yield spline_corners(value, transform)


def _direction(transform: Transform) -> tuple[float, float]:
    """Return cosine and sine of the turn about the upward axis."""
    x, y, z, w = transform.rotation
    cos, sin = 1 - 2 * (y * y + z * z), 2 * (w * z + x * y)
    length = hypot(cos, sin)
    return (cos / length, sin / length) if isfinite(length) and length > 0 else (1.0, 0.0)


def _bend(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> Iterator[tuple[float, float]]:
    """Yield places between two points of a spline, with the direction in which it leaves and arrives; none if it is straight."""
    x0, y0, leave_x, leave_y = one
    x1, y1, arrive_x, arrive_y = other
    # How far the middle of the curve is from the middle of the straight line.
    off = hypot(leave_x - arrive_x, leave_y - arrive_y) / 8
    if not off > BENT * hypot(x1 - x0, y1 - y0):
        return
    for part in range(1, BEND_PARTS):
        t = part / BEND_PARTS
        # Hermite's form.
        a, b = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2
        c, d = t * t * (3 - 2 * t), t * t * (t - 1)
        yield a * x0 + b * leave_x + c * x1 + d * arrive_x, a * y0 + b * leave_y + c * y1 + d * arrive_y
