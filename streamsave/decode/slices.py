"""A leaf with many elements, some of them at a time: an array, set or map of any size is read in constant memory.

| codec | elements |
|---|---|
| `Array` | values |
| `Map` | pairs (key, value) |
| `Bytes` | bytes |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from streamsave._native import i64
from streamsave.decode.codecs import U8, Array, BuildContext, Bytes, Codec
from streamsave.decode.cursor import Cursor
from streamsave.errors import PathStep

__all__ = ["SLICE_COUNT", "SLICE_SIZE", "Large", "Parts", "Slices", "slices_of"]

#: Most elements of a slice.
SLICE_COUNT: Final = 4096
#: A slice with more than one element ends with the element that reaches so many bytes, as they are stored.
SLICE_SIZE: Final = 64 * 1024
#: The base64 of slices of bytes joins to that of all bytes: it is made of three at a time.
BYTES_SLICE_SIZE: Final = SLICE_SIZE - SLICE_SIZE % 3

#: The elements of a leaf, some at a time: the index of the first of them, and they.
Parts: TypeAlias = Iterator[tuple[int, list[object] | bytes]]
#: Takes the path of a leaf that is above a limit of `build()`, and returns what makes a value of its elements; None: the leaf
#: is an error.
Large: TypeAlias = Callable[[tuple[PathStep, ...]], Callable[[Parts], object] | None]


class Slices:
    """The elements of a leaf that are not read yet. The cursor is at the next one.

    Args:
        count: how many there are.
        element: their codec.
        is_bytes: they are bytes, and come as such.
    """

    def __init__(self, count: i64, element: Codec, *, is_bytes: bool = False) -> None:
        self.left: i64 = count
        #: How many were read.
        self.done: i64 = 0
        self._element = element
        self._is_bytes = is_bytes

    def take(self, cursor: Cursor, context: BuildContext) -> list[object] | bytes:
        """Decode the next slice. There is at least one element left.

        Raises:
            SaveError: an element is damaged, or more than `Limits` allows to build.
        """
        if self._is_bytes:
            size = min(self.left, BYTES_SLICE_SIZE)
            context.spend(0, size)
            data = cursor.take(size)
            self._pass(size)
            return data
        element = self._element
        end = cursor.tell() + SLICE_SIZE
        values: list[object] = []
        most = min(self.left, SLICE_COUNT)
        while len(values) < most and cursor.tell() < end:
            context.spend(element.nodes, 0)
            values.append(element.decode(cursor, context))
        self._pass(len(values))
        return values

    def nodes(self) -> i64:
        """Return how many values `build()` makes of what is left, besides those inside elements."""
        return 0 if self._is_bytes else self.left * self._element.nodes

    def _pass(self, count: i64) -> None:
        self.left -= count
        self.done += count


def slices_of(codec: Codec, cursor: Cursor) -> Slices | None:
    """Read the count of a value, and return its elements; None, without reading, if values of this codec have none.

    Raises:
        SaveError: the count does not fit.
    """
    if isinstance(codec, Array):
        return Slices(codec.open(cursor), codec.element)
    if isinstance(codec, Bytes):
        return Slices(cursor.count(1), U8, is_bytes=True)
    return None
