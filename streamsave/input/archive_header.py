"""The header of a compressed Unreal archive: a table of blocks that are compressed one by one.

| field | type | |
|---|---|---|
| package_file_tag | u32 | 0x9E2A83C1 |
| archive_header | u32 | 0: version 1, 0x22222222: version 2 |
| block_size | u64 | inflated bytes of each block but the last; 131072 in every file seen |
| compressor | u8 | only version 2; 3: zlib |
| compressed_size, inflated_size | u64, u64 | of all blocks |
| compressed_size, inflated_size | u64, u64 | of each block: a row of the table |
| | bytes | the blocks |

Satisfactory writes one archive for each block, and calls it a chunk (`chunk_table`); others write archives of many blocks
(`unreal_archive`).
"""

from __future__ import annotations

import struct
from typing import Final

from streamsave.errors import DamagedSave, TruncatedSave, UnsupportedSave

__all__ = [
    "COMPRESSOR_ZLIB",
    "HEADER_V1_SIZE",
    "HEADER_V2_SIZE",
    "NO_COMPRESSOR",
    "PACKAGE_FILE_TAG",
    "ROW",
    "ArchiveHeader",
    "read_archive_header",
]

PACKAGE_FILE_TAG: Final = 0x9E2A83C1
VERSION_1: Final = 0
VERSION_2: Final = 0x22222222
COMPRESSOR_ZLIB: Final = 3
#: Version 1 names no compressor.
NO_COMPRESSOR: Final = -1

START: Final = struct.Struct("<II")
#: What follows the start, by the version.
SIZES: Final = {VERSION_1: struct.Struct("<QQQ"), VERSION_2: struct.Struct("<QBQQ")}
#: A row of the table: compressed size and inflated size of a block.
ROW: Final = struct.Struct("<QQ")
#: Sizes of the header in bytes, without the table.
HEADER_V1_SIZE: Final = START.size + SIZES[VERSION_1].size
HEADER_V2_SIZE: Final = START.size + SIZES[VERSION_2].size


class ArchiveHeader:
    """The fields of a header, and its own size in bytes without the table, which shows its version."""

    def __init__(
        self, start: bytes, size: int, block_size: int, compressor: int, compressed_size: int, inflated_size: int
    ) -> None:
        #: All before the sizes, as stored: other blocks that are packed the same way have it, too.
        self.start = start
        self.size = size
        self.version = 1 if size == HEADER_V1_SIZE else 2
        self.block_size = block_size
        self.compressor = compressor
        self.compressed_size = compressed_size
        self.inflated_size = inflated_size


def read_archive_header(data: bytes, rows: int = 0) -> ArchiveHeader:
    """Read a header from the bytes that start with it; `rows` rows of the table must be there too.

    Raises:
        TruncatedSave: there are fewer bytes. The errors have no place: the caller knows it.
        DamagedSave: no header starts here.
        UnsupportedSave: a version that is not known.
    """
    if len(data) < START.size:
        raise _too_short(data, HEADER_V2_SIZE + rows * ROW.size)
    tag, version = START.unpack_from(data)
    if tag != PACKAGE_FILE_TAG:
        raise DamagedSave("no chunk starts here", expected=f"{PACKAGE_FILE_TAG:#x}", actual=tag)
    sizes = SIZES.get(version)
    if sizes is None:
        raise UnsupportedSave("unknown chunk header", expected="0 or 0x22222222", actual=version)
    size = START.size + sizes.size
    if len(data) < size + rows * ROW.size:
        raise _too_short(data, size + rows * ROW.size)
    block_size, *compressor, compressed_size, inflated_size = sizes.unpack_from(data, START.size)
    return ArchiveHeader(
        data[: size - ROW.size], size, block_size, compressor[0] if compressor else NO_COMPRESSOR, compressed_size, inflated_size
    )


def _too_short(data: bytes, size: int) -> TruncatedSave:
    return TruncatedSave("the file ends inside a chunk header", expected=f"{size} bytes", actual=len(data))
