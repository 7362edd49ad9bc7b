"""A set of numbers: the keys of objects, or the hashes of their names. Memory holds only these, however long the names are.

Two of a million names have the same hash in one of 10 million saves.
"""

from __future__ import annotations

from array import array
from typing import Final

from streamsave._native import i64

__all__ = ["NumberSet"]

#: Marks a free slot: no offset, and no hash of Python, is this number.
EMPTY: Final = -1
FIRST_SIZE: Final = 64


class NumberSet:
    """A hash set of 64-bit numbers besides -1, with open addressing: 16 to 32 bytes for each (a Python set takes 100).

    At most half of the slots are in use.
    """

    def __init__(self) -> None:
        self._places = array("q", [EMPTY]) * FIRST_SIZE
        self._mask: i64 = FIRST_SIZE - 1
        self._count: i64 = 0

    def __len__(self) -> int:
        return int(self._count)

    def add(self, number: i64) -> None:
        """Add a number."""
        place = self._place(number)
        if self._places[place] == EMPTY:
            self._places[place] = number
            self._count += 1
            if self._count * 2 > self._mask:
                self._grow()

    def has(self, number: i64) -> bool:
        """Return whether the set has a number."""
        return number != EMPTY and self._places[self._place(number)] == number

    def _place(self, number: i64) -> i64:
        """Return the slot of a number, or the free slot for it."""
        places = self._places
        mask = self._mask
        place = (number ^ (number >> 21) ^ (number >> 42)) & mask
        found: i64 = places[place]
        while found != EMPTY and found != number:
            place = (place + 1) & mask
            found = places[place]
        return place

    def _grow(self) -> None:
        """Double the number of slots."""
        old = self._places
        self._mask = self._mask * 2 + 1
        self._places = array("q", [EMPTY]) * int(self._mask + 1)
        for number in old:
            if number != EMPTY:
                self._places[self._place(number)] = number
