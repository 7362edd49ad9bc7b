"""Where objects are on the map, as `streamsave map` draws them; the view of a format finds the places. Lines between them."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from attrs import frozen

from streamsave.cli.options import both
from streamsave.cli.save import Save
from streamsave.cli.view import Place, make_view
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.formats import METRES, PlaceUnit
from streamsave.formats.satisfactory.game import SPLINE, WIRES, may_have_lines
from streamsave.report.categories import NATURE, Category, Classify, classify_for, game_of
from streamsave.report.splines import corners_of

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["MOST_PLACES", "MixedUnits", "Places", "PlacesOf", "places_with_lines"]


#: The properties with lines.
NAMES: Final = frozenset((SPLINE, WIRES))


def places_with_lines(events: EventStream, where: Selection | None, classify: Classify) -> Iterator[Place]:
    """Yield where the wanted objects are, with the corners of belts, pipes, rails and wires; y counts to the south.

    Raises:
        SaveError: the bytes are at fault.
    """
    unit = events.format.place_unit
    scale = unit.scale
    # Most objects are parts of others and have no place.
    events.only(both("kind != object", where))
    line: ObjectHeader | None = None
    ends: tuple[float, ...] = ()
    walk = Walk(events, loose=False)
    for step in walk:
        header: ObjectHeader | None = None
        if isinstance(step, ObjectHeader):
            if step.transform is None or not events.takes(step):
                walk.skip()
            elif may_have_lines(step.class_name):
                line, ends = step, ()
                walk.keep(NAMES)
            else:
                walk.skip()
                header, ends = step, ()
        elif isinstance(step, Part) and line is not None:
            lines = corners_of(str(step.path[step.base]), step.value, line.transform)
            ends = tuple([corner / scale for corner in next(lines, [])])
        elif isinstance(step, ObjectEnd):
            header, line = line, None
        if header is not None and header.transform is not None:
            x, y, _ = header.transform.translation
            category = classify(header.kind, header.class_name) if classify else None
            yield Place(unit, header.class_name, x / scale, y / scale, header.kind, ends, category)


#: Places that are held: eight bytes each. The largest worlds of players have some hundred thousand objects.
MOST_PLACES: int = 5_000_000


@frozen
class PlacesOf:
    """Finds the places of the objects of a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Place]:
        """Yield the places.

        Raises:
            SaveError: the bytes are at fault.
        """
        start = save.start()
        row = save.events.format
        classify = classify_for(row.name, palworld=game_of(start) == "palworld")
        if game_of(start) == "satisfactory":
            yield from places_with_lines(save.events, self.where, classify)
            return
        for place in make_view(row).places(save.events, self.where):
            yield place._replace(category=classify(place.kind, place.class_name)) if classify else place


class MixedUnits(Exception):
    """The places of another save are in another unit."""


class Places:
    """Places by class."""

    def __init__(self) -> None:
        #: Of all of them.
        self.unit: PlaceUnit = METRES
        #: Objects with a place, by class, whether it is held or not.
        self.counts: Counter[str] = Counter()
        #: Those that are held: x and y of each class.
        self.held: dict[str, tuple[array[float], array[float]]] = {}
        self.held_count = 0
        #: What each class is to a player, in games with categories.
        self.categories: dict[str, Category] = {}
        #: Lines of each class: x and y of the corners of each one.
        self.lines: dict[str, list[array[float]]] = {}
        self.corner_count = 0

    def add(self, place: Place) -> None:
        """Add a place; leave it out where a number is infinite or not a number.

        Raises:
            MixedUnits: it has another unit than the places before.
        """
        unit, class_name, x, y = place[:4]
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        if self.counts and unit != self.unit:
            raise MixedUnits(
                f"some saves have places in {self.unit.name} and others in {unit.name}; one picture cannot show both"
            )
        self.unit = unit
        self.counts[class_name] += 1
        if place.category is not None:
            self.categories[class_name] = place.category
        if self.held_count == MOST_PLACES:
            return
        self.held_count += 1
        if class_name not in self.held:
            self.held[class_name] = array("f"), array("f")
        xs, ys = self.held[class_name]
        xs.append(x)
        ys.append(y)
        if place.corners and self.corner_count < MOST_PLACES:
            self.corner_count += len(place.corners) // 2
            self.lines.setdefault(class_name, []).append(array("f", place.corners))

    def leave_out_nature(self) -> None:
        """Leave out what no player has made, if there is something else."""
        nature = [name for name, category in self.categories.items() if category == NATURE]
        if len(nature) < len(self.counts):
            for name in nature:
                del self.counts[name], self.categories[name]
                xs, _ = self.held.pop(name, (array("f"), None))
                self.held_count -= len(xs)
