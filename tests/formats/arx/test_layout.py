"""Layouts as tables, and variables of scripts."""

import struct

import pytest
from arx_worlds import built, one, plain
from saves import raises, read
from tiling import assert_tiled
from writer.arx_entries import VERSION
from writer.arx_structs import STRUCTS, encode_struct, whole_struct

from streamsave import DamagedSave
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.formats.arx.entity import KINDS
from streamsave.formats.arx.layout import STRUCTS as TABLES
from streamsave.formats.arx.layout import Layout, Padding, find_type, struct_of
from streamsave.input.source import open_source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

LAYOUTS = {name: struct_of(name) for name in TABLES}


def decode(codec, data):
    cursor = Cursor(FileWindows(open_source(data)), Limits())
    return codec.decode(cursor, Reader(cursor))


def test_the_writer_knows_all_structs():
    assert set(LAYOUTS) == set(STRUCTS) - {"SavedVec3"}
    assert {struct for _, struct in KINDS.values()} < set(LAYOUTS)
    assert struct_of("PLAYER").size == 144_584


@pytest.mark.parametrize("name", LAYOUTS)
def test_any_bytes_are_what_the_writer_says_of_them(name):
    """Our table and that of the writer must cut the same bytes into the same fields."""
    zeros = bytes(LAYOUTS[name].size)
    assert len(zeros) == len(encode_struct(name, {}))
    assert plain(decode(LAYOUTS[name], zeros)) == whole_struct(name, {})
    ones = decode(LAYOUTS[name], b"\1" * LAYOUTS[name].size)
    padding = {field for field, member in members_of(LAYOUTS[name]) if isinstance(member, Padding)}
    assert set(ones) - padding == set(whole_struct(name, {}))
    fields = {field: value for field, value in plain(ones).items() if field not in padding}
    assert encode_struct(name, without_padding(fields)) == with_zero_padding(LAYOUTS[name])


def members_of(struct):
    return zip(struct.names, struct.members, strict=True)


def without_padding(value):
    if isinstance(value, dict):
        return {name: without_padding(item) for name, item in value.items() if not name.startswith(("padd", "spadd", "useanim"))}
    return [without_padding(item) for item in value] if isinstance(value, list) else value


def with_zero_padding(codec):
    """All ones, but for padding at any depth."""
    if isinstance(codec, Layout):
        return b"".join(map(with_zero_padding, codec.members))
    if isinstance(codec, Padding):
        return bytes(codec.size)
    count = getattr(codec, "count", None)
    return b"\1" * codec.size if count is None else with_zero_padding(codec.element) * count


TEXTS = [
    # type, bytes, text
    ("char[4]", b"ab\0\0", "ab"),
    ("char[4]", b"abcd", "abcd"),
    ("char[4]", b"\0bcd", ""),
    ("char[4]", b"a\xf6\0\xff", "a\xf6"),
    ("utf8[4]", b"a\xc3\xb6\0", "a\xf6"),
    ("utf8[4]", b"a\xf6\0\xff", "a\xf6"),
    ("u8[4]", b"\1\2\0\4", b"\1\2\0\4"),
    ("char[2][4]", b"ab\0\0cd\0\0", ["ab", "cd"]),
    ("i16[2]", b"\1\0\xff\xff", [1, -1]),
    ("i32[1][2]", b"\1\0\0\0\2\0\0\0", [[1, 2]]),
    ("u64", b"\xff" * 8, (1 << 64) - 1),
]


@pytest.mark.parametrize(("kind", "data", "value"), TEXTS)
def test_types(kind, data, value):
    codec = find_type(kind)
    assert (codec.name, codec.size) == (kind, len(data))
    assert find_type(kind) is codec
    assert decode(codec, data) == value


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("char[4]", "abcde", "does not fit"),
        ("char[4]", "a\0b", "does not fit"),
        ("char[4]", "\u20ac", "cannot have"),
        ("u8[4]", b"abc", "wrong number of bytes"),
        ("i16[2]", [1], "wrong number of elements"),
        ("i16[2]", [1, 1 << 15], "out of range"),
    ],
)
def test_values_that_cannot_be_encoded(kind, value, message):
    with pytest.raises(EditError, match=message):
        find_type(kind).encode(value, Encoder())


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


@pytest.mark.parametrize("fval", [5.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e38])
def test_sizes_that_do_not_fit(fval):
    with raises(DamagedSave, match="size of a text does not fit", offset=1032 + 4, expected="0 to 4"):
        read(one(b"globals", sized(fval)))
