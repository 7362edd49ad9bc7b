"""A set of numbers of 64 bits, of which each takes 16 to 32 bytes: in a set of Python's, it takes 100."""

from __future__ import annotations

from array import array
from typing import Final

from streamsave._native import i64

__all__ = ["NumberSet"]

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
