"""Entries of an Arx container -> unpacked bytes, a piece at a time -> the inflated stream: all entries, one after the other.

An entry's chunks, joined, are one packed stream:

| codec | stream | after its end |
|---|---|---|
| stored | the bytes as they are | |
| implode | imploded and encrypted, see `implode` | is ignored, as by the game, which did not always shorten the last chunk |
| deflate | a zlib stream, with its checksum | is damage |

Never more than the size of an entry and one byte is unpacked. Where the file table gives the size of an entry, that is only a
claim: `reaches` and `readable_end` count the bytes that there are. An entry that unpacks to less than its size ends with its last
byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.events import ChunkStart
from streamsave.input.implode import Exploder, ImplodeCrypt
from streamsave.input.source import Source
from streamsave.input.stages import STORED_BITS, WINDOW_BITS_ZLIB, Inflater, Stage, UnsoundStreamError
from streamsave.input.windows import Windows
from streamsave.limits import Limits, check_limit, inflate_ratio

__all__ = ["EntryUnpacker", "EntryWindows", "PackedEntry"]

#: Bytes that are unpacked at a time, and packed bytes that are read for it.
PIECE_SIZE: Final[i64] = 64 * 1024
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


class ChunksStage(Stage):
    """Chunks of a file, joined."""

    def __init__(self, source: Source, chunks: list[tuple[int, int]]) -> None:
        super().__init__()
        self._source = source
        self._chunks: list[tuple[int, int]] = chunks
        self._next = 0
        self._at: int = 0
        self._left: int = 0
        self._taken: int = 0

    def produce(self, size: i64) -> bytes:
        while self._left == 0:
            if self._next == len(self._chunks):
                return b""
            self._at, self._left = self._chunks[self._next]
            self._next += 1
        wanted = min(self._left, size)
        data = self._source.read_at(self._at, wanted)
        if len(data) < wanted:
            raise TruncatedSave("the file ends inside an entry", expected=f"{wanted} bytes", actual=len(data))
        self._at += wanted
        self._left -= wanted
        self._taken += wanted
        return data

    def consumed(self) -> int:
        return self._taken


class EntryUnpacker(Stage):
    """Unpack one entry, from its start to its end.

    Raises, from `read`:
        TruncatedSave: the file ends inside a chunk.
        DamagedSave: the packed bytes are damaged, or unpack to another size than the table gives.
        LimitExceeded: they unpack to more than `Limits.total_inflated_size`, or than `Limits.inflate_ratio` allows.
    """

    def __init__(self, source: Source, entry: PackedEntry, limits: Limits, base: int = 0, stored_before: int = 0) -> None:
        """Begin at the start of an entry; nothing is read yet.

        Args:
            source: the file.
            entry: the row of the file table.
            limits: what to refuse.
            base: offset of the entry in the inflated stream, for errors.
            stored_before: packed bytes of all entries before this one, for the ratio of the whole stream.
        """
        super().__init__()
        self._entry = entry
        self._limits = limits
        self._base = base
        self._stored_before = stored_before
        self._size: i64 = entry.size
        #: Bytes unpacked so far.
        self.made: i64 = 0
        #: Whether the end was reached and is sound.
        self.complete = False
        self._packed = ChunksStage(source, entry.chunks)
        self._is_deflated = entry.codec == "deflate"
        self._inflater = Inflater(self._packed, WINDOW_BITS_ZLIB if self._is_deflated else STORED_BITS)
        self._exploder: Exploder | None = Exploder() if entry.codec == "implode" else None
        self._crypt = ImplodeCrypt()

    def has_ended(self) -> bool:
        """Return whether the packed stream has come to its own end, with or without bytes after it. A stored one has none."""
        return self._inflater.has_ended if self._exploder is None else self._exploder.eof

    def packed_size(self) -> i64:
        """Return how many packed bytes an imploded stream has that has ended; -1 if it has not."""
        exploder = self._exploder
        return self._packed.consumed() - len(exploder.unused_data) if exploder is not None and exploder.eof else -1

    def produce(self, size: i64) -> bytes:
        if self.complete:
            return b""
        if self._size >= 0 and size > self._size + 1 - self.made:
            size = self._size + 1 - self.made
        try:
            piece = self._inflate(size) if self._exploder is None else self._explode(self._exploder, size)
            self.made += len(piece)
            if self._size >= 0 and (self.made > self._size or (not piece and self.made < self._size)):
                amount = "more" if self.made > self._size else "less"
                message = f"entry unpacks to {amount} than its size"
                fault = self._located(DamagedSave(message, expected=int(self._size), actual=int(self.made)))
                piece = piece[:-1]
                if not piece:
                    raise fault
                self._latched = fault  # raised when all bytes before it were read
                return piece
            self._check_limits()
        except SaveError as error:
            raise self._located(error) from None
        self.complete = not piece
        return piece

    def _inflate(self, wanted: i64) -> bytes:
        inflater = self._inflater
        try:
            piece = inflater.some(wanted)
        except UnsoundStreamError:
            raise DamagedSave("entry does not inflate") from None
        if self._is_deflated and not piece:
            if not inflater.has_ended:
                raise DamagedSave("deflated entry has no end")
            if inflater.has_more():
                raise DamagedSave("bytes after the end of a deflated entry")
        return piece

    def _explode(self, exploder: Exploder, wanted: i64) -> bytes:
        while not exploder.eof:
            data = b""
            if exploder.needs_input:
                data = self._crypt.apply(self._packed.read(STORED_PIECE_SIZE))
                if not data:
                    raise DamagedSave("imploded entry has no end")
            piece = exploder.decompress(data, wanted)
            if piece:
                return piece
        return b""

    def _check_limits(self) -> None:
        limits = self._limits
        made: int = self.made
        total = self._base + made
        stored = self._entry.stored_size
        check_limit(limits, "total_inflated_size", total)
        check_limit(limits, "inflate_ratio", inflate_ratio(limits, made, stored))
        check_limit(limits, "inflate_ratio", inflate_ratio(limits, total, self._stored_before + stored))

    def _located(self, error: SaveError) -> SaveError:
        made = int(self.made)
        return error._in_chunk(self._entry.index, made, first_offset(self._entry.chunks), self._base + made)


def first_offset(chunks: list[tuple[int, int]]) -> int:
    """Return where an entry's first chunk starts in the file; 0 where it has none."""
    return chunks[0][0] if chunks else 0


class EntryWindows(Windows):
    """The inflated stream: all entries, one after the other. Windows are of the entry that is walked; each is a chunk."""

    def __init__(self, source: Source, limits: Limits, entries: Sequence[PackedEntry]) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._entries: list[PackedEntry] = list(entries)
        #: Packed bytes of the entries before the one that is walked.
        self._stored_before: int = 0
        self._base: i64 = 0
        #: Bytes of the entry that is walked, or -1 while that is unknown.
        self.size: i64 = 0
        #: The most bytes that any unpacker of this entry has given: it may start again. `made` may count one more than the size.
        self._unpacked: i64 = 0
        self._announced = True
        self._restart()
        #: Entries that were unpacked; an entry that is unpacked again counts again.
        self.inflated_chunks: int = 0

    def enter(self, index: int, base: i64) -> None:
        """Make an entry the one that is walked; nothing of it is unpacked yet."""
        if index > 0:
            self._stored_before += self._entries[index - 1].stored_size
        self.starts.append(base)
        self.file_offsets.append(first_offset(self._entries[index].chunks))
        self._base = base
        self.size = self._entries[index].size
        self._unpacked = 0
        self._announced = False
        self._restart()

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

    def reaches(self, offset: i64) -> bool:
        wanted = offset - self._base
        while wanted > self._unpacked:
            if not self._unpack():
                return False
        return True

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Return where the entry that is walked ends: no entry after it was reached."""
        try:
            self.finish()
        except SaveError:  # it was reported, or comes after what was
            return int(self._base + self._unpacked), False
        return int(self._base + self._unpacked), True

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
            self.finish()
        return self.size

    def packed_size(self) -> i64:
        """Return how many packed bytes the entry's imploded stream has, once it was unpacked to its end; else -1."""
        return -1 if self._unpacker is None else self._unpacker.packed_size()

    def finish(self) -> None:
        """Unpack the rest of the entry, to find damage after the last byte that was read.

        Raises:
            SaveError: the entry is damaged, or above a limit.
        """
        while self._unpack():
            pass

    def _restart(self) -> None:
        """Go back to the start of the entry."""
        self._unpacker: EntryUnpacker | None = None
        #: The last pieces, and the position of the first of them in the entry.
        self._kept: list[bytes] = []
        self._kept_start: i64 = 0

    def _unpack(self) -> bool:
        """Unpack one more piece; return False at the end of the entry."""
        index = len(self.starts) - 1
        if index < 0:
            return False  # no entry was entered
        unpacker = self._unpacker
        if unpacker is None:
            unpacker = EntryUnpacker(self._source, self._entries[index], self._limits, self._base, self._stored_before)
            self._unpacker = unpacker
            self.inflated_chunks += 1
        piece = unpacker.read(PIECE_SIZE)
        if not piece:
            self.size = unpacker.made
            return False
        self.note_total(self._base + unpacker.made, self._limits)
        self._kept.append(piece)
        self._unpacked = max(self._unpacked, self._kept_start + sum(map(len, self._kept)))
        if len(self._kept) > KEPT_PIECES:
            self._kept_start += len(self._kept[0])
            del self._kept[0]
        return True

    def _announce(self) -> None:
        """Add the event of the entry that was entered."""
        self._announced = True
        index = len(self.starts) - 1
        entry = self._entries[index]
        size: int = self.size
        self.entered.append(
            ChunkStart(self.starts[index], index, size, first_offset(entry.chunks), entry.stored_size, entry.codec)
        )
