"""Areas side by side in a rectangle, none much longer than wide: the squarified layout of Bruls, Huizing and van Wijk (2000).

The areas come in descending order. Along the shorter side of what is left of the rectangle, a row takes as many of them as make
its worst proportion better; then the next row begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from attrs import frozen

__all__ = ["Box", "squares"]

#: Rounding may leave a side that is too small to divide by.
LEAST_SIDE: Final = 1e-9


@frozen
class Box:
    """A rectangle: one corner, and its sides."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, left: float, top: float, right: float, bottom: float) -> Box:
        """Return the rectangle inside margins; without width or height if they leave none."""
        width, height = max(0.0, self.width - left - right), max(0.0, self.height - top - bottom)
        return Box(self.x + min(left, self.width), self.y + min(top, self.height), width, height)


def squares(sizes: Sequence[float], box: Box) -> list[Box]:
    """Divide a rectangle among sizes, which are above 0 and descend. Return a box for each."""
    scale = box.width * box.height / sum(sizes) if sizes else 0.0
    areas = [size * scale for size in sizes]
    result: list[Box] = []
    start = 0
    while start < len(areas):
        side = max(min(box.width, box.height), LEAST_SIDE)
        end, row, worst = start, 0.0, inf
        while end < len(areas):
            depth = (row + areas[end]) / side
            proportion = max(areas[start] / depth**2, depth**2 / areas[end])
            if proportion > worst:
                break
            row, worst = row + areas[end], proportion
            end += 1
        box = _lay_row(areas[start:end], row / side, box, result)
        start = end
    return result


def _lay_row(areas: Sequence[float], depth: float, box: Box, result: list[Box]) -> Box:
    """Lay a row along the shorter side; return the rest of the rectangle."""
    x, y = box.x, box.y
    upright = box.width >= box.height
    # Never out of the box: in a box that is a billion times longer than wide, rounding shows.
    inner = max(0.0, min(depth, box.width if upright else box.height))
    for area in areas:
        length = max(0.0, min(area / depth, box.y + box.height - y if upright else box.x + box.width - x))
        result.append(Box(x, y, inner, length) if upright else Box(x, y, length, inner))
        x, y = (x, y + length) if upright else (x + length, y)
    if upright:
        return Box(box.x + inner, box.y, box.width - inner, box.height)
    return Box(box.x, box.y + inner, box.width, box.height - inner)
