"""FText.

+-----------+----------------------------------------------------------------+
| flags     | u32                                                            |
| history   | i8                                                             |
| -1 none   | bool32 has; [FString]; once nothing                            |
|  0 base   | FString namespace, key, source                                 |
|  1, 3     | FText pattern; i32 n; n * (FString name; u8 type; value)       |
| 10        | FText source; u8 transform                                     |
| 11        | FString table id, key                                          |
+-----------+----------------------------------------------------------------+
Argument types: 0 i64, 1 u64, 2 f32, 3 f64, 4 FText; in history 3, 0 and 1 once had 32 bits.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from attrs import field, frozen

from writer.primitives import bool32, counted, fstring, u8, u32

if TYPE_CHECKING:
    from collections.abc import Sequence

HISTORY_NONE = -1
HISTORY_BASE = 0
HISTORY_NAMED_FORMAT = 1
HISTORY_ARGUMENT_FORMAT = 3
HISTORY_TRANSFORM = 10
HISTORY_STRING_TABLE = 11

ARGUMENT_I64 = 0
ARGUMENT_U64 = 1
ARGUMENT_F32 = 2
ARGUMENT_F64 = 3
ARGUMENT_TEXT = 4
_NUMBERS = {ARGUMENT_I64: "<q", ARGUMENT_U64: "<Q", ARGUMENT_F32: "<f", ARGUMENT_F64: "<d"}
_NARROW_NUMBERS = _NUMBERS | {ARGUMENT_I64: "<i", ARGUMENT_U64: "<I"}


@frozen
class Spelling:
    """What texts of old engines have otherwise."""

    #: History -1 tells whether a string follows; it never did before.
    tells_invariant: bool = True
    #: Integers among the arguments of history 3 have 64 bits.
    wide_integers: bool = True


NEWEST = Spelling()


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
    """A named argument of a format; ``type`` says how ``value`` is stored."""

    name: str
    type: int
    value: FText | int | float


@frozen
class FormatText:
    """History 1 (or 3): a pattern with arguments."""

    pattern: FText
    arguments: Sequence[Argument] = ()
    history: int = HISTORY_NAMED_FORMAT
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


FText = PlainText | BaseText | FormatText | TransformText | TableText


def _argument(argument: Argument, spelling: Spelling, history: int) -> bytes:
    if isinstance(argument.value, (int, float)):
        is_wide = spelling.wide_integers or history == HISTORY_NAMED_FORMAT
        value = struct.pack((_NUMBERS if is_wide else _NARROW_NUMBERS)[argument.type], argument.value)
    else:
        value = ftext(argument.value, spelling)
    return fstring(argument.name) + u8(argument.type) + value


def ftext(text: FText, spelling: Spelling = NEWEST) -> bytes:
    """The bytes of a text."""
    match text:
        case PlainText():
            history, rest = HISTORY_NONE, bool32(text.text is not None) if spelling.tells_invariant else b""
            if text.text is not None:
                rest += fstring(text.text)
        case BaseText():
            history, rest = HISTORY_BASE, fstring(text.namespace) + fstring(text.key) + fstring(text.source)
        case FormatText():
            arguments = counted(text.arguments, lambda argument: _argument(argument, spelling, text.history))
            history, rest = text.history, ftext(text.pattern, spelling) + arguments
        case TransformText():
            history, rest = HISTORY_TRANSFORM, ftext(text.source, spelling) + u8(text.transform)
        case TableText():
            history, rest = HISTORY_STRING_TABLE, fstring(text.table) + fstring(text.key)
    return u32(text.flags) + struct.pack("<b", history) + rest
