"""Chunk headers, what is refused before and while inflating, and that nothing is inflated for nothing."""

import gzip
import random
import zlib
from typing import Any

import pytest
from cursors import everything
from saves import SATISFACTORY, chunk, deflate, head_and_body, raises, read_to_error, told

import streamsave.input.stages
from streamsave import ChunkStart, DamagedSave, Limits, SaveError, TruncatedSave, UnsupportedSave
from streamsave.decode.known_bytes import COMPILED
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import BytesSource

MIB = 1024 * 1024


def table_of(data: bytes, limits: Limits | None = None, offset: int = 0) -> ChunkTable:
    """The table of the chunks of a file from an offset on."""
    return ChunkTable(BytesSource(data), offset, Limits() if limits is None else limits)


def fault(data: bytes, limits: Limits | None = None) -> SaveError:
    """What is wrong with chunks; all before the fault inflates."""
    with pytest.raises(SaveError) as caught:
        everything(table_of(data, limits))
    return caught.value


GOOD = chunk(b"good" * 8)


def test_versions_may_be_mixed():
    """Each header has its own version."""
    assert everything(table_of(chunk(b"a", archive_header=0) + chunk(b"b") + chunk(b"c", archive_header=0))) == b"abc"


def test_places():
    table = table_of(chunk(bytes(10)) + chunk(bytes(20)))
    assert table.locate(5) is None  # nothing has walked there yet
    assert table.inflated_size() == 30
    size = len(chunk(bytes(10)))
    assert table.locate(0) == (0, 0, 0)
    assert table.locate(9) == (0, 9, 0)
    assert table.locate(10) == (1, 0, size)
    assert table.locate(29) == (1, 19, size)
    assert [table.place(index) for index in (0, 1)] == [(0, size, 0, 10), (size, size + len(chunk(bytes(20))), 10, 30)]


def test_only_chunks_that_are_asked_for_are_inflated():
    table = table_of(chunk(bytes(100)) * 20)
    assert table.window(1250) == bytes(100)
    assert (table.window_offset, table.inflated_chunks) == (1200, 1)
    assert [event.index for event in table.entered] == [12]


def test_two_cursors_do_not_inflate_again():
    table = table_of(chunk(bytes(100)) * 20)
    for _ in range(10):
        table.window(150)
        table.window(1250)
    assert table.inflated_chunks == 2
    assert len(table.entered) == 2


def test_few_chunks_are_held():
    table = table_of(chunk(bytes(100)) * 50)
    everything(table)
    assert len(table._cache) <= 3
    table.window(0)
    assert table.inflated_chunks == 51
    assert len(table.entered) == 50  # a chunk is entered once, however often it is inflated


# --- attacks on the framing: what, the fault's class, its words, what was expected, what was there ---


def header_faults() -> list[Any]:
    """A second chunk whose header lies; the first one is sound."""
    data = b"data" * 8
    packed = len(zlib.compress(data, 1))
    lies: list[tuple[str, dict[str, int], type[SaveError], str, object]] = [
        ("tag", {"tag": 0x9E2A83C2}, DamagedSave, "no chunk starts here", 0x9E2A83C2),
        ("no tag", {"tag": 0}, DamagedSave, "no chunk starts here", 0),
        ("swapped tag", {"tag": 0xC1832A9E}, DamagedSave, "no chunk starts here", 0xC1832A9E),
        ("archive header", {"archive_header": 0x22222223}, UnsupportedSave, "unknown chunk header", 0x22222223),
        ("no compression", {"compressor": 0}, UnsupportedSave, "unknown compression", 0),
        ("gzip", {"compressor": 2}, UnsupportedSave, "unknown compression", 2),
        ("oodle", {"compressor": 4}, UnsupportedSave, "unknown compression", 4),
        ("compressed total", {"compressed_total": packed + 1}, DamagedSave, "the two pairs of chunk sizes disagree", None),
        ("inflated total", {"inflated_total": 33}, DamagedSave, "the two pairs of chunk sizes disagree", None),
        ("small max chunk", {"max_chunk_size": 31}, DamagedSave, "inflated size of a chunk", 32),
        ("no max chunk", {"max_chunk_size": 0}, DamagedSave, "inflated size of a chunk", 32),
        ("negative max chunk", {"max_chunk_size": -1}, DamagedSave, "inflated size of a chunk", 32),
    ]
    sizes = [0, -1, -(1 << 31), -(1 << 63)]
    lies += [(f"inflated {n}", _inflated(n), DamagedSave, "inflated size of a chunk", n) for n in sizes]
    lies += [(f"compressed {n}", _compressed(n), DamagedSave, "compressed size of a chunk", n) for n in sizes]
    lies += [(f"inflated {n}", _inflated(n), DamagedSave, "chunk does not inflate: zlib", None) for n in (1, 31, 33)]
    lies += [
        ("compressed - 1", _compressed(packed - 1), DamagedSave, "chunk does not inflate: zlib stream has no end", None),
        ("compressed 1", _compressed(1), DamagedSave, "chunk does not inflate: zlib", None),
        ("compressed + 1", _compressed(packed + 1), TruncatedSave, "the file ends inside a chunk", packed),
        ("compressed 100000", _compressed(100_000), TruncatedSave, "the file ends inside a chunk", packed),
    ]
    return [pytest.param(GOOD + chunk(data, **fields), kind, text, actual, id=name) for name, fields, kind, text, actual in lies]


def _inflated(size: int) -> dict[str, int]:
    return {"inflated_total": size, "inflated_size": size}


def _compressed(size: int) -> dict[str, int]:
    return {"compressed_total": size, "compressed_size": size}


@pytest.mark.parametrize(("data", "kind", "text", "actual"), header_faults())
def test_lying_headers(data, kind, text, actual):
    error = fault(data)
    assert type(error) is kind
    assert text in error.message
    assert (error.offset, error.chunk, error.chunk_offset, error.compressed_offset) == (32, 1, 0, len(GOOD))
    assert actual is None or error.actual == actual


def payload_faults() -> list[Any]:
    """A second chunk whose payload is not what it should be."""
    data = b"data" * 100
    sound = zlib.compress(data)
    raw = zlib.compressobj(wbits=-15)
    dictionary = zlib.compressobj(zdict=b"data")
    broken = [
        ("bad Adler", sound[:-1] + bytes([sound[-1] ^ 1]), "no sound zlib stream"),
        ("bad head", b"\xff" + sound[1:], "no sound zlib stream"),
        ("bad middle", sound[:4] + b"\xff\xff\xff" + sound[7:], ""),
        ("cut", sound[:-1], "zlib stream has no end"),
        ("no checksum", sound[:-4], "zlib stream has no end"),
        ("cut in the middle", sound[: len(sound) // 2], "zlib stream"),
        ("behind the end", sound + b"\0", "bytes after the zlib stream"),
        ("two streams", sound + sound, "bytes after the zlib stream"),
        ("gzip", gzip.compress(data), "no sound zlib stream"),
        ("raw deflate", raw.compress(data) + raw.flush(), "no sound zlib stream"),
        ("dictionary", dictionary.compress(data) + dictionary.flush(), ""),
        ("stored as it is", data, "no sound zlib stream"),
        ("zeros", bytes(len(sound)), "no sound zlib stream"),
        ("one byte more", zlib.compress(data + b"x"), "zlib stream inflates to more than it declares"),
        ("one byte less", zlib.compress(data[:-1]), "zlib stream inflates to less than it declares"),
        ("a bomb", zlib.compress(bytes(64 * MIB)), "zlib stream inflates to more than it declares"),
        ("nothing", zlib.compress(b""), "zlib stream inflates to less than it declares"),
    ]
    return [pytest.param(GOOD + chunk(data, packed), text, id=name) for name, packed, text in broken]


@pytest.mark.parametrize(("data", "text"), payload_faults())
def test_broken_payloads(data, text):
    error = fault(data)
    assert type(error) is DamagedSave
    assert error.message.startswith(f"chunk does not inflate: {text}")
    assert (error.offset, error.chunk, error.chunk_offset, error.compressed_offset) == (32, 1, 0, len(GOOD))


@pytest.mark.skipif(COMPILED, reason="compiled code does not look its names up again")
@pytest.mark.parametrize(("data", "text"), payload_faults())
def test_both_zlibs_give_the_same_errors(data, text, monkeypatch):
    errors = []
    for library in (zlib, streamsave.input.stages.fast_zlib):
        monkeypatch.setattr(streamsave.input.stages, "fast_zlib", library)
        errors.append(told(fault(data)))
    assert errors[0] == errors[1]
    assert text in str(errors[0])


def test_file_ends_inside_a_payload():
    for size in range(49, len(GOOD)):
        error = fault(GOOD + GOOD[:size])
        assert type(error) is TruncatedSave
        assert (error.message, error.actual) == ("the file ends inside a chunk", size - 49)


def bridging(data: bytes, declared_size: int = -1) -> ChunkTable:
    """A table that goes on after a damaged header."""
    table = table_of(data)
    table.bridges = True
    table.declared_size = declared_size
    return table


@pytest.mark.parametrize("archive_header", [0, 0x22222222])
@pytest.mark.parametrize("size", [32, 100_000])
def test_a_zlib_stream_bridges_a_damaged_header(archive_header, size):
    """Of either version of headers; a large stream does not end in the first look at it."""
    data = GOOD + chunk(random.Random(size).randbytes(size), archive_header=archive_header, tag=0) + GOOD
    table = bridging(data)
    assert table.inflated_size() == 32 + size + 32
    assert table.window(32 + size) == b"good" * 8
    with raises(DamagedSave, match="no chunk starts here", chunk=1, compressed_offset=len(GOOD)):
        table.window(32)
    assert table.window_end(32) == 32 + size
    with pytest.raises(DamagedSave):
        table_of(data).inflated_size()


@pytest.mark.parametrize("archive_header", [0, 0x22222222])
def test_the_declared_size_bridges_what_is_lost(archive_header):
    """Nothing is left of a chunk: it has what the others lack of the size of the stream."""
    data = GOOD + b"\xff" * 70 + (chunk(b"good" * 8, archive_header=archive_header) + GOOD)
    table = bridging(data, declared_size=32 + 500 + 32 + 32)
    assert table.inflated_size() == 596
    assert table.window(532) == b"good" * 8
    with pytest.raises(DamagedSave):
        table.window(32)
    for size in (-1, 0, 96):
        with pytest.raises(DamagedSave):
            bridging(data, declared_size=size).inflated_size()
    assert bridging(data, declared_size=97).inflated_size() == 97


def test_nothing_bridges_the_end():
    with pytest.raises(DamagedSave):
        bridging(GOOD + b"\xff" * 70, declared_size=100).inflated_size()


SAMPLE = (SATISFACTORY / "sv52.sav").read_bytes()


@pytest.mark.parametrize("size", [1, 7, 100, 4095])
def test_events_do_not_depend_on_the_chunks(size):
    """Chunks end inside lengths, inside UTF-16 units, inside tags; only the chunks' own events differ."""
    head, body = head_and_body(SAMPLE)
    if size == 1:
        body = body[:2000]
    whole, cut = read_to_error(deflate(head, body)), read_to_error(deflate(head, body, size))
    assert [event for event in cut[0] if not isinstance(event, ChunkStart)] == [
        event for event in whole[0] if not isinstance(event, ChunkStart)
    ]
    if whole[1] is not None:
        assert cut[1] is not None
        assert (type(cut[1]), cut[1].offset, cut[1].message, cut[1].path) == (
            type(whole[1]),
            whole[1].offset,
            whole[1].message,
            whole[1].path,
        )
