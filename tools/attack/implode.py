"""Imploding without matches: fast, and as long as it likes.

A literal is nine bits, lowest first: a zero, then the byte. Eight of them are nine bytes.
"""

from __future__ import annotations

from typing import Final

from writer.arx import END, dictionary_bits, length_bits

GROUP: Final = 8
LITERAL_BITS: Final = 9


#: By how many bits a byte moves within its group: what of it is left in its own byte, and what the next one has of it.
LOW: Final = [bytes((byte << at + 1) & 0xFF for byte in range(256)) for at in range(GROUP)]
HIGH: Final = [bytes(byte >> 7 - at for byte in range(256)) for at in range(GROUP)]


def implode_literals(data: bytes) -> bytes:
    """Pack with literals alone."""
    count = len(data) // GROUP
    groups = bytearray(count * LITERAL_BITS)
    before = bytes(count)
    for at in range(GROUP):
        literals = data[at : count * GROUP : GROUP]
        groups[at::LITERAL_BITS] = _or(before, literals.translate(LOW[at]))
        before = literals.translate(HIGH[at])
    groups[GROUP::LITERAL_BITS] = before
    bits = shift = 0
    for byte in data[count * GROUP :]:
        bits |= byte << shift + 1
        shift += LITERAL_BITS
    end = length_bits(END)
    bits |= int(end[::-1], 2) << shift
    last = bits.to_bytes((shift + len(end) + 7) // 8, "little")
    return bytes([0, dictionary_bits(len(data))]) + groups + last


def _or(one: bytes, other: bytes) -> bytes:
    """Put the bits of both together."""
    return (int.from_bytes(one, "little") | int.from_bytes(other, "little")).to_bytes(len(one), "little")
