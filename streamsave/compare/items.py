"""A save as a row of items: objects, and values that are in no object, or in one that is not compared as a whole.

| item | content |
|---|---|
| an object without objects in it, of up to `LARGEST` bytes | header and data |
| any other object | its header; what is in it are items of their own |
| a value that is in no object, or in one of those | the value |

Items are numbered in their order, from 1 on. Which object of one save is which of the other:

| object | is known by |
|---|---|
| with a name of its own | level, class and name |
| whose name is only its number: a foundation of Satisfactory, `Things[3]` | level, class and place |
| the same without a place, or without any name | level and class: equal ones belong together, the others in their order |

Objects that have all of this in common belong together in their order.
"""

from __future__ import annotations

from operator import attrgetter
from struct import Struct
from typing import Final

from streamsave._native import i64
from streamsave.compare.pair import KNOWN_BY, Pair
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.decode.leaves import Key, Step
from streamsave.errors import DamagedSave
from streamsave.events import OBJECT_MEMBERS, STORED_MEMBERS, ObjectEnd, ObjectHeader, SaveEnd, SaveStart
from streamsave.output.flat_text import path_text
from streamsave.output.json_text import value_bytes

__all__ = ["LARGEST", "Around", "Items", "by_keys", "is_certain", "is_like", "is_numbered", "is_same_object", "known_by"]

#: A position and a rotation as bytes: other than numbers, those of one place are the same, also if it is no number.
PLACE: Final = Struct("7d")
SCALE: Final = Struct("3d")
#: The kind of objects of Satisfactory that are numbered in their class.
LIGHTWEIGHT: Final = "lightweight"
#: What a header says besides what an object is known by, and its place; and what only some saves store.
says = attrgetter(*[name for name in OBJECT_MEMBERS if name not in {*KNOWN_BY, "transform"}])
stores = attrgetter(*STORED_MEMBERS)


def is_numbered(header: ObjectHeader) -> bool:
    """Return whether the name of an object is its number among others: it changes when one before it comes or goes."""
    name = header.instance_name
    if header.kind == LIGHTWEIGHT or not name:
        return True
    end: i64 = len(name)
    return name[end - 1] == "]" and name.startswith(header.level + "[") and name[len(header.level) + 1 : end - 1].isdigit()


def is_same_object(old: ObjectHeader, new: ObjectHeader) -> bool:
    """Return whether two objects are one in two states."""
    if old.class_name != new.class_name or old.level != new.level:
        return False
    if old.instance_name == new.instance_name and not is_numbered(old):
        return True
    return is_numbered(old) and is_numbered(new) and old._is_placed_like(new)


def is_like(old: ObjectHeader, new: ObjectHeader) -> bool:
    """Return whether the headers of an object in two states say the same."""
    return bool(says(old) == says(new) and stores(old) == stores(new)) and old._is_placed_like(new)


def is_certain(header: ObjectHeader) -> bool:
    """Return whether an object is known by more than its class."""
    return not is_numbered(header) or header.transform is not None


def known_by(header: ObjectHeader) -> tuple[object, ...]:
    """Return what an object is known by."""
    if not is_numbered(header):
        return header.level, header.class_name, header.instance_name
    place = header.transform
    return header.level, header.class_name, b"" if place is None else PLACE.pack(*place.translation, *place.rotation)


def state_of(header: ObjectHeader) -> tuple[object, ...]:
    """Return what `header_members` does in a form that is hashed."""
    place = header.transform
    packed = b"" if place is None else PLACE.pack(*place.translation, *place.rotation) + SCALE.pack(*place.scale)
    return packed, says(header), tuple([value or False for value in stores(header)])


#: Most bytes of an object that is compared as a whole.
LARGEST: Final = 1024 * 1024


class Around:
    """An object whose end was not read yet.

    Attributes:
        header: of the object.
        number: of the item that the object is.
        pair: the object in both saves, for what is in it; None: not known yet.
        inner: how many bytes the objects in it have.
    """

    def __init__(self, header: ObjectHeader, number: i64) -> None:
        self.header: Final = header
        self.number: Final = number
        self.pair: Pair | None = None
        self.inner: i64 = 0


class Items:
    """The items of a save, one after the other.

    Attributes:
        header: of the object that is the item; None of a value.
        part: the value that is the item; None of an object.
        number: of the item.
        is_whole: the content of the object is not read yet. Set it to False to make items of what is in the object.
        around: the objects that are open, the innermost one last; also that which is the item.
        sizes: the bytes of the objects that ended, by class. Those in an object in another one are only of the inner one. At the
            end of the save, "" has what is in no object, unless that is passed over.
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
        self.around: list[Around] = []
        self.sizes: dict[str, int] = {}
        self.start: SaveStart | None = None
        self._objects_only = objects_only
        self._at_end = False

    def next(self) -> bool:
        """Go to the next item; return False at the end of the save.

        Raises:
            SaveError: the save is damaged, or its events end before its end.
        """
        if self.is_whole:  # nothing was read of it
            self.is_whole = False
            self._walk.skip()
        self.header = None
        self.part = None
        for step in self._walk:
            if isinstance(step, Part):
                self.part = step
                self.number += 1
                return True
            if isinstance(step, ObjectHeader):
                self.header = step
                self.number += 1
                self.around.append(Around(step, self.number))
                self.is_whole = 0 <= self._events._measure(step) <= LARGEST and not self._events.holds_objects(step)
                return True
            if isinstance(step, ObjectEnd):
                self._close(step)
            elif isinstance(step, SaveStart):
                self.start = step
            elif isinstance(step, SaveEnd):
                self._at_end = True
                if not self._objects_only:
                    self.sizes[""] = self.sizes.get("", 0) + step.offset - sum(self.sizes.values())
        if not self._at_end:
            raise DamagedSave("the events end before the save does")
        return False

    def _close(self, end: ObjectEnd) -> None:
        """Count the bytes of an object."""
        closed = self.around.pop()
        header = closed.header
        size = header.size if header.size >= 0 else end.offset - header.data_offset
        self.sizes[header.class_name] = self.sizes.get(header.class_name, 0) + size - closed.inner
        if self.around:
            self.around[-1].inner += size

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
                self._close(step)
                break
            if isinstance(step, Part):
                parts.append(step)
        self._walk.known_end = -1
        return parts

    def key(self) -> int:
        """Return a hash of what the item is known by. Hashes are the same in this process only."""
        part = self.part
        if part is None:
            assert self.header is not None  # noqa: S101 - an item is one or the other
            return hash(known_by(self.header))
        pair = self.around[-1].pair if self.around else None
        return hash((0 if pair is None else pair.key, path_text(by_keys(part.inner)), part.first))

    def digest(self, *, by_value: bool) -> int:
        """Return a hash of the content of the item, a value or an object as a whole, and read it.

        Args:
            by_value: equal bytes may be other values.
        """
        part, header = self.part, self.header
        if part is not None:
            return hash(value_bytes(part.value))
        assert header is not None  # noqa: S101 - as above
        content = b"" if by_value else self.data()
        if by_value or len(content) != header.size:
            content = bytes_of(self.parts())
        return hash((state_of(header), content))


def by_keys(path: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return a path with the key of each entry of a map: one whose key has parts has only its position, and others may come."""
    for step in path:
        if isinstance(step, Key) and step.text is None and step.key is not None:
            return tuple([_with_text(step) if isinstance(step, Key) else step for step in path])
    return path


def _with_text(step: Key) -> Key:
    return step if step.text is not None or step.key is None else Key(value_bytes(step.key).decode("utf-8"))


def bytes_of(parts: list[Part]) -> bytes:
    """Return the paths and values of parts as bytes, which are the same for equal ones only."""
    return value_bytes([(path_text(part.inner), part.first, part.value) for part in parts])
