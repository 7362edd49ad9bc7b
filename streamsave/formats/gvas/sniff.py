"""Recognise Unreal save games by their first bytes; the table is in `wrappers`. This module imports no reader."""

from __future__ import annotations

from typing import Any, Final

from streamsave.input.archive_header import PACKAGE_FILE_TAG
from streamsave.input.source import Source
from streamsave.input.stages import INFLATE_ERRORS, WINDOW_BITS_GZIP, WINDOW_BITS_ZLIB, fast_zlib

__all__ = [
    "PALWORLD_OODLE",
    "PALWORLD_SIZE",
    "PALWORLD_ZLIB",
    "PREFIX_SIZE",
    "compression_of",
    "mark_of",
    "sniff_compressed",
    "sniff_gvas",
]

MAGIC: Final = b"GVAS"
#: Of the settings of a server of Satisfactory, which have no class.
SERVER_MAGIC: Final = b"MSGF"
PREFIX_MAGIC: Final = b"GSWU"
PREFIX_SIZE: Final = 16
PALWORLD_SIZE: Final = 12
PALWORLD_ZLIB: Final = b"PlZ"
PALWORLD_OODLE: Final = b"PlM"
PALWORLD_CHUNK: Final = b"CNK"
GZIP_MAGIC: Final = b"\x1f\x8b"
ARCHIVE_MAGIC: Final = PACKAGE_FILE_TAG.to_bytes(4, "little")
#: How much of a compressed file is inflated to look at its start: tables of codes may take some hundred bytes.
SNIFF_SIZE: Final = 4096


def sniff_gvas(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a save game, raw or in a wrapper with a mark."""
    return bool(mark_of(head))


def sniff_compressed(head: bytes, source: Source) -> bool:
    """Return whether a file is one compressed stream, without a wrapper, with a save game inside."""
    return bool(compression_of(head, source))


def mark_of(head: bytes) -> str:
    """Return the wrapper whose mark `head` has: "raw", "GSWU", "Palworld", "CNK" or "archive"; "" if it has none."""
    if head.startswith((MAGIC, SERVER_MAGIC)):
        return "raw"
    if head.startswith(PREFIX_MAGIC) and _starts(head[PREFIX_SIZE:], MAGIC):
        return "GSWU"
    if head[8:11] in {PALWORLD_ZLIB, PALWORLD_OODLE}:
        return "Palworld"
    inner = head[8 + PALWORLD_SIZE :]
    if head[8:11] == PALWORLD_CHUNK and (_starts(inner, PALWORLD_ZLIB) or _starts(inner, PALWORLD_OODLE)):
        return "CNK"
    return "archive" if head.startswith(ARCHIVE_MAGIC) else ""


def _starts(data: bytes, magic: bytes) -> bool:
    """Return whether `data` starts with a magic, or ends inside of it: then the reader reports that the file was cut."""
    return data[: len(magic)] == magic[: len(data)]


def compression_of(head: bytes, source: Source) -> str:
    """Return the name of the compression, "" if no save game is inside."""
    if head.startswith(GZIP_MAGIC):
        return "gzip" if _inflates_to_magic(source, WINDOW_BITS_GZIP) else ""
    is_zlib = len(head) > 2 and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return "zlib" if is_zlib and _inflates_to_magic(source, WINDOW_BITS_ZLIB) else ""


def _inflates_to_magic(source: Source, window_bits: int) -> bool:
    inflater: Any = fast_zlib.decompressobj(window_bits)
    data = source.read_at(0, SNIFF_SIZE)
    try:
        start: bytes = inflater.decompress(data, len(MAGIC))
    except INFLATE_ERRORS:
        return False
    return start == MAGIC or (not inflater.eof and len(data) < SNIFF_SIZE and _starts(start, MAGIC))
