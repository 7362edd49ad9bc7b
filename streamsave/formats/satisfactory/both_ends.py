"""What is certain of a level in which something is damaged: from its start up to the damage, and from after it to its end.

| what is wrong | certain from the start | certain from the end |
|---|---|---|
| one record; all others are counted, and can be read | all before it; the last one if it shows where it ends | all after it |
| anything else | all before the last one that is bound | all from the first one on that is bound |

Bound is what names itself: `object_matching`. Where only numbers and sizes speak, a second fault can hide: an entry that is
missing, and some bytes that look like one. It cannot make an entry name the components of its header.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_pairs import LevelPairs
from streamsave.formats.satisfactory.record_scanners import LEAST_OBJECT

__all__ = ["BothEnds", "Break", "Resume"]


class Break:
    """Where a sequence of records breaks off, and where it goes on.

    Args:
        read: how many can be read from the start.
        place: from here on, records lead to their end.
        left: how many these are; 0 if there are none.
        is_through: it does not break off, though there may be more records than the level says, or fewer.
    """

    def __init__(self, read: i64, place: i64 = -1, left: i64 = 0, *, is_through: bool = False) -> None:
        self.read = read
        self.place = place
        self.left = left
        self.is_through = is_through

    def is_whole(self, count: i64) -> bool:
        """Return whether there are so many records, and no break."""
        return self.is_through and self.left == count

    def bad(self, count: i64) -> i64:
        """Return which of so many is the only one that is damaged, counted from their end; -1 if that is not known.

        Bytes that look like records may come after it.
        """
        if self.is_through or self.left == 0 or self.read + 1 + self.left < count:
            return -1
        return count - 1 - self.left


class Resume:
    """Where objects are certain again: the header and the entry of the first of them, and how many are left."""

    def __init__(self, toc_offset: i64 = -1, data_offset: i64 = -1, left: i64 = 0) -> None:
        self.toc_offset = toc_offset
        self.data_offset = data_offset
        self.left = left


class BothEnds:
    """Finds what is certain.

    Args:
        level: its pairs.
        count: how many headers it has.
        headers, entries: where these break off.
        is_counted: it has as many entries as headers, as it says.
        entry_versions: entries start with a SaveVersion: few other bytes look like one.
    """

    def __init__(
        self, level: LevelPairs, count: i64, headers: Break, entries: Break, *, is_counted: bool, entry_versions: bool
    ) -> None:
        self._level = level
        self._count = count
        self._headers = headers
        self._entries = entries
        self._entry_versions = entry_versions
        #: So many objects are certain from the start.
        self.front: i64 = 0
        #: Those that are certain from the end.
        self.resume = Resume()
        self._knows_names = headers.is_whole(count)
        if not (is_counted and self._knows_names != entries.is_whole(count) and self._is_single()):
            self.front = level.anchored(min(headers.read, entries.read), knows_names=self._knows_names)
            self._find_bound()

    # --- one record is damaged ---

    def _is_single(self) -> bool:
        """Return whether all but one record are certain, and note which these are."""
        in_headers = not self._knows_names
        broken = self._headers if in_headers else self._entries
        bad = broken.bad(self._count)
        if bad < 0:
            return False
        toc, data = self._level.at_start()
        front = bad
        for index in range(bad):
            if not self._level.fits(toc, data):
                return False
            if index + 1 == bad:
                is_sure = self._header_ends() if in_headers else self._level.objects.is_exact
                if not is_sure:
                    # Where entries say little, or nothing can be read after it, it may be the one that is damaged.
                    if not in_headers and (bad == broken.read or not self._entry_versions):
                        return False
                    front = bad - 1
        left = self._count - bad - 1
        toc, data = self._at_left(left)
        places = (toc.tell(), data.tell())
        is_exact = broken.read + 1 + left == self._count
        rest = left
        for index in range(rest):
            if not self._level.fits(toc, data):
                return False
            if not is_exact and not in_headers and left == rest - index and self._level.entries.size < LEAST_OBJECT:
                # More can be read than there are, so some bytes only look like entries: those that say nothing.
                left -= 1
                places = (toc.tell(), data.tell())
        self.front = front
        self.resume = Resume(*places, left)
        return True

    def _header_ends(self) -> bool:
        """Return whether the header that was read last shows itself where it ends: with a name that has no other bytes in it."""
        headers = self._level.headers
        return not headers.is_actor and headers.outer.isprintable()

    # --- any number of them are ---

    def _find_bound(self) -> None:
        """Find the first object from the end that is bound, without any after it that cannot be read."""
        left = min(self._headers.left, self._entries.left)
        if left <= 0:
            return
        toc, data = self._at_left(left)
        left, toc_offset, data_offset = self._level.bound_to_end(toc, data, left, knows_names=self._knows_names)
        if left == 0:
            return
        toc, data = self._level.at_start()
        try:
            for _ in range(self.front):
                self._level.headers.measure(toc)
                self._level.entries.measure(data)
        except SaveError:  # not if these are certain
            return
        if toc.tell() <= toc_offset and data.tell() <= data_offset:
            self.resume = Resume(toc_offset, data_offset, left)

    # --- places ---

    def _at_left(self, left: i64) -> tuple[Cursor, Cursor]:
        """Return cursors at the header and the entry from which so many are left to their ends."""
        toc, data = self._level.at_start()
        toc.seek(self._headers.place)
        for _ in range(self._headers.left - left):
            self._level.headers.measure(toc)
        data.seek(self._entries.place)
        for _ in range(self._entries.left - left):
            self._level.entries.measure(data)
        return toc, data
