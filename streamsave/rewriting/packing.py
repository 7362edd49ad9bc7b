"""The inflated stream with its edits, in pieces; pieces -> zlib, raw deflate, gzip; and what is counted on the way."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, Protocol, TypeAlias

from streamsave.errors import TruncatedSave
from streamsave.input.inflate import fast_zlib
from streamsave.input.windows import Windows
from streamsave.rewriting.rows import Row

__all__ = [
    "GZIP_LARGEST",
    "LARGEST",
    "SIZES",
    "Counted",
    "Piece",
    "compressed",
    "compressor",
    "deflated",
    "edited",
    "gzip_header",
    "gzipped",
    "moved",
    "pieces",
    "zlib_stream",
]


#: Bytes, or a part of a window that is not copied.
Piece: TypeAlias = bytes | memoryview
#: Further than any stream reaches.
FAR: Final = 1 << 62


def pieces(windows: Windows, start: int, end: int) -> Iterator[Piece]:
    """Yield the bytes `[start, end)` of an inflated stream; an end of -1 is that of the stream.

    Raises:
        SaveError: they cannot be inflated.
    """
    return edited(windows, (), start, end)


def edited(windows: Windows, rows: Iterable[Row], start: int = 0, end: int = -1) -> Iterator[Piece]:
    """Yield the bytes `[start, end)` of an inflated stream, as `pieces` does, with edits that are all in that range.

    Raises:
        SaveError: it cannot be inflated.
    """
    at = first = last = start
    window = memoryview(b"")  # its bytes are those from `first` to `last`
    for row in chain(rows, (Row(FAR if end < 0 else end, FAR, b""),)):
        stop = row.start
        while at < stop:
            if at >= last:
                window = memoryview(windows.window(at))
                first = windows.window_offset
                last = first + len(window)
                if at >= last:
                    break  # the stream has ended
            upto = min(stop, last)
            yield window[at - first : upto - first]
            at = upto
        if row.data:
            yield row.data
        at = row.end


def moved(offsets: Iterable[int], rows: Iterable[Row]) -> array[int]:
    """Return where offsets are after edits, both in order; what is inserted at one comes before it."""
    found = array("q")
    change = 0
    left = iter(rows)
    row = next(left, None)
    for offset in offsets:
        while row is not None and row.end <= offset:
            change += len(row.data) - (row.end - row.start)
            row = next(left, None)
        found.append(offset + change)
    return found


LEVEL: Final = 6
#: How much memory zlib takes for its states, unless a game takes more.
MEMORY: Final = 8
#: What a zlib stream starts with that zlib makes with this level and the largest window.
ZLIB_START: Final = b"\x78\x9c"
#: Of zlib-ng, for who has no time: a sixth of the time, and two fifths more bytes.
FAST_LEVEL: Final = 1
#: The header of a gzip stream: its fixed part, and the flags of what follows.
GZIP_SIZE: Final = 10
GZIP_CRC: Final = 0x02
GZIP_EXTRA: Final = 0x04
GZIP_TEXTS: Final = (0x08, 0x10)
#: More bytes are no header that anything writes.
GZIP_LARGEST: Final = 64 * 1024
#: Two numbers of 32 bits, and the largest of them.
SIZES: Final = struct.Struct("<II")
LARGEST: Final = (1 << 32) - 1


class Counted:
    """Pieces of a stream, and what was taken of them: how many bytes, and their CRC-32."""

    def __init__(self, stream: Iterable[Piece]) -> None:
        self._stream = stream
        self.size = 0
        self.checksum = 0

    def __iter__(self) -> Iterator[Piece]:
        for piece in self._stream:
            self.size += len(piece)
            self.checksum = zlib.crc32(piece, self.checksum)
            yield piece


class Compressor(Protocol):
    """What zlib and zlib-ng have in common."""

    def compress(self, data: Piece, /) -> bytes:
        """Return what is compressed so far."""
        ...

    def flush(self) -> bytes:
        """Return the rest."""
        ...


def compressor(bits: int, *, fast: bool = False, memory: int = MEMORY) -> Compressor:
    """Return a compressor of zlib, or of zlib-ng for who has no time; `bits` and `memory` as zlib takes them."""
    if fast:
        packer: Compressor = fast_zlib.compressobj(FAST_LEVEL, zlib.DEFLATED, bits)
        return packer
    return zlib.compressobj(LEVEL, zlib.DEFLATED, bits, memory)


def compressed(
    stream: Iterable[Piece], *, fast: bool = False, bits: int = zlib.MAX_WBITS, memory: int = MEMORY
) -> Iterator[bytes]:
    """Yield one zlib stream; `bits` and `memory` as zlib takes them."""
    packer = compressor(bits, fast=fast, memory=memory)
    for piece in stream:
        packed = packer.compress(piece)
        if packed:
            yield packed
    yield packer.flush()


def zlib_stream(data: bytes, *, fast: bool = False) -> bytes:
    """Return one zlib stream: the very bytes that zlib makes, unless `fast`.

    The checksum is zlib-ng's, which takes a quarter of the time.
    """
    if fast:
        packed: bytes = fast_zlib.compress(data, FAST_LEVEL)
        return packed
    checksum: int = fast_zlib.adler32(data)
    return b"".join((ZLIB_START, zlib.compress(data, LEVEL, -zlib.MAX_WBITS), checksum.to_bytes(4, "big")))


def deflated(stream: Iterable[Piece], *, fast: bool = False) -> Iterator[bytes]:
    """Yield one deflate stream."""
    packer = compressor(-zlib.MAX_WBITS, fast=fast)
    for piece in stream:
        yield packer.compress(piece)
    yield packer.flush()


def gzipped(header: bytes, stream: Iterable[Piece], *, fast: bool = False) -> Iterator[bytes]:
    """Yield one gzip member."""
    yield header
    counted = Counted(stream)
    yield from deflated(counted, fast=fast)
    yield SIZES.pack(counted.checksum, counted.size & LARGEST)


def gzip_header(data: bytes) -> bytes:
    """Return the header of the gzip stream that `data` starts with.

    Raises:
        TruncatedSave: it is longer than `data`.
    """
    flags = data[3]
    end = GZIP_SIZE
    if flags & GZIP_EXTRA:
        end += 2 + int.from_bytes(data[end : end + 2], "little")
    for flag in GZIP_TEXTS:
        if flags & flag:
            end = data.find(b"\0", end) + 1 or len(data) + 1
    if flags & GZIP_CRC:
        end += 2
    if end > len(data):
        raise TruncatedSave("the gzip header is too long", expected=f"at most {len(data)} bytes", actual=end)
    return data[:end]
