"""The end of a page's data: facts, classes, items and the tree of bytes as JSON that the script reads.

`footprint` is how wide and long a building is, seen from above: a page draws it so once there is room for that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from streamsave.decode.json_values import Json
from streamsave.formats import PlaceUnit
from streamsave.formats.satisfactory.game import mod_of
from streamsave.report.categories import (
    ALL,
    LOGISTICS,
    NATURE,
    OTHER,
    POWER,
    PRODUCTION,
    STORAGE,
    VEHICLES,
    Category,
    Classify,
)
from streamsave.report.names import Names
from streamsave.report.scene import Scene
from streamsave.report.tree import HEADERS, OUTSIDE, Node, Tree

__all__ = ["CLASS_COLOURS", "Branch", "branches", "footprint", "summary"]

#: Patterns of short class names of Satisfactory -> metres; the first that matches counts.
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
#: Tiles of an island of shapez 2, of one square, and of a building.
ISLAND: Final = (20.0, 20.0)
BUILDING: Final = (1.0, 1.0)
NONE: Final = (0.0, 0.0)


def footprint(kind: str, class_name: str) -> tuple[float, float]:
    """Return width and length of an object, in the unit of the map; (0, 0) where it is a dot."""
    if kind == "island":
        return ISLAND
    if kind == "building":
        return BUILDING
    name = class_name[class_name.rfind(".") + 1 :]
    for pattern, wide, long in SIZES:
        if pattern.match(name):
            return wide, long
    return NONE


#: A part smaller than the whole divided by this is not shown by itself.
LEAST_SHARE: Final = 20_000
#: Levels of the tree below a class, and parts of one part.
DEEPEST: Final = 8
MOST_PARTS: Final = 120
#: Rows of the table of classes, and of items.
MOST_ROWS: Final = 6000
#: For games without categories: the most frequent classes have colours of their own.
CLASS_COLOURS: Final = (PRODUCTION, LOGISTICS, POWER, STORAGE, VEHICLES, NATURE)

#: Name, bytes, number of the category, parts.
Branch = list[Json]
#: Returns the number of the category of a class, by kind and name.
CategoryOf = Callable[[str, str], int]


def summary(
    scene: Scene, tree: Tree, classify: Classify, names: Names, unit: PlaceUnit, *, title: str, note: str, whole: bool
) -> dict[str, Json]:
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
    """
    keys = list(scene.classes)
    places = dict(zip(keys, scene.class_counts, strict=True))
    categories, category_of = _categories(tree, places, classify, names)
    items = sorted(scene.items.items(), key=lambda each: (-each[1], each[0]))[:MOST_ROWS]
    rows = sorted(tree.classes.items(), key=lambda each: (-each[1].size, each[0]))[:MOST_ROWS]
    return {
        "title": title,
        "note": note,
        "unit": unit.symbol,
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
                mod_of(name),
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


# --- the tree ---


def branches(node: Node, category: int, least: int, depth: int = 0, most: int = MOST_PARTS, deepest: int = DEEPEST) -> list[Json]:
    """Return the parts of a node that are large enough, the largest first, and the rest as one."""
    if not node.nodes or depth >= deepest:
        return []
    ordered = sorted(node.nodes.items(), key=lambda each: (-each[1].size, each[0]))
    shown = [(name, each) for name, each in ordered[:most] if each.size >= least]
    parts: list[Json] = [
        [name, each.size, category, branches(each, category, least, depth + 1, most, deepest)] for name, each in shown
    ]
    return _with_rest(parts, node.size - sum(each.size for _, each in shown), category)


def _with_rest(parts: list[Json], rest: int, category: int) -> list[Json]:
    """Return parts and, if there are bytes left, the rest; nothing if the rest is all."""
    return [*parts, ["(the rest)", rest, category, []]] if parts and rest > 0 else parts


def _tree(
    tree: Tree, category_of: CategoryOf, categories: Sequence[Category], names: Names, *, by_class: bool, whole: bool
) -> Branch:
    """Return the whole tree: categories, classes, members; headers; what is in no object."""
    held = sum(node.size for node in tree.classes.values()) + sum(tree.headers.values())
    total = max(tree.inflated_size, held)
    least = total // LEAST_SHARE
    grouped: dict[int, list[Json]] = {}
    sizes: dict[int, int] = {}
    for (kind, name), node in sorted(tree.classes.items(), key=lambda each: -each[1].size):
        number = category_of(kind, name)
        sizes[number] = sizes.get(number, 0) + node.size
        if node.size >= least:
            grouped.setdefault(number, []).append([names(name), node.size, number, branches(node, number, least)])
    other = len(categories) - 1
    top: list[Json] = []
    for number, size in sizes.items():
        if size > 0:
            parts = grouped.get(number, [])
            if len(parts) == 1 and _size(parts[0]) == size and by_class:
                # The class is its own category.
                top.append(parts[0])
                continue
            shown = sum(_size(part) for part in parts)
            top.append([categories[number].name or "other", size, number, _with_rest(parts, size - shown, number)])
    headers = sum(tree.headers.values())
    if headers:
        ordered = sorted(tree.headers.items(), key=lambda each: -each[1])
        named: list[Json] = [[names(name), size, other, []] for (_, name), size in ordered[:MOST_PARTS] if size >= least]
        top.append([HEADERS, headers, other, _with_rest(named, headers - sum(map(_size, named)), other)])
    outside = total - headers - sum(sizes.values())
    if whole and outside > 0:
        node = tree.outside
        node.size = outside
        top.append([OUTSIDE, outside, other, branches(node, other, least)])
    top.sort(key=lambda part: -_size(part))
    return ["everything", sum(map(_size, top)), other, top]


def _size(part: Json) -> int:
    assert isinstance(part, list)  # noqa: S101 - each part is a list
    size = part[1]
    assert isinstance(size, int)  # noqa: S101 - its second member is the size
    return size
