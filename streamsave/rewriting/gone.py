"""Names of dropped objects, and where a save refers to them.

The inflated bytes of the save are searched for such names. That takes a tenth of the time that it takes to look up each
reference. Only objects that have one of them have to be read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from streamsave.events import ObjectHeader
from streamsave.rewriting.choice import Choice
from streamsave.rewriting.copying import Piece

__all__ = ["Gone", "Places"]

#: A shorter text that all names start with would be found everywhere.
SHORTEST_START: Final = 8
#: Above so many different names, all of the new save is read.
MOST_NAMES: Final = 100_000


class Places:
    """Where a save has names, in its inflated bytes, and which."""

    def __init__(self) -> None:
        #: In their order.
        self.offsets = array("q")
        self.names: set[str] = set()

    def has(self, header: ObjectHeader) -> bool:
        """Return whether there is one in the data of an object."""
        at = bisect_left(self.offsets, header.data_offset)
        return at < len(self.offsets) and self.offsets[at] < header.data_offset + header.size


class Gone:
    """Names that no object has any more.

    Args:
        choice: has the names of the dropped objects.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        #: Names that references were set to, whether an object has them or not.
        self.set_names: set[str] = set()
        #: What the names of all dropped objects start with; None: none was dropped.
        self._start: str | None = None
        self._longest = 0
        #: Where the old save has these names. None: it was not searched, or they cannot be searched for.
        self.places: Places | None = None

    def __bool__(self) -> bool:
        """Return whether there may be a name."""
        return self._start is not None or bool(self.set_names)

    def add(self, name: str) -> None:
        """Note the name of a dropped object, which the choice has. Those of its parts, which start so, need not be noted."""
        start = name if self._start is None else self._start
        while not name.startswith(start):
            start = start[:-1]
        self._start = start
        self.note_length(name)
        if not name.isascii():
            self.give_up()  # it is stored in another way

    def note_length(self, name: str) -> None:
        """Note that a name may be among those of the dropped objects."""
        if len(name) > self._longest:
            self._longest = len(name)

    def give_up(self) -> None:
        """Note that there is a name that cannot be searched for."""
        self._start = ""

    def has(self, name: str) -> bool:
        """Return whether no object has a name that one had, or that a reference was set to."""
        return name in self.set_names or (len(self._choice) > 0 and self._choice.has_name(name))

    def search(self, stream: Iterable[Piece]) -> None:
        """Search the old save, see `find`."""
        self.places = self.find(stream)

    def find(self, stream: Iterable[Piece]) -> Places | None:
        """Return where an inflated save has names of dropped objects; None if they cannot be searched for.

        Args:
            stream: its bytes. They are taken to their end in any case.

        Raises:
            SaveError: they cannot be inflated.
        """
        places = Places()
        has_name = self._choice.has_name
        start = self._start
        pattern: re.Pattern[bytes] | None = None
        if start is not None and len(start) >= SHORTEST_START:
            # A text is stored with a NUL after it.
            pattern = re.compile(b"%b[^\0]{0,%d}\0" % (re.escape(start.encode()), self._longest - len(start)))
        at = 0  # where `rest` starts: the end of a piece that may have the start of a name
        rest = b""
        for piece in stream:
            if pattern is None:
                continue
            data = rest + piece
            for match in pattern.finditer(data):
                name = match[0][:-1].decode("latin-1")
                if has_name(name) and match.end() > len(rest):
                    places.offsets.append(at + match.start())
                    places.names.add(name)
            rest = data[max(0, len(data) - self._longest) :]
            at += len(data) - len(rest)
        if (start is not None and pattern is None) or len(places.names) > MOST_NAMES:
            return None
        return places
