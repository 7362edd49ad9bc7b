"""FText.

+-----------+----------------------------------------------------------------+
| flags     | u32                                                            |
| history   | i8                                                             |
| -1 none   | bool32 has; [FString]; once nothing                            |
|  0 base   | FString namespace, key, source                                 |
|  1, 3     | FText pattern; i32 n; n * (FString name; u8 type; value)       |
|  2        | FText pattern; i32 n; n * (u8 type; value)                     |
|  4, 5     | u8 type; value; bool32 has; [options]; FString culture         |
|  6        | FString currency; the same                                     |
|  7, 8     | i64 ticks; i8 style; FString zone, culture                     |
|  9        | i64 ticks; i8 style of the date, of the time; the same         |
| 10        | FText source; u8 transform                                     |
| 11        | FString table id, key                                          |
| 12        | FString generator; unless that is "None": i32 n; n bytes       |
| 13        | FString text                                                   |
+-----------+----------------------------------------------------------------+
Argument types: 0 i64, 1 u64, 2 f32, 3 f64, 4 FText, 5 i32 (a gender); in history 3, 0 and 1 once had 32 bits. Options: bool32
sign always; bool32 grouping; i8 rounding; i32 least and most integral digits, and fractional ones. Older engines leave out the
sign, the currency and the zone.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from attrs import field, frozen

from writer.primitives import bool32, counted, fstring, i64, sized, u8, u32

if TYPE_CHECKING:
    from collections.abc import Sequence

HISTORY_NONE = -1
HISTORY_BASE = 0
HISTORY_NAMED_FORMAT = 1
HISTORY_ORDERED_FORMAT = 2
HISTORY_ARGUMENT_FORMAT = 3
HISTORY_NUMBER = 4
HISTORY_CURRENCY = 6
HISTORY_DATE = 7
HISTORY_DATE_TIME = 9
HISTORY_TRANSFORM = 10
HISTORY_STRING_TABLE = 11
HISTORY_GENERATOR = 12
HISTORY_RAW = 13

ARGUMENT_I64 = 0
ARGUMENT_U64 = 1
ARGUMENT_F32 = 2
ARGUMENT_F64 = 3
ARGUMENT_TEXT = 4
ARGUMENT_GENDER = 5
_NUMBERS = {ARGUMENT_I64: "<q", ARGUMENT_U64: "<Q", ARGUMENT_F32: "<f", ARGUMENT_F64: "<d", ARGUMENT_GENDER: "<i"}


@frozen
class PlainText:
    """History -1: a culture invariant string, or nothing at all."""

    text: str | None = None
    flags: int = 0x12


@frozen
class BaseText:
    """History 0: a localizable string with its namespace and key."""

    namespace: str
    key: str
    source: str
    flags: int = 8


@frozen
class Argument:
    """An argument of a format, which has a name but in history 2; ``type`` says how ``value`` is stored."""

    name: str
    type: int
    value: FText | int | float


@frozen
class FormatText:
    """History 1 (or 2, 3): a pattern with arguments."""

    pattern: FText
    arguments: Sequence[Argument] = ()
    history: int = HISTORY_NAMED_FORMAT
    flags: int = 8


@frozen
class NumberOptions:
    """How a number is shown."""

    always_sign: bool = False
    grouping: bool = True
    rounding: int = 0
    integral_digits: tuple[int, int] = (1, 324)
    fractional_digits: tuple[int, int] = (0, 3)


@frozen
class NumberText:
    """History 4 (or 5, 6): a number, percents, or an amount of money; ``value`` needs no name."""

    value: Argument
    options: NumberOptions | None = None
    culture: str = ""
    currency: str = ""
    history: int = HISTORY_NUMBER
    flags: int = 8


@frozen
class MomentText:
    """History 7 (or 8, 9): a date, a time, or both; ``ticks`` are tenths of microseconds since the year 1."""

    ticks: int
    style: int = 0
    time_style: int = 0
    zone: str = ""
    culture: str = ""
    history: int = HISTORY_DATE
    flags: int = 8


@frozen
class TransformText:
    """History 10: another text in lower (0) or upper (1) case."""

    source: FText
    transform: int = field(default=1)
    flags: int = 8


@frozen
class TableText:
    """History 11: an entry of a string table."""

    table: str
    key: str
    flags: int = 8


@frozen
class GeneratedText:
    """History 12: what a class of the game makes of bytes of its own; none where there is no class."""

    generator: str = "None"
    contents: bytes = b""
    flags: int = 8


@frozen
class RawText:
    """History 13: a string, in some games."""

    text: str
    flags: int = 8


FText = PlainText | BaseText | FormatText | NumberText | MomentText | TransformText | TableText | GeneratedText | RawText


def _argument(argument: Argument, history: int) -> bytes:
    name = fstring(argument.name) if history in {HISTORY_NAMED_FORMAT, HISTORY_ARGUMENT_FORMAT} else b""
    if isinstance(argument.value, (int, float)):
        value = struct.pack(_NUMBERS[argument.type], argument.value)
    else:
        value = ftext(argument.value)
    return name + u8(argument.type) + value


def _options(options: NumberOptions | None) -> bytes:
    if options is None:
        return bool32(False)
    digits = struct.pack("<b4i", options.rounding, *options.integral_digits, *options.fractional_digits)
    return bool32(True) + bool32(options.always_sign) + bool32(options.grouping) + digits


def _moment(text: MomentText) -> bytes:
    styles = struct.pack("<b", text.style)
    if text.history == HISTORY_DATE_TIME:
        styles += struct.pack("<b", text.time_style)
    return i64(text.ticks) + styles + fstring(text.zone) + fstring(text.culture)


def ftext(text: FText) -> bytes:
    """The bytes of a text."""
    match text:
        case PlainText():
            history, rest = HISTORY_NONE, bool32(text.text is not None)
            if text.text is not None:
                rest += fstring(text.text)
        case BaseText():
            history, rest = HISTORY_BASE, fstring(text.namespace) + fstring(text.key) + fstring(text.source)
        case FormatText():
            arguments = counted(text.arguments, lambda argument: _argument(argument, text.history))
            history, rest = text.history, ftext(text.pattern) + arguments
        case NumberText():
            currency = fstring(text.currency) if text.history == HISTORY_CURRENCY else b""
            value = _argument(text.value, text.history) + _options(text.options)
            history, rest = text.history, currency + value + fstring(text.culture)
        case MomentText():
            history, rest = text.history, _moment(text)
        case TransformText():
            history, rest = HISTORY_TRANSFORM, ftext(text.source) + u8(text.transform)
        case TableText():
            history, rest = HISTORY_STRING_TABLE, fstring(text.table) + fstring(text.key)
        case GeneratedText():
            contents = sized(text.contents) if text.generator != "None" else b""
            history, rest = HISTORY_GENERATOR, fstring(text.generator) + contents
        case RawText():
            history, rest = HISTORY_RAW, fstring(text.text)
    return u32(text.flags) + struct.pack("<b", history) + rest
