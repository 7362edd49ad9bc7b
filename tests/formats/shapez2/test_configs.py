"""Configurations, each by its id, from bytes that are written out here."""

import struct
from typing import cast

import pytest
from shapez2_cursors import decoded, reader_over

from streamsave import Limits
from streamsave.decode.codecs import Codec
from streamsave.formats.shapez2.configs import (
    BUILDING_CONFIGURATIONS,
    ISLAND_CONFIGURATIONS,
    DecodedConfiguration,
    configuration_cursor,
)
from streamsave.formats.shapez2.game_reader import GameEncoder
from streamsave.formats.shapez2.header import Channel, Fluid, Shape, Signal
from streamsave.formats.shapez2.layout import BySize

RAIL = cast(BySize, ISLAND_CONFIGURATIONS["Rail_Forward"])
SHAPE_TEXT = b"\x0a\0shape:CuCu"
VALUES = {
    "LabelConfig": (b"\2\0Hi", "Hi"),
    "SignalProducerConfig": (b"\5", Signal("Integer", 1)),
    "ItemProducerConfig": (b"\1\1\4\0CuCu", Shape("CuCu")),
    "FluidProducerConfig": (b"\1r", Fluid("r")),
    "ButtonConfig": (b"\1", True),
    "CompareGateConfig": (b"\6", "NotEqual"),
    "GlobalSignalReceiverConfig": (struct.pack("<i", 2 << 24 | 1), Channel(2, 1)),
    "RailConfig": (b"\2" + struct.pack("<II", 1, 0xFFFFFFFF), [1, 0xFFFFFFFF]),
    "TrainUnloaderConfig": (b"\xff\xff\xff\xff", 0xFFFFFFFF),
}


@pytest.mark.parametrize("name", [*BUILDING_CONFIGURATIONS, *ISLAND_CONFIGURATIONS])
def test_each_id(name):
    codec = (BUILDING_CONFIGURATIONS | ISLAND_CONFIGURATIONS)[name]
    data, value = VALUES[codec.name]
    assert_both_ways(codec, data, value)


def assert_both_ways(codec: Codec, data: bytes, value: object) -> None:
    """The bytes are the value, and the value makes the bytes."""
    if isinstance(codec, BySize):
        codec = codec.choose(reader_over(data).cursor)
    assert decoded(codec, data) == value
    encoder = GameEncoder(None)
    codec.encode(value, encoder)
    assert encoder.data == data


@pytest.mark.parametrize("masks", [[], [0], [14, 1], [0xFFFFFFFF] * 3, [1] * 255], ids=len)
def test_the_size_of_a_rail_shows_how_wide_its_count_is(masks):
    """One byte and four for each mask, or four and four for each: no number of bytes is both."""
    for count in ("B", "i"):
        assert_both_ways(RAIL, struct.pack(f"<{count}{len(masks)}I", len(masks), *masks), masks)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (struct.pack("<B2I3x", 2, 7, 8), [7, 8]),  # 12 bytes, but no i32 count of two
        (struct.pack("<BI2x", 1, 7), [7]),
        (struct.pack("<3x"), []),
    ],
)
def test_a_rail_of_another_size(data, value):
    """The count is a byte; what follows is passed over, as after any layout that has grown."""
    reader = reader_over(data)
    assert RAIL.choose(reader.cursor).decode(reader.cursor, reader) == value
    assert reader.cursor.remaining() > 0


def test_an_old_producer_stays_one():
    encoder = GameEncoder(None)
    PRODUCER.encode("shape:CuCu", encoder)
    assert encoder.data == SHAPE_TEXT


def test_all_layouts_belong_to_an_id():
    assert {codec.name for codec in (BUILDING_CONFIGURATIONS | ISLAND_CONFIGURATIONS).values()} == set(VALUES)
    assert (len(BUILDING_CONFIGURATIONS), len(ISLAND_CONFIGURATIONS)) == (10, 13 + 8)


@pytest.mark.parametrize(
    ("mode", "value"),
    [(0, 0), (1, "Equal"), (2, "GreaterEqual"), (3, "Greater"), (4, "Less"), (5, "LessEqual"), (6, "NotEqual"), (7, 7)],
)
def test_modes_of_a_gate(mode, value):
    assert decoded(BUILDING_CONFIGURATIONS["LogicGateCompareInternalVariant"], bytes([mode])) == value


PRODUCER = BUILDING_CONFIGURATIONS["SandboxItemProducerDefaultInternalVariant"]


def test_an_old_producer_is_known_by_its_bytes():
    assert decoded(PRODUCER, SHAPE_TEXT) == "shape:CuCu"
    # In a save a text is an index, so the same bytes are never a text.
    assert decoded(PRODUCER, b"\1\1\0\0\0\0", ["CuCu"]) == Shape("CuCu")


def test_the_shortest_text_of_an_old_producer():
    """Eight bytes are a text that fills the configuration; seven are not taken for one."""
    fluid = BUILDING_CONFIGURATIONS["SandboxFluidProducerDefaultInternalVariant"]
    assert decoded(fluid, b"\6\0abcdef") == "abcdef"
    assert configuration_cursor(b"\5\0abcde", Limits()).remaining() == 7
    with pytest.raises(ValueError, match="unknown kind of Fluid"):
        decoded(fluid, b"\5\0abcde")


def test_decoded_configuration_does_not_read_the_stream():
    codec = DecodedConfiguration(BUILDING_CONFIGURATIONS["ButtonDefaultInternalVariant"], b"\1", 4)
    assert (codec.name, codec.size) == ("ButtonConfig", 4)
    reader = reader_over(bytes(4))
    assert codec.decode(reader.cursor, reader) is True
    assert reader.cursor.tell() == 0


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b',"C":"AA=="', b',"C":"AQ=="'), (b'"C" : {"$type": "x", "$value": "AA=="}', b'"C" : {"$type":"x","$value":"AQ=="}')],
)
def test_other_base64(raw, expected):
    codec = DecodedConfiguration(BUILDING_CONFIGURATIONS["ButtonDefaultInternalVariant"], b"\0", 4)
    assert codec.replaced(raw, True) == expected
