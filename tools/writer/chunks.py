"""Compressed chunks: bytes in, a file of independently compressed pieces out.

+------------------+------+---------------------------------------------+
| tag              | u32  | 0x9E2A83C1                                  |
| archive header   | u32  | 0 (v1, 48 bytes) or 0x22222222 (v2, 49)     |
| max chunk size   | i64  | 131072                                      |
| v2: compressor   | u8   | 3 = zlib                                    |
| compressed size  | i64  | written twice, as pairs with the next one   |
| uncompressed size| i64  |                                             |
+------------------+------+---------------------------------------------+

The body starts with its own size, which is known last. The first chunk is therefore kept back uncompressed and patched
when everything else has been written; all other chunks go straight to a temporary file.
"""

from __future__ import annotations

import hashlib
import struct
import tempfile
import zlib
from typing import IO, TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_TAG = 0x9E2A83C1
ARCHIVE_V1 = 0x00000000
ARCHIVE_V2 = 0x22222222
MAX_CHUNK_SIZE = 131072
COMPRESSOR_ZLIB = 3
COPY_SIZE = 1 << 20
SPOOL_SIZE = 1 << 22

_V1 = struct.Struct("<IIqqqqq")
_V2 = struct.Struct("<IIqBqqqq")


def chunk(data: bytes, *, level: int, v2: bool) -> bytes:
    """One chunk: its header and the compressed ``data``."""
    packed = zlib.compress(data, level)
    sizes = (len(packed), len(data), len(packed), len(data))
    if v2:
        return _V2.pack(CHUNK_TAG, ARCHIVE_V2, MAX_CHUNK_SIZE, COMPRESSOR_ZLIB, *sizes) + packed
    return _V1.pack(CHUNK_TAG, ARCHIVE_V1, MAX_CHUNK_SIZE, *sizes) + packed


def spool() -> IO[bytes]:
    """A temporary file that stays in memory while it is small."""
    return tempfile.SpooledTemporaryFile(max_size=SPOOL_SIZE)


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file from its start, in pieces."""
    file.seek(0)
    while piece := file.read(COPY_SIZE):
        yield piece


@define
class ChunkWriter:
    """Collect the inflated body, compress it chunk by chunk, patch its size in at the end."""

    size_width: int
    level: int = 6
    v2: bool = True
    body_size: int = 0
    _pending: bytearray = field(factory=bytearray)
    _first: bytearray | None = None
    _file: IO[bytes] = field(factory=spool)

    def __attrs_post_init__(self) -> None:
        """Leave room for the body size."""
        self._pending += bytes(self.size_width)

    def write(self, data: bytes) -> None:
        """Append inflated bytes."""
        self.body_size += len(data)
        self._pending += data
        if len(self._pending) >= MAX_CHUNK_SIZE:
            self._flush_full_chunks()

    def finish(self) -> tuple[bytes, Iterator[bytes]]:
        """The MD5 of all chunks as stored, and the chunks themselves in pieces."""
        if self._first is None:
            self._first, self._pending = self._pending, bytearray()
        self._first[: self.size_width] = self.body_size.to_bytes(self.size_width, "little")
        head = chunk(bytes(self._first), level=self.level, v2=self.v2)
        if self._pending:
            self._file.write(chunk(bytes(self._pending), level=self.level, v2=self.v2))
            self._pending = bytearray()
        digest = hashlib.md5(head, usedforsecurity=False)
        for piece in pieces(self._file):
            digest.update(piece)
        return digest.digest(), self._stored(head)

    def _flush_full_chunks(self) -> None:
        position = 0
        with memoryview(self._pending) as view:
            while len(view) - position >= MAX_CHUNK_SIZE:
                full = view[position : position + MAX_CHUNK_SIZE]
                if self._first is None:
                    self._first = bytearray(full)
                else:
                    self._file.write(chunk(bytes(full), level=self.level, v2=self.v2))
                full.release()
                position += MAX_CHUNK_SIZE
        del self._pending[:position]

    def _stored(self, head: bytes) -> Iterator[bytes]:
        yield head
        yield from pieces(self._file)
        self._file.close()
