"""What differs between a save and a JSON document of it: both are read side by side, as the JSON writer goes through the save.

Each value that is small enough is compared as text, and only what differs is decoded, and then gone through value by value.

The module is long because all that reads a document beside a save is here: values, members in any order, elements, objects on
lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import product
from operator import attrgetter
from typing import Final, NamedTuple

import orjson

from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import json_key
from streamsave.errors import EditError
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.limits import Limits
from streamsave.output.json_document import BUILT_SIZE, PROPERTIES, JsonWriter, Scope
from streamsave.output.json_text import escaped, leaf_text, value_text
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.renaming import KnownNames

__all__ = [
    "DROP",
    "HEADER",
    "VALUE",
    "Comparison",
    "State",
    "Unit",
    "Wanted",
    "canonical",
    "differing",
    "has_lines",
    "kind_of",
    "only_in_document",
    "owner_of",
    "span_of",
]

#: What a difference may be at.
KINDS: Final = (ObjectHeader, StructEnter, PropertyTag, Field, BlobSkip)
#: A difference: its value is another one; it is missing; the header of the object, whose values follow, is another one.
VALUE: Final = 0
DROP: Final = 1
HEADER: Final = 2
#: Numbers of a difference: kind, offset in the save, one of the above, offset in the document.
WIDTH: Final = 4
NAMES: Final = ("class_name", "instance_name")
#: A member of an object on a line: it is to be dropped.
DROPPED: Final = "@drop"
#: Another one: the name that the object has in the save.
FORMER: Final = "@of"
#: Members of an object on a line that are not in the save.
OF_LINES: Final = frozenset({"path", DROPPED, FORMER})
NULL: Final = b"null"
#: Fields that follow from what else is in a save: the document need not be right there.
DERIVED: Final = frozenset({"body_size"})
#: Members of an object that a whole save has not.
OF_OBJECTS: Final = OF_LINES | {"kind", "class_name", "instance_name", "flags", "level"}
#: Members of a whole save. The first line of many has nothing else.
SAVE_MEMBERS: Final = frozenset({"format", "version", "header"})


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
        #: Where the object is that was begun last.
        self._object_at = 0
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
        event = self._event
        if isinstance(event, Field) and event.name in DERIVED:
            self._document.skip()
            return
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
        # Properties are in the object that is open; no event has opened a collection of objects.
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
        self._object_at = document.tell()
        is_same = document.starts(escaped(value_text(head))[:-1]) or self._is_same(event)
        if not is_same and not self._is_renamed(event):
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
        if event.header_size > 0:
            return names.get("instance_name") == event.instance_name
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

    def _is_renamed(self, event: ObjectHeader) -> bool:
        """Return whether the object that comes next in the document is this one, with a name that no object of the save has."""
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
                document.matches(text, is_part=True)
                state.is_new = False
                return
            document.seek(start)
        while key not in state.passed:
            if self._next_name(state) is None:
                raise MissingError
        state.resume = document.tell()
        document.seek(state.passed.pop(key))


class Comparison(Side):
    """Reads a save and a document side by side, and notes what differs.

    Args:
        events: the save.
        document: as for `Side`.
        limits: as for `Side`.
        names: of the objects of the save; None: an object with another name is another object.
        built_size: as for `Side`.
    """

    def __init__(
        self,
        events: EventStream,
        document: JsonReader,
        limits: Limits,
        names: KnownNames | None = None,
        *,
        built_size: int = BUILT_SIZE,
    ) -> None:
        super().__init__(events, document, limits, built_size)
        self._names = names
        #: Up to where the objects of the document have names that the save has not, and the name of the one after them.
        self._known: tuple[int, object] = (0, "")
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
            head = document.members(("path", "class_name", "instance_name", DROPPED, FORMER))
            if "instance_name" in head:
                names = [head.get(name) for name in NAMES]
                if not all(isinstance(name, str) for name in names):
                    raise document.fault("expected a class and a name", start)
                if FORMER in head:
                    names = [None, head[FORMER]]
                key: tuple[object, ...] = (*names, canonical(head.get("path")))
                places.setdefault(key, []).append((start, head.get(DROPPED) is True))
            document.skip()
        for event in self._events:
            if not isinstance(event, ObjectHeader):
                continue
            path = canonical(orjson.loads(value_text(list(self._events.path))))
            for class_name, text in product((event.class_name, None), (NULL, path)):
                key = (class_name, event.instance_name, text)
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
                raise document.fault(f"the save has no such {key[0] or 'object'}: {key[1]}", left[0][0])

    def differs(self, old: object, at: int) -> None:
        """Do as `Side.differs`.

        Raises:
            EditError: it cannot be another one.
        """
        event = self._event
        if isinstance(event, ObjectHeader) and self._member:
            if event.header_size == 0:
                return  # it has no header: its values say what it is called
            if self.differences[-WIDTH:-1] != array("q", (kind_of(event), event.offset, HEADER)):
                self._note(event, HEADER, self._object_at)
        elif event is None or isinstance(event, (SaveStart, ObjectEnd)):
            raise self._document.fault(f"{self._member} cannot be changed", at)
        else:
            self._note(event, VALUE, at)

    def _is_renamed(self, event: ObjectHeader) -> bool:
        if event.header_size <= 0 or self._names is None:
            return False
        document = self._document
        start = document.tell()
        if start >= self._known[0]:
            name: object = ""
            while document.peek() == b"{":
                name = document.members(NAMES).get("instance_name")
                if isinstance(name, str) and self._names.has(name):
                    break
                name = ""
                document.skip()
                if document.peek() == b",":
                    document.expect(b",")
            self._known = document.tell(), name
            document.seek(start)
        return start < self._known[0] and self._known[1] != event.instance_name

    def is_missing(self, event: Event) -> None:
        """Do as `Side.is_missing`."""
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
        self._begin(at)
        depth = self._events.depth - isinstance(event, (StructEnter, ObjectHeader))
        self.feed(event)
        while self.waits() or self._events.depth > depth:
            self.feed(next(self._events))

    def _begin(self, at: int) -> None:
        """Go to a value of the document."""
        self._document.seek(at)
        self._scopes = [Scope(b"", is_list=True, collects="", is_object=False)]
        self._states = [State(None)]
        self._has_key = True

    def _is_same(self, event: ObjectHeader) -> bool:
        """Do as `Side._is_same`; the outermost object was found before, whatever its name is now."""
        return len(self._states) == 1 or super()._is_same(event)

    def differs(self, old: object, at: int) -> None:
        """Do nothing."""

    def is_missing(self, event: Event) -> None:
        """Skip it."""
        if not isinstance(event, BlobSkip):
            self._events.skip()


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


def canonical(value: object) -> bytes:
    """Return the text of a value of JSON, which is the same for equal ones."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
