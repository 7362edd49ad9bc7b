"""Types of columns, and values that conform to them or not."""

from __future__ import annotations

import math
from datetime import datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.decode.json_values import json_value
from streamsave.output.column_builders import Cells, Lists, RowColumns, Structs
from streamsave.output.column_types import MOST_DEPTH, MOST_MEMBERS, Column, ListOf, Plain, Sample, StructOf
from streamsave.values import DateTime, Guid, ObjectReference, Opaque, Timespan, Vector

TICKS_2024 = 638_501_637_000_000_000  # 2024-05-01 12:35:00
MOMENT = datetime.fromisoformat("2024-05-01T12:35")
REFERENCE = StructOf({"level_name": Plain.TEXT, "path_name": Plain.TEXT})


def type_of(*values):
    sample = Sample()
    for value in values:
        sample.see(value)
    return sample.column_type()


def cells_of(builder):
    """The values in a column."""
    if isinstance(builder, Lists):
        items = cells_of(builder.item)
        starts = [0, *builder.ends]
        return [
            None if is_null else items[start:end]
            for start, end, is_null in zip(starts, builder.ends, builder.is_null, strict=False)
        ]
    if isinstance(builder, Structs):
        members = {name: cells_of(member) for name, member in builder.members.items()}
        return [
            None if is_null else {name: cells[at] for name, cells in members.items()}
            for at, is_null in enumerate(builder.is_null)
        ]
    assert isinstance(builder, Cells)
    return builder.cells


def conform_rows(columns, rows):
    """The cells of each column, and the last column."""
    made = RowColumns(columns)
    for row in rows:
        made.add(row)
    return [*map(cells_of, made.builders), made.nonconforming]


def conform(column_type, *values):
    """The cells of a column, and the values that do not conform to its type."""
    cells, others = conform_rows([Column("c", column_type)], [(value,) for value in values])
    return cells, [None if text is None else orjson.loads(text)["c"] for text in others]


def nested(value, depth):
    """A list in a list in ..."""
    return [nested(value, depth - 1)] if depth else value


def nested_type(column_type, depth):
    return ListOf(nested_type(column_type, depth - 1)) if depth else column_type


TYPES = [
    ([True, None, False], Plain.BOOL),
    ([1, -(1 << 63), (1 << 63) - 1], Plain.INT64),
    ([0, (1 << 63)], Plain.UINT64),
    ([-1, (1 << 63)], Plain.JSON),
    ([1 << 64], Plain.JSON),
    ([0.5, math.nan, -math.inf], Plain.FLOAT),
    ([1, 0.5, -(1 << 53)], Plain.FLOAT),
    ([(1 << 53) + 1, 0.5], Plain.JSON),
    (["a", "", "鉄"], Plain.TEXT),
    ([Guid(bytes(16)), "x"], Plain.TEXT),
    (["a\ud800"], Plain.JSON),
    ([b"", b"\xff"], Plain.BYTES),
    ([DateTime(TICKS_2024), DateTime(0)], Plain.MOMENT),
    ([DateTime(TICKS_2024 + 1)], Plain.JSON),
    ([DateTime(-1)], Plain.JSON),
    ([Timespan(5)], StructOf({"ticks": Plain.INT64})),
    ([True, 1], Plain.JSON),
    (["1", 1], Plain.JSON),
    ([None], Plain.JSON),
    ([], Plain.JSON),
    ([[1], [], [None, 0.5]], ListOf(Plain.FLOAT)),
    ([[]], Plain.JSON),
    ([[1], 1], Plain.JSON),
    ([[[1]], [["a"]]], ListOf(ListOf(Plain.JSON))),
    ([[("k", 1), ("l", 0.5)]], ListOf(StructOf({"key": Plain.TEXT, "value": Plain.FLOAT}))),
    ([(0.0, 0.0, 0.0, 1.0)], ListOf(Plain.FLOAT)),
    ([{"a": 1}, {"b": "x"}], StructOf({"a": Plain.INT64, "b": Plain.TEXT})),
    ([{"a": 1}, {"a": "x"}], StructOf({"a": Plain.JSON})),
    ([{"a": None}], StructOf({"a": Plain.JSON})),
    ([{}], Plain.JSON),
    ([{"a": 1, "A": 2}], Plain.JSON),
    ([{"": 1}], Plain.JSON),
    ([{"\ud800": 1}], Plain.JSON),
    (
        [{str(number): 1 for number in range(MOST_MEMBERS)}],
        StructOf({str(number): Plain.INT64 for number in range(MOST_MEMBERS)}),
    ),
    ([{str(number): 1 for number in range(MOST_MEMBERS + 1)}], Plain.JSON),
    ([Vector(1.0, 2.0, 3.0)], StructOf({"x": Plain.FLOAT, "y": Plain.FLOAT, "z": Plain.FLOAT})),
    ([ObjectReference("", "p"), None], REFERENCE),
    ([Opaque(b"\1", "unknown")], StructOf({"data": Plain.BYTES, "reason": Plain.TEXT})),
    ([nested(1, MOST_DEPTH)], nested_type(Plain.INT64, MOST_DEPTH)),
    ([nested(1, MOST_DEPTH + 1)], nested_type(Plain.JSON, MOST_DEPTH + 1)),
    ([(1 << 53), 0.5], Plain.FLOAT),
    ([-(1 << 53) - 1, 0.5], Plain.JSON),
    ([(1 << 64) - 1], Plain.UINT64),
    ([-(1 << 63) - 1], Plain.JSON),
]


@pytest.mark.parametrize(("values", "expected"), TYPES, ids=[str(number) for number in range(len(TYPES))])
def test_type_of_values(values, expected):
    assert type_of(*values) == expected
    assert conform(expected, *values)[1] == [None] * len(values), "a value does not conform to the type found from it"


CONFORMING = [
    (Plain.BOOL, True, True),
    (Plain.FLOAT, 3, 3.0),
    (Plain.TEXT, Guid(bytes(range(16))), "03020100-07060504-0B0A0908-0F0E0D0C"),
    (Plain.MOMENT, DateTime(TICKS_2024), MOMENT),
    (Plain.MOMENT, DateTime(TICKS_2024 + 10), MOMENT.replace(microsecond=1)),
    (Plain.JSON, "a", '"a"'),
    (Plain.JSON, math.nan, '"NaN"'),
    (Plain.JSON, [1, None], "[1,null]"),
    (ListOf(Plain.FLOAT), [1, None], [1.0, None]),
    (ListOf(Plain.JSON), [1, None], ["1", None]),
    (REFERENCE, ObjectReference("l", "p"), {"level_name": "l", "path_name": "p"}),
    (StructOf({"a": Plain.INT64, "b": Plain.INT64}), {"b": 1}, {"a": None, "b": 1}),
    (ListOf(StructOf({"key": Plain.INT64, "value": Plain.JSON})), [(1, "x")], [{"key": 1, "value": '"x"'}]),
]


@pytest.mark.parametrize(("column_type", "value", "cell"), CONFORMING, ids=[str(number) for number in range(len(CONFORMING))])
def test_cell(column_type, value, cell):
    assert conform(column_type, value, None) == ([cell, None], [None, None])


NONCONFORMING = [
    (Plain.BOOL, 1),
    (Plain.INT64, True),
    (Plain.INT64, 1.0),
    (Plain.INT64, 1 << 63),
    (Plain.UINT64, -1),
    (Plain.FLOAT, True),
    (Plain.FLOAT, (1 << 53) + 1),
    (Plain.FLOAT, "1"),
    (Plain.TEXT, 1),
    (Plain.TEXT, "\ud800"),
    (Plain.BYTES, "a"),
    (Plain.MOMENT, DateTime(TICKS_2024 + 1)),
    (Plain.MOMENT, DateTime(-1)),
    (Plain.MOMENT, "2024"),
    (ListOf(Plain.INT64), 1),
    (ListOf(Plain.INT64), [1, "a"]),
    (ListOf(Plain.INT64), {"a": 1}),
    (REFERENCE, Vector(1.0, 2.0, 3.0)),
    (REFERENCE, "p"),
    (REFERENCE, Guid(bytes(16))),
    (StructOf({"a": Plain.INT64}), {"a": 1, "b": 2}),
    (StructOf({"a": Plain.INT64}), {"a": "x"}),
]


@pytest.mark.parametrize(("column_type", "value"), NONCONFORMING, ids=[str(number) for number in range(len(NONCONFORMING))])
def test_nonconforming(column_type, value):
    assert conform(column_type, value) == ([None], [json_value(value)])


def test_the_last_column_has_all_of_a_row():
    columns = [Column("a", Plain.INT64), Column("b", Plain.TEXT), Column("c", Plain.TEXT)]
    a, b, c, others = conform_rows(columns, [(1, "x", None), ("y", 2, "z")])
    assert (a, b, c) == ([1, None], ["x", None], [None, "z"])
    assert others == [None, '{"a":"y","b":2}']


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.builds(DateTime, st.integers(0, 1 << 63)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.lists(st.tuples(inner, inner)),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.lists(VALUES))
def test_values_conform_to_the_type_found_from_them(values):
    assert conform(type_of(*values), *values)[1] == [None] * len(values)


@pytest.mark.slow
@given(st.lists(VALUES), st.lists(VALUES))
def test_nothing_is_lost(first, later):
    """Each value is in its column or in the last one, whatever came first."""
    cells, others = conform(type_of(*first), *later)
    for value, cell, other in zip(later, cells, others, strict=True):
        assert (cell is None) == (value is None or other is not None)
        assert other is None or other == orjson.loads(orjson.dumps(json_value(value)))
