"""Belts, pipes, rails and wires as lines: the corners of their splines, seen from above."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, isfinite
from typing import Final

from streamsave.formats.satisfactory.game import SPLINE, WIRES
from streamsave.values import Transform, Vector

__all__ = ["MOST_CORNERS", "corners_of", "spline_corners", "wire_corners"]

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
