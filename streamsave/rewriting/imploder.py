"""Compress bytes to a stream of PKWARE's Data Compression Library (`input.implode`): plain literals, matches of 3 bytes and more.

The result is larger than that of the game: only the last token that starts with the same three bytes is tried as a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from streamsave.input.implode import (
    DICTIONARY_BITS_MIN,
    DISTANCE_SYMBOLS,
    DISTANCES,
    END_LENGTH,
    LENGTH_BASE,
    LENGTH_CLASSES,
    LENGTH_EXTRA_BITS,
    LITERAL_PLAIN,
    PrefixCode,
)
from streamsave.rewriting.packing import Piece

__all__ = ["imploded"]

#: Entries up to these sizes get a dictionary of 1024 and of 2048 bytes; larger ones 4096 bytes.
SIZES: Final = (32768, 131072)
SHORTEST: Final = 3
LONGEST: Final = END_LENGTH - 1
#: Bits to collect before they are written.
MOST_BITS: Final = 4096
#: Bytes to hold before those that no match can reach any more are removed.
MOST_HELD: Final = 64 * 1024


def code_of(code: PrefixCode, symbol: int) -> tuple[int, int]:
    """Return the bits of a symbol, the first bit lowest, and their number."""
    index = code.symbols.index(symbol)
    return index, code.sizes[index]


def length_code(length: int) -> tuple[int, int]:
    """Return the bits of the length of a match, with the bit before it that marks a match; and their number."""
    symbol = max(range(len(LENGTH_BASE)), key=lambda number: (LENGTH_BASE[number] <= length) * LENGTH_BASE[number])
    bits, size = code_of(LENGTH_CLASSES, symbol)
    return 1 | bits << 1 | (length - LENGTH_BASE[symbol]) << (size + 1), 1 + size + LENGTH_EXTRA_BITS[symbol]


LENGTH_CODES: Final = [length_code(length) for length in range(2, END_LENGTH + 1)]
DISTANCE_CODES: Final = [code_of(DISTANCES, symbol) for symbol in range(DISTANCE_SYMBOLS)]


def imploded(pieces: Iterable[Piece], size: int) -> Iterator[bytes]:
    """Yield the imploded stream of an entry. It is the same however the entry is cut into pieces.

    Args:
        pieces: the bytes of the entry.
        size: of the entry; it decides the size of the dictionary.
    """
    low_bits = DICTIONARY_BITS_MIN + sum(size > each for each in SIZES)
    farthest = DISTANCE_SYMBOLS << low_bits
    yield bytes([LITERAL_PLAIN, low_bits])
    #: The last bytes of the entry; three bytes at the start of a token -> the last offset of such a token.
    data = b""
    seen: dict[bytes, int] = {}
    waiting = count = at = 0
    for piece in chain(pieces, [b""]):
        data += bytes(piece)
        # A match may go on in the next piece.
        end = len(data) - LONGEST if piece else len(data)
        made = bytearray()
        while at < end:
            key = data[at : at + SHORTEST]
            before = seen.get(key, -1)
            seen[key] = at
            if before >= 0 and at - before <= farthest and len(key) == SHORTEST:
                length = match_length(data, before, at)
                bits, bit_count = LENGTH_CODES[length - 2]
                waiting |= bits << count
                count += bit_count
                distance = at - before - 1
                bits, bit_count = DISTANCE_CODES[distance >> low_bits]
                waiting |= (bits | (distance & (1 << low_bits) - 1) << bit_count) << count
                count += bit_count + low_bits
                at += length
            else:
                waiting |= data[at] << (count + 1)
                count += 9
                at += 1
            if count > MOST_BITS:
                whole = count // 8
                made += (waiting & (1 << 8 * whole) - 1).to_bytes(whole, "little")
                waiting >>= 8 * whole
                count -= 8 * whole
        yield bytes(made)
        if at > MOST_HELD:
            gone = at - farthest
            data = data[gone:]
            at = farthest
            seen = {key: place - gone for key, place in seen.items() if place >= gone}
    bits, bit_count = LENGTH_CODES[END_LENGTH - 2]
    waiting |= bits << count
    yield waiting.to_bytes((count + bit_count + 7) // 8, "little")


def match_length(data: bytes, before: int, at: int) -> int:
    """Return the number of equal bytes at two offsets: at least `SHORTEST`, at most `LONGEST`."""
    most = min(LONGEST, len(data) - at)
    length = SHORTEST
    while length < most and data[before + length] == data[at + length]:
        length += 1
    return length
