"""Edits as rows: each has a range of the inflated stream and the bytes that replace it. Rows are sorted by offset.

A save may have millions of edits: they are in a temporary database, which keeps 2 MB in memory, and the rest in a file. A set of
numbers says which objects they are for.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from streamsave._native import i64

__all__ = ["NumberSet", "Row", "Rows"]

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
    """A set of 64-bit numbers, 8 bytes each (a Python set takes 100). They are sorted once one is looked up: add many before."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._sorted_count = 0

    def __len__(self) -> int:
        """Return how many there are; those that were added again since one was looked up count twice."""
        return len(self._numbers)

    def add(self, number: i64) -> None:
        """Add a number."""
        self._numbers.append(number)

    def has(self, number: i64) -> bool:
        """Return whether the set has a number."""
        if self._sorted_count < len(self._numbers):
            self._numbers = array("q", [each for each, _ in groupby(sorted(self._numbers))])
            self._sorted_count = len(self._numbers)
        at = bisect_left(self._numbers, number)
        return at < len(self._numbers) and self._numbers[at] == number
