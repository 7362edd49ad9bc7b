"""Which objects a damaged save of Satisfactory gives with bytes that are not theirs, by a parser that shares no code with ours.

Also the damages that are hard to tell from sound saves: sizes that lead to the end of another object, entries that are missing or
there twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from attack.spans import Blobs, Span, spans_of
from saves import deflate, head_and_body

import streamsave
from streamsave import ObjectHeader, SaveError

#: Class, level and name of an object, as its header says.
Key = tuple[str, str, str]
#: Offset, how many bytes go, which bytes come.
Edit = tuple[int, int, bytes]


class SoundSave:
    """A sound save, as the independent parser reads it."""

    def __init__(self, data: bytes) -> None:
        self.head, self.body = head_and_body(data)
        self.spans = spans_of(data, self.body)
        self.levels = self.spans.levels
        #: The bytes of each object; some saves have two objects of one name.
        self._data: dict[Key, set[bytes]] = defaultdict(set)
        for level in self.levels:
            for one in level.objects:
                self._data[one.class_name, one.level, one.name].add(self.data_of(one))

    def data_of(self, one: Span) -> bytes:
        """The data of an object."""
        return self.body[one.data[0] : one.data[1]]

    def changed(self, edits: Iterable[Edit]) -> bytes:
        """The save with other bytes in some places."""
        body = self.body
        for at, gone, new in sorted(edits, reverse=True):
            body = body[:at] + new + body[at + gone :]
        return deflate(self.head, body)

    def foreign(self, damaged: bytes) -> list[str]:
        """The names of objects that a damaged save gives whole, and whose bytes are none of theirs here."""
        found = []
        with streamsave.open(damaged, on_damage="resync") as events:
            for event in events:
                if isinstance(event, ObjectHeader) and event.kind in {"actor", "object"}:
                    try:
                        data = events.raw()
                    except SaveError:
                        continue  # not whole
                    if data not in self._data[event.class_name, event.level, event.instance_name]:
                        found.append(event.instance_name)
        return found

    # --- damages ---

    def size(self, one: Span, size: int) -> Edit:
        """Another size of an object."""
        return one.size_at, 4, size.to_bytes(4, "little", signed=True)

    def size_up_to(self, one: Span, last: Span) -> bytes:
        """The size of an object ends where a later object ends."""
        return self.changed([self.size(one, last.data[1] - one.data[0])])

    def entry_gone(self, level: Blobs, one: Span, sizes: int) -> bytes:
        """The entry of an object is missing.

        Args:
            level: its level.
            one: the object.
            sizes: how many of the sizes around it are mended: that of the level's objects, that of the body.
        """
        start, end = one.entry
        return self.changed([(start, end - start, b""), *self._grown(level, start - end)[:sizes]])

    def entry_twice(self, level: Blobs, one: Span, sizes: int) -> bytes:
        """The entry of an object is there twice; `sizes` as for `entry_gone`."""
        start, end = one.entry
        return self.changed([(end, 0, self.body[start:end]), *self._grown(level, end - start)[:sizes]])

    def two_sizes(self, one: Span, other: Span, swallowed: Span) -> bytes:
        """One object leaves its last four bytes, zeros, as an entry of no bytes; a later one swallows the entry after it."""
        assert self.data_of(one)[-4:] == bytes(4)
        return self.changed([self.size(one, one.data[1] - one.data[0] - 4), self.size(other, swallowed.data[1] - other.data[0])])

    def _grown(self, level: Blobs, by: int) -> list[Edit]:
        """The sizes around a level's objects, mended."""
        edits = []
        for place in (level.data_size, self.spans.size):
            if place is not None:
                at, width = place
                size = int.from_bytes(self.body[at : at + width], "little") + by
                edits.append((at, width, size.to_bytes(width, "little")))
        return edits
