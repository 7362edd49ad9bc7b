"""Where a row goes on behind damage.

A chunk that does not inflate leaves a hole of known size in the stream. Headers, objects and levels stand in rows, one behind the
other, and nothing marks where one starts: behind a hole, that is found by looking. A place is taken only if the row goes on from
there, link by link, up to its known end: the links that are left are counted from that end, which tells what each of them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.input.windows import Windows

__all__ = ["RecordScanner", "is_readable", "places"]

#: No pattern looks further ahead than that.
WIDEST: Final = 32

#: Links that are followed in one search: so many, so many for each link that may be left, and one for so many bytes. What takes
#: more is no honest save.
LEAST_STEPS: Final = 1 << 16
STEPS_PER_LINK: Final = 2
BYTES_PER_STEP: Final = 16
#: Of a row that was followed to its end, so many first places are remembered: what else leads there has reached one of them.
KEPT_PLACES: Final = 1024


class RecordScanner:
    """Links that stand one behind the other, up to a known end."""

    def __init__(self, cursor: Cursor, most: i64, pattern: re.Pattern[bytes]) -> None:
        self.cursor = cursor
        #: How many links may be left.
        self.most: i64 = most
        self._pattern = pattern
        #: Where it goes on, how many are left there (-1: nobody knows), and where it ends.
        self.place: i64 = -1
        self.left: i64 = -1
        self.end: i64 = -1
        self._steps_left: i64 = LEAST_STEPS + STEPS_PER_LINK * most + cursor.remaining() // BYTES_PER_STEP
        self._dead: set[int] = set()
        self._known: dict[int, int] = {}

    def step(self) -> bool:
        """Pass over one link; False where none stands.

        Raises:
            SaveError: the same, or it cannot be read.
        """
        raise NotImplementedError

    def is_end(self) -> bool:
        """Tell whether the row ends here."""
        return self.cursor.remaining() == 0

    def is_whole_from(self, place: i64) -> bool:
        """Tell whether all the links that may be left stand from `place` on: there is no hole."""
        if self.count(place) != self.most:
            return False
        self.set_place(place, self.most)
        return True

    def readable(self, place: i64) -> i64:
        """Count the links that stand from `place` on, whatever follows them."""
        count: i64 = 0
        self.cursor.seek(place)
        try:
            while count < self.most and self.step():
                count += 1
        except SaveError:  # it is what ends them
            return count
        return count

    def find(self, start: i64, least: i64 = 1) -> bool:
        """Find the first place from `start` on where the row goes on, with `least` links or more; False if there is none."""
        self.left = -1
        self.place = -1
        for place in places(self.cursor.windows, self._pattern, start, self.cursor.limit()):
            left = self.count(place)
            if left >= least:
                self.set_place(place, left)
                return True
            if self._steps_left <= 0:
                break
        return False

    def pass_records(self, count: i64) -> None:
        """Go on by so many links."""
        self.cursor.seek(self.place)
        while count > 0:
            self.step()
            count -= 1
            self.left -= 1
        self.place = self.cursor.tell()

    def set_place(self, place: i64, left: i64) -> None:
        """Take it that from `place` on so many links are left."""
        self.cursor.seek(place)
        self.place = place
        self.left = left

    def place_of(self, left: i64) -> i64:
        """Tell where so many links are left; the row stays where it is."""
        self.cursor.seek(self.place)
        for _ in range(self.left - left):
            self.step()
        return self.cursor.tell()

    def count(self, place: i64) -> i64:
        """Count the links from `place` up to the end; -1 where the row breaks off, or there are more than may be left."""
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
                if count == self.most or self._steps_left <= 0:
                    return -1  # which of them are too many, nobody knows
                if at in self._dead:
                    count = -1
                    break
                if len(passed) < KEPT_PLACES:
                    passed.append(at)
                self._steps_left -= 1
                if not self.step():
                    count = -1
                    break
                count += 1
        except SaveError:
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


def places(windows: Windows, pattern: re.Pattern[bytes], start: i64, end: i64) -> Iterator[int]:
    """Give the places from `start` to `end` where a pattern matches, without those in windows that cannot be read."""
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
        if not window:
            return
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
    """Tell whether all windows from `start` to `end` can be read."""
    at = start
    try:
        while at < end:
            window = windows.window(at)
            if not window:
                return False
            at = windows.window_offset + len(window)
    except SaveError:
        return False
    return True
