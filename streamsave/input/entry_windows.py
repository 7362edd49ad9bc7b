"""The inflated stream of an Arx save: all entries, unpacked, one after the other.

Where the file table gives the size of an entry, that is only a claim: `reaches` and `readable_end` count the bytes that there
are. An entry that unpacks to less than its size ends with its last byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from streamsave._native import i64
from streamsave.errors import SaveError
from streamsave.events import ChunkStart
from streamsave.input.arx_entries import EntryUnpacker, PackedEntry, first_offset
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["EntryWindows"]

#: Pieces that are kept: all of a usual entry, so that an entry that is measured first is not unpacked twice.
KEPT_PIECES: Final = 4


class EntryWindows(Windows):
    """The inflated stream: all entries, one after the other. Windows are of the entry that is walked."""

    def __init__(self, source: Source, limits: Limits, entries: Sequence[PackedEntry]) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._entries: list[PackedEntry] = list(entries)
        #: Offsets in the stream of the entries that were reached so far.
        self.bases: list[int] = []
        #: Packed bytes of the entries before the one that is walked.
        self._stored_before: int = 0
        self._base: i64 = 0
        #: Bytes of the entry that is walked, or -1 while that is unknown.
        self.size: i64 = 0
        self._unpacker: EntryUnpacker | None = None
        #: Bytes that the unpacker has given, and the most that any unpacker of this entry has: it may start again. `made` may
        #: count a byte more than the size.
        self._given: i64 = 0
        self._unpacked: i64 = 0
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
        self.bases.append(base)
        self._base = base
        self.size = self._entries[index].size
        self._unpacker = None
        self._given = 0
        self._unpacked = 0
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
            while self._unpack():
                pass
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

    def locate(self, offset: int) -> tuple[int, int, int] | None:
        index = bisect_right(self.bases, offset) - 1
        if index < 0:
            return None
        return index, offset - self.bases[index], first_offset(self._entries[index].chunks)

    def _restart(self) -> None:
        """Go back to the start of the entry."""
        self._unpacker = None
        self._given = 0
        self._kept = []
        self._kept_start = 0

    def _unpack(self) -> bool:
        """Unpack one more piece; return False at the end of the entry."""
        index = len(self.bases) - 1
        if index < 0:
            return False  # no entry was entered
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
        self._given += len(piece)
        if self._given > self._unpacked:
            self._unpacked = self._given
        if len(self._kept) > KEPT_PIECES:
            self._kept_start += len(self._kept[0])
            del self._kept[0]
        return True

    def _announce(self) -> None:
        """Add the event of the entry that was entered."""
        self._announced = True
        index = len(self.bases) - 1
        entry = self._entries[index]
        size: int = self.size
        self.entered.append(
            ChunkStart(self.bases[index], index, size, first_offset(entry.chunks), entry.stored_size, entry.codec)
        )
