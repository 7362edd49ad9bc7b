"""Find the differences between a save and a JSON document of it: read both side by side, in the order of the JSON writer.

| in the document | how it is found |
|---|---|
| a member of an object | by its name, wherever it is |
| an element of a list | by its index |
| an object in a list, an entry of a map | it is the next one, or is looked up by its name or key |
| the same, if names may repeat and none was left out or added | it is the one at its place if that has its name, else looked up |
| `{"@value": value}` with `"@like"` or `"@type"` | as the value |

Values that are small enough are compared as text, and only different ones are decoded. A second comparison goes through those
part by part.

The module is long because all kinds of differences are found in one walk, and each method of the JSON writer has a counterpart.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Container
from itertools import islice, product
from typing import Final

import orjson

from streamsave.decode.build import MAP_ENTRY
from streamsave.decode.json_values import json_key
from streamsave.errors import EditError, PathStep
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveStart,
    StructEnter,
)
from streamsave.output.json_document import BUILT_SIZE, OBJECTS, JsonWriter, Scope
from streamsave.output.json_text import escaped, leaf_text, value_text
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.json_parts import (
    DROP,
    HEADER,
    INSTANCE_NAME,
    LIKE,
    LIST,
    TYPE,
    VALUE,
    WIDTH,
    WRAPPED,
    Change,
    MissingError,
    Places,
    State,
    Wanted,
    are_same,
    canonical,
    differing,
    json_of,
    key_of,
    owner_of,
    without_index,
)
from streamsave.rewriting.json_reader import JsonReader

__all__ = ["FOLLOWING", "Comparison", "has_lines"]

#: How many elements of a list that are not the next one are assumed to be missing, before all elements are indexed.
MOST_ASSUMED: Final = 8
#: What ends an object or a list.
ENDS: Final = (b"]", b"}")
NAMES: Final = ("class_name", INSTANCE_NAME)
#: Members of the header of an object that, in some formats, follow from its values, or from where it is.
FOLLOWING: Final = (*NAMES, "outer")
#: A member of an object on a line: drop the object.
DROPPED: Final = "@drop"
#: A member of an object on a line: the name of the object in the save.
FORMER: Final = "@of"
#: Members of an object on a line that are not in the save.
OF_LINES: Final = frozenset({"path", DROPPED, FORMER})
#: What may come before the members of an object.
BEFORE_OBJECT: Final = OF_LINES | {LIKE}
NULL: Final = b"null"
#: Members of the header, and fields, that follow from the rest of the save: the document need not be right there.
DERIVED: Final = re.compile(r"(.*_)?(count|size|nb)|nb.*|data_blob|save_data_hash|wrapper|entries|table_offset|gaps|duplicates")
#: Members of an object on a line; a document of a whole save has none of them at its top.
OF_OBJECTS: Final = OF_LINES | {"kind", "class_name", "instance_name", "flags", "level"}
#: Members of a whole save; the first line of several has no others.
SAVE_MEMBERS: Final = frozenset({"format", "version", "header"})


class Comparison(JsonWriter):
    """Reads a save and a document side by side, and records the differences.

    It goes through the events of the save as `JsonWriter` does, but reads a document instead of writing it.

    Args:
        events: the save.
        document: the document.
        is_fine: go through the parts of all values.
    """

    def __init__(self, events: CutStream, document: JsonReader, *, is_fine: bool = False) -> None:
        super().__init__(events, built_size=-1 if is_fine else BUILT_SIZE)
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
        #: The current member of a header; "": none.
        self._member = ""
        #: The differences, in the order of the events: `WIDTH` numbers for each.
        self.differences: array[int] = array("q")
        #: Some differences are in values that still need `refine`.
        self.is_coarse = not is_fine
        #: Properties and elements that only the document has.
        self.wanted: list[Wanted] = []
        #: Differences in values that follow from others.
        self.ignored: list[Change] = []
        #: Offset in the document of each object with others of `FOLLOWING` -> path and header in the save.
        self.renamed: dict[int, tuple[tuple[PathStep, ...], ObjectHeader]] = {}

    # --- compare ---

    def run(self) -> None:
        """Compare everything.

        Raises:
            EditError: the document is no JSON, or no save can be made of it; the message has the line and column.
            SaveError: the save is damaged.
        """
        for event in self._events:
            self.feed(event)
        if self._document.peek():
            raise self._document.fault("expected the end of the document")

    def run_lines(self, numbered: dict[int, tuple[object, ...]]) -> None:
        """Find the objects of a document that has only some, one after the other; record those that differ.

        Args:
            numbered: gets the key of the line of each object that has one, by its number among those with names that follow
                from values. If it has some, these are the objects: what was inserted since then may have changed their names.

        Raises:
            EditError: the document is no JSON, or the save has no such object, or several of them.
            SaveError: the save is damaged.
        """
        places: dict[tuple[object, ...], list[tuple[int, bool]]] = {}
        #: Name of an object in `"@like"` -> offsets of the lines.
        likes: dict[bytes, list[int]] = {}
        new: dict[int, Wanted] = {}
        number, is_numbered, family = 0, bool(numbered), self._save._family
        while self._document.peek():
            start = self._document.tell()
            head = self._document.members((*SAVE_MEMBERS, "path", *NAMES, LIKE, DROPPED, FORMER))
            if INSTANCE_NAME in head or not head:
                names = [head.get(name) for name in NAMES]
                if not all(isinstance(name, str) for name in (*names, head.get(FORMER, ""))):
                    raise self._document.fault("expected a class and a name", start)
                if FORMER in head:
                    names = [None, head[FORMER]]
                key: tuple[object, ...] = (*names, canonical(head.get("path")))
                places.setdefault(key, []).append((start, head.get(DROPPED) is True))
                if LIKE in head:
                    likes.setdefault(canonical(head[LIKE]), []).append(start)
            self._document.skip()
        nestings: list[Event] = []
        for event in self._events:
            if isinstance(event, (SaveStart, StructEnter, ObjectHeader)):
                del nestings[self._events.depth :]
                nestings.append(event)
            if not isinstance(event, ObjectHeader):
                continue
            name = json_of(event.instance_name)
            is_named = family.has_header(event) or family.names_parts
            if name in likes and is_named:
                around = nestings[-2]
                like = Wanted(key_of(around, self._events.depth - 1), around.offset, 0, class_name=event.class_name, like=name)
                new |= {start: like._replace(at=start) for start in likes.pop(name)}
            path = json_of(list(self._events.path))
            keys = [(each, event.instance_name, text) for each, text in product((event.class_name, None), (NULL, path))]
            number += not is_named
            found = (
                numbered.get(number) if is_numbered and not is_named else next((each for each in keys if each in places), None)
            )
            if found is not None:
                if not is_named:
                    numbered[number] = found
                if not places[found]:
                    raise EditError(
                        f"the save has several {event.instance_name}: 'path', as in json --ndjson, has to say which one"
                    )
                start, is_dropped = places[found].pop(0)
                self._event, self._depth = event, self._events.depth
                if not is_dropped and 0 <= event.size <= self._built_size:
                    place = {"path": list(self._events.path)}
                    built = self._events.build()
                    assert isinstance(built, dict)  # noqa: S101 - as in `begin_object`
                    self._document.seek(start)
                    try:
                        self.value(place | built)
                    except EditError:  # `refine` says where in the object
                        self._note(event, VALUE, start)
                    continue
                self._note(event, DROP if is_dropped else VALUE, start)
            if event.size >= 0 and (found is not None or not self._events.holds_objects(event)):
                self._events.skip()
        for key, left in places.items():
            for start, _ in left:
                if start not in new:
                    what = f"the save has no such {key[0] or 'object'}: {key[1]}"
                    raise self._document.fault(f'{what}; "@like": "NAME" makes one from an object that has a header', start)
                self.wanted.append(new[start])

    def refine(self, differences: array[int]) -> None:
        """Go through the differences of another comparison, part by part.

        Raises:
            EditError: as for `run`.
            SaveError: the save is damaged.
        """
        nestings: list[Event] = []
        for event, verb, at in differing(self._save, differences, nestings):
            if verb == VALUE:
                around = nestings[: self._events.depth - isinstance(event, (StructEnter, ObjectHeader))]
                self._states = [State(around[-1] if around else None, len(around))]
                self._run_value(event, at)
            else:
                self._depth = self._events.depth
                self._note(event, verb, at)

    def _run_value(self, event: Event, at: int) -> None:
        """Compare what the last event opened, to its end, with the value at this offset of the document."""
        self._document.seek(at)
        self._scopes = [Scope(b"", is_list=True, collects="", is_object=False)]
        self._has_key = self._is_found = True
        depth = self._events.depth - isinstance(event, (StructEnter, ObjectHeader))
        self.feed(event)
        self._is_found = False
        while self.waits() or self._events.depth > depth:
            self.feed(next(self._events))

    # --- differences ---

    def _note(self, event: Event, verb: int, at: int) -> None:
        """Record a difference at an event; `_depth` is its depth."""
        key = key_of(event, self._depth)
        if key < 0:
            raise self._document.fault("it cannot be changed", at)
        self.differences.extend((event.offset, key, at, verb))

    def differs(self, old: object, at: int) -> None:
        """Record that the value of the last event differs; `at` is the offset of the value in the document.

        Raises:
            EditError: the value cannot be changed.
        """
        event = self._event
        if isinstance(event, ObjectHeader) and self._member:
            if self._member in FOLLOWING:
                self.renamed[self._object_at] = (*self._events.path, event.instance_name), event
            if not self._save._family.has_header(event):
                if self._member == INSTANCE_NAME and self._save._family.names_parts:
                    raise self._document.fault("it cannot be renamed: leave it out, and add one with the new name", at)
                if self._member not in FOLLOWING:
                    self._ignore((*self._events.path, event.instance_name, self._member), old, at)
                return
            noted = self.differences[-WIDTH:]
            if not noted or noted[1] != key_of(event, self._depth) or noted[3] != HEADER:
                self._note(event, HEADER, self._object_at)
        elif (
            event is None
            or isinstance(event, (SaveStart, ObjectEnd))
            or (self._built_size < 0 and isinstance(event, StructEnter))
        ):
            raise self._document.fault(f"{self._member or 'the type of a struct'} cannot be changed", at)
        elif isinstance(event, Field) and self._save._family.steers(event):
            if not DERIVED.fullmatch(event.name):
                raise self._document.fault(f"{event.name} says how other bytes are read: it cannot be changed", at)
            self._ignore(self._events._path_of(event), old, at)
        else:
            self._note(event, VALUE, at)

    def _ignore(self, path: tuple[str | int, ...], old: object, at: int) -> None:
        self._document.seek(at)
        self.ignored.append(Change("ignored", path, value_text(old), canonical(self._document.decoded())))

    def _is_missing(self, event: Event) -> None:
        """Record that the document lacks what an event opened, and skip that."""
        if self._scopes[-1].names is None:
            kind = event.class_name if isinstance(event, ObjectHeader) and self._save._family.has_header(event) else ""
            state = self._states[-1]
            state.missing.setdefault(kind, deque()).append((len(self.differences), state.key))
        self._note(event, DROP, self._document.tell())
        depth = self._depth
        # The key of an entry was read already. To skip an object of unknown size would change the offsets of others.
        is_entry = isinstance(event, StructEnter) and event.type_name == MAP_ENTRY
        if not is_entry and not isinstance(event, BlobSkip) and not (isinstance(event, ObjectHeader) and event.size < 0):
            self._events.skip()
        while isinstance(event, (StructEnter, ObjectHeader)) and self._events.depth >= depth:
            if isinstance(next(self._events), (StructEnter, ObjectHeader, PropertyTag)):
                self._events.skip()

    def _is_new(self, state: State, name: str, at: int) -> None:
        """Record a member that only the document has."""
        event, document = state.event, self._document
        if name == LIKE or (name in OF_LINES and isinstance(event, ObjectHeader)):
            return
        document.seek(at)
        if name == OBJECTS and document.is_empty():
            return
        if not isinstance(event, (ObjectHeader, StructEnter)):
            raise document.fault(f"{name} is not in the save, and cannot be made", at)
        type_name = document.members((TYPE,)).get(TYPE, "") if document.peek() == b"{" else ""
        key = key_of(event, state.depth)
        donor = (TYPE, str(type_name)) if type_name else ("", owner_of(event), name)
        self.wanted.append(Wanted(key, event.offset, at, name, donor))

    def are_new(self, state: State, left: list[tuple[int, int]]) -> None:
        """Record new elements of a list.

        Args:
            state: of the list.
            left: offset of each in the document, and of the element before it that is also in the save; -1: none.
        """
        event, document = state.event, self._document
        if isinstance(event, StructEnter) and event.count == 0:
            self._fill(event, left[0][0])
            return
        if event is None or state.count == 0:
            raise document.fault("the save has no more elements here, and none to copy", left[0][0])
        total = event.count if isinstance(event, StructEnter) and event.count >= 0 else state.count
        plain = Wanted(key_of(event, state.depth), event.offset, 0, total=total)
        for at, before in left:
            document.seek(at)
            named = document.members((LIKE, *NAMES)) if document.peek() == b"{" else {}
            class_name = str(named.get("class_name", "")) if state.has_objects else ""
            like = canonical(named[LIKE]) if LIKE in named else self._neighbour(before, class_name) if class_name else b""
            self.wanted.append(plain._replace(at=at, class_name=class_name, like=like))

    def _fill(self, event: StructEnter, at: int) -> None:
        """Record the first elements of an empty list, map or set: it is replaced by a copy of one that has elements."""
        tag, around = self._last_tag, self._states[-1].event
        if tag is None or tag.value_offset != event.offset or not isinstance(around, (ObjectHeader, StructEnter)):
            raise self._document.fault("the save has no element here that could be copied", at)
        depth = self._states[-1].depth
        self.wanted.append(Wanted(key_of(tag, depth), tag.offset, at, tag.name, (LIST, owner_of(around), tag.name)))

    def _neighbour(self, at: int, class_name: str) -> bytes:
        """Return the name of the object at an offset, if it has this class; else b""."""
        if at < 0:
            return b""
        self._document.seek(at)
        head = self._document.members(NAMES)
        return canonical(head.get("instance_name")) if head.get("class_name") == class_name else b""

    # --- methods of `JsonWriter` ---

    def feed(self, event: Event) -> None:
        """Read the counterpart of the last event in the document."""
        self._event, self._depth = event, self._events.depth
        if isinstance(event, PropertyTag):
            self._last_tag = event
        try:
            super().feed(event)
        except MissingError:
            self._is_missing(event)

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
        self._resume(state)
        if state.places is None and self._document.peek() not in ENDS:
            self._document.expect(b"" if state.is_new else b",")
            self._look_up(state, self._document.tell())
        if state.places is not None:
            names = self._scopes[-1].names
            if names is None:
                self._end_list(state, state.places)
            else:
                self._end_object(state, state.places, names)
            self._document.seek(state.end)
        super().end_scope()

    def _look_up(self, state: State, passed: int) -> Places:
        """Index the members of an object from an offset on; or a list from its start, and what comes before that is taken."""
        is_list = self._scopes[-1].names is None
        self._document.seek(state.first if is_list and state.first >= 0 else passed)
        places = state.places = Places()
        separator = b""
        while self._document.peek() not in ENDS:
            self._document.expect(separator)
            separator = b","
            self._document.peek()
            at = self._document.tell()
            places.add(self._key(state), at if at >= passed else ~at)
            self._document.skip()
        state.end = self._document.tell()
        self._find_missing(state, places)
        return places

    def _find_missing(self, state: State, places: Places) -> None:
        """Find the elements that were assumed to be missing, but are elsewhere."""
        for kind, missing in state.missing.items():
            state.missing[kind] = deque(each for each in missing if not self._is_elsewhere(each[0], places.take(each[1])))

    def _is_elsewhere(self, index: int, at: int) -> bool:
        """Return whether a missing element has an offset in the document (-1: it has none): then it is a changed value."""
        if at >= 0:
            self._document.seek(at)
            self.differences[index + 2 : index + WIDTH] = array("q", (max(self._document.wrapped(WRAPPED), at), VALUE))
            self.is_coarse = True
        return at >= 0

    def _key(self, state: State) -> bytes:
        """Read the name of the next member, or return the key of the next element without reading it."""
        if self._scopes[-1].names is not None:
            return orjson.dumps(self._document.name())
        start = self._document.tell()
        self._document.seek(max(self._document.wrapped(WRAPPED), start))
        key = b""
        if state.has_objects:
            key = canonical(self._document.members((INSTANCE_NAME,)).get(INSTANCE_NAME))
        elif state.is_map:
            self._document.expect(b"[")
            key = canonical(self._document.decoded())
        self._document.seek(start)
        return key

    def _place(self, state: State, key: bytes) -> None:
        """Go to the element of a list, or to the value of a member, with this key.

        Raises:
            MissingError: there is none.
        """
        state.key = key
        places = state.places
        is_member = self._scopes[-1].names is not None
        if places is None:
            if self._key(state) == key:
                self._unwrap(state)
                return
            around = state.event
            may_repeat = state.has_objects and not state.has_headers
            count = around.count if may_repeat and isinstance(around, StructEnter) else -1
            if state.assumed < MOST_ASSUMED and count < 0 and not is_member:
                self._document.seek(state.element)
                state.is_new, state.resume = True, -1  # its comma was read already
                state.assumed += 1
                raise MissingError
            places = self._look_up(state, state.element)
            state.by_place = len(places.offsets) == count
        at = places.take(key, state.count - 1 if state.by_place else -1)
        self._document.seek(at if at >= 0 else state.end if is_member else state.element)
        if at < 0:
            raise MissingError
        if is_member:
            self._document.name()
        self._unwrap(state)

    def _unwrap(self, state: State) -> None:
        """Go into a wrapped value, if one comes next."""
        at = self._document.wrapped(WRAPPED)
        if at >= 0:
            self._document.skip()
            state.resume = self._document.tell()
            self._document.seek(at)

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
        text = b"" if scope.names is None else orjson.dumps(json_key(self.free_name(scope, scope.names, name)))
        while state.places is None:
            if self._document.peek() in ENDS:
                raise MissingError
            if not state.is_new:
                self._document.expect(b",")
                self._document.peek()
            state.is_new = False
            state.element = self._document.tell()
            state.first = state.element if state.first < 0 else state.first
            if not text or self._document.matches(text + b":", is_part=True):
                self._unwrap(state)
                return
            if not scope.is_object or state.count > 1 or self._document.name() not in BEFORE_OBJECT:
                self._document.seek(state.element)
                break
            self._document.skip()
        if text:
            self._place(state, text)

    def begin_object(self, event: ObjectHeader, place: dict[str, object]) -> None:
        """Read the start of an object."""
        if not self._is_found:
            state = self._states[-1]
            state.has_objects = True
            state.path = state.path or self._events.path
            state.has_headers = self._save._family.has_header(event) or self._save._family.names_parts
            head = {"kind": event.kind, "class_name": event.class_name, "instance_name": event.instance_name}
            if state.places is not None or not self._document.starts(escaped(value_text(head))[:-1]):
                self._place(state, json_of(event.instance_name))
        self._document.peek()
        self._object_at = self._document.tell()
        super().begin_object(event, place)

    def _struct(self, event: StructEnter) -> None:
        if event.type_name != MAP_ENTRY or self._is_found:
            super()._struct(event)
            return
        state = self._states[-1]
        state.is_map = True
        self.key("")
        inner = next(each for each in self._events if not isinstance(each, ChunkStart))
        self._place(state, json_of(self._events.build()))
        self._open_struct(event)
        self.key("key")
        self._document.skip()
        self._was_built = isinstance(inner, (StructEnter, ObjectHeader))

    def value(self, value: object) -> None:
        """Compare a value."""
        text = escaped(value_text(value))
        if self._document.matches(text):
            return
        start = self._document.tell()
        new, old = self._document.decoded(once=True), orjson.loads(text)
        if not are_same(old, new):
            end = self._document.tell()
            if are_same(without_index(old), without_index(new)):
                self._ignore(self._events.path, value, start)
            elif isinstance(self._event, SaveStart) and isinstance(old, dict) and isinstance(new, dict):
                self._header_differs(old, new, start)
            else:
                self.differs(value, start)
            self._document.seek(end)

    def _header_differs(self, old: dict[str, object], new: dict[str, object], at: int) -> None:
        """Record the differences in the header of the save."""
        for name in sorted(old.keys() | new.keys()):
            if name in old and name in new and are_same(old[name], new[name]):
                continue
            if not DERIVED.fullmatch(name):
                raise self._document.fault(f"{self._member}.{name} cannot be changed", at)
            path: tuple[str | int, ...] = (self._member, name)
            self.ignored.append(Change("ignored", path, canonical(old.get(name)), canonical(new.get(name))))

    def members(self, members: dict[str, object]) -> None:
        """Compare members of the open object: the document must have all of them."""
        for name, value in members.items():
            self._member = name
            try:
                self.key(name)
            except MissingError:
                raise self._document.fault(f"{name} is missing") from None
            self.value(value)
        self._member = ""

    def _end_object(self, state: State, places: Places, names: Container[str]) -> None:
        """Record the members that only the document has."""
        for at in places.offsets:
            if at >= 0:
                self._document.seek(at)
                name = self._document.name()
                if name in names or is_several(places, orjson.dumps(name)):
                    raise self._document.fault(f"{name} is there twice", at)
                self._is_new(state, name, self._document.tell())

    def _end_list(self, state: State, places: Places) -> None:
        """Record the elements that only the document has. They replace missing ones of their class, as far as there are any."""
        self._find_missing(state, places)
        names_parts = state.has_objects and self._save._family.names_parts
        before = -1
        left: list[tuple[int, int]] = []
        for at in places.offsets:
            if at < 0:
                before = ~at
                continue
            self._document.seek(at)
            names = self._document.members(NAMES) if state.has_headers else {}
            if names and is_several(places, canonical(names.get(INSTANCE_NAME))):
                raise self._document.fault(f"another object has this name: {names.get(INSTANCE_NAME)}", at, state.path)
            missing = None if names_parts else state.missing.get(str(names.get("class_name", "")))
            if not missing or not self._is_elsewhere(missing.popleft()[0], at):
                left.append((at, before))
        if left:
            self.are_new(state, left)

    def _leaf_value(self, event: PropertyTag | Field) -> None:
        start = self._document.tell()
        slices = self._events.slices() if event.size > self._built_size >= 0 else None
        if slices is None:
            self.value(self._events.build())
            return
        self._document.peek()
        for text in leaf_text(slices):
            if not self._document.matches(escaped(text), is_part=True):
                self._document.seek(start)
                self._document.skip()
                self.differs(None, start)
                return

    # --- members of the document ---

    def _resume(self, state: State) -> None:
        """Go back to where reading was interrupted, after a skipped member or a wrapped value."""
        if state.resume >= 0:
            self._document.seek(state.resume)
            state.resume = -1


def is_several(places: Places, key: bytes) -> bool:
    """Return whether several members or elements have a key."""
    return len(list(islice(places.find(key), 2))) > 1


def has_lines(document: JsonReader) -> bool:
    """Return whether a document has single objects, one after the other, not a whole save.

    Raises:
        EditError: it has only the header of a save.
    """
    for name in document.names():
        if name not in SAVE_MEMBERS:
            return name in OF_OBJECTS
    document.expect(b"}")
    if not document.peek():
        raise document.fault('nothing but the header of a save is here; "objects": [] drops all objects', 0)
    return True
