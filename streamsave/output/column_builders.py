"""Values -> columns, value by value, in the form that Arrow has: no row is kept, and no value that has others inside.

| type | is kept as |
|---|---|
| a plain type | `Cells`: the values, converted to that type |
| `ListOf` | `Lists`: where each list ends among the items of all, and the column of the items |
| `StructOf` | `Structs`: a column for each member |

What does not conform to the type of its column is null there, and JSON in the last column.
"""

from __future__ import annotations

from collections.abc import Sequence

from streamsave.decode.json_values import Json, json_value
from streamsave.output.column_types import (
    CONFORMS,
    Column,
    ColumnType,
    Conform,
    ListOf,
    Nonconforming,
    StructOf,
    items_of,
    json_text,
    members_of,
)
from streamsave.output.json_text import json_bytes

__all__ = ["Cells", "ColumnBuilder", "Lists", "RowColumns", "Structs"]


class ColumnBuilder:
    """The values of one column, or of one part of them."""

    def add(self, value: object) -> None:
        """Add a value, or None.

        Raises:
            Nonconforming: the value does not conform to the type. Parts of it may have been added: `cut` takes them away.
        """
        raise NotImplementedError

    def count(self) -> int:
        """Return how many values there are."""
        raise NotImplementedError

    def cut(self, count: int) -> None:
        """Keep only the first `count` values."""
        raise NotImplementedError


class Cells(ColumnBuilder):
    """Values of a plain type."""

    def __init__(self, conform: Conform) -> None:
        self._conform = conform
        self.cells: list[object] = []

    def add(self, value: object) -> None:
        self.cells.append(None if value is None else self._conform(value))

    def count(self) -> int:
        return len(self.cells)

    def cut(self, count: int) -> None:
        del self.cells[count:]


class Lists(ColumnBuilder):
    """Lists of values of one type."""

    def __init__(self, item: ColumnBuilder) -> None:
        #: The items of all lists.
        self.item = item
        #: For each list, how many items there are up to its end.
        self.ends: list[int] = []
        self.is_null: list[bool] = []

    def add(self, value: object) -> None:
        item = self.item
        if value is not None:
            for each in items_of(value):
                item.add(each)
        self.ends.append(item.count())
        self.is_null.append(value is None)

    def count(self) -> int:
        return len(self.ends)

    def cut(self, count: int) -> None:
        del self.ends[count:]
        del self.is_null[count:]
        self.item.cut(self.ends[-1] if self.ends else 0)


class Structs(ColumnBuilder):
    """Structs: a member that one lacks is None."""

    def __init__(self, members: dict[str, ColumnBuilder]) -> None:
        self.members = members
        self.is_null: list[bool] = []

    def add(self, value: object) -> None:
        members = self.members
        given: dict[str, object] = {}
        if value is not None:
            given = members_of(value)
            for name in given:
                if name not in members:
                    raise Nonconforming
        for name, member in members.items():
            member.add(given.get(name))
        self.is_null.append(value is None)

    def count(self) -> int:
        return len(self.is_null)

    def cut(self, count: int) -> None:
        del self.is_null[count:]
        for member in self.members.values():
            member.cut(count)


def make_builder(column_type: ColumnType) -> ColumnBuilder:
    """Return an empty column of this type."""
    if isinstance(column_type, ListOf):
        return Lists(make_builder(column_type.item))
    if isinstance(column_type, StructOf):
        return Structs({name: make_builder(member) for name, member in column_type.members.items()})
    return Cells(CONFORMS.get(column_type, json_text))


class RowColumns:
    """The columns of a table, to which whole rows are added."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        #: The columns, in their order.
        self.builders = [make_builder(column.type) for column in columns]
        #: The last column: for each row, JSON of the values that do not conform, or None.
        self.nonconforming: list[str | None] = []

    def add(self, row: Sequence[object]) -> None:
        """Add a row: a value for each column."""
        others: dict[str, Json] = {}
        for index, builder in enumerate(self.builders):
            try:
                builder.add(row[index])
            except Nonconforming:
                builder.cut(len(self.nonconforming))
                builder.add(None)
                others[self._names[index]] = json_value(row[index])
        self.nonconforming.append(json_bytes(others).decode("utf-8") if others else None)
