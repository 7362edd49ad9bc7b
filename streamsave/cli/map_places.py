"""Where objects are on the map, as `streamsave map` draws them; the view of a format finds the places."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from streamsave.cli.save import Save
from streamsave.cli.view import Place, make_view
from streamsave.formats import METRES, PlaceUnit

if TYPE_CHECKING:
    from attrs import frozen

    from streamsave.query.tests import Selection
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["MOST_PLACES", "MixedUnits", "Places", "PlacesOf"]

#: Places that are held: eight bytes each. The largest worlds of players have some hundred thousand objects.
MOST_PLACES: Final = 5_000_000


@frozen
class PlacesOf:
    """Finds the places of the objects of a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Place]:
        """Yield the places.

        Raises:
            SaveError: the bytes are at fault.
        """
        return make_view(save.events.format).places(save.events, self.where)


class MixedUnits(Exception):
    """The places of another save are in another unit."""

    def __init__(self, unit: PlaceUnit, other: PlaceUnit) -> None:
        super().__init__(f"some saves have places in {unit.name} and others in {other.name}; one picture cannot show both")


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

    def add(self, place: Place) -> None:
        """Add a place; leave it out where a number is infinite or not a number.

        Raises:
            MixedUnits: it has another unit than the places before.
        """
        unit, class_name, x, y = place
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        if self.counts and unit != self.unit:
            raise MixedUnits(self.unit, unit)
        self.unit = unit
        self.counts[class_name] += 1
        if self.held_count == MOST_PLACES:
            return
        self.held_count += 1
        if class_name not in self.held:
            self.held[class_name] = array("f"), array("f")
        xs, ys = self.held[class_name]
        xs.append(x)
        ys.append(y)
