"""Layouts -> events.

| piece | events |
|---|---|
| Mark | `Checkpoint`, where the save has them |
| Blob | `Checkpoint`, `StructEnter` that claims the size, content, `StructExit`, `Checkpoint` |
| Record, Rows, Sequence | `StructEnter`, one piece or element after the other, `StructExit` |
| BySize, Sequence of leaves, any other codec | one `Field` |
| Rest, and what follows the known part of a blob | `BlobSkip` |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.length import Length
from streamsave.events import BlobSkip, Checkpoint, Event, StructEnter, StructExit
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.layout import Blob, BySize, Mark, Repeat, Rest, Rows, Sequence, Tally

__all__ = ["CHECKPOINT_SIZE", "SIZE_SIZE", "LayoutWalker"]

BLOB_START: Final = "blob:start"
BLOB_END: Final = "blob:end"
#: Bytes of a blob besides its content: the size, and a checkpoint before and after.
SIZE_SIZE: Final = 4
CHECKPOINT_SIZE: Final = 4
UNKNOWN_ROW: Final = "tracker of unknown layout"


class LayoutWalker:
    """Make events of the pieces at the reader's cursor."""

    def __init__(self, reader: GameReader) -> None:
        self._reader = reader
        #: Counts that were read for sequences after them, by name: the number, and where it is.
        self._tallies: dict[str, tuple[i64, i64, i64]] = {}
        #: How many bytes followed the known parts of blobs so far.
        self.surplus: i64 = 0

    def piece(self, name: str, piece: Codec, index: int = -1) -> Iterator[Event]:
        """Yield the events of a piece that starts at the cursor."""
        reader = self._reader
        if not piece.streams:
            yield reader.field(name, piece, index)
        elif isinstance(piece, Mark):
            if reader.game.has_checkpoints:
                yield self.checkpoint(piece.name)
        elif isinstance(piece, Blob):
            yield from self.blob(name, piece, index)
        elif isinstance(piece, Sequence):
            yield from self._sequence(name, piece, index)
        elif isinstance(piece, Rows):
            yield from self._rows(name, piece, index)
        elif isinstance(piece, BySize):
            yield reader.field(name, piece.choose(reader.cursor), index)
        elif isinstance(piece, Rest):
            yield from self.pass_over(piece.name)
        else:
            yield StructEnter(reader.cursor.tell(), name, piece.name, 0, -1, index, -1)
            reader.steps.append(name if index < 0 else index)
            yield from self.members(piece)
            reader.steps.pop()
            yield StructExit(reader.cursor.tell(), name, 0)

    def members(self, piece: Codec) -> Iterator[Event]:
        """Yield the events of the pieces of a record, without those of the record itself."""
        if not isinstance(piece, Struct) or not piece.streams:
            yield from self.piece("value", piece)
            return
        reader = self._reader
        outer = self._tallies
        self._tallies = dict(outer)
        for name, member in zip(piece.names, piece.members, strict=True):
            if isinstance(member, Tally):
                start = reader.cursor.tell()
                self._tallies[name] = (self._read_tally(member), start, member.size)
                yield reader.passed(name, member, start)
            else:
                yield from self.piece(name, member)
        self._tallies = outer

    # --- blobs ---

    def blob(self, name: str, blob: Blob, index: int = -1) -> Iterator[Event]:
        """Yield the events of a blob whose content has a layout."""
        yield from self.framed(name, blob.name, self.content(blob), index)

    def content(self, blob: Blob) -> Iterator[Event]:
        """Yield the events of what is in a blob."""
        if blob.content is None:
            yield from self.pass_over(blob.reason)
        else:
            yield from self.members(blob.content)

    def framed(self, name: str, type_name: str, content: Iterator[Event], index: int = -1) -> Iterator[Event]:
        """Yield the events of a blob with those of its `content` inside; it ends where its size says, whatever is in it."""
        reader = self._reader
        cursor = reader.cursor
        if reader.game.has_checkpoints:
            yield self.checkpoint(BLOB_START)
        start = cursor.tell()
        size = self._read_blob_size()
        end = cursor.tell() + size
        reader.was_skipped = False
        yield StructEnter(start, name, type_name, SIZE_SIZE, size, index, -1)
        if not reader.was_skipped:
            outer = cursor.limit()
            cursor.set_limit(end)
            reader.steps.append(name if index < 0 else index)
            yield from content
            self.surplus += cursor.remaining()
            yield from self.pass_over(f"bytes after {type_name}")
            reader.steps.pop()
            cursor.set_limit(outer)
        yield StructExit(end, name, 0)
        if reader.game.has_checkpoints:
            yield self.checkpoint(BLOB_END)

    def framed_size(self) -> i64:
        """Return the bytes of the blob that starts here, its size and checkpoints included; the cursor stays.

        Raises:
            DamagedSave: it does not fit, or does not start with its checkpoint.
        """
        cursor = self._reader.cursor
        start = cursor.tell()
        frame: i64 = SIZE_SIZE
        if self._reader.game.has_checkpoints:
            self._reader.game.checkpoint(BLOB_START)
            frame += 2 * CHECKPOINT_SIZE
        size = self._read_blob_size() + frame
        cursor.seek(start)
        if size > cursor.remaining():
            raise cursor.damaged("blob has no room for its end", expected=f"{cursor.remaining()} bytes", actual=size)
        return size

    def _read_blob_size(self) -> i64:
        cursor = self._reader.cursor
        size = cursor.i32()
        if size < 0 or size > cursor.remaining():
            raise cursor.damaged(
                "size of a blob does not fit",
                offset=cursor.tell() - SIZE_SIZE,
                expected=f"0 to {cursor.remaining()} bytes",
                actual=size,
            )
        return size

    # --- what else is in records ---

    def checkpoint(self, name: str) -> Checkpoint:
        """Read a checkpoint that must be here; return its event."""
        game = self._reader.game
        start = game.tell()
        return Checkpoint(start, name, game.checkpoint(name), CHECKPOINT_SIZE)

    def pass_over(self, reason: str) -> Iterator[Event]:
        """Yield a `BlobSkip` for the bytes before the enclosing length ends, if there are any."""
        cursor = self._reader.cursor
        start = cursor.tell()
        end = cursor.limit()
        if start < end:
            cursor.check_reaches(end)
            yield BlobSkip(start, end - start, reason)
            cursor.seek(end)

    def _sequence(self, name: str, piece: Sequence, index: int) -> Iterator[Event]:
        reader = self._reader
        count = piece.count
        at: i64 = -1
        width: i64 = 0
        if count < 0:
            count, at, width = self._tallies[piece.tally]
        element = piece.element
        if not element.streams:
            yield reader.field(name, Repeat(element, count), index)
            return
        enter = StructEnter(reader.cursor.tell(), name, piece.name, 0, -1, index, count)
        if at >= 0:
            reader.counted.append((enter, Length(int(at), int(width), counts=True)))
        yield enter
        reader.steps.append(name if index < 0 else index)
        for position in range(count):
            yield from self.piece("", element, position)
        reader.steps.pop()
        if at >= 0:
            reader.counted.pop()
        yield StructExit(reader.cursor.tell(), name, 0)

    def _rows(self, name: str, piece: Rows, index: int) -> Iterator[Event]:
        reader = self._reader
        start = reader.cursor.tell()
        count = reader.cursor.count(SIZE_SIZE)
        yield StructEnter(start, name, piece.name, SIZE_SIZE, -1, index, count)
        reader.steps.append(name if index < 0 else index)
        for position in range(count):
            row = piece.rows[position] if position < len(piece.rows) else Blob(UNKNOWN_ROW, None, UNKNOWN_ROW)
            yield from self.piece("", row, position)
        reader.steps.pop()
        yield StructExit(reader.cursor.tell(), name, 0)

    def _read_tally(self, piece: Tally) -> i64:
        """Read a count. Each element takes a byte or more, so a count above the bytes that are left is damage."""
        cursor = self._reader.cursor
        if piece.size == 4:
            return cursor.count(1)
        count = cursor.u8()
        if count > cursor.remaining():
            raise cursor.damaged(
                f"count {count} does not fit", offset=cursor.tell() - 1, expected=f"0 to {cursor.remaining()}", actual=count
            )
        return count
