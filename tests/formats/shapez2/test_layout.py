"""Each piece of a layout: its size, and its events."""

import struct

import pytest
from saves import raises
from shapez2_cursors import reader_over, walked

from streamsave import BlobSkip, Checkpoint, DamagedSave, Field, StructEnter, StructExit
from streamsave.decode.codecs import I32, U8, Struct
from streamsave.formats.shapez2.game_reader import CHECKPOINTS
from streamsave.formats.shapez2.layout import Blob, LayoutWalker, Mark, Record, Rows, Sequence, Tally

START = CHECKPOINTS["blob:start"].to_bytes(4, "little")
END = CHECKPOINTS["blob:end"].to_bytes(4, "little")


def record(**members):
    return Record("Test", **members)


def test_mark():
    layout = record(mark=Mark("island"), number=U8)
    hashed = CHECKPOINTS["island"]
    assert walked(layout, hashed.to_bytes(4, "little") + b"\7", checkpoints=True) == [
        Checkpoint(0, "island", hashed, 4),
        Field(4, "number", "u8", 1, -1),
    ]
    assert walked(layout, b"\7") == [Field(0, "number", "u8", 1, -1)]


def test_blob():
    layout = record(blob=Blob("Inner", Struct("Inner", None, a=U8)))
    content = [
        StructEnter(0, "blob", "Inner", 4, 2, -1, -1),
        Field(4, "value", "Inner", 1, -1),
        BlobSkip(5, 1, "bytes after Inner"),
        StructExit(6, "blob", 0),
    ]
    assert walked(layout, b"\2\0\0\0\1\2") == content
    found = walked(layout, START + b"\1\0\0\0\1" + END, checkpoints=True)
    assert [type(event) for event in found] == [Checkpoint, StructEnter, Field, StructExit, Checkpoint]


def test_opaque_blob():
    layout = record(blob=Blob("Inner", None, "why"))
    assert walked(layout, b"\2\0\0\0\1\2")[1] == BlobSkip(4, 2, "why")
    assert [type(event) for event in walked(layout, bytes(4))] == [StructEnter, StructExit]


@pytest.mark.parametrize("size", [2, 3, -1])
def test_size_of_a_blob_at_its_room_and_one_above(size):
    layout = record(blob=Blob("Inner", None, "why"))
    data = struct.pack("<i", size) + bytes(2)
    if size == 2:
        assert len(walked(layout, data)) == 3
        return
    with raises(DamagedSave, match="size of a blob does not fit", offset=0, expected="0 to 2 bytes", actual=size):
        walked(layout, data)


@pytest.mark.parametrize("left", [4, 3])
def test_a_blob_needs_room_for_its_last_checkpoint(left):
    walker = LayoutWalker(reader_over(START + b"\1\0\0\0\1" + END[:left], checkpoints=True))
    if left == 4:
        assert walker.framed_size() == 13
        return
    with pytest.raises(DamagedSave, match="no room for its end"):
        walker.framed_size()


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("number", [U8, I32])
def test_count_at_what_fits_and_one_above(number, count):
    layout = record(count=Tally(number), some=Sequence(U8, tally="count"))
    data = count.to_bytes(number.size, "little") + bytes(2)
    if count == 2:
        assert walked(layout, data)[1] == Field(number.size, "some", "u8[]", 2, -1)
        return
    with raises(DamagedSave, match="count 3 does not fit", offset=0, expected="0 to 2"):
        walked(layout, data)


def test_a_sequence_of_records_and_the_tally_around_it():
    inner = Record("Inner", count=Tally(U8), some=Sequence(U8, tally="count"))
    layout = record(count=Tally(U8), rows=Sequence(inner, tally="count"), again=Sequence(U8, tally="count"))
    found = walked(layout, b"\1\2\7\7\3")
    assert [(event.name, event.index) for event in found if isinstance(event, (Field, StructEnter))] == [
        ("count", -1),
        ("rows", -1),
        ("", 0),
        ("count", -1),
        ("some", -1),
        ("again", -1),
    ]


def test_rows_after_the_last_known_one_are_opaque():
    layout = record(rows=Rows("Trackers", [Blob("First", Struct("First", None, a=U8))]))
    found = walked(layout, struct.pack("<i", 2) + b"\1\0\0\0\7" + b"\1\0\0\0\7")
    assert [event for event in found if isinstance(event, BlobSkip)] == [BlobSkip(13, 1, "tracker of unknown layout")]
