"""The end of a page's data: classes, items, the tree of bytes, and answers of commands, as JSON that the script reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from streamsave.decode.json_values import Json
from streamsave.formats import PlaceUnit
from streamsave.formats.satisfactory.game import mod_of
from streamsave.report.categories import ALL, CLASS_COLOURS, OTHER, Category, Classify
from streamsave.report.footprints import footprint
from streamsave.report.names import Names, amount
from streamsave.report.parts import Part, in_order, parts_of, with_rest
from streamsave.report.scene import Scene
from streamsave.report.tree import HEADERS, OUTSIDE, Tree

__all__ = ["MOST_PARTS", "summary"]

#: A part smaller than the whole divided by this is not shown by itself.
LEAST_SHARE: Final = 20_000
#: Parts of one part.
MOST_PARTS: Final = 120
#: Rows of the table of classes, and of items.
MOST_ROWS: Final = 6000

#: Returns the number of the category of a class, by kind and name.
CategoryOf = Callable[[str, str], int]


def summary(
    scene: Scene,
    tree: Tree,
    classify: Classify,
    names: Names,
    unit: PlaceUnit,
    *,
    title: str,
    note: str,
    whole: bool,
    sections: Sequence[Json] = (),
) -> dict[str, object]:
    """Return what the script of a page reads besides points and lines.

    Args:
        scene: what was taken of the save.
        tree: its bytes.
        classify: finds categories; an empty one colours the most frequent classes.
        names: of classes.
        unit: of places.
        title: of the page.
        note: what went wrong; "" if nothing did.
        whole: all objects are in the tree.
        sections: tables of their own.
    """
    keys = list(scene.classes)
    places = dict(zip(keys, scene.class_counts, strict=True))
    categories, category_of = _categories(tree, places, classify, names)
    amounts = {item: amount(item, count) if scene.has_fluids else count for item, count in scene.items.items()}
    items = sorted(amounts.items(), key=lambda each: (-each[1], each[0]))[:MOST_ROWS]
    rows = sorted(tree.classes.items(), key=lambda each: (-each[1].size, each[0]))[:MOST_ROWS]
    return {
        "title": title,
        "note": note,
        "unit": unit.symbol,
        "sections": list(sections),
        "recipes": [names(name) if name else "" for name in scene.recipes],
        "parts": [names(name) for name in scene.parts],
        "hasCategories": bool(classify),
        "categories": [[each.name, each.light, each.dark] for each in categories],
        "classes": [[kind, name, names(name), category_of(kind, name), *footprint(kind, name)] for kind, name in keys],
        "points": scene.point_count,
        "lines": scene.line_count,
        "table": [
            [
                names(name),
                name.rpartition(".")[2],
                kind,
                category_of(kind, name),
                node.count,
                places.get((kind, name), 0),
                node.size,
                mod_of(name) if scene.has_fluids else "",
            ]
            for (kind, name), node in rows
        ],
        "items": [[names(item), item, count, scene.stacks[item]] for item, count in items],
        "tree": _tree(tree, category_of, categories, names, by_class=not classify, whole=whole),
    }


def _categories(
    tree: Tree, places: dict[tuple[str, str], int], classify: Classify, names: Names
) -> tuple[list[Category], CategoryOf]:
    """Return the categories that a save has, and what finds their numbers."""
    if classify:
        used = {classify(kind, name) for kind, name in (*places, *tree.classes)} | {OTHER}
        categories = [category for category in ALL if category in used]
        return categories, lambda kind, name: categories.index(classify(kind, name))
    weights = places or {key: node.size for key, node in tree.classes.items()}
    first = sorted(weights.items(), key=lambda each: (-each[1], each[0]))[: len(CLASS_COLOURS)]
    by_class = {key: number for number, (key, _) in enumerate(first)}
    coloured = [colour._replace(name=names(key[1])) for (key, _), colour in zip(first, CLASS_COLOURS, strict=False)]
    coloured += [colour._replace(name="") for colour in CLASS_COLOURS[len(coloured) :]]
    return [*coloured, OTHER], lambda kind, name: by_class.get((kind, name), len(CLASS_COLOURS))


def _tree(
    tree: Tree, category_of: CategoryOf, categories: Sequence[Category], names: Names, *, by_class: bool, whole: bool
) -> Part:
    """Return the whole tree: categories, classes, members; headers; what is in no object."""
    other = len(categories) - 1
    found = parts_of(tree, whole=whole, named=names, hue_of=category_of, other=other, least_share=LEAST_SHARE, most=MOST_PARTS)
    total = sum(part.size for part in found)
    top: list[Part] = []
    grouped: dict[int, list[Part]] = {}
    for part in found:
        if part.name in {HEADERS, OUTSIDE}:
            top.append(part)
        else:
            grouped.setdefault(part.hue, []).append(part)
    for number, parts in grouped.items():
        large = [part for part in parts if part.size * LEAST_SHARE >= total]
        size = sum(part.size for part in parts)
        is_own = len(parts) == 1 and by_class  # the class is its own category
        whole_part = Part(categories[number].name or "other", size, number, with_rest(large, size, number))
        top.append(parts[0] if is_own else whole_part)
    return Part("everything", total, other, in_order(top))
