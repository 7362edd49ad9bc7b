"""Rows of edits in temporary files, for those that are too many to hold in memory."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, cast

__all__ = ["Spill"]

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
