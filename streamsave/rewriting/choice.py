"""Which objects were chosen. There may be very many: each takes sixteen bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_left

__all__ = ["Choice", "hash_of"]


class Choice:
    """Objects, by where their headers are and by their names.

    Args:
        by_name: the place of a header depends on what was read before it, so only names count.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._places = array("q")
        self._names = array("q")

    def __len__(self) -> int:
        return len(self._places)

    def add(self, offset: int, name: str) -> None:
        """Choose one object."""
        self.add_number(offset, hash_of(name))

    def add_number(self, offset: int, name: int) -> None:
        """Choose one object whose name is a number (`hash_of`)."""
        self._places.append(name if self._by_name else offset)
        self._names.append(name)

    def finish(self) -> None:
        """Prepare to look objects up. Others may still follow, up to the next call."""
        self._places = array("q", sorted(self._places))
        self._names = array("q", sorted(self._names))

    def has(self, offset: int, name: str) -> bool:
        """Return whether an object was chosen whose header is at an offset."""
        return is_in(self._places, hash_of(name) if self._by_name else offset)

    def has_name(self, name: str) -> bool:
        """Return whether an object of this name was chosen."""
        return bool(name) and is_in(self._names, hash_of(name))


def hash_of(name: str) -> int:
    """Return a number for a name: with 64 bits, two of a million names are the same in one of 10 million saves."""
    return hash(name)


def is_in(numbers: array[int], number: int) -> bool:
    """Return whether a number is in a sorted array."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
