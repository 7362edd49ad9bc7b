"""Every value of a save, in order, with its path: the one walk of all commands that look at values.

`Walk` takes a stream and gives one step after the other:

| step | when |
|---|---|
| `SaveStart`, `SaveEnd`, `Damage` | as they come |
| `ObjectHeader` | an object begins; `Walk.skip` and `Walk.keep` say which of its values are wanted |
| `Part` | a value: a member of an object, or a value that is in no object |
| `ObjectEnd` | an object is complete; the objects in it came before |

A value of up to `LARGEST_BUILT` bytes comes whole, as `build()` makes it. A larger one, and one that may contain objects, comes
in parts: the walk goes into nestings, and an array, a set or a map without events inside comes in slices. So memory stays
constant, whatever the size of a value.

A GUID is its text.

A `PropertyTag` that is not read does not skip itself: the events inside it come next. The walk skips what is not wanted, and goes
through what is not wanted but may contain objects.

`Visitor` goes through the innermost values (leaves) of a part; `streamsave.decode.leaves` says what these are.

The module is long because one class walks all kinds of values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, Self

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import JSON_ARRAY, MAP_ENTRY
from streamsave.decode.leaves import BYTES, Key, LeafVisitor, Step, key_of
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.stream.verbs import Verbs

__all__ = ["LARGEST_BUILT", "Part", "Visitor", "Walk", "leaves", "named_values"]

#: Values of more bytes come in parts.
LARGEST_BUILT: Final = 256 * 1024


@mypyc_attr(free_list_len=1)
class Part:
    """A value, whole or a slice of it.

    Attributes:
        around: the steps to what the value is in, from the start of the save. Parts of one nesting have the same tuple.
        steps: the steps from there: a name, a number, both, or none.
        base: how many steps lead to the object that the value is in; 0 if it is in none, or in one without a name.
        value: as `build()` makes it.
        first: of a slice, the index of its first element; -1 of a whole value. A slice is a list, or bytes.
    """

    __slots__ = ("around", "base", "first", "steps", "value")

    def __init__(
        self,
        around: tuple[Step, ...],
        steps: tuple[Step, ...],
        base: i64,
        value: object,
        first: i64 = -1,
    ) -> None:
        self.around: Final = around
        self.steps: Final = steps
        self.base: Final = base
        self.value: Final = value
        self.first: Final = first

    @property
    def path(self) -> tuple[Step, ...]:
        """The steps to the value, from the start of the save."""
        return (*self.around, *self.steps)

    @property
    def inner(self) -> tuple[Step, ...]:
        """The steps to the value, from the object that it is in."""
        return self.steps if self.base == len(self.around) else (*self.around[self.base :], *self.steps)


class Nesting:
    """A nesting that is open."""

    def __init__(self, path: tuple[Step, ...], *, wanted: bool, is_list: bool = False, is_entry: bool = False) -> None:
        #: The path around it.
        self.path = path
        #: What is in it is wanted.
        self.wanted = wanted
        self.is_list = is_list
        #: It is an entry of a map, whose path gets its key.
        self.is_entry = is_entry
        #: That key has a text, so what is in the entry is its value.
        self.has_key = False
        #: How many members or elements came.
        self.count: i64 = 0
        #: Its size in bytes (-1: only its end shows it).
        self.size: i64 = -1
        #: What opened it; None: an object.
        self.event: Event | None = None


@mypyc_attr(free_list_len=1)
class Opened(Nesting):
    """An object that is open."""

    def __init__(self, path: tuple[Step, ...], outer: Opened | None, base: i64, *, wanted: bool, holds: bool) -> None:
        super().__init__(path, wanted=wanted)
        self.count = 1
        self.outer = outer
        #: How many steps lead to its members.
        self.base = base
        #: There may be objects in it.
        self.holds = holds
        #: The names of its members that are wanted; None: all.
        self.names: frozenset[str] | None = None


class Walk:
    """The steps of a save; see the table of this module.

    Args:
        events: the stream; nothing, or only its `SaveStart`, was read yet.
        loose: whether values that are in no object come.
        largest: values of more bytes come in parts.
        keys: whether keys of maps that come in parts are parts, too, if they have a text.

    Attributes:
        known_end: properties and fields that end here or before are passed over; -1: none.
        event: that of the last step; of a nesting without anything in it, the one that opened it.
    """

    def __init__(
        self,
        events: Verbs,
        *,
        loose: bool = True,
        largest: i64 = LARGEST_BUILT,
        keys: bool = False,
    ) -> None:
        self._events = events
        self._largest = largest
        self._keys = keys
        self.known_end: i64 = -1
        self.event: Event | None = None
        #: The path of what is open.
        self._path: tuple[Step, ...] = ()
        self._nestings: list[Nesting] = []
        self._opened: Opened | None = None
        self._wanted = loose
        #: The slices that are being given, of the array at this path.
        self._slices: Iterator[tuple[int, list[object] | bytes]] | None = None
        self._sliced: tuple[Step, ...] = ()
        self._sliced_size: i64 = 0
        #: The last event, if it is a tag whose value comes as events; and its path.
        self._tag: PropertyTag | None = None
        self._tag_path: tuple[Step, ...] = ()
        events._guids_as_texts()

    @property
    def place(self) -> tuple[Step, ...]:
        """The steps to the open object, its name included; () outside of objects."""
        opened = self._opened
        return () if opened is None else self._path[: opened.base]

    def size_of(self, steps: int) -> int:
        """Return the size in bytes of the open nesting, or of the array that comes in slices, to which so many steps lead.

        -1: only its end shows it.
        """
        if self._slices is not None and steps == len(self._path) + len(self._sliced):
            return int(self._sliced_size)
        ends = [*[len(nesting.path) for nesting in self._nestings[1:]], len(self._path)]
        for nesting, end in zip(self._nestings, ends, strict=False):
            if len(nesting.path) < steps <= end:
                return int(nesting.size)
        return -1

    # --- what is wanted ---

    def skip(self) -> None:
        """Pass over the values of the object that has just begun. Objects in it come all the same."""
        opened = self._opened
        assert opened is not None  # noqa: S101 - the caller has its header
        if opened.holds:
            opened.names = frozenset()
        else:
            self._events._pass()

    def keep(self, names: frozenset[str]) -> None:
        """Pass over the values of the object that has just begun whose member has none of these names."""
        opened = self._opened
        assert opened is not None  # noqa: S101 - as above
        opened.names = names

    # --- steps ---

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event | Part:
        part = self._next_slice()
        if part is not None:
            return part
        events = self._events
        while True:
            event = self.event = events.__next__()
            kind = type(event)
            if kind is ChunkStart:
                continue  # one may come between a tag and its value
            tag, self._tag = self._tag, None
            if kind is PropertyTag or kind is Field:
                part = self._leaf(event)
            elif isinstance(event, StructEnter):
                part = self._enter(event, tag)
            elif kind is StructExit:
                part = self._exit()
            elif isinstance(event, ObjectHeader):
                self._begin(event)
                return event
            elif kind is ObjectEnd:
                self._end()
                return event
            elif isinstance(event, BlobSkip):
                part = self._blob(event, tag)
            elif isinstance(event, (SaveStart, SaveEnd, Damage)):
                return event
            if part is not None:
                return part

    def _next_slice(self) -> Part | None:
        """Return the next slice of an array that comes in slices; None if there is no more."""
        if self._slices is not None:
            for first, elements in self._slices:
                return self._part(self._sliced, elements, first)
            self._slices = None
        return None

    def _part(self, steps: tuple[Step, ...], value: object, first: i64 = -1) -> Part:
        return Part(self._path, steps, 0 if self._opened is None else self._opened.base, value, first)

    def _wants(self, name: str) -> bool:
        """Return whether a member of what is open is wanted."""
        opened = self._opened
        if opened is None or opened.names is None or len(self._path) != opened.base:
            return self._wanted
        return name in opened.names

    def _leads_to_objects(self, event: PropertyTag | StructEnter) -> bool:
        opened = self._opened
        return (opened is None or opened.holds) and self._events._leads_to_objects(event)

    def _fill(self) -> None:
        """Count what comes in the open nesting."""
        if self._nestings:
            self._nestings[-1].count += 1

    def _leaf(self, event: Event) -> Part | None:
        """Read the value of a tag or field, if it is wanted and is no nesting that is walked."""
        assert isinstance(event, (PropertyTag, Field))  # noqa: S101 - the caller has looked
        events = self._events
        self._fill()
        name = event.name
        start = event.value_offset if isinstance(event, PropertyTag) else event.offset
        leads = isinstance(event, PropertyTag) and self._leads_to_objects(event)
        # The key of an entry is a step to what is in it, which may be an object.
        is_key = name == "key" and len(self._nestings) > 0 and self._nestings[-1].is_entry and event.size <= self._largest
        if not (leads or is_key) and (start + event.size <= self.known_end or not self._wants(name)):
            events._pass()
            return None
        steps: tuple[Step, ...] = (name,)
        if isinstance(event, PropertyTag):
            if event.index:
                steps = (name, event.index)
            if leads or (event.size > self._largest and not events.is_leaf()):
                self._tag = event
                self._tag_path = (*self._path, *steps)
                return None
        elif event.index >= 0:
            steps = (event.index,)
        elif self._nestings and self._nestings[-1].is_list:
            steps = (int(self._nestings[-1].count) - 1,)
        if event.size > self._largest:
            self._slices = events.slices()
            if self._slices is not None:
                self._sliced = steps
                self._sliced_size = event.size
                return self._next_slice() or self._part(steps, [])
        return self._built(name, steps)

    def _built(self, name: str, steps: tuple[Step, ...]) -> Part | None:
        """Build what the last event opened. In an entry of a map, the key is a step, and the value has no step of its own."""
        value = self._events.build()
        nestings = self._nestings
        if nestings and nestings[-1].is_entry:
            if name == "key":
                text = key_of(value)
                *around, entry = self._path
                number = entry.index if isinstance(entry, Key) else -1
                self._path = (*around, Key(None, number, value))
                if text is not None:
                    part = self._part(steps, value) if self._keys and self._wanted else None
                    nestings[-1].has_key = True
                    self._path = (*around, Key(text, number, value))
                    return part
            elif name == "value" and nestings[-1].has_key:
                steps = ()
        return self._part(steps, value) if self._wants(name) else None

    def _enter(self, event: StructEnter, tag: PropertyTag | None) -> Part | None:
        """Step into a nesting, or build it."""
        events = self._events
        steps: tuple[Step, ...] = (event.name,) if event.name else ()
        if tag is not None and tag.value_offset == event.offset:
            steps = self._tag_path[len(self._path) :]
        elif self._nestings:
            around = self._nestings[-1]
            if around.is_list:  # elsewhere, a level has a name and an index
                number = event.index if event.index >= 0 else int(around.count)
                steps = (Key(None, number) if event.type_name == MAP_ENTRY else number,)
            elif around.has_key and event.name == "value":
                steps = ()
        self._fill()
        wanted = self._wants(event.name)
        leads = self._leads_to_objects(event)
        part: Part | None = None
        if not leads and not wanted:
            events._pass()  # its exit comes
        elif not leads and 0 <= event.size <= self._largest:
            part = self._built(event.name, steps)
            wanted = False  # only its exit comes
        is_list = event.count >= 0 or event.type_name == JSON_ARRAY
        nesting = Nesting(self._path, wanted=self._wanted, is_list=is_list, is_entry=event.type_name == MAP_ENTRY)
        nesting.count = 0 if wanted else 1
        nesting.size = event.size if tag is None else tag.size
        nesting.event = event
        self._nestings.append(nesting)
        self._path = (*self._path, *steps)
        self._wanted = wanted
        return part

    def _exit(self) -> Part | None:
        """Step out of a nesting; one without anything in it is a value."""
        if not self._nestings:
            return None  # it was opened before the walk began
        nesting = self._nestings.pop()
        steps = self._path[len(nesting.path) :]
        self._path = nesting.path
        self._wanted = nesting.wanted
        start, end = nesting.event, self.event
        if nesting.count > 0 or (start is not None and end is not None and content_start(start) < end.offset):
            return None  # what is in it may not have come: objects that are not selected
        self.event = start
        return self._part(steps, [] if nesting.is_list else {})

    def _begin(self, header: ObjectHeader) -> None:
        self._fill()
        path = self._path + _steps_to(header)
        opened = Opened(self._path, self._opened, len(path), wanted=self._wanted, holds=self._events.holds_objects(header))
        self._nestings.append(opened)
        self._opened = opened
        self._path = path
        self._wanted = True

    def _end(self) -> None:
        opened = self._opened
        if opened is None:
            return  # as above
        self._nestings.pop()
        self._path = opened.path
        self._wanted = opened.wanted
        self._opened = opened.outer

    def _blob(self, event: BlobSkip, tag: PropertyTag | None) -> Part | None:
        """Give bytes without a layout; of many, only how many."""
        self._fill()
        steps = self._tag_path[len(self._path) :] if tag is not None and tag.value_offset == event.offset else (event.reason,)
        if not event.size or not self._wants(event.reason):
            return None
        is_large = event.size > self._largest
        return self._part((*steps, BYTES), event.size) if is_large else self._part(steps, self._events.opaque(event))


def _steps_to(header: ObjectHeader) -> tuple[Step, ...]:
    """Return the steps to an object: its name; its number, if that is all of its name; none if it has no name."""
    name = header.instance_name
    if not name:
        return ()
    level = header.level
    if name.endswith("]") and len(level) < len(name) and name[len(level)] == "[" and name.startswith(level):
        digits = name[len(level) + 1 : len(name) - 1]
        if digits.isascii() and digits.isdigit():
            return (int(digits),)
    return (name,)


class Visitor(LeafVisitor):
    """Goes through the leaves of parts. A subclass says what to do with each."""

    def visit(self, part: Part) -> None:
        """Go through the leaves of a part, in order."""
        path = self.path
        path.clear()
        path.extend(part.path)
        value = part.value
        if part.first < 0:
            self.value(value)
        elif isinstance(value, (list, tuple)):
            self._elements(value, part.first)
        else:
            self.value(value)


class Leaves(Visitor):
    """Collects leaves with their paths, and keys that have a text if they are wanted."""

    def __init__(self, *, keys: bool) -> None:
        super().__init__()
        self._keys = keys
        self.found: list[tuple[tuple[Step, ...], object]] = []

    def key(self, key: object) -> None:
        """Take the key of an entry of a map."""
        if self._keys:
            self.value(key)

    def leaf(self, value: object) -> None:
        """Take a leaf."""
        self.found.append((tuple(self.path), value))


def leaves(part: Part, *, keys: bool = False) -> list[tuple[tuple[Step, ...], object]]:
    """Return the leaves of a part in order, each with its path from the start of the save; with `keys`, those of maps, too."""
    visitor = Leaves(keys=keys)
    visitor.visit(part)
    return visitor.found


def named_values(events: Verbs, names: Collection[str], around: Collection[str] = ()) -> dict[str, object]:
    """Build the properties with these names, and skip all others, but for those in `around`: of these, look at the members."""
    found: dict[str, object] = {}
    for event in events:
        if isinstance(event, PropertyTag):
            if event.name in names:
                found[event.name] = events.build()
            elif event.name not in around:
                events.skip()
    return found
