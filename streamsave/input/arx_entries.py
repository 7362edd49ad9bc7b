"""Entries of an Arx container -> unpacked bytes, a piece at a time, never a whole entry at once.

An entry's chunks, joined, are one packed stream:

| codec | stream | after its end |
|---|---|---|
| stored | the bytes as they are | |
| implode | imploded and encrypted, see `implode` | is ignored, as by the game, which did not always shorten the last chunk |
| deflate | a zlib stream, with its checksum | is damage |

Never more than the size of an entry and one byte is unpacked. `entry_windows` makes one stream of all entries.
"""

from __future__ import annotations

import copy
from typing import Any, Final, Protocol

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.input.implode import Exploder, ImplodeCrypt
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib, inflate_some
from streamsave.input.source import Source
from streamsave.limits import Limits, exceeded, inflate_ratio

__all__ = ["EntryUnpacker", "PackedEntry", "first_offset"]

#: Bytes that are unpacked at a time, and packed bytes that are read for it.
PIECE_SIZE: Final = 64 * 1024
STORED_PIECE_SIZE: Final = 16 * 1024


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
        #: Packed bytes that were read.
        self._taken: i64 = 0
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

    def has_ended(self) -> bool:
        """Return whether the packed stream has come to its own end, with or without bytes after it. A stored one has none."""
        if self._exploder is not None:
            return self._exploder.eof
        return self._inflater is not None and bool(self._inflater.eof)

    def packed_size(self) -> i64:
        """Return how many packed bytes an imploded stream has that has ended; -1 if it has not."""
        exploder = self._exploder
        return self._taken - len(exploder.unused_data) if exploder is not None and exploder.eof else -1

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
            self._taken += left
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
