"""Compressed chunks -> windows of inflated bytes, and the table that lets the stream jump without inflating.

A chunk is an Unreal archive of one block (`archive_header`): the sizes in its header and in the one row of its table are the
same, and what follows is one zlib stream.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from contextlib import suppress
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, LimitExceeded, SaveError, TruncatedSave, UnsupportedSave
from streamsave.events import ChunkStart
from streamsave.input.archive_header import (
    COMPRESSOR_ZLIB,
    HEADER_V1_SIZE,
    HEADER_V2_SIZE,
    NO_COMPRESSOR,
    PACKAGE_FILE_TAG,
    ROW,
    read_archive_header,
)
from streamsave.input.source import Source
from streamsave.input.stages import INFLATE_ERRORS, fast_zlib, inflate, sound_size
from streamsave.input.windows import FILE_WINDOW_SIZE, Windows
from streamsave.limits import Limits, check_limit

__all__ = ["ChunkTable"]

#: Sizes of the header of a chunk, the row of its table included.
CHUNK_HEADER_V1_SIZE: Final = HEADER_V1_SIZE + ROW.size
CHUNK_HEADER_V2_SIZE: Final = HEADER_V2_SIZE + ROW.size
#: The version of a header, by its size.
ARCHIVE_VERSIONS: Final[dict[int, int]] = {CHUNK_HEADER_V1_SIZE: 1, CHUNK_HEADER_V2_SIZE: 2}
#: How a header starts.
TAG_SIZE: Final = 4
TAG: Final = re.compile(re.escape(PACKAGE_FILE_TAG.to_bytes(TAG_SIZE, "little")))
#: Bytes that are read first to find the end of a chunk whose header is damaged.
FIRST_LOOK: Final = 32 * 1024
#: Inflated chunks that are kept: two cursors walk the stream, and small levels send them back and forth.
CACHED_CHUNKS: Final = 3
#: Errors of chunks that are kept: searches after damage come back to them.
KEPT_FAULTS: Final = 1024
#: Marks a chunk that had its event, and was inflated.
SEEN: Final = 2


class ChunkTable(Windows):
    """The chunks of a save: their places in the file and in the inflated stream, from their headers alone.

    The table grows on demand, so that the first events of a pipe come before its end.
    """

    def __init__(self, source: Source, offset: int, limits: Limits) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._first = offset
        #: Where the next chunk header is in the file, and how many inflated bytes come before it.
        self._next_offset: int = offset
        self._inflated_size: int = 0
        self._complete = False
        #: One entry for each chunk: where its compressed bytes start in the file, their size, and the size they inflate to; 1 if
        #: it had its event, or `SEEN`.
        self._payloads: list[tuple[int, int, int]] = []
        self._announced = bytearray()
        #: Go on after a chunk whose header is damaged, if its sizes are known in another way. Its bytes are lost.
        self.bridges = False
        #: The size of the whole inflated stream, as the save itself says; -1 until it was read.
        self.declared_size: int = -1
        #: Damaged headers: index of the chunk -> error.
        self._faults: dict[int, SaveError] = {}
        self._cache: dict[int, bytes] = {}
        #: Chunks that do not inflate: index -> error, for the last few.
        self._broken: dict[int, SaveError] = {}
        #: Where no sizes were found for a damaged header, and the declared size that was known there.
        self._dead_end: tuple[int, int] | None = None
        #: Where the last chunk ends, -1 until it was looked at, and whether it is sound.
        self._last_end: int = -1
        self._last_is_sound = True
        #: How many chunks were inflated.
        self.inflated_chunks: int = 0

    def window(self, offset: i64) -> bytes:
        index = self.find(offset)
        if index < 0:
            return b""
        self.window_offset = self.starts[index]
        if not self._announced[index]:
            self._announced[index] = 1
            start, compressed_size, inflated_size = self._payloads[index]
            offset = self.file_offsets[index]
            version = ARCHIVE_VERSIONS.get(start - offset, 0)
            self.entered.append(ChunkStart(self.window_offset, index, inflated_size, offset, compressed_size, "zlib", version))
        data = self._cache.get(index)
        if data is None:
            data = self._inflate(index)
            if len(self._cache) >= CACHED_CHUNKS:
                del self._cache[next(iter(self._cache))]
            self._cache[index] = data
        return data

    def window_end(self, offset: i64) -> i64:
        try:
            index = self.find(offset)
        except SaveError:
            return -1
        return -1 if index < 0 else self.starts[index] + self._payloads[index][2]

    def find(self, offset: int) -> int:
        """Return the index of the chunk that holds an inflated offset, or -1 if the stream ends before it.

        Raises:
            SaveError: the header of a chunk up to there is damaged, or above a limit.
        """
        while offset >= self._inflated_size:
            if not self._extend():
                return -1
        return bisect_right(self.starts, offset) - 1

    def inflated_size(self) -> int:
        """Walk all chunk headers and return the size of the whole inflated stream.

        Raises:
            SaveError: a header is damaged, or above a limit.
        """
        while self._extend():
            pass
        return self._inflated_size

    def reaches(self, offset: i64) -> bool:
        return offset <= 0 or self.find(offset - 1) >= 0

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Return where the chunks end, by their headers; the last one where its bytes do, if only its size lies."""
        try:
            end = self.inflated_size()
        except SaveError:  # it was reported, or comes after what was
            return self._inflated_size, False
        if self._last_end < 0:
            self._last_end = end
            last = len(self._payloads) - 1
            if last >= 0 and last not in self._cache:
                offset, compressed_size, inflated_size = self._payloads[last]
                size = sound_size(self._source.read_at(offset, compressed_size), inflated_size)
                self._last_is_sound = size == inflated_size
                self._last_end = end - inflated_size + size if size >= 0 else end
        return self._last_end, self._last_is_sound and not self._broken and not self._faults

    def place(self, index: int) -> tuple[int, int, int, int]:
        """Return where a chunk starts and ends in the file, its header included, and where in the inflated stream."""
        start, size = self.starts[index], self._payloads[index][2]
        payload, compressed_size, _ = self._payloads[index]
        return self.file_offsets[index], payload + compressed_size, start, start + size

    def inflate_rest(self) -> None:
        """Inflate the chunks that were walked, but not inflated so far.

        Raises:
            SaveError: one is damaged, or above a limit.
        """
        for index in range(len(self.file_offsets)):
            if self._announced[index] < SEEN:
                self._inflate(index)

    def _extend(self) -> bool:
        """Walk one more chunk header; return False at the end of the file."""
        if self._complete:
            return False
        try:
            return self._walk_header(self._next_offset)
        except SaveError as error:
            raise self._of_header(error) from None

    def _walk_header(self, offset: int) -> bool:
        header = self._source.read_at(offset, CHUNK_HEADER_V2_SIZE)
        if not header:
            self._complete = True
            return False
        limits = self._limits
        try:
            header_size, compressed_size, inflated_size = self._parse(header)
        except (DamagedSave, UnsupportedSave) as error:
            dead_end = (offset, self.declared_size)
            sizes = None
            if self.bridges and dead_end != self._dead_end:
                sizes = self._bridge(offset) or self._gap(offset)
                if sizes is None:
                    self._dead_end = dead_end  # to look again costs as much as the whole file
            if sizes is None:
                raise
            header_size, compressed_size, inflated_size = sizes
            self._faults[len(self.file_offsets)] = copy.copy(self._of_header(error))
        else:
            check_limit(limits, "chunk_inflated_size", inflated_size)
            check_limit(limits, "chunk_compressed_size", compressed_size)
        total = self._inflated_size + inflated_size
        end = offset + header_size + compressed_size
        self.check_total(total, end - self._first, limits)
        self.file_offsets.append(offset)
        self.starts.append(self._inflated_size)
        self._payloads.append((offset + header_size, compressed_size, inflated_size))
        self._announced.append(0)
        self._inflated_size = total
        self._next_offset = end
        return True

    def _parse(self, data: bytes) -> tuple[int, int, int]:
        """Read the header of a chunk; return its own size, and the compressed and the inflated size of the chunk."""
        header = read_archive_header(data, rows=1)
        if header.compressor != COMPRESSOR_ZLIB and header.compressor != NO_COMPRESSOR:
            raise UnsupportedSave("unknown compression", expected="3 (zlib)", actual=header.compressor)
        largest = _signed(header.block_size)
        totals = (_signed(header.compressed_size), _signed(header.inflated_size))
        row = ROW.unpack_from(data, header.size)
        sizes = (_signed(row[0]), _signed(row[1]))
        for is_sound, message, expected, actual in (
            (totals == sizes, "the two pairs of chunk sizes disagree", totals, sizes),
            (1 <= sizes[1] <= largest, "wrong inflated size of a chunk", f"1 to {largest}", sizes[1]),
            (sizes[0] >= 1, "wrong compressed size of a chunk", "at least 1", sizes[0]),
        ):
            if not is_sound:
                raise DamagedSave(message, expected=expected, actual=actual)
        return header.size + ROW.size, *sizes

    def _bridge(self, offset: int) -> tuple[int, int, int] | None:
        """Find the sizes of a chunk whose header is damaged, by inflating: a zlib stream marks its end, and has a checksum.

        Returns:
            As `_parse`; None if there is no sound zlib stream.
        """
        largest = CHUNK_HEADER_V2_SIZE + self._limits.chunk_compressed_size
        size = FIRST_LOOK
        while True:
            ahead = self._source.read_at(offset, min(size, largest))
            for header_size in (CHUNK_HEADER_V1_SIZE, CHUNK_HEADER_V2_SIZE):
                inflater: Any = fast_zlib.decompressobj()
                try:
                    inflated_size = len(inflater.decompress(ahead[header_size:], self._limits.chunk_inflated_size + 1))
                except INFLATE_ERRORS:
                    continue
                if inflater.eof and inflated_size > 0:
                    return header_size, len(ahead) - header_size - len(inflater.unused_data), inflated_size
            if len(ahead) < size:
                return None
            size *= 2

    def _gap(self, offset: int) -> tuple[int, int, int] | None:
        """Find the sizes of the gap before the next sound header: chunks of which nothing is left.

        They inflate to the declared size of the stream less all other chunks.

        Returns:
            As `_parse`, with a header of no bytes; None if the sizes cannot be known.
        """
        place = self._find_header(offset + 1)
        if self.declared_size < 0 or place < 0:
            return None
        inflated_size = self.declared_size - self._inflated_size
        at = place
        while header := self._source.read_at(at, CHUNK_HEADER_V2_SIZE):
            try:
                sizes = self._parse(header)
            except SaveError:
                return None
            at += sizes[0] + sizes[1]
            inflated_size -= sizes[2]
            if inflated_size <= 0:
                return None
        return 0, place - offset, inflated_size

    def _find_header(self, start: int) -> int:
        """Return where the first sound chunk header is from `start` on, or -1."""
        at = start
        # Or there is room for a header of version 1 and one more byte.
        while len(piece := self._source.read_at(at, FILE_WINDOW_SIZE)) >= CHUNK_HEADER_V2_SIZE:
            last = len(piece) - CHUNK_HEADER_V2_SIZE
            for found in TAG.finditer(piece, 0, last + TAG_SIZE):
                with suppress(SaveError):
                    self._parse(piece[found.start() :])
                    return at + found.start()
            at += last + 1
        return -1

    def _inflate(self, index: int) -> bytes:
        known = self._faults.get(index) or self._broken.get(index)
        if known is not None:
            raise copy.copy(known)
        offset, compressed_size, inflated_size = self._payloads[index]
        try:
            data = self._source.read_at(offset, compressed_size)
        except LimitExceeded as beyond:  # the spool
            raise self._placed(beyond, index) from None
        if len(data) < compressed_size:
            expected = f"{compressed_size} bytes"
            raise self._placed(TruncatedSave("the file ends inside a chunk", expected=expected, actual=len(data)), index)
        try:
            inflated = inflate(data, inflated_size)
        except ValueError as fault:
            error = self._placed(DamagedSave(f"chunk does not inflate: {fault}"), index)
            if len(self._broken) >= KEPT_FAULTS:
                del self._broken[next(iter(self._broken))]
            self._broken[index] = copy.copy(error)
            raise error from None
        self.inflated_chunks += 1
        if self._announced[index] < SEEN:
            self._announced[index] = SEEN
        return inflated

    def _of_header(self, error: SaveError) -> SaveError:
        """Return an error with the place of the chunk header that is walked."""
        return error._in_chunk(len(self.file_offsets), 0, self._next_offset, self._inflated_size)

    def _placed(self, error: SaveError, index: int) -> SaveError:
        return error._in_chunk(index, 0, self.file_offsets[index], self.starts[index])


def _signed(size: int) -> int:
    """Return the i64 of the same bits: a size beyond that is negative for the game too."""
    return size - (1 << 64) if size >> 63 else size
