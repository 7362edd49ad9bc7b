"""Edits in the order of the bytes: each is a range of the inflated stream, and what replaces it.

A row takes 24 bytes and what replaces its range, so that a save may have hundreds of thousands of them.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

from streamsave.errors import EditError

__all__ = ["Mark", "Row", "Rows", "merged"]


class Row(NamedTuple):
    """The bytes `[start, end)` become `data`."""

    start: int
    end: int
    data: bytes

    @property
    def shifts(self) -> bool:
        """Whether what follows moves."""
        return len(self.data) != self.end - self.start


class Mark(NamedTuple):
    """How much of the rows there was."""

    row_count: int
    edited_to: int


class Rows:
    """Rows that only grow, but for the last ones, which may be cut off."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        #: Where the data of each row start in `_data`; they end where those of the next one do.
        self._offsets = array("q")
        self._data = bytearray()
        #: Where the last edit ends. Lengths do not count: they are reserved for later.
        self.edited_to = 0

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Row]:
        for index, (start, end, offset) in enumerate(zip(self._starts, self._ends, self._offsets, strict=True)):
            if end < start:
                continue  # reserved, and not needed
            after = self._offsets[index + 1] if index + 1 < len(self._offsets) else len(self._data)
            yield Row(start, end, bytes(self._data[offset:after]))

    def add(self, start: int, end: int, data: bytes) -> None:
        """Add an edit, which starts where the last one ends, or after that."""
        self._append(start, end, data)
        self.edited_to = end

    def reserve(self, start: int, width: int) -> int:
        """Add a row for a number of `width` bytes that is not known yet; return its place among the rows."""
        self._append(start, start + width, bytes(width))
        return len(self) - 1

    def _append(self, start: int, end: int, data: bytes) -> None:
        self._starts.append(start)
        self._ends.append(end)
        self._offsets.append(len(self._data))
        self._data += data

    def forget(self, place: int) -> None:
        """Take back a reserved row: the bytes stay as they are."""
        self._ends[place] = -1

    def fill(self, place: int, number: int) -> None:
        """Set the number of a reserved row.

        Raises:
            EditError: it is too large for its bytes.
        """
        width = self._ends[place] - self._starts[place]
        if not 0 <= number < 1 << (8 * width - 1):
            raise EditError("a size or count is out of range", number, f"0 to {(1 << (8 * width - 1)) - 1}")
        offset = self._offsets[place]
        self._data[offset : offset + width] = number.to_bytes(width, "little")

    # --- cut off ---

    def mark(self) -> Mark:
        """Return how much there is, for `cut`."""
        return Mark(len(self), self.edited_to)

    def cut(self, mark: Mark) -> None:
        """Take away all rows after a mark."""
        count = mark.row_count
        if count < len(self):
            del self._data[self._offsets[count] :]
            del self._starts[count:]
            del self._ends[count:]
            del self._offsets[count:]
        self.edited_to = mark.edited_to


def merged(*runs: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of several runs in the order of the bytes."""
    return heapq.merge(*runs, key=itemgetter(0))
