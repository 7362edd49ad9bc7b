"""Texts that have to stand in an object's data if a test of a property is to hold: looked for before a tag is read.

Only what is stored as text is looked for: the name of the property, and a part of the value that cannot come from a number, a
GUID, a moment or a word that this package has for a value.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave.query.tests import Compare, Has, Pattern

__all__ = ["encodings", "needles_of"]

#: Names that `build` may have changed, and reasons of bytes that are passed over.
CHANGED_NAME: Final = re.compile(r"[\[#\s]")
#: No digits: numbers and words stand beside each other in the text of a duration.
RUN: Final = re.compile(r"[A-Za-z_/]+")
WILDCARDS: Final = re.compile(r"[*?]")
PLAIN_EXPRESSION: Final = re.compile(r"\^?([A-Za-z0-9_/:-]+)\$?")
#: Digits of GUIDs, and all words in the text of what is stored as a number.
HEXADECIMAL: Final = re.compile(r"[A-Fa-f]+")
WORDS: Final = ("true", "false", "inf", "nan", "ticks", "day", "days")


def needles_of(test: Compare | Has) -> tuple[str, ...]:
    """Give texts that the data of every object contains that passes a test; the first one is the name of the property, if any."""
    name = test.path.root
    if CHANGED_NAME.search(name):
        return ()
    text = _literal(test.literal) if isinstance(test, Compare) and isinstance(test.literal, Pattern) else ""
    return (name, text) if text else (name,)


def encodings(text: str) -> tuple[bytes, ...]:
    """Give the bytes that a text may be stored as: one each, or UTF-16."""
    wide = text.encode("utf-16-le", "surrogatepass")
    try:
        return text.encode("latin-1"), wide
    except UnicodeEncodeError:
        return (wide,)


def _literal(pattern: Pattern) -> str:
    """Give the longest part that every text has that a pattern says, and that is stored as it is; "" if there is none."""
    if pattern.ignore_case:
        return ""
    parts = [pattern.text]
    if pattern.kind == "glob":
        parts = [] if "[" in pattern.text else WILDCARDS.split(pattern.text)
    elif pattern.kind == "regex":
        plain = PLAIN_EXPRESSION.fullmatch(pattern.text)
        parts = [] if plain is None else [plain[1]]
    runs = [run for part in parts for run in RUN.findall(part)]
    stored = [run for run in runs if not HEXADECIMAL.fullmatch(run) and not any(run in word for word in WORDS)]
    return max(stored, key=len, default="")
