"""The picture of `streamsave treemap`."""

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
#: Least square units of a class and of a property; smaller ones become one part, `other`.
LEAST_CLASS: Final = 75.0 * 75.0
LEAST_PROPERTY: Final = 36.0 * 36.0
#: Least side in units of a class that shows its properties.
LEAST_SIDE: Final = 60.0
#: Units beside a label; font sizes in points, of which the largest that fits is used; the height of a line in font sizes.
PADDING: Final = 4.0
POINTS: Final = (8.5, 7.0, 6.0)
LINE: Final = 1.2
#: A name that does not fit is shown without these, and then cut, if so many letters are left.
PREFIXES: Final = ("Build_", "BP_")
SUFFIX: Final = "_C"
FEWEST_LETTERS: Final = 4
#: How much white is mixed into the largest and the smallest property of a class.
TINTS: Final = (0.35, 0.75)
DARK: Final = "#1A1A1A"
#: Weights of red, green and blue in the brightness of a colour; on a colour darker than this, letters are white.
LUMINANCE: Final = (0.299, 0.587, 0.114)
DARK_BELOW: Final = 0.55

Colour = tuple[float, float, float]


def gathered(parts: Sequence[Part], total: int, area: float, least: float) -> list[Part]:
    """Merge the parts that would have less than `least` of the area; the largest part stays the first."""
    shown = [part for part in parts if part.size * area >= least * total]
    small = parts[len(shown) :]
    if len(small) == 1:
        return list(parts)
    if small:
        shown.append(Part(f"other ({count_text(len(small))})", sum(part.size for part in small)))
    return sorted(shown, key=lambda part: -part.size)


def draw_treemap(parts: Sequence[Part], size: tuple[int, int], title: str, subtitle: str) -> Canvas:
    """Draw the parts, the largest first, and in each of them its own parts."""
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
        # `add_patch` would find out, for each of them, which limits show them all; ours are set.
        self._axes.add_artist(
            Rectangle((box.x, box.y), box.width, box.height, facecolor=colour, edgecolor="white", linewidth=0.5)
        )

    def _size(self, part: Part) -> str:
        return f"{size_text(part.size)} · {part.size / self._total:.1%}"

    def _write_strip(self, part: Part, box: Box, colour: Colour) -> None:
        """Write the name of a class into its strip, and its size if there is room."""
        is_dark = sum(weight * value for weight, value in zip(LUMINANCE, colour, strict=True)) < DARK_BELOW
        self._write([f"{part.name}   {self._size(part)}", *names_of(part)], box, "white" if is_dark else DARK)

    def _label(self, part: Part, box: Box) -> None:
        """Write name and size into a box, or the name alone."""
        self._write([f"{part.name}\n{self._size(part)}", *names_of(part)], box, DARK)

    def _write(self, texts: Sequence[str], box: Box, colour: str) -> None:
        """Write the first text that fits, in the largest font that fits; or the start of the last text."""
        room = box.inside(PADDING, 0, PADDING, 0)
        for text in texts:
            for points in POINTS:
                if self._fits(text, points, room):
                    self._write_at(text, points, room, colour)
                    return
        text, points = texts[-1], POINTS[-1]
        most = min(len(text), self._canvas.most_letters(points, room.width) + 1) if text.isascii() else len(text)
        length = self._fitting_length(text[:most], points, room.width)
        if length >= FEWEST_LETTERS and self._fits(f"{text[:length]}…", points, room):
            self._write_at(f"{text[:length]}…", points, room, colour)

    def _fitting_length(self, text: str, points: float, width: float) -> int:
        """Return how many letters of a text fit, with `…` after them, but not all of it; -1 if `…` does not fit."""
        lengths = range(len(text))
        length = bisect_right(lengths, width, key=lambda length: self._canvas.about_width(f"{text[:length]}…", points)) - 1
        while length + 1 in lengths and self._canvas.text_width(f"{text[: length + 1]}…", points) <= width:
            length += 1
        while length >= 0 and self._canvas.text_width(f"{text[:length]}…", points) > width:
            length -= 1
        return length

    def _fits(self, text: str, points: float, room: Box) -> bool:
        lines = text.split("\n")
        if PADDING + len(lines) * LINE * points * POINT > room.height:
            return False
        if any(line.isascii() and len(line) > self._canvas.most_letters(points, room.width) for line in lines):
            return False
        return all(self._canvas.fits(line, points, room.width) for line in lines)

    def _write_at(self, text: str, points: float, room: Box, colour: str) -> None:
        self._axes.text(room.x, room.y + PADDING, text, fontsize=points, va="top", linespacing=LINE, color=colour)


def names_of(part: Part) -> list[str]:
    """Return the name of a part, and a shorter one if there is one."""
    short = part.name.removesuffix(SUFFIX)
    for prefix in PREFIXES:
        short = short.removeprefix(prefix)
    return [part.name, short] if short and short != part.name else [part.name]


def tint(colour: Colour, white: float) -> Colour:
    """Mix a colour with white."""
    red, green, blue = (value + (1 - value) * white for value in colour)
    return red, green, blue
