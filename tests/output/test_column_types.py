"""The types of columns, and values that conform to them or not."""

import math
from datetime import datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.decode.json_values import to_jsonable
from streamsave.values import DateTime, Guid, ObjectReference, Opaque, Timespan, Vector

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from streamsave.output.arrow import (  # noqa: E402 - not where there is no pyarrow
    BINARY,
    BOOL,
    DOUBLE,
    INT64,
    MOMENT,
    MOST_DEPTH,
    MOST_MEMBERS,
    STRING,
    UINT64,
    ArrowRows,
    Sample,
    json_field,
)
from streamsave.output.rows import FIXED_COLUMNS  # noqa: E402

TICKS_2024 = 638_501_637_000_000_000  # 2024-05-01 12:35:00
CLOCK = datetime.fromisoformat("2024-05-01T12:35")
#: As a type: text with JSON in it.
JSON = "JSON"


def field(name, kind):
    return json_field(name) if kind == JSON else pa.field(name, kind)


def list_of(kind):
    return pa.list_(field("item", kind))


def struct_of(members):
    return pa.struct([field(name, kind) for name, kind in members.items()])


REFERENCE = struct_of({"level_name": STRING, "path_name": STRING})


def type_of(*values):
    sample = Sample()
    for value in values:
        sample.see(value)
    return sample.field("v")


def conform_rows(fields, rows):
    """The cells of each column, and the last column."""
    fixed = [pa.field(name, STRING) for name in FIXED_COLUMNS]
    collected = ArrowRows([each.name for each in fields], pa.schema([*fixed, *fields, json_field("misfits")]))
    for row in rows:
        collected.add((None,) * len(fixed) + tuple(row))
    batch = collected.take()
    batch.validate(full=True)
    return [column.to_pylist() for column in batch.columns[len(fixed) :]]


def conform(kind, *values):
    """The cells of a column, and the values that do not conform to its type."""
    cells, others = conform_rows([kind if isinstance(kind, pa.Field) else field("c", kind)], [(value,) for value in values])
    return cells, [None if text is None else next(iter(orjson.loads(text).values())) for text in others]


def nested(value, depth):
    return [nested(value, depth - 1)] if depth else value


def nested_type(column_type, depth):
    return list_of(nested_type(column_type, depth - 1)) if depth else column_type


TYPES = [
    ([True, None, False], BOOL),
    ([1, -(1 << 63), (1 << 63) - 1], INT64),
    ([0, (1 << 63)], UINT64),
    ([-1, (1 << 63)], JSON),
    ([1 << 64], JSON),
    ([0.5, math.nan, -math.inf], DOUBLE),
    ([1, 0.5, -(1 << 53)], DOUBLE),
    ([(1 << 53) + 1, 0.5], JSON),
    (["a", "", "鉄"], STRING),
    ([Guid(bytes(16)), "x"], STRING),
    (["a\ud800"], JSON),
    ([b"", b"\xff"], BINARY),
    ([DateTime(TICKS_2024), DateTime(0)], MOMENT),
    ([DateTime(TICKS_2024 + 1)], JSON),
    ([DateTime(-1)], JSON),
    ([Timespan(5)], struct_of({"ticks": INT64})),
    ([True, 1], JSON),
    (["1", 1], JSON),
    ([None], JSON),
    ([], JSON),
    ([[1], [], [None, 0.5]], list_of(DOUBLE)),
    ([[]], JSON),
    ([[1], 1], JSON),
    ([[[1]], [["a"]]], list_of(list_of(JSON))),
    ([[("k", 1), ("l", 0.5)]], list_of(struct_of({"key": STRING, "value": DOUBLE}))),
    ([(0.0, 0.0, 0.0, 1.0)], list_of(DOUBLE)),
    ([{"a": 1}, {"b": "x"}], struct_of({"a": INT64, "b": STRING})),
    ([{"a": 1}, {"a": "x"}], struct_of({"a": JSON})),
    ([{"a": None}], struct_of({"a": JSON})),
    ([{}], JSON),
    ([{"a": 1, "A": 2}], JSON),
    ([{"": 1}], JSON),
    ([{"\ud800": 1}], JSON),
    ([{str(number): 1 for number in range(MOST_MEMBERS)}], struct_of({str(number): INT64 for number in range(MOST_MEMBERS)})),
    ([{str(number): 1 for number in range(MOST_MEMBERS + 1)}], JSON),
    ([Vector(1.0, 2.0, 3.0)], struct_of({"x": DOUBLE, "y": DOUBLE, "z": DOUBLE})),
    ([ObjectReference("", "p"), None], REFERENCE),
    ([Opaque(b"\1", "unknown")], struct_of({"data": BINARY, "reason": STRING})),
    ([nested(1, MOST_DEPTH)], nested_type(INT64, MOST_DEPTH)),
    ([nested(1, MOST_DEPTH + 1)], nested_type(JSON, MOST_DEPTH + 1)),
    ([(1 << 53), 0.5], DOUBLE),
    ([-(1 << 53) - 1, 0.5], JSON),
    ([(1 << 64) - 1], UINT64),
    ([-(1 << 63) - 1], JSON),
]


@pytest.mark.parametrize(("values", "expected"), TYPES, ids=[str(number) for number in range(len(TYPES))])
def test_type_of_values(values, expected):
    assert type_of(*values).equals(field("v", expected), check_metadata=True)
    assert conform(expected, *values)[1] == [None] * len(values), "a value does not conform to the type found from it"


CONFORMING = [
    (BOOL, True, True),
    (UINT64, 1 << 63, 1 << 63),
    (BINARY, b"\0\xff", b"\0\xff"),
    (list_of(INT64), [], []),
    (struct_of(dict.fromkeys("xyz", DOUBLE)), Vector(1.0, 2.0, 3.0), {"x": 1.0, "y": 2.0, "z": 3.0}),
    (DOUBLE, 3, 3.0),
    (STRING, Guid(bytes(range(16))), "03020100-07060504-0B0A0908-0F0E0D0C"),
    (MOMENT, DateTime(TICKS_2024), CLOCK),
    (MOMENT, DateTime(TICKS_2024 + 10), CLOCK.replace(microsecond=1)),
    (JSON, "a", '"a"'),
    (JSON, math.nan, '"NaN"'),
    (JSON, [1, None], "[1,null]"),
    (list_of(DOUBLE), [1, None], [1.0, None]),
    (list_of(JSON), [1, None], ["1", None]),
    (REFERENCE, ObjectReference("l", "p"), {"level_name": "l", "path_name": "p"}),
    (struct_of({"a": INT64, "b": INT64}), {"b": 1}, {"a": None, "b": 1}),
    (list_of(struct_of({"key": INT64, "value": JSON})), [(1, "x")], [{"key": 1, "value": '"x"'}]),
]


@pytest.mark.parametrize(("column_type", "value", "cell"), CONFORMING, ids=[str(number) for number in range(len(CONFORMING))])
def test_cell(column_type, value, cell):
    assert conform(column_type, value, None) == ([cell, None], [None, None])


NONCONFORMING = [
    (BOOL, 1),
    (INT64, True),
    (INT64, 1.0),
    (INT64, 1 << 63),
    (UINT64, -1),
    (DOUBLE, True),
    (DOUBLE, (1 << 53) + 1),
    (DOUBLE, "1"),
    (STRING, 1),
    (STRING, "\ud800"),
    (BINARY, "a"),
    (MOMENT, DateTime(TICKS_2024 + 1)),
    (MOMENT, DateTime(-1)),
    (MOMENT, "2024"),
    (list_of(INT64), 1),
    (list_of(INT64), [1, "a"]),
    (list_of(INT64), {"a": 1}),
    (REFERENCE, Vector(1.0, 2.0, 3.0)),
    (REFERENCE, "p"),
    (REFERENCE, Guid(bytes(16))),
    (struct_of({"a": INT64}), {"a": 1, "b": 2}),
    (struct_of({"a": INT64}), {"a": "x"}),
]


@pytest.mark.parametrize(("column_type", "value"), NONCONFORMING, ids=[str(number) for number in range(len(NONCONFORMING))])
def test_nonconforming(column_type, value):
    assert conform(column_type, value) == ([None], [to_jsonable(value)])


def test_the_last_column_has_all_of_a_row():
    columns = [field("a", INT64), field("b", STRING), field("c", STRING)]
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
        assert other is None or other == orjson.loads(orjson.dumps(to_jsonable(value)))
