"""Each type of the game, from bytes that are written out here."""

import struct

import pytest
from shapez2_cursors import decoded, reader_over

from streamsave import DamagedSave
from streamsave.errors import EditError
from streamsave.formats.shapez2 import primitives
from streamsave.formats.shapez2.game_reader import GameEncoder
from streamsave.formats.shapez2.header import (
    Channel,
    Coordinate,
    Fluid,
    FluidOnTrack,
    FluidPackage,
    LaneItem,
    Shape,
    ShapeOnTrack,
    Signal,
)
from streamsave.formats.shapez2.members import each

CODE = b"\4\0CuCu"
SHAPE = b"\1" + CODE
RED = b"\1r"

VALUES = [
    # type, bytes, value
    ("TEXT", CODE, "CuCu"),
    ("TICKS", struct.pack("<q", -2), -2),
    ("SIGNAL_TICKS", struct.pack("<q", 12), 12),
    ("STEPS", struct.pack("<q", 1 << 40), 1 << 40),
    ("FLUID_UNIT", struct.pack("<q", 5), 5),
    ("ROTATION", b"\0", "East"),
    ("ROTATION", b"\1", "South"),
    ("ROTATION", b"\2", "West"),
    ("ROTATION", b"\3", "North"),
    ("ROTATION", b"\4", 4),
    ("CHANNEL", struct.pack("<i", 3 << 24 | 77), Channel(3, 77)),
    ("CHANNEL", b"\xff\xff\xff\xff", Channel(255, 0xFFFFFF)),
    ("GLOBAL_CHUNK", struct.pack("<iih", -1, 2, -3), Coordinate(-1, 2, -3)),
    ("ISLAND_TILE", struct.pack("<hhB", -20, 39, 255), Coordinate(-20, 39, 255)),
    ("SHAPE", b"\0", None),
    ("SHAPE", SHAPE, Shape("CuCu")),
    ("SHAPE", b"\2\xff\xff", Shape(None)),
    ("FLUID", b"\0", None),
    ("FLUID", RED, Fluid("r")),
    ("FLUID_PACKAGE", b"\0\0", FluidOnTrack(0, None)),
    ("FLUID_PACKAGE", b"\xff\xff" + RED, FluidOnTrack(-1, Fluid("r"))),
    ("SHAPE_PACKAGE", b"\0\0", ShapeOnTrack(0, None)),
    ("SHAPE_PACKAGE", b"\7\0" + SHAPE, ShapeOnTrack(7, Shape("CuCu"))),
    ("BELT_ITEM", b"\0", None),
    ("BELT_ITEM", b"\1" + SHAPE, Shape("CuCu")),
    ("BELT_ITEM", b"\2" + RED + struct.pack("<q", 9), FluidPackage(Fluid("r"), 9)),
    ("BELT_ITEM", b"\3\1\0" + RED, FluidOnTrack(1, Fluid("r"))),
    ("BELT_ITEM", b"\4\1\0" + SHAPE, ShapeOnTrack(1, Shape("CuCu"))),
    ("SIGNAL", b"\0", None),
    ("SIGNAL", b"\1", Signal("Null")),
    ("SIGNAL", b"\2", Signal("Conflict")),
    ("SIGNAL", b"\3\xf9\xff\xff\xff", Signal("Integer", -7)),
    ("SIGNAL", b"\4", Signal("Integer", 0)),
    ("SIGNAL", b"\5", Signal("Integer", 1)),
    ("SIGNAL", b"\6\1" + SHAPE, Signal("Item", Shape("CuCu"))),
    ("SIGNAL", b"\7" + RED, Signal("Fluid", Fluid("r"))),
    ("BELT_LANE", b"\0", None),
    ("BELT_LANE", b"\1\0" + struct.pack("<q", 3), LaneItem(None, 3)),
    ("COLLAPSE", b"\0", None),
    (
        "COLLAPSE",
        b"\1" + SHAPE + CODE + b"\2\1",
        {"result": Shape("CuCu"), "parts": [{"shape": "CuCu", "layer": 2, "is_crystal": True}]},
    ),
    (
        "CONDUIT",
        struct.pack("<iB", 1, 1) + struct.pack("<qqB", 4, 5, 1),
        {"signals": [Signal("Null")], "time": 4, "signal_time": 5, "is_dirty": True},
    ),
]


@pytest.mark.parametrize(("name", "data", "value"), VALUES)
def test_values(name, data, value):
    assert decoded(getattr(primitives, name), data) == value


@pytest.mark.parametrize(("name", "data", "value"), VALUES)
def test_values_are_encoded(name, data, value):
    encoder = GameEncoder(None)
    getattr(primitives, name).encode(value, encoder)
    assert encoder.data == data.replace(b"\2\xff\xff", b"\1\xff\xff")  # any bool but 0 is true


WRONG = [
    ("FLUID", Shape("CuCu"), "not a Fluid"),
    ("SIGNAL", Signal("Other"), "not a Signal"),
    ("BELT_ITEM", 3, "not a BeltItem"),
    ("CHANNEL", Channel(256, 0), "not a Channel"),
    ("ROTATION", "Up", "not an integer"),
    ("FLUID_PACKAGE", FluidOnTrack(0, Fluid("r")), "nothing can be in it"),
    ("COLLAPSE", {"result": None, "parts": []}, "nothing can be in it"),
    ("GLOBAL_CHUNK", Coordinate(0, 0, 1 << 15), "z: out of range"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_values_that_cannot_be_encoded(name, value, message):
    with pytest.raises(EditError, match=message):
        getattr(primitives, name).encode(value, GameEncoder(None))


def test_texts_of_the_table_are_encoded():
    encoder = GameEncoder(["a", "b"])
    primitives.TEXT.encode("b", encoder)
    primitives.TEXT.encode(None, encoder)
    assert encoder.data == b"\1\0\0\0" + b"\0\0\0\x80"
    with pytest.raises(EditError, match="no such string"):
        primitives.TEXT.encode("c", encoder)


def test_all_types_have_a_value():
    assert {name for name in primitives.__all__ if name.isupper()} == {name for name, _, _ in VALUES}


@pytest.mark.parametrize(("name", "most"), [("FLUID", 1), ("BELT_ITEM", 4), ("SIGNAL", 7)])
def test_one_above_the_last_tag(name, most):
    codec = getattr(primitives, name)
    with pytest.raises(DamagedSave, match=f"unknown kind of {codec.name}") as caught:
        reader = reader_over(bytes([most + 1]) + bytes(20))
        codec.measure(reader.cursor, reader)
    assert (caught.value.offset, caught.value.expected, caught.value.actual) == (0, f"0 to {most}", most + 1)


def test_counted():
    codec = each(primitives.FLUID)
    assert decoded(codec, b"\2\0" + RED) == [None, Fluid("r")]
    assert decoded(codec, b"\0") == []
