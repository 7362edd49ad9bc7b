"""The four versions of the container, the ways to pack an entry, and the version of all structs."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CODEC_DEFLATE",
    "CODEC_IMPLODE",
    "CODEC_NAMES",
    "CODEC_STORED",
    "VERSIONS",
    "VERSION_DEFLATE",
    "VERSION_LEGACY",
    "VERSION_NO_EXTENSION",
    "VERSION_RELEASE",
]

#: The first entry of the table is none: it is counted, and to be passed over.
VERSION_LEGACY: Final = 0x00010000
#: Arx Fatalis 1.21. Up to here all entries are imploded, and the table does not tell their sizes.
VERSION_RELEASE: Final = 0x00010001
#: Arx Libertatis, in 2011: the table tells how an entry is packed, and how big it is.
VERSION_DEFLATE: Final = 0x00020000
#: All releases of Arx Libertatis: names are taken as they are.
VERSION_NO_EXTENSION: Final = 0x00020001

VERSIONS: Final = (VERSION_LEGACY, VERSION_RELEASE, VERSION_DEFLATE, VERSION_NO_EXTENSION)

CODEC_STORED: Final = 0
CODEC_IMPLODE: Final = 1
CODEC_DEFLATE: Final = 2
CODEC_NAMES: Final = {CODEC_STORED: "stored", CODEC_IMPLODE: "implode", CODEC_DEFLATE: "deflate"}
