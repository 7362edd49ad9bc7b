"""Where the sizes are that tags have: events do not say it, so a tag is read again."""

from __future__ import annotations

from streamsave.decode.cursor import Cursor

__all__ = ["inner_size_offset"]


def inner_size_offset(start: int, content: int, cursor: Cursor) -> int:
    """Return where the size in the inner tag of an array of structs is; -1 if there is no inner tag.

    Args:
        start: of the value of the array.
        content: where its first element starts.
        cursor: any; it is moved.
    """
    if content == start + 4:
        return -1
    cursor.seek(start + 4)
    cursor.name()
    cursor.name()
    return int(cursor.tell())
