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
from streamsave.rewriting.gone import Gone
from streamsave.stream.stream import EventStream

__all__ = ["choose_dependents"]

#: Classes, without their path, whose trailer refers to what they connect: both ends; all belts, where it is how the name starts.
LINES: Final = ("Build_PowerLine_C", "Build_XmassLightsLine_C")


class Connector:
    """An object that connects others, whose names are here as numbers."""

    __slots__ = ("ends", "key", "name", "needs_all", "text")

    def __init__(self, key: int, name: int, text: str, ends: set[int], *, needs_all: bool) -> None:
        self.key = key
        self.name = name
        #: The name as text.
        self.text = text
        self.ends = ends
        #: All of them have to be there, not just one.
        self.needs_all = needs_all

    def goes_with(self, gone: set[int]) -> bool:
        """Return whether it means nothing without what is gone."""
        return not self.ends.isdisjoint(gone) if self.needs_all else bool(self.ends) and self.ends <= gone


def choose_dependents(events: EventStream, choice: Choice, gone_names: Gone) -> None:
    """Add to a choice what depends on it, and what depends on that; note which chains lose only some of their belts.

    Args:
        events: of the save; nothing was read yet.
        choice: what is dropped; it is finished.
        gone_names: has the names of what is dropped.

    Raises:
        SaveError: the save is damaged.
    """
    keys = array("q")
    names = array("q")
    owners = array("q")
    connectors: list[Connector] = []
    gone: set[int] = set()
    #: Parts whose names do not start as those of their owners do.
    odd: dict[int, str] = {}

    def note(header: ObjectHeader) -> bool:
        """Note an object; return whether it connects others."""
        name = hash_of(header.instance_name)
        key = events.key_of(header.offset)
        gone_names.note_length(header.instance_name)
        if choice.has(key):
            gone.add(name)
            return False
        if header.outer:
            keys.append(key)
            names.append(name)
            owners.append(hash_of(header.outer))
            if not header.instance_name.startswith(header.outer):
                odd[name] = header.instance_name
        short = header.class_name.rpartition(".")[2]
        return short in LINES or short.startswith(CHAINS)

    events.only(note)
    for event in events:
        if isinstance(event, ObjectHeader) and events.takes(event):
            short = event.class_name.rpartition(".")[2]
            name = hash_of(event.instance_name)
            ends = ends_of(events, event)
            connectors.append(Connector(events.key_of(event.offset), name, event.instance_name, ends, needs_all=short in LINES))
    count = -1
    while count < len(gone):
        count = len(gone)
        for row, owner in enumerate(owners):
            if owner in gone and names[row] not in gone:
                gone.add(names[row])
                choice.add_number(keys[row], names[row])
                if names[row] in odd:
                    gone_names.add(odd[names[row]])
        for connector in connectors:
            if connector.name not in gone and connector.goes_with(gone):
                gone.add(connector.name)
                choice.add_number(connector.key, connector.name)
                gone_names.add(connector.text)
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
