"""Search the values of objects: by the name of a member, by the text of a value.

The text of a value is what JSON has for it, without quotes; a bool is also `True` and `TRUE`. Bytes and their size have none. The
keys of maps are values, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.consume.conditions import BOOL_TEXTS
from streamsave.consume.expressions import Matcher
from streamsave.consume.needed_text import NeededText
from streamsave.consume.selected_object import SelectedObject
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Visitor, Walk
from streamsave.decode.json_values import json_step, number_text, shortest_text
from streamsave.decode.leaves import BYTES, Step
from streamsave.decode.paths import Step as WantedStep
from streamsave.decode.paths import leads_into
from streamsave.events import ObjectEnd, ObjectHeader, SaveStart
from streamsave.values import ObjectReference, Opaque

__all__ = ["Match", "value_matches"]

#: Formats that store texts as they are, in each value: the bytes of an object have all its texts.
STORED: Final = frozenset(("satisfactory", "satisfactory-blueprint"))
#: Most bytes of an object that are looked at before it is read.
LARGEST_SEARCHED: Final = 256 * 1024
#: Characters of a number that may have a shorter text in single precision.
LONGEST_SHORT: Final = 8
#: Texts, and numbers, whose verdict is kept: most come again. Longer texts are not kept.
MOST_KEPT: Final = 8192
LONGEST_KEPT: Final = 1024


class Match:
    """An object that matches, and a value that was found in it.

    Attributes:
        header: of the object.
        path: of the value in the object; None if the object matches because it has no such value.
        value: the value; None if it is too large to come as a whole.
        size: bytes of a value that is too large; otherwise -1.
        number: of the value among those that were found in the object, from 1.
    """

    def __init__(
        self,
        header: ObjectHeader | SelectedObject,
        path: tuple[Step, ...] | None = None,
        value: object = None,
        size: int = -1,
        number: int = 1,
    ) -> None:
        self.header: Final[ObjectHeader | SelectedObject] = header
        self.path: Final = path
        self.value: Final = value
        self.size: Final = size
        self.number: Final = number


class Remembered:
    """A matcher that keeps its answers: most texts and numbers come again."""

    def __init__(self, matcher: Matcher) -> None:
        self._asks = matcher
        self._known: dict[str, bool] = {}
        self._numbers: dict[object, bool] = {}

    def matches(self, text: str) -> bool:
        """Return whether a text matches."""
        verdict = self._known.get(text)
        if verdict is None:
            verdict = bool(self._asks(text))
            if len(text) <= LONGEST_KEPT:
                if len(self._known) >= MOST_KEPT:
                    self._known.clear()
                self._known[text] = verdict
        return verdict

    def matches_float(self, value: float) -> bool:
        """Return whether a text of a number matches: that of JSON, or the shortest one."""
        key: object = value or repr(value)  # 0.0 and -0.0 are the same key
        verdict = self._numbers.get(key)
        if verdict is None:
            text = number_text(value)
            verdict = bool(self._asks(text) or (len(text) > LONGEST_SHORT and self._asks(shortest_text(value))))
            if len(self._numbers) >= MOST_KEPT:
                self._numbers.clear()
            self._numbers[key] = verdict
        return verdict


class Finder(Visitor):
    """Finds leaves with a text that is wanted, and members with a name that is wanted."""

    def __init__(
        self, named: Matcher | None, says: Matcher | None, needed: NeededText | None, under: tuple[WantedStep, ...]
    ) -> None:
        super().__init__()
        self._named = None if named is None else Remembered(named)
        self._says = None if says is None else Remembered(says)
        self._under = under
        #: Texts of numbers, bools, None and what is empty may match.
        self._plain = needed is None or not needed.stored
        #: How many steps lead to the object.
        self._base: i64 = 0
        #: What comes is, or is in, a member whose name is wanted.
        self._inside = False
        #: Path and value of what was found in a part.
        self.found: list[tuple[tuple[Step, ...], object]] = []

    def look_at(self, part: Part) -> None:
        """Find what is wanted in a part."""
        around, named = part.around, self._named
        if self._says is not None and not self._matches(part.value):
            return
        path = part.path
        self._base = part.base
        self._inside = named is None
        depth: i64 = part.base
        if named is not None:
            for step in path[part.base :]:
                depth += 1
                if isinstance(step, str) and named.matches(step):
                    self._inside = True
                    break
        if self._says is None and self._inside:
            # Its own name, perhaps with a number; or that of something that comes in parts.
            self.found.append((path if depth > len(around) else path[:depth], part.value))
            return
        self.visit(part)

    def member(self, name: str, value: object) -> None:
        """Go into a member."""
        named = self._named
        if self._inside or named is None or not named.matches(name):
            self.value(value)
        elif self._says is None:
            self.found.append((tuple(self.path), value))
        else:
            self._inside = True
            self.value(value)
            self._inside = False

    def key(self, key: object) -> None:
        """Take the key of an entry of a map."""
        self.value(key)

    def data(self, value: bytes) -> None:
        """Pass over bytes."""

    def leaf(self, value: object) -> None:
        """Take a leaf."""
        path = self.path
        is_size = isinstance(value, int) and path[len(path) - 1] == BYTES  # of bytes without a layout: no value of the save
        if self._says is None or not self._inside or is_size or not self._matches(value):
            return
        if not self._under or leads_into(self._under, path[self._base :], value):
            self.found.append((tuple(path), value))

    def _matches(self, value: object) -> bool:
        """Return whether a leaf matches, or one in a value with parts: most values have none, and need no path."""
        says = self._says
        assert says is not None  # noqa: S101 - the caller has looked
        if isinstance(value, float):
            return self._plain and says.matches_float(value)
        if isinstance(value, str):
            return says.matches(value)
        if isinstance(value, ObjectReference):
            return says.matches(value.path_name)
        if isinstance(value, dict):
            return any(self._matches(member) for member in value.values()) if value else self._plain and says.matches("{}")
        if isinstance(value, (list, tuple)):
            return self._matches_any(value) if value else self._plain and says.matches("[]")
        if isinstance(value, bool):
            return self._plain and any(map(says.matches, BOOL_TEXTS[value]))
        if isinstance(value, int):
            return self._plain and says.matches(str(value))
        if value is None:
            return self._plain and says.matches("null")
        return not isinstance(value, (bytes, Opaque)) and self._matches(json_step(value))

    def _matches_any(self, elements: list[object] | tuple[object, ...]) -> bool:
        for element in elements:
            if isinstance(element, tuple) and len(element) == 2:
                if self._matches(element[0]) or self._matches(element[1]):
                    return True
            elif self._matches(element):
                return True
        return False


def value_matches(
    events: EventStream,
    named: Matcher | None,
    says: Matcher | None,
    needed: NeededText | None = None,
    has_name: Callable[[ObjectHeader], bool] | None = None,
    under: tuple[WantedStep, ...] = (),
) -> Iterator[Match]:
    """Yield the objects with a value that is wanted, once for each value that was found in them; then they are still open.

    An object whose bytes show that it cannot match is passed over unread, and so not validated. One that matches because nothing
    was found in it comes at its end, after the objects in it.

    Args:
        events: the stream, before its first event.
        named: whether a name is wanted; all, if None.
        says: whether the text of a value is wanted. If None, each member with a wanted name is found, with all that is in it;
            otherwise the leaves with such a text that are, or are in, a member with a wanted name.
        needed: what every text has that `says` wants; None: nothing is known.
        has_name: if given, the objects are found that have no such value, or for which this is False.
        under: the path in the object to the leaves that are wanted, or to what they are in; (): any. With `says`.

    Raises:
        SaveError: the save is damaged.
    """
    walk = Walk(events, loose=False, keys=True)
    finder = Finder(named, says, needed, under)
    roots = frozenset(map(str, under[:1]))
    #: The open objects, and how many values were found in each; -1: it matches already, or is not wanted.
    opened: list[ObjectHeader] = []
    counts: list[int] = []
    #: The member, of those that come in parts, that was found last.
    last: tuple[Step, ...] = ()
    for step in walk:
        if isinstance(step, Part):
            if counts[-1] < 0:
                continue
            finder.look_at(step)
            found = finder.found
            if not found:
                continue
            finder.found = []
            if has_name is not None:
                counts[-1] = -1  # it has one
                continue
            for path, value in found:
                size = -1
                if len(path) < len(step.path) or (step.first >= 0 and says is None):
                    if path == last:
                        continue
                    last = path
                    value, size = None, walk.size_of(len(path))
                counts[-1] += 1
                yield Match(opened[-1], path[step.base :], value, size, counts[-1])
        elif isinstance(step, ObjectHeader):
            last = ()
            opened.append(step)
            counts.append(0)
            if under:
                walk.keep(roots)
            if has_name is not None and not has_name(step):
                yield Match(step)
                counts[-1] = -1
                walk.skip()
            elif needed is not None and _rules_out(needed, step, events):
                walk.skip()
        elif isinstance(step, ObjectEnd):
            header, count = opened.pop(), counts.pop()
            if has_name is not None and count == 0:
                yield Match(header)
        elif isinstance(step, SaveStart) and (step.format not in STORED or needed is None or not needed.stored):
            needed = None  # the bytes of an object do not have its texts, or what is needed is unknown


def _rules_out(needed: NeededText, header: ObjectHeader, events: EventStream) -> bool:
    """Return whether the bytes of an object, the last event, show that no text in it can match."""
    if not 0 <= header.size <= LARGEST_SEARCHED:
        return False
    data = events._peek(LARGEST_SEARCHED)
    return len(data) == header.size and not needed.may_be_in(data)
