"""What the commands say of saves and blueprint codes of shapez 2, whose islands hold buildings, and whose places are tiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave.cli.output import on_terminal, write_json, write_line, write_row
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text
from streamsave.events import ObjectHeader, StructEnter
from streamsave.formats.shapez2.header import ROTATIONS
from streamsave.output.json_values import json_value
from streamsave.stream.stream import EventStream

__all__ = ["count_objects", "holds_objects", "list_objects", "objects", "tile_of"]

#: Members whose objects are states of those in others.
STATES: Final = "States"
ISLAND: Final = "island"
#: An island is counted in squares of so many tiles along each side. Of 230,000 buildings in players' blueprints, those on islands
#: of one square have places from 2 to 17, and those on islands of several squares keep as far from the edges of the squares.
SQUARE_TILES: Final = 20
#: The name of an island, which is its place.
ISLAND_NAME: Final = re.compile(r"\((-?[0-9]+), (-?[0-9]+), -?[0-9]+\)")


def holds_objects(header: ObjectHeader) -> bool:
    """Tell whether there are objects in an object, so that it is not skipped for them."""
    return header.kind == ISLAND


def objects(events: EventStream) -> Iterator[ObjectHeader]:
    """Give the header of each object that is wanted, those in islands too, but not their states."""
    for event in events:
        if isinstance(event, ObjectHeader):
            if events.takes(event):
                yield event
            if not holds_objects(event):
                events.skip()
        elif isinstance(event, StructEnter) and event.type_name == STATES:
            events.skip()


def count_objects(events: EventStream) -> tuple[int, int]:
    """Count islands and buildings."""
    islands = buildings = 0
    for header in objects(events):
        if header.kind == ISLAND:
            islands += 1
        else:
            buildings += 1
    return islands, buildings


def tile_of(header: ObjectHeader) -> tuple[float, float] | None:
    """Tell where an island (its middle) or a building is on the map, in tiles, of which y counts to the south.

    None for what has no place, or stands on an island that has none.
    """
    if header.transform is None:
        return None
    x, y, _ = header.transform.translation
    if header.kind == ISLAND:
        middle = (SQUARE_TILES - 1) / 2
        return x * SQUARE_TILES + middle, y * SQUARE_TILES + middle
    if not header.outer:  # in a blueprint of buildings
        return x, y
    island = ISLAND_NAME.fullmatch(header.outer)
    if island is None:
        return None
    return int(island[1]) * SQUARE_TILES + x, int(island[2]) * SQUARE_TILES + y


def list_objects(save: Save, *, several: bool, as_json: bool) -> None:
    """List islands and buildings: id, place (of a building: that of its island, and on it), rotation, bytes of data."""
    terminal = on_terminal()
    if several and terminal and not as_json:
        write_line(f"{clean(save.label)}:")
    for header in objects(save.events):
        place = None if header.transform is None else [int(each) for each in header.transform.translation]
        rotation = ROTATIONS[header.flags] if 0 <= header.flags < len(ROTATIONS) else str(header.flags)
        if as_json:
            write_json(
                {
                    "file": json_value(save.label),
                    "kind": header.kind,
                    "class_name": json_value(header.class_name),
                    "instance_name": json_value(header.instance_name),
                    "level": json_value(header.level),
                    "outer": json_value(header.outer),
                    "size": header.size,
                    "position_tiles": json_value(place),
                    "rotation": rotation,
                }
            )
            continue
        row = (clean(header.class_name), clean(header.instance_name), rotation, str(header.size))
        if terminal:
            write_line(f"{count_text(header.size):>11}  {row[0]:<44}  {row[1]:<32}  {rotation}")
        else:
            write_row((clean(save.label), *row) if several else row)
