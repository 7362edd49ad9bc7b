"""Interface for arrays of bytes that have a layout: a game says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave._log import warn
from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.unreal.frames import Frame

__all__ = ["BlobLayouts", "noted_value"]

#: Longer names of what a blob is are cut.
NOTED_SIZE: Final = 256


class BlobLayouts:
    """Which arrays of bytes of one game have a layout, and which one.

    Attributes:
        name: of the properties that are such arrays.
        versions_name: of the array of bytes after each of them, which has its versions; not all have one.
        noted_names: of the properties that say what a blob is; they come before it, in a list around it. Keys of maps do so, too.
    """

    def __init__(self, name: str, versions_name: str, noted_names: frozenset[str]) -> None:
        self.name = name
        self.versions_name = versions_name
        self.noted_names = noted_names
        #: The last blob whose layout was found, and where it is: to make the header of an object, the walk looks ahead.
        self.last_layout: Struct | None = None
        self.last_start: i64 = -1
        self.last_end: i64 = -1
        #: Logs a warning: that of the source that is read, if the reader sets it.
        self.warn: Callable[..., None] = warn

    def kind(self, frames: list[Frame]) -> str:
        """Return what a blob is, in words for a reason; `frames` are the nestings around it."""
        raise NotImplementedError

    def layouts(self, frames: list[Frame], versions: bytes | None) -> list[Struct]:
        """Return the layouts that a blob may have: the first one that takes exactly its bytes is right.

        Args:
            frames: the nestings around it, with the last noted values.
            versions: the bytes of the array after it; None if there is none.
        """
        raise NotImplementedError


def noted_value(cursor: Cursor, size: i64) -> str:
    """Return the name that is the value at the cursor, which has `size` bytes. The cursor does not move."""
    most = min(size, NOTED_SIZE)
    return cursor.peek(most)[4:].rstrip(b"\0").decode("latin-1")
