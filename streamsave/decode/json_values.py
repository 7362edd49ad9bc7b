r"""Values -> what JSON can express, for `streamsave.output.json_text`; and numbers as JSON and as people write them.

| value | becomes |
|---|---|
| None, bool, str, finite float, int of up to 64 bits | itself |
| NaN, infinities | `"NaN"`, `"Infinity"`, `"-Infinity"` |
| int beyond 64 bits | its decimal digits, as a string |
| str with lone surrogates | `{"escaped": text}`: each written as `\udXXX`, each backslash doubled; `unescape` undoes it |
| bytes | `{"base64": text}` |
| `Opaque` | `{"base64": text, "reason": text}` |
| `Opaque` that is padding, all zeros | `{"zeros": size in bytes, "reason": "padding"}` |
| `Guid` | as Unreal prints it |
| `DateTime` | `"2024-05-01T12:34:56"`, with seven decimals if it has any; `{"ticks": n}` outside of the years 1 to 9999 |
| other attrs classes: the rest of `streamsave.values`, headers, events | dict of their fields |
| list, tuple | list; so a map, a list of (key, value), is a list of two-element lists |
| dict | dict; a key with lone surrogates is escaped as above, and gets a `'` if another key has that name already |
| exception | its text |

Values may be nested to any depth.
"""

from __future__ import annotations

import re
import struct
from binascii import b2a_base64
from collections.abc import Callable
from functools import lru_cache, partial
from math import isfinite, nan
from operator import setitem
from typing import Final, TypeAlias

from streamsave._fields import names_of_fields
from streamsave.events import PADDING
from streamsave.values import DateTime, Guid, ObjectReference, Opaque, Vector

__all__ = [
    "NOT_FINITE",
    "Json",
    "field_names",
    "has_unwritable_float",
    "is_sound",
    "json_key",
    "json_step",
    "number_text",
    "shortest_text",
    "to_jsonable",
    "to_single",
    "unescape",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

LONE_SURROGATE_OR_BACKSLASH: Final = re.compile(r"[\ud800-\udfff\\]")
ESCAPE: Final = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")
INT_LEAST: Final = -(1 << 63)
INT_MOST: Final = (1 << 64) - 1
TICKS_PER_SECOND: Final = 10_000_000
#: What Python prints -> what JSON has.
NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
#: Types of values without other values inside.
PLAIN: Final = (str, int, float, type(None), Guid, DateTime, bytes, bytearray, memoryview, Opaque, BaseException)

#: The field names of the attrs classes that are dicts in JSON, as far as `json_step` has met them.
_members_of: dict[type, tuple[str, ...]] = {}


def to_jsonable(value: object) -> Json:
    """Return a value as JSON expresses it: dicts, lists, texts, numbers, True, False and None, that `json.dumps` takes.

    This is what the commands print: an `ObjectReference` becomes `{"level_name": ..., "path_name": ...}`, bytes
    `{"base64": ...}`, a `DateTime` `"2024-05-01T12:34:56"`, NaN `"NaN"`, an int beyond 64 bits its digits as a text.

    Args:
        value: what `build()` returns, the `fields` of a `SelectedObject`, an event, a header, or a list, tuple or dict of such.

    Raises:
        TypeError: a value has another type, or a key of a dict is not a string.
    """
    if isinstance(value, PLAIN):
        return _plain(value)
    whole: list[Json] = [None]
    #: Values that are not converted yet, each with what puts the result into its place: Python's stack has an end.
    waiting: list[tuple[object, Callable[[Json], None]]] = [(value, partial(setitem, whole, 0))]
    while waiting:
        part, put = waiting.pop()
        if isinstance(part, PLAIN):
            put(_plain(part))
        elif isinstance(part, (list, tuple)):
            items: list[Json] = [None] * len(part)
            waiting.extend((item, partial(setitem, items, index)) for index, item in enumerate(part))
            put(items)
        else:
            if isinstance(part, dict):
                found = dict(zip(_names(part), part.values(), strict=True))
            else:
                found = {name: getattr(part, name) for name in field_names(type(part))}
            members: dict[str, Json] = dict.fromkeys(found)
            waiting.extend((member, partial(setitem, members, name)) for name, member in found.items())
            put(members)
    return whole[0]


def json_step(value: object) -> object:
    """Return a value that is no number, string, dict, list or None as JSON expresses it, but not the values inside of it.

    Raises:
        TypeError: the value has a type that is not in the table.
    """
    # Nearly all values that come here: to read a field by its name takes three times as long.
    if isinstance(value, ObjectReference) and type(value) is ObjectReference:
        return {"level_name": value.level_name, "path_name": value.path_name}
    if isinstance(value, Vector) and type(value) is Vector:
        return {"x": value.x, "y": value.y, "z": value.z}
    if isinstance(value, bytes):
        return _base64(value)
    names = _members_of.get(type(value))
    if names is not None:
        return {name: getattr(value, name) for name in names}
    if isinstance(value, PLAIN):
        return _plain(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    names = _members_of[type(value)] = field_names(type(value))
    return {name: getattr(value, name) for name in names}


def has_unwritable_float(value: object) -> bool:
    """Return whether a NaN or an infinity is in a value that orjson has written: that has at most 254 levels."""
    if isinstance(value, float):
        return value - value != 0.0
    if value is None or isinstance(value, (str, int)) or type(value) is ObjectReference:
        return False
    if isinstance(value, dict):
        return any(has_unwritable_float(member) for member in value.values())
    if isinstance(value, (list, tuple)):
        return any(has_unwritable_float(item) for item in value)
    names = _members_of.get(type(value))
    if names is None:
        if isinstance(value, PLAIN):
            return False
        names = field_names(type(value))
    return any(has_unwritable_float(getattr(value, name)) for name in names)


def json_key(name: str) -> str:
    """Return a name as the key of a JSON object: lone surrogates are escaped."""
    return name if is_sound(name) else _escape(name)


def _plain(value: object) -> Json:
    """Convert a value that has no other values inside."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if is_sound(value) else {"escaped": _escape(value)}
    if isinstance(value, int):
        return value if INT_LEAST <= value <= INT_MOST else str(value)
    if isinstance(value, float):
        return value if isfinite(value) else NOT_FINITE[repr(value)]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _base64(value)
    if isinstance(value, DateTime):
        return _moment(value)
    if isinstance(value, Opaque):
        if value.reason == PADDING and not value.data.strip(b"\0"):
            return {"zeros": len(value.data), "reason": PADDING}
        return {**_base64(value.data), "reason": _plain(value.reason)}
    return _plain(str(value))


def _base64(data: bytes | bytearray | memoryview) -> dict[str, Json]:
    return {"base64": b2a_base64(data, newline=False).decode("ascii")}


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of an attrs class.

    Raises:
        TypeError: it is not an attrs class.
    """
    names = names_of_fields(kind)
    if names is None:
        raise TypeError(f"JSON cannot express a {kind.__name__}")
    return names


def unescape(text: str) -> str:
    """Return the string that was written as `{"escaped": text}`."""
    return ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else "\\", text)


def is_sound(text: str) -> bool:
    """Return whether UTF-8 can encode a text."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape(text: str) -> str:
    return LONE_SURROGATE_OR_BACKSLASH.sub(lambda match: "\\\\" if match[0] == "\\" else f"\\u{ord(match[0]):04x}", text)


def _names(value: dict[object, object]) -> dict[str, None]:
    """Return the names that the keys of a dict get, in their order."""
    result: dict[str, None] = {}
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"a key of a JSON object has to be a string, not {type(key).__name__}")
        name = json_key(key)
        while name in result:
            name += "'"
        result[name] = None
    return result


def _moment(value: DateTime) -> Json:
    moment = value.to_datetime()
    if moment is None:
        return {"ticks": value.ticks}
    text = moment.replace(microsecond=0).isoformat()
    fraction = value.ticks % TICKS_PER_SECOND
    return f"{text}.{fraction:07}" if fraction else text


SINGLE: Final = struct.Struct("<f")
LARGEST_SINGLE: Final = 3.4028234663852886e38
#: In single precision, each whole number below this is one of its own: its fewest digits are all it has.
WHOLE_SINGLE: Final = 16_777_216.0
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


def to_single(
    number: int | float,  # noqa: PYI041 - an integer may be too large for a float
) -> float:
    """Round a number to single precision; NaN, which equals nothing, if it is too large for that."""
    try:
        rounded: float = SINGLE.unpack(SINGLE.pack(float(number)))[0]
    except OverflowError:
        return nan
    return rounded


def shortest_text(value: float) -> str:
    """Return the fewest digits that read back as the same number, in single precision if it is one."""
    if not value:
        return repr(value)  # 0.0 and -0.0 are the same key
    if -WHOLE_SINGLE < value < WHOLE_SINGLE:
        whole = int(value)
        if whole == value:  # most numbers of Palworld: that takes a tenth of the time
            return f"{whole}.0"
    return _shortest(value)


@lru_cache(MOST_KEPT)
def _shortest(value: float) -> str:
    """Write a number: one of single precision needs nine digits at most."""
    if abs(value) < LARGEST_SINGLE and to_single(value) == value:
        for digits in (".6g", ".7g", ".8g", ".9g"):
            text = format(value, digits)
            number = float(text)
            if to_single(number) == value:
                return text if "." in text and "e" not in text else repr(number)  # nearly all: `repr` takes twice as long
    return repr(value)
