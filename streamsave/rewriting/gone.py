"""Which objects were chosen, and which data refer to dropped ones. There may be very many, so only numbers are held.

The bytes of an object are searched for what the names of all dropped ones start with, before any of them is decoded: most have
none.
"""

from __future__ import annotations

from array import array
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor

__all__ = ["Choice", "Gone", "NumberSet", "common_start", "hash_of"]

#: A place without a number. The number 0 itself is noted apart.
EMPTY: Final = 0
FIRST_SIZE: Final = 64


class NumberSet:
    """Numbers of 64 bits, of which each takes 16 to 32 bytes (in a set of Python's, 100).

    They are in places that follow from them, or the next free ones (open addressing). At most half of the places are taken.
    """

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


#: A shorter text that all names start with would be found everywhere.
SHORTEST_START: Final = 8
#: Larger data are read, without a search: they would have to be held in memory.
LARGEST_SEARCHED: Final = 256 * 1024


class Gone:
    """Names that no object has any more.

    Args:
        choice: has the names of the dropped objects.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        #: Names that references were set to, whether an object has them or not.
        self.set_names: set[str] = set()
        #: What the names of all dropped objects start with; None: none was dropped.
        self._start: str | None = None
        self._needle = b""

    def __bool__(self) -> bool:
        """Return whether there may be a name."""
        return self._start is not None or bool(self.set_names)

    def add(self, name: str) -> None:
        """Note the name of a dropped object, which the choice has, or what several names start with.

        Names that start like one that was noted need not be noted.
        """
        start = self._start
        if start is not None and name.startswith(start) and name.isascii():
            return
        self._start = common_start(start, name) if name.isascii() else ""  # others are stored in another way
        self._needle = self._start.encode()

    def has(self, name: str) -> bool:
        """Return whether no object has a name that one had, or that a reference was set to."""
        return self._choice.has_name(name) or name in self.set_names

    def names_in(self, cursor: Cursor, size: i64) -> list[str] | None:
        """Return the names of dropped objects in the next bytes, each as often as it is there. The cursor stays where it is.

        None: they cannot be searched for, so the bytes have to be read.

        Raises:
            SaveError: they cannot be inflated.
        """
        found: list[str] = []
        needle = self._needle
        if self._start is None or size <= 0:
            return found
        if size > LARGEST_SEARCHED or len(needle) < SHORTEST_START:
            return None
        if cursor.absent([needle], size):
            return found
        data = cursor.peek(size)
        at = data.find(needle)
        while at >= 0:
            # A text is stored with a NUL after it.
            end = data.find(b"\0", at)
            if end < 0:
                break
            name = data[at:end].decode("latin-1")
            if self._choice.has_name(name):
                found.append(name)
            at = data.find(needle, end)
        return found


def common_start(start: str | None, name: str) -> str:
    """Return what a name and what others start with have in common; None: there are no others."""
    if start is None or name.startswith(start):
        return name if start is None else start
    size = 0
    while start[size : size + 1] == name[size : size + 1]:
        size += 1
    return start[:size]
