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
from streamsave.decode.codecs import U8, Array, BuildContext, Bytes, Codec, Map
from streamsave.decode.cursor import Cursor
from streamsave.errors import PathStep

__all__ = ["SLICE_COUNT", "SLICE_SIZE", "Large", "Parts", "Slices", "slices_of"]

#: Most elements of a slice.
SLICE_COUNT: Final = 4096
#: A slice with more than one element ends with the element that reaches so many bytes, as they are stored.
SLICE_SIZE: Final = 64 * 1024


#: The elements of a leaf, some at a time: the index of the first of them, and they.
Parts: TypeAlias = Iterator[tuple[int, list[object] | bytes]]
#: Takes the path of a leaf that is more than `Limits` allows to build, and returns what makes a value of its elements; None: that
#: is an error.
Large: TypeAlias = Callable[[tuple[PathStep, ...]], Callable[[Parts], object] | None]


class Slices:
    """The elements of a leaf that are not read yet. The cursor is at the next one.

    Args:
        count: how many there are.
        element: codec of an element, or of the key of a pair.
        value: codec of the value of a pair; None: no pairs.
        is_bytes: they are bytes, and come as such.
    """

    def __init__(self, count: i64, element: Codec, value: Codec | None = None, *, is_bytes: bool = False) -> None:
        self.left: i64 = count
        #: How many were read.
        self.done: i64 = 0
        self._element = element
        self._value = value
        self._is_bytes = is_bytes
        size: i64 = element.size
        if value is not None:
            size = -1 if size < 0 or value.size < 0 else size + value.size
        #: The elements of a slice, if all have the same size; else 0.
        self._fixed: i64 = 0
        if is_bytes:
            self._fixed = SLICE_SIZE - SLICE_SIZE % 3  # then the base64 of slices joins to that of all
        elif size > 0:
            self._fixed = 1 if size > SLICE_SIZE else min(SLICE_COUNT, SLICE_SIZE // size)
        elif size == 0:
            self._fixed = SLICE_COUNT

    def take(self, cursor: Cursor, context: BuildContext) -> list[object] | bytes:
        """Decode the next slice. There is at least one element left.

        Raises:
            SaveError: an element is damaged, or more than `Limits` allows to build.
        """
        count = self._fixed
        if count > self.left:
            count = self.left
        if self._is_bytes:
            context.spend(0, count)
            data = cursor.take(count)
            self._pass(count)
            return data
        element = self._element
        value = self._value
        values: list[object] = []
        if count > 0:
            context.spend(count if value is None else 2 * count, 0)
            if value is None:
                values = [element.decode(cursor, context) for _ in range(count)]
            else:
                values = [(element.decode(cursor, context), value.decode(cursor, context)) for _ in range(count)]
        else:
            start = cursor.tell()
            most: i64 = SLICE_COUNT
            if most > self.left:
                most = self.left
            while count < most and cursor.tell() - start < SLICE_SIZE:
                context.spend(1 if value is None else 2, 0)
                if value is None:
                    values.append(element.decode(cursor, context))
                else:
                    values.append((element.decode(cursor, context), value.decode(cursor, context)))
                count += 1
        self._pass(count)
        return values

    def nodes(self) -> i64:
        """Return how many values `build()` makes of what is left, besides those inside elements."""
        if self._is_bytes:
            return 0
        return self.left if self._value is None else 2 * self.left

    def _pass(self, count: i64) -> None:
        self.left -= count
        self.done += count


def slices_of(codec: Codec, cursor: Cursor) -> Slices | None:
    """Read the count of a value, and return its elements; None, without reading, if values of this codec have none.

    Raises:
        SaveError: the count does not fit.
    """
    if type(codec) is Array:
        return Slices(cursor.count(codec.element.least), codec.element)
    if type(codec) is Map:
        return Slices(cursor.count(codec.key.least + codec.value.least), codec.key, codec.value)
    if type(codec) is Bytes:
        return Slices(cursor.count(1), U8, is_bytes=True)
    return None
