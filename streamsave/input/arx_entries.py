"""Entries of an Arx container -> windows of unpacked bytes, never a whole entry at once.

An entry's chunks, joined, are one packed stream:

| codec | stream | after its end |
|---|---|---|
| stored | the bytes as they are | |
| implode | imploded and encrypted, see `implode` | is ignored, as by the game, which did not always shorten the last chunk |
| deflate | a zlib stream, with its checksum | is damage |

The inflated stream of a save is all entries, one after the other. Never more than the size of an entry and one byte is unpacked.
"""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, Protocol

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.events import ChunkStart
from streamsave.input.implode import Exploder, ImplodeCrypt
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib, inflate_some
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits, exceeded, inflate_ratio

__all__ = ["EntryUnpacker", "EntryWindows", "PackedEntry"]

#: Bytes that are unpacked at a time, and packed bytes that are read for it.
PIECE_SIZE: Final = 64 * 1024
STORED_PIECE_SIZE: Final = 16 * 1024
#: Pieces that are kept: all of a usual entry, so that an entry that is measured first is not unpacked twice.
KEPT_PIECES: Final = 4


class PackedEntry(Protocol):
    """What unpacking needs of a row of the file table."""

    index: int
    #: `"implode"`, `"deflate"`; any other is read as stored.
    codec: str
    #: Unpacked bytes, or -1 where the table does not give them.
    size: int
    #: Packed bytes, all chunks together.
    stored_size: int
    #: Offset in the file and size of each chunk, in the order in which they are joined.
    chunks: list[tuple[int, int]]


def is_stuck(exploder: Exploder) -> bool:
    """Return whether later calls give no bytes either, after one that gave none: no input is missing, and it is not the end."""
    return not exploder.eof and not exploder.needs_input


class EntryUnpacker:
    """Unpack one entry, from its start to its end."""

    def __init__(self, source: Source, entry: PackedEntry, limits: Limits, base: int = 0, stored_before: int = 0) -> None:
        """Begin at the start of an entry; nothing is read yet.

        Args:
            source: the file.
            entry: the row of the file table.
            limits: what to refuse.
            base: offset of the entry in the inflated stream, for errors.
            stored_before: packed bytes of all entries before this one, for the ratio of the whole stream.
        """
        self._source = source
        self._index: int = entry.index
        self._chunks: list[tuple[int, int]] = entry.chunks
        self._stored_size: int = entry.stored_size
        self._limits = limits
        self._base = base
        self._stored_before = stored_before
        self._size: i64 = entry.size
        #: Bytes unpacked so far.
        self.made: i64 = 0
        #: Whether the end was reached and is sound.
        self.complete = False
        self._chunk = 0
        self._chunk_done = 0
        self._packed = b""
        self._codec: str = entry.codec
        self._inflater: Any = fast_zlib.decompressobj() if self._codec == "deflate" else None
        self._exploder: Exploder | None = Exploder() if self._codec == "implode" else None
        self._crypt = ImplodeCrypt()
        #: The error after which nothing more is unpacked.
        self._fault: SaveError | None = None

    def read(self) -> bytes:
        """Return the next bytes; none at the end. After an error, the same error is raised again.

        Raises:
            TruncatedSave: the file ends inside a chunk.
            DamagedSave: the packed bytes are damaged, or unpack to another size than the table gives.
            LimitExceeded: they unpack to more than `Limits.total_inflated_size`, or than `Limits.inflate_ratio` allows.
        """
        if self._fault is not None:
            raise copy.copy(self._fault)
        try:
            return self._produce()
        except SaveError as error:
            self._fault = copy.copy(error)
            raise

    def _produce(self) -> bytes:
        if self.complete:
            return b""
        wanted: i64 = PIECE_SIZE
        if self._size >= 0 and self._size + 1 - self.made < wanted:
            wanted = self._size + 1 - self.made
        if self._codec == "deflate":
            piece = self._inflate(wanted)
        elif self._codec == "implode":
            piece = self._explode(wanted)
        else:
            piece = self._read_stored(wanted)
        self.made += len(piece)
        if self._size >= 0 and (self.made > self._size or (not piece and self.made < self._size)):
            amount = "more" if self.made > self._size else "less"
            error = self._damaged(f"entry unpacks to {amount} than its size", expected=int(self._size), actual=int(self.made))
            sound = piece[: len(piece) - (self.made - self._size)] if self.made > self._size else b""
            if not sound:
                raise error
            self._fault = error  # raised when all bytes before it were read
            return sound
        if not piece:
            self.complete = True
        self._check_limits()
        return piece

    def _read_stored(self, wanted: i64) -> bytes:
        """Return the next packed bytes, of one chunk; none after the last chunk."""
        while self._chunk < len(self._chunks):
            offset, size = self._chunks[self._chunk]
            left = min(size - self._chunk_done, wanted)
            if left == 0:
                self._chunk += 1
                self._chunk_done = 0
                continue
            data = self._source.read_at(offset + self._chunk_done, left)
            if len(data) < left:
                error = TruncatedSave("the file ends inside an entry", self._at(), expected=f"{left} bytes", actual=len(data))
                raise self._located(error)
            self._chunk_done += left
            return data
        return b""

    def _inflate(self, wanted: i64) -> bytes:
        inflater = self._inflater
        while not inflater.eof:
            if not self._packed:
                self._packed = self._read_stored(STORED_PIECE_SIZE)
            data = self._packed
            try:
                piece = inflate_some(inflater, data, wanted)
            except INFLATE_ERRORS:
                raise self._damaged("entry does not inflate") from None
            self._packed = inflater.unconsumed_tail
            if piece:
                return piece
            if not data and not inflater.eof:
                raise self._damaged("deflated entry has no end")
        left_over: int = len(inflater.unused_data) + len(self._read_stored(1))
        if left_over:
            raise self._damaged("bytes after the end of a deflated entry")
        return b""

    def _explode(self, wanted: i64) -> bytes:
        exploder = self._exploder
        if exploder is None:
            return b""
        while not exploder.eof:
            data = b""
            if exploder.needs_input:
                data = self._crypt.apply(self._read_stored(STORED_PIECE_SIZE))
                if not data:
                    raise self._damaged("imploded entry has no end")
            try:
                piece = exploder.decompress(data, wanted)
            except DamagedSave as error:
                raise self._damaged(error.message, expected=error.expected, actual=error.actual) from None
            if piece:
                return piece
            if is_stuck(exploder):
                raise self._damaged("imploded entry makes no progress")
        return b""

    def _check_limits(self) -> None:
        made: int = self.made
        total = self._base + made
        if total > self._limits.total_inflated_size:
            raise self._exceeded("total_inflated_size", total)
        self._check_ratio(made, self._stored_size)
        self._check_ratio(total, self._stored_before + self._stored_size)

    def _check_ratio(self, size: int, stored: int) -> None:
        ratio = inflate_ratio(self._limits, size, stored)
        if ratio > self._limits.inflate_ratio:
            raise self._exceeded("inflate_ratio", ratio)

    # --- errors ---

    def _at(self) -> int:
        return self._base + int(self.made)

    def _damaged(self, message: str, *, expected: object = None, actual: object = None) -> SaveError:
        return self._located(DamagedSave(message, self._at(), expected=expected, actual=actual))

    def _exceeded(self, limit: str, value: int) -> SaveError:
        return self._located(exceeded(self._limits, limit, value, self._at()))

    def _located(self, error: SaveError) -> SaveError:
        error.chunk = self._index
        error.chunk_offset = int(self.made)
        error.compressed_offset = first_offset(self._chunks)
        return error


def first_offset(chunks: list[tuple[int, int]]) -> int:
    """Return where an entry's first chunk starts in the file; 0 where it has none."""
    return chunks[0][0] if chunks else 0


class EntryWindows(Windows):
    """The inflated stream: all entries, one after the other. Windows are of the entry that is walked."""

    def __init__(self, source: Source, limits: Limits, entries: Sequence[PackedEntry]) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._entries: list[PackedEntry] = list(entries)
        #: Offsets in the stream of the entries that were reached so far.
        self._bases: list[int] = []
        #: Packed bytes of the entries before the one that is walked.
        self._stored_before: int = 0
        self._base: i64 = 0
        #: Bytes of the entry that is walked, or -1 while that is unknown.
        self.size: i64 = 0
        self._unpacker: EntryUnpacker | None = None
        self._announced = True
        #: The last pieces, and the position of the first of them in the entry.
        self._kept: list[bytes] = []
        self._kept_start: i64 = 0
        #: Entries that were unpacked; an entry that is unpacked again counts again.
        self.inflated_chunks: int = 0

    def enter(self, index: int, base: i64) -> None:
        """Make an entry the one that is walked; nothing of it is unpacked yet."""
        if index > 0:
            self._stored_before += self._entries[index - 1].stored_size
        self._bases.append(base)
        self._base = base
        self.size = self._entries[index].size
        self._unpacker = None
        self._announced = False
        self._kept = []
        self._kept_start = 0

    def window(self, offset: i64) -> bytes:
        start = offset - self._base
        if start < 0 or (self.size >= 0 and start >= self.size):
            return b""
        if start < self._kept_start:
            self._restart()
        while True:
            at = self._kept_start
            for piece in self._kept:
                if start < at + len(piece):
                    self.window_offset = self._base + at
                    if not self._announced:
                        self._announce()
                    return piece
                at += len(piece)
            if not self._unpack():
                return b""

    def open(self) -> i64:
        """Begin to walk the entry; return its size, as `measure` does."""
        size = self.measure()
        if size > 0 and not self._announced:
            self._announce()
        return size

    def measure(self) -> i64:
        """Return how many bytes the entry has. Where the table does not give the size, the entry is unpacked once.

        Raises:
            SaveError: the entry is damaged, or above a limit.
        """
        if self.size < 0:
            while self._unpack():
                pass
        return self.size

    def finish(self) -> None:
        """Unpack the rest of the entry, to find damage after the last byte that was read.

        Raises:
            SaveError: the entry is damaged, or above a limit.
        """
        while self._unpack():
            pass

    def locate(self, offset: int) -> tuple[int, int, int] | None:
        index = bisect_right(self._bases, offset) - 1
        if index < 0:
            return None
        return index, offset - self._bases[index], first_offset(self._entries[index].chunks)

    def _restart(self) -> None:
        """Go back to the start of the entry."""
        self._unpacker = None
        self._kept = []
        self._kept_start = 0

    def _unpack(self) -> bool:
        """Unpack one more piece; return False at the end of the entry."""
        index = len(self._bases) - 1
        unpacker = self._unpacker
        if unpacker is None:
            unpacker = EntryUnpacker(self._source, self._entries[index], self._limits, self._base, self._stored_before)
            self._unpacker = unpacker
            self.inflated_chunks += 1
        piece = unpacker.read()
        if not piece:
            self.size = unpacker.made
            return False
        self.inflated_bytes += len(piece)
        self.note_total(self._base + unpacker.made, self._limits)
        self._kept.append(piece)
        if len(self._kept) > KEPT_PIECES:
            self._kept_start += len(self._kept[0])
            del self._kept[0]
        return True

    def _announce(self) -> None:
        """Add the event of the entry that was entered."""
        self._announced = True
        index = len(self._bases) - 1
        entry = self._entries[index]
        size: int = self.size
        self.entered.append(
            ChunkStart(self._bases[index], index, size, first_offset(entry.chunks), entry.stored_size, entry.codec)
        )
