"""A save out of a JSON document: the save that the document was made from is the template.

`streamsave json` writes a document, anything may edit it, and `from_json` makes a save of it. What is equal in both is copied as
it is, so a document that nobody has edited gives the same save, byte by byte.

| in the document | in the new save |
|---|---|
| another value | the value, encoded as the save has it there |
| a member of `properties`, an object, an element at the end of a list, or an entry of a map is missing | it is dropped |
| another `translation` in the `transform` of an object whose header has its place | the object is moved |
| something that the save does not have; a name, class or flag of an object that is another one | an error: it says where |

First both are read side by side, as the JSON writer goes through the save: each value that is small enough is compared as text,
and only what differs is decoded. Then the save is written again: what differs is gone through value by value.
"""

from __future__ import annotations

import os
from array import array
from base64 import b64decode
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final, NamedTuple

import orjson

from streamsave._fields import names_of_fields
from streamsave.consume.stream import EventStream, open_save
from streamsave.decode.json_values import field_names, json_key, unescape
from streamsave.errors import EditError
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.output.json_document import BUILT_SIZE, PROPERTIES, JsonWriter, Scope
from streamsave.output.json_text import escaped, leaf_text, value_text
from streamsave.rewriting.assignments import converted
from streamsave.rewriting.cutting import CutStream, cut
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.rewrite import rewrite
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import Opaque, Text, Transform

__all__ = ["Change", "make_save"]

#: What a difference may be at.
KINDS: Final = (ObjectHeader, StructEnter, PropertyTag, Field, BlobSkip)
#: A difference: its value is another one; it is missing; the header of the object, whose values follow, has another place.
VALUE: Final = 0
DROP: Final = 1
PLACE: Final = 2
#: Numbers of a difference: kind, offset in the save, one of the above, offset in the document.
WIDTH: Final = 4
#: How often a copy that was inserted may need others inside.
MOST_ROUNDS: Final = 4
NAMES: Final = ("class_name", "instance_name")
#: A member of an object on a line: it is to be dropped.
DROPPED: Final = "@drop"
#: Members of an object on a line that are not in the save.
OF_LINES: Final = frozenset({"path", DROPPED})
NULL: Final = b"null"
#: Members of an object that a whole save has not.
OF_OBJECTS: Final = OF_LINES | {"kind", "class_name", "instance_name", "flags", "level"}
#: Members of a whole save. The first line of many has nothing else.
SAVE_MEMBERS: Final = frozenset({"format", "version", "header"})
FLOATS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class MissingError(Exception):
    """The document has no such member or element."""


class State:
    """What is known of an object or list that is open in the document; `event` has opened it in the save (None: no event has)."""

    def __init__(self, event: Event | None) -> None:
        self.event = event
        #: Nothing of it was read.
        self.is_new = True
        #: Where the values of members are that were passed, and where to go on after one of these (-1: here).
        self.passed: dict[str, int] = {}
        self.resume: int = -1
        #: Elements of the save that were asked for, and how many of the others are not in the document (-1: not counted).
        self.done: int = 0
        self.missing: int = -1


class Wanted(NamedTuple):
    """What a document has in a nesting of the save, and the save has not.

    Attributes:
        kind: of the event that opens the nesting, an index of `KINDS`.
        offset: of that event.
        owner: what it is, see `owner_of`.
        name: of a property; "" for elements.
        elements: how many.
        at: where the document has it.
    """

    kind: int
    offset: int
    owner: tuple[str, str]
    name: str
    elements: int
    at: int


class Side(JsonWriter):
    """Goes through the events of a save as `JsonWriter` does, and reads a document in place of writing one."""

    def __init__(self, events: EventStream, document: JsonReader, limits: Limits, built_size: int) -> None:
        super().__init__(events, limits, built_size=built_size)
        self._document = document
        self._states: list[State] = []
        #: The event that was fed last; the member of its header that is compared, or "".
        self._event: Event | None = None
        self._member = ""
        #: Where the last element of a list was asked for, and whether it was the first.
        self._before: tuple[int, bool] = (0, True)
        #: What only the document has.
        self.wanted: list[Wanted] = []

    # --- what differs ---

    def differs(self, old: object, at: int) -> None:
        """Take note of a value of the last event that is another one in the document, at this place."""
        raise NotImplementedError

    def is_missing(self, event: Event) -> None:
        """Take note of what the document does not have, and skip it."""
        raise NotImplementedError

    def is_new(self, state: State, name: str, at: int) -> None:
        """Take note of a member that only the document has."""
        event = state.event
        if name in OF_LINES and isinstance(event, ObjectHeader):
            return
        if not isinstance(event, (ObjectHeader, StructEnter)):
            raise self._document.fault(f"{name} is not in the save, and cannot be made", at)
        self.wanted.append(Wanted(kind_of(event), event.offset, owner_of(event), name, 0, at))

    def are_new(self, state: State, count: int, at: int) -> None:
        """Take note of elements at the end of a list that only the document has."""
        event = state.event
        if not isinstance(event, StructEnter) or event.count <= 0:
            raise self._document.fault("the save has no more elements here, and none to copy", at)
        self.wanted.append(Wanted(kind_of(event), event.offset, owner_of(event), "", count, at))

    # --- what `JsonWriter` calls ---

    def feed(self, event: Event) -> None:
        self._event = event
        try:
            super().feed(event)
        except MissingError:
            self.is_missing(event)
            if isinstance(event, (StructEnter, ObjectHeader)):
                self._was_built = True  # its exit event comes next

    def write(self, text: bytes) -> None:
        self._document.expect(text)

    def value(self, value: object) -> None:
        text = escaped(value_text(value))
        document = self._document
        if document.matches(text):
            return
        start = document.tell()
        if canonical(document.decoded()) != canonical(orjson.loads(text)):
            self.differs(value, start)

    def members(self, members: dict[str, object]) -> None:
        for name, value in members.items():
            self._member = name
            try:
                self.key(name)
            except MissingError:
                raise self._document.fault(f"{name} is missing") from None
            self.value(value)
        self._member = ""

    def open(self, *, is_list: bool = False, is_object: bool = False, collects: str = "") -> None:
        super().open(is_list=is_list, is_object=is_object, collects=collects)
        # Properties are collected in an object, which has opened them; a collection of objects is of nobody.
        event = self._event if not collects else self._states[-1].event if collects == PROPERTIES else None
        self._states.append(State(event))

    def end_scope(self) -> None:
        state = self._states.pop()
        self._resume(state)
        if self._scopes[-1].names is None:
            self._end_list(state)
        else:
            while self._next_name(state) is not None:
                pass
            for name, at in state.passed.items():
                self.is_new(state, name, at)
        super().end_scope()

    def _end_list(self, state: State) -> None:
        """Read what is left of a list."""
        at = self._document.tell()
        count = self._skip_elements(state)
        if count:
            self.are_new(state, count, at)

    def _skip_elements(self, state: State) -> int:
        """Read what is left of a list, and return how many elements that are."""
        document = self._document
        count = 0
        while document.peek() != b"]":
            if not state.is_new:
                document.expect(b",")
            state.is_new = False
            document.skip()
            count += 1
        return count

    def key(self, name: str) -> None:
        if self._has_key:
            self._has_key = False
            return
        scope, state = self._scopes[-1], self._states[-1]
        self._resume(state)
        if scope.names is not None:
            self._find(state, json_key(self.free_name(scope, scope.names, name)))
            return
        self._before = self._document.tell(), state.is_new
        if self._document.peek() == b"]":
            raise MissingError
        if not state.is_new:
            self._document.expect(b",")
        state.is_new = False
        state.done += 1

    def begin_object(self, event: ObjectHeader, place: dict[str, object]) -> None:
        document = self._document
        head = {"kind": event.kind, "class_name": event.class_name, "instance_name": event.instance_name}
        if not document.starts(escaped(value_text(head))[:-1]) and not self._is_same(event):
            # What the document has here is the next object of the save: this one is missing.
            offset, self._states[-1].is_new = self._before
            document.seek(offset)
            raise MissingError
        super().begin_object(event, place)

    def _is_same(self, event: ObjectHeader) -> bool:
        """Return whether the object that comes next in the document is this one.

        It has its class and name; or it is an element of a container that has as many elements left in both.
        """
        document = self._document
        state = self._states[-1]
        container = state.event
        names = document.members(NAMES)
        if names == {"class_name": event.class_name, "instance_name": event.instance_name}:
            return True
        if not isinstance(container, StructEnter) or container.count < 0:
            return False
        if state.missing < 0:
            start = document.tell()
            state.missing = max(container.count - state.done + 1 - self._skip_elements(State(None)), 0)
            document.seek(start)
        if not state.missing:
            return True
        state.missing -= 1
        return False

    def _leaf_value(self, event: PropertyTag | Field) -> None:
        document = self._document
        start = document.tell()
        slices = self._events.slices() if event.size > self._built_size >= 0 else None
        if slices is None:
            self.value(self._events.build())
            return
        document.peek()
        for text in leaf_text(slices):
            if not document.matches(escaped(text), is_part=True):
                document.seek(start)
                document.skip()
                self.differs(None, start)
                return

    # --- members of the document ---

    def _resume(self, state: State) -> None:
        """Go on after a member that was passed before and read now."""
        if state.resume >= 0:
            self._document.seek(state.resume)
            state.resume = -1

    def _next_name(self, state: State) -> str | None:
        """Read the name of the next member, and note where its value is; return None at the end of the object."""
        document = self._document
        if document.peek() == b"}":
            return None
        if not state.is_new:
            document.expect(b",")
        state.is_new = False
        start = document.tell()
        name = document.name()
        if name in state.passed:
            raise document.fault(f"{name} is there twice", start)
        state.passed[name] = document.tell()
        document.skip()
        return name

    def _find(self, state: State, key: str) -> None:
        """Go to the value of a member."""
        document = self._document
        text = orjson.dumps(key) + b":"
        start = document.tell()
        if document.peek() != b"}":
            if not state.is_new:
                document.expect(b",")
            if document.starts(text):
                document.expect(text)
                state.is_new = False
                return
            document.seek(start)
        while key not in state.passed:
            if self._next_name(state) is None:
                raise MissingError
        state.resume = document.tell()
        document.seek(state.passed.pop(key))


class Comparison(Side):
    """Reads a save and a document side by side, and notes what differs."""

    def __init__(self, events: EventStream, document: JsonReader, limits: Limits, built_size: int = BUILT_SIZE) -> None:
        super().__init__(events, document, limits, built_size)
        #: The differences, in the order of the events: `WIDTH` numbers of each.
        self.differences: array[int] = array("q")

    def run(self) -> None:
        """Compare all.

        Raises:
            EditError: the document is no JSON, or has what no save can be made of; it says where.
            SaveError: the save is damaged.
        """
        for event in self._events:
            self.feed(event)
        if self._document.peek():
            raise self._document.fault("expected the end of the document")

    def run_lines(self) -> None:
        """Look for the objects of a document that has only some, one after the other; all of them may differ.

        Raises:
            EditError: the document is no JSON, or the save has no such object, or several of them.
            SaveError: the save is damaged.
        """
        document = self._document
        places: dict[tuple[object, ...], list[tuple[int, bool]]] = {}
        while document.peek():
            start = document.tell()
            head = document.members(("path", "class_name", "instance_name", DROPPED))
            if "instance_name" in head:
                key: tuple[object, ...] = (head.get("class_name"), head["instance_name"], canonical(head.get("path")))
                places.setdefault(key, []).append((start, head.get(DROPPED) is True))
            document.skip()
        for event in self._events:
            if not isinstance(event, ObjectHeader):
                continue
            path = canonical(orjson.loads(value_text(list(self._events.path))))
            for text in (NULL, path):
                key = (event.class_name, event.instance_name, text)
                if key not in places:
                    continue
                if not places[key]:
                    raise EditError(f"the save has several {event.instance_name}: give the paths of all of them")
                start, is_dropped = places[key].pop(0)
                self._note(event, DROP if is_dropped else VALUE, start)
                self._events.skip()
                break
        for key, left in places.items():
            if left:
                raise document.fault(f"the save has no such {key[0]}: {key[1]}", left[0][0])

    def differs(self, old: object, at: int) -> None:
        event = self._event
        if isinstance(event, ObjectHeader) and self._member:
            if event.header_size == 0:
                return  # it has no header: its values say what it is called
            if self._member != "transform" or old is None:
                raise self._document.fault(f"{self._member} of an object cannot be changed", at)
            self._note(event, PLACE, at)
        elif event is None or isinstance(event, (SaveStart, ObjectEnd)):
            raise self._document.fault(f"{self._member} cannot be changed", at)
        else:
            self._note(event, VALUE, at)

    def is_missing(self, event: Event) -> None:
        self._note(event, DROP, self._document.tell())
        if not isinstance(event, BlobSkip):
            self._events.skip()

    def _note(self, event: Event, verb: int, at: int) -> None:
        kind = kind_of(event)
        if kind < 0:
            raise self._document.fault("cannot be changed", at)
        self.differences.extend((kind, event.offset, verb, at))


def kind_of(event: Event) -> int:
    """Return the number of the kind of an event that a difference may be at; -1 if there can be none."""
    return next((index for index, each in enumerate(KINDS) if type(event) is each), -1)


def owner_of(event: ObjectHeader | StructEnter) -> tuple[str, str]:
    """Return what two objects or structs have in common that may have the same properties."""
    return (event.class_name, "") if isinstance(event, ObjectHeader) else (event.type_name, event.name)


class Unit(Side):
    """Goes through one object or value that differs, value by value.

    Args:
        events: the save.
        document: as for `Side`.
        limits: as for `Side`.
    """

    def __init__(self, events: EventStream, document: JsonReader, limits: Limits) -> None:
        super().__init__(events, document, limits, -1)

    def run(self, event: Event, at: int) -> None:
        """Go through what the last event has opened, to its end.

        Args:
            event: the last event of the save.
            at: where the document has its value.
        """
        self._document.seek(at)
        self._scopes = [Scope(b"", is_list=True, collects="", is_object=False)]
        self._states = [State(None)]
        self._has_key = True
        depth = self._events.depth - isinstance(event, (StructEnter, ObjectHeader))
        self.feed(event)
        while self.waits() or self._events.depth > depth:
            self.feed(next(self._events))

    def differs(self, old: object, at: int) -> None:
        pass

    def is_missing(self, event: Event) -> None:
        if not isinstance(event, BlobSkip):
            self._events.skip()


class Change(NamedTuple):
    """One change of the save.

    Attributes:
        verb: `"set"`, `"added"` or `"dropped"`.
        path: of the value, property, element or object; of added elements, that of their container.
        old: a value that is set as JSON text, else nothing.
        new: its new value.
    """

    verb: str
    path: tuple[str | int, ...]
    old: bytes = b""
    new: bytes = b""


class Editing(Unit):
    """Edits what differs in one object or value."""

    def __init__(self, save: RewriteStream, document: JsonReader, limits: Limits) -> None:
        super().__init__(save, document, limits)
        self._save = save
        self.changes: list[Change] = []

    def drop(self, event: Event) -> None:
        """Leave out what the last event has opened."""
        self._event = event
        self.is_missing(event)

    def move(self, event: ObjectHeader, at: int) -> None:
        """Move an object, the last event, to the place that the document has there."""
        self._event, self._member = event, "transform"
        self._document.seek(at)
        self.value(event.transform)
        self._member = ""

    def differs(self, old: object, at: int) -> None:
        end = self._document.tell()
        self._document.seek(at)
        new = self._document.decoded()
        self._document.seek(end)
        event = self._event
        path = self._save._path_of(event) if isinstance(event, (PropertyTag, Field)) else self._save.path
        try:
            value = revalued(old, new)
            if isinstance(event, ObjectHeader) and self._member:
                if event.header_size == 0:
                    return  # it has no header: its values say what it is called
                self._move(old, value)
            elif isinstance(event, BlobSkip) and isinstance(value, Opaque):
                self._save.replace_raw(value.data)
            elif isinstance(event, (PropertyTag, Field)) and self._is_stored(event, old, value):
                return
            else:
                self._save.replace(value)
        except EditError as error:
            raise self._document.fault(str(error), at) from None
        self.changes.append(Change("set", path, value_text(old), orjson.dumps(new)))

    def _is_stored(self, event: PropertyTag | Field, old: object, new: object) -> bool:
        """Return whether a value has the bytes of the old one, as numbers are rounded.

        Raises:
            EditError: it has, but they differ in something else: that follows from other parts of the value.
        """
        encoded, before = self._save._encoded(event, new), self._save._encoded(event, old)
        if encoded != before:
            return False
        if not are_like(orjson.loads(value_text(old)), orjson.loads(value_text(new))):
            raise EditError("the save does not store this part", new)
        return True

    def is_missing(self, event: Event) -> None:
        path = self._save.path
        if isinstance(event, ObjectHeader):
            path = (*path, event.instance_name)
        elif isinstance(event, StructEnter):
            path = path if event.index >= 0 else (*path, event.name)
        try:
            self._save.drop()
        except EditError as error:
            raise self._document.fault(f"it is missing: {error}") from None
        self.changes.append(Change("dropped", path))

    def is_new(self, state: State, name: str, at: int) -> None:
        if name not in OF_LINES or not isinstance(state.event, ObjectHeader):
            raise self._document.fault(f"{name} is not in the save, and cannot be made", at)

    def are_new(self, state: State, count: int, at: int) -> None:
        raise self._document.fault("the save has no more elements here, and cannot get them", at)

    def _move(self, old: object, new: object) -> None:
        if not isinstance(old, Transform) or not isinstance(new, Transform):
            raise EditError(f"{self._member} cannot be changed")
        if (old.rotation, old.scale) != (new.rotation, new.scale):
            raise EditError("only the translation of an object can be changed")
        self._save.move(new.translation)


def differing(events: EventStream, differences: array[int]) -> Iterator[tuple[Event, int, int]]:
    """Read a save up to the last difference, and yield the event of each, its verb and where the document has it."""
    at = 0
    for event in events:
        if at == len(differences):
            return
        kind, offset, verb, place = differences[at : at + WIDTH]
        if type(event) is KINDS[kind] and event.offset == offset:
            at += WIDTH
            yield event, verb, place
        elif isinstance(event, (ObjectHeader, PropertyTag, StructEnter)):
            start, end = span_of(event)
            if end >= 0 and not start <= offset <= end:
                events.skip()


def only_in_document(events: EventStream, document: JsonReader, comparison: Comparison, limits: Limits) -> list[Wanted]:
    """Return what a document has, and a save has not, once both were compared."""
    unit = Unit(events, document, limits)
    for event, verb, place in differing(events, comparison.differences):
        if verb == VALUE:
            unit.run(event, place)
        elif verb == DROP and not isinstance(event, BlobSkip):
            events.skip()
    return sorted(comparison.wanted + unit.wanted, key=attrgetter("at"))


def edit_as_document(save: RewriteStream, document: JsonReader, differences: array[int], limits: Limits) -> Iterator[Change]:
    """Read a save to its end, and make the edits that a comparison with a document asks for.

    Args:
        save: at its start.
        document: what it becomes.
        differences: of a `Comparison` of both.
        limits: as for `streamsave.open`.

    Yields:
        Each change.

    Raises:
        EditError: a value of the document cannot be stored there, or nothing can be dropped there.
        SaveError: the save is damaged.
    """
    editing = Editing(save, document, limits)
    save._guids_as_texts(ends=True)
    for event, verb, place in differing(save, differences):
        if verb == DROP:
            editing.drop(event)
        elif verb == PLACE and isinstance(event, ObjectHeader):
            editing.move(event, place)
        else:
            editing.run(event, place)
        yield from editing.changes
        editing.changes.clear()


def donors(source: CutStream, wanted: Sequence[Wanted]) -> dict[tuple[tuple[str, str], str], Cutting]:
    """Return properties to copy: by what they are in, and by name. The first of each in the save is taken."""
    missing = {(each.owner, each.name) for each in wanted if each.name}
    found: dict[tuple[tuple[str, str], str], Cutting] = {}
    open_owners: list[tuple[str, str]] = []
    for event in source:
        if not missing:
            break
        if isinstance(event, (ObjectHeader, StructEnter)):
            open_owners.append(owner_of(event))
        elif isinstance(event, (ObjectEnd, StructExit)):
            open_owners.pop()
        elif isinstance(event, PropertyTag) and event.index == 0 and (open_owners[-1], event.name) in missing:
            missing.remove((open_owners[-1], event.name))
            found[open_owners[-1], event.name] = source.take()
    return found


def grow(
    save: RewriteStream,
    document: JsonReader,
    wanted: Sequence[Wanted],
    copies: Mapping[tuple[tuple[str, str], str], Cutting],
) -> Iterator[Change]:
    """Insert what only the document has, as copies of what is like it: they get their values later.

    Args:
        save: at its start.
        document: the document.
        wanted: what it has.
        copies: what `donors` has found.

    Yields:
        What was added.

    Raises:
        EditError: there is nothing like it, or it cannot be inserted.
        SaveError: the save is damaged.
    """
    save._as_values()
    at: dict[tuple[int, int], list[Wanted]] = {}
    for each in wanted:
        at.setdefault((each.kind, each.offset), []).append(each)
    offsets = sorted(each.offset for each in wanted)
    #: Of each open nesting: the number of its elements, how many of them have ended, and what comes after the last one.
    nestings: list[tuple[int, int, Wanted | None]] = []
    for event in save:
        here = at.get((kind_of(event), event.offset), [])
        if isinstance(event, (ObjectHeader, StructEnter)):
            for each in here:
                if each.name:
                    cutting = copies.get((each.owner, each.name))
                    if cutting is None:
                        raise document.fault(f"nothing like it in the save has {each.name}, so it cannot be made", each.at)
                    save.insert_raw(cutting)
                    yield Change("added", (*save.path, each.name))
            more = next((each for each in here if each.elements), None)
            nestings.append((event.count if isinstance(event, StructEnter) else -1, 0, more))
        elif isinstance(event, (ObjectEnd, StructExit)):
            nestings.pop()
        if nestings and isinstance(event, (ObjectEnd, StructExit, Field)):
            count, done, more = nestings[-1]
            nestings[-1] = count, done + 1, more
            if more is not None and done + 1 == count:
                save.insert_copy(more.elements)
                yield from [Change("added", (*save.path[: save.depth], count + index)) for index in range(more.elements)]
        if isinstance(event, (ObjectHeader, PropertyTag, StructEnter)) and not here:
            start, end = span_of(event)
            first = bisect_left(offsets, start)
            if end >= 0 and (first == len(offsets) or offsets[first] > end):
                save.skip()


def span_of(event: ObjectHeader | PropertyTag | StructEnter) -> tuple[int, int]:
    """Return where what an event opens starts and ends; the end is -1 if the save does not say it."""
    if isinstance(event, ObjectHeader):
        start = event.data_offset
    elif isinstance(event, PropertyTag):
        start = event.value_offset
    else:
        start = event.offset + event.header_size
    return start, start + event.size if event.size >= 0 else -1


def has_lines(document: JsonReader) -> bool:
    """Return whether a document has objects alone, one after the other, not a whole save."""
    document.expect(b"{")
    while document.peek() != b"}":
        name = document.name()
        if name not in SAVE_MEMBERS:
            return name in OF_OBJECTS
        document.skip()
        if document.peek() == b",":
            document.expect(b",")
    return True


def make_save(
    document: BinaryIO,
    source: SourceLike,
    target: str | os.PathLike[str] | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    backup: str | os.PathLike[str] | None = None,
) -> Iterator[Change]:
    """Write a save that is as a document says: the save that the document was made from, with what differs.

    Args:
        document: what `streamsave json` writes, edited. It can seek.
        source: the save.
        target: the new save, as for `streamsave.rewrite`; None: nothing is written.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        backup: as for `streamsave.rewrite`.

    Yields:
        Each change of a value, and what is dropped. The new save is there when all were taken.

    Raises:
        EditError: the document is no JSON, or says what no save can be made of: it says where.
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`.
    """
    limits = Limits() if limits is None else limits
    read = partial(open_save, limits=limits, type_hints=type_hints, objects_at=objects_at)
    take = partial(cut, limits=limits, type_hints=type_hints, objects_at=objects_at)
    write = partial(rewrite, limits=limits, type_hints=type_hints, objects_at=objects_at)
    reader = JsonReader(document)
    in_lines = has_lines(reader)
    with TemporaryDirectory() as folder:
        for number in range(MOST_ROUNDS):
            reader.seek(0)
            with read(source) as events:
                comparison = Comparison(events, reader, limits)
                if in_lines:
                    comparison.run_lines()
                else:
                    comparison.run()
            wanted: list[Wanted] = comparison.wanted
            if comparison.differences:
                with read(source) as events:
                    wanted = only_in_document(events, reader, comparison, limits)
            if not wanted:
                break
            with take(source) as others:
                copies = donors(others, wanted)
            grown = Path(folder) / f"{number}.sav"
            with write(source, grown, verify=False, fast=True) as save:
                yield from grow(save, reader, wanted, copies)
            source = grown
        with write(source, target, backup=backup) as save:
            yield from edit_as_document(save, reader, comparison.differences, limits)


def are_like(old: object, new: object) -> bool:
    """Return whether two values of JSON differ in nothing but numbers."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(are_like(part, new[name]) for name, part in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(are_like, old, new))
    return old == new or (isinstance(old, float) and isinstance(new, (int, float)))


def canonical(value: object) -> bytes:
    """Return the text of a value of JSON, which is the same for equal ones."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def revalued(old: object, new: object) -> object:
    """Return a value of the save that JSON shows as `new`.

    Args:
        old: the value that the save has there, as `build()` returns it: what has other types in JSON takes them from it.
        new: the value that the document has.

    Raises:
        EditError: it does not fit.
    """
    text = escaped(value_text(old))
    if canonical(new) == canonical(orjson.loads(text)):
        return old
    if isinstance(old, (bytes, Opaque)):
        return data_of(old, new)
    if isinstance(old, float) and isinstance(new, str) and new in FLOATS:
        return FLOATS[new]
    if isinstance(old, int) and not isinstance(old, bool) and isinstance(new, str) and new.lstrip("-").isdecimal():
        return int(new)
    if isinstance(old, str) and isinstance(new, dict) and new.keys() == {"escaped"}:
        return unescape(str(new["escaped"]))
    if isinstance(old, (list, tuple)) and isinstance(new, list):
        if isinstance(old, tuple) and len(new) != len(old):
            raise EditError("wrong number of elements", len(new), f"{len(old)}")
        parts = [revalued(old[min(index, len(old) - 1)], part) if old else part for index, part in enumerate(new)]
        return tuple(parts) if isinstance(old, tuple) else parts
    if isinstance(old, dict) and isinstance(new, dict):
        names = {json_key(name): name for name in old}
        if names.keys() != new.keys():
            raise EditError("other members", sorted(new), ", ".join(names))
        return {name: revalued(old[name], new[key]) for key, name in names.items()}
    if (
        isinstance(old, Text)
        and isinstance(new, dict)
        and canonical(new) == canonical(shown(old) | {"source": new.get("source")})
    ):
        return converted(old, new["source"])  # it is also one of the fields
    if isinstance(new, dict) and not isinstance(old, (int, str)) and names_of_fields(type(old)):
        fields = field_names(type(old))
        if new.keys() != set(fields):
            raise EditError("other members", sorted(new), ", ".join(fields))
        return type(old)(*[revalued(getattr(old, name), new[name]) for name in fields])
    return converted(old, new)


def shown(value: object) -> dict[str, object]:
    """Return a value as JSON shows it, an object."""
    members = orjson.loads(value_text(value))
    return members if isinstance(members, dict) else {}


def data_of(old: bytes | Opaque, new: object) -> bytes | Opaque:
    """Return the bytes that JSON shows in Base64.

    Raises:
        EditError: it shows none.
    """
    try:
        data = b64decode(new["base64"], validate=True) if isinstance(new, dict) else None
    except (KeyError, TypeError, ValueError):
        data = None
    if data is None:
        raise EditError("no bytes", new, '{"base64": ...}')
    return Opaque(data, old.reason) if isinstance(old, Opaque) else data
