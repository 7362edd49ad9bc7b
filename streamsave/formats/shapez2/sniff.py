"""How files of shapez 2 start; imports no reader."""

from __future__ import annotations

from typing import Final

from streamsave.errors import SaveError
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["AROUND_CODE", "CODE_PREFIX", "SAVEGAME", "has_savegame", "sniff_code", "sniff_save"]

#: The first header of a zip archive: of its first member, or of an archive without members.
ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
#: The member that each save has, and where the name of an archive's first member starts.
SAVEGAME: Final = "savegame.json"
NAME_OFFSET: Final = 30
CODE_PREFIX: Final = b"SHAPEZ2-"
#: What may be around a code: white space, the back-ticks that mark code in a chat, the byte order mark of an editor on Windows.
AROUND_CODE: Final = b" \t\r\n`\xef\xbb\xbf"


def sniff_save(head: bytes) -> bool:
    """Return whether a file that starts with `head` may be a save: a zip archive, with members or without."""
    return head.startswith(ZIP_STARTS)


def has_savegame(head: bytes, source: Source) -> bool:
    """Return whether a zip archive has the member that each save has; other formats are zip archives, too."""
    if head.startswith(SAVEGAME.encode(), NAME_OFFSET):
        return True
    from streamsave.input.zip_archive import Archive  # noqa: PLC0415 - few files get here

    try:
        return Archive(source, Limits()).find(SAVEGAME) >= 0
    except SaveError:
        return False


def sniff_code(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a blueprint code."""
    return head.lstrip(AROUND_CODE).startswith(CODE_PREFIX)
