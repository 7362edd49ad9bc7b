"""`streamsave treemap`: a picture of what takes the bytes of a save, as parts of parts: those of `streamsave.report.tree`.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects; not if only some objects are wanted | structs and fields by name |

What is too small to be seen is one part, the rest. Together they are the inflated bytes of the saves, or of the wanted objects.

The module is long because it gathers the parts, lays them out and draws them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING, Final

import click
from attrs import frozen

from streamsave.cli.options import (
    Saves,
    jobs_option,
    keep_only,
    layout_options,
    limit_option,
    saves_argument,
    shown_name,
    shown_names_options,
    where_option,
)
from streamsave.cli.picture import (
    COLOURS,
    GREY,
    POINT,
    Canvas,
    Size,
    need_plot,
    not_written,
    own_style,
    picture_options,
    title_of,
)
from streamsave.cli.save import Save, gather
from streamsave.cli.text import clean, count_text, size_text
from streamsave.consume.conditions import Selection
from streamsave.formats.satisfactory.game import mod_of
from streamsave.report.categories import ALL, OTHER, classify_for, game_of
from streamsave.report.parts import Part, parts_of
from streamsave.report.tree import Tree, collect

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "LEAST_SHARE",
    "NO_MOD",
    "Box",
    "command",
    "draw_treemap",
    "gathered",
    "parts_of_saves",
    "squares",
    "sums_of",
]

#: What is not from a mod.
NO_MOD: Final = "the game"
#: A part smaller than the whole divided by this is not shown by itself: no picture has room for it.
LEAST_SHARE: Final = 10_000

#: Kind and full class.
Key = tuple[str, str]


def sums_of(where: Selection | None, save: Save) -> Iterator[tuple[Tree, dict[Key, str]]]:
    """Yield the sums of the wanted objects of a save when it is read to its end, and the category of each class, if it has one.

    Raises:
        SaveError: the bytes are at fault.
    """
    classify = classify_for(game_of(save.start()))
    keep_only(save.events, where)
    tree = Tree()
    collect(save.events, tree)
    yield tree, {key: classify(*key).name for key in tree.classes} if classify else {}


def parts_of_saves(
    tree: Tree,
    categories: Mapping[Key, str],
    *,
    whole: bool,
    named: Callable[[str], str],
    by_mod: bool = False,
    least_share: int = LEAST_SHARE,
) -> tuple[Part, ...]:
    """Return the parts of saves, the largest first.

    Args:
        tree: the sums of the saves.
        categories: of the classes, in games with categories.
        whole: as for `parts_of`.
        named: as for `parts_of`.
        by_mod: the hue of a class is the mod that it is from, and not its category.
        least_share: as for `parts_of`.
    """

    def hue_of(kind: str, name: str) -> str:
        return (mod_of(name) or NO_MOD) if by_mod else categories.get((kind, name), "")

    other = NO_MOD if by_mod else OTHER.name
    return parts_of(tree, whole=whole, named=named, hue_of=hue_of, other=other, least_share=least_share)


# --- the picture ---

#: Units of the canvas: around the picture; above it, for the title; around a part with parts; of a square of the legend.
MARGIN: Final = 16.0
TITLE: Final = 84.0
GAP: Final = 2.0
KEY: Final = 14.0
#: Least square units of a class and of other parts; smaller ones become one part, `other`.
LEAST_CLASS: Final = 75.0 * 75.0
LEAST_PART: Final = 36.0 * 36.0
#: Least side in units of a part that shows its parts.
LEAST_SIDE: Final = 60.0
#: Units beside a label; the height of a line in font sizes.
PADDING: Final = 4.0
LINE: Final = 1.2
#: Font sizes in points, each from so many square units on: no part has larger letters than a larger part.
POINTS: Final = ((150.0 * 150.0, 8.5), (90.0 * 90.0, 7.0), (0.0, 6.0))
#: A name that does not fit is shown without these, and then in more lines, which may begin at these places.
PREFIXES: Final = ("Build_", "BP_")
SUFFIX: Final = "_C"
WORDS: Final = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[ _/])")
#: Letters of a line: the largest picture has no room for more.
MOST_LETTERS: Final = 2000
#: Rounding may leave a side that is too small to divide by.
LEAST_LENGTH: Final = 1e-9
#: How much white is mixed into the largest and the smallest of the parts of a part.
TINTS: Final = (0.35, 0.75)
#: How much more for each level below the first, and at most.
DEEPER: Final = 0.1
PALEST: Final = 0.88
#: Colours of the categories.
HUES: Final = {category.name: category.light for category in ALL} | {OTHER.name: GREY, NO_MOD: GREY}
DARK: Final = "#1A1A1A"
#: Weights of red, green and blue in the brightness of a colour; on a colour darker than this, letters are white.
LUMINANCE: Final = (0.299, 0.587, 0.114)
DARK_BELOW: Final = 0.55

Colour = tuple[float, float, float]


def gathered(parts: Sequence[Part], total: int, area: float, least: float, *, by_hue: bool = False) -> list[Part]:
    """Merge the parts that would have less than `least` of the area, with `by_hue` those of each hue; the largest comes first."""
    shown = [part for part in parts if part.size * area >= least * total]
    groups: dict[str, list[Part]] = {}
    for part in parts[len(shown) :]:
        groups.setdefault(part.hue if by_hue else "", []).append(part)
    # Hues that would have too little, too, are one group.
    few = [hue for hue, group in groups.items() if sum(part.size for part in group) * area < least * total]
    rest = [part for hue in few for part in groups.pop(hue)]
    for hue, group in [*groups.items(), ("", rest)]:
        name = f"{hue or OTHER.name} ({count_text(len(group))})"
        shown += group if len(group) < 2 else [Part(name, sum(part.size for part in group), hue)]
    return sorted(shown, key=lambda part: -part.size)


def draw_treemap(parts: Sequence[Part], size: Size, title: str, subtitle: str) -> Canvas:
    """Draw the parts, the largest first, and in each of them its own parts."""
    with own_style():
        canvas = Canvas(size)
        axes = canvas.figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, canvas.width), ylim=(canvas.height, 0))
        axes.set_axis_off()
        points = canvas.title_points(title, canvas.width - 2 * MARGIN)
        axes.text(MARGIN, 0.4 * TITLE, title, fontsize=points, fontweight="bold", va="center", color=DARK)
        axes.text(MARGIN, 0.78 * TITLE, subtitle, fontsize=9, va="center", color="#555555")
        treemap = Treemap(canvas, axes, sum(part.size for part in parts), colours_of(parts))
        treemap.draw_legend(2 * MARGIN + canvas.text_width(subtitle, 9), 0.78 * TITLE)
        treemap.draw(parts, Box(0, 0, canvas.width, canvas.height).inside(MARGIN, TITLE, MARGIN, MARGIN))
    return canvas


def colours_of(parts: Sequence[Part]) -> dict[str, str]:
    """Return the colour of each hue, that with the most bytes first; two hues may share one of the last colours."""
    sizes = Counter[str]()
    for part in parts:
        sizes[part.hue] += part.size
    others = iter(COLOURS * (len(sizes) // len(COLOURS) + 1))
    return {hue: HUES.get(hue) or next(others) for hue, _ in sizes.most_common() if hue}


class Treemap:
    """Draws parts into boxes, in the units of a canvas."""

    def __init__(self, canvas: Canvas, axes: Axes, total: int, colours: Mapping[str, str]) -> None:
        self._canvas = canvas
        self._axes = axes
        self._total = total
        self._colours = colours
        # To measure a text takes longer than to draw it, and many come again.
        self._width = cache(canvas.text_width)

    def draw_legend(self, x: float, y: float) -> None:
        """Say what the colours mean, from a place on to the right, as far as there is room."""
        for hue, colour in self._colours.items() if len(self._colours) > 1 else ():
            width = self._canvas.text_width(hue, 9)
            if x + KEY + PADDING + width > self._canvas.width - MARGIN:
                break
            self._fill(Box(x, y - KEY / 2, KEY, KEY), colour)
            self._axes.text(x + KEY + PADDING, y, hue, fontsize=9, va="center", color="#555555")
            x += KEY + PADDING + width + MARGIN

    def draw(self, parts: Sequence[Part], box: Box) -> None:
        """Draw all classes."""
        from matplotlib.colors import to_rgb

        shown = gathered(parts, self._total, box.width * box.height, LEAST_CLASS, by_hue=True)
        others = iter(COLOURS * (len(shown) // len(COLOURS) + 1))
        for part, place in zip(shown, squares([part.size for part in shown], box), strict=True):
            colour = self._colours.get(part.hue) or (next(others) if part.parts or part in parts else GREY)
            self._draw_part(part, place.inside(GAP / 2, GAP / 2, GAP / 2, GAP / 2), to_rgb(colour), 0.0, 0)

    def _draw_part(self, part: Part, box: Box, colour: Colour, white: float, depth: int) -> None:
        """Draw a part and, if there is room, its parts below a strip with its name."""
        points = next(points for least, points in POINTS if box.width * box.height >= least)
        strip = 2 * PADDING + LINE * points * POINT
        inner, title = box.inside(GAP, strip, GAP, GAP), Box(box.x, box.y, box.width, strip)
        has_room = min(inner.width, inner.height) >= LEAST_SIDE and self._fits(names_of(part)[-1], points, title)
        shows_parts = part.parts and has_room
        fill = tint(colour, white if shows_parts else max(white, TINTS[0]))
        self._fill(box, fill)
        between = "   " if shows_parts else "\n"
        words = [f"{clean(part.name)}{between}{self._size(part)}", *names_of(part)]
        self._write(words, points, title if shows_parts else box, letters_on(fill))
        if not shows_parts:
            return
        shown = gathered(part.parts, part.size, inner.width * inner.height, LEAST_PART)
        for rank, (each, place) in enumerate(zip(shown, squares([each.size for each in shown], inner), strict=True)):
            paler = TINTS[0] + (TINTS[1] - TINTS[0]) * rank / max(len(shown) - 1, 1) + DEEPER * depth
            self._draw_part(each, place, colour, min(paler, PALEST), depth + 1)

    def _fill(self, box: Box, colour: Colour | str) -> None:
        from matplotlib.patches import Rectangle

        # `add_patch` would find out, for each of them, which limits show them all; ours are set.
        self._axes.add_artist(
            Rectangle((box.x, box.y), box.width, box.height, facecolor=colour, edgecolor="white", linewidth=0.5)
        )

    def _size(self, part: Part) -> str:
        return f"{size_text(part.size)} · {part.size / self._total:.1%}"

    def _write(self, texts: Sequence[str], points: float, box: Box, colour: str) -> None:
        """Write the first text that fits, or the last one in more lines; nothing if that does not fit."""
        texts = [*texts, self._in_lines(texts[-1][:MOST_LETTERS], points, box.width - 2 * PADDING)]
        text = next((text for text in texts if self._fits(text, points, box)), "")
        if text:
            self._axes.text(box.x + PADDING, box.y + PADDING, text, fontsize=points, va="top", linespacing=LINE, color=colour)

    def _in_lines(self, text: str, points: float, width: float) -> str:
        """Return a text with as many words or parts of words in a line as there is room for."""
        lines = [""]
        for word in WORDS.split(text):
            if lines[-1] and self._width(f"{lines[-1]}{word}".rstrip(), points) > width:
                lines.append("")
            lines[-1] += word
        return "\n".join(line.strip() for line in lines)

    def _fits(self, text: str, points: float, box: Box) -> bool:
        """Return whether a text, and the padding around it, is no larger than a box."""
        lines = text.split("\n")
        if PADDING + len(lines) * LINE * points * POINT > box.height:
            return False
        width = box.width - 2 * PADDING
        return all(len(line) <= MOST_LETTERS and self._width(line, points) <= width for line in lines)


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

    def flipped(self) -> Box:
        """Return the rectangle with x and y exchanged."""
        return Box(self.y, self.x, self.height, self.width)


def squares(sizes: Sequence[float], box: Box) -> list[Box]:
    """Divide a rectangle among sizes, which are above 0 and descend. Return a box for each; none is much longer than wide.

    This is the squarified layout of Bruls, Huizing and van Wijk (2000). Along the shorter side of what is left of the rectangle,
    a row takes as many boxes as make its worst proportion better; then the next row begins.
    """
    scale = box.width * box.height / sum(sizes) if sizes else 0.0
    areas = [size * scale for size in sizes]
    result: list[Box] = []
    start = 0
    while start < len(areas):
        # The row is laid along the left side, in a rectangle that is flipped if its upper side is the shorter one.
        is_flipped = box.width < box.height
        box = box.flipped() if is_flipped else box
        side = max(box.height, LEAST_LENGTH)
        end, row, worst = start, 0.0, inf
        while end < len(areas):
            depth = (row + areas[end]) / side
            proportion = max(areas[start] / depth**2, depth**2 / areas[end])
            if proportion > worst:
                break
            row, worst = row + areas[end], proportion
            end += 1
        # Never out of the box: in a box that is a billion times longer than wide, rounding shows.
        depth = row / side
        width, y = max(0.0, min(depth, box.width)), box.y
        for area in areas[start:end]:
            height = max(0.0, min(area / depth, box.y + box.height - y))
            placed = Box(box.x, y, width, height)
            result.append(placed.flipped() if is_flipped else placed)
            y += height
        box = Box(box.x + width, box.y, box.width - width, box.height)
        box = box.flipped() if is_flipped else box
        start = end
    return result


def names_of(part: Part) -> list[str]:
    """Return the name of a part, and a shorter one if there is one."""
    name = clean(part.name)
    short = name.removesuffix(SUFFIX)
    for prefix in PREFIXES:
        short = short.removeprefix(prefix)
    return [name, short] if short and short != name else [name]


def letters_on(colour: Colour) -> str:
    """Return the colour of letters on a colour."""
    return "white" if sum(weight * value for weight, value in zip(LUMINANCE, colour, strict=True)) < DARK_BELOW else DARK


def tint(colour: Colour, white: float) -> Colour:
    """Mix a colour with white."""
    red, green, blue = (value + (1 - value) * white for value in colour)
    return red, green, blue


# --- the command ---


@click.command("treemap", short_help="What takes the bytes of a save, as a picture.")
@saves_argument
@where_option
@picture_options
@layout_options
@limit_option
@jobs_option
@shown_names_options
@click.option("--by-mod", is_flag=True, help="Colour the classes by the mod that they are from, not by what they are for.")
def command(saves: Saves, where: Selection | None, output: str, title: str | None, size: Size, *, by_mod: bool) -> int:
    """Draw a rectangle for each class, as large as the data of its objects; in it one for each property; and so on.

    Sizes are bytes before compression. Together the rectangles are the whole save, with the headers of objects and the bytes
    outside of objects; with --where, only the objects that match EXPR. Parts that are too small to see become one part, other.
    Several saves are added up. The sizes as JSON: `ls --by-class --full --json`. It needs pip install "streamsave[plot]".

    Exit code: 0; 1 if no object matches EXPR (nothing is written); 2 if a save cannot be read: it is left out.
    """
    need_plot(output)
    tree, categories = Tree(), dict[Key, str]()

    def add(found: tuple[Tree, dict[Key, str]]) -> None:
        tree.add(found[0])
        categories.update(found[1])

    code = gather(saves, partial(sums_of, where), add)
    parts = parts_of_saves(tree, categories, whole=where is None, named=shown_name, by_mod=by_mod)
    if not parts:
        raise not_written(output, code, "there is no wanted object")
    subtitle = f"{size_text(sum(part.size for part in parts))} before compression"
    draw_treemap(parts, size, title_of(saves) if title is None else title, subtitle).write(output)
    return code
