"""`streamsave treemap`: a picture of what takes the bytes of a save, as parts of parts: those of `streamsave.report.tree`.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects; not if only some objects are wanted | structs and fields by name |

What is too small to be seen is one part, the rest. Together they are the inflated bytes of the saves, or of the wanted objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import click
from attrs import define, field, frozen

from streamsave.cli.options import (
    Saves,
    jobs_option,
    keep_only,
    limit_option,
    objects_option,
    saves_argument,
    shown_name,
    shown_names_options,
    where_option,
)
from streamsave.cli.picture import Size, need_plot, not_written, picture_options, title_of
from streamsave.cli.save import Save, gather
from streamsave.cli.text import clean, size_text
from streamsave.consume.conditions import Selection
from streamsave.formats.satisfactory.game import mod_of
from streamsave.report.categories import OTHER, classify_for, game_of
from streamsave.report.collector import collect
from streamsave.report.tree import HEADERS, OUTSIDE, Node, Tree

__all__ = ["LEAST_SHARE", "NO_MOD", "REST", "Part", "Sums", "SumsOf", "command", "parts_of"]

#: The bytes of a part that have no name, or that are too small to be seen.
REST: Final = "(the rest)"
#: What is not from a mod.
NO_MOD: Final = "the game"
#: A part smaller than the whole divided by this is not shown by itself: no picture has room for it.
LEAST_SHARE: Final = 10_000

#: Kind and full class.
Key = tuple[str, str]


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
        Part(clean(named(key[1])), int(node.size), hue_of(key), _members(node, least, hue_of(key)))
        for key, node in tree.classes.items()
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


# --- the command ---


@click.command("treemap", short_help="What takes the bytes of a save, as a picture.")
@saves_argument
@where_option
@picture_options
@objects_option
@limit_option
@jobs_option
@shown_names_options
@click.option("--by-mod", is_flag=True, help="Colour the classes by the mod that they are from, not by what they are for.")
def command(saves: Saves, where: Selection | None, output: str, title: str | None, size: Size, *, by_mod: bool) -> int:
    """Draw a rectangle for each class, as large as the data of its objects; in it one for each property; and so on.

    Sizes are bytes before compression. Together the rectangles are the whole save, with the headers of objects and the bytes
    outside of objects; with --where, only the objects that match EXPR. Parts that are too small to see become one part, other.
    Several saves are added up. The sizes as JSON: `stats --json`. It needs pip install 'streamsave[plot]'.

    Exit code: 0; 1 if no object matches EXPR (nothing is written); 2 if a save cannot be read: it is left out.
    """
    need_plot(output)
    sums = Sums()
    code = gather(saves, SumsOf(where), sums.add, summary=True)
    parts = parts_of(sums, whole=where is None, named=shown_name, by_mod=by_mod)
    if not parts:
        raise not_written(output, code, "there is no wanted object")
    from streamsave.cli.draw_treemap import draw_treemap

    subtitle = f"{size_text(sum(part.size for part in parts))} before compression"
    draw_treemap(parts, size, title_of(saves) if title is None else title, subtitle).write(output)
    return code
