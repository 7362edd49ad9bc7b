"""What differs between two saves. Of an object that waits, 24 bytes are kept; of one that holds others, its header, too.

Both saves are read side by side, item by item (`items`). Where both have the same item, its bytes are compared, and if they
differ, its values. Where they do not, both items wait for their twins (`records`); as soon as one save comes to an item that
waits in the other, only this one goes on, so that they are side by side again. What still waits at the end is read again.

The module is long because one class keeps both saves side by side.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from streamsave._native import i64
from streamsave.compare.items import Items, by_keys, is_certain, is_like, is_same_object
from streamsave.compare.pair import LOOSE, Pair, Report, header_differences, text_of, value_differences
from streamsave.compare.records import NEW, OLD, Waiting
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part
from streamsave.decode.leaves import Step
from streamsave.errors import SaveError, UnsupportedSave
from streamsave.output.flat_text import path_text, steps_text

__all__ = ["Unreadable", "compare"]

HEADER: Final = ("@header",)
#: In place of a side: it is both saves.
NEITHER: Final = -1
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
    growth: dict[str, int],
    *,
    where: Selection | None = None,
) -> None:
    """Report what differs between two saves. What is at the same place in both comes first.

    Args:
        open_old: returns a stream of the old save. It is read again if items of it are not at the same place in the new one.
        open_new: the same for the new one.
        report: gets each difference.
        growth: gets by how many bytes the objects of each class have grown, and under "" what is in no object. The bytes of an
            object in another one are only of the inner one.
        where: compare only these objects, and nothing that is in no object.

    Raises:
        UnsupportedSave: the saves are of two formats.
        Unreadable: one is damaged or cannot be read; what was found before was reported.
        OSError: the temporary database cannot be written.
    """
    comparison = Comparison((open_old, open_new), report, where)
    try:
        comparison.look()
        comparison.look_again()
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
    except (SaveError, OSError) as error:
        if comparison.side == NEITHER:
            raise
        raise Unreadable(comparison.side, error) from error
    finally:
        comparison.waiting.close()
        old, new = comparison.sizes
        growth |= {name: new.get(name, 0) - old.get(name, 0) for name in old | new}


class Comparison:
    """Compares two saves.

    Attributes:
        side: which of the saves is being read, or `NEITHER`.
        waiting: the items that are not at the same place in both.
        sizes: the bytes of the objects of both saves, by class.

    Args:
        openers: of both saves.
        report: gets each difference.
        where: as for `compare`.
    """

    def __init__(
        self, openers: tuple[Callable[[], EventStream], Callable[[], EventStream]], report: Report, where: Selection | None
    ) -> None:
        self.side = NEITHER
        self.waiting = Waiting()
        self.sizes: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._openers = openers
        self._report = report
        self._where = where
        self._parts = PartReports(report)
        #: Equal bytes may be other values.
        self._by_value = False
        self._items: list[Items] = []
        #: The numbers of the objects of each save whose content are items, as their twin is too large to be compared as a whole.
        self._opened: tuple[set[int], set[int]] = (set(), set())
        #: For each save: the number of an object that waits, or in which values wait -> the object in both.
        self._pairs: tuple[dict[int, Pair], dict[int, Pair]] = ({}, {})
        #: For each save: what an object that waits is known by whose content are items -> how many there are.
        self._counts: tuple[dict[int, int], dict[int, int]] = ({}, {})

    def _open(self, side: int) -> Items:
        """Open a save; if only some objects are compared, only these come."""
        self.side = side
        events = self._openers[side]()
        if self._where is not None:
            events.only(self._where)
        return Items(events, objects_only=self._where is not None)

    def _at(self, side: int) -> Items:
        self.side = side
        return self._items[side]

    # --- the first look: both saves side by side ---

    def look(self) -> None:
        """Read both saves to their end, and report what differs between items at the same place.

        Raises:
            SaveError: one is damaged, or they are of two formats; what was found before was reported.
            OSError: one cannot be read.
            sqlite3.Error: the temporary database cannot be used.
        """
        old, new = self._items = [self._open(OLD), self._open(NEW)]
        self.sizes = (old.sizes, new.sizes)
        if old.format.reader != new.format.reader:
            self.side = NEITHER
            raise UnsupportedSave(f"only saves of one format can be compared, not {old.format.name} and {new.format.name}")
        self._by_value = old.format.by_number or new.format.by_number
        more_old, more_new = self._at(OLD).next(), self._at(NEW).next()
        if old.start is not None and new.start is not None:
            if old.start.version != new.start.version:
                self._by_value = True
            if self._where is None:
                for path, before, after in value_differences(HEADER, old.start.header, new.start.header):
                    self._report(LOOSE, path_text(path), before, after)
        while more_old or more_new:
            goes_old, goes_new = more_old, more_new
            if more_old and more_new and self._is_same():
                if self._waits():  # of several that are known by the same, the first is the first
                    self._note(OLD)
                    self._note(NEW)
                else:
                    self._compare()
            else:
                # The one whose item waits in the other save goes on alone.
                known_old = more_old and self.waiting.has(NEW, old.key())
                known_new = more_new and self.waiting.has(OLD, new.key())
                goes_old = more_old and (known_old or not known_new)
                goes_new = more_new and (known_new or not known_old)
                if goes_old:
                    self._note(OLD)
                if goes_new:
                    self._note(NEW)
            if goes_old:
                more_old = self._at(OLD).next()
            if goes_new:
                more_new = self._at(NEW).next()
        self._parts.end()
        self._items = []  # with their windows

    def _is_same(self) -> bool:
        """Return whether both saves are at the same item."""
        old, new = self._items
        if old.part is not None:
            return (
                new.part is not None
                and old.part.first == new.part.first
                and by_keys(old.part.inner) == by_keys(new.part.inner)
                and self._around(OLD, old) is self._around(NEW, new)
            )
        return old.header is not None and new.header is not None and is_same_object(old.header, new.header)

    def _waits(self) -> bool:
        """Return whether an item that is known by the same as the one that both saves are at waits in one of them."""
        if self.waiting.is_empty():
            return False
        key = self._items[OLD].key()
        return self.waiting.has(OLD, key) or self.waiting.has(NEW, key)

    def _note(self, side: int) -> None:
        """Let an item wait for its twin."""
        self._parts.end()
        items = self._at(side)
        header, key = items.header, items.key()
        if header is None and items.around:
            self._pairs[side][int(items.around[-1].number)] = self._around(side, items)
        elif header is not None and not items.is_whole:
            count = self._counts[side][key] = self._counts[side].get(key, 0) + 1
            known = hash((key, count))  # of several that are known by the same, the first is the first
            pair = items.around[-1].pair = Pair(header, None, known) if side == OLD else Pair(None, header, known)
            self._pairs[side][int(items.number)] = pair
        # An object whose content are items waits until the second look: only then it is known what it is in both saves.
        digest = items.digest(by_value=self._by_value) if header is None or items.is_whole else side
        self.waiting.add(side, key, digest, int(items.number))

    def _around(self, side: int, items: Items) -> Pair:
        """Return what the value is in that is the item of a save."""
        if not items.around:
            return LOOSE
        around = items.around[-1]
        if around.pair is None:
            around.pair = self._pairs[side][int(around.number)]
        return around.pair

    def _compare(self) -> None:
        """Compare the item that both saves are at."""
        old, new = self._items
        if old.part is not None and new.part is not None:
            self._parts.compare(self._around(OLD, old), old.part, new.part)
            return
        self._parts.end()
        assert old.header is not None and new.header is not None  # noqa: S101, PT018 - it is an object
        if old.is_whole != new.is_whole:
            for side, items in enumerate(self._items):
                items.is_whole = False
                self._opened[side].add(int(items.number))
        is_certainly_same = is_like(old.header, new.header)
        data, other = b"", b""
        are_equal = not old.is_whole or not new.is_whole
        if not are_equal and not self._by_value:
            data, other = self._at(OLD).data(), self._at(NEW).data()
            are_equal = old.header.size == new.header.size == len(data) and data == other
        if are_equal and is_certainly_same and old.is_whole:
            return
        if not are_equal and not is_certain(old.header):
            self._note(OLD)
            self._note(NEW)
            return
        pair = old.around[-1].pair = new.around[-1].pair = Pair(old.header, new.header, int(old.number))
        if not is_certainly_same:
            self._report_headers(pair)
        if not are_equal:
            known = common_size(data, other) if old.header.save_version == new.header.save_version else 0
            olds, news = self._at(OLD).parts(known), self._at(NEW).parts(known)
            sizes = old.header.size, new.header.size
            are_other = min(sizes) >= 0 and (sizes[0], data) != (sizes[1], other)  # no bytes where a save does not say the size
            if not self._report_parts(pair, olds, news) and are_other and not self._by_value:
                self._report_data(pair)

    # --- the second look: what is left of each, one after the other ---

    def look_again(self) -> None:
        """Report what was not at the same place.

        Raises:
            SaveError: a save is damaged.
            OSError: one cannot be read.
            sqlite3.Error: the temporary database cannot be used.
        """
        waiting = self.waiting
        waiting.match()
        for items, twin in self._left(OLD):
            if twin is None:
                self._report_alone(items, OLD)
            else:
                parts = [items.part] if items.part is not None else items.parts() if items.is_whole else None
                # To pickle a `Part` takes three times as long.
                values = None if parts is None else [(part.inner, part.value, part.first) for part in parts]
                waiting.hold(int(items.number), pickle.dumps((items.header, values)))
                pair, other = self._pairs[OLD].get(int(items.number)), self._pairs[NEW].get(twin)
                if pair is not None and other is not None:
                    pair.new = other.new
                    self._pairs[NEW][twin] = pair
        for items, twin in self._left(NEW):
            if twin is None:
                self._report_alone(items, NEW)
            else:
                self._report_moved(items, twin)
        self._parts.end()

    def _left(self, side: int) -> Iterator[tuple[Items, int | None]]:
        """Yield the items of a save that have no equal one in the other, each with the number of its twin if it has one."""
        items: Items | None = None
        for number, twin in self.waiting.left(side):
            if items is None:
                items = self._open(side)
            while items.number < number:
                if not items.next():
                    return
                if items.number in self._opened[side]:
                    items.is_whole = False
            if twin is None and items.part is not None:
                pair = self._around(side, items)
                if pair is not LOOSE and (pair.old is None or pair.new is None):
                    continue  # of an object that is alone or compared by its size, only the objects in it are reported
            yield items, twin

    def _report_moved(self, items: Items, twin: int) -> None:
        """Report what differs between an item of the new save and its twin."""
        header, values = pickle.loads(self.waiting.held(twin))  # noqa: S301 - only this process can write to the database
        parts = [Part((), inner, 0, value, first) for inner, value, first in values or ()]
        if items.part is not None:
            self._parts.compare(self._around(NEW, items), parts[0], items.part)
            return
        self._parts.end()
        pair = self._pairs[NEW][int(items.number)] if values is None and not items.is_whole else Pair(header, items.header)
        self._report_headers(pair)
        if values is not None and items.is_whole:
            self._report_parts(pair, parts, items.parts())
        elif values is not None or items.is_whole:  # the other one is too large to be compared as a whole
            self._report_data(pair)

    # --- what is reported ---

    def _report_headers(self, pair: Pair) -> None:
        """Report what differs between the headers of an object in two states."""
        assert pair.old is not None and pair.new is not None  # noqa: S101, PT018 - it is in both saves
        for text, before, after in header_differences(pair.old, pair.new):
            self._report(pair, text, before, after)

    def _report_data(self, pair: Pair) -> None:
        """Report that the bytes of an object differ."""
        assert pair.old is not None and pair.new is not None  # noqa: S101, PT018 - as above
        self._report(pair, "@data", bytes_of(pair.old.size), bytes_of(pair.new.size, "other "))

    def _report_parts(self, pair: Pair, old: list[Part], new: list[Part]) -> int:
        """Report what differs between the values of two objects, and return the number of differences."""
        found = 0
        parts = self._parts
        olds: dict[tuple[tuple[Step, ...], int], list[Part]] = {}
        for part in old:
            olds.setdefault((by_keys(part.inner), part.first), []).append(part)
        for part in new:
            twins = olds.get((by_keys(part.inner), part.first))
            if not twins:
                parts.end()
                path, text = told(path_text(part.inner), part)
                self._report(pair, path, None, text)
                found += 1
            else:
                found += parts.compare(pair, twins.pop(0), part)
        parts.end()
        for part in chain.from_iterable(olds.values()):
            path, text = told(path_text(part.inner), part)
            self._report(pair, path, text, None)
            found += 1
        return found

    def _report_alone(self, items: Items, side: int) -> None:
        """Report an item that only one of the saves has."""
        part = items.part
        if part is None:
            self._report(Pair(items.header, None) if side == OLD else Pair(None, items.header), "", None, None)
            return
        path, text = told(path_text(part.inner), part)
        self._report(self._around(side, items), path, *((text, None) if side == OLD else (None, text)))


def told(path: str, part: Part) -> tuple[str, str]:
    """Return path and text of a part that only one save has: of a slice of an array, which elements it has."""
    if part.first < 0 or not isinstance(part.value, (list, bytes)):
        return path, text_of(part.value)
    is_long = len(part.value) > MOST_LISTED
    if is_long or part.first > 0:
        path += f"[{part.first}..{part.first + len(part.value) - 1}]"
    # All of a long one from some element on may be at another place.
    return path, count_of(part, len(part.value)) if is_long else text_of(part.value)


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
        is_slice = new.first >= 0 and old.first == new.first and isinstance(old.value, (list, bytes))
        found = value_differences((), old.value, new.value, max(0, new.first), MOST_LISTED if is_slice else None)
        if is_slice and found and (len(found) > MOST_LISTED or isinstance(new.value, bytes)):
            assert isinstance(old.value, (list, bytes)) and isinstance(new.value, (list, bytes))  # noqa: S101, PT018 - slices
            if self._part is None or self._pair is not pair or self._part.path != new.path:
                self.end()
                self._first = int(new.first)
            self._pair, self._part = pair, new
            self._old_count += len(old.value)
            self._new_count += len(new.value)
            return len(found)
        self.end()
        text = steps_text(new.inner) if found else ""
        for path, before, after in found:
            self._report(pair, (text + steps_text(path)).removeprefix("/"), before, after)
        return len(found)

    def end(self) -> None:
        """Report the run of slices that is open, if there is one."""
        pair, part = self._pair, self._part
        if pair is None or part is None:
            return
        last = self._first + max(self._old_count, self._new_count) - 1
        text = f"{path_text(part.inner)}[{self._first}..{last}]"
        self._report(pair, text, count_of(part, self._old_count), count_of(part, self._new_count, "other "))
        self._pair = self._part = None
        self._old_count = self._new_count = 0


def count_of(part: Part, count: int, which: str = "") -> str:
    """Return a number of elements in words as JSON, of the kind that a slice has."""
    return text_of(f"{count} {which}{'bytes' if isinstance(part.value, bytes) else 'elements'}")


def bytes_of(size: int, which: str = "") -> str:
    """Return a number of bytes in words as JSON; a negative one is unknown."""
    return text_of(f"{size} {which}bytes" if size >= 0 else f"{which}bytes")


def common_size(data: bytes, other: bytes) -> int:
    """Return how many bytes two texts of bytes begin with alike."""
    known: i64 = 0
    most: i64 = min(len(data), len(other))
    while known < most:
        middle = (known + most + 1) // 2
        if data[known:middle] == other[known:middle]:
            known = middle
        else:
            most = middle - 1
    return known
