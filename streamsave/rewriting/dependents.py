"""Which objects go with those that are dropped, as they would mean nothing without them.

| object | goes with |
|---|---|
| a part, and the parts of a part | its owner (`outer`) |
| a power line | the object of either of its ends |
| a chain of conveyor belts | the last of its belts |
"""

from __future__ import annotations

from array import array
from tempfile import SpooledTemporaryFile
from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.events import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.satisfactory.game import CONNECTORS, TRAILER, connects
from streamsave.rewriting.gone import Choice, Gone, NumberSet, common_start, hash_of

__all__ = ["choose_dependents"]

#: Bytes of numbers that are held in memory, and that are read at a time.
MOST_HELD: Final = 1 << 20
BLOCK_SIZE: Final = 24 << 10


class Dependents:
    """The parts and connectors of a save, as numbers: there may be very many.

    Args:
        events: of the save.
        choice: what is dropped.
        gone: has the names of what is dropped.
    """

    def __init__(self, events: EventStream, choice: Choice, gone: Gone) -> None:
        self._events = events
        self._choice = choice
        self._gone = gone
        #: Key, name and owner of each part.
        self._parts = SpooledTemporaryFile(MOST_HELD)  # noqa: SIM115 - closed by `choose`
        #: Parts whose names do not start as those of their owners do, and how all these names start.
        self._odd = NumberSet()
        self._odd_start: str | None = None
        #: Keys and names of the connectors; where the names of what each connects end in `_ends`.
        self._connectors = array("q")
        self._connector_names = array("q")
        self._stops = array("q")
        self._ends = array("q")
        #: Of each, its place in `CONNECTORS` (chains come after these); and how all names of a kind start.
        self._kinds = array("b")
        self._starts: list[str | None] = [None] * (len(CONNECTORS) + 1)

    def note(self, header: ObjectHeader) -> bool:
        """Note an object; return whether it connects others, so that its data are needed."""
        key = self._events._key_of(header.offset)
        if self._choice.has(key):
            return False
        if header.outer:
            name = hash_of(header.instance_name)
            self._parts.write(array("q", (key, name, hash_of(header.outer))).tobytes())
            if not header.instance_name.startswith(header.outer):
                self._odd.add(name)
                self._odd_start = common_start(self._odd_start, header.instance_name)
        return connects(header.class_name)

    def note_connector(self, header: ObjectHeader) -> None:
        """Note what the last event, an object, connects; go to its end."""
        short = header.class_name.rpartition(".")[2]
        kind = CONNECTORS.index(short) if short in CONNECTORS else len(CONNECTORS)
        self._starts[kind] = common_start(self._starts[kind], header.instance_name)
        self._kinds.append(kind)
        self._connectors.append(self._events._key_of(header.offset))
        self._connector_names.append(hash_of(header.instance_name))
        self._ends.extend(ends_of(self._events, header))
        self._stops.append(len(self._ends))

    def choose(self) -> None:
        """Add to the choice what depends on it, and what depends on that."""
        count = -1
        while count < len(self._choice):
            count = len(self._choice)
            self._choose_parts()
            self._choose_connectors()
        self._parts.close()

    def _choose_parts(self) -> None:
        choice = self._choice
        self._parts.seek(0)
        while data := self._parts.read(BLOCK_SIZE):
            block = array("q", data)
            for at in range(0, len(block), 3):
                if not choice.has_number(block[at + 2]):
                    continue
                name = block[at + 1]
                if not choice.has_number(name):
                    choice.add_number(block[at], name)
                    if self._odd_start is not None and self._odd.has(name):
                        self._gone.add(self._odd_start)

    def _choose_connectors(self) -> None:
        """Add connectors that mean nothing any more; note which chains lose only some of their belts."""
        choice = self._choice
        first = 0
        for row, stop in enumerate(self._stops):
            ends = self._ends[first:stop]
            first = stop
            name = self._connector_names[row]
            if choice.has_number(name):
                continue
            count = sum([choice.has_number(end) for end in ends])
            kind = self._kinds[row]
            if count and (kind < len(CONNECTORS) or count == len(ends)):
                choice.add_number(self._connectors[row], name)
                self._gone.add(self._starts[kind] or "")
            elif count:
                choice.losing.add(self._connectors[row])


def choose_dependents(events: EventStream, choice: Choice, gone: Gone) -> None:
    """Add to a choice what depends on it, and what depends on that; note which chains lose only some of their belts.

    Args:
        events: of the save; nothing was read yet.
        choice: what is dropped.
        gone: has the names of what is dropped.

    Raises:
        SaveError: the save is damaged.
    """
    found = Dependents(events, choice, gone)
    events.only(found.note)
    for event in events:
        if isinstance(event, ObjectHeader) and events.takes(event):
            found.note_connector(event)
    found.choose()


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
