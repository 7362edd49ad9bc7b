"""Find where a sequence of records goes on after damage.

A chunk that does not inflate leaves a hole of known size in the stream. Headers, objects and levels are records that follow each
other, and nothing marks where one starts. So the scan tries each offset after the hole that looks like the start of a record. It
takes the first from which records follow each other up to their known end. The records that are left are counted from that end,
which says which ones they are.

What all searches of a save cost together is bounded, in proportion to the bytes of the stream that were read. A search that a
save was made for to take long finds nothing; what it would have found is lost, and reported as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.input.windows import Windows

__all__ = ["RecordScanner", "is_affordable", "is_readable", "places", "spend_on_fault", "spend_on_strings"]

#: Bytes. No pattern looks further ahead.
WIDEST: Final = 32

#: What all searches of a save may cost, in bytes: so many, and so many for each byte of the stream that was read. With these,
#: they take up to 20 times as long as reading the stream, and 0.3 s.
LEAST_COST: Final = 24 << 20
COST_PER_BYTE: Final = 12
#: What a step costs, and each string that is skipped in a list: bytes that take as long to read, as measured.
STEP_COST: Final = 64
STRING_COST: Final = 8
#: What a byte costs in which a pattern is searched, and a fault: to make an error takes long.
SCAN_COST: Final = 2
FAULT_COST: Final = 1024
#: Bytes that cost as much as reading one: in a long string, looked through for a pattern, or inflated again.
BYTES_PER_COST: Final = 16
#: How many offsets of a sequence that leads to the end are remembered: another one that leads there reaches one of them.
KEPT_PLACES: Final = 1024


class RecordScanner:
    """Scans for records of one kind that follow each other up to a known end.

    Args:
        cursor: its limit bounds the scan.
        most: how many records may be left.
        pattern: matches where a record may start.
    """

    def __init__(self, cursor: Cursor, most: i64, pattern: re.Pattern[bytes]) -> None:
        self.cursor = cursor
        #: How many records may be left.
        self.most: i64 = most
        self._pattern = pattern
        #: Where the records go on, how many are left there (-1: unknown), and where they end.
        self.place: i64 = -1
        self.left: i64 = -1
        self.end: i64 = -1
        #: Bytes that the last step has passed over without reading them.
        self.jumped: i64 = 0
        self._dead: set[int] = set()
        self._known: dict[int, int] = {}

    def step(self) -> bool:
        """Pass over one record; return False if there is none here.

        Raises:
            SaveError: there is none here, or it cannot be read.
        """
        raise NotImplementedError

    def pass_one(self) -> bool:
        """Do what `step` does, and count what it costs."""
        cursor = self.cursor
        start = cursor.tell()
        strings = cursor.skipped_strings
        self.jumped = 0
        try:
            return self.step()
        finally:
            read = cursor.tell() - start - self.jumped
            cursor.windows.search_cost += STEP_COST + max(read, 0) // BYTES_PER_COST
            spend_on_strings(cursor, strings)

    def is_end(self) -> bool:
        """Return whether the records end here."""
        return self.cursor.remaining() == 0

    def is_whole_from(self, place: i64) -> bool:
        """Return whether all records that may be left follow from `place` on: there is no hole."""
        if self.count(place) != self.most:
            return False
        self.set_place(place, self.most)
        return True

    def readable(self, place: i64) -> i64:
        """Count the records from `place` on, whatever follows them."""
        count: i64 = 0
        self.cursor.seek(place)
        try:
            while count < self.most and is_affordable(self.cursor.windows) and self.pass_one():
                count += 1
        except SaveError:  # that ends them
            spend_on_fault(self.cursor)
            return count
        return count

    def find(self, start: i64, least: i64 = 1) -> bool:
        """Move to the first place from `start` on where `least` records or more lead to the end; False if there is none."""
        self.left = -1
        self.place = -1
        windows = self.cursor.windows
        scanned = start
        for place in places(windows, self._pattern, start, self.cursor.limit()):
            windows.search_cost += SCAN_COST * (place - scanned)
            scanned = place
            left = self.count(place)
            if left >= least:
                self.set_place(place, left)
                return True
            if not is_affordable(windows):
                return False
        windows.search_cost += SCAN_COST * min(windows.seen_bytes, max(self.cursor.limit() - scanned, 0))
        return False

    def pass_records(self, count: i64) -> None:
        """Go on by so many records."""
        self.cursor.seek(self.place)
        while count > 0:
            self.pass_one()
            count -= 1
            self.left -= 1
        self.place = self.cursor.tell()

    def set_place(self, place: i64, left: i64) -> None:
        """Assume that so many records are left from `place` on."""
        self.cursor.seek(place)
        self.place = place
        self.left = left

    def place_of(self, left: i64) -> i64:
        """Return the offset where so many records are left; the scanner stays where it is."""
        self.cursor.seek(self.place)
        for _ in range(self.left - left):
            self.pass_one()
        return self.cursor.tell()

    def count(self, place: i64) -> i64:
        """Count the records from `place` to the end; -1 if they break off, or if there are more than may be left."""
        cursor = self.cursor
        cursor.seek(place)
        passed: list[int] = []
        count: i64 = 0
        try:
            while not self.is_end():
                at = cursor.tell()
                known = self._known.get(at)
                if known is not None:
                    count += known
                    break
                if count == self.most or not is_affordable(cursor.windows):
                    return -1  # which of them are too many is not known
                if at in self._dead:
                    count = -1
                    break
                if len(passed) < KEPT_PLACES:
                    passed.append(at)
                if not self.pass_one():
                    count = -1
                    break
                count += 1
        except SaveError:
            spend_on_fault(cursor)
            count = -1
        if count > self.most:
            return -1
        if count < 0:
            self._dead.update(passed)
            return -1
        if not self._known:
            self.end = cursor.tell()
            self._known = {at: int(count) - index for index, at in enumerate(passed)}
        return count


def spend_on_strings(cursor: Cursor, before: i64) -> None:
    """Count the cost of the strings that were skipped since `Cursor.skipped_strings` was `before`."""
    cursor.windows.search_cost += STRING_COST * (cursor.skipped_strings - before)


def spend_on_fault(cursor: Cursor) -> None:
    """Count the cost of an error that showed that no record is there."""
    cursor.windows.search_cost += FAULT_COST


def is_affordable(windows: Windows) -> bool:
    """Return whether searches may go on. Few bytes are inflated again outside of searches, so all count."""
    return windows.search_cost + windows.inflated_bytes // BYTES_PER_COST <= LEAST_COST + COST_PER_BYTE * windows.seen_bytes


def places(windows: Windows, pattern: re.Pattern[bytes], start: i64, end: i64) -> Iterator[int]:
    """Yield the offsets from `start` to `end` where a pattern matches, without those in windows that cannot be read."""
    at = start
    carried = b""
    last: i64 = -1
    while at < end:
        try:
            window = windows.window(at)
        except SaveError:
            carried = b""
            at = windows.window_end(at)
            if at < 0:
                return
            continue
        if not window or windows.window_offset > at or windows.window_offset + len(window) <= at:
            return  # a window without the byte that was asked for is no progress
        window = window[at - windows.window_offset : end - windows.window_offset]
        text = carried + window
        base = at - len(carried)
        at += len(window)
        for match in pattern.finditer(text):
            place = base + match.start()
            if place > last:
                last = place
                yield place
        carried = text[-WIDEST:]


def is_readable(windows: Windows, start: i64, end: i64) -> bool:
    """Return whether all windows from `start` to `end` can be read."""
    at = start
    try:
        while at < end:
            window = windows.window(at)
            if not window or windows.window_offset > at or windows.window_offset + len(window) <= at:
                return False
            at = windows.window_offset + len(window)
    except SaveError:
        return False
    return True
