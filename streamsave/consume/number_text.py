"""Numbers as text: as JSON has them, and as people write them."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final

from librt.strings import read_f32_le

__all__ = ["number_text", "shortest_text"]

SINGLE: Final = struct.Struct("<f")
LARGEST_SINGLE: Final = 3.4028234663852886e38
#: Six digits are enough for every whole number below this.
WHOLE: Final = 1e6


def number_text(number: float) -> str:
    """Return a number as JSON has it."""
    text = repr(number)
    return text if "e" not in text and "n" not in text else _special(number)


def _special(number: float) -> str:
    if number - number == 0.0:
        import orjson  # noqa: PLC0415 - few numbers need it

        return orjson.dumps(number).decode()
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"  # noqa: PLR0124 - NaN equals nothing


#: Floats whose text is kept: many repeat, and finding the fewest digits takes long.
MOST_KEPT: Final = 16_384


def shortest_text(value: float) -> str:
    """Return the fewest digits that read back as the same number, in single precision if it is one."""
    return _shortest(value) if value else repr(value)  # 0.0 and -0.0 are the same key


def _is_single(value: float, other: float) -> bool:
    """Return whether `other`, rounded to single precision, is `value`."""
    return abs(other) < LARGEST_SINGLE and read_f32_le(SINGLE.pack(other), 0) == value


@lru_cache(MOST_KEPT)
def _shortest(value: float) -> str:
    """Write a number: one of single precision needs eight digits, or nine, which are always enough."""
    if (-WHOLE < value < WHOLE and value == int(value)) or not _is_single(value, value):
        return repr(value)
    text = format(value, ".8g")
    if _is_single(value, float(text)):
        for digits in (".7g", ".6g"):
            shorter = format(value, digits)
            if not _is_single(value, float(shorter)):
                break
            text = shorter
    else:
        text = format(value, ".9g")
    # To let `repr` find the digits again takes as long as all of this; it writes exponents and whole numbers in another way.
    return text if "." in text and "e" not in text else repr(float(text))
