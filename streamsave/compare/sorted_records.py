"""Records of one size, given back in their order: sorted runs of them are in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from heapq import merge
from typing import IO, Final

__all__ = ["SortedRecords"]

#: Most records that are held in memory; each takes some 70 bytes there.
MOST_HELD: Final = 16_384
#: Records of a run that are read at a time.
BLOCK: Final = 512


class SortedRecords:
    """Takes records in any order, and yields them in that of their bytes.

    Raises:
        OSError, from all methods: the temporary file cannot be used.
    """

    def __init__(self, size: int, most_held: int = MOST_HELD) -> None:
        self._size = size
        self._most = most_held
        self._held: list[bytes] = []
        self._file: IO[bytes] | None = None
        #: Where each run starts in the file, and how many records it has.
        self._runs: list[tuple[int, int]] = []

    def add(self, record: bytes) -> None:
        """Add a record, of the size of all."""
        self._held.append(record)
        if len(self._held) >= self._most:
            self._write_run()

    def _write_run(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        start = self._file.seek(0, 2)
        self._held.sort()
        self._file.write(b"".join(self._held))
        self._runs.append((start, len(self._held)))
        self._held = []

    def __iter__(self) -> Iterator[bytes]:
        self._held.sort()
        return merge(*(self._run(start, count) for start, count in self._runs), self._held)

    def _run(self, start: int, count: int) -> Iterator[bytes]:
        file = self._file
        assert file is not None  # noqa: S101 - it has the run
        size = self._size
        for first in range(0, count, BLOCK):
            file.seek(start + first * size)
            block = file.read(min(BLOCK, count - first) * size)
            for at in range(0, len(block), size):
                yield block[at : at + size]

    def close(self) -> None:
        """Forget all records, and remove the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._held = []
        self._runs = []
