"""What a text needs so that a regular expression can match it: most objects are passed over by a look at their bytes.

Of `^Desc_Iron.*` each text has `Desc_Iron`. Texts of a save are in its bytes as they are, in Latin-1 or UTF-16. So an object
whose bytes do not have `Desc_Iron` has no such text, unless one of the words in `ADDED` has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["ADDED", "NeededText", "literal_parts", "stored_part"]

#: Words in the texts of values that no save stores, in small letters: of numbers, durations and what is empty; of the kinds of a
#: text (`streamsave.formats.unreal.text`).
ADDED: Final = (
    *("true", "false", "null", "nan", "inf", "infinity", "ticks", "day", "days"),
    *("none", "base", "named_format", "ordered_format", "argument_format", "number", "percent", "currency", "date", "time"),
    *("date_time", "transform", "string_table", "generator", "raw"),
)
#: In a text of letters alone, nothing comes from a number, and no two texts meet.
LETTERS: Final = re.compile("[A-Za-z_/]+")
#: Digits of GUIDs.
HEXADECIMAL: Final = re.compile("[A-Fa-f]+")
#: Letters that others equal if case is ignored, which are not in Latin-1.
UNLIKE: Final = re.compile("[iksIKS]")
#: Characters in the texts of numbers; the words of bools and None.
OF_INTEGERS: Final = frozenset("-0123456789")
OF_FLOATS: Final = OF_INTEGERS | frozenset("+.eENaInfity")
WORDS: Final = ("true", "false", "null")
IGNORES_CASE: Final = "(?i)"
#: What ends a run of literal characters; after these, the last one may not be there.
ENDS_RUN: Final = ".^$+"
MAY_BE_NONE: Final = "*?{"


def literal_parts(expression: str) -> list[str] | None:
    """Return texts that every match of a regular expression has, in their order; None if that takes more than a look.

    Groups and alternatives are not looked into.
    """
    if any(sign in expression for sign in ("(", ")", "|", "[:")):
        return None
    parts: list[str] = []
    run = ""
    at = 0
    while at < len(expression):
        sign = expression[at]
        at += 1
        if sign == "\\" and at < len(expression) and not expression[at].isalnum():
            run += expression[at]
            at += 1
            continue
        if sign not in ENDS_RUN and sign not in MAY_BE_NONE and sign not in "\\[":
            run += sign
            continue
        if sign in MAY_BE_NONE:
            run = run[:-1]
        parts.append(run)
        run = ""
        if sign == "\\":
            if at < len(expression) and expression[at] not in "AbBdDsSwWZ":
                return None  # a number of a character, or a group
            at += 1
        elif sign == "[":
            end = expression.find("]", at + 1 + expression.startswith("^", at))
            if end < 0 or "\\" in expression[at:end]:
                return None
            at = end + 1
        elif sign == "{":
            at = expression.find("}", at) + 1
            if not at:
                return None
    return [part for part in [*parts, run] if part]


class NeededText:
    """What every text has that an expression matches.

    Attributes:
        stored, wide: a part of it that is in the bytes of each object with such a text, in Latin-1 and UTF-16; b"" if none is
            known.
        ignore_case: in small letters; the bytes may have others.
        integers, floats, words: whether the text of an integer, of another number, of a bool or of None may have it all.
    """

    def __init__(self, expression: str, *, ignore_case: bool = False) -> None:
        if expression.startswith(IGNORES_CASE):
            expression, ignore_case = expression[len(IGNORES_CASE) :], True
        self.ignore_case = ignore_case
        parts = literal_parts(expression)
        self.integers = self.floats = self.words = True
        if parts is not None:
            self.integers = all(OF_INTEGERS.issuperset(part) for part in parts)
            floats = OF_FLOATS | {sign.swapcase() for sign in OF_FLOATS} if ignore_case else OF_FLOATS
            self.floats = all(floats.issuperset(part) for part in parts)
            self.words = all(any(part.lower() in word for word in WORDS) for part in parts)
        if ignore_case:
            parts = [piece for part in parts or () for piece in UNLIKE.split(part.lower())]
        stored = stored_part(parts or ())
        self.stored = stored.encode("ascii")
        self.wide = stored.encode("utf-16-le")

    def may_be_in(self, data: bytes) -> bool:
        """Return whether such a text may be in an object with these bytes."""
        if self.ignore_case:
            data = data.lower()
        # `in` tries whether what it looks for is a number, at first: that takes four times as long as to look for it.
        return data.find(self.stored) >= 0 or data.find(self.wide) >= 0


def stored_part(parts: Iterable[str]) -> str:
    """Return the longest run of letters in parts of a text that can only come from the bytes of a save; "" if there is none."""
    return max([run for part in parts for run in LETTERS.findall(part) if _is_stored(run)], key=len, default="")


def _is_stored(run: str) -> bool:
    """Return whether a run of letters can only come from the bytes of a save."""
    run = run.lower()
    return not HEXADECIMAL.fullmatch(run) and not any(run in word for word in ADDED)
