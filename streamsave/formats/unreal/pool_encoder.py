"""Names as indexes into a pool, for values that are written."""

from __future__ import annotations

from streamsave.decode.encoder import Encoder, text_of
from streamsave.errors import EditError

__all__ = ["PoolEncoder", "PoolIndexes"]


class PoolIndexes:
    """The index of each name of a pool: the last one, as real saves write a `None` that is stored, not index 0."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.index_of = {name: index for index, name in enumerate(names)}


class PoolEncoder(Encoder):
    """An encoder whose names are in a pool; without a pool they are strings."""

    def __init__(self, indexes: PoolIndexes) -> None:
        super().__init__()
        self._indexes = indexes

    def name(self, value: object) -> None:
        """Write a name by its index."""
        if not self._indexes.names:
            super().name(value)
            return
        index = self._indexes.index_of.get(text_of(value))
        if index is None:
            raise EditError("no such name in the pool of the save, and none can be added", value)
        self.i32(index)
