"""The bytes of saves as parts of parts, which `streamsave treemap` draws: those of `streamsave.report.tree`.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects; not if only some objects are wanted | structs and fields by name |

What is too small to be seen is one part, the rest. Together they are the inflated bytes of the saves, or of the wanted objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

from streamsave.cli.options import keep_only
from streamsave.cli.save import Save
from streamsave.cli.text import clean
from streamsave.formats.satisfactory.game import mod_of
from streamsave.report.categories import OTHER, classify_for, game_of
from streamsave.report.tree import HEADERS, OUTSIDE, Node, Tree, collect

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["NO_MOD", "REST", "Box", "Part", "Sums", "SumsOf", "parts_of", "squares"]

#: The bytes of a part that have no name, or that are too small to be seen.
REST: Final = "(the rest)"
#: What is not from a mod.
NO_MOD: Final = "the game"
#: A part smaller than the whole divided by this is not shown by itself: no picture has room for it.
LEAST_SHARE: Final = 10_000

#: Kind and full class.
Key = tuple[str, str]
#: Rounding may leave a side that is too small to divide by.
LEAST_SIDE: Final = 1e-9


@define
class Sums:
    """The bytes of saves, and what their classes are to a player."""

    tree: Tree = field(factory=Tree)
    #: The category of each class, in games with categories.
    categories: dict[Key, str] = field(factory=dict)

    def add(self, other: Sums) -> None:
        """Add what `SumsOf` yields of a save."""
        self.tree.add(other.tree)
        self.categories.update(other.categories)


@frozen
class SumsOf:
    """Sums up a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Sums]:
        """Yield the sums when the save is read to its end.

        Raises:
            SaveError: the bytes are at fault.
        """
        start = save.start()
        classify = classify_for(save.events.format.name, palworld=game_of(start) == "palworld")
        keep_only(save.events, self.where)
        tree = Tree()
        collect(save.events, tree)
        yield Sums(tree, {key: classify(*key).name for key in tree.classes} if classify else {})


@frozen
class Part:
    """A number of bytes with a name, what gives its colour, and the parts that they are made of, the largest first."""

    name: str
    size: int
    #: A category or a mod; "" if it has neither.
    hue: str = ""
    parts: tuple[Part, ...] = ()


def parts_of(
    sums: Sums, *, whole: bool, named: Callable[[str], str], by_mod: bool = False, least_share: int = LEAST_SHARE
) -> list[Part]:
    """Return the parts of saves, the largest first.

    Args:
        sums: of the saves.
        whole: the sums are those of all objects, so the bytes outside of objects are a part too.
        named: makes the name of a class that is shown.
        by_mod: the hue of a class is the mod that it is from, and not its category.
        least_share: parts smaller than the whole divided by this become the rest of the part that they are in.
    """
    tree = sums.tree
    held = sum(node.size for node in tree.classes.values()) + sum(tree.headers.values())
    least = max(tree.inflated_size if whole else held, held) // least_share

    def hue_of(key: Key) -> str:
        return (mod_of(key[1]) or NO_MOD) if by_mod else sums.categories.get(key, "")

    other = NO_MOD if by_mod else OTHER.name
    parts = [
        Part(clean(named(key[1])), int(node.size), hue, _members(node, least, hue))
        for key, node in tree.classes.items()
        for hue in (hue_of(key),)
    ]
    headers = [Part(clean(named(key[1])), size, other) for key, size in tree.headers.items()]
    parts.append(Part(HEADERS, sum(tree.headers.values()), other, _ordered(headers)))
    if whole:
        outside = int(tree.inflated_size) - held
        parts.append(Part(OUTSIDE, outside, other, _members(tree.outside, least, other, outside)))
    return list(_ordered(parts))


def _members(node: Node, least: int, hue: str, size: int | None = None) -> tuple[Part, ...]:
    """Return the parts of a node that are large enough, and the rest of its bytes; nothing if none is large enough."""
    shown = [
        Part(clean(name), int(each.size), hue, _members(each, least, hue))
        for name, each in node.nodes.items()
        if each.size >= max(least, 1)
    ]
    rest = (int(node.size) if size is None else size) - sum(part.size for part in shown)
    return _ordered([*shown, Part(REST, rest, hue)]) if shown else ()


def _ordered(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with the largest first; leave out empty ones."""
    return tuple(sorted((part for part in parts if part.size > 0), key=lambda part: (-part.size, part.name)))


# --- where they are ---


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
    """Divide a rectangle among sizes, which are above 0 and descend. Return a box for each; none is much longer than wide.

    This is the squarified layout of Bruls, Huizing and van Wijk (2000). Along the shorter side of what is left of the rectangle,
    a row takes as many boxes as make its worst proportion better; then the next row begins.
    """
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
