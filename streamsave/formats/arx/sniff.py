"""How a save of Arx is recognized; imports no reader.

The file has no magic number. Its first number says where the file table starts, and the table starts with a version.
"""

from __future__ import annotations

from typing import Final

from streamsave.formats.arx.versions import DATA_OFFSET, is_version
from streamsave.input.source import Source

__all__ = ["sniff_container"]

#: How the first entry may start: imploded (the first byte is inverted), deflated by zlib, or a stored struct of version 1.005.
ENTRY_STARTS: Final = (
    b"\xff\x04",
    b"\xff\x05",
    b"\xff\x06",
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
    b"\xd7\xa3\x80\x3f",
)
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
        return head.startswith(ENTRY_STARTS, DATA_OFFSET)
    return is_version(int.from_bytes(version, "little"))
