"""Find the differences between a save and a JSON document of it.

Values that are small enough are compared as text, and only different ones are decoded. A second comparison goes through those
part by part.

Differences are stored as numbers: the event, what to do, the offset in the document. A save is read once to find them, and again
to edit it.

The module is long because all kinds of differences are found in one walk.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

import orjson

from streamsave.claims import content_start
from streamsave.errors import EditError
from streamsave.events import (
    BlobSkip,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveStart,
    StructEnter,
)
from streamsave.limits import Limits
from streamsave.output.json_document import BUILT_SIZE, OBJECTS, Scope
from streamsave.output.json_text import escaped, leaf_text, value_text
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.json_walk import (
    INSTANCE_NAME,
    LIKE,
    TYPE,
    WRAPPED,
    DocumentWalk,
    MissingError,
    State,
    canonical,
    json_name,
)
from streamsave.rewriting.stream import RewriteStream

__all__ = [
    "DROP",
    "REFERENCE",
    "Change",
    "Comparison",
    "Wanted",
    "are_same",
    "differing",
    "has_lines",
    "key_of",
    "owner_of",
    "span_of",
]

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
            `(..., old name, "instance_name")`.
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
        owner: of the property, see `owner_of`.
        at: its offset in the document.
        name: of a property; "" for elements.
        type_name: the type to copy, as `"@type"` says; "": copy it from another object.
        is_list: it is an empty list.
        class_name: of an object; "" for other elements.
        like: what to copy, as JSON: a name, an index, a key; b"" if the document does not say it.
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


NAMES: Final = ("class_name", INSTANCE_NAME)
#: A member of an object on a line: drop the object.
DROPPED: Final = "@drop"
#: A member of an object on a line: the name of the object in the save.
FORMER: Final = "@of"
#: Members of an object on a line that are not in the save.
OF_LINES: Final = frozenset({"path", DROPPED, FORMER})
NULL: Final = b"null"
#: Members of the header, and fields, that follow from the rest of the save: the document need not be right there.
DERIVED: Final = re.compile(r"(.*_)?(count|size|nb)|nb.*|data_blob|save_data_hash|wrapper|entries|table_offset|gaps|duplicates")
#: The members of a reference with an object number.
REFERENCE: Final = frozenset({"level_name", "path_name", "index"})
#: Members of an object on a line; a document of a whole save has none of them at its top.
OF_OBJECTS: Final = OF_LINES | {"kind", "class_name", "instance_name", "flags", "level"}
#: Members of a whole save; the first line of several has no others.
SAVE_MEMBERS: Final = frozenset({"format", "version", "header"})


class Comparison(DocumentWalk):
    """Reads a save and a document side by side, and records the differences.

    Args:
        events: the save.
        document: the document.
        limits: as for `JsonWriter`.
        is_fine: go through the parts of all values.
    """

    def __init__(self, events: CutStream, document: JsonReader, limits: Limits, *, is_fine: bool = False) -> None:
        super().__init__(events, document, limits, -1 if is_fine else BUILT_SIZE)
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

    def run_lines(self) -> None:
        """Find the objects of a document that has only some, one after the other; record a difference for each.

        Raises:
            EditError: the document is no JSON, or the save has no such object, or several of them.
            SaveError: the save is damaged.
        """
        document = self._document
        places: dict[tuple[object, ...], list[tuple[int, bool]]] = {}
        #: Name of an object in `"@like"` -> offsets of the lines.
        likes: dict[bytes, list[int]] = {}
        new: dict[int, Wanted] = {}
        while document.peek():
            start = document.tell()
            head = document.members((*SAVE_MEMBERS, "path", *NAMES, LIKE, DROPPED, FORMER))
            if INSTANCE_NAME in head or not head:
                names = [head.get(name) for name in NAMES]
                if not all(isinstance(name, str) for name in (*names, head.get(FORMER, ""))):
                    raise document.fault("expected a class and a name", start)
                if FORMER in head:
                    names = [None, head[FORMER]]
                key: tuple[object, ...] = (*names, canonical(head.get("path")))
                places.setdefault(key, []).append((start, head.get(DROPPED) is True))
                if LIKE in head:
                    likes.setdefault(canonical(head[LIKE]), []).append(start)
            document.skip()
        nestings: list[Event] = []
        for event in self._events:
            depth = self._events.depth
            if isinstance(event, (SaveStart, StructEnter, ObjectHeader)):
                del nestings[depth:]
                nestings.append(event)
            if not isinstance(event, ObjectHeader):
                continue
            name = json_name(event)
            if name in likes and (self._save._family.has_header(event) or self._save._family.names_parts):
                around = nestings[-2]
                like = Wanted(key_of(around, depth - 1), around.offset, ("", ""), 0, class_name=event.class_name, like=name)
                new |= {start: like._replace(at=start) for start in likes.pop(name)}
            path = canonical(orjson.loads(value_text(list(self._events.path))))
            for class_name, text in product((event.class_name, None), (NULL, path)):
                key = (class_name, event.instance_name, text)
                if key not in places:
                    continue
                if not places[key]:
                    raise EditError(f"the save has several {event.instance_name}: give the paths of all of them")
                start, is_dropped = places[key].pop(0)
                self._depth = self._events.depth
                self._note(event, DROP if is_dropped else VALUE, start)
                if event.size >= 0:
                    self._events.skip()
                break
        for key, left in places.items():
            for start, _ in left:
                if start not in new:
                    what = f"the save has no such {key[0] or 'object'}: {key[1]}"
                    raise document.fault(f'{what}; "@like": "NAME" makes one from an object that has a header', start)
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
            if not self._save._family.has_header(event):
                if self._member == INSTANCE_NAME and self._save._family.names_parts:
                    raise self._document.fault("it cannot be renamed: leave it out, and add one with the new name", at)
                if self._member not in NAMES:  # names are among its values
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

    def is_missing(self, event: Event, *, is_read: bool = False) -> None:
        """Do as `DocumentWalk.is_missing`."""
        if self._scopes[-1].names is None:
            kind = event.class_name if isinstance(event, ObjectHeader) and self._save._family.has_header(event) else ""
            state = self._states[-1]
            state.missing.setdefault(kind, deque()).append((len(self.differences), state.key))
        self._note(event, DROP, self._document.tell())
        depth = self._depth
        # Skipping an object of unknown size would change the offsets of others.
        if not is_read and not isinstance(event, BlobSkip) and not (isinstance(event, ObjectHeader) and event.size < 0):
            self._events.skip()
        while isinstance(event, (StructEnter, ObjectHeader)) and self._events.depth >= depth:
            if isinstance(next(self._events), (StructEnter, ObjectHeader, PropertyTag)):
                self._events.skip()

    def is_new(self, state: State, name: str, at: int) -> None:
        """Do as `DocumentWalk.is_new`."""
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
        self.wanted.append(Wanted(key, event.offset, owner_of(event), at, name, str(type_name)))

    def are_new(self, state: State, left: list[tuple[int, int]]) -> None:
        """Record new elements of a list.

        Args:
            state: of the list.
            left: offset of each in the document, and of the element before it that is also in the save; -1: none.
        """
        event, document = state.event, self._document
        kind = -1 if event is None else key_of(event, state.depth)
        if kind < 0 or event is None or (state.count == 0 and not (isinstance(event, StructEnter) and event.count == 0)):
            raise document.fault("the save has no more elements here, and none to copy", left[0][0])
        if isinstance(event, StructEnter) and event.count == 0:
            self._fill(event, left[0][0])
            return
        total = event.count if isinstance(event, StructEnter) and event.count >= 0 else state.count
        plain = Wanted(kind, event.offset, ("", ""), 0, total=total)
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
        self.wanted.append(Wanted(key_of(tag, depth), tag.offset, owner_of(around), at, tag.name, is_list=True))

    def _neighbour(self, at: int, class_name: str) -> bytes:
        """Return the name of the object at an offset, if it has this class; else b""."""
        if at < 0:
            return b""
        self._document.seek(at)
        head = self._document.members(NAMES)
        return canonical(head.get("instance_name")) if head.get("class_name") == class_name else b""

    # --- methods of `JsonWriter` ---

    def value(self, value: object) -> None:
        """Compare a value."""
        text = escaped(value_text(value))
        document = self._document
        if document.matches(text):
            return
        start = document.tell()
        new, old = document.decoded(once=True), orjson.loads(text)
        if not are_same(old, new):
            end = document.tell()
            if are_same(without_index(old), without_index(new)):
                self._ignore(self._events.path, value, start)
            elif isinstance(self._event, SaveStart) and isinstance(old, dict) and isinstance(new, dict):
                self._header_differs(old, new, start)
            else:
                self.differs(value, start)
            document.seek(end)

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

    def is_elsewhere(self, index: int, at: int) -> bool:
        """Do as `DocumentWalk.is_elsewhere`: turn a missing element into a changed value."""
        if at >= 0:
            self._document.seek(at)
            self.differences[index + 2 : index + WIDTH] = array("q", (max(self._document.wrapped(WRAPPED), at), VALUE))
            self.is_coarse = True
        return at >= 0

    def end_list(self, state: State) -> None:
        """Read the rest of a list. New elements replace missing ones of their class, as far as there are any."""
        document = self._document
        places = state.places
        if places is None:
            if document.peek() == b"]":
                return
            places = self.look_up(state, document.tell())
        names_parts = state.has_objects and self._save._family.names_parts
        before = -1
        left: list[tuple[int, int]] = []
        for at in places.offsets:
            if at < 0:
                before = ~at
                continue
            document.seek(at)
            names = document.members(NAMES) if state.has_headers else {}
            if names and places.has_several(canonical(names.get("instance_name"))):
                raise document.fault(f"another object has this name: {names.get(INSTANCE_NAME)}", at, state.path)
            missing = None if names_parts else state.missing.get(str(names.get("class_name", "")))
            if not missing or not self.is_elsewhere(missing.popleft()[0], at):
                left.append((at, before))
        if left:
            self.are_new(state, left)
        document.seek(state.end)

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


def has_lines(document: JsonReader) -> bool:
    """Return whether a document has single objects, one after the other, not a whole save."""
    document.expect(b"{")
    while document.peek() != b"}":
        name = document.name()
        if name not in SAVE_MEMBERS:
            return name in OF_OBJECTS
        document.skip()
        if document.peek() == b",":
            document.expect(b",")
    return True


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
