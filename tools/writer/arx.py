"""Containers of Arx saves: four versions, three ways to pack an entry, and as much disorder as a file may have.

+-------+------------------------------------------------------------------+
| file  | u32 size of the data; data; table; whatever was after the table |
| table | u32 version; u32 entries; entries                                |
| entry | name, NUL; u32 a; u32 chunks; u32 b; chunks                      |
| chunk | u32 size; u32 offset, from byte 4 on                             |
+-------+------------------------------------------------------------------+

a and b by version: up to 0x00010001 the packed size and nothing that matters; later the size (0xffffffff: unknown) and how the
entry is packed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise

from attrs import Factory, field, frozen

LEGACY = 0x00010000
RELEASE = 0x00010001
DEFLATE = 0x00020000
NO_EXTENSION = 0x00020001

STORED, IMPLODE, DEFLATED = 0, 1, 2
UNKNOWN_SIZE = 0xFFFFFFFF

# --- imploding: what PKWARE's library would make, but simpler: the last place where the next three bytes were, or none

#: First length of each class, its code as the stream has it, and the number of bits that say which length it is.
LENGTHS = (
    (2, "101", 0),
    (3, "11", 0),
    (4, "100", 0),
    (5, "011", 0),
    (6, "0101", 0),
    (7, "0100", 0),
    (8, "0011", 0),
    (9, "00101", 0),
    (10, "00100", 1),
    (12, "00011", 2),
    (16, "00010", 3),
    (24, "000011", 4),
    (40, "000010", 5),
    (72, "000001", 6),
    (136, "0000001", 7),
    (264, "0000000", 8),
)
LONGEST = 518
END = 519
#: Codes of the upper six bits of a distance: how many there are of each length; the last of a length is the smallest number.
DISTANCE_LENGTHS = ((2, 1, 0b11), (4, 2, 0b1011), (5, 4, 0b10011), (6, 15, 0b11111), (7, 26, 0b100001), (8, 16, 0b1111))
DISTANCES = [f"{first - index:0{size}b}" for size, count, first in DISTANCE_LENGTHS for index in range(count)]


def dictionary_bits(size: int) -> int:
    """Give the size of the dictionary that the game chooses for an entry: 4, 5, 6 for 1, 2, 4 KiB."""
    if size <= 32768:
        return 4
    return 5 if size <= 131072 else 6


def low_first(number: int, size: int) -> str:
    """Write a number as bits, lowest first."""
    return f"{number:0{size}b}"[::-1] if size else ""


def length_bits(length: int) -> str:
    """Write the length of a match."""
    first, code, extra = next(row for row in reversed(LENGTHS) if row[0] <= length)
    return "1" + code + low_first(length - first, extra)


def implode(data: bytes) -> bytes:
    """Pack with plain literals; not as small as the game does it, but never with other tokens."""
    low_bits = dictionary_bits(len(data))
    farthest = 64 << low_bits
    seen: dict[bytes, int] = {}
    bits: list[str] = []
    at = 0
    while at < len(data):
        before = seen.get(data[at : at + 3], -1)
        seen[data[at : at + 3]] = at
        length = 0
        if before >= 0 and at - before <= farthest and len(data) - at >= 3:
            while length < LONGEST and at + length < len(data) and data[before + length] == data[at + length]:
                length += 1
        if length >= 3:
            distance = at - before - 1
            bits.append(
                length_bits(length) + DISTANCES[distance >> low_bits] + low_first(distance & (1 << low_bits) - 1, low_bits)
            )
            at += length
        else:
            bits.append("0" + low_first(data[at], 8))
            at += 1
    bits.append(length_bits(END))
    stream = "".join(bits)
    stream += "0" * (-len(stream) % 8)
    packed = bytes(int(stream[start : start + 8][::-1], 2) for start in range(0, len(stream), 8))
    return bytes([0, low_bits]) + packed


def implode_zeros(size: int) -> bytes:
    """Pack so many zeros, without going through them: one literal, and matches of the longest kind, all alike."""
    match = length_bits(LONGEST) + DISTANCES[0] + low_first(0, 4)
    literal = "0" + low_first(0, 8)
    matches, literals = divmod(size - 1, LONGEST)
    bits = literal + match * matches + literal * literals + length_bits(END)
    bits += "0" * (-len(bits) % 8)
    return b"\0\4" + int(bits[::-1], 2).to_bytes(len(bits) // 8, "little")


#: What each byte becomes.
INVERTED = bytes(range(255, -1, -1))


def crypt(data: bytes) -> bytes:
    """Invert every second byte, from the first on."""
    made = bytearray(data)
    made[::2] = made[::2].translate(INVERTED)
    return bytes(made)


def pack(data: bytes, codec: int) -> bytes:
    """Pack an entry."""
    if codec == IMPLODE:
        return crypt(implode(data))
    return zlib.compress(data, 9) if codec == DEFLATED else data


# --- the container


@frozen
class Entry:
    """An entry as it shall be."""

    name: bytes
    data: bytes
    codec: int = IMPLODE
    #: In how many pieces it lies in the file, the last piece first. 0: like 1, but the table says 0.
    chunks: int = 1
    unknown_size: bool = False
    #: Packed already, rightly or not.
    packed: bytes | None = None
    #: What the table says instead of the size.
    claimed_size: int | None = None


@frozen
class Row:
    """An entry as the table has it."""

    name: bytes
    a: int
    b: int
    chunks: Sequence[tuple[int, int]]
    #: What it says instead of the number of chunks.
    chunk_count: int | None = None

    def encode(self) -> bytes:
        """Write it."""
        count = len(self.chunks) if self.chunk_count is None else self.chunk_count
        head = self.name + b"\0" + struct.pack("<III", self.a, count, self.b)
        return head + b"".join(struct.pack("<II", *chunk) for chunk in self.chunks)


@frozen
class Container:
    """A save; `encode` lays it out."""

    version: int
    entries: Sequence[Entry]
    #: Bytes before each piece that belong to nothing.
    gap: bytes = b""
    #: Bytes after the table.
    stale: bytes = b""
    #: Chunks of the entry that is none, in the oldest version.
    dummy_name: bytes = b"save block"
    #: Rows that the table has besides.
    more_rows: Sequence[Row] = field(default=Factory(tuple))

    def encode(self) -> bytes:
        """Write the file."""
        data = bytearray()
        rows = [Row(self.dummy_name, 0, 0, [(0, 0)])] if self.version == LEGACY else []
        for entry in self.entries:
            packed = pack(entry.data, entry.codec) if entry.packed is None else entry.packed
            chunks: list[tuple[int, int]] = []
            for piece in reversed(pieces_of(packed, entry.chunks)):
                data += self.gap
                chunks.insert(0, (len(piece), len(data)))
                data += piece
            a, b = len(packed), len(chunks) * 8 + len(entry.name) + 21
            if self.version >= DEFLATE:
                a, b = UNKNOWN_SIZE if entry.unknown_size else len(entry.data), entry.codec
            if entry.claimed_size is not None:
                a = entry.claimed_size
            if self.version >= DEFLATE and not packed:
                chunks = []
            rows.append(Row(entry.name, a, b, chunks, 0 if entry.chunks == 0 else None))
        return assemble(bytes(data), self.version, [*rows, *self.more_rows]) + self.stale


def pieces_of(packed: bytes, count: int) -> list[bytes]:
    """Cut into so many pieces of different odd and even sizes."""
    count = max(count, 1)
    size = len(packed) // count
    cuts = [0, *sorted(min(size * index + index % 2, len(packed)) for index in range(1, count)), len(packed)]
    return [packed[start:end] for start, end in pairwise(cuts)]


def assemble(
    data: bytes, version: int, rows: Sequence[Row], *, table_offset: int | None = None, entry_count: int | None = None
) -> bytes:
    """Put data and table together; the numbers that lead to the table and say how long it is may be wrong ones."""
    count = len(rows) if entry_count is None else entry_count
    offset = len(data) if table_offset is None else table_offset
    table = struct.pack("<II", version, count) + b"".join(row.encode() for row in rows)
    return struct.pack("<I", offset) + data + table
