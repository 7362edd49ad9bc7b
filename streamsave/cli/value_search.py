"""The search through the values of objects, for `grep`.

| value | how it is searched |
|---|---|
| with events inside, small | built whole |
| with events inside, larger than `LARGEST_BUILT` | event by event |
| an array, set or map larger than that | some elements at a time (`EventStream.slices`) |
| any other one | built whole |

So all is searched, in constant memory. Values whose bytes show that nothing in them can match are not built, but read all the
same: damage in an object that is searched is found, whatever the pattern is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from librt.strings import read_i32_le

from streamsave._native import i64
from streamsave.cli.needed_text import NeededText
from streamsave.cli.text import bytes_text, show
from streamsave.errors import PathStep
from streamsave.events import Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.query.expressions import Matcher
from streamsave.query.tests import SelectedObject
from streamsave.stream.stream import EventStream
from streamsave.values import ContainerDelta, DynamicStruct, InventoryItem, LinearColor, ObjectReference, Quat, Text, Vector

__all__ = ["LARGEST_BUILT", "Match", "ValueSearch"]

#: Values of more bytes are searched part by part.
LARGEST_BUILT: Final = 256 * 1024
#: All characters of a value are matched against a pattern.
LONGEST_TEXT: Final = 1 << 40
#: Names, and paths of objects, whose verdict is kept: most refer to an object that others refer to, too.
MOST_NAMES: Final = 8192
#: Characters of a path whose verdict is kept: a hostile save has long ones.
LONGEST_KEPT: Final = 1024

#: Formats that store texts as they are, in each value: no value has one that is stored elsewhere.
STORED: Final = frozenset(("satisfactory", "satisfactory-blueprint"))
#: Types of numbers, and their size: whatever the bytes are, they are such a number.
INTEGERS: Final = {
    "IntProperty": 4,
    "Int8Property": 1,
    "Int16Property": 2,
    "Int64Property": 8,
    "UInt16Property": 2,
    "UInt32Property": 4,
    "UInt64Property": 8,
}
FLOATS: Final = {"FloatProperty": 4, "DoubleProperty": 8}
#: Types of texts, of properties and of fields, and how many strings they are.
TEXTS: Final = {"StrProperty": 1, "NameProperty": 1, "EnumProperty": 1, "ObjectProperty": 2, "ObjectReference": 2}

#: The texts that each bool has.
BOOL_TEXTS: Final = {True: ("true", "True", "TRUE"), False: ("false", "False", "FALSE")}


class Match:
    """An object that matches, and a value that was found in it.

    Attributes:
        header: of the object.
        path: of the value, from the object; None if values do not matter.
        value: the value; None if it was not built, because it is large.
        size: bytes of a value that was not built; otherwise -1.
        number: of the value among those that were found in the object, from 1.
    """

    def __init__(
        self,
        header: ObjectHeader | SelectedObject,
        path: tuple[PathStep, ...] | None = None,
        value: object = None,
        size: int = -1,
        number: int = 1,
    ) -> None:
        self.header: Final[ObjectHeader | SelectedObject] = header
        self.path: Final = path
        self.value: Final = value
        self.size: Final = size
        self.number: Final = number


class Opened:
    """An object that is open."""

    def __init__(self, header: ObjectHeader, takes: bool) -> None:
        self.header = header
        #: It is wanted; and its values are still searched.
        self.takes = takes
        self.searches = takes
        #: How many values were found in it.
        self.number: i64 = 0
        #: The open nestings, and how many of them are around the innermost wanted name.
        self.path: list[PathStep] = []
        self.wanted_below: i64 = -1
        #: Where the value of the last tag starts.
        self.value_offset: i64 = -1


class ValueSearch:
    """Finds the objects with a value that is wanted.

    Args:
        events: the stream, before its first event. Objects that it does not take (`EventStream.only`) are passed over.
        named: whether a name is wanted; all, if None.
        says: whether the text of a value is wanted. If None, each field with a wanted name is found, with all that is in it;
            otherwise the innermost values with such a text that are, or are in, a field with a wanted name.
        needed: what every text has that `says` wants; None: nothing is known.
        has_name: if given, the objects are found that have no such value, or for which this is False.
    """

    def __init__(
        self,
        events: EventStream,
        named: Matcher | None,
        says: Matcher | None,
        needed: NeededText | None = None,
        has_name: Callable[[ObjectHeader], bool] | None = None,
    ) -> None:
        self._events = events
        self._named = named
        self._says = says
        self._needed = needed
        self._has_name = has_name
        self._names: dict[str, bool] = {}
        self._paths: dict[str, bool] = {}
        #: The texts of the save are in the bytes of its values, and `needed` knows a part of them.
        self._stored = False
        #: Whether an integer can match.
        self._integers = needed is None or needed.integers
        self._around: list[Opened] = []
        self._opened: Opened | None = None
        #: What was found and was not given yet, the last one first.
        self._waiting: list[Match] = []
        #: The large array whose elements are searched, and how many steps the path to it adds.
        self._slices: Iterator[tuple[int, list[object] | bytes]] | None = None
        self._steps: i64 = 0

    def matches(self) -> Iterator[Match]:
        """Yield the objects that match, once for each value that was found in them; then they are still open.

        An object that matches because nothing was found in it comes at its end, after the objects in it.

        Raises:
            SaveError: the save is damaged.
        """
        match = self._next()
        while match is not None:
            yield match
            match = self._next()

    def _next(self) -> Match | None:
        if self._has_found():
            return self._waiting.pop()
        events = self._events
        for event in events:
            opened = self._opened
            if isinstance(event, ObjectHeader):
                self._open(event)
            elif opened is None:
                if isinstance(event, SaveStart):
                    self._stored = event.format in STORED and self._needed is not None and self._needed.stored != b""
            elif isinstance(event, ObjectEnd):
                self._close(opened)
            elif not opened.searches:
                continue
            elif isinstance(event, (PropertyTag, Field)):
                self._look_at(event, opened)
            elif isinstance(event, StructEnter):
                self._enter(event, opened)
            elif isinstance(event, StructExit):
                opened.path.pop()
                if len(opened.path) < opened.wanted_below:
                    opened.wanted_below = -1
            if self._has_found():
                return self._waiting.pop()
        return None

    def _has_found(self) -> bool:
        """Return whether a match waits, after more elements of a large array were searched if none did."""
        slices = self._slices
        opened = self._opened
        while slices is not None and opened is not None and not self._waiting:
            first, values = next(slices, (0, None)) if opened.searches else (0, None)
            if values is None:
                self._slices = slices = None
                del opened.path[len(opened.path) - self._steps :]
            else:
                self._search_elements(first, values, opened)
        return len(self._waiting) > 0

    def _search_elements(self, first: i64, values: list[object] | bytes, opened: Opened) -> None:
        path = opened.path
        path.append(0)
        last = len(path) - 1
        for value in values:
            path[last] = first
            self._search(value, opened)
            first += 1
        path.pop()
        self._waiting.reverse()

    def _open(self, header: ObjectHeader) -> None:
        events = self._events
        takes = events.takes(header)
        if takes and self._has_name is not None and not self._has_name(header):
            self._waiting.append(Match(header))
            takes = False
        if not takes and not events.holds_objects(header):
            events.skip()
        if self._opened is not None:
            self._around.append(self._opened)
        self._opened = Opened(header, takes)

    def _close(self, opened: Opened) -> None:
        if opened.takes and self._has_name is not None and opened.number == 0:
            self._waiting.append(Match(opened.header))
        self._opened = self._around.pop() if self._around else None

    def _enter(self, event: StructEnter, opened: Opened) -> None:
        """Step into a nesting."""
        path = opened.path
        path.append(event.index if event.index >= 0 else event.name)
        if self._named is None or event.index >= 0 or not event.name or not self._wants(event.name):
            return
        if self._says is None and event.offset != opened.value_offset:
            self._found(opened, None, max(0, event.size))
        if opened.wanted_below < 0:
            opened.wanted_below = len(path)

    def _wants(self, name: str) -> bool:
        """Return whether a name is wanted."""
        wanted = self._names.get(name)
        if wanted is None:
            if len(self._names) >= MOST_NAMES:
                self._names.clear()
            wanted = self._names[name] = self._named is None or bool(self._named(name))
        return wanted

    def _look_at(self, event: Event, opened: Opened) -> None:
        """Search the value of the last event, if it is wanted and small enough to build."""
        size: i64 = 0
        if isinstance(event, PropertyTag):
            opened.value_offset = event.value_offset
            is_wanted = self._named is None or self._wants(event.name)
            size = event.size
        elif isinstance(event, Field):
            opened.value_offset = -1
            # An element has the name of its container.
            is_wanted = self._named is None or (event.index < 0 and self._wants(event.name))
            size = event.size
        else:
            return
        says = self._says
        if not is_wanted and (says is None or opened.wanted_below < 0):
            return
        if size > LARGEST_BUILT:
            if says is None:
                depth = _step_to(event, opened.path)
                self._found(opened, None, size)
                del opened.path[depth:]
            elif self._events.is_leaf():
                self._look_at_large(event, opened)
        elif says is None:
            value = self._events.build()
            depth = _step_to(event, opened.path)
            self._found(opened, value)
            del opened.path[depth:]
        elif not self._rules_out(event, size):
            value = self._events.build()
            depth = _step_to(event, opened.path)
            self._search(value, opened)
            del opened.path[depth:]
            self._waiting.reverse()

    def _look_at_large(self, event: PropertyTag | Field, opened: Opened) -> None:
        """Search a large value without events inside: one after the other if it is one of many elements."""
        slices = self._events.slices()
        depth = _step_to(event, opened.path)
        if slices is None:
            self._search(self._events.build(), opened)
        else:
            first, values = next(slices, (0, None))
            if isinstance(values, bytes):  # one value
                count = len(values)
                for _, more in slices:
                    count += len(more)
                if self._says_of(bytes_text(values, count)):
                    self._found(opened, None, count)
            elif values is not None:
                self._slices = slices
                self._steps = len(opened.path) - depth
                self._search_elements(first, values, opened)
                return  # with the path to it
        del opened.path[depth:]
        self._waiting.reverse()

    def _says_of(self, text: str) -> bool:
        return self._says is not None and bool(self._says(text))

    def _search(self, value: object, opened: Opened) -> None:
        """Search the innermost values in a value, whose path is that of `opened`, in their order."""
        path = opened.path
        if value is None or isinstance(value, (ObjectReference, Vector, float, int, str)):
            if self._matches(value):
                self._found(opened, value)
        elif isinstance(value, dict):
            for name, member in value.items():
                path.append(name)
                self._search(member, opened)
                path.pop()
        elif isinstance(value, tuple) and len(value) == 2:  # of a map
            path.append("key")
            self._search(value[0], opened)
            path[len(path) - 1] = "value"
            self._search(value[1], opened)
            path.pop()
        elif isinstance(value, (list, tuple)):
            for index, member in enumerate(value):
                path.append(index)
                self._search(member, opened)
                path.pop()
        elif isinstance(value, (ContainerDelta, DynamicStruct, InventoryItem, Text)):
            for name in type(value).__match_args__:
                path.append(name)
                self._search(getattr(value, name), opened)
                path.pop()
        elif self._matches(value):
            self._found(opened, value)

    def _matches(self, leaf: object) -> bool:
        """Return whether the text of an innermost value is wanted."""
        says = self._says
        if says is None:
            return False
        if isinstance(leaf, ObjectReference):
            path = leaf.path_name
            answer = self._paths.get(path)
            if answer is None:
                answer = bool(says(show(leaf, LONGEST_TEXT)))
                if len(self._paths) >= MOST_NAMES:
                    self._paths.clear()
                if len(path) <= LONGEST_KEPT:
                    self._paths[path] = answer
            return answer
        # What is needed is no part of a number, nor of the words in the texts of these.
        if self._stored and (leaf is None or isinstance(leaf, (float, int, Vector, Quat, LinearColor))):
            return False
        if isinstance(leaf, bool):
            return any(map(says, BOOL_TEXTS[leaf]))
        if not self._integers and isinstance(leaf, int):
            return False
        return bool(says(show(leaf, LONGEST_TEXT)))

    def _rules_out(self, event: Event, size: i64) -> bool:
        """Return whether nothing in the value of the last event can match, after it was read, or is known to be sound."""
        kind = event.type if isinstance(event, (PropertyTag, Field)) else ""
        is_integer = size == INTEGERS.get(kind, -1)
        needed = self._needed
        if needed is None or (self._integers if is_integer else not self._stored):
            return False
        data = self._events._peek(size)
        if len(data) != size:
            return False
        if is_integer or size == FLOATS.get(kind, -1) or self._events._is_textless():
            return True
        if needed.may_be_in(data):
            return False
        if _is_strings(data, TEXTS.get(kind, 0)):
            return True
        if isinstance(event, PropertyTag) and needed.may_be_in_name(
            f"{kind} {event.type_name} {event.inner_type} {event.value_type}"
        ):
            return False
        self._events.references()
        return True

    def _found(self, opened: Opened, value: object, size: i64 = -1) -> None:
        """Give a value that was found at the path of `opened`; if objects without it are wanted, only note that."""
        opened.number += 1
        if self._has_name is None:
            self._waiting.append(Match(opened.header, tuple(opened.path), value, size, opened.number))
        else:
            opened.searches = False


def _step_to(event: PropertyTag | Field, path: list[PathStep]) -> int:
    """Add the steps to the value of an event to a path; return how many it had before."""
    depth = len(path)
    if isinstance(event, PropertyTag):
        path.append(event.name)
        if event.index:
            path.append(event.index)
    else:
        path.append(event.index if event.index >= 0 else event.name)
    return depth


def _is_strings(data: bytes, count: i64) -> bool:
    """Return whether bytes are exactly so many one-byte strings, at least one: `i32 length`, then that many bytes each."""
    at: i64 = 0
    if count == 0:
        return False
    while count > 0:
        count -= 1
        if len(data) - at < 4:
            return False
        value: int = read_i32_le(data, at)
        length: i64 = value
        at += 4
        if length < 0 or length > len(data) - at:
            return False
        at += length
    return at == len(data)
