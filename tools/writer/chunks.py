"""Compressed chunks: bytes in, a file of independently compressed pieces out.

+------------------+------+---------------------------------------------+
| tag              | u32  | 0x9E2A83C1                                  |
| archive header   | u32  | 0 (v1, 48 bytes) or 0x22222222 (v2, 49)     |
| max chunk size   | i64  | 131072                                      |
| v2: compressor   | u8   | 3 = zlib                                    |
| compressed size  | i64  | written twice, as pairs with the next one   |
| uncompressed size| i64  |                                             |
+------------------+------+---------------------------------------------+

The body starts with its own size, which is not counted.
"""

from __future__ import annotations

import struct
import zlib

CHUNK_TAG = 0x9E2A83C1
ARCHIVE_V1 = 0x00000000
ARCHIVE_V2 = 0x22222222
MAX_CHUNK_SIZE = 131072
COMPRESSOR_ZLIB = 3

_V1 = struct.Struct("<IIqqqqq")
_V2 = struct.Struct("<IIqBqqqq")


def chunk(data: bytes, *, level: int, v2: bool) -> bytes:
    """One chunk: its header and the compressed ``data``."""
    packed = zlib.compress(data, level)
    sizes = (len(packed), len(data), len(packed), len(data))
    if v2:
        return _V2.pack(CHUNK_TAG, ARCHIVE_V2, MAX_CHUNK_SIZE, COMPRESSOR_ZLIB, *sizes) + packed
    return _V1.pack(CHUNK_TAG, ARCHIVE_V1, MAX_CHUNK_SIZE, *sizes) + packed


def chunks(body: bytes, *, size_width: int, level: int, v2: bool) -> bytes:
    """All chunks of a body, whose size has so many bytes."""
    data = len(body).to_bytes(size_width, "little") + body
    return b"".join(chunk(data[at : at + MAX_CHUNK_SIZE], level=level, v2=v2) for at in range(0, len(data), MAX_CHUNK_SIZE))
