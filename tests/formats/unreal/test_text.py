"""Localised text: every history by hand, in every version's layout, and what is refused."""

import struct

import pytest
from cursors import cursor_over
from writer.primitives import fstring, i32, i64

from streamsave import DamagedSave, LimitExceeded, Limits, UnsupportedSave
from streamsave.decode.encoder import Encoder
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.text import HISTORIES, TextCodec
from streamsave.values import DateTime, Text


def context() -> UnrealReader:
    """What decoding needs from outside: here a budget."""
    return UnrealReader(cursor_over(b""), Dialect())


def text(kind: int, *parts: bytes, flags: int = 8) -> bytes:
    return struct.pack("<Ib", flags, kind) + b"".join(parts)


BASE = text(0, fstring("ns"), fstring("key"), fstring("{Count} plates"))
BASE_READ = Text(8, "base", "{Count} plates", {"namespace": "ns", "key": "key", "source": "{Count} plates"})
ONE = i32(1)
OPTIONS = i32(1) + i32(0) + b"\xff" + struct.pack("<4i", 1, 324, 0, 3)
OPTIONS_READ = {"always_sign": True, "grouping": False, "rounding": -1, "integral_digits": (1, 324), "fractional_digits": (0, 3)}


def arguments(*values: bytes) -> bytes:
    return i32(len(values)) + b"".join(values)


def read(history: str, source: str = "", /, **fields: object) -> Text:
    return Text(8, history, source, fields)


PLATES = "{Count} plates"
ROWS: list[tuple[bytes, Text]] = [
    (text(-1, i32(0)), read("none")),
    (text(-1, ONE, fstring("w")), read("none", "w", culture_invariant="w")),
    (BASE, BASE_READ),
    (
        text(1, BASE, arguments(fstring("a") + b"\0" + i64(-3), fstring("b") + b"\1" + b"\xff" * 8)),
        read("named_format", PLATES, format=BASE_READ, arguments=[("a", -3), ("b", (1 << 64) - 1)]),
    ),
    (
        text(
            1,
            BASE,
            arguments(
                fstring("c") + b"\2" + struct.pack("<f", 0.5),
                fstring("d") + b"\3" + struct.pack("<d", 0.1),
                fstring("e") + b"\4" + BASE,
                fstring("f") + b"\5" + i32(1),
            ),
        ),
        read("named_format", PLATES, format=BASE_READ, arguments=[("c", 0.5), ("d", 0.1), ("e", BASE_READ), ("f", 1)]),
    ),
    (
        text(2, BASE, arguments(b"\0" + i64(1 << 40), b"\4" + BASE)),
        read("ordered_format", PLATES, format=BASE_READ, arguments=[1 << 40, BASE_READ]),
    ),
    (
        text(4, b"\3" + struct.pack("<d", 2.5), ONE, OPTIONS, fstring("de")),
        read("number", "2.5", value=2.5, options=OPTIONS_READ, culture="de"),
    ),
    (
        text(5, b"\2" + struct.pack("<f", 0.5), i32(0), fstring("")),
        read("percent", "0.5", value=0.5, options=None, culture=""),
    ),
    (
        text(6, fstring("EUR"), b"\0" + i64(5), i32(0), fstring("de")),
        read("currency", "5", code="EUR", value=5, options=None, culture="de"),
    ),
    (
        text(7, i64(0), b"\1", fstring("UTC"), fstring("de")),
        read("date", "0001-01-01 00:00:00", moment=DateTime(0), style=1, time_zone="UTC", culture="de"),
    ),
    (
        text(8, i64(-1), b"\xff", fstring(""), fstring("")),
        read("time", "-1 ticks", moment=DateTime(-1), style=-1, time_zone="", culture=""),
    ),
    (
        text(9, i64(0), b"\1\2", fstring("UTC"), fstring("de")),
        read("date_time", "0001-01-01 00:00:00", moment=DateTime(0), style=1, time_style=2, time_zone="UTC", culture="de"),
    ),
    (text(10, BASE, b"\1"), read("transform", PLATES, text=BASE_READ, transform=1)),
    (text(11, fstring("T"), fstring("K")), read("string_table", "K", table="T", key="K")),
    (text(12, fstring("Namer"), i32(3) + b"abc"), read("generator", generator="Namer", contents=b"abc")),
    (text(12, fstring("None")), read("generator", generator="None", contents=None)),
    (text(13, fstring("words")), read("raw", "words", text="words")),
]

rows = pytest.mark.parametrize(("data", "value"), ROWS, ids=[value.history for _, value in ROWS])


def decoded(codec: TextCodec, data: bytes) -> object:
    """The text, which takes all bytes."""
    cursor = cursor_over(data)
    value = codec.decode(cursor, context())
    assert cursor.remaining() == 0
    return value


@rows
def test_histories(data, value):
    assert decoded(TextCodec(), data) == value


@pytest.mark.parametrize(
    "data",
    [
        text(1, BASE, arguments(fstring("a") + b"\4" + BASE, fstring("b") + b"\4" + text(-1, i32(0)))),
        text(2, BASE, arguments(b"\4" + BASE)),
        text(3, BASE, arguments(fstring("0") + b"\4" + BASE)),
    ],
)
def test_arguments_that_are_texts_are_encoded(data):
    encoder = Encoder()
    TextCodec().encode(decoded(TextCodec(), data), encoder)
    assert bytes(encoder.data) == data


def test_all_histories_have_a_row():
    """The third is read by version: `gvas/test_versions.py` has it."""
    assert {value.history for _, value in ROWS} == {name for name, _ in HISTORIES.values()} - {"argument_format"}


everything = pytest.mark.parametrize("data", [data for data, _ in ROWS], ids=[value.history for _, value in ROWS])


@everything
def test_measure_is_decode(data):
    cursor = cursor_over(data + b"\xbb")
    TextCodec().measure(cursor, context())
    assert cursor.u8() == 0xBB


@everything
def test_cut_texts(data):
    for size in range(len(data)):
        with pytest.raises(DamagedSave):
            TextCodec().decode(cursor_over(data, limit=size), context())


@pytest.mark.parametrize("kind", [-2, 14, 127, -128])
def test_unknown_histories(kind):
    with pytest.raises(UnsupportedSave, match="unknown text history"):
        TextCodec().decode(cursor_over(text(kind) + bytes(50)), context())


@pytest.mark.parametrize("kind", [6, 255])
def test_unknown_arguments(kind):
    data = text(2, BASE, arguments(bytes([kind]) + bytes(50)))
    with pytest.raises(UnsupportedSave, match="unknown type of a text argument"):
        TextCodec().decode(cursor_over(data), context())


def test_counts_of_arguments_that_lie():
    for count in (-1, 1 << 30):
        with pytest.raises(DamagedSave, match="does not fit"):
            TextCodec().decode(cursor_over(text(1, BASE, i32(count))), context())


def test_depth_is_limited():
    data = text(-1, i32(0))
    for _ in range(5000):
        data = struct.pack("<Ib", 0, 10) + data + b"\1"
    with pytest.raises(LimitExceeded) as caught:
        TextCodec().decode(cursor_over(data, 100_000), context())
    assert caught.value.limit == "depth"
    nested = text(-1, i32(0))
    for _ in range(20):
        nested = text(1, nested, arguments(fstring("") + b"\4" + nested)) if len(nested) < 1000 else text(10, nested, b"\0")
    assert TextCodec().decode(cursor_over(nested, 100_000), context())
    with pytest.raises(LimitExceeded):
        TextCodec().decode(cursor_over(nested, 100_000, Limits(depth=19)), context())
