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

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from streamsave._native import i64
from streamsave.compare.identity import digest_of_header, key_of_object, key_of_value
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.decode.leaves import Step
from streamsave.errors import DamagedSave
from streamsave.events import ObjectEnd, ObjectHeader, SaveEnd, SaveStart
from streamsave.output.flat_text import path_text
from streamsave.output.json_text import value_bytes

__all__ = ["DIGEST_SIZE", "LARGEST", "Items"]

#: Most bytes of an object that is compared as a whole.
LARGEST: Final = 1024 * 1024
#: Bits of a number for the values since the last object began or ended.
VALUE_BITS: Final = 24
#: Bytes of the hash of what an item contains.
DIGEST_SIZE: Final = 10


class Items:
    """The items of a save, one after the other.

    Attributes:
        header: of the object that is the item; None of a value.
        part: the value that is the item; None of an object.
        number: of the item.
        is_whole: the content of the object was not read yet.
        start: the first event of the save.

    Args:
        events: of the save; nothing was read yet.
        objects_only: values that are in no object are passed over.
    """

    def __init__(self, events: EventStream, *, objects_only: bool) -> None:
        self._events = events
        self._walk = Walk(events)
        self._objects_only = objects_only
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
                if self._objects_only and step.is_loose:
                    continue
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

    def parts(self) -> list[Part]:
        """Return all values in the object, up to its end."""
        self.is_whole = False
        parts: list[Part] = []
        for step in self._walk:
            if isinstance(step, ObjectEnd):
                self._go_past_object()
                break
            if isinstance(step, Part):
                parts.append(step)
        return parts

    def place(self) -> tuple[Step, ...]:
        """Return the steps to what is in the object."""
        return self._walk.place

    def key(self) -> bytes:
        """Return a hash of what the item is known by."""
        part = self.part
        if part is None:
            assert self.header is not None  # noqa: S101 - an item is one or the other
            return key_of_object(self.header)
        return key_of_value(f"{path_text(part.path, part.base)}[{part.first}..]")

    def digest(self, *, by_value: bool) -> bytes:
        """Return a hash of the content of the item, and read it.

        Args:
            by_value: equal bytes may be other values.
        """
        digest = blake2b(digest_size=DIGEST_SIZE)
        part, header = self.part, self.header
        if part is not None:
            digest.update(value_bytes(part.value))
        elif header is not None:
            digest_of_header(header, digest.update)
            if self.is_whole:
                data = b"" if by_value else self.data()
                if not by_value and len(data) == header.size:
                    digest.update(data)
                else:
                    add_parts(self.parts(), digest.update)
        return digest.digest()


def add_parts(parts: list[Part], add: Callable[[bytes], object]) -> None:
    """Give the paths and values of parts as bytes, which are the same for equal ones only."""
    for part in parts:
        path = path_text(part.path[part.base :])
        add(f"\0{path}\0{part.first}\0".encode("utf-8", "surrogatepass"))
        add(value_bytes(part.value))
