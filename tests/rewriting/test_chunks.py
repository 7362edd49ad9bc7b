"""Chunks as the game packs them."""

from __future__ import annotations

import zlib

import pytest
from saves import chunk, chunks_of

from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, ArchiveHeader
from streamsave.rewriting.packing import CHUNK_SIZE, ChunkPacker


@pytest.mark.parametrize(
    "header",
    [ArchiveHeader(HEADER_V1_SIZE, CHUNK_SIZE, NO_COMPRESSOR, 1, 1), ArchiveHeader(HEADER_V2_SIZE, CHUNK_SIZE, 3, 1, 1)],
    ids=["version 1", "version 2"],
)
@pytest.mark.parametrize("size", [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 2 * CHUNK_SIZE])
def test_full_chunks_and_the_rest(header, size):
    data = (b"0123456789" * (size // 10 + 1))[:size]
    packed = bytearray()
    ChunkPacker(header, packed.extend).pack([data[:100], data[100:], b""])
    found = chunks_of(bytes(packed)) if packed else []
    assert b"".join(part.data for part in found) == data
    last = [size % CHUNK_SIZE] if size % CHUNK_SIZE else []
    assert [len(part.data) for part in found] == [CHUNK_SIZE] * (size // CHUNK_SIZE) + last
    if found:
        assert found[0].payload_offset - found[0].offset == header.size + 16


def test_zlib_as_the_game_calls_it():
    packed = bytearray()
    data = bytes(i * i % 251 for i in range(1000))
    ChunkPacker(ArchiveHeader(HEADER_V2_SIZE, CHUNK_SIZE, 3, 1, 1), packed.extend).chunk(data)
    assert bytes(packed) == chunk(data, zlib.compress(data, 6))
