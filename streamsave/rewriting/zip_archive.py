"""Write a zip archive again: members are copied, or packed again with the same method; the directory keeps its order.

Bytes of the archive that belong to no member are not copied.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import BinaryIO, TypeAlias

from streamsave.errors import EditError
from streamsave.input.members import STORED, Chunk
from streamsave.input.windows import FileWindows
from streamsave.input.zip_archive import (
    ELSEWHERE,
    END_RECORD,
    ENTRY,
    FLAG_SIZES_FOLLOW,
    LOCAL_HEADER,
    LOCAL_HEADER_SIZE,
    Archive,
)
from streamsave.rewriting.packing import Counted, Piece, compressed, edited

__all__ = ["write_archive", "write_member"]


#: The CRC-32, the compressed size and the inflated size of a member.
Sizes: TypeAlias = tuple[int, int, int]


def write_archive(
    archive: Archive, members: Iterable[tuple[Chunk, Iterable[Piece] | None]], target: BinaryIO, *, fast: bool = False
) -> None:
    """Write an archive again.

    Args:
        archive: the old one.
        members: the members to keep, each with its new bytes; None: copy it.
        target: an empty file.
        fast: compress faster, to more bytes.

    Raises:
        SaveError: the header of a member is damaged.
        EditError: a member, or the archive, is too large.
    """
    #: Old offset of the header of a member -> its new offset, and its new sizes if it was packed again.
    written: dict[int, tuple[int, Sizes | None]] = {}
    for chunk, pieces in members:
        start = target.tell()
        sizes = None
        if pieces is None:
            target.writelines(edited(FileWindows(archive.source), (), chunk.compressed_offset, archive.member_end(chunk)))
        else:
            sizes = write_member(archive, chunk, pieces, target, fast=fast)
        written[chunk.compressed_offset] = (start, sizes)
    write_directory(archive, written, target)


def write_member(archive: Archive, chunk: Chunk, pieces: Iterable[Piece], target: BinaryIO, *, fast: bool = False) -> Sizes:
    """Pack a member again with the same method; its header keeps all but the sizes.

    Raises:
        SaveError: the old header is damaged.
        EditError: it is too large.
    """
    start = target.tell()
    header = archive.local_header(chunk)
    head = bytearray(archive.source.read_at(chunk.compressed_offset, header.data_offset - chunk.compressed_offset))
    target.write(head)
    counted = Counted(pieces)
    packed = Counted(counted if chunk.method == STORED else compressed(counted, fast=fast, bits=-zlib.MAX_WBITS))
    target.writelines(packed)
    if max(counted.size, packed.size) >= ELSEWHERE:
        raise EditError(f"member {chunk.name!r} is too large", counted.size, f"less than {ELSEWHERE} bytes")
    sizes = (counted.checksum, packed.size, counted.size)
    fields = list(LOCAL_HEADER.unpack_from(head))
    fields[2] &= ~FLAG_SIZES_FOLLOW
    fields[6:9] = sizes
    LOCAL_HEADER.pack_into(head, 0, *fields)
    target.seek(start)
    target.write(head[:LOCAL_HEADER_SIZE])
    target.seek(0, 2)
    return sizes


def write_directory(archive: Archive, written: dict[int, tuple[int, Sizes | None]], target: BinaryIO) -> None:
    """Write the directory of the kept members, and the end record with its comment.

    Raises:
        EditError: the archive is too large.
    """
    source = archive.source
    start = target.tell()
    if start >= ELSEWHERE:  # no offset in the directory is larger
        raise EditError("the archive is too large", start, f"less than {ELSEWHERE} bytes")
    at = archive.directory_offset
    for _ in archive.chunks:
        head = source.read_at(at, ENTRY.size)
        fields = list(ENTRY.unpack(head))
        size = ENTRY.size + sum(fields[10:13])
        member = written.get(fields[16])
        if member is not None:
            fields[16], sizes = member
            if sizes is not None:
                fields[3] &= ~FLAG_SIZES_FOLLOW
                fields[7:10] = sizes
            target.write(ENTRY.pack(*fields) + source.read_at(at + ENTRY.size, size - ENTRY.size))
        at += size
    record = list(END_RECORD.unpack(source.read_at(at, END_RECORD.size)))
    record[3:7] = len(written), len(written), target.tell() - start, start
    target.write(END_RECORD.pack(*record) + source.read_at(at + END_RECORD.size, record[7]))
