"""Differences between a save and a JSON document of it, stored as numbers: the event, what to do, the offset in the document.

A save is read once to find the differences, and again to edit it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final, NamedTuple

from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.stream import RewriteStream

__all__ = [
    "DROP",
    "HEADER",
    "VALUE",
    "VERB_BITS",
    "VERB_MASK",
    "WIDTH",
    "Change",
    "Wanted",
    "differing",
    "key_of",
    "owner_of",
    "span_of",
]

#: The types of events that may have a difference.
KINDS: Final = (ObjectHeader, StructEnter, PropertyTag, Field, BlobSkip, SaveStart)
#: What differs: the value; it is missing in the document; the header of an object.
VALUE: Final = 0
DROP: Final = 1
HEADER: Final = 2
#: Numbers of a difference: offset and key of the event; the offset in the document, combined with one of the above.
WIDTH: Final = 3
VERB_BITS: Final = 2
VERB_MASK: Final = (1 << VERB_BITS) - 1
#: Bits of a key.
KEY_MASK: Final = (1 << 62) - 1


class Change(NamedTuple):
    """One change of the save.

    Attributes:
        verb: `"set"`, `"added"` or `"dropped"`; `"ignored"`: the value follows from others, so that of the document is not used.
        path: of the value, property, element or object. A member of the header of an object comes after its name: a new name is
            `(..., old name, "instance_name")`.
        old: the old value as JSON text; b"" if none was set.
        new: the new value as JSON text; b"" if none was set.
    """

    verb: str
    path: tuple[str | int, ...]
    old: bytes = b""
    new: bytes = b""


class Wanted(NamedTuple):
    """A property or elements that only the document has.

    Attributes:
        key: of the event that opens the nesting, or of the tag of an empty list, see `key_of`.
        offset: of that event.
        owner: of the property, see `owner_of`.
        at: its offset in the document.
        name: of a property; "" for elements.
        type_name: the type to copy, as `"@type"` says; "": copy it from another object.
        is_list: it is an empty list.
        class_name: of an object; "" for other elements.
        like: what to copy, as JSON: a name, an index, a key; b"" if the document does not say it.
        number: how many elements.
        total: number of elements in the save.
    """

    key: int
    offset: int
    owner: tuple[str, str]
    at: int
    name: str = ""
    type_name: str = ""
    is_list: bool = False
    class_name: str = ""
    like: bytes = b""
    number: int = 1
    total: int = -1


def key_of(event: Event, depth: int) -> int:
    """Return a hash that identifies an event: of its offset, kind, depth and names; -1 if it can have no difference.

    The offset is not enough: a map entry and its key start at the same byte, as do something empty and what follows it.
    """
    kind = next((index for index, each in enumerate(KINDS) if type(event) is each), -1)
    if kind < 0:
        return -1
    names: tuple[object, ...] = ()
    if isinstance(event, ObjectHeader):
        names = (event.class_name, event.instance_name)
    elif isinstance(event, StructEnter):
        names = (event.name, event.type_name, event.index)
    elif isinstance(event, (PropertyTag, Field)):
        names = (event.name, event.index)
    return hash((event.offset, kind, depth, names)) & KEY_MASK


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
                place = differences[at + 2]
                at += WIDTH
                yield event, place & VERB_MASK, place >> VERB_BITS
        elif isinstance(event, (ObjectHeader, PropertyTag, StructEnter)):
            start, end = span_of(event)
            if end >= 0 and not start <= offset <= end:
                events.skip()
    assert at == len(differences)  # noqa: S101 - the save has the event of each


def span_of(event: ObjectHeader | PropertyTag | StructEnter) -> tuple[int, int]:
    """Return where the content of what an event opened starts and ends; the end is -1 if it is unknown."""
    if isinstance(event, ObjectHeader):
        start = event.data_offset
    elif isinstance(event, PropertyTag):
        start = event.value_offset
    else:
        start = event.offset + event.header_size
    return start, start + event.size if event.size >= 0 else -1
