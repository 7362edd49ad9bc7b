"""Inflated bytes -> chunks as the game packs them, some side by side in threads: zlib leaves the interpreter to others meanwhile.

All chunks but the last have 131,072 bytes, compressed by zlib with level 6 and memLevel 8, as by default: the game's own bytes
come out again.
"""

from __future__ import annotations

import itertools
import os
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, PACKAGE_FILE_TAG, ROW, ArchiveHeader
from streamsave.rewriting.packing import Piece, zlib_stream

__all__ = ["CHUNK_SIZE", "ChunkPacker", "full_chunks", "in_threads"]


#: More threads have nothing to do: what is compressed has to be inflated before, in one.
MOST_THREADS: Final = 4
#: How many strings are taken for each thread, those it works on included: some take ten times as long as others.
AHEAD: Final = 4


def in_threads(work: Callable[[bytes], bytes], given: Iterable[bytes], count: int | None = None) -> Iterator[bytes]:
    """Yield what `work` makes of each byte string, in their order.

    Args:
        work: is called in several threads.
        given: the byte strings; they are taken in the thread of the caller.
        count: of threads; None: one for each CPU, up to `MOST_THREADS`.

    Raises:
        Exception: whatever `work` raises.
    """
    count = min(cpu_count(), MOST_THREADS) if count is None else count
    begun: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(count)
    try:
        for data in given:
            begun.append(pool.submit(work, data))
            if len(begun) == AHEAD * count:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CHUNK_SIZE: Final = 131072
#: Threads take longer to start than so many chunks to pack. What zlib-ng packs, it has packed before a thread could take it.
MOST_ALONE: Final = 2
VERSION_1: Final = struct.Struct("<IIQ")
VERSION_2: Final = struct.Struct("<IIQB")
VERSIONS: Final = {HEADER_V1_SIZE: 0, HEADER_V2_SIZE: 0x22222222}


class ChunkPacker:
    """Packs chunks with headers like one of the save.

    Args:
        header: of any chunk of the save.
        write: takes the bytes of the file.
        fast: compress less, by zlib-ng.
    """

    def __init__(self, header: ArchiveHeader, write: Callable[[bytes], object], *, fast: bool = False) -> None:
        version = VERSIONS[header.size]
        if header.compressor == NO_COMPRESSOR:
            self._start = VERSION_1.pack(PACKAGE_FILE_TAG, version, header.block_size)
        else:
            self._start = VERSION_2.pack(PACKAGE_FILE_TAG, version, header.block_size, header.compressor)
        self._write = write
        self._fast = fast

    def pack(self, pieces: Iterable[Piece]) -> None:
        """Write chunks of all bytes; only the last may be shorter than the others."""
        chunks = full_chunks(pieces)
        for data in chunks if self._fast else itertools.islice(chunks, MOST_ALONE):
            self.chunk(data)
        for packed in in_threads(self._packed, chunks):
            self._write(packed)

    def chunk(self, data: bytes) -> None:
        """Write one chunk."""
        self._write(self._packed(data))

    def _packed(self, data: bytes) -> bytes:
        packed = zlib_stream(data, fast=self._fast)
        sizes = ROW.pack(len(packed), len(data))
        return b"".join((self._start, sizes, sizes, packed))


def full_chunks(pieces: Iterable[Piece], full_size: int = CHUNK_SIZE) -> Iterator[bytes]:
    """Yield all bytes in parts of a size; the last one may be shorter."""
    waiting: list[Piece] = []
    room = full_size
    for piece in pieces:
        size = len(piece)
        if size < room:
            waiting.append(piece)
            room -= size
            continue
        view = memoryview(piece)
        at = 0
        while size - at >= room:
            waiting.append(view[at : at + room])
            at += room
            yield b"".join(waiting)
            waiting.clear()
            room = full_size
        if at < size:
            waiting.append(view[at:])
            room -= size - at
    if room < full_size:
        yield b"".join(waiting)
