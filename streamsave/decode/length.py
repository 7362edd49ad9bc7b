"""A field that says how many bytes, or how many elements, something in a save has."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Length"]


class Length(NamedTuple):
    """Such a field: a little-endian number in the inflated stream."""

    offset: int
    #: Its own bytes.
    width: int
    #: It counts elements, not bytes.
    counts: bool
    #: In which section of its nesting it is. A later one starts with its first field; the last one ends where its size says.
    section: int = 0
    #: Exclusive end of what this length counts; -1: the end of what was opened.
    end: int = -1
