"""Compressed members -> windows of inflated bytes, without keeping a member in memory.

The chunks one after the other are the inflated stream: the members of an archive, or the one payload of a blueprint code. Each is
inflated forward, a window at a time; to go back further than the cached windows, it is inflated again from its start.
"""

from __future__ import annotations

import copy
import zlib
from bisect import bisect_right
from contextlib import suppress
from functools import partial
from typing import Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, LimitExceeded, SaveError, TruncatedSave
from streamsave.events import ChunkStart
from streamsave.input.source import gathered
from streamsave.input.stages import STORED_BITS, WINDOW_BITS_DEFLATE, WINDOW_BITS_GZIP, Inflater, Stage, UnsoundStreamError
from streamsave.input.windows import Windows
from streamsave.limits import Limits, check_limit, inflate_ratio

__all__ = ["CODEC_NAMES", "DEFLATE", "GZIP_BASE64", "STORED", "Chunk", "StreamedWindows"]

#: Windows start at multiples of this many bytes in each chunk, so that they do not depend on the kind of source.
WINDOW_SIZE: Final = 64 * 1024
#: Windows that are kept: what was measured is often read next.
CACHED_WINDOWS: Final = 4

STORED: Final = 0
DEFLATE: Final = 8
GZIP_BASE64: Final = -1
CODEC_NAMES: Final[dict[int, str]] = {STORED: "stored", DEFLATE: "deflate", GZIP_BASE64: "gzip+base64"}
WINDOW_BITS: Final[dict[int, int]] = {STORED: STORED_BITS, DEFLATE: WINDOW_BITS_DEFLATE, GZIP_BASE64: WINDOW_BITS_GZIP}


class Chunk:
    """One row of the table of chunks."""

    def __init__(self, name: str, method: int, size: int, compressed_size: int, compressed_offset: int, crc: int) -> None:
        self.name = name
        self.method = method
        #: How many inflated bytes, and where they start in the inflated stream.
        self.size = size
        self.offset: int = 0
        self.compressed_size = compressed_size
        #: Where its header starts in the file.
        self.compressed_offset = compressed_offset
        #: CRC-32 of the inflated bytes; -1 if the compressed bytes have one of their own.
        self.crc = crc


class StreamedWindows(Windows):
    """The inflated stream of a table of chunks that are inflated piece by piece."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self.chunks: list[Chunk] = []
        #: Compressed bytes of all chunks.
        self._stored_size: int = 0
        self._announced = bytearray()
        self._cache: dict[int, bytes] = {}
        #: The chunk that is inflated now: its index, how many bytes came out of it, their CRC-32.
        self._index: int = -1
        self._done: int = 0
        self._crc: int = 0
        self._inflater: Inflater | None = None
        #: The error of that chunk, and where in it the window starts that cannot be read: raised again by later reads.
        self._broken: SaveError | None = None
        self._broken_start: int = 0
        #: Chunks that are sound, but smaller than they declare: index -> how many bytes, and the error.
        self._short: dict[int, tuple[int, SaveError]] = {}

    def add(self, chunk: Chunk) -> None:
        """Append a chunk.

        Raises:
            LimitExceeded: the stream would be above `Limits.total_inflated_size` or `Limits.inflate_ratio`.
        """
        limits = self._limits
        chunk.offset = self.size()
        total = chunk.offset + chunk.size
        stored_size = self._stored_size + chunk.compressed_size
        ratio = max(inflate_ratio(limits, chunk.size, chunk.compressed_size), inflate_ratio(limits, total, stored_size))
        try:
            check_limit(limits, "total_inflated_size", total, chunk.offset, subject=chunk.name)
            self.note_total(total, limits)
            check_limit(limits, "inflate_ratio", ratio, chunk.offset, subject=chunk.name)
        except LimitExceeded as error:
            raise error._in_chunk(len(self.chunks), 0, chunk.compressed_offset) from None
        self._stored_size = stored_size
        self.chunks.append(chunk)
        self.starts.append(chunk.offset)
        self.file_offsets.append(chunk.compressed_offset)
        self._announced.append(0)

    def size(self) -> int:
        """Return the size of the whole inflated stream."""
        return self.chunks[-1].offset + self.chunks[-1].size if self.chunks else 0

    def reaches(self, offset: i64) -> bool:
        if offset <= 0:
            return True
        if offset > self.size():
            return False
        index = bisect_right(self.starts, offset - 1) - 1
        self._load(index, offset - 1 - self.chunks[index].offset)
        return True

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Return where the chunk ends that is inflated now: no chunk after it was reached. Damaged bytes of it are a hole."""
        index = self._index
        if index < 0:
            return self.size(), True
        chunk = self.chunks[index]
        try:
            self.check(index)
        except SaveError:  # it was reported, or comes after what was
            return chunk.offset + self._short_size(index), False
        return chunk.offset + chunk.size, index == len(self.chunks) - 1

    def check(self, index: int) -> None:
        """Inflate a chunk to its end.

        Raises:
            SaveError: it is damaged, or has another size than it declares.
        """
        self._load(index, max(self.chunks[index].size - 1, 0))

    def shorten(self, index: int) -> int:
        """Make a chunk as long as it is, if it is sound but smaller than it declares; those after it move up.

        Returns:
            How long it is now.
        """
        chunk = self.chunks[index]
        with suppress(SaveError):  # it was reported
            self.check(index)
        surplus = chunk.size - self._short_size(index)
        if surplus > 0:
            chunk.size -= surplus
            for later in range(index + 1, len(self.chunks)):
                self.chunks[later].offset -= surplus
                self.starts[later] -= surplus
            self._cache.clear()
            self._index = -1
        return chunk.size

    def _short_size(self, index: int) -> int:
        """Return how long a chunk is, as far as that is known."""
        short = self._short.get(index)
        return self.chunks[index].size if short is None else short[0]

    def open_payload(self, index: int) -> Stage:
        """Return the compressed bytes of a chunk, to read from their start.

        Raises:
            SaveError: the chunk is not what the table says.
        """
        raise NotImplementedError

    def window(self, offset: i64) -> bytes:
        index = bisect_right(self.starts, offset) - 1
        # Empty chunks have the offset of the chunk after them; the last of those is found.
        if index < 0 or offset >= self.chunks[index].offset + self.chunks[index].size:
            return b""
        if not self._announced[index]:
            self._announced[index] = 1
            self.entered.append(self.chunk_start(index))
        return self._load(index, offset - self.chunks[index].offset)

    def _load(self, index: int, inside: int) -> bytes:
        """Return the window of a chunk that holds the byte `inside`, and set `window_offset`; it is empty in an empty chunk."""
        chunk = self.chunks[index]
        short = self._short.get(index)
        if short is None or inside < short[0]:
            start: int = chunk.offset + inside - inside % WINDOW_SIZE
            self.window_offset = start
            data = self._cache.get(start) if chunk.size > 0 else None
            if data is None:
                data = self._inflate_to(index, start - chunk.offset)
            if chunk.size == 0 or inside < start - chunk.offset + len(data):
                return data
            short = self._short[index]  # what came last is not all that was declared
        raise copy.copy(short[1])

    def chunk_start(self, index: int) -> ChunkStart:
        """Return the event for a chunk."""
        chunk = self.chunks[index]
        codec = CODEC_NAMES[chunk.method]
        return ChunkStart(chunk.offset, index, chunk.size, chunk.compressed_offset, chunk.compressed_size, codec)

    # --- inflating ---

    def _inflate_to(self, index: int, start: int) -> bytes:
        """Inflate chunk `index` up to the window that starts at `start` in it."""
        chunk = self.chunks[index]
        if self._index == index and self._broken is not None and start >= self._broken_start:
            raise copy.copy(self._broken)
        if self._index != index or self._done > start:
            self._broken = None
            self._index = index
            self._done = self._crc = 0
            self._inflater = None
        while True:
            at = self._done
            try:
                if self._inflater is None:
                    self._inflater = Inflater(self.open_payload(index), WINDOW_BITS[chunk.method])
                data = self._next_window(chunk, self._inflater)
            except SaveError as error:
                is_cut = isinstance(error, TruncatedSave) and error.chunk is None
                fault = self.truncated(chunk) if is_cut else error
                self._broken = copy.copy(fault)
                self._broken_start = at
                raise fault from None
            if data:
                if len(self._cache) >= CACHED_WINDOWS:
                    del self._cache[next(iter(self._cache))]
                self._cache[chunk.offset + at] = data
            if at == start:
                return data
            short = self._short.get(index)
            if short is not None and self._done >= short[0]:
                raise copy.copy(short[1])

    def _next_window(self, chunk: Chunk, inflater: Inflater) -> bytes:
        """Inflate the next window of the current chunk; after the last one, check the end of the chunk.

        The last window of a chunk that is sound but for its size is shorter.
        """
        want = min(WINDOW_SIZE, chunk.size - self._done)
        data = gathered(partial(self._next_piece, chunk, inflater), want)
        if len(data) < want:
            return self._short_window(chunk, data)
        if chunk.crc >= 0:
            self._crc = zlib.crc32(data, self._crc)
        self._done += want
        if self._done == chunk.size:
            self._check_end(chunk, inflater)
        return data

    def _short_window(self, chunk: Chunk, data: bytes) -> bytes:
        """Return the last bytes of a chunk that inflates to less than it declares: only the size lies if the CRC-32 is right.

        Raises:
            DamagedSave: there are none, or the CRC-32 is wrong: they are damaged, and the size may be right.
        """
        size = self._done + len(data)
        is_sound = zlib.crc32(data, self._crc) == chunk.crc
        if is_sound:
            self._done = size
        error = self._fault(DamagedSave, chunk, "inflates to less than it declares", chunk.size, size)
        if is_sound:
            self._short[self._index] = (size, copy.copy(error))
        if not is_sound or not data:
            raise error
        return data

    def _next_piece(self, chunk: Chunk, inflater: Inflater, most: int) -> bytes:
        """Inflate 1 to `most` bytes; none where the compressed stream has ended."""
        try:
            piece = inflater.some(most)
        except UnsoundStreamError:
            raise self._fault(DamagedSave, chunk, "does not inflate") from None
        if not piece and not inflater.has_ended:
            if chunk.method == STORED:
                raise self._fault(DamagedSave, chunk, "stored bytes are fewer than declared")
            if self._done == chunk.size:
                raise self._fault(DamagedSave, chunk, "compressed bytes have no end")
            raise self._fault(DamagedSave, chunk, "inflates to less than it declares", chunk.size, self._done)
        return piece

    def _check_end(self, chunk: Chunk, inflater: Inflater) -> None:
        """Check that nothing follows the declared bytes, and the CRC-32."""
        if chunk.method != STORED and self._next_piece(chunk, inflater, 1):
            raise self._fault(DamagedSave, chunk, "inflates to more than it declares", chunk.size, chunk.size + 1)
        if inflater.has_more():
            raise self._fault(DamagedSave, chunk, "bytes after the compressed ones")
        if chunk.crc >= 0 and self._crc != chunk.crc:
            raise self._fault(DamagedSave, chunk, "CRC-32 is wrong", f"{chunk.crc:#010x}", self._crc)

    # --- errors ---

    def _fault(
        self, kind: type[SaveError], chunk: Chunk, message: str, expected: object = None, actual: object = None
    ) -> SaveError:
        error = kind(f"{chunk.name}: {message}", chunk.offset + self._done, expected=expected, actual=actual)
        return error._in_chunk(self._index, self._done, chunk.compressed_offset)

    def truncated(self, chunk: Chunk) -> SaveError:
        """Return the error for a file that ends inside a chunk."""
        return self._fault(TruncatedSave, chunk, "the file ends inside the member")
