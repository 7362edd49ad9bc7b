"""A leaf of JSON text: the bytes before its value, and another value in its place.

| piece | |
|---|---|
| comma | but for the first member or element |
| key, colon | of a member |
| value | a string, number or word; a configuration may be an object with base64 in `$value` |

White space may be between them, and after a number or word.
"""

from __future__ import annotations

import json
import re
from typing import Final

from streamsave.errors import EditError, shown_value

__all__ = ["JSON_COMMA", "json_prefix_size", "json_text", "with_base64", "with_json_value"]

JSON_COMMA: Final = re.compile(rb"[ \t\r\n]*,")
#: The integers that a game may read.
INTEGERS: Final = (-(1 << 63), (1 << 64) - 1)
PREFIX: Final = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*,?[ \t\r\n]*(?:"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*)?', re.DOTALL)


def json_prefix_size(raw: bytes) -> int:
    """Return how many bytes of a leaf are before its value."""
    found = PREFIX.match(raw)
    return 0 if found is None else found.end()


def json_text(value: object) -> bytes:
    """Return the JSON text of a scalar.

    Raises:
        EditError: JSON cannot have it.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:  # of UnicodeEncodeError, too
        raise EditError("JSON cannot have it", value) from None


def with_json_value(raw: bytes, old: object, new: object) -> bytes:
    """Return a leaf with another value of the same kind; null may become any other, and any other null.

    Raises:
        EditError: it is of another kind.
    """
    if isinstance(old, bool):
        fits = isinstance(new, bool)
    elif isinstance(old, int):
        fits = isinstance(new, int) and not isinstance(new, bool)
        if isinstance(new, int) and not INTEGERS[0] <= new <= INTEGERS[1]:
            raise EditError("out of range", new, "an integer of 64 bits")
    elif isinstance(old, float):
        fits = isinstance(new, (int, float)) and not isinstance(new, bool)
        try:
            new = float(new) if isinstance(new, int) else new
        except OverflowError:
            raise EditError("out of range", new, "a float of 8 bytes") from None
    elif isinstance(old, str):
        fits = isinstance(new, str)
    else:
        fits = isinstance(new, (bool, int, float, str))
    if not fits and new is not None:
        raise EditError("another kind of value", new, f"one like {shown_value(old)}")
    return raw[: json_prefix_size(raw)] + json_text(new)


def with_base64(raw: bytes, text: str) -> bytes:
    """Return a leaf that is a configuration with other base64."""
    start = json_prefix_size(raw)
    old = json.loads(raw[start:])
    made = {**old, "$value": text} if isinstance(old, dict) else text
    return raw[:start] + json.dumps(made, separators=(",", ":")).encode()
