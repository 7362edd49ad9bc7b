"""Unreal's archives: what is written is read again."""

from __future__ import annotations

import io
import struct

import pytest
from writer.gvas import ARCHIVE_V2, archive

from streamsave import DamagedSave, LimitExceeded, Limits
from streamsave.input.source import open_source
from streamsave.input.unreal_archive import ArchiveStage
from streamsave.rewriting.gvas import is_zlib_archive, write_archives


def unpacked(data):
    stage = ArchiveStage(open_source(data), 0, Limits())
    found = b""
    while piece := stage.produce(1000):
        found += piece
    return found


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("version", [0, ARCHIVE_V2])
@pytest.mark.parametrize("old", [b"one block", b"several blocks" * 10])
@pytest.mark.parametrize("fast", [False, True])
def test_another_stream_in_the_same_form(size, version, old, fast):
    source = open_source(archive(old, block_size=64, version=version))
    assert is_zlib_archive(source, Limits())
    new = bytes(at % 251 for at in range(size))
    target = io.BytesIO()
    write_archives(source, [new[:10], new[10:]], target, Limits(), fast=fast)
    assert unpacked(target.getvalue()) == new
    # One archive of several blocks has a table, and one header.
    blocks = -(-size // 64)
    assert target.getvalue().count(bytes(source.read_at(0, 8))) == (blocks if old == b"one block" else 1)


@pytest.mark.parametrize(
    ("block_size", "size", "error"),
    [(0, 100, DamagedSave), (1, 1 << 63, LimitExceeded), (1 << 63, 1 << 63, LimitExceeded), (1, 70_000, LimitExceeded)],
)
def test_a_header_that_is_no_archives_is_refused(block_size, size, error):
    data = bytearray(archive(b"one block", block_size=64, version=ARCHIVE_V2))
    struct.pack_into("<Q", data, 8, block_size)
    struct.pack_into("<Q", data, 25, size)
    with pytest.raises(error):
        is_zlib_archive(open_source(io.BytesIO(data)), Limits())
    with pytest.raises(error):
        write_archives(open_source(io.BytesIO(data)), [], io.BytesIO(), Limits())
