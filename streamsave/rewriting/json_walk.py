"""Read a save and a JSON document of it side by side, in the order of the JSON writer.

| in the document | how it is found |
|---|---|
| a member of an object | by its name, wherever it is |
| an element of a list | by its index |
| an object in a list, an entry of a map | it is the next one, or is looked up by its name or key |
| `{"@value": value}` with `"@like"` or `"@type"` | as the value |

The module is long because `DocumentWalk` has a counterpart to each method of the JSON writer.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from heapq import merge
from typing import Final

import orjson

from streamsave.decode.build import MAP_ENTRY
from streamsave.decode.json_values import json_key
from streamsave.errors import PathStep
from streamsave.events import ChunkStart, Event, ObjectHeader, PropertyTag, StructEnter
from streamsave.limits import Limits
from streamsave.output.json_document import JsonWriter
from streamsave.output.json_text import escaped, value_text
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.json_reader import JsonReader

__all__ = [
    "INSTANCE_NAME",
    "LIKE",
    "TYPE",
    "WRAPPED",
    "DocumentWalk",
    "MissingError",
    "State",
    "canonical",
    "json_name",
]

#: Members with a special meaning: what to copy; the type of a new property; a wrapped value.
LIKE: Final = "@like"
TYPE: Final = "@type"
WRAPPED: Final = "@value"
INSTANCE_NAME: Final = "instance_name"
#: How many elements of a list that are not the next one are assumed to be missing, before all elements are indexed.
MOST_ASSUMED: Final = 8


class MissingError(Exception):
    """The document has no such member or element."""


#: Elements that are sorted at a time: a list of all would take four times as much as the index.
RUN: Final = 1 << 14


class Places:
    """An index of the elements of a list: key -> offset in the document; 24 bytes for each element."""

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

    def take(self, key: bytes) -> int:
        """Take the next element with this key, and return its offset; -1: there is none."""
        for number in self._find(key):
            offset = self.offsets[number]
            if offset >= 0:
                self.offsets[number] = ~offset
                return offset
        return -1

    def has_several(self, key: bytes) -> bool:
        """Return whether several elements have this key."""
        return len(list(self._find(key))) > 1

    def _find(self, key: bytes) -> Iterator[int]:
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
        #: Offsets of the values of skipped members; where to go on after one of these was read (-1: at the current offset).
        self.passed: dict[str, int] = {}
        self.resume: int = -1
        #: Offsets of the first element, and of the last one that was read.
        self.first: int = -1
        self.element: int = -1
        #: If the elements are not in the order of the save: an index of all, and the end of the list.
        self.places: Places | None = None
        self.end: int = -1
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
        #: How many of them are only assumed to be missing; the key of the last one.
        self.assumed: int = 0
        self.key = b""


class DocumentWalk(JsonWriter):
    """Goes through the events of a save as `JsonWriter` does, but reads a document instead of writing it.

    Args:
        events: the save.
        document: the document.
        limits: as for `JsonWriter`.
        built_size: as for `JsonWriter`; -1: go through the parts of all values.
    """

    def __init__(self, events: CutStream, document: JsonReader, limits: Limits, built_size: int) -> None:
        super().__init__(events, limits, built_size=built_size)
        self._save = events
        self._document = document
        document.events = events
        self._states: list[State] = []
        #: The last event that was fed, and its depth; the last tag.
        self._event: Event | None = None
        self._depth: int = 0
        self._last_tag: PropertyTag | None = None
        #: Offset of the open object in the document.
        self._object_at: int = -1
        #: The document is at the value of the next event: do not look it up.
        self._is_found = False

    # --- what only one of both has ---

    def is_missing(self, event: Event, *, is_read: bool = False) -> None:
        """Record that the document lacks what an event opened, and skip that; `is_read`: a part of it was read already."""
        raise NotImplementedError

    def is_new(self, state: State, name: str, at: int) -> None:
        """Record a member that only the document has."""
        raise NotImplementedError

    def is_elsewhere(self, index: int, at: int) -> bool:
        """Return whether a difference has an offset in the document (-1: it has none), and record the offset."""
        raise NotImplementedError

    def end_list(self, state: State) -> None:
        """Read the rest of a list."""
        raise NotImplementedError

    # --- methods of `JsonWriter` ---

    def feed(self, event: Event) -> None:
        """Read the counterpart of the last event in the document."""
        self._event, self._depth = event, self._events.depth
        if isinstance(event, PropertyTag):
            self._last_tag = event
        try:
            super().feed(event)
        except MissingError:
            self.is_missing(event)

    def write(self, text: bytes) -> None:
        """Read text that is no value: it must be there."""
        self._document.expect(text)

    def open(self, *, is_list: bool = False, is_object: bool = False, collects: str = "") -> None:
        """Begin an object or a list."""
        super().open(is_list=is_list, is_object=is_object, collects=collects)
        # Collected elements are in the open nesting.
        around = self._states[-1] if collects else None
        event, depth = (self._event, self._depth) if around is None else (around.event, around.depth)
        self._states.append(State(event, depth))

    def end_scope(self) -> None:
        """End the innermost object or list."""
        state = self._states.pop()
        names = self._scopes[-1].names
        self._resume(state)
        if names is None:
            self.end_list(state)
        else:
            while self._next_name(state, names) is not None:
                pass
            end = self._document.tell()
            for name, at in state.passed.items():
                self.is_new(state, name, at)
            self._document.seek(end)
        super().end_scope()

    def look_up(self, state: State, passed: int) -> Places:
        """Index a list from its start; elements before the offset `passed` count as taken."""
        document = self._document
        document.seek(state.first if state.first >= 0 else document.tell())
        places = state.places = Places()
        separator = b""
        while document.peek() != b"]":
            document.expect(separator)
            separator = b","
            document.peek()
            at = document.tell()
            places.add(self._key(state), at if at >= passed else ~at)
            document.skip()
        state.end = document.tell()
        for kind, missing in state.missing.items():
            # Elements that were assumed to be missing may come later.
            state.missing[kind] = deque(each for each in missing if not self.is_elsewhere(each[0], places.take(each[1])))
        return places

    def _key(self, state: State) -> bytes:
        """Return the key of the next element in the document, without reading it."""
        document = self._document
        start = document.tell()
        document.seek(max(document.wrapped(WRAPPED), start))
        key = b""
        if state.has_objects:
            key = canonical(document.members((INSTANCE_NAME,)).get(INSTANCE_NAME))
        elif state.is_map:
            document.expect(b"[")
            key = canonical(document.decoded())
        document.seek(start)
        return key

    def _place(self, state: State, key: bytes) -> None:
        """Go to the element of a list with this key.

        Raises:
            MissingError: there is none.
        """
        places = state.places
        if places is None:
            if self._key(state) == key:
                return
            if state.assumed < MOST_ASSUMED:
                self._document.seek(state.element)
                state.is_new, state.resume = True, -1  # its comma was read already
                state.assumed += 1
                state.key = key
                raise MissingError
            places = self.look_up(state, state.element)
        at = places.take(key)
        if at < 0:
            state.key = key
            raise MissingError
        self._document.seek(at)
        self._unwrap(state)

    def _unwrap(self, state: State) -> None:
        """Go into a wrapped value, if one comes next."""
        document = self._document
        at = document.wrapped(WRAPPED)
        if at >= 0:
            document.skip()
            state.resume = document.tell() if state.resume < 0 else state.resume
            document.seek(at)

    def key(self, name: str) -> None:
        """Go to the value of a member of an object, or to the next element of a list.

        Raises:
            MissingError: there is none.
        """
        if self._has_key:
            self._has_key = False
            return
        scope, state = self._scopes[-1], self._states[-1]
        state.count += 1
        self._resume(state)
        document = self._document
        if scope.names is not None:
            self._find(state, scope.names, json_key(self.free_name(scope, scope.names, name)))
            self._unwrap(state)
        elif state.places is None:
            if document.peek() == b"]":
                raise MissingError
            if not state.is_new:
                document.expect(b",")
                document.peek()
            state.is_new = False
            state.element = document.tell()
            state.first = state.element if state.first < 0 else state.first
            self._unwrap(state)

    def begin_object(self, event: ObjectHeader, place: dict[str, object]) -> None:
        """Read the start of an object."""
        document = self._document
        if not self._is_found:
            state = self._states[-1]
            state.has_objects = True
            state.path = state.path or self._events.path
            state.has_headers = self._save._family.has_header(event) or self._save._family.names_parts
            head = {"kind": event.kind, "class_name": event.class_name, "instance_name": event.instance_name}
            if state.places is not None or not document.starts(escaped(value_text(head))[:-1]):
                self._place(state, json_name(event))
        document.peek()
        self._object_at = document.tell()
        super().begin_object(event, place)

    def _struct(self, event: StructEnter) -> None:
        if event.type_name != MAP_ENTRY or self._is_found:
            super()._struct(event)
            return
        state = self._states[-1]
        state.is_map = True
        self.key("")
        inner = next(self._events)
        while isinstance(inner, ChunkStart):
            inner = next(self._events)
        text = value_text(self._events.build())
        try:
            self._place(state, canonical(orjson.loads(text)))
        except MissingError:
            self.is_missing(event, is_read=True)
            return
        self._open_struct(event)
        self.key("key")
        self._document.skip()
        self._was_built = isinstance(inner, (StructEnter, ObjectHeader))

    # --- members of the document ---

    def _resume(self, state: State) -> None:
        """Go back to where reading was interrupted, after a skipped member or a wrapped value."""
        if state.resume >= 0:
            self._document.seek(state.resume)
            state.resume = -1

    def _next_name(self, state: State, names: dict[str, object], wanted: str = "") -> str | None:
        """Skip the next member, record the offset of its value, and return its name; None at the end of the object."""
        document = self._document
        if document.peek() == b"}":
            return None
        if not state.is_new:
            document.expect(b",")
        state.is_new = False
        start = document.tell()
        name = document.name()
        if name in state.passed or (name in names and name != wanted):
            raise document.fault(f"{name} is there twice", start)
        state.passed[name] = document.tell()
        document.skip()
        return name

    def _find(self, state: State, names: dict[str, object], key: str) -> None:
        """Go to the value of a member.

        Raises:
            MissingError: there is none.
        """
        document = self._document
        text = orjson.dumps(key) + b":"
        start = document.tell()
        if document.peek() != b"}":
            if not state.is_new:
                document.expect(b",")
            if document.starts(text):
                document.matches(text, is_part=True)
                state.is_new = False
                return
            document.seek(start)
        while key not in state.passed:
            if self._next_name(state, names, key) is None:
                raise MissingError
        state.resume = document.tell()
        document.seek(state.passed.pop(key))


def json_name(header: ObjectHeader) -> bytes:
    """Return the name of an object as JSON."""
    return canonical(orjson.loads(value_text(header.instance_name)))


def canonical(value: object) -> bytes:
    """Return the text of a JSON value with sorted names: equal values have the same text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
