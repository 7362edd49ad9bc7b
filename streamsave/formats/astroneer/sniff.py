"""Recognise Astroneer saves by their first bytes; the table is in `wrappers`. This module imports no reader.

Their wrappers start like files of other formats. The first four bytes rule out most of those before anything else is imported.
"""

from __future__ import annotations

from typing import Final

from streamsave.formats.astroneer.versions import CLASS_WITHIN, INDEX_VERSION, MAGIC, SAVE_GAME_MAGIC, ZIP_MAGIC
from streamsave.input.source import Source

__all__ = ["sniff_astroneer"]

INDEX_MAGIC: Final = INDEX_VERSION.to_bytes(4, "little")


def sniff_astroneer(head: bytes, source: Source) -> bool:
    """Return whether a file that starts with `head` is an Astroneer save, in any wrapper."""
    if head.startswith(MAGIC):
        return True
    if not head.startswith((SAVE_GAME_MAGIC, ZIP_MAGIC, INDEX_MAGIC)):
        return False
    from streamsave.formats.astroneer.wrappers import find_member, is_index, is_save_game  # noqa: PLC0415 - few files get here

    if head.startswith(SAVE_GAME_MAGIC):
        return is_save_game(source.read_at(0, CLASS_WITHIN))
    if head.startswith(ZIP_MAGIC):
        return find_member(source) is not None
    return is_index(head, source)
