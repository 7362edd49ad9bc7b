"""Values -> bytes, each at the ends of its range and beyond them."""

from __future__ import annotations

import pytest
from cursors import Uncounted, cursor_over

from streamsave.decode.codecs import (
    BOOL8,
    BOOL32,
    BYTES,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    NAME,
    STRING,
    U8,
    U16,
    U32,
    U64,
    UTF8_STRING,
    Array,
    Codec,
    Map,
    Optional,
    Repeat,
    Struct,
)
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.values import Vector


def encoded(codec: Codec, value: object) -> bytes:
    encoder = Encoder()
    codec.encode(value, encoder)
    return bytes(encoder.data)


INTEGERS = [(I8, 8, True), (U8, 8, False), (I16, 16, True), (U16, 16, False), (I32, 32, True), (U32, 32, False)]
INTEGERS += [(I64, 64, True), (U64, 64, False)]


@pytest.mark.parametrize(("codec", "bits", "signed"), INTEGERS)
def test_integers_up_to_their_range(codec, bits, signed):
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1 if signed else bits)) - 1
    for value in (low, high):
        raw = encoded(codec, value)
        assert raw == value.to_bytes(bits // 8, "little", signed=signed)
        assert codec.decode(cursor_over(raw), Uncounted()) == value
    for value in (low - 1, high + 1):
        with pytest.raises(EditError, match="out of range") as raised:
            encoded(codec, value)
        assert raised.value.expected == f"{low} to {high}"


VALUES = [
    (F32, 0.5, "0000003f"),
    (F32, 1, "0000803f"),
    (F64, -2.0, "00000000000000c0"),
    (BOOL8, True, "01"),
    (BOOL32, False, "00000000"),
    (STRING, "", "00000000"),
    (STRING, "ab", "03000000616200"),
    (STRING, "ä", "feffffffe4000000"),
    (STRING, "\U0001f600", "fdffffff3dd800de0000"),
    (NAME, "None", "050000004e6f6e6500"),
    (UTF8_STRING, "ä", "02000000c3a4"),
    (BYTES, b"\1\2", "020000000102"),
    (Array(U8), [1, 2], "020000000102"),
    (Map(U8, I16), [(1, -1)], "0100000001ffff"),
    (Optional(U8), None, "00000000"),
    (Repeat(U8, 2), [7, 8], "0708"),
    (Optional(U8), 7, "0100000007"),
    (Struct("Pair", None, first=U8, second=U16), {"second": 2, "first": 1}, "010200"),
    (Struct("Vector", Vector, x=F32, y=F32, z=F32), Vector(0.0, 1.0, 2.0), "000000000000803f00000040"),
]


@pytest.mark.parametrize(("codec", "value", "raw"), VALUES)
def test_values_are_decoded_as_they_were(codec, value, raw):
    assert encoded(codec, value).hex() == raw
    assert codec.decode(cursor_over(bytes.fromhex(raw)), Uncounted()) == value


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert encoded(F32, numpy.float32(2.5)) == encoded(F32, 2.5)
    assert encoded(I32, numpy.int64(-3)) == encoded(I32, -3)


WRONG = [
    (I32, 1.0, "not an integer: 1.0"),
    (F32, "1", "not a number: '1'"),
    (F64, True, "not a number: True"),
    (F32, 1e39, "out of range (expected a float of 4 bytes, found 1e+39)"),
    (BOOL8, 1, "not a bool: 1"),
    (STRING, b"a", "not text: b'a'"),
    (BYTES, "a", "not bytes: 'a'"),
    (Array(U8), (1,), "not a list: (1,)"),
    (Array(U8), [1, 256], "[1]: out of range (expected 0 to 255, found 256)"),
    (Map(U8, U8), [(1, 1), (2,)], "[1]: not a pair of key and value: (2,)"),
    (Struct("Pair", None, first=U8), {"second": 1}, "not a Pair (expected a dict of first, found {'second': 1})"),
    (Struct("Outer", None, inner=Array(Struct("Pair", None, first=U8))), {"inner": [{"first": -1}]}, "inner[0]/first: out of"),
    (Struct("Vector", Vector, x=F32, y=F32, z=F32), 1.0, "not a Vector (expected a Vector, found 1.0)"),
    (Codec("Thing", -1, 0), 1, "no Thing can be made from a value: replace its bytes"),
]


@pytest.mark.parametrize(("codec", "value", "message"), WRONG)
def test_values_that_do_not_fit(codec, value, message):
    with pytest.raises(EditError) as raised:
        encoded(codec, value)
    assert str(raised.value).startswith(message)
