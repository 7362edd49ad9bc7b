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

__all__ = ["COMPILED", "BytesAround", "is_at"]


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


#: Whether this module, and with it all that see every byte, is compiled.
COMPILED: Final = isinstance(is_at, BuiltinFunctionType)
