"""Columns that are filled value by value; `test_column_types` has what conforms to which type."""

from __future__ import annotations

import pytest

from streamsave.output.column_builders import Cells, Lists, RowColumns, Structs
from streamsave.output.column_types import Column, ListOf, Plain, StructOf
from streamsave.values import ObjectReference

POINTS = ListOf(StructOf({"x": Plain.INT64, "on": ListOf(Plain.TEXT)}))


def test_a_value_that_conforms_only_in_part_leaves_nothing():
    """It is null in its column, and JSON in the last one; the values before and after it are where they belong."""
    columns = RowColumns([Column("p", POINTS)])
    first, wrong, last = [{"x": 1, "on": ["a", "b"]}], [{"x": 2, "on": ["c"]}, {"x": 3, "on": ["d", 4]}], [{"on": None}, None]
    for value in (first, wrong, None, last):
        columns.add([value])
    (points,) = columns.builders
    assert isinstance(points, Lists)
    assert (points.ends, points.is_null) == ([1, 1, 1, 3], [False, True, True, False])
    items = points.item
    assert isinstance(items, Structs)
    assert items.is_null == [False, False, True]
    x, on = items.members.values()
    assert isinstance(x, Cells)
    assert isinstance(on, Lists)
    assert isinstance(on.item, Cells)
    assert (x.cells, on.item.cells, on.ends, on.is_null) == ([1, None, None], ["a", "b"], [2, 2, 2], [False, True, True])
    assert columns.nonconforming == [None, '{"p":[{"x":2,"on":["c"]},{"x":3,"on":["d",4]}]}', None, None]


@pytest.mark.parametrize("value", [{"level_name": "a", "path_name": "b"}, ObjectReference("a", "b")])
def test_members_are_those_of_a_dict_or_a_class(value):
    columns = RowColumns([Column("r", StructOf({"path_name": Plain.TEXT, "level_name": Plain.TEXT, "more": Plain.BOOL}))])
    columns.add([value])
    (made,) = columns.builders
    assert isinstance(made, Structs)
    assert [member.cells for member in made.members.values() if isinstance(member, Cells)] == [["b"], ["a"], [None]]
