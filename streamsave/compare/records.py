"""Items that are not at the same place in both saves: 24 bytes of each, beyond a limit in a temporary file.

| bytes | of a record |
|---|---|
| 8 | the hash of what the item is known by |
| 8 | the hash of its content |
| 8 | its number |
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator
from heapq import merge
from itertools import groupby, repeat
from typing import IO, Final, NamedTuple

from streamsave.compare.items import HASH_SIZE

__all__ = ["NEW", "OLD", "Leftover", "Records", "Waiting"]

#: The two saves, as indices.
OLD: Final = 0
NEW: Final = 1

CONTENT_END: Final = 2 * HASH_SIZE
NUMBER_SIZE: Final = 8
RECORD_SIZE: Final = CONTENT_END + NUMBER_SIZE
#: Most items that wait in memory for their twins; each takes some 200 bytes there.
MOST_WAITING: Final = 40_000
#: Records of a run that are read at a time.
BLOCK: Final = 512


class Leftover(NamedTuple):
    """Numbers of the items that are left when equal ones have found each other."""

    #: Sorted.
    removed: array[int]
    added: array[int]
    #: Those that belong together and differ, sorted by their number in the old save.
    changed_old: array[int]
    changed_new: array[int]


class Records:
    """Records of one size, given back in the order of their bytes: sorted runs of them are in a temporary file.

    Raises:
        OSError, from all methods: the temporary file cannot be used.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        #: Where each run starts in the file, and how many records it has.
        self._runs: list[tuple[int, int]] = []

    def add(self, records: list[bytes]) -> None:
        """Add records, in any order."""
        if not records:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        start = self._file.seek(0, 2)
        self._file.write(b"".join(sorted(records)))
        self._runs.append((start, len(records)))

    def __iter__(self) -> Iterator[bytes]:
        return merge(*(self._run(start, count) for start, count in self._runs))

    def _run(self, start: int, count: int) -> Iterator[bytes]:
        file = self._file
        assert file is not None  # noqa: S101 - it has the run
        for first in range(0, count, BLOCK):
            file.seek(start + first * RECORD_SIZE)
            block = file.read(min(BLOCK, count - first) * RECORD_SIZE)
            for at in range(0, len(block), RECORD_SIZE):
                yield block[at : at + RECORD_SIZE]

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()


class Waiting:
    """What one of the saves has and that was not found in the other yet.

    Raises:
        OSError, from all methods: the temporary files cannot be used.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        #: For each save: what an item is known by -> its content and number.
        self._waiting: tuple[dict[bytes, list[bytes]], dict[bytes, list[bytes]]] = ({}, {})
        self._count = 0
        self._records = Records(), Records()

    def has(self, side: int, key: bytes) -> bool:
        """Return whether an item of one of the saves waits that is known by this."""
        return key in self._waiting[side]

    def is_empty(self) -> bool:
        """Return whether nothing waits."""
        return self._count == 0

    def add(self, side: int, key: bytes, digest: bytes, number: int) -> None:
        """Add an item of one save, unless its twin waits in the other: then both are forgotten."""
        twins = self._waiting[1 - side].get(key)
        for at, twin in enumerate(twins or ()):
            if twin.startswith(digest):
                assert twins is not None  # noqa: S101 - it has the twin
                del twins[at]
                if not twins:
                    del self._waiting[1 - side][key]
                self._count -= 1
                return
        self._waiting[side].setdefault(key, []).append(digest + number.to_bytes(NUMBER_SIZE, "big"))
        self._count += 1
        if self._count > self._most:
            self._put_away()

    def _put_away(self) -> None:
        """Let none wait any longer."""
        for side in (OLD, NEW):
            waiting = self._waiting[side]
            self._records[side].add([key + content for key, contents in waiting.items() for content in contents])
            waiting.clear()
        self._count = 0

    def leftover(self) -> Leftover:
        """Return what is left, and forget all."""
        self._put_away()
        removed, added = array("q"), array("q")
        changed: list[tuple[int, int]] = []
        both = merge(zip(self._records[OLD], repeat(OLD)), zip(self._records[NEW], repeat(NEW)))
        for _, group in groupby(both, lambda item: item[0][:HASH_SIZE]):
            olds, news = _without_twins(group)
            changed.extend(zip(olds, news, strict=False))
            removed.extend(olds[len(news) :])
            added.extend(news[len(olds) :])
        changed.sort()
        self.close()
        return Leftover(
            array("q", sorted(removed)),
            array("q", sorted(added)),
            array("q", [old for old, _ in changed]),
            array("q", [new for _, new in changed]),
        )

    def close(self) -> None:
        """Remove the temporary files."""
        for records in self._records:
            records.close()


def _without_twins(group: Iterator[tuple[bytes, int]]) -> tuple[list[int], list[int]]:
    """Return the numbers of items known by the same that are left when those of one content have found each other."""
    left: tuple[list[int], list[int]] = ([], [])
    for _, equal in groupby(group, lambda item: item[0][HASH_SIZE:CONTENT_END]):
        numbers: tuple[list[int], list[int]] = ([], [])
        for record, side in equal:
            numbers[side].append(int.from_bytes(record[CONTENT_END:], "big"))
        pairs = min(map(len, numbers))
        for side in (OLD, NEW):
            left[side].extend(numbers[side][pairs:])
    return sorted(left[OLD]), sorted(left[NEW])
