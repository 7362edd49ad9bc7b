"""What the readers of saves and of codes share."""

from __future__ import annotations

import pytest
from shapez2_cursors import reader_over

from streamsave import ObjectHeader, StructEnter
from streamsave.decode.codecs import I32
from streamsave.formats.shapez2.game_cursor import GameCursor
from streamsave.input.windows import BytesWindows


def header(kind: str) -> ObjectHeader:
    return ObjectHeader(0, kind, "C", "A", "", "", None, 0, 0, 4, 0, 4, 8)


def test_the_cursor_is_one_of_the_game():
    reader = reader_over(b"1234")
    assert reader.cursor is reader.game
    assert isinstance(reader.cursor, GameCursor)


def test_a_stream_is_opened_at_its_start():
    reader = reader_over(b"1234")
    reader.cursor.seek(4)
    windows = BytesWindows(b"abcd")
    reader.open_stream(windows)
    assert reader.cursor is reader.game
    assert reader.windows is windows
    assert (reader.cursor.tell(), reader.cursor.take(4)) == (0, b"abcd")


@pytest.mark.parametrize(("kind", "holds"), [("island", True), ("building", False), ("", False)])
def test_only_islands_hold_objects(kind, holds):
    assert reader_over(b"").holds_objects(header(kind)) is holds


def test_a_walk_hears_that_it_was_skipped():
    reader = reader_over(bytes(20))
    assert not reader.was_skipped
    event = StructEnter(0, "s", "S", 0, 8, -1, -1)
    assert reader.skip(event)
    assert reader.was_skipped
    assert reader.cursor.tell() == 8
    assert not reader.skip(StructEnter(8, "s", "S", 0, -1, -1, -1))
    assert not reader.was_skipped


@pytest.mark.parametrize(("index", "path"), [(-1, ("leaf",)), (0, (0,)), (7, (7,))])
def test_an_element_is_named_by_its_number_alone(index, path):
    reader = reader_over(bytes(4))
    assert reader.leaf_path() == ()
    reader.field("leaf", I32, index)
    assert reader.leaf_path() == path
