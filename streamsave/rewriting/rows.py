"""Edits as rows: each has a range of the inflated stream and the bytes that replace it. Rows are sorted by offset.

A save may have millions of edits: above a limit, rows are moved to a temporary file in sorted runs.
"""

from __future__ import annotations

import heapq
import marshal
import tempfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final, NamedTuple, TypeAlias, cast

__all__ = ["Row", "Rows"]


#: Rows, and bytes of their data, that are held in memory: about 2 MB and 1 MB.
MOST_ROWS: Final = 1 << 13
MOST_DATA: Final = 1 << 20
#: Rows that are read at a time.
BLOCK_SIZE: Final = 256
#: Start, end, number of the row, new bytes. Insertions sort before replacements at the same offset.
Entry: TypeAlias = tuple[int, int, int, bytes]
#: Offset and size of each block in the file; the number of the first row, and the number after the last row.
Run: TypeAlias = tuple[list[tuple[int, int]], int, int]


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
    """All edits, in any order. The rows after a mark can be removed again.

    Raises:
        OSError, from all methods: the temporary file cannot be used.
    """

    def __init__(self, most_rows: int = MOST_ROWS, most_data: int = MOST_DATA) -> None:
        self._most_rows = most_rows
        self._most_data = most_data
        self._entries: list[Entry] = []
        self._data_size = 0
        self._file: BinaryIO | None = None
        #: The sorted runs in the file.
        self._runs: list[Run] = []
        #: Number of the next row.
        self._next = 0

    def __len__(self) -> int:
        return self._next

    def __iter__(self) -> Iterator[Row]:
        runs: list[Iterable[Entry]] = [self._entries_of(run) for run in self._runs]
        for start, end, _, data in heapq.merge(*runs, sorted(self._entries)):
            yield Row(start, end, data)

    def _entries_of(self, run: Run) -> Iterator[Entry]:
        assert self._file is not None  # noqa: S101 - runs are in the file
        blocks, _, after = run
        for offset, size in blocks:
            self._file.seek(offset)
            entries = marshal.loads(self._file.read(size))  # noqa: S302 - no other process has this file
            yield from [entry for entry in entries if entry[2] < after]

    def add(self, start: int, end: int, data: bytes) -> None:
        """Add a row."""
        if len(self._entries) >= self._most_rows or self._data_size >= self._most_data:
            self._spill()
        self._entries.append((start, end, self._next, data))
        self._data_size += len(data)
        self._next += 1

    def _spill(self) -> None:
        """Move the rows in memory to the file."""
        if self._file is None:
            self._file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - closed by `close`
        self._entries.sort()
        at = self._file.seek(0, 2)
        blocks: list[tuple[int, int]] = []
        for first in range(0, len(self._entries), BLOCK_SIZE):
            size = self._file.write(marshal.dumps(self._entries[first : first + BLOCK_SIZE]))
            blocks.append((at, size))
            at += size
        self._runs.append((blocks, self._next - len(self._entries), self._next))
        self._entries.clear()
        self._data_size = 0

    # --- remove rows ---

    def mark(self) -> int:
        """Return the number of the next row, for `cut`."""
        return self._next

    def cut(self, mark: int) -> None:
        """Remove all rows after a mark."""
        while self._entries and self._entries[-1][2] >= mark:
            self._data_size -= len(self._entries.pop()[3])
        if self._runs and self._runs[-1][2] > mark:
            self._runs = [(blocks, first, min(after, mark)) for blocks, first, after in self._runs if first < mark]
        self._next = mark

    def close(self) -> None:
        """Remove the temporary file: the rows cannot be read any more. Rows that are dropped do so, too."""
        if self._file is not None:
            self._file.close()

    def __del__(self) -> None:
        self.close()
