"""How files of shapez 2 start; imports no reader."""

from __future__ import annotations

from typing import Final

__all__ = ["AROUND_CODE", "CODE_PREFIX", "sniff_code", "sniff_save"]

#: The first header of a zip archive: of its first member, or of an archive without members.
ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
CODE_PREFIX: Final = b"SHAPEZ2-"
#: What may be around a code that was copied from a chat: white space, and the back-ticks that mark code there.
AROUND_CODE: Final = b" \t\r\n`"


def sniff_save(head: bytes) -> bool:
    """Return whether a file that starts with `head` may be a save: a zip archive, with members or without."""
    return head.startswith(ZIP_STARTS)


def sniff_code(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a blueprint code."""
    return head.lstrip(AROUND_CODE).startswith(CODE_PREFIX)
