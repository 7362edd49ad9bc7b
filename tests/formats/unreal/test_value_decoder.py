"""The values of tags that are leaves."""

from __future__ import annotations

import struct

import pytest
from tag_bytes import new_tag, tag, tree
from unreal_walks import build, dialect
from writer.primitives import fstring, i32

from streamsave import DamagedSave
from streamsave.formats.unreal.dialect import SCALARS
from streamsave.values import Color, ContainerDelta, Guid, Opaque

#: Each type of the table: bytes, value.
ROWS = {
    "Int8Property": (b"\xff", -1),
    "UInt8Property": (b"\xff", 255),
    "Int16Property": (b"\xff\xff", -1),
    "UInt16Property": (b"\xff\xff", 65535),
    "IntProperty": (i32(-1), -1),
    "UInt32Property": (i32(-1), (1 << 32) - 1),
    "Int64Property": (b"\xff" * 8, -1),
    "UInt64Property": (b"\xff" * 8, (1 << 64) - 1),
    "FloatProperty": (struct.pack("<f", 0.5), 0.5),
    "DoubleProperty": (struct.pack("<d", 0.1), 0.1),
    "StrProperty": (fstring("s"), "s"),
    "NameProperty": (fstring("n"), "n"),
    "EnumProperty": (fstring("E::A"), "E::A"),
    "Utf8StrProperty": (i32(2) + b"\xc3\xa4", "ä"),
    "LazyObjectProperty": (bytes(range(16)), Guid(bytes(range(16)))),
    "ByteProperty": (b"\7", 7),
}
ENUMS = ("ByteProperty", "EnumProperty")


def test_each_type_has_a_row():
    assert set(SCALARS) == set(ROWS) | {"BoolProperty"}


def scalar_tag(kind: str, data: bytes) -> bytes:
    return tag("m", kind, data, extras=fstring("None") if kind in ENUMS else b"")


@pytest.mark.parametrize("kind", ROWS)
def test_scalars(kind):
    data, value = ROWS[kind]
    assert build(scalar_tag(kind, data)) == {"m": value}
    assert build(new_tag("m", tree(kind), data), dialect(new_tags=True)) == {"m": value}


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"ByteProperty"}))
def test_zeros_may_follow(kind):
    data, value = ROWS[kind]
    assert build(scalar_tag(kind, data + bytes(3))) == {"m": value}
    with pytest.raises(DamagedSave, match="bytes left after the value") as caught:
        build(scalar_tag(kind, data + b"\0\1"))
    assert caught.value.actual == len(data) + 2


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"ByteProperty"}))
def test_a_size_that_is_too_small(kind):
    with pytest.raises(DamagedSave):
        build(scalar_tag(kind, ROWS[kind][0][:-1]))


def test_a_byte_is_a_number_or_a_name():
    assert build(scalar_tag("ByteProperty", b"\7")) == {"m": 7}
    assert build(scalar_tag("ByteProperty", fstring("E::A"))) == {"m": "E::A"}


# --- containers ---


def container(kind: str, data: bytes, *types: str) -> bytes:
    return tag("m", kind, data, extras=b"".join(map(fstring, types)))


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"ByteProperty"}))
@pytest.mark.parametrize("count", [0, 1, 3])
def test_containers(kind, count):
    data, value = ROWS[kind]
    assert build(container("ArrayProperty", i32(count) + data * count, kind)) == {"m": [value] * count}
    assert build(container("SetProperty", i32(0) + i32(count) + data * count, kind)) == {"m": [value] * count}
    pairs = i32(0) + i32(count) + data * 2 * count
    assert build(container("MapProperty", pairs, kind, kind)) == {"m": [(value, value)] * count}


def test_elements_that_are_removed():
    removed = i32(2) + i32(8) + i32(9) + i32(1) + i32(5)
    assert build(container("SetProperty", removed, "IntProperty")) == {"m": ContainerDelta([8, 9], [5])}
    removed = i32(1) + i32(8) + i32(1) + i32(5) + i32(6)
    assert build(container("MapProperty", removed, "IntProperty", "IntProperty")) == {"m": ContainerDelta([8], [(5, 6)])}


BYTES = [
    (i32(3) + b"abc", b"abc"),
    (i32(0), b""),
    (i32(2) + fstring("E::A") + fstring("E::B"), ["E::A", "E::B"]),
]


@pytest.mark.parametrize(("data", "value"), BYTES)
def test_arrays_of_bytes(data, value):
    assert build(container("ArrayProperty", data, "ByteProperty")) == {"m": value}


def test_arrays_of_binary_structs():
    inner = tag("m", "StructProperty", bytes(range(8)), extras=fstring("Color") + bytes(16))
    built = build(container("ArrayProperty", i32(2) + inner, "StructProperty"))
    assert built == {"m": [Color(0, 1, 2, 3), Color(4, 5, 6, 7)]}


OPTIONALS = [
    (tree("IntProperty"), i32(1) + i32(5), 5),
    (tree("IntProperty"), i32(0), None),
    (tree("ByteProperty"), i32(1) + b"\7", 7),
    (tree("ByteProperty", tree("E")), i32(1) + fstring("E::A"), "E::A"),
    (tree("StructProperty", tree("Color")), i32(1) + bytes([1, 2, 3, 4]), Color(1, 2, 3, 4)),
    (tree("StructProperty", tree("Color")), i32(0), None),
]


@pytest.mark.parametrize(("inner", "data", "value"), OPTIONALS)
def test_optionals(inner, data, value):
    assert build(new_tag("m", tree("OptionalProperty", inner), data), dialect(new_tags=True)) == {"m": value}


@pytest.mark.parametrize("kind", ["ArrayProperty", "SetProperty"])
def test_unknown_types_are_bytes(kind):
    value = build(container(kind, i32(0) * 2, "NewProperty"))["m"]
    assert value == Opaque(i32(0) * 2, "unknown type NewProperty")
