"""Bytes that were met before, recognised in a buffer without a copy of them.

A slice of a buffer is an object: to make it, hash it and free it takes several times as long as to look at its bytes. Compiled,
reading eight bytes is one machine instruction; so is comparing them. In plain Python each of them is a call, and the slice is
faster: `COMPILED` says which way to go.
"""

from __future__ import annotations

from types import BuiltinFunctionType
from typing import Final

from librt.strings import read_i32_le, read_i64_le

from streamsave._native import i64

__all__ = ["COMPILED", "BytesAround", "RecentStrings", "is_at"]

#: Slots of `RecentStrings`, a power of two: more than the different names of a large world.
SLOTS: Final = 4096
#: An odd number that spreads the bytes of a word over its upper bits.
SPREAD: Final = 0x1E3779B97F4A7C15


def is_at(buffer: bytes, at: i64, expected: bytes) -> bool:
    """Return whether `expected` is in a buffer at a place that has room for it."""
    size: i64 = len(expected)
    if not COMPILED:
        return buffer[at : at + size] == expected
    if size >= 8:
        # From the end: names differ there first. The first word may overlap the second.
        left = size - 8
        while left > 0:
            if read_i64_le(buffer, at + left) != read_i64_le(expected, left):
                return False
            left -= 8
        return read_i64_le(buffer, at) == read_i64_le(expected, 0)
    if size >= 4:
        last = size - 4
        return read_i32_le(buffer, at) == read_i32_le(expected, 0) and (
            read_i32_le(buffer, at + last) == read_i32_le(expected, last)
        )
    index: i64 = 0
    while index < size:
        if buffer[at + index] != expected[index]:
            return False
        index += 1
    return True


class BytesAround:
    """The bytes before and after a size and an index, i32 each."""

    def __init__(self, lead: bytes, tail: bytes) -> None:
        self.lead: Final = lead
        self.tail: Final = tail


class RecentString:
    """Bytes, and the text that they are."""

    def __init__(self, raw: bytes, text: str) -> None:
        self.raw: Final = raw
        self.text: Final = text


NO_STRING: Final = RecentString(b"", "")


class RecentStrings:
    """Strings by a few of their bytes: one for each slot, the one that was kept last."""

    def __init__(self) -> None:
        self._slots: list[RecentString] = [NO_STRING] * SLOTS

    def find(self, buffer: bytes, at: i64, size: i64) -> str | None:
        """Return the text of `size` bytes, at least 1, at a place of a buffer that has room for them; None if it is not here."""
        recent = self._slots[slot_of(buffer, at, size)]
        raw = recent.raw
        return recent.text if len(raw) == size and is_at(buffer, at, raw) else None

    def keep(self, raw: bytes, text: str) -> None:
        """Keep a string in its slot."""
        self._slots[slot_of(raw, 0, len(raw))] = RecentString(raw, text)


def slot_of(buffer: bytes, at: i64, size: i64) -> i64:
    """Return the slot of `size` bytes: their number, start, middle and end decide."""
    mixed: i64 = size
    if size >= 8:
        mixed += read_i64_le(buffer, at) ^ (read_i64_le(buffer, at + (size >> 1) - 4) >> 1)
        mixed = mixed * SPREAD ^ read_i64_le(buffer, at + size - 8)
    elif size >= 4:
        start: int = read_i32_le(buffer, at)
        end: int = read_i32_le(buffer, at + size - 4)
        mixed += start ^ (end << 8)
    else:
        mixed += buffer[at]
    return (mixed * SPREAD >> 40) & (SLOTS - 1)


#: Whether this module, and with it all that see every byte, is compiled.
COMPILED: Final = isinstance(is_at, BuiltinFunctionType)
