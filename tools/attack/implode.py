"""Imploding without matches: fast, and as long as it likes.

A literal is nine bits, lowest first: a zero, then the byte. Eight of them are nine bytes.
"""

from __future__ import annotations

from typing import Final

from writer.arx import END, dictionary_bits, length_bits

GROUP: Final = 8
LITERAL_BITS: Final = 9


def implode_literals(data: bytes) -> bytes:
    """Pack with literals alone."""
    whole = len(data) - len(data) % GROUP
    out = bytearray([0, dictionary_bits(len(data))])
    for start in range(0, whole, GROUP):
        a, b, c, d, e, f, g, h = data[start : start + GROUP]
        out += (a << 1 | b << 10 | c << 19 | d << 28 | e << 37 | f << 46 | g << 55 | h << 64).to_bytes(LITERAL_BITS, "little")
    bits = shift = 0
    for byte in data[whole:]:
        bits |= byte << shift + 1
        shift += LITERAL_BITS
    end = length_bits(END)
    bits |= int(end[::-1], 2) << shift
    return bytes(out) + bits.to_bytes((shift + len(end) + 7) // 8, "little")
