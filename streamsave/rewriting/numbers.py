"""Many numbers of 64 bits: rows of them in a file, and a set, of which each takes 16 to 32 bytes (in a set of Python's, 100)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import BinaryIO, Final

from streamsave._native import i64
from streamsave.rewriting.rows import temporary

__all__ = ["NumberRows", "NumberSet"]


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


#: A place without a number. The number 0 itself is noted apart.
EMPTY: Final = 0
FIRST_SIZE: Final = 64


class NumberSet:
    """Numbers in places that follow from them, or the next free ones (open addressing). At most half of the places are taken."""

    def __init__(self) -> None:
        self._places = array("q", [EMPTY]) * FIRST_SIZE
        self._mask: i64 = FIRST_SIZE - 1
        self._count: i64 = 0
        self._has_zero = False

    def __len__(self) -> int:
        return int(self._count)

    def add(self, number: i64) -> bool:
        """Add a number; return whether it is new."""
        if number == EMPTY:
            is_new = not self._has_zero
            self._has_zero = True
        else:
            place = self._place(number)
            is_new = self._places[place] == EMPTY
            if is_new:
                self._places[place] = number
        if is_new:
            self._count += 1
            if self._count * 2 > self._mask:
                self._grow()
        return is_new

    def has(self, number: i64) -> bool:
        """Return whether a number is in the set."""
        if number == EMPTY:
            return self._has_zero
        return self._places[self._place(number)] == number

    def _place(self, number: i64) -> i64:
        """Return where a number is, or where it would be."""
        places = self._places
        mask = self._mask
        place = (number ^ (number >> 21) ^ (number >> 42)) & mask
        found: i64 = places[place]
        while found != EMPTY and found != number:
            place = (place + 1) & mask
            found = places[place]
        return place

    def _grow(self) -> None:
        """Take twice as many places."""
        old = self._places
        self._mask = self._mask * 2 + 1
        self._places = array("q", [EMPTY]) * int(self._mask + 1)
        for number in old:
            if number != EMPTY:
                self._places[self._place(number)] = number
