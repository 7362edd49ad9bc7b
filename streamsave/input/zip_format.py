r"""The structures of a zip archive, and its members by their local headers alone, without the directory at the end.

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

With flag 0x8 a descriptor follows the data: perhaps the signature `PK\7\\8`, then crc, compressed_size and size. Such a member
can be read, but where the next member starts is known only after that.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib
from streamsave.input.members import DEFLATE, STORED
from streamsave.input.source import Source
from streamsave.input.stages import STORED_BITS, WINDOW_BITS_DEFLATE, FileStage, InflateStage

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
    "Member",
    "MemberStage",
    "decode_name",
    "is_encrypted",
    "members_of",
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


#: How many members of an archive are tried.
MOST_MEMBERS: Final = 256


class Member:
    """A member of a zip archive, by its local header."""

    def __init__(self, header: LocalHeader) -> None:
        self.sizes_follow = header.sizes_follow or ELSEWHERE in {header.compressed_size, header.size}
        self.is_stored = header.method == STORED
        #: Neither encrypted nor compressed in a way that is unknown here.
        self.is_readable = not is_encrypted(header.flags) and header.method in {STORED, DEFLATE}
        self.crc = header.crc
        #: In bytes; -1 where they follow the data.
        self.compressed_size: int = -1 if self.sizes_follow else header.compressed_size
        self.size: int = -1 if self.sizes_follow else header.size
        #: Where the data starts in the file.
        self.data_offset = header.data_offset

    def start(self, source: Source, size: int) -> bytes:
        """Inflate up to `size` bytes at the start of the member; none where that is not possible."""
        if not self.is_readable:
            return b""
        stored = size if self.compressed_size < 0 else min(size, self.compressed_size)
        data = source.read_at(self.data_offset, stored)
        if self.is_stored:
            return data
        inflater: Any = fast_zlib.decompressobj(WINDOW_BITS_DEFLATE)
        try:
            start: bytes = inflater.decompress(data, size)
        except INFLATE_ERRORS:
            return b""
        return start


def members_of(source: Source) -> Iterator[Member]:
    """Yield the first members of an archive, in the order of the file; the last is one whose sizes follow its data."""
    offset = 0
    for _ in range(MOST_MEMBERS):
        data = source.read_at(offset, LOCAL_HEADER_SIZE)
        if len(data) < LOCAL_HEADER_SIZE:
            return
        header = LocalHeader(data, offset)
        if header.signature != LOCAL_SIGNATURE:
            return
        member = Member(header)
        yield member
        if member.compressed_size < 0:
            return
        offset = member.data_offset + member.compressed_size


class MemberStage(InflateStage):
    """The inflated bytes of a member, compared with its CRC-32. What follows the member in the archive is not read."""

    def __init__(self, source: Source, member: Member) -> None:
        file = FileStage(source, member.data_offset, member.compressed_size, is_last=False)
        window_bits = STORED_BITS if member.is_stored else WINDOW_BITS_DEFLATE
        super().__init__(file, member.size, member.compressed_size, window_bits, "zip member")
        self._source = source
        self._member = member
        self._crc: int = 0

    def inflate(self, most: i64) -> bytes:
        out = super().inflate(most)
        self._crc = zlib.crc32(out, self._crc)
        return out

    def fault_of_end(self) -> SaveError | None:
        crc = self._member.crc
        if self._member.sizes_follow:
            descriptor = self._source.read_at(self._member.data_offset + self._inflater.used(), 8)
            # Its signature may be left out.
            stored = descriptor[4:8] if descriptor.startswith(DESCRIPTOR_SIGNATURE) else descriptor[:4]
            if len(stored) < 4:
                return TruncatedSave("the archive ends before the CRC-32 of the member", expected="4 bytes", actual=len(stored))
            crc = int.from_bytes(stored, "little")
        fault = self.fault_of_size()
        if fault is None and self._crc != crc:
            fault = DamagedSave("wrong CRC-32 of the member", expected=crc, actual=self._crc)
        return fault

    def consumed(self) -> int:
        return self._inflater.used()
