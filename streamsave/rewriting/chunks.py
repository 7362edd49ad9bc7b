"""Inflated bytes -> chunks as the game packs them.

All chunks but the last have 131,072 bytes, compressed by zlib with level 6 and memLevel 8, as by default: the game's own bytes
come out again.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, PACKAGE_FILE_TAG, ROW, ArchiveHeader
from streamsave.rewriting.copying import Piece
from streamsave.rewriting.packing import zlib_stream
from streamsave.rewriting.side_by_side import in_threads

__all__ = ["CHUNK_SIZE", "ChunkPacker", "full_chunks"]

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
