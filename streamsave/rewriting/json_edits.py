"""What differs between a save and a JSON document of it, as numbers: an event, what happens to it, where the document has it.

A save is read once to find differences, and again, up to each of them, to make the edits.
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

#: What a difference may be at.
KINDS: Final = (ObjectHeader, StructEnter, PropertyTag, Field, BlobSkip, SaveStart)
#: A difference: its value is another one; it is missing; the header of the object, whose values follow, has other members.
VALUE: Final = 0
DROP: Final = 1
HEADER: Final = 2
#: Numbers of a difference: the offset and the key of an event; the offset in the document, with one of the above.
WIDTH: Final = 3
VERB_BITS: Final = 2
VERB_MASK: Final = (1 << VERB_BITS) - 1
#: Bits of a key.
KEY_MASK: Final = (1 << 62) - 1


class Change(NamedTuple):
    """One change of the save.

    Attributes:
        verb: `"set"`, `"added"` or `"dropped"`; `"ignored"`: the document has another value, which follows from others.
        path: of the value, property, element or object. A member of the header of an object comes after its name: a new name is
            `(..., old name, "instance_name")`.
        old: a value that is set as JSON text, else nothing.
        new: its new value.
    """

    verb: str
    path: tuple[str | int, ...]
    old: bytes = b""
    new: bytes = b""


class Wanted(NamedTuple):
    """What a document has in a nesting of the save, and the save has not.

    Attributes:
        key: of the event that opens the nesting, or of the tag of a list without elements, see `key_of`.
        offset: of that event.
        owner: what has the property, see `owner_of`.
        at: where the document has it.
        name: of a property; "" for elements.
        type_name: of a property that no object has; "": it is copied from another object.
        is_list: it is a list without elements.
        class_name: of an object; "" for other elements.
        like: what an element is a copy of, as JSON: a name, an index, a key; "" if that is not said.
        number: of elements.
        total: how many elements the save has there.
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
    """Return what one event at its offset has alone: its kind, its depth, its names; -1 if there can be no difference at it.

    What is empty, and what comes after it, start at the same byte, as do an entry of a map and its key.
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
    """Return what two objects or structs have in common that may have the same properties."""
    return (event.class_name, "") if isinstance(event, ObjectHeader) else (event.type_name, event.name)


def differing(
    events: CutStream | RewriteStream, differences: array[int], nestings: list[Event]
) -> Iterator[tuple[Event, int, int]]:
    """Read a save up to the last difference, and yield the event of each, its verb and where the document has it.

    Args:
        events: the save.
        differences: of a `Comparison`.
        nestings: becomes what has opened the nestings that are open.
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
    assert at == len(differences)  # noqa: S101 - each is somewhere


def span_of(event: ObjectHeader | PropertyTag | StructEnter) -> tuple[int, int]:
    """Return where what an event opens starts and ends; the end is -1 if the save does not say it."""
    if isinstance(event, ObjectHeader):
        start = event.data_offset
    elif isinstance(event, PropertyTag):
        start = event.value_offset
    else:
        start = event.offset + event.header_size
    return start, start + event.size if event.size >= 0 else -1
