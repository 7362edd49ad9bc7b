"""Values as JSON: each row of the table, and that orjson takes what comes out."""

import math

import orjson
import pytest
from expected_values import single
from hypothesis import given
from hypothesis import strategies as st

from streamsave.decode.json_values import number_text, shortest_text, to_jsonable, unescape
from streamsave.values import (
    Color,
    DateTime,
    DynamicStruct,
    Guid,
    InventoryItem,
    ObjectReference,
    Opaque,
    Text,
    Transform,
    Vector,
)

TICKS_2024 = 638_501_637_000_000_000  # 2024-05-01 12:35:00
IRON = ObjectReference("", "/Game/Iron.Iron_C")

ROWS = [
    (None, None),
    (True, True),
    (0, 0),
    (-(1 << 63), -(1 << 63)),
    ((1 << 64) - 1, (1 << 64) - 1),
    (1 << 64, "18446744073709551616"),
    (-(1 << 63) - 1, "-9223372036854775809"),
    (0.5, 0.5),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    ("Eisen 鉄 🏭 \\ \0", "Eisen 鉄 🏭 \\ \0"),
    ("\ud83c!", {"escaped": "\\ud83c!"}),
    ("a\\b\udc80", {"escaped": "a\\\\b\\udc80"}),
    (b"\0\xff", {"base64": "AP8="}),
    (bytearray(b"a"), {"base64": "YQ=="}),
    (Opaque(b"\1", "unknown"), {"base64": "AQ==", "reason": "unknown"}),
    (Opaque(b"\0\0\0", "padding"), {"zeros": 3, "reason": "padding"}),
    (Opaque(b"\0\n", "padding"), {"base64": "AAo=", "reason": "padding"}),
    (Opaque(b"\0\0\0", "unknown"), {"base64": "AAAA", "reason": "unknown"}),
    (Guid(bytes(range(16))), "03020100-07060504-0B0A0908-0F0E0D0C"),
    (DateTime(TICKS_2024), "2024-05-01T12:35:00"),
    (DateTime(TICKS_2024 + 1), "2024-05-01T12:35:00.0000001"),
    (DateTime(0), "0001-01-01T00:00:00"),
    (DateTime(-1), {"ticks": -1}),
    (DateTime((1 << 63) - 1), {"ticks": (1 << 63) - 1}),
    (Vector(1.0, 2.0, math.nan), {"x": 1.0, "y": 2.0, "z": "NaN"}),
    (Color(1, 2, 3, 4), {"b": 1, "g": 2, "r": 3, "a": 4}),
    (IRON, {"level_name": "", "path_name": "/Game/Iron.Iron_C"}),
    (
        Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0)),
        {"rotation": [0.0, 0.0, 0.0, 1.0], "translation": [1.0, 2.0, 3.0], "scale": [1.0, 1.0, 1.0]},
    ),
    (Text(0, "base", "Hi", {"key": "k"}), {"flags": 0, "history": "base", "source": "Hi", "fields": {"key": "k"}}),
    (
        InventoryItem(IRON, DynamicStruct(IRON, {"mCharge": 1.0})),
        {"item": to_jsonable(IRON), "state": {"script_struct": to_jsonable(IRON), "value": {"mCharge": 1.0}}},
    ),
    ([(1, "a"), ({"x": 1}, None)], [[1, "a"], [{"x": 1}, None]]),
    ({"a": {"b": [b""]}}, {"a": {"b": [{"base64": ""}]}}),
    ({"\udc80": 1, "\\udc80": 2}, {"\\udc80": 1, "\\udc80'": 2}),
]


@pytest.mark.parametrize(("value", "expected"), ROWS, ids=[str(number) for number in range(len(ROWS))])
def test_row_of_the_table(value, expected):
    result = to_jsonable(value)
    assert result == expected
    assert type(result) is type(expected)
    assert orjson.loads(orjson.dumps(result)) == expected


@given(st.text(st.characters(exclude_categories=[])))
def test_each_string_survives(text):
    result = orjson.loads(orjson.dumps(to_jsonable(text)))
    assert (unescape(result["escaped"]) if isinstance(result, dict) else result) == text


def test_there_is_no_limit_of_levels():
    value: object = {"a": math.nan, "\ud800": (b"x",)}
    for _ in range(10_000):
        value = {"m": [value]}
    result = to_jsonable(value)
    for _ in range(10_000):
        (result,) = result["m"]
    assert result == {"a": "NaN", "\\ud800": [{"base64": "eA=="}]}


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_orjson_takes_whatever_comes_out(value):
    assert orjson.loads(orjson.dumps(to_jsonable(value))) == to_jsonable(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_as_json_has_it(number):
    assert number_text(number) == orjson.dumps(number).decode()


@pytest.mark.parametrize(("number", "text"), [(float("nan"), "NaN"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity")])
def test_what_json_has_no_number_for(number, text):
    assert number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_single_precision(number):
    text = shortest_text(number)
    assert single(float(text)) == number
    assert len(text) <= len(repr(number))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (single(0.1), "0.1"),
        (1.0049999952316284, "1.005"),
        (123456.0, "123456.0"),
        (-16777215.0, "-16777215.0"),
        (33554436.0, "33554436.0"),
        (single(1234567890), "1234568000.0"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
    ],
)
def test_fewest_digits(number, text):
    assert shortest_text(number) == text
