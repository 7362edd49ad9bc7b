"""How a save of Arx is recognized; imports no reader.

The file has no magic number. Its first number says where the file table starts, and the table starts with a version.
"""

from __future__ import annotations

import struct
from typing import Final

from streamsave.formats.arx.versions import (
    CODEC_DEFLATE,
    DATA_OFFSET,
    STRUCT_VERSION,
    VERSION_CODECS,
    VERSION_LEGACY,
    VERSIONS,
    is_version,
)
from streamsave.input.source import Source

__all__ = ["has_table", "sniff_container"]

#: How the first entry may start: imploded (the first byte is inverted), deflated by zlib, or a stored struct of the game.
ENTRY_STARTS: Final = (
    b"\xff\x04",
    b"\xff\x05",
    b"\xff\x06",
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
    STRUCT_VERSION,
)
#: A file with more data than that is no save that was cut off: four letters are such a size.
MOST_CUT: Final = 0x10000000
#: The version, the number of entries, and the first one up to its first chunk.
TABLE_START: Final = 8
NAME_SIZE: Final = 256
NUMBERS: Final = struct.Struct("<IIIII")
#: How the Latin-1 characters start that a name may have.
FIRST_LETTER: Final = 0x20
#: The size of the data, and the two bytes that an entry is recognized by.
LEAST_HEAD: Final = DATA_OFFSET + 2


def sniff_container(head: bytes, source: Source) -> bool:
    """Return whether a file that starts with `head` has a file table where its first number says.

    A file that ends before that place counts as a save that was cut off if its first entry looks like one.
    """
    if len(head) < LEAST_HEAD:
        return False
    data_size = int.from_bytes(head[:DATA_OFFSET], "little")
    version = source.read_at(DATA_OFFSET + data_size, 4)
    if len(version) < 4:
        return data_size < MOST_CUT and head.startswith(ENTRY_STARTS, DATA_OFFSET)
    return is_version(int.from_bytes(version, "little"))


def has_table(head: bytes, source: Source) -> bool:
    """Return whether a file that `sniff_container` takes has a sound start of a file table: then it can be of no other format.

    A save that was cut off, or whose table is damaged, has none.
    """
    data_size = int.from_bytes(head[:DATA_OFFSET], "little")
    table = source.read_at(DATA_OFFSET + data_size, TABLE_START + NAME_SIZE + NUMBERS.size)
    version = int.from_bytes(table[:4], "little")
    count = int.from_bytes(table[4:TABLE_START], "little")
    if len(table) < TABLE_START or version not in VERSIONS:
        return False
    if not count:
        return len(table) == TABLE_START
    name, end, rest = table[TABLE_START:].partition(b"\0")
    if not end or not name or min(name) < FIRST_LETTER:
        return False
    if version <= VERSION_LEGACY:
        return True  # the first entry is a dummy
    if len(rest) < NUMBERS.size:
        return False  # the last entry has no chunk, or the table ends too early
    _size, chunk_count, codec, chunk_size, chunk_offset = NUMBERS.unpack_from(rest)
    if version >= VERSION_CODECS and (codec > CODEC_DEFLATE or not chunk_count):
        return False
    is_inside: bool = chunk_offset <= data_size and chunk_size <= data_size - chunk_offset
    return is_inside
