"""Byte strings that must occur in an object's data for a test to pass; rejects objects before their tags are parsed.

Only texts that the save stores as they are can be searched for: the name of the property, and a part of the value that does not
come from a number, a GUID, a date or a word that this package uses for a value.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave.consume.conditions import Compare, Has, Pattern
from streamsave.consume.needed_text import literal_parts, stored_part

__all__ = ["encodings", "name_encodings", "required_texts"]

#: Names that `build` may have changed, and reasons of a `BlobSkip`.
CHANGED_NAME: Final = re.compile(r"[\[#\s]")
WILDCARDS: Final = re.compile(r"[*?]")
#: Characters of a name whose length is a byte, in UTF-16 and with a NUL, too.
SHORT_NAME: Final = 100
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
        parts = literal_parts(pattern.text) or []
    return stored_part(parts)
