"""Chains: records that follow each other, from any place to where the last of them has to end.

In a sequence of records each one says where the next one starts. After a fault the sequence goes on at the first place from which
records lead to its end. A place from which they lead nowhere is remembered, so that each byte is tried once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.cursor import Cursor, is_torn
from streamsave.errors import SaveError
from streamsave.input.windows import Windows

__all__ = ["FAULT", "MANY", "STEP", "Budget", "Records", "finder", "places"]

#: What one step costs, in bytes that are searched.
STEP: Final = 64
#: What else searches cost: a byte in which a pattern is looked for, a string that is skipped, a fault.
SCAN: Final = 2
STRING: Final = 8
FAULT: Final = 1024
#: More records than any sequence has.
MANY: Final = 1 << 20
#: Bytes. Nothing that is looked for is longer.
WIDEST: Final = 512


class Budget:
    """What all searches of a save may cost together, in bytes: those that are searched, and `STEP` for each record or event."""

    def __init__(self, left: i64) -> None:
        self.left: i64 = left

    def spend(self, size: i64) -> bool:
        """Pay for a step; return False if too little is left: then nothing more is searched."""
        self.left -= size
        return self.left >= 0


@mypyc_attr(allow_interpreted_subclasses=True)  # tests make sequences of their own
class Records:
    """A sequence of records: one step of it, where one may start, and where it ends."""

    def __init__(self, cursor: Cursor, pattern: re.Pattern[bytes], budget: Budget) -> None:
        self.cursor = cursor
        self._budget = budget
        self._places = finder(pattern)
        #: The chunk, or the end of the stream, that cannot be read, if the last step, or the last look for an end, has met one.
        self.torn: SaveError | None = None
        #: The last fault that a step, or a look for an end, has met.
        self.error: SaveError | None = None
        self._dead: set[int] = set()
        self._left: dict[int, int] = {}

    def read(self) -> bool:
        """Pass over the record at the cursor; return False if it is none. Raises `SaveError` likewise."""
        raise NotImplementedError

    def ends(self) -> bool:
        """Return whether the records end at the cursor, which may move. Raises `SaveError` if they do not."""
        raise NotImplementedError

    def step(self, at: i64) -> i64:
        """Return where the record at an offset ends; -1 if there is none, or none that has bytes."""
        return self.cursor.tell() if self._holds(at, self.read) and self.cursor.tell() > at else -1

    def is_end(self, at: i64) -> bool:
        """Return whether the records end at an offset."""
        return self._holds(at, self.ends)

    def _holds(self, at: i64, ask: Callable[[], bool]) -> bool:
        cursor = self.cursor
        cursor.fault = None
        cursor.seek(at)
        self.torn = None
        strings = cursor.skipped_strings
        try:
            return ask()
        except SaveError as error:
            error.__traceback__ = None  # it would keep this frame, and all that the records hold
            self.error = error
            if is_torn(cursor, error):
                self.torn = error
            self._budget.spend(FAULT)
            return False
        finally:
            self._budget.spend(STEP + STRING * (cursor.skipped_strings - strings))

    def forward(self, at: i64, most: i64, *, least: i64 = 0) -> tuple[array[int], int, bool]:
        """Return where records start from an offset on, where the last one ends, and whether they end there indeed.

        There are `least` to `most`. Other bytes may look like an end: it is the last one that can be reached.
        """
        starts = array("q")
        ends = -1
        end_at = -1
        while True:
            torn_end = None
            if len(starts) >= least:
                if self.is_end(at):
                    ends = len(starts)
                    end_at = int(at)
                torn_end = self.torn
            following = self.step(at) if len(starts) < most else -1
            if following < 0:
                self.torn = self.torn or torn_end
                break
            starts.append(int(at))
            at = following
        if ends >= 0:
            return starts[:ends], end_at, True
        return starts, int(at), False

    def first(self, begin: i64, accepts: Callable[[int, int], bool]) -> int:
        """Find the first offset from `begin` on from which records lead to the end, and that is accepted; -1 if there is none.

        Args:
            begin: where the search starts.
            accepts: called with an offset and how many records are left there.
        """
        for place in places(self.cursor.windows, self._places, begin, self.cursor.limit(), self._budget, SCAN):
            left = self.count(place)
            if left >= 0 and accepts(place, int(left)):
                return place
        return -1

    def count(self, at: i64) -> i64:
        """Count the records from an offset to the end; -1 if they break off."""
        passed: list[int] = []
        ends = -1
        left = 0
        while at >= 0:
            left = self._left.get(int(at), -1)
            if left >= 0:
                ends = len(passed)
                break
            if at in self._dead or not self._budget.spend(0):
                break
            if self.is_end(at):
                ends = len(passed)
            passed.append(int(at))
            at = self.step(at)
        left = max(left, 0)
        for index, place in enumerate(passed):
            if index <= ends:
                self._left[place] = left + ends - index
            else:
                self._dead.add(place)
        return ends + left if ends >= 0 else -1


def finder(pattern: re.Pattern[bytes]) -> Callable[[bytes], Iterable[int]]:
    """Return what tells where a pattern matches in some bytes."""
    return lambda data: [match.start() for match in pattern.finditer(data)]


def places(
    windows: Windows, find: Callable[[bytes], Iterable[int]], start: i64, end: i64, budget: Budget, cost: float
) -> Iterator[int]:
    """Yield the offsets from `start` to `end` that are found, without those in windows that cannot be read.

    Args:
        windows: the bytes.
        find: tells positions in some bytes, in order. It gets the last `WIDEST` of them again, with those that follow.
        start: where the search starts.
        end: where it ends; what is found may reach beyond that.
        budget: what the search may cost.
        cost: what a byte costs.
    """
    at = paid = start
    carried = b""
    last: i64 = start - 1
    while at < end and budget.spend(0):
        try:
            window = windows.window(at)
        except SaveError:
            carried = b""
            at = paid = windows.window_end(at)
            if at < 0:
                return
            continue
        if not window or windows.window_offset > at or windows.window_offset + len(window) <= at:
            return  # a window without the byte that was asked for is no progress
        window = window[at - windows.window_offset : end - windows.window_offset + WIDEST]
        text = carried + window
        base = at - len(carried)
        at += len(window)
        for position in find(text):
            place = base + position
            if place >= end:
                break
            if place > last:
                if not budget.spend(int(cost * int(max(place - paid, 0)))):
                    return
                last = place
                paid = max(paid, place)
                yield place
        budget.spend(int(cost * int(at - paid)))
        paid = at
        carried = text[-WIDEST:]
