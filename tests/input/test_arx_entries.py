"""Entries of Arx saves, unpacked in pieces."""

from __future__ import annotations

import random

import pytest
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, RELEASE, STORED, Container, Entry, crypt, implode

from streamsave import DamagedSave, LimitExceeded, TruncatedSave
from streamsave.formats.arx.container import read_container
from streamsave.input.arx_entries import EntryUnpacker
from streamsave.input.source import open_source
from streamsave.limits import Limits

CODECS = {"stored": STORED, "implode": IMPLODE, "deflate": DEFLATED}


def noise(size):
    return (random.Random(size).randbytes(size // 50) + b"Akbaa" * size)[:size]


def unpackers(data, base=0, **limits):
    """An unpacker for each entry."""
    source = open_source(data)
    allowed = Limits(**limits)
    return [EntryUnpacker(source, entry, allowed, base) for entry in read_container(source, allowed).entries]


def read_all(unpacker):
    pieces = []
    while piece := unpacker.read():
        pieces.append(piece)
    assert unpacker.complete
    assert unpacker.read() == b""
    assert unpacker.made == sum(map(len, pieces))
    return b"".join(pieces)


@pytest.mark.parametrize("unknown_size", [False, True])
@pytest.mark.parametrize("chunks", [1, 2, 7])
@pytest.mark.parametrize("codec", CODECS)
def test_pieces(codec, chunks, unknown_size):
    """The parity of what is encrypted goes on over chunks of odd sizes."""
    for size in (0, 1, 50, 70_000, 200_000):
        data = noise(size)
        made = Container(NO_EXTENSION, [Entry(b"a", data, CODECS[codec], chunks=chunks, unknown_size=unknown_size)], gap=b"?")
        (unpacker,) = unpackers(made.encode())
        assert read_all(unpacker) == data


def test_what_follows_an_imploded_stream_is_passed_over():
    packed = crypt(implode(b"abc") + b"junk")
    (unpacker,) = unpackers(Container(RELEASE, [Entry(b"a", b"abc", packed=packed)]).encode())
    assert read_all(unpacker) == b"abc"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("claimed", [0, 2, 4, 100_000])
def test_a_size_that_lies(codec, claimed):
    made = Container(NO_EXTENSION, [Entry(b"a", b"abc", CODECS[codec], claimed_size=claimed)])
    (unpacker,) = unpackers(made.encode(), base=1000)
    if codec == "stored" and claimed == 0:
        assert read_all(unpacker) == b""
        return
    with pytest.raises(DamagedSave, match="more than its size" if claimed < 3 else "less than its size") as caught:
        read_all(unpacker)
    assert (caught.value.expected, caught.value.chunk, caught.value.compressed_offset) == (claimed, 0, 4)
    assert 1000 <= caught.value.offset <= 1003
    assert unpacker.made <= claimed + 1 or claimed > 3


def test_a_file_that_ends_early():
    """The table was right when it was read."""
    data = Container(NO_EXTENSION, [Entry(b"a", noise(5000), STORED)]).encode()
    entry = read_container(open_source(data), Limits()).entries[0]
    with pytest.raises(TruncatedSave):
        EntryUnpacker(open_source(data[:3000]), entry, Limits()).read()


def test_limits():
    data = Container(NO_EXTENSION, [Entry(b"a", bytes(300_000), DEFLATED, unknown_size=True)]).encode()
    (unpacker,) = unpackers(data, total_inflated_size=200_000)
    with pytest.raises(LimitExceeded, match="total_inflated_size"):
        read_all(unpacker)
    (unpacker,) = unpackers(data, inflate_ratio_after=100_000)
    with pytest.raises(LimitExceeded, match="inflate_ratio"):
        read_all(unpacker)
    (unpacker,) = unpackers(data, inflate_ratio_after=100_000, inflate_ratio=2000)
    assert len(read_all(unpacker)) == 300_000


@pytest.mark.parametrize("codec", CODECS)
def test_limits_at_their_value_and_one_below(codec):
    data = noise(70_000)
    made = Container(NO_EXTENSION, [Entry(b"a", data, CODECS[codec])]).encode()
    source = open_source(made)
    (entry,) = read_container(source, Limits()).entries
    ratio = -(-70_000 // entry.stored_size)

    def unpack(**limits: int) -> bytes:
        return read_all(EntryUnpacker(source, entry, Limits(**limits), base=30_000))

    assert unpack(total_inflated_size=100_000) == data
    with pytest.raises(LimitExceeded, match="total_inflated_size") as caught:
        unpack(total_inflated_size=99_999)
    assert caught.value.value == 100_000
    # The ratio of the whole stream counts, too: here 100,000 bytes of one entry's packed bytes.
    whole = -(-100_000 // entry.stored_size)
    assert whole >= ratio
    assert unpack(inflate_ratio=whole, inflate_ratio_after=0) == data
    with pytest.raises(LimitExceeded, match="inflate_ratio"):
        unpack(inflate_ratio=whole - 1, inflate_ratio_after=0)
    assert unpack(inflate_ratio=1, inflate_ratio_after=100_000) == data
