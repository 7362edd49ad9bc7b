"""Which objects were chosen. There may be very many, so only numbers are held."""

from __future__ import annotations

from streamsave._native import i64
from streamsave.rewriting.number_set import NumberSet

__all__ = ["Choice", "hash_of"]


class Choice:
    """Objects, by their keys (`EventStream._key_of`) and by their names."""

    def __init__(self) -> None:
        self._keys = NumberSet()
        self._names = NumberSet()
        #: Keys of objects that refer to chosen ones, and are not chosen themselves.
        self.losing = NumberSet()

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: int, name: str) -> None:
        """Choose one object."""
        self.add_number(key, hash_of(name))

    def add_number(self, key: i64, name: i64) -> None:
        """Choose one object whose name is a number (`hash_of`)."""
        self._keys.add(key)
        self._names.add(name)

    def has(self, key: i64) -> bool:
        """Return whether the object with a key was chosen."""
        return self._keys.has(key)

    def has_name(self, name: str) -> bool:
        """Return whether an object of this name was chosen."""
        return name != "" and self._names.has(hash(name))

    def has_number(self, name: i64) -> bool:
        """Return whether an object was chosen whose name is a number (`hash_of`)."""
        return self._names.has(name)


def hash_of(name: str) -> int:
    """Return a number for a name: with 64 bits, two of a million names are the same in one of 10 million saves."""
    return hash(name)
