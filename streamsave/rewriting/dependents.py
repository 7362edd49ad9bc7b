"""Which objects go with those that are dropped, as they would mean nothing without them.

| object | goes with |
|---|---|
| a part, and the parts of a part | its owner (`outer`) |
| a power line | the object of either of its ends |
| a chain of conveyor belts | the last of its belts |
"""

from __future__ import annotations

from array import array
from typing import Final

from streamsave.events import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.rewriting.chains import CHAINS, TRAILER
from streamsave.rewriting.choice import Choice, hash_of
from streamsave.stream.stream import EventStream

__all__ = ["choose_dependents"]

#: Classes, without their path, whose trailer refers to what they connect: both ends; all belts, where it is how the name starts.
LINES: Final = ("Build_PowerLine_C", "Build_XmassLightsLine_C")


class Connector:
    """An object that connects others, whose names are here as numbers."""

    __slots__ = ("ends", "key", "name", "needs_all")

    def __init__(self, key: int, name: int, ends: set[int], *, needs_all: bool) -> None:
        self.key = key
        self.name = name
        self.ends = ends
        #: All of them have to be there, not just one.
        self.needs_all = needs_all

    def goes_with(self, gone: set[int]) -> bool:
        """Return whether it means nothing without what is gone."""
        return not self.ends.isdisjoint(gone) if self.needs_all else bool(self.ends) and self.ends <= gone


def choose_dependents(events: EventStream, choice: Choice) -> None:
    """Add to a choice what depends on it, and what depends on that; note which chains lose only some of their belts.

    Args:
        events: of the save; nothing was read yet.
        choice: what is dropped; it is finished.

    Raises:
        SaveError: the save is damaged.
    """
    keys = array("q")
    names = array("q")
    owners = array("q")
    connectors: list[Connector] = []
    gone: set[int] = set()
    for event in events:
        if not isinstance(event, ObjectHeader):
            continue
        name = hash_of(event.instance_name)
        key = events.key_of(event.offset)
        if choice.has(key):
            gone.add(name)
        elif event.outer:
            keys.append(key)
            names.append(name)
            owners.append(hash_of(event.outer))
        short = event.class_name.rpartition(".")[2]
        if name not in gone and (short in LINES or short.startswith(CHAINS)):
            connectors.append(Connector(key, name, ends_of(events, event), needs_all=short in LINES))
        elif not events.holds_objects(event):
            events.skip()
    count = -1
    while count < len(gone):
        count = len(gone)
        for row, owner in enumerate(owners):
            if owner in gone and names[row] not in gone:
                gone.add(names[row])
                choice.add_number(keys[row], names[row])
        for connector in connectors:
            if connector.name not in gone and connector.goes_with(gone):
                gone.add(connector.name)
                choice.add_number(connector.key, connector.name)
    choice.losing = {each.key for each in connectors if each.name not in gone and not each.ends.isdisjoint(gone)}
    choice.finish()


def ends_of(events: EventStream, header: ObjectHeader) -> set[int]:
    """Return what the trailer of the last event, an object, refers to, and go to the end of the object."""
    ends: set[int] = set()
    for event in events:
        if isinstance(event, ObjectEnd):
            break
        if isinstance(event, Field) and event.name == TRAILER:
            ends = {hash_of(path) for path in events.references() if path != header.instance_name}
        elif isinstance(event, (Field, PropertyTag, StructEnter)):
            events.skip()
    return ends
