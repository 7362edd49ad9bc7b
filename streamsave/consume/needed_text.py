"""Texts that an object needs so that a test can pass, or an expression match: most are passed over by a look at their bytes.

Only texts that the save stores as they are can be searched for: the name of a property, and a part of a value that does not come
from a number, a GUID, a date or a word that this package uses for a value.

Of `^Desc_Iron.*` each text has `Desc_Iron`. Texts of a save are in its bytes as they are, in Latin-1 or UTF-16. So an object
whose bytes do not have `Desc_Iron` has no such text, unless one of the words in `ADDED` has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from streamsave.consume.conditions import Compare, Has, Pattern

__all__ = ["ADDED", "NeededText", "encodings", "literal_parts", "name_encodings", "required_texts"]

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
IGNORES_CASE: Final = "(?i)"
#: A part of an expression, without groups: one literal character, a set of characters or a place, what may be missing.
TOKEN: Final = re.compile(
    r"(?P<plain>[^\\\[{*?.^$+])|\\(?P<escaped>[\W_])|(?P<any>\\[AbBdDsSwWZ]|\[\^?+[^\\][^\]\\]*\]|[.^$+])|(?P<maybe>[*?]|\{[^}]*\})",
    re.DOTALL,
)
#: Names that `build` may have changed, and reasons of a `BlobSkip`.
CHANGED_NAME: Final = re.compile(r"[\[#\s]")
WILDCARDS: Final = re.compile(r"[*?]")
#: Characters of a name whose length is a byte, in UTF-16 and with a NUL, too.
SHORT_NAME: Final = 100
#: The member of bytes that has their text in JSON.
BASE64: Final = "base64"


def literal_parts(expression: str) -> list[str] | None:
    """Return texts that every match of a regular expression has, in their order; None if that takes more than a look.

    Groups and alternatives are not looked into.
    """
    if any(sign in expression for sign in ("(", ")", "|", "[:")):
        return None
    parts = [""]
    at = 0
    while at < len(expression):
        found = TOKEN.match(expression, at)
        if found is None:
            return None
        at = found.end()
        literal = found["plain"] or found["escaped"]
        if literal:
            parts[-1] += literal
            continue
        if found["maybe"]:
            parts[-1] = parts[-1][:-1]
        parts.append("")
    return [part for part in parts if part]


class NeededText:
    """What every text has that an expression matches.

    Attributes:
        stored, wide: a part of it that is in the bytes of each object with such a text, in Latin-1 and UTF-16; b"" if none is
            known. If one is, it is in no text of a number, a bool, None or of what is empty.
        ignore_case: in small letters; the bytes may have others.
    """

    def __init__(self, expression: str, *, ignore_case: bool = False) -> None:
        if expression.startswith(IGNORES_CASE):
            expression, ignore_case = expression[len(IGNORES_CASE) :], True
        self.ignore_case = ignore_case
        parts = literal_parts(expression)
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


def required_texts(test: Compare | Has) -> tuple[str, ...]:
    """Return texts that occur in the data of every object that passes a test; the first one, if any, is the property's name."""
    name = test.path.root
    if CHANGED_NAME.search(name):
        return ()
    text = ""
    if isinstance(test, Compare) and isinstance(test.literal, Pattern) and test.path.steps[-1] != BASE64:
        text = _required_part(test.literal)
    return (name, text) if text else (name,)


def encodings(text: str) -> tuple[bytes, ...]:
    """Return the byte strings that a save may store a text as: Latin-1, if that has all its characters, and UTF-16."""
    wide = text.encode("utf-16-le", "surrogatepass")
    try:
        return text.encode("latin-1"), wide
    except UnicodeEncodeError:
        return (wide,)


def name_encodings(name: str) -> tuple[bytes, ...]:
    """Return the byte strings that a save may store a name as, with the end of its length, so not inside of other texts.

    The length is an i32, above 0 for Latin-1 and below 0 for UTF-16, so its last three bytes are known if the name is short.
    """
    if not 0 < len(name) <= SHORT_NAME:
        return encodings(name)
    *narrow, wide = encodings(name)
    return (*[b"\0\0\0" + text for text in narrow], b"\xff\xff\xff" + wide)


def _required_part(pattern: Pattern) -> str:
    """Return the longest part that is stored in every text that a pattern matches; "" if there is none."""
    parts = [pattern.text]
    if pattern.kind == "glob":
        parts = [] if "[" in pattern.text else WILDCARDS.split(pattern.text)
    elif pattern.kind == "regex":
        parts = literal_parts(pattern.text) or []
    return stored_part(parts)
