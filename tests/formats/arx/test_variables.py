"""Variables of scripts."""

from __future__ import annotations

import struct

import pytest
from arx_worlds import built, one
from cursors import cursor_over
from saves import read
from tiling import assert_tiled
from writer.arx_entries import VERSION
from writer.arx_structs import encode_struct

from streamsave import DamagedSave, TruncatedSave
from streamsave.formats.arx.variables import VARIABLE_SIZE, peek_name

VARIABLES = [
    # type, fval, text, value
    (1, 3.0, b"abc", "abc"),
    (1, 3.9, b"abc", "abc"),
    (2, 4.0, b"ab\xf6\0", "ab\xf6"),
    (2, 3.0, b"\0\0\0", "\0\0"),
    (1, 0.0, b"", ""),
    (1, 0.99, b"", ""),
    (1, -0.5, b"", ""),
    (4, -12.0, b"", -12),
    (8, 2.5, b"", 2),
    (8, float("inf"), b"", float("inf")),
    (8, 2.0**100, b"", 2.0**100),
    (16, 2.5, b"", 2.5),
    (99, 2.5, b"", 2.5),
]


@pytest.mark.parametrize(("kind", "fval", "text", "value"), VARIABLES)
def test_variables(kind, fval, text, value):
    row = struct.pack("<if64s", kind, fval, b"$name\0rest")
    data = encode_struct("SAVE_GLOBALS", {"version": VERSION, "nb_globals": 2}) + 2 * (row + text)
    assert_tiled(read(one(b"globals", data)), len(data))
    assert built(one(b"globals", data))["globals"]["variables"] == 2 * [{"name": "$name", "type": kind, "value": value}]


def sized(fval: float) -> bytes:
    """`globals` with one text that has four bytes."""
    row = struct.pack("<if64s", 1, fval, b"$name")
    return encode_struct("SAVE_GLOBALS", {"version": VERSION, "nb_globals": 1}) + row + b"abcd"


@pytest.mark.parametrize("fval", [4.0, 4.99, -0.99])
def test_sizes_that_fit(fval):
    assert_tiled(read(one(b"globals", sized(fval))), 1032 + VARIABLE_SIZE + 4)


@pytest.mark.parametrize("fval", [5.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e38])
def test_sizes_that_do_not_fit(fval):
    with pytest.raises(DamagedSave, match="size of a text does not fit") as caught:
        read(one(b"globals", sized(fval)))
    assert (caught.value.offset, caught.value.expected) == (1032 + 4, "0 to 4")


def test_peek_name_leaves_the_cursor():
    cursor = cursor_over(struct.pack("<if64s", 4, 1.0, b"#level\0rest"))
    assert (peek_name(cursor), cursor.tell()) == ("#level", 0)
    with pytest.raises((DamagedSave, TruncatedSave)):
        peek_name(cursor_over(bytes(7)))
