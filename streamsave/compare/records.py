"""Items that are not at the same place in both saves: 24 bytes of each, beyond a limit in temporary files.

| bytes | of a record |
|---|---|
| 8 | the hash of what the item is known by |
| 8 | the hash of its content |
| 1 | the save |
| 7 | its number |

A file has the records of those hashes that have their first byte in common, but for a multiple of `FILES`.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable
from itertools import groupby
from typing import IO, Final, NamedTuple

from streamsave.compare.items import HASH_SIZE

__all__ = ["NEW", "OLD", "Leftover", "Waiting"]

#: The two saves, as indices.
OLD: Final = 0
NEW: Final = 1

CONTENT_END: Final = 2 * HASH_SIZE
NUMBER_SIZE: Final = 7
RECORD_SIZE: Final = CONTENT_END + 1 + NUMBER_SIZE
#: Most items that wait in memory for their twins; each takes some 200 bytes there.
MOST_WAITING: Final = 40_000
#: What is in one of the files is sorted in memory.
FILES: Final = 32


class Leftover(NamedTuple):
    """Numbers of the items that are left when equal ones have found each other."""

    #: Sorted.
    removed: array[int]
    added: array[int]
    #: Those that belong together and differ, sorted by their number in the old save.
    changed_old: array[int]
    changed_new: array[int]


class Waiting:
    """What one of the saves has and that was not found in the other yet.

    Raises:
        OSError, from all methods: the temporary files cannot be used.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        #: For each save: what an item is known by -> its content, the save and its number.
        self._waiting: tuple[dict[bytes, list[bytes]], dict[bytes, list[bytes]]] = ({}, {})
        self._count = 0
        self._files: list[IO[bytes]] = []

    def has(self, side: int, key: bytes) -> bool:
        """Return whether an item of one of the saves waits that is known by this."""
        return key in self._waiting[side]

    def is_empty(self) -> bool:
        """Return whether nothing waits."""
        return self._count == 0

    def add(self, side: int, key: bytes, digest: bytes, number: int) -> None:
        """Add an item of one save, unless its twin waits in the other: then both are forgotten."""
        twins = self._waiting[1 - side].get(key, [])
        twin = next((each for each in twins if each.startswith(digest)), None)
        if twin is not None:
            twins.remove(twin)
            if not twins:
                del self._waiting[1 - side][key]
            self._count -= 1
            return
        record = digest + bytes((side,)) + number.to_bytes(NUMBER_SIZE, "big")
        self._waiting[side].setdefault(key, []).append(record)
        self._count += 1
        if self._count > self._most:
            self._put_away()

    def _put_away(self) -> None:
        """Let none wait any longer."""
        if not self._files:
            self._files = [tempfile.TemporaryFile() for _ in range(FILES)]  # noqa: SIM115 - closed by close()
        for waiting in self._waiting:
            for key, records in waiting.items():
                self._files[key[0] % FILES].write(b"".join([key + record for record in records]))
            waiting.clear()
        self._count = 0

    def leftover(self) -> Leftover:
        """Return what is left, and remove the files."""
        removed: list[int] = []
        added: list[int] = []
        changed: list[tuple[int, int]] = []
        if self._count or self._files:
            self._put_away()
        for file in self._files:
            file.seek(0)
            data = file.read()
            records = sorted([data[at : at + RECORD_SIZE] for at in range(0, len(data), RECORD_SIZE)])
            for _, group in groupby(records, lambda record: record[:HASH_SIZE]):
                olds, news = _without_twins(group)
                changed += zip(olds, news, strict=False)
                removed += olds[len(news) :]
                added += news[len(olds) :]
        self.close()
        changed.sort()
        columns = sorted(removed), sorted(added), [old for old, _ in changed], [new for _, new in changed]
        return Leftover(*(array("q", column) for column in columns))

    def close(self) -> None:
        """Remove the temporary files."""
        for file in self._files:
            file.close()


def _without_twins(group: Iterable[bytes]) -> tuple[list[int], list[int]]:
    """Return the numbers of items known by the same that are left when those of one content have found each other."""
    left: tuple[list[int], list[int]] = ([], [])
    for _, equal in groupby(group, lambda record: record[:CONTENT_END]):
        numbers: tuple[list[int], list[int]] = ([], [])
        for record in equal:
            numbers[record[CONTENT_END]].append(int.from_bytes(record[CONTENT_END + 1 :], "big"))
        pairs = min(map(len, numbers))
        for side in (OLD, NEW):
            left[side].extend(numbers[side][pairs:])
    return sorted(left[OLD]), sorted(left[NEW])
