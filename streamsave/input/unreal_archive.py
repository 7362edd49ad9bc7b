"""Unreal's compressed archives, one after the other: blocks after a table of their sizes (`archive_header`).

A block is a zlib stream, or Oodle: its first byte shows which, whatever the header says. The table has the sizes of a block that
does not decompress, too, so the stage can go on after it.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.events import ChunkStart
from streamsave.input.archive_header import HEADER_V2_SIZE, ROW, ArchiveHeader, read_archive_header
from streamsave.input.oodle import decompress_oodle, is_oodle
from streamsave.input.source import Source
from streamsave.input.stages import Stage, inflate, sound_size
from streamsave.limits import Limits, check_limit

__all__ = ["ZLIB_FIRST_BYTE", "ArchiveStage", "block_count"]

ZLIB_FIRST_BYTE: Final = b"\x78"


class ArchiveStage(Stage):
    """The blocks of all archives of a file, from an offset on."""

    def __init__(self, source: Source, offset: int, limits: Limits) -> None:
        super().__init__()
        self._source = source
        self._limits = limits
        self._start = offset
        #: Where the next archive or block starts in the file.
        self._at: int = offset
        #: Sizes of the blocks that are still to come from this archive, the next one last.
        self._rows: list[tuple[int, int]] = []
        #: What a block of this archive inflates to, and how much all that are still to come do.
        self._block_size: int = 0
        self._missing: int = 0
        self._block = b""
        self._block_at: int = 0
        self._given: int = 0
        self._index: int = 0
        #: The version of this archive's header.
        self._version: int = 0

    def produce(self, size: i64) -> bytes:
        while self._block_at >= len(self._block):
            if self._rows:
                self._next_block(*self._rows.pop())
            elif not self._next_archive():
                return b""
        piece = self._block[self._block_at : self._block_at + size]
        self._block_at += len(piece)
        return piece

    def consumed(self) -> int:
        return self._at - self._start

    def _next_archive(self) -> bool:
        """Read the table of the next archive; return False at the end of the file."""
        head = self._source.read_at(self._at, HEADER_V2_SIZE)
        if not head:
            return False
        header = read_archive_header(head)
        count = block_count(header, self._limits)
        table = self._source.read_at(self._at + header.size, count * ROW.size)
        if len(table) < count * ROW.size:
            raise TruncatedSave("the file ends inside the table of an archive", expected=count * ROW.size, actual=len(table))
        rows: list[tuple[int, int]] = list(ROW.iter_unpack(table))
        sums = (sum(row[0] for row in rows), sum(row[1] for row in rows))
        totals = (header.compressed_size, header.inflated_size)
        if sums != totals:
            raise DamagedSave("the sizes of the blocks are not those of the archive", expected=totals, actual=sums)
        self._rows = rows[::-1]
        self._version = header.version
        self._block_size = header.block_size
        self._missing = header.inflated_size
        self._at += header.size + len(table)
        return True

    def _next_block(self, compressed_size: int, inflated_size: int) -> None:
        check_limit(self._limits, "chunk_inflated_size", inflated_size)
        check_limit(self._limits, "chunk_compressed_size", compressed_size)
        offset = self._at
        data = self._source.read_at(offset, compressed_size)
        codec = "zlib" if data[:1] == ZLIB_FIRST_BYTE else "oodle"
        self.chunks.append(ChunkStart(self._given, self._index, inflated_size, offset, compressed_size, codec, self._version))
        self._index += 1
        if len(data) < compressed_size:
            raise TruncatedSave("the file ends inside a block", expected=f"{compressed_size} bytes", actual=len(data))
        expected_size = min(self._block_size, self._missing)
        self._missing -= inflated_size
        self._block = b""
        self._block_at = 0
        self._given += inflated_size
        self._at = offset + compressed_size
        try:
            self._block = decompress(data, inflated_size)
        except SaveError:
            # If its row disagrees with the header, nothing after it is certain.
            self.hole = inflated_size if inflated_size == expected_size else 0
            if self.hole > 0 and self._missing == 0:
                # No block after it needs its place: it ends with its last byte, if only its size lies.
                size = sound_size(data, inflated_size)
                self.hole = size if size > 0 else self.hole
            raise


def block_count(header: ArchiveHeader, limits: Limits) -> int:
    """Return how many blocks an archive has.

    Raises:
        LimitExceeded: more than `limits` allows, of blocks or of bytes.
        DamagedSave: its blocks have no bytes.
    """
    block_size, inflated_size = header.block_size, header.inflated_size
    check_limit(limits, "chunk_inflated_size", min(block_size, inflated_size))
    check_limit(limits, "total_inflated_size", inflated_size)
    if block_size < 1:
        raise DamagedSave("wrong size of the blocks", expected="at least 1", actual=block_size)
    count = -(-inflated_size // block_size)
    check_limit(limits, "table_entries", count)
    return count


def decompress(data: bytes, size: int) -> bytes:
    """Decompress a block to exactly `size` bytes.

    Raises:
        DamagedSave: it does not decompress to so many bytes.
        UnsupportedSave: by its first bytes it is neither zlib nor Oodle; or the extra for Oodle is not installed.
        OSError: see `decompress_oodle`.
    """
    if data[:1] == ZLIB_FIRST_BYTE:
        try:
            return inflate(data, size)
        except ValueError as fault:
            raise DamagedSave(f"block does not inflate: {fault}") from None
    if is_oodle(data):
        return decompress_oodle(data, size)
    raise UnsupportedSave("unknown compression of a block", expected="zlib or Oodle", actual=data[:2])
