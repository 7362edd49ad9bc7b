"""Streams packed anew: what others unpack is what was put in."""

from __future__ import annotations

import gzip
import random
import struct
import threading
import zlib

import pytest
from cursors import windows_over
from saves import chunk, chunks_of

from streamsave import TruncatedSave
from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, ArchiveHeader
from streamsave.rewriting.packing import (
    AHEAD,
    CHUNK_SIZE,
    ChunkPacker,
    Counted,
    compressed,
    edited,
    gzip_header,
    gzipped,
    in_threads,
    zlib_stream,
)
from streamsave.rewriting.rows import Row

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


# --- chunks as the game packs them ---

#: What is before the sizes in the header of a chunk.
V1 = struct.pack("<IIQ", 0x9E2A83C1, 0, CHUNK_SIZE)
V2 = struct.pack("<IIQB", 0x9E2A83C1, 0x22222222, CHUNK_SIZE, 3)


@pytest.mark.parametrize(
    "header",
    [ArchiveHeader(V1, HEADER_V1_SIZE, CHUNK_SIZE, NO_COMPRESSOR, 1, 1), ArchiveHeader(V2, HEADER_V2_SIZE, CHUNK_SIZE, 3, 1, 1)],
    ids=["version 1", "version 2"],
)
@pytest.mark.parametrize("size", [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 2 * CHUNK_SIZE])
def test_full_chunks_and_the_rest(header, size):
    data = (b"0123456789" * (size // 10 + 1))[:size]
    packed = b"".join(ChunkPacker(header).pack([data[:100], data[100:], b""]))
    found = chunks_of(packed) if packed else []
    assert b"".join(part.data for part in found) == data
    last = [size % CHUNK_SIZE] if size % CHUNK_SIZE else []
    assert [len(part.data) for part in found] == [CHUNK_SIZE] * (size // CHUNK_SIZE) + last
    if found:
        assert found[0].payload_offset - found[0].offset == header.size + 16


def test_zlib_as_the_game_calls_it():
    data = bytes(i * i % 251 for i in range(1000))
    assert ChunkPacker(ArchiveHeader(V2, HEADER_V2_SIZE, CHUNK_SIZE, 3, 1, 1)).chunk(data) == chunk(data, zlib.compress(data, 6))


# --- work in threads ---


@pytest.mark.parametrize("count", [None, 1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 2, 5, 50])
def test_results_come_in_order(count, size):
    given = [b"%d" % number for number in range(size)]
    assert list(in_threads(lambda data: data * 2, given, count)) == [data * 2 for data in given]


def test_little_is_held():
    taken = []
    made = in_threads(bytes, (taken.append(number) or bytes([number]) for number in range(100)), 3)
    assert next(made) == b"\0"
    assert len(taken) == 3 * AHEAD
    made.close()


def test_an_error_is_raised_where_the_results_are():
    def work(data):
        if data == b"3":
            raise MemoryError(data)
        return data

    found = []
    with pytest.raises(MemoryError):
        found.extend(in_threads(work, [b"%d" % number for number in range(10)], 2))


def test_they_work_side_by_side():
    """Each waits for the other."""
    barrier = threading.Barrier(2, timeout=20)

    def work(data):
        barrier.wait()
        return data

    assert list(in_threads(work, [b"a", b"b"], 2)) == [b"a", b"b"]


@pytest.mark.slow
def test_threads_end():
    before = threading.active_count()
    list(in_threads(bytes, [b"a"] * 20, 4))
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(1)
    assert threading.active_count() <= before


# --- a stream with edits ---


DATA = bytes(range(50))


@pytest.mark.parametrize("window", [1, 7, 50])
@pytest.mark.parametrize(
    ("rows", "start", "end", "expected"),
    [
        ([], 0, -1, DATA),
        ([], 3, 20, DATA[3:20]),
        ([Row(0, 2, b"abc"), Row(10, 10, b"x"), Row(48, 50, b"")], 0, -1, b"abc" + DATA[2:10] + b"x" + DATA[10:48]),
        ([Row(5, 6, b"-"), Row(6, 12, b"+")], 4, 14, DATA[4:5] + b"-+" + DATA[12:14]),
        ([Row(50, 50, b"end")], 45, -1, DATA[45:] + b"end"),
    ],
)
def test_edits_at_any_place(window, rows, start, end, expected):
    assert b"".join(edited(windows_over(DATA, window), rows, start, end)) == expected


def test_pieces_end_with_the_stream():
    assert b"".join(edited(windows_over(DATA, 9), (), 40, 60)) == DATA[40:]
