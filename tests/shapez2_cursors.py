"""Readers of shapez 2 over bytes of one member, for tests of one layout at a time."""

from typing import Any

from streamsave import BlobSkip, Limits
from streamsave.decode.codecs import Codec
from streamsave.events import Event
from streamsave.formats.shapez2.game_reader import GameCursor, GameReader
from streamsave.formats.shapez2.layout import LayoutWalker
from streamsave.input.windows import BytesWindows


def reader_over(data: bytes, table: list[str] | None = None, *, checkpoints: bool = False) -> GameReader:
    """A reader at the start of these bytes, which end with the enclosing length."""
    reader = GameReader(BytesWindows(data), Limits())
    reader.game.table = table
    reader.game.has_checkpoints = checkpoints
    reader.cursor.set_limit(len(data))
    return reader


def game_cursor(data: bytes, table: list[str] | None = None) -> GameCursor:
    return reader_over(data, table).game


def decoded(codec: Codec, data: bytes, table: list[str] | None = None) -> object:
    """The value of a codec that takes all of these bytes, measured too."""
    reader = reader_over(data, table)
    codec.measure(reader.cursor, reader)
    assert reader.cursor.remaining() == 0
    reader.cursor.seek(0)
    value = codec.decode(reader.cursor, reader)
    assert reader.cursor.remaining() == 0
    return value


def walked(codec: Codec, data: bytes, **options: Any) -> list[Event]:
    """All events of a layout; the next leaf begins where the last one ended."""
    reader = reader_over(data, **options)
    events = []
    for event in LayoutWalker(reader).members(codec):
        events.append(event)
        if reader.is_pending:
            reader.cursor.seek(reader.leaf.end)
            reader.leave_leaf()
        elif isinstance(event, BlobSkip):
            reader.cursor.seek(event.offset + event.size)
    assert reader.cursor.tell() == len(data)
    return events
