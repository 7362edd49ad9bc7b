"""Where objects are on the map, as `streamsave map` draws them.

| save | unit | place |
|---|---|---|
| Satisfactory | m | of actors, as their headers say, in centimetres; y counts to the south |
| shapez 2 | tiles | of islands (the middle of their first square) and buildings; y counts to the south |

No other format tells places in the headers of its objects.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

from attrs import Factory, define, frozen

from streamsave.cli.inputs import keep_only
from streamsave.cli.save import Save
from streamsave.cli.view_shapez2 import objects, tile_of
from streamsave.events import SaveStart
from streamsave.formats.shapez2.header import BlueprintHeader, SaveHeader
from streamsave.query.tests import Selection

__all__ = ["METRES", "MOST_PLACES", "TILES", "MixedUnits", "Place", "Places", "PlacesOf"]

METRES: Final = "m"
TILES: Final = "tiles"
CENTIMETRES: Final = 100
#: Places that are held: eight bytes each. The largest worlds of players have some hundred thousand objects.
MOST_PLACES: Final = 5_000_000

#: Unit, class, x, y.
Place: TypeAlias = tuple[str, str, float, float]


@frozen
class PlacesOf:
    """Finds the places of the objects of a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Place]:
        """Give them as they come.

        Raises:
            SaveError: the bytes are at fault.
        """
        events = save.events
        first = next(events)
        if isinstance(first, SaveStart) and isinstance(first.header, (BlueprintHeader, SaveHeader)):
            keep_only(events, self.where)
            for header in objects(events):
                tile = tile_of(header)
                if tile is not None:
                    yield TILES, header.class_name, *tile
            return
        for _, found in events.select(self.where, sizes=False):
            if found.position is not None:
                x, y, _ = found.position
                yield METRES, found.class_name, x / CENTIMETRES, y / CENTIMETRES


class MixedUnits(Exception):
    """The places of another save were told in another unit."""


@define
class Places:
    """Places by class."""

    #: Of all of them; "" before the first.
    unit: str = ""
    #: Objects with a place, by class, whether it is held or not.
    counts: Counter[str] = Factory(Counter)
    #: Those that are held: x and y of each class.
    held: dict[str, tuple[array[float], array[float]]] = Factory(dict)
    held_count: int = 0

    def add(self, place: Place) -> None:
        """Take one more; no number that is none, or infinite, is a place.

        Raises:
            MixedUnits: its unit is another one.
        """
        unit, class_name, x, y = place
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        self.unit = self.unit or unit
        if unit != self.unit:
            raise MixedUnits
        self.counts[class_name] += 1
        if self.held_count == MOST_PLACES:
            return
        self.held_count += 1
        if class_name not in self.held:
            self.held[class_name] = array("f"), array("f")
        xs, ys = self.held[class_name]
        xs.append(x)
        ys.append(y)
