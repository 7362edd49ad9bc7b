"""Entries of Arx saves, unpacked in pieces; windows over entries, and where an entry ends."""

import random

import pytest
from memory import Traced
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, RELEASE, STORED, Container, Entry, crypt, implode_zeros

import streamsave
from streamsave import BlobSkip, DamagedSave, LimitExceeded, ObjectHeader
from streamsave.formats.arx.container import read_container
from streamsave.input.arx_entries import EntryWindows
from streamsave.input.source import open_source
from streamsave.limits import Limits

CODECS = {"stored": STORED, "implode": IMPLODE, "deflate": DEFLATED}


def noise(size):
    return (random.Random(size).randbytes(size // 50) + b"Akbaa" * size)[:size]


#: Where the entry starts in the inflated stream.
BASE = 5000
FAR = 1 << 30


def windows_of(data, codec, limits=None, **more):
    """Windows that walk the one entry of a container."""
    allowed = Limits() if limits is None else limits
    source = open_source(Container(NO_EXTENSION, [Entry(b"a", data, CODECS[codec], **more)]).encode())
    windows = EntryWindows(source, allowed, read_container(source, allowed).entries)
    windows.enter(0, BASE)
    return windows


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [1, 100, 300_000])
@pytest.mark.parametrize("is_known", [True, False])
def test_an_entry_reaches_its_last_byte(codec, size, is_known):
    windows = windows_of(noise(size), codec, unknown_size=not is_known)
    places = (0, BASE, BASE + 1, BASE + size, BASE + size + 1, FAR)
    assert [windows.reaches(at) for at in places] == [True] * 4 + [False] * 2
    assert windows.readable_end(Limits()) == (BASE + size, True)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [1, 100, 300_000])
def test_a_size_that_is_too_large_is_no_claim(codec, size):
    """The bytes that there are can be read; what they should be followed by is damage."""
    windows = windows_of(noise(size), codec, claimed_size=FAR)
    assert windows.reaches(BASE + size)
    for at in (BASE + size + 1, BASE + FAR):
        with pytest.raises(DamagedSave, match="less than its size"):
            windows.reaches(at)
    assert windows.readable_end(Limits()) == (BASE + size, False)
    windows.window(BASE)  # starts again
    assert windows.reaches(BASE + size)
    assert windows.readable_end(Limits()) == (BASE + size, False)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("claimed", [1, 99, 70_000])
def test_a_size_that_is_too_small_ends_the_entry(codec, claimed):
    windows = windows_of(noise(100_000), codec, claimed_size=claimed)
    assert windows.reaches(BASE + claimed)
    with pytest.raises(DamagedSave, match="more than its size"):
        windows.reaches(BASE + claimed + 1)
    assert windows.readable_end(Limits()) == (BASE + claimed, False)


@pytest.mark.parametrize("codec", ["implode", "deflate"])
def test_what_a_limit_hides_is_not_readable(codec):
    """An entry of unknown size; one whose size is known is refused with the table."""
    windows = windows_of(noise(300_000), codec, Limits(total_inflated_size=BASE + 150_000), unknown_size=True)
    with pytest.raises(LimitExceeded):
        windows.reaches(BASE + 150_001)
    end, is_all = windows.readable_end(Limits())
    assert BASE < end <= BASE + 150_000
    assert windows.reaches(end)
    assert not is_all


def test_before_the_first_entry_there_is_nothing():
    windows = EntryWindows(open_source(Container(NO_EXTENSION, []).encode()), Limits(), [])
    assert (windows.reaches(0), windows.reaches(1), windows.readable_end(Limits())) == (True, False, (0, True))


@pytest.mark.parametrize("codec", CODECS)
def test_windows_go_back(codec):
    """What has left the kept pieces is unpacked again."""
    data = noise(900_000)
    source = open_source(Container(NO_EXTENSION, [Entry(b"a", data, CODECS[codec], unknown_size=True)]).encode())
    windows = EntryWindows(source, Limits(), read_container(source, Limits()).entries)
    windows.enter(0, 5000)
    assert windows.locate(4999) is None
    assert windows.window(4999) == b""
    for at in (0, 899_999, 400_000, 5, 899_998, 900_000 - 256 * 1024):
        piece = windows.window(5000 + at)
        start = windows.window_offset - 5000
        assert start <= at < start + len(piece)
        assert piece == data[start : start + len(piece)]
    assert windows.window(5000 + 900_000) == b""
    assert windows.measure() == 900_000
    assert windows.locate(5007) == (0, 7, 4)


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
def test_constant_memory(codec):
    """A large entry, walked: what is kept of it does not depend on its size."""
    size = 16 * 1024 * 1024 if codec != "implode" else 1280 * 1024
    packed = crypt(implode_zeros(size)) if codec == "implode" else None
    made = Container(NO_EXTENSION, [Entry(b"blob", bytes(size), CODECS[codec], packed=packed, unknown_size=codec == "implode")])
    with streamsave.open(made.encode()) as events:
        next(events)  # imports the reader, which would count as memory of the first save that is read
        with Traced() as memory:
            found = [event.size for event in events if isinstance(event, BlobSkip)]
    assert found == [size]
    assert memory.peak < 1024 * 1024


def counted(data):
    """The stream, and its windows, which count."""
    events = streamsave.open(data)
    return events, events._reader


@pytest.mark.parametrize("version", [RELEASE, NO_EXTENSION])
def test_skipping_never_inflates(version):
    made = Container(version, [Entry(f"e_{index:04}".encode(), bytes(60_000), IMPLODE, unknown_size=True) for index in range(5)])
    events, reader = counted(made.encode())
    with events:
        for event in events:
            if isinstance(event, ObjectHeader):
                assert event.size == -1
                skipped = events.skip()
                assert (skipped.offset, skipped.size) == (event.offset, 0)
    assert reader.entries.inflated_chunks == 0

    events, reader = counted(made.encode())
    with events:
        offsets = []
        for event in events:
            if isinstance(event, ObjectHeader):
                offsets.append(event.offset)
                if event.instance_name != "e_0002":
                    events.skip()
        assert offsets == [0, 0, 0, 60_000, 60_000]
    assert reader.entries.inflated_chunks == 1
