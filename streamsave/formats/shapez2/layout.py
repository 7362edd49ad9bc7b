"""Layouts with checkpoints and lengths inside: tables that a reader walks, event by event.

| piece | bytes | events |
|---|---|---|
| Mark | a checkpoint, where the save has them | `Checkpoint` |
| Blob | checkpoint, i32 size, content, checkpoint | `Checkpoint`, `StructEnter`, content, `StructExit`, `Checkpoint` |
| Record | pieces one after the other | `StructEnter`, the pieces, `StructExit` |
| Tally | a count, for the Sequence of the same record that names it | `Field` |
| Sequence | elements, as many as a number says or a tally has read | as of a Record; one `Field` if they are leaves |
| Rows | i32 count, then elements whose layouts differ by position | as of a Record |
| BySize | a leaf whose layout follows from the bytes up to the enclosing length | `Field` |
| Rest, and after the known part of a blob | everything up to the enclosing length, opaque | `BlobSkip` |
| any other codec | | `Field` |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec, Repeat, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length
from streamsave.events import Checkpoint, Event, StructEnter, StructExit
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.primitives import Alias

__all__ = [
    "BLOB_END",
    "CHECKPOINT_SIZE",
    "SIZE_SIZE",
    "Blob",
    "BySize",
    "LayoutWalker",
    "Mark",
    "Record",
    "Rest",
    "Rows",
    "Sequence",
    "Tally",
]

BLOB_START: Final = "blob:start"
BLOB_END: Final = "blob:end"
#: Bytes of a blob besides its content: the size, and a checkpoint before and after.
SIZE_SIZE: Final = 4
CHECKPOINT_SIZE: Final = 4
UNKNOWN_ROW: Final = "tracker of unknown layout"


class Node(Codec):
    """A piece that makes several events."""

    def __init__(self, name: str, least: i64 = 0) -> None:
        super().__init__(name, -1, least)
        self.streams = True


class Mark(Node):
    """A checkpoint; takes no bytes where they are off."""


class Blob(Node):
    """A size, and content of that size. Without a codec it is opaque, and `reason` says why."""

    def __init__(self, name: str, content: Codec | None, reason: str = "") -> None:
        super().__init__(name, SIZE_SIZE)
        self.content = content
        self.reason = reason


class Record(Struct):
    """Named pieces one after the other."""

    def __init__(self, record_name: str, /, **members: Codec) -> None:
        super().__init__(record_name, None, **members)
        self.size = -1
        self.streams = True


class Tally(Alias):
    """A count, for a Sequence that comes later."""

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec.name, codec)


class Sequence(Node):
    """Elements: `count` of them, or the number that the Tally called `tally` has read."""

    def __init__(self, element: Codec, count: i64 = -1, tally: str = "") -> None:
        super().__init__(f"{element.name}[]", element.least * count if count > 0 else 0)
        self.element = element
        self.count: i64 = count
        self.tally = tally


class Rows(Node):
    """A count, then elements, each with a layout of its own; elements after the last known one are opaque blobs."""

    def __init__(self, name: str, rows: list[Codec]) -> None:
        super().__init__(name, SIZE_SIZE)
        self.rows = rows


class BySize(Node):
    """A leaf; `choose` returns its layout, by the bytes from the cursor up to the enclosing length."""

    def __init__(self, name: str, least: i64, choose: Callable[[Cursor], Codec]) -> None:
        super().__init__(name, least)
        self.choose = choose


class Rest(Node):
    """Everything up to the enclosing length, of which no layout is known: its name says why."""


class LayoutWalker:
    """Make events of the pieces at the reader's cursor."""

    def __init__(self, reader: GameReader) -> None:
        self.reader = reader
        #: Counts that were read for sequences after them, by name: the number, and where it is.
        self._tallies: dict[str, tuple[i64, i64, i64]] = {}
        #: How many bytes followed the known parts of blobs so far.
        self.surplus: i64 = 0

    def piece(self, name: str, piece: Codec, index: int = -1) -> Iterator[Event]:
        """Yield the events of a piece that starts at the cursor."""
        reader = self.reader
        if not piece.streams:
            yield reader.field(name, piece, index)
        elif isinstance(piece, Mark):
            if reader.game.has_checkpoints:
                yield self.checkpoint(piece.name)
        elif isinstance(piece, Blob):
            yield from self.framed(name, piece.name, self.content(piece), index)
        elif isinstance(piece, BySize):
            yield reader.field(name, piece.choose(reader.cursor), index)
        elif isinstance(piece, Rest):
            yield from reader.blob(reader.cursor.limit(), piece.name)
        elif isinstance(piece, Sequence) and not piece.element.streams:
            yield reader.field(name, Repeat(piece.element, self._count(piece)[0]), index)
        else:
            yield from self._nested(name, piece, index)

    def _nested(self, name: str, piece: Codec, index: int) -> Iterator[Event]:
        """Yield the events of a record or of elements, in a nesting of their own."""
        reader = self.reader
        start = reader.cursor.tell()
        count, at, width = self._count(piece)
        enter = StructEnter(start, name, piece.name, reader.cursor.tell() - start, -1, index, count)
        if at >= 0:
            reader.counted.append((enter, Length(int(at), int(width), counts=True)))
        yield enter
        reader.steps.append(name if index < 0 else index)
        if count < 0:
            yield from self.members(piece)
        for position in range(count):
            yield from self.piece("", element_of(piece, position), position)
        reader.steps.pop()
        if at >= 0:
            reader.counted.pop()
        yield StructExit(reader.cursor.tell(), name, 0)

    def _count(self, piece: Codec) -> tuple[i64, i64, i64]:
        """Return how many elements a piece has (a record: -1), and where a tally of them is: the offset, or -1, and bytes."""
        if isinstance(piece, Sequence) and piece.count < 0:
            return self._tallies[piece.tally]
        if isinstance(piece, Rows):
            return self.reader.cursor.count(SIZE_SIZE), -1, 0
        count = piece.count if isinstance(piece, Sequence) else -1
        return count, -1, 0

    def members(self, piece: Codec) -> Iterator[Event]:
        """Yield the events of the pieces of a record, without those of the record itself."""
        if not isinstance(piece, Struct) or not piece.streams:
            yield from self.piece("value", piece)
            return
        outer = self._tallies
        self._tallies = dict(outer)
        for name, member in zip(piece.names, piece.members, strict=True):
            if isinstance(member, Tally):
                start = self.reader.cursor.tell()
                self._tallies[name] = (self._read_tally(member), start, member.size)
                yield self.reader.passed(name, member, start)
            else:
                yield from self.piece(name, member)
        self._tallies = outer

    # --- blobs ---

    def content(self, blob: Blob) -> Iterator[Event]:
        """Yield the events of what is in a blob."""
        if blob.content is None:
            yield from self.reader.blob(self.reader.cursor.limit(), blob.reason)
        else:
            yield from self.members(blob.content)

    def framed(self, name: str, type_name: str, content: Iterator[Event], index: int = -1) -> Iterator[Event]:
        """Yield the events of a blob with those of its `content` inside; it ends where its size says, whatever is in it."""
        reader = self.reader
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
            if cursor.tell() < end:  # few blobs have more than is known
                yield from reader.blob(end, f"bytes after {type_name}")
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
        cursor = self.reader.cursor
        start = cursor.tell()
        frame: i64 = SIZE_SIZE
        if self.reader.game.has_checkpoints:
            self.reader.game.checkpoint(BLOB_START)
            frame += 2 * CHECKPOINT_SIZE
        size = self._read_blob_size() + frame
        cursor.seek(start)
        if size > cursor.remaining():
            raise cursor.damaged("blob has no room for its end", expected=f"{cursor.remaining()} bytes", actual=size)
        return size

    def _read_blob_size(self) -> i64:
        cursor = self.reader.cursor
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
        game = self.reader.game
        start = game.tell()
        return Checkpoint(start, name, game.checkpoint(name), CHECKPOINT_SIZE)

    def _read_tally(self, piece: Tally) -> i64:
        """Read a count. Each element takes a byte or more, so a count above the bytes that are left is damage."""
        cursor = self.reader.cursor
        if piece.size == 4:
            return cursor.count(1)
        count = cursor.u8()
        if count > cursor.remaining():
            raise cursor.damaged(
                f"count {count} does not fit", offset=cursor.tell() - 1, expected=f"0 to {cursor.remaining()}", actual=count
            )
        return count


def element_of(piece: Codec, position: i64) -> Codec:
    """Return the layout of an element of a sequence, or of rows."""
    if isinstance(piece, Sequence):
        return piece.element
    if isinstance(piece, Rows) and position < len(piece.rows):
        return piece.rows[position]
    return Blob(UNKNOWN_ROW, None, UNKNOWN_ROW)
