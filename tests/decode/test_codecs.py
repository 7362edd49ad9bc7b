"""Layouts as data: passing over a value ends where decoding it ends, whatever the bytes.

The file is long because each codec has its own cases.
"""

import struct
from typing import Any

import pytest
from cursors import Uncounted, cursor_over
from hypothesis import given, settings
from hypothesis import strategies as st
from saves import raises
from writer.primitives import fstring, i32

from streamsave import DamagedSave, LimitExceeded, Limits, SaveError
from streamsave.decode.codecs import (
    BOOL8,
    BOOL32,
    BYTES,
    F16,
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
    BuildContext,
    Codec,
    Map,
    Optional,
    Repeat,
    Struct,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.known_bytes import COMPILED
from streamsave.errors import EditError
from streamsave.formats.satisfactory.level_layout import DESTROYED_BY_LEVEL, REFERENCES
from streamsave.formats.satisfactory.object_entry import OPTIONAL_VERSION_DATA, VERSION_DATA
from streamsave.formats.satisfactory.structs import DYNAMIC, make_dialect
from streamsave.formats.satisfactory.trailers import lightweight_trailer, trailer_table
from streamsave.formats.unreal.codecs import DATE_TIME, GUID, REFERENCE, SOFT_OBJECT_PATH, SOFT_OBJECT_PATH_UE4, PropertyList
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.text import TextCodec
from streamsave.values import LinearColor, ObjectReference, Quat, Vector

BUILD = 500_000

PLAIN: list[Codec] = [
    *(I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64, BOOL8, BOOL32, GUID, DATE_TIME),
    STRING,
    NAME,
    BYTES,
    UTF8_STRING,
    Array(I32),
    Array(STRING),
    Array(Array(U8)),
    Map(I32, STRING),
    Map(STRING, Array(U16)),
    Optional(STRING),
    Optional(Optional(U8)),
    Repeat(U16, 3),
    Repeat(STRING, 2),
    Repeat(U8, 0),
    Struct("Empty", None),
    Struct("Fixed", None, a=U8, b=F64, c=GUID),
    Struct("Loose", None, a=U8, b=STRING, c=STRING, d=I32, e=Array(U8), f=U8, g=U8, h=STRING),
    Struct("Nested", None, a=Struct("Inner", None, a=STRING, b=U8), b=Array(Struct("Pair", None, a=U8, b=STRING))),
]


def unreal_codecs() -> list[Codec]:
    """All layouts of the game, of four of its versions."""
    codecs: list[Codec] = [
        REFERENCE,
        REFERENCES,
        DESTROYED_BY_LEVEL,
        SOFT_OBJECT_PATH,
        SOFT_OBJECT_PATH_UE4,
        VERSION_DATA,
        OPTIONAL_VERSION_DATA,
        DYNAMIC,
        PropertyList(),
        TextCodec(),
        TextCodec(invariant_flag=False),
        lightweight_trailer(46, 1),
        lightweight_trailer(52, 2),
        lightweight_trailer(58, 4),
    ]
    for version in (36, 46, 57, 58):
        codecs += make_dialect(version, 1017 if version > 52 else 1009, BUILD).structs.values()
        codecs += [codec for _, codec in trailer_table(version)]
    return codecs


ALL = PLAIN + unreal_codecs()


def walker(data: bytes, window: int = 1000, limits: Limits | None = None, version: int = 58) -> UnrealReader:
    """What decoding needs, over bytes."""
    dialect = make_dialect(version, 1009, BUILD)
    limits = Limits() if limits is None else limits
    return UnrealReader(cursor_over(data, window, limits), dialect)


def decoded(codec: Codec, data: bytes, window: int = 1000, limits: Limits | None = None) -> tuple[object, int]:
    """The value, and where it ends."""
    context = walker(data, window, limits)
    return codec.decode(context.cursor, context), int(context.cursor.tell())


def measured(codec: Codec, data: bytes, window: int = 1000) -> int:
    """Where the value ends for who passes over it."""
    context = walker(data, window)
    codec.measure(context.cursor, context)
    return int(context.cursor.tell())


# --- values ---


@pytest.mark.parametrize(
    ("codec", "data", "value"),
    [
        (STRING, fstring("Größe"), "Größe"),
        (F16, bytes.fromhex("00b8"), -0.5),
        (F32, struct.pack("<f", 0.5), 0.5),
        (F32, struct.pack("<f", 1), 1),
        (F64, struct.pack("<d", -2), -2.0),
        (BOOL8, b"\1", True),
        (BOOL32, bytes(4), False),
        (STRING, bytes(4), ""),
        (STRING, b"\3\0\0\0ab\0", "ab"),
        (STRING, b"\xfe\xff\xff\xff\xe4\0\0\0", "ä"),
        (STRING, b"\xfd\xff\xff\xff\x3d\xd8\0\xde\0\0", "\U0001f600"),
        (NAME, fstring("N"), "N"),
        (UTF8_STRING, i32(5) + b"\xc3\xa4\xffb\0", "ä\udcffb\0"),
        (BYTES, i32(3) + b"\0\1\2", b"\0\1\2"),
        (Array(I16), i32(2) + b"\1\0\2\0", [1, 2]),
        (Array(STRING), i32(2) + fstring("a") + fstring(""), ["a", ""]),
        (Map(U8, I16), i32(1) + b"\1\xff\xff", [(1, -1)]),
        (Map(U8, STRING), i32(2) + b"\7" + fstring("a") + b"\7" + fstring("b"), [(7, "a"), (7, "b")]),
        (Optional(U8), i32(1) + b"\7", 7),
        (Repeat(I16, 2), b"\1\0\2\0", [1, 2]),
        (Repeat(STRING, 2), fstring("a") + fstring(""), ["a", ""]),
        (Repeat(U8, 0), b"", []),
        (Optional(U8), i32(0), None),
        (Struct("S", None, a=U8, b=STRING), b"\7" + fstring("x"), {"b": "x", "a": 7}),
        (Struct("Pair", None, first=U8, second=U16), b"\1\2\0", {"second": 2, "first": 1}),
        (Struct("V", Vector, x=F32, y=F32, z=F32), struct.pack("<3f", 1, 2, 3), Vector(1.0, 2.0, 3.0)),
        (Struct("V", Vector, x=F64, y=F64, z=F64), struct.pack("<3d", 1, 2, 3), Vector(1.0, 2.0, 3.0)),
        (Struct("V", Vector, x=F64, y=F32, z=F32), struct.pack("<dff", 1, 2, 3), Vector(1.0, 2.0, 3.0)),
        (Struct("Q", Quat, x=F32, y=F32, z=F32, w=F32), struct.pack("<4f", 1, 2, 3, 4), Quat(1.0, 2.0, 3.0, 4.0)),
        (Struct("Q", Quat, x=F64, y=F64, z=F64, w=F64), struct.pack("<4d", 1, 2, 3, 4), Quat(1.0, 2.0, 3.0, 4.0)),
        (Struct("C", LinearColor, r=F32, g=F32, b=F32, a=F32), struct.pack("<4f", 1, 2, 3, 4), LinearColor(1.0, 2.0, 3.0, 4.0)),
        (Struct("C", LinearColor, r=F64, g=F64, b=F64, a=F64), struct.pack("<4d", 1, 2, 3, 4), LinearColor(1.0, 2.0, 3.0, 4.0)),
        (Struct("Empty", None), b"", {}),
    ],
)
def test_values(codec, data, value):
    for window in (1, 3, 1000):
        assert decoded(codec, data, window) == (value, len(data))
        assert measured(codec, data, window) == len(data)
    assert encoded(codec, value) == data


def test_sizes_of_structs():
    assert (Struct("S", None, a=U8, b=I32).size, Struct("S", None, a=U8, b=I32).least) == (5, 5)
    assert (Struct("S", None, a=U8, b=STRING).size, Struct("S", None, a=U8, b=STRING).least) == (-1, 5)
    assert [(each.name, each.size, each.least) for each in (Repeat(I16, 3), Repeat(STRING, 3, "texts"))] == [
        ("i16[]", 6, 6),
        ("texts", -1, 12),
    ]
    assert (Array(GUID).size, Array(GUID).least, Map(U8, U8).least, Optional(GUID).least) == (-1, 4, 4, 4)


@pytest.mark.parametrize("member", ["name", "make", "self_", "size", "least", "cls", "members"])
def test_members_of_any_name(member):
    """Compiled, one with the name of a positional parameter was lost."""
    struct_of = Struct("S", None, before=U8, **{member: U8}, after=U8)
    assert decoded(struct_of, b"\1\2\3") == ({"before": 1, member: 2, "after": 3}, 3)


def test_what_is_inside_shows_outside():
    """Too big for a leaf, or perhaps with a property list inside: whatever holds such a thing is so, too."""
    big, listed = Array(U8, streams=True), DYNAMIC
    for make in (Array, Optional, lambda one: Struct("S", None, a=U8, b=one)):
        assert make(big).streams
        assert make(listed).may_have_list
        assert not make(U8).streams
        assert not make(U8).may_have_list


# --- counts ---


@pytest.mark.parametrize("codec", [Array(I32), Array(STRING), Map(I32, I32), BYTES, UTF8_STRING, REFERENCES])
@pytest.mark.parametrize("count", [-1, -(1 << 31), (1 << 31) - 1, 9])
def test_counts_that_lie(codec, count):
    data = i32(count) + bytes(8)
    with pytest.raises(DamagedSave, match="does not fit"):
        decoded(codec, data)
    with pytest.raises(DamagedSave, match="does not fit"):
        measured(codec, data)


PAIR = Struct("Pair", None, a=U8, b=U8)


@pytest.mark.parametrize(
    ("codec", "data", "nodes", "size"),
    [
        (Array(U8), i32(5) + bytes(5), 5, 0),
        (Array(Array(U8)), i32(2) + (i32(3) + bytes(3)) * 2, 8, 0),
        (Map(U8, U8), i32(3) + bytes(6), 6, 0),
        (Map(U8, Array(U8)), i32(1) + b"\1" + i32(4) + bytes(4), 6, 0),
        (PAIR, bytes(2), 2, 0),
        (Struct("V", Vector, x=F32, y=F32, z=F32), bytes(12), 3, 0),
        (Optional(PAIR), i32(1) + bytes(2), 2, 0),
        (STRING, fstring("abcd"), 0, 4),
        (BYTES, i32(7) + bytes(7), 0, 7),
        (Array(BYTES), i32(2) + (i32(3) + bytes(3)) * 2, 2, 6),
        (Map(STRING, BYTES), i32(1) + fstring("abcd") + i32(3) + bytes(3), 2, 7),
    ],
)
def test_what_is_built_is_spent(codec, data, nodes, size):
    """Each budget at its value, and one below what is needed."""
    decoded(codec, data, limits=Limits(build_nodes=nodes, build_size=size))
    for name, needed in (("build_nodes", nodes), ("build_size", size)):
        if needed:
            with raises(LimitExceeded, limit=name):
                decoded(codec, data, limits=Limits(**{name: needed - 1}))


# --- measure is decode ---


def small(value: int) -> bytes:
    """A count, a length, a bool, a version: what most numbers are."""
    return struct.pack("<i", value)


#: Bytes that often are a value: random ones would hardly ever get past the first length.
PARTS = st.one_of(
    st.integers(-3, 4).map(small),
    st.sampled_from(["", "None", "a", "IntProperty", "StrProperty", "ä", "Persistent_Level"]).map(fstring),
    st.binary(max_size=9),
    st.just(bytes(4)),
    st.just(bytes(24)),
    st.just(fstring("m") + fstring("IntProperty") + i32(4) + i32(0) + b"\0" + i32(7)),
)
DATA = st.lists(PARTS, max_size=14).map(b"".join)


def outcome(run: Any) -> int | None:
    """Where it ends, or None where it fails."""
    try:
        end: int = run()
    except SaveError:
        return None
    return end


@pytest.mark.slow
@pytest.mark.parametrize("window", [3, 1000])
@settings(max_examples=15)
@given(data=DATA)
def test_measure_ends_where_decode_ends(window, data):
    """What decodes can be passed over, and ends at the same place. (What is passed over is not validated.)"""
    for codec in ALL:
        read_end = outcome(lambda codec=codec: decoded(codec, data, window)[1])
        if read_end is not None:
            assert measured(codec, data, window) == read_end, codec.name


@settings(max_examples=60)
@given(data=DATA, at=st.integers(0, len(ALL) - 1), count=st.integers(0, 4))
def test_many_are_passed_over_as_one_by_one(data, at, count):
    codec = ALL[at]

    def one_by_one() -> int:
        context = walker(data)
        for _ in range(count):
            codec.measure(context.cursor, context)
        return int(context.cursor.tell())

    def at_once() -> int:
        context = walker(data)
        codec.measure_many(context.cursor, context, count)
        return int(context.cursor.tell())

    assert outcome(one_by_one) == outcome(at_once), codec.name


@settings(max_examples=60)
@given(data=st.binary(max_size=60), at=st.integers(0, len(ALL) - 1))
def test_no_other_exception(data, at):
    outcome(lambda: decoded(ALL[at], data)[1])
    outcome(lambda: measured(ALL[at], data))


class Pair(Codec):
    """Two bytes, as a reference."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return ObjectReference("Level", f"{cursor.u8()}.{cursor.u8()}")


@pytest.mark.skipif(COMPILED, reason="the classes of the tests cannot be subclasses of compiled ones")
@pytest.mark.parametrize("size", [2, -1])
def test_a_codec_that_only_decodes(size):
    """It is passed over by its size; without one, by decoding it."""
    pair = Pair("pair", size, 2)
    cursor = cursor_over(bytes(range(20)), 3)
    context = BuildContext()
    pair.measure(cursor, context)
    assert cursor.tell() == 2
    pair.measure_many(cursor, context, 3)
    assert cursor.tell() == 8
    assert (pair.decode(cursor, context), cursor.tell()) == (ObjectReference("Level", "8.9"), 10)
    with pytest.raises(DamagedSave):
        pair.measure_many(cursor, context, 6)


def test_what_a_reader_has_to_provide():
    context = BuildContext()
    cursor = cursor_over(b"")
    for ask in (context.properties, context.skip_properties, context.starts_property_list):
        with pytest.raises(NotImplementedError):
            ask(cursor)
    with pytest.raises(NotImplementedError):
        context.spend(1, 1)
    with pytest.raises(NotImplementedError):
        Codec("nothing", 1, 1).decode(cursor, context)


# --- values -> bytes, each at the ends of its range and beyond them ---


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
        with raises(EditError, match="out of range", expected=f"{low} to {high}"):
            encoded(codec, value)


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert encoded(F32, numpy.float32(2.5)) == encoded(F32, 2.5)
    assert encoded(I32, numpy.int64(-3)) == encoded(I32, -3)


WRONG = [
    (I32, 1.0, "not an integer: 1.0"),
    (I32, True, "not an integer: True"),
    (F32, "1", "not a number: '1'"),
    (F64, True, "not a number: True"),
    (F32, 1e39, "out of range (expected a float of 4 bytes, found 1e+39)"),
    (F16, 65520, "out of range (expected a float of 2 bytes, found 65520)"),
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
