"""JSON text: as orjson writes it, of any depth, and without characters that a terminal obeys."""

import json
import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.decode.json_values import Json, to_jsonable
from streamsave.output.json_text import json_bytes, value_bytes
from streamsave.values import DateTime, Guid, InventoryItem, ObjectReference, Opaque, Text, Vector

#: orjson takes 254 levels.
ORJSON_LEVELS = 254


def lists(levels: int, inner: object = 1) -> list[object]:
    value = [inner]
    for _ in range(levels - 1):
        value = [value]
    return value


def deep(inner: object) -> object:
    """A value with so many levels around it that orjson refuses it."""
    return lists(2 * ORJSON_LEVELS, inner)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.slow
@pytest.mark.parametrize("pretty", [False, True])
@given(value=VALUES.map(to_jsonable))
def test_deep_values_are_written_as_orjson_writes_others(value: Json, pretty: bool):
    assert json.loads(json_bytes(value, pretty=pretty)) == value
    assert json_bytes(deep(value)) == b"[" * 2 * ORJSON_LEVELS + json_bytes(value) + b"]" * 2 * ORJSON_LEVELS


@pytest.mark.slow
@given(VALUES.map(to_jsonable))
def test_deep_values_are_indented_as_orjson_indents_others(value: Json):
    levels = 300
    lines = json_bytes(lists(levels, value), pretty=True).decode().split("\n")
    assert [line.strip() for line in lines[:levels]] == ["["] * levels
    assert "\n".join([line[2 * levels :] for line in lines[levels:-levels]]) == json_bytes(value, pretty=True).decode()
    assert lines[-levels:] == [f"{' ' * 2 * level}]" for level in range(levels - 1, -1, -1)]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [ORJSON_LEVELS, ORJSON_LEVELS + 1, 100_000])
def test_levels(levels):
    assert json_bytes(to_jsonable(lists(levels))) == b"[" * levels + b"1" + b"]" * levels


@pytest.mark.slow
def test_a_deep_value_of_every_kind():
    value: object = {"leaf": 0.5}
    for _ in range(5000):
        value = {"a": (value, Text(0, "none", "", {"t": [value] if value == 0 else None}))}
    text = json_bytes(to_jsonable(value))
    assert text.count(b'"source":""') == 5000
    assert text.startswith(b'{"a":[{"a":[{"a":[')


@pytest.mark.parametrize("character", [chr(0x7F), *map(chr, range(0x80, 0xA0))])
def test_controls_are_escaped(character):
    value = {f"k{character}": f"\\{character}x"}
    for text in (json_bytes(value), json_bytes(value, pretty=True), json_bytes(deep(value))):
        assert text.isascii()
        assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in text)
        assert f"\\u{ord(character):04x}".encode() in text
    assert orjson.loads(json_bytes(value)) == value


def test_other_characters_are_written_as_they_are():
    text = "\xa0\xbf\xc2\xe9\u0100\u2028\U0001f600"
    assert json_bytes(text) == f'"{text}"'.encode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_text_means_the_same(text):
    assert orjson.loads(json_bytes(text)) == text


def test_what_json_cannot_express():
    for value in (object(), deep(object())):
        with pytest.raises(TypeError):
            json_bytes(value)


IRON = ObjectReference("", "/Game/Iron.Iron_C")
BUILT = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=[]), max_size=8)
    | st.binary(max_size=8)
    | st.sampled_from([IRON, InventoryItem(IRON, None), Guid(bytes(range(16))), DateTime(5), Opaque(b"a", "why")])
    | st.builds(Vector, st.floats(), st.floats(), st.floats()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(st.characters(exclude_categories=[]), max_size=4), inner, max_size=4)
        | st.builds(
            Text, st.integers(0, 9), st.text(max_size=4), st.text(max_size=4), st.dictionaries(st.text(max_size=2), inner)
        )
    ),
)


@pytest.mark.slow
@given(BUILT)
def test_values_are_written_without_a_copy_as_with_one(value):
    """NaN beside None, lone surrogates in values and keys, ints of more than 64 bits: they need the copy."""
    assert value_bytes(value) == json_bytes(to_jsonable(value))


@pytest.mark.parametrize(
    "value",
    [
        deep(math.nan),
        deep(IRON),
        [None, {"a": (Vector(0.0, math.inf, 0.0),)}],
        {"\udc80": None},
        (None, 1.0, math.nan),
        {"a": None, "b": [Guid(bytes(16)), IRON, 0.5, -math.inf]},
    ],
)
def test_odd_values_are_written_as_with_a_copy(value):
    assert value_bytes(value) == json_bytes(to_jsonable(value))


def test_what_no_value_is_is_refused():
    for value in (object(), [None, {1: 2}], deep({1, 2})):
        with pytest.raises(TypeError, match="JSON"):
            value_bytes(value)
