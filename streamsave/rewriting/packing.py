"""Apply edits to the inflated stream, and compress it: zlib, raw deflate, gzip, chunks.

Chunks are packed as the game does it: 131,072 bytes each but the last, zlib level 6, memLevel 8 (the defaults), so unchanged data
give the same bytes. They are packed in threads, as zlib releases the interpreter lock.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeAlias

from streamsave._new_file import ENDING, held_back
from streamsave.decode.cursor import NO_LIMIT
from streamsave.input.archive_header import ROW, ArchiveHeader
from streamsave.input.stages import fast_zlib
from streamsave.input.windows import Windows
from streamsave.rewriting.rows import Row

__all__ = [
    "GZIP_SIZE",
    "LARGEST",
    "SIZES",
    "ChunkPacker",
    "Counted",
    "Piece",
    "compressed",
    "cpu_count",
    "edited",
    "full_chunks",
    "grouped",
    "gzipped",
    "in_threads",
    "zlib_stream",
]


#: Bytes, or a view of a window.
Piece: TypeAlias = bytes | memoryview


def edited(windows: Windows, rows: Iterable[Row], start: int = 0, end: int = -1) -> Iterator[Piece]:
    """Yield the bytes `[start, end)` of an inflated stream with edits, all in that range; end -1: the end of the stream.

    Raises:
        SaveError: the stream cannot be inflated.
    """
    at = first = last = start
    window = memoryview(b"")  # its bytes are those from `first` to `last`
    for row in itertools.chain(rows, (Row(NO_LIMIT if end < 0 else end, NO_LIMIT, b""),)):
        while at < row.start:
            if at >= last:
                window = memoryview(windows.window(at))
                first = windows.window_offset
                last = first + len(window)
                if at >= last:
                    break  # the stream has ended
            upto = min(row.start, last)
            yield window[at - first : upto - first]
            at = upto
        if row.data:
            yield row.data
        at = row.end


def grouped(rows: Iterable[Row], ends: Iterable[int]) -> Iterator[list[Row]]:
    """Yield the edits that start before each of these ends, and after the one before it; -1 is the end of the stream.

    What is inserted at an end comes after the last element of what ends there.
    """
    left = iter(rows)
    row = next(left, None)
    for end in ends:
        inside: list[Row] = []
        while row is not None and (end < 0 or row.start < end or row.end == end):
            inside.append(row)
            row = next(left, None)
        yield inside


LEVEL: Final = 6
#: The `memLevel` of zlib.
MEMORY: Final = 8
#: The level of zlib-ng for `fast`: a sixth of the time, two fifths more bytes.
FAST_LEVEL: Final = 1
#: Bytes of the header of a gzip member without a name, a comment and the like.
GZIP_SIZE: Final = 10
#: Two numbers of 32 bits, and the largest of them.
SIZES: Final = struct.Struct("<II")
LARGEST: Final = (1 << 32) - 1


class Counted:
    """Pieces of a stream; counts the bytes that were taken, and their CRC-32."""

    def __init__(self, stream: Iterable[Piece]) -> None:
        self._stream = stream
        self.size = 0
        self.checksum = 0

    def __iter__(self) -> Iterator[Piece]:
        for piece in self._stream:
            self.size += len(piece)
            self.checksum = zlib.crc32(piece, self.checksum)
            yield piece


def compressed(
    stream: Iterable[Piece], *, fast: bool = False, bits: int = zlib.MAX_WBITS, memory: int = MEMORY
) -> Iterator[bytes]:
    """Yield one zlib stream; `bits` and `memory` are `wbits` and `memLevel` of zlib: -15 bits give raw deflate."""
    if fast:
        packer = fast_zlib.compressobj(FAST_LEVEL, zlib.DEFLATED, bits)
    else:
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, bits, memory)
    for piece in stream:
        packed = packer.compress(piece)
        if packed:
            yield packed
    yield packer.flush()


def zlib_stream(data: bytes, *, fast: bool = False) -> bytes:
    """Return one zlib stream, the same bytes as zlib gives; with `fast`, those of zlib-ng."""
    packed: bytes = fast_zlib.compress(data, FAST_LEVEL) if fast else zlib.compress(data, LEVEL)
    return packed


def gzipped(header: bytes, stream: Iterable[Piece], *, fast: bool = False) -> Iterator[bytes]:
    """Yield one gzip member; `header` is that of the old one, whose name and comment are left out."""
    yield header[:3] + b"\0" + header[4:GZIP_SIZE]  # flags of what is left out
    counted = Counted(stream)
    yield from compressed(counted, fast=fast, bits=-zlib.MAX_WBITS)
    yield SIZES.pack(counted.checksum, counted.size & LARGEST)


# --- chunks ---

#: More threads would wait: the data are inflated in one thread.
MOST_THREADS: Final = 4
#: Byte strings in work or waiting for each thread; some take ten times as long as others.
AHEAD: Final = 4


def in_threads(work: Callable[[bytes], bytes], given: Iterable[bytes], count: int | None = None) -> Iterator[bytes]:
    """Yield the result of `work` for each byte string, in their order.

    Args:
        work: called in several threads.
        given: the byte strings, taken in the thread of the caller.
        count: number of threads; None: one for each CPU, up to `MOST_THREADS`.

    Raises:
        Exception: any error of `work`.
    """
    count = min(cpu_count(), MOST_THREADS) if count is None else count
    begun: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(count)
    try:
        for data in given:
            with held_back(ENDING):
                begun.append(pool.submit(work, data))
            if len(begun) == AHEAD * count:
                yield _result(begun.popleft())
        while begun:
            yield _result(begun.popleft())
    finally:
        with held_back(ENDING):
            pool.shutdown(cancel_futures=True)


def _result(future: Future[bytes]) -> bytes:
    with held_back(ENDING):
        return future.result()


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CHUNK_SIZE: Final = 131072


class ChunkPacker:
    """Pack chunks with headers like those of the save.

    Args:
        header: of any chunk of the save.
        fast: compress faster, with zlib-ng.
    """

    def __init__(self, header: ArchiveHeader, *, fast: bool = False) -> None:
        self._start = header.start
        self._fast = fast

    def pack(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Yield the chunks of all bytes; only the last may be shorter."""
        chunks = full_chunks(pieces)
        # zlib-ng is faster than handing a chunk to a thread.
        yield from map(self.chunk, chunks) if self._fast else in_threads(self.chunk, chunks)

    def chunk(self, data: bytes) -> bytes:
        """Return one chunk."""
        packed = zlib_stream(data, fast=self._fast)
        sizes = ROW.pack(len(packed), len(data))
        return b"".join((self._start, sizes, sizes, packed))


def full_chunks(pieces: Iterable[Piece], full_size: int = CHUNK_SIZE) -> Iterator[bytes]:
    """Yield all bytes in parts of `full_size` bytes; the last one may be shorter."""
    waiting: list[Piece] = []
    room = full_size
    for piece in pieces:
        view = memoryview(piece)
        while len(view) >= room:
            yield b"".join((*waiting, view[:room]))
            view = view[room:]
            waiting.clear()
            room = full_size
        waiting.append(view)
        room -= len(view)
    if room < full_size:
        yield b"".join(waiting)
