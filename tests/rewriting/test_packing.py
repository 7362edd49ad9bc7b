"""Streams packed anew: what others unpack is what was put in."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest

from streamsave import TruncatedSave
from streamsave.rewriting.packing import Counted, compressed, gzip_header, gzipped, zlib_stream

PIECES = [b"", b"iron" * 1000, b"", b"copper"]
WHOLE = b"".join(PIECES)


def test_others_unpack_it():
    assert zlib.decompress(b"".join(compressed(PIECES))) == WHOLE
    assert zlib.decompress(b"".join(compressed(PIECES, bits=-zlib.MAX_WBITS)), -zlib.MAX_WBITS) == WHOLE
    header = gzip_header(gzip.compress(b"other bytes"))
    assert gzip.decompress(b"".join(gzipped(header, PIECES))) == WHOLE


@pytest.mark.parametrize("data", [b"", b"\xff" * 200_000, random.Random(1).randbytes(131_072), WHOLE], ids=len)
def test_one_stream_has_the_very_bytes_of_zlib(data):
    assert zlib_stream(data) == zlib.compress(data, 6)
    assert zlib.decompress(zlib_stream(data, fast=True)) == data


def test_what_was_taken_is_counted():
    counted = Counted(PIECES)
    assert list(counted) == PIECES
    assert (counted.size, counted.checksum) == (len(WHOLE), zlib.crc32(WHOLE))


@pytest.mark.parametrize("flags", [0x04, 0x08, 0x10, 0x02], ids=["extra", "name", "comment", "CRC"])
def test_a_gzip_header_that_is_cut(flags):
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
    rest = {0x04: b"\3\0abc", 0x08: b"name\0", 0x10: b"said\0", 0x02: b"\1\2"}[flags]
    assert gzip_header(head + rest + b"data") == head + rest
    with pytest.raises(TruncatedSave, match="too long"):
        gzip_header(head + rest[:-1])
