"""What a page or a picture shows of the tree of a save: parts that are large enough, the largest first, and the rest of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from streamsave.report.tree import HEADERS, OUTSIDE, Node, Tree

__all__ = ["DEEPEST_PARTS", "REST", "Part", "in_order", "members_of", "parts_of", "with_rest"]

#: The bytes of a part that have no name, or that are too small, too many or too deep to be shown.
REST: Final = "(the rest)"
#: Levels of parts below a class.
DEEPEST_PARTS: Final = 8


class Part(NamedTuple):
    """A number of bytes with a name, what gives its colour, and the parts that they are made of, the largest first."""

    name: str
    size: int
    #: A category or a mod, by its name or number.
    hue: Any = ""
    #: Each a `Part`.
    parts: tuple[Any, ...] = ()


def parts_of(
    tree: Tree,
    *,
    whole: bool,
    named: Callable[[str], str],
    hue_of: Callable[[str, str], object],
    other: object,
    least_share: int,
    most: int | None = None,
) -> tuple[Part, ...]:
    """Return the classes, the headers of objects and what is in no object, the largest first, each with its parts.

    Args:
        tree: the bytes of saves.
        whole: they are those of all objects, so the bytes outside of objects are a part, too.
        named: makes the name of a class that is shown.
        hue_of: returns the hue of a kind and class.
        other: the hue of bytes that belong to no class.
        least_share: parts smaller than the whole divided by this become the rest of the part that they are in.
        most: how many parts a part may have besides the rest.
    """
    headers = sum(tree.headers.values())
    held = sum(node.size for node in tree.classes.values()) + headers
    outside = max(int(tree.inflated_size) - held, 0) if whole else 0
    least = max((held + outside) // least_share, 1)

    def part(name: str, nodes: Iterable[tuple[str, Node]], size: int, hue: object) -> Part:
        return Part(name, size, hue, members_of(nodes, size, hue, least, most))

    parts = [part(named(name), node.nodes.items(), node.size, hue_of(kind, name)) for (kind, name), node in tree.classes.items()]
    parts.append(part(HEADERS, [(named(name), Node(size)) for (_, name), size in tree.headers.items()], headers, other))
    parts.append(part(OUTSIDE, tree.outside.nodes.items(), outside, other))
    return in_order(parts)


def members_of(
    nodes: Iterable[tuple[str, Node]], size: int, hue: object, least: int, most: int | None = None, depth: int = 1
) -> tuple[Part, ...]:
    """Return the parts of so many bytes that have at least `least`, as far as that is not too deep, and the rest."""
    if depth > DEEPEST_PARTS:
        return ()
    large = sorted(((name, node) for name, node in nodes if node.size >= least), key=lambda each: (-each[1].size, each[0]))
    shown = [
        Part(name, node.size, hue, members_of(node.nodes.items(), node.size, hue, least, most, depth + 1))
        for name, node in large[:most]
    ]
    return with_rest(shown, size, hue)


def with_rest(shown: Sequence[Part], size: int, hue: object) -> tuple[Part, ...]:
    """Return parts of so many bytes and, if there are bytes left, the rest, in order; nothing if the rest is all."""
    return in_order([*shown, Part(REST, size - sum(part.size for part in shown), hue)]) if shown else ()


def in_order(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with the largest first; leave out empty ones."""
    return tuple(sorted((part for part in parts if part.size > 0), key=lambda part: (-part.size, part.name)))
