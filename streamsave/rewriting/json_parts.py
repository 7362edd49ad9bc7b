"""What a comparison of a save with a JSON document takes and gives: open lists and objects, indexes, differences.

Differences are stored as numbers: the event, what to do, the offset in the document. A save is read once to find them, and again
to edit it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from heapq import merge
from typing import Final, NamedTuple

import orjson

from streamsave.claims import content_start
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.output.json_text import value_text
from streamsave.rewriting.assignments import REFERENCE
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.stream import RewriteStream

__all__ = [
    "DROP",
    "HEADER",
    "INSTANCE_NAME",
    "LIKE",
    "LIST",
    "TYPE",
    "VALUE",
    "WIDTH",
    "WRAPPED",
    "Change",
    "MissingError",
    "Places",
    "State",
    "Wanted",
    "are_same",
    "canonical",
    "differing",
    "json_of",
    "key_of",
    "owner_of",
    "span_of",
    "without_index",
]

#: Members with a special meaning: what to copy; the type of a new property; a wrapped value.
LIKE: Final = "@like"
TYPE: Final = "@type"
WRAPPED: Final = "@value"
#: In place of `TYPE`: a list with elements.
LIST: Final = "list"
INSTANCE_NAME: Final = "instance_name"


class MissingError(Exception):
    """The document has no such member or element."""


#: Elements that are sorted at a time: a list of all would take four times as much as the index.
RUN: Final = 1 << 14


class Places:
    """An index of the members of an object or the elements of a list: key -> offset in the document; 24 bytes for each."""

    def __init__(self) -> None:
        #: Offsets; inverted (`~`) once an element was taken.
        self.offsets: array[int] = array("q")
        self._hashes: array[int] = array("q")
        #: The numbers of the elements, sorted by these hashes.
        self._order: array[int] = array("q")

    def add(self, key: bytes, offset: int) -> None:
        """Add an element."""
        self.offsets.append(offset)
        self._hashes.append(hash(key))

    def take(self, key: bytes, place: int = -1) -> int:
        """Take the next element with this key, or only the one at this place; return its offset; -1: there is none."""
        for number in self.find(key):
            offset = self.offsets[number]
            if offset >= 0 and place in {-1, number}:
                self.offsets[number] = ~offset
                return offset
        return -1

    def find(self, key: bytes) -> Iterator[int]:
        """Yield the numbers of the elements with this key."""
        hash_at = self._hashes.__getitem__
        if len(self._order) < len(self._hashes):
            numbers = range(len(self._hashes))
            runs = [array("q", sorted(numbers[at : at + RUN], key=hash_at)) for at in range(0, len(numbers), RUN)]
            self._order = array("q", merge(*runs, key=hash_at))
        wanted = hash(key)
        at = bisect_left(self._order, wanted, key=hash_at)
        while at < len(self._order) and hash_at(self._order[at]) == wanted:
            yield self._order[at]
            at += 1


class State:
    """The state of an open object or list in the document; `event` opened it in the save (None: no event did)."""

    def __init__(self, event: Event | None, depth: int) -> None:
        self.event = event
        self.depth = depth
        #: No comma comes before the next member or element.
        self.is_new = True
        #: Where to go on after a wrapped value; -1: at the current offset.
        self.resume: int = -1
        #: Offsets of the first member or element, and of the last one that was read.
        self.first: int = -1
        self.element: int = -1
        #: If they are not in the order of the save: an index of all, and where they end.
        self.places: Places | None = None
        self.end: int = -1
        #: Names may repeat, so an element is the one at the same place, if that has its name.
        self.by_place = False
        #: Whether its elements are objects, and whether these have headers.
        self.has_objects = False
        self.has_headers = False
        #: With objects: the path of what they are in.
        self.path: tuple[PathStep, ...] = ()
        #: Number of elements in the save.
        self.count: int = 0
        #: Whether its elements are entries of a map.
        self.is_map = False
        #: Class of an object (else "") -> missing elements: index of the difference, and key.
        self.missing: dict[str, deque[tuple[int, bytes]]] = {}
        #: How many of them are only assumed to be missing; the key that was looked up last.
        self.assumed: int = 0
        self.key = b""


#: The types of events that may have a difference, each with the attributes that identify it besides its offset and depth.
KINDS: Final[dict[type, tuple[str, ...]]] = {
    ObjectHeader: ("class_name", "instance_name"),
    StructEnter: ("name", "type_name", "index"),
    PropertyTag: ("name", "index"),
    Field: ("name", "index"),
    BlobSkip: (),
    SaveStart: (),
}
#: What differs: the value; it is missing in the document; the header of an object.
VALUE: Final = 0
DROP: Final = 1
HEADER: Final = 2
#: Numbers of a difference: offset and key of the event; the offset in the document, and one of the above.
WIDTH: Final = 4
#: Bits of a key.
KEY_MASK: Final = (1 << 62) - 1


class Change(NamedTuple):
    """One change of the save.

    Attributes:
        verb: `"set"`, `"added"` or `"dropped"`; `"ignored"`: the value follows from others, so that of the document is not used.
        path: of the value, property, element or object. A member of the header of an object comes after its name: a new name is
            `(..., old name, "instance_name")`. If names are ignored, both values are objects with all of them.
        old: the old value as JSON text; b"" if none was set.
        new: the new value as JSON text; b"" if none was set.
    """

    verb: str
    path: tuple[str | int, ...]
    old: bytes = b""
    new: bytes = b""


class Wanted(NamedTuple):
    """A property or an element that only the document has.

    Attributes:
        key: of the event that opens the nesting, or of the tag of an empty list, see `key_of`.
        offset: of that event.
        at: its offset in the document.
        name: of a property; "" for elements.
        donor: which property of the save can be copied for a property: `TYPE` and the type, as `"@type"` says; or `LIST`, for an
            empty list, or "", then its owner (see `owner_of`) and its name.
        class_name: of an object; "" for other elements.
        like: what to copy, as JSON: a name, an index, a key; b"" if the document does not say it.
        total: number of elements in the save.
    """

    key: int
    offset: int
    at: int
    name: str = ""
    donor: tuple[object, ...] = ()
    class_name: str = ""
    like: bytes = b""
    total: int = -1


def key_of(event: Event, depth: int) -> int:
    """Return a hash that identifies an event: of its offset, kind, depth and names; -1 if it can have no difference.

    The offset is not enough: a map entry and its key start at the same byte, as do something empty and what follows it.
    """
    names = KINDS.get(type(event))
    if names is None:
        return -1
    return hash((event.offset, type(event).__name__, depth, *[getattr(event, name) for name in names])) & KEY_MASK


def owner_of(event: ObjectHeader | StructEnter) -> tuple[str, str]:
    """Return the class or type of an object or struct: those with the same one may have the same properties."""
    return (event.class_name, "") if isinstance(event, ObjectHeader) else (event.type_name, event.name)


def differing(
    events: CutStream | RewriteStream, differences: array[int], nestings: list[Event]
) -> Iterator[tuple[Event, int, int]]:
    """Read a save up to the last difference; yield the event, the verb and the offset in the document of each.

    Args:
        events: the save.
        differences: of a `Comparison`.
        nestings: a list to hold the events of the open nestings.
    """
    at = 0
    for event in events:
        if at == len(differences):
            return
        if isinstance(event, (StructEnter, ObjectHeader)):
            del nestings[events.depth - 1 :]
            nestings.append(event)
        offset = differences[at]
        if event.offset == offset:
            key = key_of(event, events.depth)
            while at < len(differences) and differences[at + 1] == key:
                at += WIDTH
                yield event, differences[at - 1], differences[at - 2]
        elif isinstance(event, (ObjectHeader, PropertyTag, StructEnter)):
            start, end = span_of(event)
            if end >= 0 and not start <= offset <= end:
                events.skip()
    assert at == len(differences)  # noqa: S101 - the save has the event of each


def span_of(event: ObjectHeader | PropertyTag | StructEnter) -> tuple[int, int]:
    """Return where the content of what an event opened starts and ends; the end is -1 if it is unknown."""
    start = content_start(event)
    return start, start + event.size if event.size >= 0 else -1


def json_of(value: object) -> bytes:
    """Return the `canonical` text of a value of the save."""
    return canonical(orjson.loads(value_text(value)))


def canonical(value: object) -> bytes:
    """Return the text of a JSON value with sorted names: equal values have the same text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def without_index(value: object) -> object:
    """Return a JSON value without the object numbers in references, which follow from the names."""
    if isinstance(value, list):
        return [without_index(part) for part in value]
    if isinstance(value, dict):
        is_reference = value.keys() == REFERENCE
        return {name: without_index(part) for name, part in value.items() if not is_reference or name != "index"}
    return value


def are_same(old: object, new: object, *, rounds: bool = False) -> bool:
    """Return whether two JSON values are equal; 1 and 1.0 are. With `rounds`, any number equals any float."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(are_same(part, new[name], rounds=rounds) for name, part in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(are_same(*parts, rounds=rounds) for parts in zip(old, new, strict=True))
    is_rounded = rounds and isinstance(old, float) and isinstance(new, (int, float))
    return is_rounded or (old == new and isinstance(old, bool) == isinstance(new, bool))
