"""Items that are not at the same place in both saves: so many wait in memory, more of them in a temporary database.

The database keeps 2 MB in memory, and the rest in a file that no other process sees.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Final

__all__ = ["NEW", "OLD", "Waiting"]

#: The two saves, as indices.
OLD: Final = 0
NEW: Final = 1

#: Most items that wait in memory for their twins; each takes some 200 bytes there.
MOST_WAITING: Final = 40_000
#: `pair` has the numbers of two items that belong together and differ, or of one that is alone.
TABLES: Final = """
    CREATE TABLE item (key INTEGER, digest INTEGER, side INTEGER, number INTEGER);
    CREATE TABLE pair (old INTEGER, new INTEGER);
    CREATE TABLE held (number INTEGER PRIMARY KEY, value BLOB);
"""

Row = tuple[int, int, int, int]


class Waiting:
    """What one of the saves has and that was not found in the other yet.

    Raises:
        sqlite3.Error, from all methods: the temporary database cannot be used.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        #: For each save: what an item is known by -> its content and its number.
        self._waiting: tuple[dict[int, list[tuple[int, int]]], dict[int, list[tuple[int, int]]]] = ({}, {})
        self._count = 0
        self._database = sqlite3.connect("")
        self._database.executescript(TABLES)

    def has(self, side: int, key: int) -> bool:
        """Return whether an item of one of the saves waits that is known by this."""
        return key in self._waiting[side]

    def is_empty(self) -> bool:
        """Return whether nothing waits."""
        return self._count == 0

    def add(self, side: int, key: int, digest: int, number: int) -> None:
        """Add an item of one save, unless its twin waits in the other: then both are forgotten."""
        twins = self._waiting[1 - side].get(key, [])
        twin = next((each for each in twins if each[0] == digest), None)
        if twin is not None:
            twins.remove(twin)
            if not twins:
                del self._waiting[1 - side][key]
            self._count -= 1
            return
        self._waiting[side].setdefault(key, []).append((digest, number))
        self._count += 1
        if self._count > self._most:
            self._put_away()

    def _put_away(self) -> None:
        """Let none wait any longer."""
        for side, waiting in enumerate(self._waiting):
            rows = ((key, digest, side, number) for key, items in waiting.items() for digest, number in items)
            self._database.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", rows)
            waiting.clear()
        self._count = 0

    def match(self) -> None:
        """Let equal items find each other, then those that are known by the same, in their order."""
        self._put_away()
        rows = self._database.execute("SELECT * FROM item ORDER BY key, digest, number")
        pairs = (pair for _, group in groupby(rows, itemgetter(0)) for pair in zip_longest(*_without_twins(group)))
        self._database.executemany("INSERT INTO pair VALUES (?, ?)", pairs)

    def left(self, side: int) -> Iterator[tuple[int, int | None]]:
        """Yield the numbers of the items of a save that have no equal one: each with that of its twin, if it has one."""
        columns = "old, new" if side == OLD else "new, old"
        return self._database.execute(f"SELECT {columns} FROM pair WHERE {columns[:3]} NOT NULL ORDER BY 1")  # noqa: S608 - ours

    def hold(self, number: int, value: bytes) -> None:
        """Keep what is known of an item of the old save."""
        self._database.execute("INSERT INTO held VALUES (?, ?)", (number, value))

    def held(self, number: int) -> bytes:
        """Return what `hold` took."""
        value: bytes = self._database.execute("SELECT value FROM held WHERE number = ?", (number,)).fetchone()[0]
        return value

    def close(self) -> None:
        """Remove the database."""
        self._database.close()


def _without_twins(group: Iterable[Row]) -> tuple[list[int], list[int]]:
    """Return the numbers of items known by the same that are left when those of one content have found each other."""
    left: tuple[list[int], list[int]] = ([], [])
    for _, equal in groupby(group, itemgetter(1)):
        numbers: tuple[list[int], list[int]] = ([], [])
        for _, _, side, number in equal:
            numbers[side].append(number)
        pairs = min(map(len, numbers))
        for side in (OLD, NEW):
            left[side].extend(numbers[side][pairs:])
    return sorted(left[OLD]), sorted(left[NEW])
