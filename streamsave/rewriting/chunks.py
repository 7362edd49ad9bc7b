"""Inflated bytes -> chunks as the game packs them.

All chunks but the last have 131,072 bytes, compressed by zlib with level 6 and memLevel 8: the game's own bytes come out again.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from typing import Final

from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, PACKAGE_FILE_TAG, ROW, ArchiveHeader

__all__ = ["CHUNK_SIZE", "ChunkPacker"]

CHUNK_SIZE: Final = 131072
LEVEL: Final = 6
MEM_LEVEL: Final = 8
VERSION_1: Final = struct.Struct("<IIQ")
VERSION_2: Final = struct.Struct("<IIQB")
VERSIONS: Final = {HEADER_V1_SIZE: 0, HEADER_V2_SIZE: 0x22222222}


class ChunkPacker:
    """Packs chunks with headers like one of the save.

    Args:
        header: of any chunk of the save.
        write: takes the bytes of the file.
    """

    def __init__(self, header: ArchiveHeader, write: Callable[[bytes], object]) -> None:
        version = VERSIONS[header.size]
        if header.compressor == NO_COMPRESSOR:
            self._start = VERSION_1.pack(PACKAGE_FILE_TAG, version, header.block_size)
        else:
            self._start = VERSION_2.pack(PACKAGE_FILE_TAG, version, header.block_size, header.compressor)
        self._write = write

    def pack(self, pieces: Iterable[bytes]) -> None:
        """Write chunks of all bytes; only the last may be shorter than the others."""
        waiting = bytearray()
        for piece in pieces:
            waiting += piece
            while len(waiting) >= CHUNK_SIZE:
                self.chunk(bytes(waiting[:CHUNK_SIZE]))
                del waiting[:CHUNK_SIZE]
        if waiting:
            self.chunk(bytes(waiting))

    def chunk(self, data: bytes) -> None:
        """Write one chunk."""
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, MEM_LEVEL)
        packed = packer.compress(data) + packer.flush()
        sizes = ROW.pack(len(packed), len(data))
        self._write(self._start + sizes + sizes + packed)
