"""Oodle streams without the compressor: LZNA's blocks hold pieces of 16 KiB that are stored as they are, or one byte repeated.

| field | size | |
|---|---|---|
| block header | 2 bytes | 0x8C, 5 (LZNA); before every 256 KiB |
| piece header | u16, big-endian | 0xBFFF: the bytes of the piece follow; 0x7FFF: one byte follows, repeated |
"""

from __future__ import annotations

from typing import Final

BLOCK_HEADER: Final = b"\x8c\x05"
BLOCK_SIZE: Final = 256 * 1024
PIECE_SIZE: Final = 16 * 1024
STORED: Final = b"\xbf\xff"
REPEATED: Final = b"\x7f\xff"
#: A piece that says to be compressed, and is not: the decompressor ends the process that it is in.
OODLE_DEADLY: Final = BLOCK_HEADER + b"\0\x3f" + bytes(range(256))


def oodle(data: bytes) -> bytes:
    """Make an Oodle stream; what repeats one byte becomes 5,000 times smaller."""
    made = bytearray()
    for at in range(0, len(data), PIECE_SIZE):
        if at % BLOCK_SIZE == 0:
            made += BLOCK_HEADER
        piece = data[at : at + PIECE_SIZE]
        if piece == piece[:1] * len(piece):
            made += REPEATED + piece[:1]
        else:
            made += STORED + piece
    return bytes(made)
