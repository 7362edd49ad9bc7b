"""Entries, unpacked piece by piece: never one as a whole, never more than its size and one byte.

An entry's chunks, joined, are one stream: stored as it is, imploded and encrypted (see `implode`), or deflated with zlib's
header and checksum. What follows the end of a deflated stream is damage; behind an imploded one it is passed over, as the game
does: it did not always shorten the last chunk.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Final

from mypy_extensions import i64

from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.events import ChunkStart
from streamsave.formats.arx.header import ArxEntry
from streamsave.formats.arx.implode import Exploder, ImplodeCrypt
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits, exceeded, inflate_ratio

__all__ = ["EntryUnpacker", "EntryWindows"]

#: How much is unpacked at a time, and how much packed is read for it.
PIECE_SIZE: Final = 64 * 1024
STORED_PIECE_SIZE: Final = 16 * 1024
#: Pieces that stay at hand: all of an entry as the game writes them, so that measuring one is not unpacking it twice.
KEPT_PIECES: Final = 4


class EntryUnpacker:
    """Unpacks one entry, from its start to its end."""

    def __init__(self, source: Source, entry: ArxEntry, limits: Limits, base: int = 0, stored_before: int = 0) -> None:
        self._source = source
        self._entry = entry
        self._limits = limits
        #: For errors: where the entry starts in the inflated stream.
        self._base = base
        #: Packed bytes of the entries in front of it.
        self._stored_before = stored_before
        self._size: i64 = entry.size
        #: Bytes unpacked so far; the end was reached, and found to be sound.
        self.made: i64 = 0
        self.complete = False
        self._chunk = 0
        self._chunk_done = 0
        self._packed = b""
        self._codec: str = entry.codec
        self._inflater: Any = fast_zlib.decompressobj() if self._codec == "deflate" else None
        self._exploder: Exploder | None = Exploder() if self._codec == "implode" else None
        self._crypt = ImplodeCrypt()

    def read(self) -> bytes:
        """Give the next bytes; none at the end.

        Raises:
            TruncatedSave: the file ends inside a chunk.
            DamagedSave: the packed bytes are at fault, or make another size than the table tells.
            LimitExceeded: they make more than `Limits.total_inflated_size`, or than `Limits.inflate_ratio` allows.
        """
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
            raise self._damaged(f"entry unpacks to {amount} than its size", expected=int(self._size), actual=int(self.made))
        if not piece:
            self.complete = True
        self._check_limits()
        return piece

    def _read_stored(self, wanted: i64) -> bytes:
        """Give the next packed bytes, of one chunk; none behind the last."""
        chunks = self._entry.chunks
        while self._chunk < len(chunks):
            offset, size = chunks[self._chunk]
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
                piece: bytes = inflater.decompress(data, wanted)
            except INFLATE_ERRORS:
                raise self._damaged("entry does not inflate") from None
            self._packed = inflater.unconsumed_tail
            if piece:
                return piece
            if not data and not inflater.eof:
                raise self._damaged("deflated entry has no end")
        behind: int = len(inflater.unused_data) + len(self._read_stored(1))
        if behind:
            raise self._damaged("bytes behind the end of a deflated entry")
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
        return b""

    def _check_limits(self) -> None:
        limits = self._limits
        made: int = self.made
        total = self._base + made
        if total > limits.total_inflated_size:
            raise self._exceeded("total_inflated_size", total)
        stored = self._entry.stored_size
        self._check_ratio(made, stored)
        self._check_ratio(total, self._stored_before + stored)

    def _check_ratio(self, size: int, stored: int) -> None:
        limits = self._limits
        ratio = inflate_ratio(limits, size, stored)
        if ratio > limits.inflate_ratio:
            raise self._exceeded("inflate_ratio", ratio)

    # --- errors ---

    def _at(self) -> int:
        return self._base + int(self.made)

    def _damaged(self, message: str, *, expected: object = None, actual: object = None) -> SaveError:
        return self._located(DamagedSave(message, self._at(), expected=expected, actual=actual))

    def _exceeded(self, limit: str, value: int) -> SaveError:
        return self._located(exceeded(self._limits, limit, value, self._at()))

    def _located(self, error: SaveError) -> SaveError:
        error.chunk = self._entry.index
        error.chunk_offset = int(self.made)
        error.compressed_offset = first_offset(self._entry)
        return error


def first_offset(entry: ArxEntry) -> int:
    """Tell where an entry's first chunk starts in the file; 0 where it has none."""
    return entry.chunks[0][0] if entry.chunks else 0


class EntryWindows(Windows):
    """The inflated stream: of all entries, one behind the other, the one that is being walked."""

    def __init__(self, source: Source, limits: Limits, entries: list[ArxEntry]) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._entries = entries
        #: Where the entries start in the stream that were reached so far.
        self._bases: list[int] = []
        #: Packed bytes of the entries in front of the one that is walked.
        self._stored_before: int = 0
        self._base: i64 = 0
        #: Bytes of the entry, or -1 as long as nobody knows.
        self.size: i64 = 0
        self._unpacker: EntryUnpacker | None = None
        self._announced = True
        #: The last pieces, and where the first of them starts in the entry.
        self._kept: list[bytes] = []
        self._kept_start: i64 = 0
        #: How many entries were unpacked, not counting what was done again, and how many bytes that made.
        self.inflated_chunks: int = 0
        self.inflated_bytes: int = 0

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
        """Begin to walk the entry: give its size, unpacking it once to measure it where the table does not tell."""
        size = self.measure()
        if size > 0 and not self._announced:
            self._announce()
        return size

    def measure(self) -> i64:
        """Tell how many bytes the entry has."""
        if self.size < 0:
            while self._unpack():
                pass
        return self.size

    def finish(self) -> None:
        """Unpack what is left, to find damage that nobody has looked at."""
        while self._unpack():
            pass

    def locate(self, offset: int) -> tuple[int, int, int] | None:
        index = bisect_right(self._bases, offset) - 1
        if index < 0:
            return None
        return index, offset - self._bases[index], first_offset(self._entries[index])

    def _restart(self) -> None:
        """Go back to the start of the entry."""
        self._unpacker = None
        self._kept = []
        self._kept_start = 0

    def _unpack(self) -> bool:
        """Unpack one more piece; False at the end of the entry."""
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
        """Tell the stream that the entry was entered."""
        self._announced = True
        index = len(self._bases) - 1
        entry = self._entries[index]
        size: int = self.size
        self.entered.append(ChunkStart(self._bases[index], index, size, first_offset(entry), entry.stored_size, entry.codec))
