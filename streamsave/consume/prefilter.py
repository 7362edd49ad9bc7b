"""Byte strings that must occur in an object's data for a test to pass; rejects objects before their tags are parsed.

Only texts that the save stores as they are can be searched for: the name of the property, and a part of the value that does not
come from a number, a GUID, a date or a word that this package uses for a value.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave.consume.conditions import Compare, Has, Pattern

__all__ = ["encodings", "name_encodings", "required_texts"]

#: Names that `build` may have changed, and reasons of a `BlobSkip`.
CHANGED_NAME: Final = re.compile(r"[\[#\s]")
#: Without digits: the text of a duration mixes numbers and words.
RUN: Final = re.compile(r"[A-Za-z_/]+")
WILDCARDS: Final = re.compile(r"[*?]")
PLAIN_EXPRESSION: Final = re.compile(r"\^?([A-Za-z0-9_/:-]+)\$?")
#: Digits of GUIDs.
HEXADECIMAL: Final = re.compile(r"[A-Fa-f]+")
#: Characters of a name whose length is a byte, in UTF-16 and with a NUL, too.
SHORT_NAME: Final = 100
#: The words in the texts of values that the save stores as numbers; the last row are histories of localised texts.
WORDS: Final = (
    *("true", "false", "inf", "infinity", "nan", "null", "ticks", "day", "days"),
    *("none", "base", "named_format", "ordered_format", "argument_format", "number", "percent", "currency", "date", "time"),
    *("date_time", "transform", "string_table", "generator", "raw"),
)
#: The member of bytes that has their text in JSON.
BASE64: Final = "base64"


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
    if pattern.ignore_case:
        return ""
    parts = [pattern.text]
    if pattern.kind == "glob":
        parts = [] if "[" in pattern.text else WILDCARDS.split(pattern.text)
    elif pattern.kind == "regex":
        plain = PLAIN_EXPRESSION.fullmatch(pattern.text)
        parts = [] if plain is None else [plain[1]]
    runs = [run for part in parts for run in RUN.findall(part)]
    stored = [run for run in runs if not HEXADECIMAL.fullmatch(run) and not any(run.lower() in word for word in WORDS)]
    return max(stored, key=len, default="")
