"""Numbers as text: as JSON has them, and as people write them."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Final

from streamsave.decode.json_values import to_jsonable

__all__ = ["number_text", "shortest_text", "to_single"]

SINGLE: Final = struct.Struct("<f")
LARGEST_SINGLE: Final = 3.4028234663852886e38
#: Floats whose text is kept: many repeat, and finding the fewest digits takes long.
MOST_KEPT: Final = 16_384


def number_text(number: float) -> str:
    """Return a number as JSON has it."""
    text = repr(number)
    if "n" in text:
        return str(to_jsonable(number))
    digits, _, exponent = text.partition("e")
    if not exponent:
        return text
    # As orjson writes it: no zero before the exponent, and 1e-05 as 0.00001.
    if exponent != "-05":
        return f"{digits}e{int(exponent):+d}"
    from decimal import Decimal  # noqa: PLC0415 - few numbers need it

    return f"{Decimal(text):f}"


def to_single(number: float) -> float:
    """Round a number to single precision; NaN, which equals nothing, if it is too large for that."""
    try:
        rounded: float = SINGLE.unpack(SINGLE.pack(number))[0]
    except OverflowError:
        return math.nan
    return rounded


def shortest_text(value: float) -> str:
    """Return the fewest digits that read back as the same number, in single precision if it is one."""
    return _shortest(value) if value else repr(value)  # 0.0 and -0.0 are the same key


@lru_cache(MOST_KEPT)
def _shortest(value: float) -> str:
    """Write a number: one of single precision needs nine digits at most."""
    if abs(value) < LARGEST_SINGLE and to_single(value) == value:
        for digits in (".6g", ".7g", ".8g", ".9g"):
            number = float(format(value, digits))
            if to_single(number) == value:
                return repr(number)
    return repr(value)
