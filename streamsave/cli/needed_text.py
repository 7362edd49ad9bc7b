"""What a text needs so that a regular expression can match it: most values are passed over by a look at their bytes.

Of `^Desc_Iron.*` each text has `Desc_Iron`. Texts of a save are in its bytes as they are, in Latin-1 or UTF-16, but for control
characters. So a value whose bytes do not have `Desc_Iron` has no such text, unless one of the words that `streamsave.cli.text`
and the readers add has it: these are in `ADDED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, Final
from warnings import catch_warnings, simplefilter

__all__ = ["NeededText", "added_words"]

#: The parser of `re` has no public name.
_parser: Final[Any] = import_module("re._parser")
_codes: Final[Any] = import_module("re._constants")

#: Words in the texts of values that no save stores: of numbers, of bytes, of what is empty; of the kinds of a text
#: (`streamsave.formats.unreal.text`); and of why bytes are of unknown layout.
ADDED: Final = """
    true false inf nan null none byte bytes ticks day days
    none base named format ordered argument number percent currency date time transform string table generator raw
    unknown struct set map of structs types array optional type a text history property list no value element key left after the
    behind s blueprint configuration headers objects save version too large to decode layout
"""
#: In a text of letters alone, nothing comes from a number, and no two texts meet.
LETTERS: Final = re.compile("[A-Za-z_/]+")
#: Digits of GUIDs and of bytes.
HEXADECIMAL: Final = re.compile("[A-Fa-f]+")
#: Characters at the end of what `clean` writes for a control character.
ESCAPED: Final = "tnrxuTNRXUabcdefABCDEF0123456789"
#: Letters that others equal if case is ignored, which are not in Latin-1.
UNLIKE: Final = re.compile("[iksIKS]")
#: Characters in the texts of numbers.
OF_INTEGERS: Final = frozenset("-0123456789")


class NeededText:
    """What every text has that an expression matches.

    Attributes:
        stored, wide: a part of it that is in the bytes of each value with such a text, in Latin-1 and UTF-16; b"" if none is
            known.
        ignore_case: in small letters; the bytes may have others.
        integers: whether the text of an integer may have it all.
    """

    def __init__(self, expression: str, flags: int = 0) -> None:
        parts, self.ignore_case = _parts(expression, flags)
        self.integers = all(OF_INTEGERS.issuperset(part) for part in parts)
        # What comes after the first of its characters that is none of these is no part of them.
        parts = [part.lstrip(ESCAPED) for part in parts]
        if self.ignore_case:
            parts = [piece for part in parts for piece in UNLIKE.split(part.lower())]
        runs = [run for part in parts for run in LETTERS.findall(part)]
        stored = max([run for run in runs if _is_stored(run)], key=len, default="")
        self.stored = stored.encode("ascii")
        self.wide = stored.encode("utf-16-le")
        self._text = stored

    def may_be_in(self, data: bytes) -> bool:
        """Return whether such a text may be in a value with these bytes."""
        if self.ignore_case:
            data = data.lower()
        # `in` tries whether what it looks for is a number, at first: that takes four times as long as to look for it.
        return data.find(self.stored) >= 0 or data.find(self.wide) >= 0

    def may_be_in_name(self, name: str) -> bool:
        """Return whether a part of such a text may be in the name of a type: it is shown for a value of unknown layout."""
        return self._text in (name.lower() if self.ignore_case else name)


def _is_stored(run: str) -> bool:
    """Return whether a run of letters can only come from the bytes of a save."""
    run = run.lower()
    return not HEXADECIMAL.fullmatch(run) and not any(run in word for word in added_words())


def _parts(expression: str, flags: int) -> tuple[list[str], bool]:
    """Return texts that every match has, and whether their case is ignored; none, where RE2 may read the expression otherwise."""
    try:
        with catch_warnings():
            simplefilter("error", FutureWarning)  # of sets that a later `re` reads otherwise
            tree = _parser.parse(expression, flags)
    except (re.error, OverflowError, RecursionError, FutureWarning):
        return [], False
    return [] if "[:" in expression else list(_literals(tree)), bool(tree.state.flags & re.IGNORECASE)


def _literals(tree: Iterable[Any]) -> Iterable[str]:
    """Yield texts that every match has, in their order."""
    run = ""
    for code, argument in tree:
        if code is _codes.LITERAL:
            run += chr(argument)
            continue
        if run:
            yield run
        run = ""
        if code is _codes.SUBPATTERN and not argument[1] and not argument[2]:
            yield from _literals(argument[3])
        elif code in {_codes.MAX_REPEAT, _codes.MIN_REPEAT} and argument[0] > 0:
            yield from _literals(argument[2])
    if run:
        yield run


@cache
def added_words() -> frozenset[str]:
    """Return the words, in small letters, that may be in the text of a value without being in its bytes."""
    values = import_module("streamsave.values")
    words = set(ADDED.split())
    for name in values.__all__:
        kind = getattr(values, name)
        words.add(name.lower())
        words.update([field.lower() for field in kind.__match_args__])
    return frozenset(words)
