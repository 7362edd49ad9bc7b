r"""The zip archive around a save: its directory, checked before anything is inflated; members by their local headers alone.

| end record | type | |
|---|---|---|
| signature | u32 | `PK\5\6` |
| disk, directory_disk, disk_entries | u16 each | 0, 0, entry_count |
| entry_count | u16 | |
| directory_size, directory_offset | u32 each | the directory ends where this record starts |
| comment | u16 size, bytes | to the end of the file |

| directory entry | type | |
|---|---|---|
| signature | u32 | `PK\1\2` |
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
| signature | u32 | `PK\3\4` |
| needed, flags, method, time, date | u16 each | as in the directory |
| crc, compressed_size, size | u32 each | as in the directory; 0 with flag 0x8 |
| name_size, extra_size | u16 each | |
| name, extra | bytes | the same name |

With flag 0x8 a descriptor follows the data: perhaps the signature `PK\7\8`, then crc, compressed_size and size. Without the
directory, such a member can be read (`members_of`), but where the next member starts is known only after that.

The directory is read from its end, where the end record is. Its size is checked before it is read, each entry is compared with
its local header (an empty member's too: an entry of zeros would hide what the header has), members may not overlap, and names may
not leave the archive. A name that ends in `/` is a member like any other: the game stores one with content.

Bytes before the directory that belong to no member are no error: programs that update an archive leave old members there. They
may also be a member whose entry was lost: `Archive.gaps` finds them, for `check` and for reading on after damage.

Why not the standard library's `zipfile`: it finds the end record by other rules, so it refuses an archive whose comment has a
signature in it and may read another directory than the one whose size was checked; and its errors have neither entry nor offset.

The inflated stream: the members in `first`, then the others in the order of the directory.

The module is long because a tenth of it describes the format, and a member is read with the directory and without.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.input.members import CODEC_NAMES, DEFLATE, STORED, Chunk, StreamedWindows
from streamsave.input.source import Source
from streamsave.input.stages import INFLATE_ERRORS, STORED_BITS, WINDOW_BITS_DEFLATE, FileStage, InflateStage, Stage, fast_zlib
from streamsave.limits import Limits, check_limit

__all__ = [
    "ELSEWHERE",
    "END_RECORD",
    "ENTRY",
    "FLAG_SIZES_FOLLOW",
    "LOCAL_HEADER",
    "LOCAL_HEADER_SIZE",
    "LOCAL_SIGNATURE",
    "Archive",
    "Gap",
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


#: How many members of an archive are tried.
MOST_MEMBERS: Final = 256


class Member:
    """A member of a zip archive, by its local header: the `LOCAL_HEADER_SIZE` bytes at `offset` in the file."""

    def __init__(self, data: bytes, offset: int) -> None:
        fields: tuple[int, ...] = LOCAL_HEADER.unpack(data)
        signature, _, flags, method, _, _, crc, compressed_size, size, name_size, extra_size = fields
        self.signature: int = signature
        self.flags: int = flags
        self.method: int = method
        self.is_stored = method == STORED
        #: Neither encrypted nor compressed in a way that is unknown here.
        self.is_readable = not is_encrypted(flags) and method in {STORED, DEFLATE}
        self.sizes_follow = bool(flags & FLAG_SIZES_FOLLOW) or ELSEWHERE in {compressed_size, size}
        #: CRC-32 and both sizes, as they are stored.
        self.stored = (crc, compressed_size, size)
        self.crc: int = crc
        #: In bytes; -1 where they follow the data.
        self.compressed_size: int = -1 if self.sizes_follow else compressed_size
        self.size: int = -1 if self.sizes_follow else size
        #: Where the name starts in the file, its bytes, and where the data starts.
        self.name_offset: int = offset + LOCAL_HEADER.size
        self.name_size: int = name_size
        self.data_offset: int = self.name_offset + name_size + extra_size

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
        member = Member(data, offset)
        if member.signature != LOCAL_SIGNATURE:
            return
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


#: The end record with the longest comment.
TAIL_SIZE: Final = END_RECORD.size + 0xFFFF

#: Bytes of the name of a member in no entry that are shown.
LONGEST_GAP_NAME: Final = 256

#: A drive, a root, a step upwards, or what no name has.
UNSAFE_NAME: Final = re.compile(r"^$|^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.?([/\\]|$)|[\x00-\x1f]")


class Gap(NamedTuple):
    """Bytes of an archive that belong to no member of its directory."""

    #: Where they are in the file.
    offset: int
    size: int
    #: Name and inflated size of the member whose header they start with; "" and -1 if there is none.
    name: str = ""
    member_size: int = -1

    def message(self) -> str:
        """Return what is wrong, in words."""
        holds = f"; they start with the header of {self.name!r}" if self.name else ""
        return f"{self.size} bytes of the archive at {self.offset:#x} belong to no member of its directory{holds}"


class Archive(StreamedWindows):
    """The members of a zip archive, one chunk each.

    Raises, when it is made:
        TruncatedSave: the archive has no end.
        DamagedSave: directory, names or sizes contradict each other or the file.
        UnsupportedSave: encryption, a compression other than deflate, several disks, zip64.
        LimitExceeded: more members than `Limits.table_entries`, or too many bytes.
    """

    def __init__(self, source: Source, limits: Limits, first: tuple[str, ...] = ()) -> None:
        """Read the directory.

        Args:
            source: the archive.
            limits: what to refuse.
            first: names of the members that come before the others in the inflated stream, in this order.
        """
        super().__init__(limits)
        self.source = source
        self._first = first
        #: Where the directory starts in the file.
        self.directory_offset = 0
        self._read_directory()

    def find(self, name: str) -> int:
        """Return the index of a member, or -1."""
        return next((index for index, chunk in enumerate(self.chunks) if chunk.name == name), -1)

    def open_payload(self, index: int) -> Stage:
        """Compare the local header of a member with the directory, and return the bytes after it.

        Raises:
            SaveError: they differ, or the file ends.
        """
        chunk = self.chunks[index]
        return FileStage(self.source, self.local_header(chunk).data_offset, chunk.compressed_size, is_last=False)

    # --- the directory ---

    def _read_directory(self) -> None:
        file_size = self.source.whole_size(self._limits)
        record_offset, record = self._end_record(file_size)
        _, disk, directory_disk, disk_entries, count, directory_size, directory_offset, _ = record
        if ELSEWHERE in {directory_size, directory_offset} or (disk, directory_disk, disk_entries) != (0, 0, count):
            raise UnsupportedSave("the archive is a zip64, or one of several disks", record_offset)
        check_limit(self._limits, "table_entries", count, record_offset, subject="archive")
        check_limit(self._limits, "build_size", directory_size, record_offset, subject="archive")
        if directory_offset + directory_size != record_offset:
            raise DamagedSave(
                "the directory does not end where the end record starts",
                record_offset,
                expected=record_offset,
                actual=directory_offset + directory_size,
            )
        self.directory_offset = directory_offset
        members: list[Chunk] = []
        seen: set[str] = set()
        at = directory_offset
        for _ in range(count):
            chunk, at = self._entry(at, record_offset)
            if chunk.name in seen:
                raise DamagedSave(f"two members named {chunk.name!r}", chunk.compressed_offset)
            seen.add(chunk.name)
            members.append(chunk)
        if at != record_offset:
            raise DamagedSave("bytes after the directory", at, expected=record_offset, actual=at)
        end: int = directory_offset
        for chunk in sorted(members, key=header_offset, reverse=True):
            least = LOCAL_HEADER_SIZE + len(chunk.name) + chunk.compressed_size
            if chunk.compressed_offset + least > end:
                raise DamagedSave(
                    f"member {chunk.name!r} overlaps what follows it",
                    chunk.compressed_offset,
                    expected=f"{least} bytes",
                    actual=end,
                )
            end = chunk.compressed_offset
        rank = {name: place for place, name in enumerate(self._first)}
        for chunk in sorted(members, key=lambda member: rank.get(member.name, len(self._first))):
            self.add(chunk)

    def _end_record(self, file_size: int) -> tuple[int, tuple[int, ...]]:
        """Find the end record: the last one whose comment ends where the file ends. Return its offset and its fields."""
        start = max(0, file_size - TAIL_SIZE)
        tail = self.source.read_at(start, file_size - start)
        at = len(tail)
        too_short = False
        while (at := tail.rfind(END_SIGNATURE, 0, at)) >= 0:
            if len(tail) - at < END_RECORD.size:
                too_short = True
                continue
            record = END_RECORD.unpack_from(tail, at)
            left = len(tail) - at - END_RECORD.size - record[7]
            if left == 0:
                return start + at, record
            if left > 0:
                raise DamagedSave("bytes after the archive", start + len(tail) - left, expected="none", actual=left)
            too_short = True
        where = "inside its end record" if too_short else "before its end record"
        raise TruncatedSave(f"the archive ends {where}: its directory is missing or cut off", file_size)

    def _entry(self, at: int, end: int) -> tuple[Chunk, int]:
        """Read an entry of the directory; return it, and where the next one starts."""
        data = self._take(at, ENTRY.size, end)
        fields: tuple[int, ...] = ENTRY.unpack(data)
        signature, _, _, flags, method, _, _, crc, compressed_size, size = fields[:10]
        name_size, extra_size, comment_size, disk, _, _, offset = fields[10:]
        if signature != ENTRY_SIGNATURE:
            raise DamagedSave("no directory entry starts here", at, expected=f"{ENTRY_SIGNATURE:#x}", actual=signature)
        name = self._name(self._take(at + ENTRY.size, name_size, end), flags, at)
        if is_encrypted(flags):
            raise UnsupportedSave(f"member {name!r} is encrypted", at)
        if method not in CODEC_NAMES:
            raise UnsupportedSave(f"member {name!r} has an unknown compression", at, expected="0 or 8", actual=method)
        if ELSEWHERE in {compressed_size, size, offset} or disk != 0:
            raise UnsupportedSave(f"member {name!r} is a zip64 member, or on another disk", at)
        if method == 0 and compressed_size != size:
            raise DamagedSave(
                f"member {name!r} is stored in another size than its own", at, expected=size, actual=compressed_size
            )
        return Chunk(name, method, size, compressed_size, offset, crc), at + ENTRY.size + name_size + extra_size + comment_size

    def _name(self, raw: bytes, flags: int, at: int) -> str:
        try:
            name = decode_name(raw, flags)
        except UnicodeDecodeError:
            raise DamagedSave("the name of a member is not UTF-8", at, actual=raw[:64]) from None
        if UNSAFE_NAME.search(name):
            raise DamagedSave("the name of a member leaves the archive", at, expected="a relative path", actual=name[:256])
        return name

    def _take(self, at: int, size: int, end: int) -> bytes:
        """Read a piece of the directory, which ends at `end`."""
        if at + size > end:
            raise DamagedSave("the directory ends inside an entry", at, expected=f"{size} bytes", actual=max(end - at, 0))
        data = self.source.read_at(at, size)
        if len(data) < size:
            raise TruncatedSave("the file ends inside the directory", at, expected=f"{size} bytes", actual=len(data))
        return data

    # --- members ---

    def local_header(self, chunk: Chunk) -> Member:
        """Return a member by its local header, compared with the directory.

        Raises:
            TruncatedSave: the file ends inside it.
            DamagedSave: it and the directory disagree.
        """
        at = chunk.compressed_offset
        data = self.source.read_at(at, LOCAL_HEADER_SIZE)
        if len(data) < LOCAL_HEADER_SIZE:
            raise self.truncated(chunk)
        header = Member(data, at)
        sizes = (chunk.crc, chunk.compressed_size, chunk.size)
        are_left_out = header.sizes_follow and not any(header.stored)
        for is_same, what, expected, actual in (
            (header.signature == LOCAL_SIGNATURE, "signature", f"{LOCAL_SIGNATURE:#x}", header.signature),
            (not is_encrypted(header.flags) and header.method == chunk.method, "method", chunk.method, header.method),
            (header.stored == sizes or are_left_out, "CRC and sizes", sizes, header.stored),
        ):
            if not is_same:
                raise self._disagreement(chunk, what, expected, actual)
        raw = self.source.read_at(header.name_offset, header.name_size)
        try:
            name = decode_name(raw, header.flags)
        except UnicodeDecodeError:
            name = ""
        if name != chunk.name:
            raise self._disagreement(chunk, "name", chunk.name, name[:256])
        return header

    # --- what belongs to no member ---

    def gaps(self) -> list[Gap]:
        """Return what belongs to no member: before the first one, between two, and between the last and the directory.

        After a member whose header and entry disagree no gap is found, as its end is unknown.
        """
        found: list[Gap] = []
        at = 0
        for chunk in sorted(self.chunks, key=header_offset):
            if at >= 0 and chunk.compressed_offset > at:
                found.append(self._gap(at, chunk.compressed_offset))
            try:
                at = self.member_end(chunk)
            except SaveError:
                at = -1
        if 0 <= at < self.directory_offset:
            found.append(self._gap(at, self.directory_offset))
        return found

    def member_end(self, chunk: Chunk) -> int:
        """Return where a member ends in the file, with its descriptor; it raises as `local_header` does."""
        header = self.local_header(chunk)
        end = header.data_offset + chunk.compressed_size
        if not header.sizes_follow:
            return end
        data = self.source.read_at(end, len(DESCRIPTOR_SIGNATURE) + DESCRIPTOR.size)
        start = len(DESCRIPTOR_SIGNATURE) if data.startswith(DESCRIPTOR_SIGNATURE) else 0
        sizes = DESCRIPTOR.pack(chunk.crc, chunk.compressed_size, chunk.size)
        return end + start + DESCRIPTOR.size if data.startswith(sizes, start) else end

    def _gap(self, offset: int, end: int) -> Gap:
        """Return the gap there, with the member that it starts with."""
        data = self.source.read_at(offset, min(LOCAL_HEADER_SIZE, end - offset))
        if len(data) == LOCAL_HEADER_SIZE:
            member = Member(data, offset)
            if member.signature == LOCAL_SIGNATURE:
                raw = self.source.read_at(member.name_offset, min(member.name_size, LONGEST_GAP_NAME))
                return Gap(offset, end - offset, raw.decode("utf-8", "replace"), member.size)
        return Gap(offset, end - offset)

    # --- errors ---

    def _disagreement(self, chunk: Chunk, what: str, expected: object, actual: object) -> SaveError:
        message = f"member {chunk.name!r}: {what} of its header differs from the directory's"
        error = DamagedSave(message, chunk.offset, expected=expected, actual=actual)
        return error._in_chunk(self.chunks.index(chunk), 0, chunk.compressed_offset)


def header_offset(chunk: Chunk) -> int:
    """Return where a member is in the file, to sort by."""
    return chunk.compressed_offset
