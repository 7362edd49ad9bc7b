"""Walks layouts and JSON, event by event: what the readers of saves and of codes share.

| piece | events |
|---|---|
| Mark | `Checkpoint`, where they are on |
| Blob | `Checkpoint`, `StructEnter` that claims the size, content, `StructExit`, `Checkpoint` |
| Record, Rows, Sequence | `StructEnter`, one piece or element after the other, `StructExit` |
| Sequence of leaves, any other codec | one `Field` |
| Rest, and what is behind the known part of a blob | `BlobSkip` |
| JSON object, array | `StructEnter`, members, `StructExit` |
| JSON string, number, word | `Field`; claims what is in front of it too, its key and the comma |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.reader import Reader
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Checkpoint, Event, ObjectHeader, StructEnter, StructExit
from streamsave.formats.shapez2.jsontext import JSON_ARRAY, JSON_OBJECT, STARTS, JsonTokens, JsonValue, Token
from streamsave.formats.shapez2.layout import Blob, Mark, Repeat, Rest, Rows, Sequence, Tally
from streamsave.formats.shapez2.primitives import GameCursor
from streamsave.limits import Limits

__all__ = ["GameWalker"]

#: The kind of object that other objects stand in.
ISLAND: Final = "island"
BLOB_START: Final = "blob:start"
BLOB_END: Final = "blob:end"
UNKNOWN_ROW: Final = "tracker of unknown layout"


class GameWalker(Reader):
    """Makes events of layouts and JSON."""

    def __init__(self, cursor: GameCursor, limits: Limits) -> None:
        super().__init__(cursor, limits)
        self.game = cursor
        #: Counts that were read for sequences behind them, by name.
        self._tallies: dict[str, i64] = {}
        #: The consumer has passed over what the last event opened.
        self.was_skipped = False

    def skip(self, event: Event) -> bool:
        self.was_skipped = super().skip(event)
        return self.was_skipped

    def holds_objects(self, header: ObjectHeader) -> bool:
        return header.kind == ISLAND

    def leaf_path(self) -> tuple[PathStep, ...]:
        if self.leaf_end < 0:
            return ()
        # An element goes by its number: its container's name is in the path already.
        return (int(self.leaf_index),) if self.leaf_index >= 0 else (self.leaf_name,)

    # --- layouts ---

    def walk_piece(self, name: str, piece: Codec, index: int = -1) -> Iterator[Event]:
        """Walk a piece that starts at the cursor."""
        if not piece.streams:
            yield self.field(name, piece, index)
        elif isinstance(piece, Mark):
            if self.game.has_checkpoints:
                yield self.checkpoint(piece.name)
        elif isinstance(piece, Blob):
            yield from self.walk_blob(name, piece, index)
        elif isinstance(piece, Sequence):
            yield from self._walk_sequence(name, piece, index)
        elif isinstance(piece, Rows):
            yield from self._walk_rows(name, piece, index)
        elif isinstance(piece, Rest):
            yield from self.pass_over(piece.name)
        else:
            yield StructEnter(self.cursor.tell(), name, piece.name, 0, -1, index, -1)
            self.steps.append(name if index < 0 else index)
            yield from self.walk_members(piece)
            self.steps.pop()
            yield StructExit(self.cursor.tell(), name, 0)

    def walk_members(self, piece: Codec) -> Iterator[Event]:
        """Walk the pieces of a record without an event for the record itself."""
        if not isinstance(piece, Struct) or not piece.streams:
            yield from self.walk_piece("value", piece)
            return
        outer = self._tallies
        self._tallies = dict(outer)
        for name, member in zip(piece.names, piece.members, strict=True):
            if isinstance(member, Tally):
                start = self.cursor.tell()
                self._tallies[name] = self._read_tally(member)
                yield self.passed(name, member, start)
            else:
                yield from self.walk_piece(name, member)
        self._tallies = outer

    def walk_blob(self, name: str, blob: Blob, index: int = -1) -> Iterator[Event]:
        """Walk a blob by its layout."""
        yield from self.frame(name, blob.name, self.blob_content(blob), index)

    def blob_content(self, blob: Blob) -> Iterator[Event]:
        """Walk what is in a blob."""
        if blob.content is None:
            yield from self.pass_over(blob.reason)
        else:
            yield from self.walk_members(blob.content)

    def frame(self, name: str, type_name: str, content: Iterator[Event], index: int = -1) -> Iterator[Event]:
        """Walk a blob whose content is walked by `content`; it ends where its size says, whatever is in it."""
        cursor = self.cursor
        if self.game.has_checkpoints:
            yield self.checkpoint(BLOB_START)
        start = cursor.tell()
        size = self.blob_size()
        end = cursor.tell() + size
        self.was_skipped = False
        yield StructEnter(start, name, type_name, 4, size, index, -1)
        if not self.was_skipped:
            outer = cursor.limit()
            cursor.set_limit(end)
            self.steps.append(name if index < 0 else index)
            yield from content
            yield from self.pass_over(f"bytes behind {type_name}")
            self.steps.pop()
            cursor.set_limit(outer)
        yield StructExit(end, name, 0)
        if self.game.has_checkpoints:
            yield self.checkpoint(BLOB_END)

    def blob_size(self) -> i64:
        """Read the size of a blob."""
        cursor = self.cursor
        size = cursor.i32()
        if size < 0 or size > cursor.remaining():
            raise cursor.damaged(
                "size of a blob does not fit", offset=cursor.tell() - 4, expected=f"0 to {cursor.remaining()} bytes", actual=size
            )
        return size

    def checkpoint(self, name: str) -> Checkpoint:
        """Read a checkpoint that must stand here."""
        start = self.cursor.tell()
        return Checkpoint(start, name, self.game.checkpoint(name), 4)

    def pass_over(self, reason: str) -> Iterator[Event]:
        """Claim what is left before the enclosing length ends, if anything is."""
        start = self.cursor.tell()
        end = self.cursor.limit()
        if start < end:
            yield BlobSkip(start, end - start, reason)
            self.cursor.seek(end)

    def _walk_sequence(self, name: str, piece: Sequence, index: int) -> Iterator[Event]:
        count = piece.count if piece.count >= 0 else self._tallies[piece.tally]
        element = piece.element
        if not element.streams:
            yield self.field(name, Repeat(element, count), index)
            return
        yield StructEnter(self.cursor.tell(), name, piece.name, 0, -1, index, count)
        self.steps.append(name if index < 0 else index)
        for position in range(count):
            yield from self.walk_piece("", element, position)
        self.steps.pop()
        yield StructExit(self.cursor.tell(), name, 0)

    def _walk_rows(self, name: str, piece: Rows, index: int) -> Iterator[Event]:
        start = self.cursor.tell()
        count = self.cursor.count(4)
        yield StructEnter(start, name, piece.name, 4, -1, index, count)
        self.steps.append(name if index < 0 else index)
        for position in range(count):
            row = piece.rows[position] if position < len(piece.rows) else Blob(UNKNOWN_ROW, None, UNKNOWN_ROW)
            yield from self.walk_piece("", row, position)
        self.steps.pop()
        yield StructExit(self.cursor.tell(), name, 0)

    def _read_tally(self, piece: Tally) -> i64:
        """Read a count; elements take at least a byte, so more than there are bytes is a lie."""
        if piece.size == 4:
            return self.cursor.count(1)
        count = self.cursor.u8()
        if count > self.cursor.remaining():
            raise self.cursor.damaged(
                f"count {count} does not fit",
                offset=self.cursor.tell() - 1,
                expected=f"0 to {self.cursor.remaining()}",
                actual=count,
            )
        return count

    # --- JSON ---

    def walk_json(self, tokens: JsonTokens, first: Token, name: str, index: int = -1) -> Iterator[Event]:
        """Walk a value whose first token is given."""
        if first.kind in STARTS:
            yield self.json_enter(first, name, index)
            self.steps.append(name if index < 0 else index)
            yield from self.walk_json_members(tokens, is_array=first.kind == "start_array")
            self.steps.pop()
            yield StructExit(tokens.start, name, tokens.end - tokens.start)
        else:
            yield self.json_field(first, name, index)

    def walk_json_members(self, tokens: JsonTokens, *, is_array: bool) -> Iterator[Event]:
        """Walk the members of an object or array that is open, its closing bracket included, which its exit claims."""
        index = 0
        while True:
            token = tokens.next()
            if is_array:
                if token.kind == "end_array":
                    break
                yield from self.walk_json(tokens, token, "", index)
                index += 1
            else:
                if token.kind == "end_map":
                    break
                yield from self.walk_json(tokens, self.join(token, tokens.next()), str(token.value))

    def join(self, key: Token, value: Token) -> Token:
        """Make the first token of a member claim its key too."""
        return Token(value.kind, value.value, key.start, value.end)

    def json_enter(self, token: Token, name: str, index: int = -1) -> StructEnter:
        """Open an object or array."""
        self.cursor.seek(token.end)
        type_name = JSON_ARRAY if token.kind == "start_array" else JSON_OBJECT
        return StructEnter(token.start, name, type_name, token.end - token.start, -1, index, -1)

    def json_field(self, token: Token, name: str, index: int = -1) -> Event:
        """Announce a string, number or word."""
        self.cursor.seek(token.end)
        return self.passed(name, JsonValue(token.value, token.end - token.start), token.start, index)
