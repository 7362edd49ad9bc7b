"""What differs between two saves, in constant memory but for 24 bytes of each object that is not at the same place in both.

Both saves are read side by side, item by item (`items`). Where both have the same item, its bytes are compared, and if they
differ, its values. Where they do not, both items wait for their twins (`records`); as soon as one save comes to an item that
waits in the other, only this one goes on, so that they are side by side again. What still waits at the end is read again.
"""

from __future__ import annotations

import pickle
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import merge
from itertools import islice
from typing import IO, Final

from streamsave.compare.identity import is_certain, is_like, is_same_object
from streamsave.compare.items import Items
from streamsave.compare.pair import (
    Pair,
    Report,
    ValueDifference,
    header_differences,
    text_of,
    value_differences,
)
from streamsave.compare.records import NEW, OLD, Leftover, Waiting
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part
from streamsave.decode.leaves import Step
from streamsave.errors import SaveError, UnsupportedSave
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import path_text

__all__ = ["Unreadable", "compare"]

HEADER: Final = ("@header",)
#: Most elements of two slices that are reported each; more are reported as one run, with all such slices after them.
MOST_LISTED: Final = 64


class Unreadable(Exception):
    """One of the saves cannot be read to its end.

    Attributes:
        side: `OLD` or `NEW`.
        error: why: a `SaveError` or an `OSError`.
    """

    def __init__(self, side: int, error: SaveError | OSError) -> None:
        super().__init__(str(error))
        self.side = side
        self.error = error


def compare(
    open_old: Callable[[], EventStream],
    open_new: Callable[[], EventStream],
    report: Report,
    *,
    where: Selection | None = None,
) -> None:
    """Report what differs between two saves. What is at the same place in both comes first.

    Args:
        open_old: returns a stream of the old save. It is read again if items of it are not at the same place in the new one.
        open_new: the same for the new one.
        report: gets each difference.
        where: compare only these objects, and nothing that is in no object.

    Raises:
        UnsupportedSave: the saves are of two formats.
        Unreadable: one is damaged or cannot be read; what was found before was reported.
        OSError: a temporary file cannot be written.
    """
    waiting = Waiting()
    try:
        old, new = _opened(OLD, open_old, where), _opened(NEW, open_new, where)
        if old.format.reader != new.format.reader:
            raise UnsupportedSave(f"only saves of one format can be compared, not {old.format.name} and {new.format.name}")
        side_by_side = SideBySide(old, new, report, waiting, objects_only=where is not None)
        try:
            side_by_side.run()
        except (SaveError, OSError) as error:
            if not _has_failed(new if side_by_side.side == NEW else old, error):
                raise  # it is of a temporary file
            raise Unreadable(side_by_side.side, error) from error
        del old, new, side_by_side  # their windows
        leftover = waiting.leftover()
        if leftover != Leftover(*[array("q")] * 4):
            with tempfile.TemporaryFile() as file:
                second = SecondLook(leftover, report, file, objects_only=where is not None)
                with _reading(OLD):
                    second.look_at_old(_opened(OLD, open_old, where))
                with _reading(NEW):
                    second.look_at_new(_opened(NEW, open_new, where))
    finally:
        waiting.close()


def _opened(side: int, open_one: Callable[[], EventStream], where: Selection | None) -> EventStream:
    """Open a save; if `where` is given, only these objects come."""
    with _reading(side):
        events = open_one()
        if where is not None:
            events.only(where)
    return events


def _has_failed(events: EventStream, error: SaveError | OSError) -> bool:
    """Return whether an error is that of a stream: then the stream raises one again."""
    try:
        next(events, None)
    except (SaveError, OSError):
        return True
    return isinstance(error, SaveError)


@contextmanager
def _reading(side: int) -> Iterator[None]:
    try:
        yield
    except (SaveError, OSError) as error:
        raise Unreadable(side, error) from error


class PartReports:
    """Reports what differs between parts: of an array that comes in slices, not each element if nearly all do.

    If one element was taken from the start of a million, all others are at another place.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        #: The last of the slices that differ in too much, the first element, and how many both have.
        self._pair: Pair | None = None
        self._part: Part | None = None
        self._first = 0
        self._old_count = 0
        self._new_count = 0

    def compare(self, pair: Pair, old: Part, new: Part) -> int:
        """Report what differs between two parts at the same path, and return the number of differences."""
        differences = value_differences(new.path, old.value, new.value, max(0, new.first))
        if new.first < 0 or old.first != new.first or not isinstance(old.value, (list, bytes)):
            self.end()
            return self._list(pair, new, differences)
        found = list(islice(differences, MOST_LISTED + 1))
        is_run = len(found) > MOST_LISTED or (bool(found) and isinstance(new.value, bytes))
        last = self._part
        if last is None or not is_run or last.path != new.path:
            self.end()
        if not is_run:
            return self._list(pair, new, iter(found))
        assert isinstance(new.value, (list, bytes))  # noqa: S101 - it is a slice
        if self._part is None:
            self._first = int(new.first)
        self._pair, self._part = pair, new
        self._old_count += len(old.value)
        self._new_count += len(new.value)
        return len(found)

    def end(self) -> None:
        """Report the run of slices that is open, if there is one."""
        pair, part = self._pair, self._part
        if pair is None or part is None:
            return
        last = self._first + max(self._old_count, self._new_count) - 1
        text = f"{self._text(pair, part, part.path)}[{self._first}..{last}]"
        before, after = count_of(part, self._old_count), count_of(part, self._new_count, "other ")
        self._report(pair, text, text_of(before), text_of(after))
        self._pair = self._part = None
        self._old_count = self._new_count = 0

    def _list(self, pair: Pair, part: Part, differences: Iterator[ValueDifference]) -> int:
        found = 0
        for path, before, after in differences:
            self._report(pair, self._text(pair, part, path), before, after)
            found += 1
        return found

    @staticmethod
    def _text(pair: Pair, part: Part, path: tuple[Step, ...]) -> str:
        """Return a path: in the objects of a pair, or from the start of the save."""
        return path_text(path, part.base) if pair.old is None and pair.new is None else path_text(path[part.base :])


class SideBySide:
    """Compares two saves item by item.

    Attributes:
        side: which of the saves is being read.
    """

    def __init__(self, old: EventStream, new: EventStream, report: Report, waiting: Waiting, *, objects_only: bool) -> None:
        self.side = OLD
        self._items = Items(old, objects_only=objects_only), Items(new, objects_only=objects_only)
        self._report = report
        self._parts = PartReports(report)
        self._waiting = waiting
        self._objects_only = objects_only
        #: Equal bytes may be other values.
        self._by_value = old.format.by_number or new.format.by_number

    def run(self) -> None:
        """Read both saves to their end.

        Raises:
            SaveError: one is damaged; what was found before was reported.
        """
        old, new = self._items
        more_old, more_new = self._next(OLD), self._next(NEW)
        if old.start is not None and new.start is not None:
            if old.start.version != new.start.version:
                self._by_value = True
            if not self._objects_only:
                for path, before, after in value_differences(HEADER, old.start.header, new.start.header):
                    self._report(Pair(None, None), path_text(path), before, after)
        while more_old or more_new:
            if more_old and more_new and self._is_same():
                if self._waits():  # of several that are known by the same, the first is the first
                    self._note(OLD)
                    self._note(NEW)
                else:
                    self._compare()
                more_old, more_new = self._next(OLD), self._next(NEW)
                continue
            # The one whose item waits in the other save goes on alone.
            known_old = more_old and self._waiting.has(NEW, old.key())
            known_new = more_new and self._waiting.has(OLD, new.key())
            if more_old and (known_old or not known_new):
                self._note(OLD)
                more_old = self._next(OLD)
            if more_new and (known_new or not known_old):
                self._note(NEW)
                more_new = self._next(NEW)
        self._parts.end()

    def _next(self, side: int) -> bool:
        return self._at(side).next()

    def _at(self, side: int) -> Items:
        self.side = side
        return self._items[side]

    def _is_same(self) -> bool:
        """Return whether both saves are at the same item."""
        old, new = self._items
        if old.part is not None:
            return new.part is not None and old.part.first == new.part.first and old.part.path == new.part.path
        if old.header is None or new.header is None:
            return False
        return is_same_object(old.header, new.header)

    def _waits(self) -> bool:
        """Return whether an item that is known by the same as the one that both saves are at waits in one of them."""
        if self._waiting.is_empty():
            return False
        key = self._items[OLD].key()
        return self._waiting.has(OLD, key) or self._waiting.has(NEW, key)

    def _note(self, side: int) -> None:
        """Let an item wait for its twin."""
        self._parts.end()
        items = self._at(side)
        number = int(items.number)  # to read the content goes past the object
        self._waiting.add(side, items.key(), items.digest(by_value=self._by_value), number)

    def _compare(self) -> None:
        """Compare the item that both saves are at."""
        old, new = self._items
        if old.part is not None and new.part is not None:
            self._parts.compare(Pair(None, None), old.part, new.part)
            return
        self._parts.end()
        assert old.header is not None and new.header is not None  # noqa: S101, PT018 - it is an object
        if old.is_whole != new.is_whole:
            old.open()
            new.open()
        is_opened = not old.is_whole or not new.is_whole
        are_equal = is_opened or self._are_equal(old.header, new.header)
        if are_equal and is_like(old.header, new.header):
            return
        if not are_equal and not is_certain(old.header):
            self._note(OLD)
            self._note(NEW)
            return
        pair = Pair(old.header, new.header)
        for text, before, after in header_differences(old.header, new.header):
            self._report(pair, text, before, after)
        if not are_equal:
            olds, news = self._at(OLD).parts(), self._at(NEW).parts()
            report_parts(pair, olds, news, self._report, by_value=self._by_value)

    def _are_equal(self, old: ObjectHeader, new: ObjectHeader) -> bool:
        if self._by_value or old.size != new.size:
            return False
        data = self._at(OLD).data()
        return len(data) == old.size and data == self._at(NEW).data()


def report_parts(pair: Pair, old: list[Part], new: list[Part], report: Report, *, by_value: bool) -> None:
    """Report what differs between the values of two objects whose bytes differ."""
    found = 0
    parts = PartReports(report)
    olds = {(part.path[part.base :], part.first): part for part in old}
    for part in new:
        key = part.path[part.base :], part.first
        twin = olds.pop(key, None)
        if twin is None:
            parts.end()
            report(pair, path_text(key[0]), None, text_of(part.value))
            found += 1
            continue
        found += parts.compare(pair, twin, part)
    parts.end()
    for (path, _), part in olds.items():
        report(pair, path_text(path), text_of(part.value), None)
        found += 1
    if not found and not by_value and pair.old is not None and pair.new is not None:
        report(pair, "@data", text_of(f"{pair.old.size} bytes"), text_of(f"{pair.new.size} other bytes"))


class SecondLook:
    """Reads both saves again, and reports what was not at the same place.

    Args:
        leftover: the numbers of the items.
        report: gets the differences.
        file: takes the values of the old save that have changed.
        objects_only: as for `SideBySide`.
    """

    def __init__(self, leftover: Leftover, report: Report, file: IO[bytes], *, objects_only: bool) -> None:
        self._left = leftover
        self._report = report
        self._file = file
        self._objects_only = objects_only
        #: Number in the new save, sorted, and where its twin is in the file.
        by_new = sorted(zip(leftover.changed_new, range(len(leftover.changed_new)), strict=True))
        self._changed_new = array("q", [number for number, _ in by_new])
        self._rank = array("q", [rank for _, rank in by_new])
        self._offsets = array("q", bytes(8 * len(by_new)))

    def look_at_old(self, events: EventStream) -> None:
        """Report what only the old save has; keep what the new one has otherwise."""
        for items, rank in self._look(events, self._left.removed, self._left.changed_old):
            if rank < 0:
                self._report_alone(items, OLD)
            else:
                self._offsets[rank] = self._file.seek(0, 2)
                pickle.dump((items.header, items.part, _parts_of(items)), self._file)

    def look_at_new(self, events: EventStream) -> None:
        """Report what only the new save has, or otherwise than the old one."""
        parts = PartReports(self._report)
        for items, at in self._look(events, self._left.added, self._changed_new):
            if at < 0:
                self._report_alone(items, NEW)
                continue
            self._file.seek(self._offsets[self._rank[at]])
            header, part, old_parts = pickle.load(self._file)  # noqa: S301 - only this process can write to this file
            if items.part is not None:
                parts.compare(Pair(None, None), part, items.part)
                continue
            parts.end()
            assert items.header is not None  # noqa: S101 - it is an object
            pair = Pair(header, items.header)
            for text, before, after in header_differences(header, items.header):
                self._report(pair, text, before, after)
            if old_parts is not None:
                report_parts(pair, old_parts, _parts_of(items) or [], self._report, by_value=True)
        parts.end()

    def _look(self, events: EventStream, alone: array[int], changed: array[int]) -> Iterator[tuple[Items, int]]:
        """Yield items of a save: those it has alone, with -1, and the changed ones, with their position in the list."""
        items = Items(events, objects_only=self._objects_only)
        #: The place of an object that is alone and has items in it: only the objects among these are reported.
        inside: tuple[object, ...] = ()
        numbers = array("q", merge(alone, changed))
        for before, number in enumerate(numbers):
            while items.number < number:
                if items.last_number() >= number:
                    items.open()  # as it was when it was compared with its twin, which was large
                if not items.next():
                    return
            if before + 1 < len(numbers) and items.last_number() >= numbers[before + 1]:
                items.open()
            at = bisect_left(changed, number)
            if at < len(changed) and changed[at] == number:
                yield items, at
                continue
            part = items.part
            if part is None:
                if not items.is_whole:
                    inside = items.place()
            elif inside and part.path[: len(inside)] == inside:
                continue
            yield items, -1

    def _report_alone(self, items: Items, side: int) -> None:
        part = items.part
        if part is not None:
            path, text = path_text(part.path, part.base), text_of(part.value)
            if part.first >= 0 and isinstance(part.value, (list, bytes)) and len(part.value) > MOST_LISTED:
                # Of an array that comes in slices, all from some element on may be at another place.
                path += f"[{part.first}..{part.first + len(part.value) - 1}]"
                text = text_of(count_of(part, len(part.value)))
            self._report(Pair(None, None), path, *((text, None) if side == OLD else (None, text)))
            return
        self._report(Pair(items.header, None) if side == OLD else Pair(None, items.header), "", None, None)


def count_of(part: Part, count: int, which: str = "") -> str:
    """Return a number of elements in words, of the kind that a slice has."""
    return f"{count} {which}{'bytes' if isinstance(part.value, bytes) else 'elements'}"


def _parts_of(items: Items) -> list[Part] | None:
    """Return the values of an object that is compared as a whole."""
    return items.parts() if items.is_whole else None
