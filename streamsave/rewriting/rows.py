"""Edits as rows: each has a range of the inflated stream and the bytes that replace it. Rows are sorted by offset.

A save may have millions of edits: they are in a temporary database, which keeps 2 MB in memory, and the rest in a file. A set of
numbers says which objects they are for.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from streamsave._native import i64

__all__ = ["NumberSet", "Row", "Rows"]

#: Marks a free slot: no offset, and no hash of Python, is this number.
EMPTY: Final = -1
FIRST_SIZE: Final = 64
#: Bits of a number that are mixed, and an odd number to mix them with, which no file can know: offsets in a save may be chosen.
MIXED_BITS: Final = 62
MIXED: Final = (1 << MIXED_BITS) - 1
SPREAD: Final = int.from_bytes(os.urandom(7), "little") << 1 | 1
#: Rows, and bytes of their data, that are stored at a time, as one by one takes three times as long; fewer stay in memory.
MOST_ADDED: Final = 64
MOST_DATA: Final = 1 << 20
#: `number` counts the rows in the order in which they were added.
TABLE: Final = "CREATE TABLE row (number INTEGER PRIMARY KEY, start INTEGER, end INTEGER, data BLOB)"


class Row(NamedTuple):
    """The bytes `[start, end)` become `data`."""

    start: int
    end: int
    data: bytes

    @property
    def shifts(self) -> bool:
        """Whether the row changes the offsets of the bytes after it."""
        return len(self.data) != self.end - self.start


class Rows:
    """All edits, in any order. The last ones can be removed again.

    Raises:
        OSError, from all methods: the temporary database cannot be used, or one row has more than 1 GB.
    """

    def __init__(self) -> None:
        self._count = 0
        #: Made for the first rows that are stored: most objects of a damaged save have few, and to make one takes longer.
        self._database: sqlite3.Connection | None = None
        #: Those that are not stored yet.
        self._added: list[tuple[int, int, int, bytes]] = []
        #: Bytes of the data that were added since rows were stored.
        self._size = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        # Insertions sort before replacements at the same offset.
        if self._database is None:
            yield from [Row(*row[1:]) for row in sorted(self._added, key=itemgetter(1, 2, 0))]
            return
        try:
            yield from map(Row._make, self._stored("SELECT start, end, data FROM row ORDER BY start, end, number"))
        except sqlite3.Error as error:
            raise OSError(str(error)) from error

    def add(self, start: int, end: int, data: bytes) -> None:
        """Add a row."""
        if len(self._added) == MOST_ADDED or self._size > MOST_DATA:
            self._stored()
        self._added.append((self._count, start, end, data))
        self._size += len(data)
        self._count += 1

    def cut(self, count: int) -> None:
        """Keep only so many rows, the first that were added."""
        if self._database is None:
            del self._added[count:]
        elif self._count > count:
            self._stored(f"DELETE FROM row WHERE number >= {count}")  # noqa: S608 - a number of ours
        self._count = min(self._count, count)

    def _stored(self, statement: str = "") -> Iterator[tuple[object, ...]]:
        """Store all rows, then run a statement."""
        try:
            if self._database is None:
                self._database = sqlite3.connect("", check_same_thread=False)
                self._database.execute(TABLE)
            self._database.executemany("INSERT INTO row VALUES (?, ?, ?, ?)", self._added)
            self._added.clear()
            self._size = 0
            return self._database.execute(statement)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        """Remove the temporary database: the rows cannot be read any more. Rows that are dropped do so, too."""
        if self._database is not None:
            self._database.close()

    def __del__(self) -> None:
        self.close()


class NumberSet:
    """A hash set of 64-bit numbers besides -1, with open addressing: 16 to 32 bytes for each (a Python set takes 100).

    At most half of the slots are in use.
    """

    def __init__(self) -> None:
        self._places = array("q", [EMPTY]) * FIRST_SIZE
        self._mask: i64 = FIRST_SIZE - 1
        #: How many bits of a mixed number are not the number of its slot.
        self._shift: i64 = MIXED_BITS - (FIRST_SIZE - 1).bit_length()
        self._count: i64 = 0

    def __len__(self) -> int:
        return int(self._count)

    def add(self, number: i64) -> None:
        """Add a number."""
        place = self._place(number)
        if self._places[place] == EMPTY:
            self._places[place] = number
            self._count += 1
            if self._count * 2 > self._mask:
                self._grow()

    def has(self, number: i64) -> bool:
        """Return whether the set has a number."""
        return number != EMPTY and self._places[self._place(number)] == number

    def _place(self, number: i64) -> i64:
        """Return the slot of a number, or the free slot for it."""
        places = self._places
        mask = self._mask
        mixed: i64 = number * SPREAD & MIXED
        place = mixed >> self._shift
        found: i64 = places[place]
        while found != EMPTY and found != number:
            place = (place + 1) & mask
            found = places[place]
        return place

    def _grow(self) -> None:
        """Double the number of slots."""
        old = self._places
        self._mask = self._mask * 2 + 1
        self._shift -= 1
        self._places = array("q", [EMPTY]) * int(self._mask + 1)
        for number in old:
            if number != EMPTY:
                self._places[self._place(number)] = number
