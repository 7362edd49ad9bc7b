"""Leaves of JSON: what is before a value stays, the value is another of the same kind."""

from __future__ import annotations

import pytest

from streamsave.errors import EditError
from streamsave.formats.shapez2.json_leaf import json_prefix_size, with_base64, with_json_value

LEAVES = [
    (b"7", 7, 8, b"8"),
    (b",\n  7", 7, -1, b",\n  -1"),
    (b'"a":7', 7, 8, b'"a":8'),
    (b', "a\\": " : "x"', "x", 'y"\n', b', "a\\": " : "y\\"\\n"'),
    (b',"x"', "x", "\u00c4", b',"\xc3\x84"'),
    (b'\xef\xbb\xbf"x"', "x", "", b'\xef\xbb\xbf""'),
    (b'"a":1.5', 1.5, 2, b'"a":2.0'),
    (b'"a":true', True, False, b'"a":false'),
    (b'"a":null', None, "x", b'"a":"x"'),
    (b'"a":"x"', "x", None, b'"a":null'),
]


@pytest.mark.parametrize(("raw", "old", "new", "expected"), LEAVES)
def test_another_value(raw, old, new, expected):
    assert with_json_value(raw, old, new) == expected
    assert expected.startswith(raw[: json_prefix_size(raw)])


@pytest.mark.parametrize(
    ("old", "new"),
    [(7, True), (7, 7.5), (7, "7"), (1.5, "x"), (1.5, float("nan")), (True, 1), ("x", 1), (None, []), ("x", "\ud800")],
)
def test_what_does_not_fit(old, new):
    with pytest.raises(EditError):
        with_json_value(b"0", old, new)


def test_base64_in_an_object():
    assert with_base64(b',"C":"AA=="', "AQ==") == b',"C":"AQ=="'
    assert with_base64(b'"C" : {"$type": "x", "$value": "AA=="}', "AQ==") == b'"C" : {"$type":"x","$value":"AQ=="}'
