"""The header of an Unreal archive, by itself."""

from __future__ import annotations

import struct

import pytest

from streamsave import DamagedSave, TruncatedSave, UnsupportedSave
from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, ROW, read_archive_header

TAG = 0x9E2A83C1
V1 = struct.pack("<IIQQQ", TAG, 0, 131072, 50, 100)
V2 = struct.pack("<IIQBQQ", TAG, 0x22222222, 131072, 3, 50, 100)


@pytest.mark.parametrize(("data", "size", "compressor"), [(V1, 32, NO_COMPRESSOR), (V2, 33, 3)])
def test_both_versions(data, size, compressor):
    header = read_archive_header(data + b"more")
    assert (header.size, header.block_size, header.compressor) == (size, 131072, compressor)
    assert (header.compressed_size, header.inflated_size) == (50, 100)
    assert (HEADER_V1_SIZE, HEADER_V2_SIZE, ROW.size) == (32, 33, 16)


def test_sizes_have_64_bits():
    header = read_archive_header(struct.pack("<IIQQQ", TAG, 0, (1 << 64) - 1, 1 << 63, (1 << 63) + 1))
    assert (header.block_size, header.compressed_size, header.inflated_size) == ((1 << 64) - 1, 1 << 63, (1 << 63) + 1)


@pytest.mark.parametrize("data", [V1, V2])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_rows_that_are_asked_for_must_be_there(data, rows):
    whole = data + bytes(16 * rows)
    read_archive_header(whole, rows)
    for size in range(len(whole)):
        with pytest.raises(TruncatedSave) as caught:
            read_archive_header(whole[:size], rows)
        assert caught.value.actual == size
        assert size < 8 or caught.value.expected == f"{len(whole)} bytes"


@pytest.mark.parametrize(("tag", "version", "kind"), [(TAG + 1, 0, DamagedSave), (TAG, 1, UnsupportedSave)])
def test_what_is_no_header(tag, version, kind):
    with pytest.raises(kind):
        read_archive_header(struct.pack("<II", tag, version))
