"""What commands say of saves and blueprint codes of shapez 2: islands hold buildings, and places are tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from streamsave.cli.options import for_people, keep_only
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text
from streamsave.cli.view import Place, View
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import Json, json_value
from streamsave.events import ObjectHeader, SaveStart
from streamsave.formats.shapez2.header import ROTATIONS
from streamsave.formats.shapez2.places import ISLAND, tile_of

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["CodeView", "Shapez2View"]

#: Kinds of objects that are on the map themselves.
ON_MAP: Final = frozenset({ISLAND, "building"})


class Shapez2View(View):
    """Shows islands and buildings, with their rotation."""

    def objects(self, events: EventStream) -> Iterator[ObjectHeader]:
        """Yield the header of each wanted object, also of buildings on islands, and of the states of both."""
        for event in events:
            if isinstance(event, ObjectHeader):
                yield event
                if not events.holds_objects(event):
                    events.skip()

    def cells(self, header: ObjectHeader, *, long: bool) -> tuple[str, ...]:
        """Return class, name (of a building: the place of its island, and that on it), rotation and bytes of an object."""
        return clean(header.class_name), clean(header.instance_name), rotation_text(header), str(header.size)

    def line(self, header: ObjectHeader, *, long: bool) -> str:
        """Return the line of an object for a terminal."""
        class_name, name, rotation, _ = self.cells(header, long=long)
        shown = class_name if long else for_people(class_name)
        return f"{count_text(header.size):>11}  {shown:<64}  {name:<32}  {rotation}"

    def place_json(self, header: ObjectHeader) -> dict[str, Json]:
        """Return place and rotation: of a building, those on its island."""
        place = None if header.transform is None else [int(each) for each in header.transform.translation]
        return {f"position_{self.row.place_unit.name}": json_value(place), "rotation": rotation_text(header)}

    def places(self, events: EventStream, where: Selection | None) -> Iterator[Place]:
        """Yield where islands (the middle of their first square) and buildings are on the map.

        Raises:
            SaveError: the bytes are at fault.
        """
        keep_only(events, where)
        for header in self.objects(events):
            tile = tile_of(header)
            if tile is not None and header.kind in ON_MAP:
                yield Place(self.row.place_unit, header.class_name, *tile, header.kind)


class CodeView(Shapez2View):
    """Shows a blueprint code: also how many islands and buildings it has."""

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact."""
        yield from super().info_rows(save, start)
        islands, buildings = self.count_objects(save.events)
        yield "islands", str(islands)
        yield "buildings", str(buildings)

    def info_json(self, save: Save, start: SaveStart) -> dict[str, Json]:
        """Return the header, and how many islands and buildings there are."""
        header = super().info_json(save, start)
        header["islands"], header["buildings"] = self.count_objects(save.events)
        return header

    def count_objects(self, events: EventStream) -> tuple[int, int]:
        """Return how many islands there are, and how many buildings."""
        kinds = Counter(header.kind == ISLAND for header in self.objects(events))
        return kinds[True], kinds[False]


def rotation_text(header: ObjectHeader) -> str:
    """Return which way an object faces; the number that is stored where it is none of the game's."""
    return ROTATIONS[header.flags] if 0 <= header.flags < len(ROTATIONS) else str(header.flags)
