"""Values as text."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.cli.text import clean, show, size_text, time_text
from streamsave.values import DateTime, DynamicStruct, Guid, InventoryItem, ObjectReference, Opaque, SoftObjectPath, Text, Vector

IRON = ObjectReference("", "/Game/Iron.Iron_C")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-5, "-5"),
        (0.5, "0.5"),
        (0.10000000149011612, "0.1"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (16777216.0, "16777216.0"),
        (3.4028234663852886e38, "3.4028234663852886e+38"),
        (1e300, "1e+300"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ("plain", "plain"),
        ("", ""),
        ("tab\tend", "tab\\tend"),
        (b"\1\2", "0102 (2 bytes)"),
        (b"\1", "01 (1 byte)"),
        (bytes(40), "00" * 32 + "… (40 bytes)"),
        ([1, "a", [True]], '[1, "a", [true]]'),
        ([], "[]"),
        ([(1, 2.0)], "[[1, 2.0]]"),
        ({"a": 1, "b": None}, "{a: 1, b: null}"),
        (IRON, "/Game/Iron.Iron_C"),
        (ObjectReference("", ""), "(none)"),
        (SoftObjectPath("/Game/Map", "Map", ""), "/Game/Map:Map"),
        (SoftObjectPath("", "", ""), "(none)"),
        (Vector(1.0, 2.0, 3.0), "Vector(x=1.0, y=2.0, z=3.0)"),
        (Guid(bytes(16)), "00000000-00000000-00000000-00000000"),
        (DateTime(0), "0001-01-01 00:00:00"),
        (DateTime(-1), "-1 ticks"),
        (Text(0, "base", "Hi", {}), '"Hi"'),
        (Opaque(b"\1", "unknown"), "01 (1 byte) (unknown)"),
        (InventoryItem(IRON, DynamicStruct(IRON, {"m": 1})), "InventoryItem(item=/Game/Iron.Iron_C, state=Iron_C {m: 1})"),
    ],
)
def test_show(value, text):
    assert show(value) == text


def test_long_values_are_cut():
    assert show("x" * 300, 10) == "x" * 10 + "…"
    assert show(list(range(1000)), 12) == "[0, 1, 2, 3," + "…"
    assert show("x" * 10, 10) == "x" * 10


def test_only_the_start_of_a_long_value_is_written():
    """Writing all of it would never end."""
    ring: list[object] = []
    ring += [1, ring]
    assert show(ring, 6) == "[1, [1…"


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.builds(Opaque, st.binary(), st.text()),
        lambda values: st.lists(values) | st.dictionaries(st.text(), values) | st.builds(DynamicStruct, st.just(IRON), values),
        max_leaves=12,
    ).filter(lambda value: not isinstance(value, str)),
    st.integers(0, 60),
)
def test_a_cut_value_is_the_start_of_the_whole(value, limit):
    whole = show(value, 1 << 30)
    assert show(value, limit) == (whole if len(whole) <= limit else whole[:limit] + "…")


@given(st.text(st.characters(exclude_categories=[])))
def test_clean_text_is_printable_and_one_line(text):
    assert clean(text).isprintable()
    assert len(show(text, 50)) <= 51


def test_clean_keeps_what_is_printable():
    assert clean("Eisen 鉄 🏭") == "Eisen 鉄 🏭"
    assert clean("鉄\x1b[31m\n\udc80") == "鉄\\x1b[31m\\n\\udc80"


LARGEST = 3.4028234663852886e38


def in_single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0] if abs(value) <= LARGEST else math.inf


def fewest_digits(value):
    """The text of a number of single precision: digits are added until it reads back as the same number."""
    texts = (repr(float(f"{value:.{digits}g}")) for digits in range(6, 10))
    return next((text for text in texts if in_single(float(text)) == value), repr(value))


POWERS = [2.0**exponent for exponent in range(-149, 128)]


def test_digits_are_as_few_as_can_be():
    """Where the distance of numbers changes, at powers of two, more digits may be farther from the number than fewer."""
    near = [in_single(power * factor) for power in POWERS for factor in (1.0, 1 - 2.0**-24, 1 - 2.0**-23, 1 + 2.0**-23)]
    for value in (0.1, 123456.78, 0.3, 1e6, 1234567.0, 16777216.0, 1e-7, LARGEST, *near):
        for single in (in_single(value), -in_single(value)):
            if -1e6 < single < 1e6 and single.is_integer():
                assert show(single) == repr(single)
            else:
                assert show(single) == fewest_digits(single)


@pytest.mark.parametrize("value", [0.0, -0.0, 1 / 3, 1e300, -1e300, math.inf, -math.inf, math.nan, 2.0**127 * 1.9999999999])
def test_other_floats_are_as_python_writes_them(value):
    for _ in range(2):  # the second one is kept
        assert show(value) == repr(value)


@given(st.floats(-(2.0**126), 2.0**126, width=32))
def test_single_floats_are_as_short_as_can_be(value):
    text = show(value)
    assert struct.unpack("<f", struct.pack("<f", float(text)))[0] == value
    assert len(text.split("e")[0].replace("-", "").replace(".", "").strip("0")) <= 9


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00:00"), (59, "0:00:59"), (3600, "1:00:00"), (360_061, "100:01:01"), (-61, "-0:01:01")]
)
def test_time(seconds, text):
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1 << 20, "1.0 MiB"), (3 << 29, "1.5 GiB"), (5 << 40, "5120.0 GiB")],
)
def test_size(size, text):
    assert size_text(size) == text
