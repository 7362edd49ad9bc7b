"""Rows of numbers of 64 bits, which are only added and read in order. Many of them are in a temporary file."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import BinaryIO, Final

from streamsave.rewriting.spill import temporary

__all__ = ["NumberRows"]

#: Numbers that are held in memory: 1 MB.
MOST_NUMBERS: Final = 1 << 17


class NumberRows:
    """Rows of the same length.

    Args:
        most: how many numbers are held in memory.

    Raises:
        OSError, from all methods: the temporary file cannot be used.
    """

    def __init__(self, most: int = MOST_NUMBERS) -> None:
        self._most = most
        self._numbers = array("q")
        self._file: BinaryIO | None = None
        #: How many numbers each block of the file has.
        self._sizes: list[int] = []

    def add(self, row: tuple[int, ...]) -> None:
        """Add a row."""
        self._numbers.extend(row)
        if len(self._numbers) >= self._most:
            if self._file is None:
                self._file = temporary()
            self._numbers.tofile(self._file)
            self._sizes.append(len(self._numbers))
            del self._numbers[:]

    def blocks(self) -> Iterator[array[int]]:
        """Yield all numbers in arrays of whole rows. No row may be added meanwhile."""
        if self._file is not None:
            self._file.seek(0)
            for size in self._sizes:
                block = array("q")
                block.fromfile(self._file, size)
                yield block
        yield self._numbers

    def close(self) -> None:
        """Remove the temporary file."""
        if self._file is not None:
            self._file.close()
