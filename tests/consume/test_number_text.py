"""Numbers as JSON has them, and with the fewest digits of their precision."""

from __future__ import annotations

import struct

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.consume.number_text import number_text, shortest_text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_as_json_has_it(number):
    assert number_text(number) == orjson.dumps(number).decode()


@pytest.mark.parametrize(("number", "text"), [(float("nan"), "NaN"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity")])
def test_what_json_has_no_number_for(number, text):
    assert number_text(number) == text


def single(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


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
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
    ],
)
def test_fewest_digits(number, text):
    assert shortest_text(number) == text
