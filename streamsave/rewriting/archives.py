"""Pieces of a stream -> Unreal's compressed archives (`streamsave.input.archive_header`), with blocks in zlib.

Where the first archive of the old file has one block, each block gets an archive; else one archive has all blocks.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from typing import BinaryIO, Final

from streamsave.input.archive_header import HEADER_V2_SIZE, ROW, read_archive_header
from streamsave.input.source import Source
from streamsave.input.unreal_archive import ZLIB_FIRST_BYTE, block_count
from streamsave.limits import Limits
from streamsave.rewriting.chunks import ChunkPacker, full_chunks
from streamsave.rewriting.copying import Piece
from streamsave.rewriting.packing import zlib_stream

__all__ = ["is_zlib_archive", "write_archives"]

#: Bytes of packed blocks that are held in memory.
MOST_HELD: Final = 1024 * 1024


def is_zlib_archive(source: Source, limits: Limits) -> bool:
    """Return whether the first block of the archives of a file is in zlib.

    Raises:
        SaveError: no archive starts there, or one that is refused.
    """
    header = read_archive_header(source.read_at(0, HEADER_V2_SIZE))
    return source.read_at(header.size + block_count(header, limits) * ROW.size, 1) == ZLIB_FIRST_BYTE


def write_archives(source: Source, stream: Iterable[Piece], target: BinaryIO, limits: Limits, *, fast: bool = False) -> None:
    """Write a stream as the archives of a file are.

    Raises:
        SaveError: no archive starts there, or one that is refused.
    """
    header = read_archive_header(source.read_at(0, HEADER_V2_SIZE))
    blocks = full_chunks(stream, header.block_size)
    if block_count(header, limits) == 1:
        packer = ChunkPacker(header, target.write, fast=fast)
        for block in blocks:
            packer.chunk(block)
        return
    rows: list[bytes] = []
    packed_size = size = 0
    with tempfile.SpooledTemporaryFile(MOST_HELD) as held:
        for block in blocks:
            packed = zlib_stream(block, fast=fast)
            held.write(packed)
            rows.append(ROW.pack(len(packed), len(block)))
            packed_size += len(packed)
            size += len(block)
        # What is before the sizes of all blocks says how they are packed.
        target.write(source.read_at(0, header.size - ROW.size) + ROW.pack(packed_size, size) + b"".join(rows))
        held.seek(0)
        shutil.copyfileobj(held, target)
