"""The window of a cursor: bytes at any place, in bounds, and errors with their place."""

from typing import Any

import pytest
from cursors import cursor_over
from hypothesis import given
from hypothesis import strategies as st
from saves import chunk, raises

from streamsave import DamagedSave, LimitExceeded, Limits, TruncatedSave
from streamsave.decode.cursor import Cursor
from streamsave.decode.window_cursor import NO_LIMIT
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import BytesSource
from streamsave.input.windows import BytesWindows

TINY = [1, 2, 3, 4, 5, 6, 7, 1000]


@pytest.mark.parametrize("size", [-1, 11, 1 << 62, -(1 << 63)])
@pytest.mark.parametrize("method", ["take", "skip"])
def test_sizes_that_do_not_fit(method, size):
    cursor = cursor_over(bytes(20), 7, limit=12)
    cursor.skip(2)
    with raises(DamagedSave, match="runs past the enclosing length", offset=2, expected="0 to 10 bytes", actual=size):
        getattr(cursor, method)(size)


def test_take_obeys_its_limit():
    assert cursor_over(bytes(100), limits=Limits(build_size=50)).take(50) == bytes(50)
    with raises(LimitExceeded, limit="build_size", value=51):
        cursor_over(bytes(100), limits=Limits(build_size=50)).take(51)


def test_take_past_the_end():
    with pytest.raises(TruncatedSave):
        cursor_over(bytes(10), 3, limit=NO_LIMIT).take(11)


@pytest.mark.parametrize("place", [20, 21, 1 << 40])
def test_a_read_past_the_end_says_where_the_end_is(place):
    """Not where the cursor was: a length of the save may lie about that."""
    cursor = cursor_over(bytes(20), 7, limit=NO_LIMIT)
    cursor.seek(place)
    with raises(TruncatedSave, match="the stream ends at 0x14 ", offset=20):
        cursor.u32()


@pytest.mark.parametrize("window", TINY)
def test_peek_does_not_move(window):
    data = bytes(range(20))
    cursor = cursor_over(data, window, limit=15)
    cursor.skip(3)
    assert cursor.peek(4) == data[3:7]
    assert cursor.peek(0) == b""
    assert cursor.peek(100) == data[3:15]
    assert cursor.tell() == 3
    assert cursor.u8() == 3
    cursor.set_limit(NO_LIMIT)
    assert cursor.peek(100) == data[4:]


def test_seek_inflates_nothing():
    limits = Limits()
    table = ChunkTable(BytesSource(chunk(bytes(100)) * 50), 0, limits)
    cursor = Cursor(table, limits)
    cursor.set_limit(5000)
    cursor.seek(4321)
    cursor.skip(600)
    assert (cursor.tell(), table.inflated_chunks) == (4921, 0)
    cursor.u8()
    assert table.inflated_chunks == 1


@given(st.data())
def test_any_walk_gives_the_bytes(data):
    """Whatever the way there: a read gives the bytes of its place."""
    stored = bytes(range(1, 201))
    cursor = cursor_over(stored, data.draw(st.sampled_from(TINY)))
    at = 0
    for _ in range(data.draw(st.integers(1, 12))):
        step = data.draw(st.sampled_from(["seek", "skip", "take", "peek", "u8", "u16"]))
        size = data.draw(st.integers(0, 200 - at))
        if step == "seek":
            at = data.draw(st.integers(0, 200))
            cursor.seek(at)
        elif step == "skip":
            cursor.skip(size)
            at += size
        elif step == "take":
            assert cursor.take(size) == stored[at : at + size]
            at += size
        elif step == "peek":
            assert cursor.peek(size) == stored[at : at + size]
        elif at + 2 <= 200:
            width = 1 if step == "u8" else 2
            assert getattr(cursor, step)() == int.from_bytes(stored[at : at + width], "little")
            at += width
        assert cursor.tell() == at
        assert cursor.remaining() == 200 - at


def test_limits_can_be_widened_again():
    cursor = cursor_over(bytes(range(20)), 100)
    cursor.u8()
    cursor.set_limit(2)
    assert (cursor.limit(), cursor.remaining(), cursor.u8()) == (2, 1, 1)
    with pytest.raises(DamagedSave):
        cursor.u8()
    cursor.set_limit(20)
    assert cursor.take(18) == bytes(range(2, 20))


def test_errors_of_another_place():
    cursor: Any = cursor_over(bytes(30), 8)
    cursor.seek(25)
    cursor.u8()
    error = cursor.damaged("m", offset=3)
    assert (error.offset, error.chunk, error.chunk_offset) == (3, 0, 3)


@pytest.mark.parametrize("window", TINY)
def test_a_block_is_read_whole(window):
    cursor = cursor_over(b"a" + bytes(range(48)) + b"z", window)
    cursor.skip(1)
    assert cursor.block(48) == bytes(range(48))
    assert (cursor.tell(), cursor.u8()) == (49, ord("z"))


def test_a_block_has_to_be_there():
    cursor = cursor_over(bytes(47), 1000, limit=NO_LIMIT)
    with pytest.raises(TruncatedSave):
        cursor.block(48)
    cursor.set_limit(40)
    with pytest.raises(DamagedSave, match="enclosing length"):
        cursor.block(48)


@pytest.mark.parametrize("sought", [0, 2, 9])
def test_what_is_passed_over_has_to_be_there(sought):
    """Also if the cursor has gone past the end already; the error is inside of the stream."""
    cursor = Cursor(BytesWindows(bytes(8)), Limits())
    cursor.pass_to(8)
    assert cursor.tell() == 8
    cursor.seek(sought)
    with raises(TruncatedSave, match="ends at 0x8", offset=min(sought, 8)):
        cursor.pass_to(9)
    assert cursor.tell() == sought


@pytest.mark.parametrize("window", TINY)
def test_nothing_is_ahead_after_the_limit(window):
    cursor = cursor_over(bytes(range(20)), window)
    cursor.seek(12)
    cursor.set_limit(3)
    assert cursor.peek(5) == b""
    assert cursor.peek(1 << 40) == b""


def test_what_comes_after_the_size_is_absent():
    assert cursor_over(b"abcdefgh", 2).absent([b"h"], 5) == [b"h"]
