"""Edits in the order of the bytes: each is a range of the inflated stream, and what replaces it.

A row takes 24 bytes and what replaces its range, in memory or, beyond a limit, in a temporary file: a save may have millions.
"""

from __future__ import annotations

import heapq
import struct
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import BinaryIO, Final, NamedTuple, cast

from streamsave.errors import EditError

__all__ = ["Mark", "Row", "Rows", "Spill", "merged"]


#: Start and end of a row, and where its data start.
ROW: Final = struct.Struct("<qqq")
END_OFFSET: Final = 8
#: Rows that are read at a time.
BLOCK_SIZE: Final = 4096


class Spill:
    """The first rows of a run: they can be read in order, cut off at the end, and have numbers filled in.

    Raises:
        OSError, from all methods: the temporary files cannot be used.
    """

    def __init__(self) -> None:
        self._rows = temporary()
        self._data = temporary()
        #: How many rows there are, and how many bytes of data.
        self.count = 0
        self.size = 0

    def add(self, starts: Sequence[int], ends: Sequence[int], offsets: Sequence[int], data: bytearray) -> None:
        """Add rows; the offsets of their data count from the start of `data`."""
        self._rows.seek(self.count * ROW.size)
        for start, end, at in zip(starts, ends, offsets, strict=True):
            self._rows.write(ROW.pack(start, end, self.size + at))
        self._data.seek(self.size)
        self._data.write(data)
        self.count += len(starts)
        self.size += len(data)

    def row(self, place: int) -> tuple[int, int, int]:
        """Return start and end of a row, and where its data start."""
        self._rows.seek(place * ROW.size)
        start, end, offset = ROW.unpack(self._rows.read(ROW.size))
        return start, end, offset

    def forget(self, place: int) -> None:
        """Mark a row as not needed."""
        self._rows.seek(place * ROW.size + END_OFFSET)
        self._rows.write((-1).to_bytes(8, "little", signed=True))

    def fill(self, offset: int, data: bytes) -> None:
        """Write data over others."""
        self._data.seek(offset)
        self._data.write(data)

    def cut(self, count: int) -> None:
        """Keep only so many rows."""
        if count < self.count:
            self.size = self.row(count)[2]
            self.count = count

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield start, end and data of all rows. None may be added meanwhile."""
        ends = self.size
        for first in range(0, self.count, BLOCK_SIZE):
            count = min(BLOCK_SIZE, self.count - first)
            self._rows.seek(first * ROW.size)
            block = list(ROW.iter_unpack(self._rows.read(count * ROW.size)))
            after = ends if first + count == self.count else self.row(first + count)[2]
            base = block[0][2]
            self._data.seek(base)
            data = self._data.read(after - base)
            nexts = [offset for _, _, offset in block[1:]]
            for (start, end, offset), next_offset in zip(block, [*nexts, after], strict=True):
                yield start, end, data[offset - base : next_offset - base]

    def close(self) -> None:
        """Remove the files."""
        self._rows.close()
        self._data.close()


def temporary() -> BinaryIO:
    """Return a new file that has no name, or is removed when it is closed."""
    return cast("BinaryIO", tempfile.TemporaryFile())


#: Rows, and bytes of their data, that are held in memory, at least until the next one: 0.8 MB and 1 MB.
MOST_ROWS: Final = 1 << 15
MOST_DATA: Final = 1 << 20


class Row(NamedTuple):
    """The bytes `[start, end)` become `data`."""

    start: int
    end: int
    data: bytes

    @property
    def shifts(self) -> bool:
        """Whether what follows moves."""
        return len(self.data) != self.end - self.start


class Mark:
    """How much of the rows there was."""

    __slots__ = ("edited_to", "row_count")

    def __init__(self, row_count: int, edited_to: int) -> None:
        self.row_count = row_count
        self.edited_to = edited_to


class Rows:
    """Rows that only grow, but for the last ones, which may be cut off. Beyond a limit, the first ones are in temporary files."""

    def __init__(self, most_rows: int = MOST_ROWS, most_data: int = MOST_DATA) -> None:
        self._most_rows = most_rows
        self._most_data = most_data
        self._starts = array("q")
        self._ends = array("q")
        #: Where the data of each row start in `_data`; they end where those of the next one do.
        self._offsets = array("q")
        self._data = bytearray()
        #: The rows before those in memory, and how many there are.
        self._spill: Spill | None = None
        self._spilled = 0
        #: Where the last edit ends. Lengths do not count: they are reserved for later.
        self.edited_to = 0

    def __len__(self) -> int:
        return self._spilled + len(self._starts)

    def __iter__(self) -> Iterator[Row]:
        if self._spill is not None:
            for start, end, spilled in self._spill:  # compiled, a generator expression would be a list
                if end >= start:
                    yield Row(start, end, spilled)
        data = self._data
        last = len(self._offsets) - 1
        for index, (start, end, offset) in enumerate(zip(self._starts, self._ends, self._offsets, strict=True)):
            if end < start:
                continue  # reserved, and not needed
            after = self._offsets[index + 1] if index < last else len(data)
            yield Row(start, end, bytes(data[offset:after]) if after > offset else b"")

    def add(self, start: int, end: int, data: bytes, kept: int = -1) -> None:
        """Add an edit, which starts where the last one ends, or after that.

        Args:
            start: where it starts.
            end: where it ends.
            data: what replaces it.
            kept: how many rows must stay as they are, as they may be all that a `cut` leaves; -1: all.
        """
        self.edited_to = end
        may_grow = not data and 0 <= kept < len(self) and len(self._starts) > 0 and self._offsets[-1] == len(self._data)
        if may_grow and self._starts[-1] < self._ends[-1] == start < end:
            self._ends[-1] = end  # what is left out in one go is one row
        else:
            self._append(start, end, data)

    def reserve(self, start: int, width: int) -> int:
        """Add a row for a number of `width` bytes that is not known yet; return its place among the rows."""
        self._append(start, start + width, bytes(width))
        return len(self) - 1

    def _append(self, start: int, end: int, data: bytes) -> None:
        if len(self._starts) >= self._most_rows or len(self._data) >= self._most_data:
            self._spill_all()
        self._starts.append(start)
        self._ends.append(end)
        self._offsets.append(len(self._data))
        self._data += data

    def _spill_all(self) -> None:
        if self._spill is None:
            self._spill = Spill()
        self._spill.add(self._starts, self._ends, self._offsets, self._data)
        self._clear()

    def _clear(self) -> None:
        for numbers in (self._starts, self._ends, self._offsets):
            del numbers[:]
        self._data.clear()
        self._spilled = 0 if self._spill is None else self._spill.count

    def forget(self, place: int) -> None:
        """Take back a reserved row: the bytes stay as they are."""
        if place >= self._spilled:
            self._ends[place - self._spilled] = -1
        elif self._spill is not None:
            self._spill.forget(place)

    def fill(self, place: int, number: int) -> None:
        """Set the number of a reserved row.

        Raises:
            EditError: it is too large for its bytes.
        """
        if place < self._spilled and self._spill is not None:
            start, end, offset = self._spill.row(place)
            self._spill.fill(offset, as_bytes(number, end - start))
            return
        place -= self._spilled
        width = self._ends[place] - self._starts[place]
        offset = self._offsets[place]
        self._data[offset : offset + width] = as_bytes(number, width)

    # --- cut off ---

    def mark(self) -> Mark:
        """Return how much there is, for `cut`."""
        return Mark(len(self), self.edited_to)

    def cut(self, mark: Mark) -> None:
        """Take away all rows after a mark."""
        count = mark.row_count
        self.edited_to = mark.edited_to
        if count < self._spilled and self._spill is not None:
            self._spill.cut(count)
            self._clear()
        elif count < len(self):
            count -= self._spilled
            del self._data[self._offsets[count] :]
            for numbers in (self._starts, self._ends, self._offsets):
                del numbers[count:]

    def close(self) -> None:
        """Remove the temporary files: the rows cannot be read any more."""
        if self._spill is not None:
            self._spill.close()


def as_bytes(number: int, width: int) -> bytes:
    """Return a size or count in so many bytes.

    Raises:
        EditError: it is too large for them.
    """
    if not 0 <= number < 1 << (8 * width - 1):
        raise EditError("a size or count is out of range", number, f"0 to {(1 << (8 * width - 1)) - 1}")
    return number.to_bytes(width, "little")


def merged(*runs: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of several runs in the order of the bytes."""
    return heapq.merge(*runs, key=itemgetter(0))
