"""Recognise Astroneer saves by their first bytes; the table is in `wrappers`. This module imports no reader.

The versions are those that are known here: others are refused, or passed over.

Their wrappers start like files of other formats. The first four bytes rule out most of those before anything else is imported.
"""

from __future__ import annotations

from typing import Final

from streamsave.input.source import Source

__all__ = [
    "CLASS_WITHIN",
    "INDEX_VERSION",
    "MAGIC",
    "SAVE_GAME_MAGIC",
    "TERRAIN_VERSION",
    "WRAPPER_VERSION",
    "ZIP_MAGIC",
    "sniff_astroneer",
]

#: Of the wrapper around a zlib stream.
WRAPPER_VERSION: Final = 1
#: Of voxel terrain. Terrain of another version is passed over.
TERRAIN_VERSION: Final = 3

#: How a wrapper, a save game and a zip archive start.
MAGIC: Final = bytes.fromhex("BE40374AEE0B74A3")
SAVE_GAME_MAGIC: Final = b"GVAS"
ZIP_MAGIC: Final = b"PK\x03\x04"
#: Of the index of Xbox pieces, which starts with it.
INDEX_VERSION: Final = 4
#: The class is searched for in so many bytes of the save game: it follows the custom versions, 20 bytes each.
CLASS_WITHIN: Final = 16 * 1024
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
