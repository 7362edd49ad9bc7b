"""What the commands say of saves and blueprint codes of shapez 2, whose islands hold buildings, and whose places are tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.cli.inputs import Save
from streamsave.cli.output import on_terminal, write_json, write_line, write_row
from streamsave.cli.text import clean, count_text
from streamsave.events import ObjectHeader, StructEnter
from streamsave.formats.shapez2.header import ROTATIONS
from streamsave.jsonable import jsonable
from streamsave.stream import EventStream

__all__ = ["count_objects", "holds_objects", "list_objects", "objects"]

#: Members whose objects are states of those in others.
STATES: Final = "States"
ISLAND: Final = "island"


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
                    "file": jsonable(save.label),
                    "kind": header.kind,
                    "class_name": jsonable(header.class_name),
                    "instance_name": jsonable(header.instance_name),
                    "level": jsonable(header.level),
                    "outer": jsonable(header.outer),
                    "size": header.size,
                    "position_tiles": jsonable(place),
                    "rotation": rotation,
                }
            )
            continue
        row = (clean(header.class_name), clean(header.instance_name), rotation, str(header.size))
        if terminal:
            write_line(f"{count_text(header.size):>11}  {row[0]:<44}  {row[1]:<32}  {rotation}")
        else:
            write_row((clean(save.label), *row) if several else row)
