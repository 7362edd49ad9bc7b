"""The members of a zip archive by their local headers alone, one after the other, without the directory at the end.

A member whose sizes follow its data can be read, but where the next member starts is known only after that.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib, inflate_some
from streamsave.input.members import DEFLATE, STORED, WINDOW_BITS
from streamsave.input.source import Source
from streamsave.input.stages import Stage
from streamsave.input.zip_format import (
    DESCRIPTOR_SIGNATURE,
    ELSEWHERE,
    LOCAL_HEADER_SIZE,
    LOCAL_SIGNATURE,
    LocalHeader,
    is_encrypted,
)

__all__ = ["Member", "MemberStage", "members_of"]

#: How many members of an archive are tried.
MOST_MEMBERS: Final = 256
PIECE_SIZE: Final = 32 * 1024


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
        inflater: Any = fast_zlib.decompressobj(WINDOW_BITS[DEFLATE])
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


class MemberStage(Stage):
    """The inflated bytes of a member, compared with its CRC-32. What follows the member in the archive is not read."""

    def __init__(self, source: Source, member: Member) -> None:
        super().__init__()
        self._source = source
        self._member = member
        self._inflater: Any = None if member.is_stored else fast_zlib.decompressobj(WINDOW_BITS[DEFLATE])
        self._rest = b""
        self._read: int = 0
        self._given: int = 0
        self._crc: int = 0
        self._ended = False
        self._fault: SaveError | None = None

    def produce(self, size: i64) -> bytes:
        if self._fault is not None:
            raise self._fault
        member = self._member
        if member.size >= 0 and size > member.size + 1 - self._given:
            size = member.size + 1 - self._given
        while not self._ended:
            out = self._stored(size) if self._inflater is None else self._inflated(size)
            self._given += len(out)
            if member.size >= 0 and self._given > member.size:
                self._fault = DamagedSave("the member inflates to more than its size", expected=member.size, actual=self._given)
                out = out[:-1]
            self._crc = zlib.crc32(out, self._crc)
            if self._ended and self._fault is None:
                self._fault = self._fault_of_end()
            if out:
                return out
            if self._fault is not None:
                raise self._fault
        return b""

    def _stored(self, size: i64) -> bytes:
        data = self._rest or self._more()
        self._rest = data[size:]
        self._ended = not data
        return data[:size]

    def _inflated(self, size: i64) -> bytes:
        data = self._rest or self._more()
        try:
            out = inflate_some(self._inflater, data, size)
        except INFLATE_ERRORS:
            raise DamagedSave("no sound deflate stream") from None
        self._rest = self._inflater.unconsumed_tail
        self._ended = bool(self._inflater.eof)
        if self._ended:
            self._read -= len(self._inflater.unused_data)
        elif not data and not out:
            raise TruncatedSave("the member of the zip archive ends early")
        return out

    def _more(self) -> bytes:
        """Read on in the member; no bytes at its end."""
        member = self._member
        size = PIECE_SIZE
        if member.compressed_size >= 0 and size > member.compressed_size - self._read:
            size = member.compressed_size - self._read
        data = self._source.read_at(member.data_offset + self._read, size)
        self._read += len(data)
        if not data and self._inflater is None and self._read < member.compressed_size:
            raise TruncatedSave("the member of the zip archive ends early")
        return data

    def _fault_of_end(self) -> SaveError | None:
        """Return what is wrong with the end of the member, to raise when all bytes before it were given; None if it is sound."""
        member = self._member
        size, crc = member.size, member.crc
        if member.sizes_follow:
            descriptor = self._source.read_at(member.data_offset + self._read, 8)
            # Its signature may be left out.
            crc_bytes = descriptor[4:8] if descriptor.startswith(DESCRIPTOR_SIGNATURE) else descriptor[:4]
            if len(crc_bytes) < 4:
                return TruncatedSave(
                    "the archive ends before the CRC-32 of the member", expected="4 bytes", actual=len(crc_bytes)
                )
            crc = int.from_bytes(crc_bytes, "little")
        elif self._read != member.compressed_size:
            return DamagedSave("wrong compressed size of the member", expected=member.compressed_size, actual=self._read)
        if size >= 0 and self._given != size:
            return DamagedSave("wrong size of the member", expected=size, actual=self._given)
        if self._crc != crc:
            return DamagedSave("wrong CRC-32 of the member", expected=crc, actual=self._crc)
        return None

    def consumed(self) -> int:
        return self._read
