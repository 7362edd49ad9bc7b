"""A save as a row of items: objects, and values that are in no object, or in one that is not compared as a whole.

| item | content |
|---|---|
| an object without objects in it, of up to `LARGEST` bytes | header and data |
| any other object | its header; what is in it are items of their own |
| a value that is in no object, or in one of those | the value |

The number of an item is the same when the save is read again, whether objects are opened or not: the number of objects that have
begun or ended before it, then that of the values since the last of these.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.compare.identity import known_by, state_of
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.decode.leaves import Step
from streamsave.errors import DamagedSave
from streamsave.events import ObjectEnd, ObjectHeader, SaveEnd, SaveStart
from streamsave.output.flat_text import path_text
from streamsave.output.json_text import value_bytes

__all__ = ["HASH_SIZE", "LARGEST", "Items"]

#: Most bytes of an object that is compared as a whole.
LARGEST: Final = 1024 * 1024
#: Bits of a number for the values since the last object began or ended.
VALUE_BITS: Final = 24
#: Bytes of a hash.
HASH_SIZE: Final = 8


class Items:
    """The items of a save, one after the other.

    Attributes:
        header: of the object that is the item; None of a value.
        part: the value that is the item; None of an object.
        number: of the item.
        is_whole: the content of the object was not read yet.
        start: the first event of the save.
        format: of the save.

    Args:
        events: of the save; nothing was read yet.
        objects_only: values that are in no object are passed over.
    """

    def __init__(self, events: EventStream, *, objects_only: bool) -> None:
        self._events = events
        self._walk = Walk(events, loose=not objects_only)
        self.format = events.format
        self.header: ObjectHeader | None = None
        self.part: Part | None = None
        self.number: i64 = 0
        self.is_whole = False
        self.start: SaveStart | None = None
        self._at_end = False

    def next(self) -> bool:
        """Go to the next item; return False at the end of the save.

        Raises:
            SaveError: the save is damaged, or its events end before its end.
        """
        self._leave()
        self.header = None
        self.part = None
        for step in self._walk:
            if isinstance(step, Part):
                self.part = step
                self.number += 1
                return True
            if isinstance(step, ObjectHeader):
                self.header = step
                self._go_past_object()
                self.is_whole = 0 <= step.size <= LARGEST and not self._events.holds_objects(step)
                return True
            if isinstance(step, ObjectEnd):
                self._go_past_object()
            elif isinstance(step, SaveStart):
                self.start = step
            elif isinstance(step, SaveEnd):
                self._at_end = True
        if not self._at_end:
            raise DamagedSave("the events end before the save does")
        return False

    def _go_past_object(self) -> None:
        """Count an object that begins or ends."""
        self.number = ((self.number >> VALUE_BITS) + 1) << VALUE_BITS

    def last_number(self) -> int:
        """Return the highest number that a value in the object may have, if nothing else is in it."""
        return int(self.number | ((1 << VALUE_BITS) - 1))

    def _leave(self) -> None:
        """Pass over the content of an object that nothing was read of."""
        if self.is_whole:
            self.is_whole = False
            self._walk.skip()

    def open(self) -> None:
        """Make items of what is in the object."""
        self.is_whole = False

    def data(self) -> bytes:
        """Return the bytes of the object, whose content can still be read."""
        return self._events._peek(LARGEST)

    def parts(self, known: int = 0) -> list[Part]:
        """Return all values in the object, up to its end, but for those in so many bytes at its start."""
        self.is_whole = False
        if known and self.header is not None:
            self._walk.known_end = self.header.data_offset + known
        parts: list[Part] = []
        for step in self._walk:
            if isinstance(step, ObjectEnd):
                self._go_past_object()
                break
            if isinstance(step, Part):
                parts.append(step)
        self._walk.known_end = -1
        return parts

    def place(self) -> tuple[Step, ...]:
        """Return the steps to what is in the object."""
        return self._walk.place

    def key(self) -> bytes:
        """Return a hash of what the item is known by."""
        part = self.part
        if part is None:
            assert self.header is not None  # noqa: S101 - an item is one or the other
            return hash_of(known_by(self.header))
        return hash_of(f"{path_text(part.path, part.base)}[{part.first}..]")

    def digest(self, *, by_value: bool) -> bytes:
        """Return a hash of the content of the item, and read it.

        Args:
            by_value: equal bytes may be other values.
        """
        part, header = self.part, self.header
        if part is not None:
            return hash_of(value_bytes(part.value))
        assert header is not None  # noqa: S101 - as above
        content = b""
        if self.is_whole:
            content = b"" if by_value else self.data()
            if by_value or len(content) != header.size:
                content = bytes_of(self.parts())
        return hash_of((state_of(header), content))


def hash_of(value: object) -> bytes:
    """Return a hash that is the same in this process only: Python keeps that of each text, so it costs a fifth of another one."""
    return hash(value).to_bytes(HASH_SIZE, "big", signed=True)


def bytes_of(parts: list[Part]) -> bytes:
    """Return the paths and values of parts as bytes, which are the same for equal ones only."""
    return value_bytes([(path_text(part.inner), part.first, part.value) for part in parts])
