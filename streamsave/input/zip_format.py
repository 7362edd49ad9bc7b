r"""The structures of a zip archive.

| end record | type | |
|---|---|---|
| signature | u32 | `PK\5\\6` |
| disk, directory_disk, disk_entries | u16 each | 0, 0, entry_count |
| entry_count | u16 | |
| directory_size, directory_offset | u32 each | the directory ends where this record starts |
| comment | u16 size, bytes | to the end of the file |

| directory entry | type | |
|---|---|---|
| signature | u32 | `PK\1\\2` |
| made_by, needed | u16 each | |
| flags | u16 | 0x1 encrypted, 0x8 the sizes follow the data, 0x800 UTF-8 |
| method | u16 | 0 stored, 8 deflate |
| time, date | u16 each | |
| crc, compressed_size, size | u32 each | |
| name_size, extra_size, comment_size, disk, internal | u16 each | |
| external, header_offset | u32 each | |
| name, extra, comment | bytes | |

| local header | type | |
|---|---|---|
| signature | u32 | `PK\3\\4` |
| needed, flags, method, time, date | u16 each | as in the directory |
| crc, compressed_size, size | u32 each | as in the directory; 0 with flag 0x8 |
| name_size, extra_size | u16 each | |
| name, extra | bytes | the same name |

With flag 0x8 a descriptor follows the data: perhaps the signature `PK\7\\8`, then crc, compressed_size and size.
"""

from __future__ import annotations

import struct
from typing import Final

__all__ = [
    "DESCRIPTOR",
    "DESCRIPTOR_SIGNATURE",
    "ELSEWHERE",
    "END_RECORD",
    "END_SIGNATURE",
    "ENTRY",
    "ENTRY_SIGNATURE",
    "FLAG_SIZES_FOLLOW",
    "LOCAL_HEADER",
    "LOCAL_HEADER_SIZE",
    "LOCAL_SIGNATURE",
    "LocalHeader",
    "decode_name",
    "is_encrypted",
]

END_SIGNATURE: Final = b"PK\x05\x06"
ENTRY_SIGNATURE: Final = 0x02014B50
LOCAL_SIGNATURE: Final = 0x04034B50
DESCRIPTOR_SIGNATURE: Final = b"PK\x07\x08"

END_RECORD: Final = struct.Struct("<IHHHHIIH")
ENTRY: Final = struct.Struct("<IHHHHHHIIIHHHHHII")
LOCAL_HEADER: Final = struct.Struct("<IHHHHHIIIHH")
#: After its signature.
DESCRIPTOR: Final = struct.Struct("<III")
LOCAL_HEADER_SIZE: Final = LOCAL_HEADER.size

FLAG_ENCRYPTED: Final = 0x0001
FLAG_SIZES_FOLLOW: Final = 0x0008
FLAG_UTF8_NAME: Final = 0x0800

#: In place of a size or an offset: it is in a zip64 record, or follows the data.
ELSEWHERE: Final = 0xFFFFFFFF


def is_encrypted(flags: int) -> bool:
    """Return whether the flags of a member say that its data is encrypted."""
    return bool(flags & FLAG_ENCRYPTED)


def decode_name(raw: bytes, flags: int) -> str:
    """Return the name of a member.

    Raises:
        UnicodeDecodeError: the flags say UTF-8, and it is not.
    """
    return raw.decode("utf-8" if flags & FLAG_UTF8_NAME else "cp437")


class LocalHeader:
    """The header before the data of a member, from its `LOCAL_HEADER_SIZE` bytes at `offset` in the file."""

    def __init__(self, data: bytes, offset: int) -> None:
        fields: tuple[int, ...] = LOCAL_HEADER.unpack(data)
        signature, _, flags, method, _, _, crc, compressed_size, size, name_size, extra_size = fields
        self.signature: int = signature
        self.flags: int = flags
        self.method: int = method
        self.crc: int = crc
        self.compressed_size: int = compressed_size
        self.size: int = size
        self.sizes_follow = bool(flags & FLAG_SIZES_FOLLOW)
        #: Where the name starts in the file, its bytes, and where the data starts.
        self.name_offset: int = offset + LOCAL_HEADER.size
        self.name_size: int = name_size
        self.data_offset: int = self.name_offset + name_size + extra_size
