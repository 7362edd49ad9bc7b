"""Structs in sets and maps that no tag names."""

import struct

import pytest
from tag_bytes import tag
from unreal_walks import build, dialect, reader_over
from writer.primitives import fstring, i32

from streamsave.decode.codecs import I32, STRING, U8
from streamsave.formats.unreal import containers
from streamsave.values import Vector

KEY = bytes(range(16))
VECTOR = struct.pack("<3f", 1, 2, 3)


def struct_set(count: int, elements: bytes, name: str = "m") -> bytes:
    return tag(name, "SetProperty", i32(0) + i32(count) + elements, extras=fstring("StructProperty"))


def struct_map(count: int, pairs: bytes, key: str = "StructProperty", value: str = "StructProperty") -> bytes:
    return tag("m", "MapProperty", i32(0) + i32(count) + pairs, extras=fstring(key) + fstring(value))


@pytest.mark.parametrize("rest", [-1, 1, 4])
def test_elements_have_to_fill_the_value(rest):
    assert build(struct_set(2, (KEY * 2 + bytes(max(rest, 0)))[: 32 + rest]))["m"].reason == "set of unknown structs"


@pytest.mark.parametrize(("hints", "owner"), [({("m", "element"): "Vector"}, ""), ({}, "/Game/Store_C")])
def test_hints(hints, owner):
    spoken = dialect(hints=hints, owner_hints=(("Store", "element", "Vector"),), owner=owner)
    assert build(struct_set(2, VECTOR * 2), spoken) == {"m": [Vector(1.0, 2.0, 3.0)] * 2}
    assert build(struct_set(2, VECTOR * 2))["m"].reason == "set of unknown structs"


def test_the_hint_of_a_name_is_better_than_that_of_the_class():
    spoken = dialect(hints={("m", "element"): "Vector"}, owner_hints=(("Store", "element", "Guid"),), owner="Store")
    assert build(struct_set(1, VECTOR), spoken) == {"m": [Vector(1.0, 2.0, 3.0)]}


@pytest.mark.parametrize("pairs", [KEY + KEY[:15], KEY + KEY + b"\0", VECTOR + VECTOR])
def test_pairs_have_to_fill_the_map(pairs):
    assert build(struct_map(1, pairs))["m"].reason == "map of unknown structs"


@pytest.mark.parametrize(
    ("codec", "count", "size", "fits"),
    [
        (I32, 2, 8, True),
        (I32, 2, 9, False),
        (I32, 2, 7, False),
        (STRING, 2, 12, True),
        (STRING, 2, 11, False),
        (STRING, 1, 12, False),
        (STRING, 3, 12, False),
        (U8, 0, 0, True),
    ],
)
def test_fits(codec, count, size, fits):
    data = fstring("x") * 2 + bytes(4)
    reader = reader_over(data)
    reader.spend(3, 4)
    assert containers.fits(reader, codec, count, 0, size) is fits
    assert (reader.cursor.tell(), reader.cursor.limit(), reader.build.spent()) == (0, len(data), (3, 4, 0))
