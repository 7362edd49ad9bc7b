"""Which objects are chosen to be dropped or edited, and which data refer to dropped ones.

There may be very many objects, so only hashes are held in memory. Before the data of an object are decoded, they are searched
for the common prefix of the names of all dropped objects: most have none.

Objects that depend on a dropped one are dropped with it:

| object | dropped with |
|---|---|
| a part, and the parts of a part | its owner (`outer`) |
| a power line | the object of either of its ends |
| a chain of conveyor belts | the last of its belts |
"""

from __future__ import annotations

import re
from array import array
from tempfile import SpooledTemporaryFile
from typing import IO, Final, cast

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import Cursor
from streamsave.events import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.satisfactory.game import CONNECTORS, TRAILER, connects
from streamsave.rewriting.rows import NumberSet

__all__ = ["Gone", "choose_dependents", "common_start"]


#: A shorter prefix would be found everywhere.
SHORTEST_START: Final = 8
#: Larger data are not searched, but read: a search needs them in memory.
LARGEST_SEARCHED: Final = 256 * 1024


@mypyc_attr(allow_interpreted_subclasses=True)  # `NewNames` is plain Python
class Gone:
    """The dropped objects, as hashes, and all names that no object has any more.

    Two of a million names have the same hash in one of 10 million saves.
    """

    def __init__(self) -> None:
        #: The keys of the objects (`EventStream._key_of`), and the hashes of their names.
        self.keys = NumberSet()
        self.names = NumberSet()
        #: Keys of chains that lose some of their belts, and are not dropped themselves.
        self.losing = NumberSet()
        #: Names that references were set to, whether an object has them or not.
        self.set_names: set[str] = set()
        #: The common prefix of the names of all dropped objects; None: none was dropped.
        self._start: str | None = None
        self._needle = b""

    def __bool__(self) -> bool:
        """Return whether there may be a name."""
        return self._start is not None or bool(self.set_names)

    def add(self, key: i64, name: i64) -> None:
        """Add an object by its key and the hash of its name. Only names with a prefix that was added are looked for."""
        self.keys.add(key)
        self.names.add(name)

    def add_start(self, name: str) -> None:
        """Add the name of a dropped object, or a prefix of several names."""
        self._start = common_start(self._start, name) if name.isascii() else ""  # other names are stored as UTF-16
        self._needle = self._start.encode()

    def is_dropped(self, name: str) -> bool:
        """Return whether a name is that of a dropped object."""
        return name != "" and self.names.has(hash(name))

    def has(self, name: str) -> bool:
        """Return whether a name is that of a dropped object, or one that a reference was set to."""
        return self.is_dropped(name) or name in self.set_names

    def names_in(self, cursor: Cursor, size: i64) -> list[str] | None:
        """Return the names of dropped objects in the next bytes, with repetitions. The cursor does not move.

        None: a search is not possible, so the data must be decoded.

        Raises:
            SaveError: the bytes cannot be inflated.
        """
        needle = self._needle
        if self._start is None or size <= 0:
            return []
        if size > LARGEST_SEARCHED or len(needle) < SHORTEST_START:
            return None
        if cursor.absent([needle], size):
            return []
        data = cursor.peek(size)
        # A NUL follows each stored text.
        texts = re.findall(re.escape(needle) + rb"[^\0]*", data[: data.rfind(b"\0") + 1])
        return [name for name in [text.decode("latin-1") for text in texts] if self.has(name)]


def common_start(start: str | None, name: str) -> str:
    """Return the common prefix of a name and a prefix of others; None: there are no others yet."""
    while start is not None and not name.startswith(start):
        start = start[:-1]
    return name if start is None else start


# --- objects that depend on dropped ones ---

#: Bytes of numbers to hold in memory, and to read at a time.
MOST_HELD: Final = 1 << 20
BLOCK_SIZE: Final = 24 << 10
#: Numbers of a connector before the names of the connected objects.
CONNECTOR_SIZE: Final = 4


class Dependents:
    """The parts and connectors of a save, as hashes, as there may be very many.

    Args:
        events: the save.
        gone: the dropped objects.
        parts: a temporary file.
    """

    def __init__(self, events: EventStream, gone: Gone, parts: IO[bytes]) -> None:
        self._events = events
        self._gone = gone
        #: Key, name and owner of each part.
        self._parts = parts
        #: Parts whose names do not start with that of their owner.
        self._odd = NumberSet()
        #: Of each connector: key, name, whether it is a chain, number of connected objects, their names.
        self._connectors = array("q")
        #: The common prefix of the names of odd parts and connectors.
        self._start: str | None = None

    def note(self, header: ObjectHeader) -> bool:
        """Add an object; return whether it is a connector, whose data are needed."""
        key = self._events._key_of(header.offset)
        if self._gone.keys.has(key):
            return False
        if header.outer:
            name = hash(header.instance_name)
            self._parts.write(array("q", (key, name, hash(header.outer))).tobytes())
            if not header.instance_name.startswith(header.outer):
                self._odd.add(name)
                self._start = common_start(self._start, header.instance_name)
        return connects(header.class_name)

    def note_connector(self, header: ObjectHeader) -> None:
        """Add a connector, whose trailer was the last event."""
        short = header.class_name.rpartition(".")[2]
        self._start = common_start(self._start, header.instance_name)
        ends = {hash(path) for path in self._events.references() if path != header.instance_name}
        row = (self._events._key_of(header.offset), hash(header.instance_name), short not in CONNECTORS, len(ends))
        self._connectors.extend((*row, *ends))

    def choose(self) -> None:
        """Add all dependent objects to the dropped ones, repeatedly, until there are no more."""
        count = -1
        while count < len(self._gone.keys):
            count = len(self._gone.keys)
            self._choose_parts()
            self._choose_connectors()

    def _choose_parts(self) -> None:
        names = self._gone.names
        self._parts.seek(0)
        while data := self._parts.read(BLOCK_SIZE):
            block = array("q", data)
            for at in range(0, len(block), 3):
                name = block[at + 1]
                if names.has(block[at + 2]) and not names.has(name):
                    self._gone.add(block[at], name)
                    if self._odd.has(name):
                        self._gone.add_start(self._start or "")

    def _choose_connectors(self) -> None:
        """Add power lines without an end and chains without a belt; record which chains lose only some belts."""
        gone, rows = self._gone, self._connectors
        at = 0
        while at < len(rows):
            key, name, is_chain, size = rows[at : at + CONNECTOR_SIZE]
            at += CONNECTOR_SIZE + size
            if gone.names.has(name):
                continue
            count = sum([gone.names.has(end) for end in rows[at - size : at]])
            if count and (count == size or not is_chain):
                gone.add(key, name)
                gone.add_start(self._start or "")
            elif count:
                gone.losing.add(key)


def choose_dependents(events: EventStream, gone: Gone) -> None:
    """Add the dependent objects to the dropped ones, and record which chains lose only some of their belts.

    Args:
        events: the save, at its start.
        gone: the dropped objects.

    Raises:
        SaveError: the save is damaged.
    """
    with SpooledTemporaryFile(MOST_HELD) as parts:
        found = Dependents(events, gone, cast("IO[bytes]", parts))
        header: ObjectHeader | None = None
        events.only(found.note)
        for event in events:
            if isinstance(event, ObjectHeader):
                header = event if events.takes(event) else None
            elif isinstance(event, ObjectEnd):
                header = None
            elif header is not None:
                if isinstance(event, Field) and event.name == TRAILER:
                    found.note_connector(header)
                elif isinstance(event, (Field, PropertyTag, StructEnter)):
                    events.skip()
        found.choose()
