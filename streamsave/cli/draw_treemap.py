"""The picture that `streamsave treemap` makes of the parts of a save."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from streamsave.cli.canvas import COLOURS, GREY, POINT, Canvas, own_style
from streamsave.cli.text import count_text, size_text
from streamsave.cli.treemap_layout import Box, squares
from streamsave.cli.treemap_parts import HEADERS, OUTSIDE, Part

__all__ = ["draw_treemap", "gathered"]

#: Units of the canvas: around the picture; above it, for the title; around a class; of the strip with its name.
MARGIN: Final = 16.0
TITLE: Final = 84.0
GAP: Final = 2.0
STRIP: Final = 26.0
#: Square units that a class, or a property, has at least; what has less is gathered with others.
LEAST_CLASS: Final = 75.0 * 75.0
LEAST_PROPERTY: Final = 36.0 * 36.0
#: Units of each side that a class needs to show its properties.
LEAST_SIDE: Final = 60.0
#: Units beside a label; sizes of letters in points, of which the largest that fits is taken; how many of them a line is high.
PADDING: Final = 4.0
POINTS: Final = (8.5, 7.0, 6.0)
LINE: Final = 1.2
#: Where a name has no room, it is shown without these, and then without its end, if so many of its letters are left.
PREFIXES: Final = ("Build_", "BP_")
SUFFIX: Final = "_C"
FEWEST_LETTERS: Final = 4
#: How white the largest and the smallest property of a class are.
TINTS: Final = (0.35, 0.75)
DARK: Final = "#1A1A1A"
#: What red, green and blue add to how bright a colour is; on a darker one than this, letters are white.
LUMINANCE: Final = (0.299, 0.587, 0.114)
DARK_BELOW: Final = 0.55

Colour = tuple[float, float, float]


def gathered(parts: Sequence[Part], total: int, area: float, least: float) -> list[Part]:
    """Put those parts together that would have less than `least` of the area; the largest part stays the first."""
    shown = [part for part in parts if part.size * area >= least * total]
    small = parts[len(shown) :]
    if len(small) == 1:
        return list(parts)
    if small:
        shown.append(Part(f"other ({count_text(len(small))})", sum(part.size for part in small)))
    return sorted(shown, key=lambda part: -part.size)


def draw_treemap(parts: Sequence[Part], size: tuple[int, int], title: str, subtitle: str) -> Canvas:
    """Draw the parts, the largest first, and in each of them its own."""
    with own_style():
        canvas = Canvas(size)
        box = Box(0, 0, canvas.width, canvas.height)
        axes = canvas.figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, canvas.width), ylim=(canvas.height, 0))
        axes.set_axis_off()
        axes.text(MARGIN, 0.4 * TITLE, title, fontsize=13, fontweight="bold", va="center", color=DARK)
        axes.text(MARGIN, 0.78 * TITLE, subtitle, fontsize=9, va="center", color="#555555")
        Treemap(canvas, axes, sum(part.size for part in parts)).draw(parts, box.inside(MARGIN, TITLE, MARGIN, MARGIN))
    return canvas


class Treemap:
    """Draws parts into boxes, in the units of a canvas."""

    def __init__(self, canvas: Canvas, axes: Axes, total: int) -> None:
        self._canvas = canvas
        self._axes = axes
        self._total = total

    def draw(self, parts: Sequence[Part], box: Box) -> None:
        """Draw all classes."""
        shown = gathered(parts, self._total, box.width * box.height, LEAST_CLASS)
        colours = iter(COLOURS * (len(shown) // len(COLOURS) + 1))
        for part, place in zip(shown, squares([part.size for part in shown], box), strict=True):
            is_class = part.name not in {HEADERS, OUTSIDE} and part in parts
            self._draw_class(part, place.inside(GAP / 2, GAP / 2, GAP / 2, GAP / 2), to_rgb(next(colours) if is_class else GREY))

    def _draw_class(self, part: Part, box: Box, colour: Colour) -> None:
        if not part.parts or min(box.width, box.height) < LEAST_SIDE:
            self._fill(box, tint(colour, TINTS[0]))
            self._label(part, box)
            return
        self._fill(box, colour)
        self._write_strip(part, Box(box.x, box.y, box.width, STRIP), colour)
        inner = box.inside(GAP, STRIP, GAP, GAP)
        shown = gathered(part.parts, part.size, inner.width * inner.height, LEAST_PROPERTY)
        for rank, (each, place) in enumerate(zip(shown, squares([each.size for each in shown], inner), strict=True)):
            white = TINTS[0] + (TINTS[1] - TINTS[0]) * rank / max(len(shown) - 1, 1)
            self._fill(place, tint(colour, white))
            self._label(each, place)

    def _fill(self, box: Box, colour: Colour) -> None:
        self._axes.add_patch(Rectangle((box.x, box.y), box.width, box.height, facecolor=colour, edgecolor="white", linewidth=0.5))

    def _size(self, part: Part) -> str:
        return f"{size_text(part.size)} · {part.size / self._total:.1%}"

    def _write_strip(self, part: Part, box: Box, colour: Colour) -> None:
        """Write the name of a class into its strip, and its size if there is room for that."""
        is_dark = sum(weight * value for weight, value in zip(LUMINANCE, colour, strict=True)) < DARK_BELOW
        self._write([f"{part.name}   {self._size(part)}", *names_of(part)], box, "white" if is_dark else DARK)

    def _label(self, part: Part, box: Box) -> None:
        """Write name and size into a box, or the name alone."""
        self._write([f"{part.name}\n{self._size(part)}", *names_of(part)], box, DARK)

    def _write(self, texts: Sequence[str], box: Box, colour: str) -> None:
        """Write the first of some texts that fits, as large as it does; or as much of the last one as fits."""
        room = box.inside(PADDING, 0, PADDING, 0)
        for text in texts:
            for points in POINTS:
                if self._fits(text, points, room):
                    self._write_at(text, points, room, colour)
                    return
        text, points = texts[-1], POINTS[-1]
        lengths = range(len(text))
        length = bisect_right(lengths, room.width, key=lambda length: self._canvas.text_width(f"{text[:length]}…", points)) - 1
        if length >= FEWEST_LETTERS and self._fits(f"{text[:length]}…", points, room):
            self._write_at(f"{text[:length]}…", points, room, colour)

    def _fits(self, text: str, points: float, room: Box) -> bool:
        lines = text.split("\n")
        if PADDING + len(lines) * LINE * points * POINT > room.height:
            return False
        return all(self._canvas.text_width(line, points) <= room.width for line in lines)

    def _write_at(self, text: str, points: float, room: Box, colour: str) -> None:
        self._axes.text(room.x, room.y + PADDING, text, fontsize=points, va="top", linespacing=LINE, color=colour)


def names_of(part: Part) -> list[str]:
    """Give the name of a part, and a shorter one, if there is one."""
    short = part.name.removesuffix(SUFFIX)
    for prefix in PREFIXES:
        short = short.removeprefix(prefix)
    return [part.name, short] if short and short != part.name else [part.name]


def tint(colour: Colour, white: float) -> Colour:
    """Mix a colour with white."""
    red, green, blue = (value + (1 - value) * white for value in colour)
    return red, green, blue
