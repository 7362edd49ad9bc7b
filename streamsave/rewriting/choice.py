"""Which objects were chosen. There may be very many: then each takes sixteen bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Final

__all__ = ["Choice", "hash_of", "is_in"]


#: Above so many objects, there are no sets of them: those take 200 bytes for each.
MOST_IN_SETS: Final = 1 << 15


class Choice:
    """Objects, by their keys (`EventStream.key_of`) and by their names."""

    def __init__(self) -> None:
        self._keys = array("q")
        self._names = array("q")
        #: The same, if they are few: a set answers faster.
        self._few_keys: frozenset[int] | None = None
        self._few_names: frozenset[int] | None = None
        #: Keys of objects that refer to chosen ones, and are not chosen themselves.
        self.losing: set[int] = set()

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: int, name: str) -> None:
        """Choose one object."""
        self.add_number(key, hash_of(name))

    def add_number(self, key: int, name: int) -> None:
        """Choose one object whose name is a number (`hash_of`)."""
        self._keys.append(key)
        self._names.append(name)

    def finish(self) -> None:
        """Prepare to look objects up. Others may still follow, up to the next call."""
        self._keys = array("q", sorted(self._keys))
        self._names = array("q", sorted(self._names))
        are_few = len(self._keys) <= MOST_IN_SETS
        self._few_keys = frozenset(self._keys) if are_few else None
        self._few_names = frozenset(self._names) if are_few else None

    def has(self, key: int) -> bool:
        """Return whether the object with a key was chosen."""
        return key in self._few_keys if self._few_keys is not None else is_in(self._keys, key)

    def has_name(self, name: str) -> bool:
        """Return whether an object of this name was chosen."""
        if self._few_names is not None:
            return hash(name) in self._few_names and name != ""
        return bool(name) and is_in(self._names, hash_of(name))


def hash_of(name: str) -> int:
    """Return a number for a name: with 64 bits, two of a million names are the same in one of 10 million saves."""
    return hash(name)


def is_in(numbers: array[int], number: int) -> bool:
    """Return whether a number is in a sorted array."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
