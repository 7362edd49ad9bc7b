"""Names as indexes into a pool that the save holds once.

A name is an `i32`; index 0 is `None`. The pool may have the word `None` a second time: real saves end their property lists with
that one.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i32_le

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, text_of
from streamsave.decode.known_bytes import RecentStrings
from streamsave.errors import EditError
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["NONE", "STORED_NONE", "PoolCursor", "PoolEncoder"]

#: The empty name, which also ends a property list.
NONE: Final = "None"
#: Its bytes, where names are stored as strings.
STORED_NONE: Final = b"\5\0\0\0None\0"
PROPERTY: Final = "Property"


class PoolCursor(Cursor):
    """A cursor whose names come from a pool, once there is one; before that they are strings."""

    def __init__(
        self,
        windows: Windows,
        limits: Limits,
        strings: dict[bytes, str] | None = None,
        recent: RecentStrings | None = None,
    ) -> None:
        super().__init__(windows, limits, strings, recent)
        #: The pool with its index 0, or nothing where none was read yet.
        self.names: list[str] = []

    def fork(self) -> Cursor:
        other = PoolCursor(self.windows, self.limits, self._strings, self._recent)
        other.names = self.names
        other.seek(self.tell())
        other.set_limit(self._limit)
        return other

    def read_pool(self) -> list[str]:
        """Read a pool: an `i64`, how many names there are, and all but the first, which is `None`. `names` stays.

        Raises:
            DamagedSave: there is no name, not even the first.
            LimitExceeded: more names, or longer ones together, than may be kept.
        """
        start = self.tell()
        count = self.i64()
        if count < 1:
            raise self.damaged("number of names", offset=start, expected="at least 1", actual=int(count))
        if count > i64(self.limits.table_entries):
            raise self.exceeded("table_entries", count)
        names = [NONE]
        size: i64 = 0
        for _ in range(count - 1):
            name = self.string()
            size += len(name)
            if size > i64(self.limits.build_size):
                raise self.exceeded("build_size", size)
            names.append(name)
        return names

    def name(self) -> str:
        """Read a name.

        Raises:
            DamagedSave: the pool has no such index.
        """
        names = self.names
        if not names:
            return super().name()
        index = self.i32()
        if index < 0 or index >= len(names):
            raise self.damaged(
                "no such name in the pool", offset=self.tell() - 4, expected=f"0 to {len(names) - 1}", actual=int(index)
            )
        return names[index]

    def passes(self, offset: i64, name: bytes) -> bool:
        """Return False once there is a pool: names are not stored as such bytes."""
        return not self.names and super().passes(offset, name)

    def since(self, offset: i64) -> bytes:
        """Return nothing: the same bytes may mean another name, once there is a pool."""
        return b""

    def starts_list(self) -> bool:
        """Return whether the next bytes look like the start of a property list, without moving: see `tags.looks_like_list`.

        A bare 0 is `None`, too, but binary values are full of zeros: it counts only if nothing follows it.
        """
        ahead = self.peek(8)
        size: i64 = len(ahead)
        if size < 8 and size < self.remaining():
            self.need(min(self.remaining(), 8))
        if size < 4:
            return False
        names = self.names
        count: i64 = len(names)
        value: int = read_i32_le(ahead, 0)
        index: i64 = value
        if index == 0:
            return size == 4
        if index < 0 or index >= count:
            return False
        if names[index] == NONE:
            return True
        if size < 8:
            return False
        value = read_i32_le(ahead, 4)
        index = value
        return index > 0 and index < count and names[index].endswith(PROPERTY)


class PoolEncoder(Encoder):
    """An encoder whose names are in a pool; without a pool they are strings.

    Args:
        index_of: the index of each name of the pool: the last one, as real saves write a `None` that is stored, not index 0.
    """

    def __init__(self, index_of: dict[str, int]) -> None:
        super().__init__()
        self._index_of = index_of

    def name(self, value: object) -> None:
        """Write a name by its index."""
        if not self._index_of:
            super().name(value)
            return
        index = self._index_of.get(text_of(value))
        if index is None:
            raise EditError("no such name in the pool of the save, and none can be added", value)
        self.integer(index, 4, signed=True)
