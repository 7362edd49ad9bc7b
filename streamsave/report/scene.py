"""What a page shows of a save: places and lines in blocks as they come, items in stores, and what is in machines and stores.

Nothing here grows with the number of objects: points are written in blocks of `BLOCK`, and tables have limits.

Details are rows about the object with a name. Of a machine: -1 less the number of its recipe in `Scene.recipes`, its clock (1 is
100 %), 1 if it produces, and its productivity. Of a store: the number of an inventory of it in `Scene.parts`, and item and amount
of all in it, fluids in cubic metres.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from math import isfinite
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.events import ObjectHeader
from streamsave.formats import METRES, PlaceUnit
from streamsave.formats.palworld.game import SLOT_LIST
from streamsave.formats.palworld.game import items_of as slots_of
from streamsave.formats.satisfactory.game import (
    MACHINE_FIELDS,
    SPLINE,
    STACKS,
    STORED,
    WIRES,
    holds_items,
    is_machine,
    items_of,
    machine_of,
    owner_of,
    produced_of,
    share,
)
from streamsave.report.footprints import corners_of, spot_of
from streamsave.report.names import amount
from streamsave.report.page import CORNERS_BLOCK, DETAILS_BLOCK, LINES_BLOCK, POINTS_BLOCK, Blocks
from streamsave.report.tree import Sink

__all__ = ["BLOCK", "Scene"]

#: Points of a block, and corners of lines.
BLOCK: Final = 8192
#: Classes that are held; the points of others count as those of the last one.
MOST_CLASSES: Final = 65_535
#: Characters of a name.
LONGEST_NAME: Final = 300
#: Different items, recipes, and names of inventories.
MOST_ITEMS: Final = 20_000
#: Rows of a block of details.
DETAIL_ROWS: Final = 1024


class Scene(Sink):
    """Takes objects and values while a save is read.

    Args:
        blocks: where points and lines go.
        unit: of the places of the save.
        game: `"satisfactory"`, `"palworld"`, `"shapez2"`, or "" for any other: which values are wanted.
    """

    def __init__(self, blocks: Blocks, unit: PlaceUnit = METRES, game: str = "") -> None:
        super().__init__()
        self._blocks = blocks
        self._unit = unit
        #: It is Satisfactory: items may be fluids, and the paths of classes say from which mods they are.
        self.has_fluids = game == "satisfactory"
        if self.has_fluids:
            self.names = frozenset((SPLINE, WIRES, STACKS, STORED, *MACHINE_FIELDS))
        elif game == "palworld":
            self.names = frozenset((SLOT_LIST,))
        #: Kind and class -> its number, and how many points it has.
        self.classes: dict[tuple[str, str], int] = {}
        self.class_counts: array[int] = array("I")
        self.point_count = 0
        self.line_count = 0
        #: How many of each item there are, and in how many stacks.
        self.items: Counter[str] = Counter()
        self.stacks: Counter[str] = Counter()
        #: The number of the point of the object that is read; -1 if it has none.
        self._last: i64 = -1
        #: Of points that are not written yet: x, y, class, turn; and their names.
        self._points: list[array[Any]] = [array(code) for code in "ffHB"]
        self._names: list[str] = []
        #: Of such lines: the point, how many corners, and the corners of all.
        self._lines: list[array[Any]] = [array("I"), array("H")]
        self._corners: array[float] = array("f")
        #: Recipes of machines, and last parts of the names of inventories -> their numbers.
        self.recipes: dict[str, int] = {}
        self.parts: dict[str, int] = {}
        #: Rows of details that are not written yet.
        self._details: list[Json] = []
        #: The actor that is read, and its fields of machines.
        self._actor: ObjectHeader | None = None
        self._fields: dict[str, object] = {}

    # --- what `collect` calls ---

    def place(self, header: ObjectHeader) -> None:
        """Take an object: its place, its class, and its name."""
        self._end_actor()
        self._last = -1
        spot = spot_of(header, self._unit)
        if spot is None:
            return
        x, y, turn = spot
        if not (isfinite(x) and isfinite(y)) or abs(x) > 1e30 or abs(y) > 1e30:
            return
        self._last = self.point_count
        self.point_count += 1
        if self.has_fluids:
            self._actor = header
        self._names.append(header.instance_name[:LONGEST_NAME])
        # `Any`: compiled, numbers of a mixed tuple would all be floats.
        cells: tuple[Any, ...] = (x, y, self._class(header.kind, header.class_name), turn)
        for column, cell in zip(self._points, cells, strict=True):
            column.append(cell)
        if len(self._points[0]) == BLOCK:
            self._write_points()

    def wants(self, header: ObjectHeader, name: str) -> bool:
        """Return whether the value of a property is wanted."""
        if name == SLOT_LIST:
            return header.kind == "container"
        return holds_items(header.class_name, name) or (self._last >= 0 and name != STORED)

    def value(self, header: ObjectHeader, name: str, value: object) -> None:
        """Take a value: items, or a line."""
        if name in {STACKS, STORED}:
            found: Counter[str] = Counter()
            for item, count in items_of(value):
                self._item(item, count)
                found[item] += count
            if found:
                self._stored(header, found)
        elif name in MACHINE_FIELDS:
            self._fields[name] = value
        elif name == SLOT_LIST:
            for item, number, _ in slots_of(value):
                if isinstance(number, int):
                    self._item(item, number)
        else:
            for corners in corners_of(name, value, header.transform):
                self._line(corners)

    def end(self) -> None:
        """Write what is left."""
        self._end_actor()
        self._write_points()
        self._write_lines()
        self._write_details()

    # --- inside ---

    def _class(self, kind: str, class_name: str) -> int:
        number = _number(self.classes, (kind, class_name), MOST_CLASSES)
        if number == len(self.class_counts):
            self.class_counts.append(0)
        self.class_counts[number] += 1
        return number

    def _item(self, item: str, count: int) -> None:
        if item in self.items or len(self.items) < MOST_ITEMS:
            self.items[item] += count
            self.stacks[item] += 1

    def _stored(self, header: ObjectHeader, found: Counter[str]) -> None:
        """Add a row of what is in an inventory; a component is a part of what has its name without the last part."""
        name = header.instance_name if header.transform is not None else owner_of(header.instance_name)
        if name:
            part = _number(self.parts, header.instance_name[len(name) + 1 :], MOST_ITEMS)
            amounts = ((item, amount(item, count)) for item, count in found.items())
            self._add_detail([name[:LONGEST_NAME], part, *(cell for pair in amounts for cell in pair)])

    def _end_actor(self) -> None:
        """Add a row for the actor that was read if it is a machine."""
        actor = self._actor
        if actor is not None and is_machine(actor.class_name, self._fields):
            recipe, clock, produces = machine_of(self._fields)
            name, number = actor.instance_name[:LONGEST_NAME], -1 - _number(self.recipes, recipe, MOST_ITEMS)
            shown, part = to_jsonable(clock), to_jsonable(share(*produced_of(self._fields)))
            self._add_detail([name, number, shown, int(produces), part])
        self._actor = None
        self._fields.clear()

    def _add_detail(self, row: list[Json]) -> None:
        self._details.append(row)
        if len(self._details) == DETAIL_ROWS:
            self._write_details()

    def _write_details(self) -> None:
        if self._details:
            self._blocks.add(DETAILS_BLOCK, 0, [], json.dumps(self._details, separators=(",", ":")).encode("ascii"))
            self._details.clear()

    def _line(self, corners: list[float]) -> None:
        if self._last < 0 or not corners:
            return
        scale = self._unit.scale
        for column, cell in zip(self._lines, (self._last, len(corners) // 2), strict=True):
            column.append(cell)
        self._corners.extend([min(1e30, max(-1e30, corner / scale)) for corner in corners])
        self.line_count += 1
        if len(self._corners) >= 2 * BLOCK:
            self._write_lines()

    def _write_points(self) -> None:
        self._write(POINTS_BLOCK, self._points, json.dumps(self._names).encode("ascii"))
        self._names.clear()

    def _write_lines(self) -> None:
        self._write(LINES_BLOCK, self._lines)
        self._write(CORNERS_BLOCK, [self._corners])

    def _write(self, kind: int, columns: list[array[Any]], text: bytes = b"") -> None:
        if columns[0]:
            self._blocks.add(kind, len(columns[0]), columns, text)
            for column in columns:
                del column[:]


def _number(numbers: dict[Any, int], key: object, most: int) -> int:
    """Return the number of a key among at most so many; that of the last one if there are too many."""
    if key not in numbers and len(numbers) < most:
        numbers[key] = len(numbers)
    return numbers.get(key, most - 1)
