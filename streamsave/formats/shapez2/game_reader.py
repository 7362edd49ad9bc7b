"""What the readers of saves and of blueprint codes have in common."""

from __future__ import annotations

from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.encoder import Encoder
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.errors import PathStep
from streamsave.events import Event, Field, ObjectHeader, StructEnter
from streamsave.formats.shapez2.game_cursor import GameCursor, GameEncoder
from streamsave.formats.shapez2.jsontext import JsonLeaf
from streamsave.formats.shapez2.places import ISLAND
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["GameReader"]


class GameReader(Reader):
    """A reader whose cursor reads the strings and checkpoints of the game."""

    def __init__(self, windows: Windows, limits: Limits) -> None:
        game = GameCursor(windows, limits)
        super().__init__(game, limits)
        #: The same as `cursor`.
        self.game = game
        #: The consumer has passed over what the last event opened.
        self.was_skipped = False
        #: Open sequences whose count is before them, and where it is.
        self.counted: list[tuple[StructEnter, Length]] = []
        #: In a member of states: where the count is of those that come next.
        self.state_count = Length(0, 4, counts=True)

    def open_stream(self, windows: Windows) -> None:
        """Go to the start of the inflated stream."""
        self.game = GameCursor(windows, self.limits)
        self.cursor = self.game
        self.windows = windows

    def encoder(self) -> Encoder:
        return GameEncoder(self.game.table)

    def encode(self, event: Event, value: object) -> bytes:
        codec = self.codec
        if isinstance(event, Field) and isinstance(codec, JsonLeaf):
            return codec.replaced(self.bytes_at(event.offset, event.size), value)
        return super().encode(event, value)

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Return bytes that events have claimed, or that are near: fewer where the stream ends."""
        cursor = self.cursor_back()
        cursor.set_limit(NO_LIMIT)
        cursor.seek(offset)
        return cursor.peek(size)

    def skip(self, event: Event) -> bool:
        self.was_skipped = super().skip(event)
        return self.was_skipped

    def holds_objects(self, header: ObjectHeader) -> bool:
        return header.kind == ISLAND

    def leaf_path(self) -> tuple[PathStep, ...]:
        if self.leaf_end < 0:
            return ()
        # An element is named by its number alone: the name of its container is in the path already.
        return (int(self.leaf_index),) if self.leaf_index >= 0 else (self.leaf_name,)
