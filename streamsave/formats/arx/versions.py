"""Versions of the container, the ways to pack an entry, and the offset that the container counts from.

| version | written by | what changed |
|---|---|---|
| 0x00010000 | Arx Fatalis before 1.21 | the first entry of the table is a dummy: it is counted, and passed over |
| 0x00010001 | Arx Fatalis 1.21 | no dummy |
| 0x00020000 | Arx Libertatis in 2011 | the table gives the codec and the unpacked size of an entry; an entry may have no chunk |
| 0x00020001 | Arx Libertatis, all releases | names are taken as they are: case counts, `.sav` is a part of the name |
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "CODEC_DEFLATE",
    "CODEC_IMPLODE",
    "CODEC_NAMES",
    "CODEC_STORED",
    "DATA_OFFSET",
    "STRUCT_VERSION",
    "VERSIONS",
    "VERSION_CODECS",
    "VERSION_LEGACY",
    "VERSION_NO_EXTENSION",
    "VERSION_RELEASE",
    "is_version",
]

#: Up to here, the first entry of the table is a dummy.
VERSION_LEGACY: Final = 0x00010000
#: Up to here, all entries are imploded, the table gives no unpacked size to rely on, and a chunk count of 0 means 1.
VERSION_RELEASE: Final = 0x00010001
#: From here on, the table gives codec and unpacked size, and a chunk count of 0 means 0.
VERSION_CODECS: Final = 0x00020000
#: From here on, names are taken as they are.
VERSION_NO_EXTENSION: Final = 0x00020001

VERSIONS: Final = (VERSION_LEGACY, VERSION_RELEASE, VERSION_CODECS, VERSION_NO_EXTENSION)

CODEC_STORED: Final = 0
CODEC_IMPLODE: Final = 1
CODEC_DEFLATE: Final = 2
CODEC_NAMES: Final = {CODEC_STORED: "stored", CODEC_IMPLODE: "implode", CODEC_DEFLATE: "deflate"}

#: The container counts all offsets from the end of its first field, `data_size`.
DATA_OFFSET: Final = 4

#: The version of all structs of the game but PLAYER, as a number: 1.005.
STRUCT_VERSION: Final = b"\xd7\xa3\x80\x3f"


def is_version(number: int) -> bool:
    """Return whether a number is a known version, or may be a later one: major 0 to 15 and minor 0 to 255, after the newest."""
    return number in VERSIONS or (number > VERSION_NO_EXTENSION and number >> 16 < 16 and number & 0xFFFF < 256)
