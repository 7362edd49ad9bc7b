"""The contract of errors, for every format: any bytes, fed in any way, cut or damaged anywhere; sources that misbehave.

`HYPOTHESIS_PROFILE=thorough` looks at every byte (see `profiles`).
"""

import gzip
import io
import random
import zlib
from collections.abc import Iterable, Iterator

import pytest
from contract import INSIDES, SAMPLES, SHAPES, assert_tells, build_to_error, flipped
from feeding import FEEDS, FEW_FEEDS, Broken, BrokenPieces, BrokenSeekable, Liar
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples, some
from saves import read, read_to_error, told
from tiling import assert_tiled

import streamsave
from streamsave import BlobSkip, Event, Limits, SaveEnd, SaveError, SaveStart, StaleEvent, TruncatedSave, UnsupportedSave

samples = pytest.mark.parametrize("name", SAMPLES)
shapes = pytest.mark.parametrize("name", SHAPES)
insides = pytest.mark.parametrize("name", INSIDES)

NO_FORMAT = "no known format starts like this"


def assert_contract(damaged: bytes) -> tuple[list[Event], SaveError | None]:
    """An error that says what it must, or a save all of whose bytes are accounted for."""
    seen, error = read_to_error(damaged)
    if error is not None:
        assert_tells(error, seen)
        assert not isinstance(seen[-1] if seen else None, SaveEnd)
    else:
        assert isinstance(seen[-1], SaveEnd)
        assert_tiled(seen, seen[-1].offset)
    return seen, error


@samples
def test_the_same_events_however_fed(name):
    data = SAMPLES[name]
    whole = read(data)
    for kind, feed in (FEEDS if name in SHAPES else FEW_FEEDS).items():
        assert read(feed(data)) == whole, kind


@pytest.mark.slow
@samples
def test_the_same_error_however_fed(name):
    """Cut here, a bit flipped there: the same events, and the same error to its last field."""
    data = SAMPLES[name]
    draw = random.Random(name)
    broken = [data[: draw.randrange(len(data))]]
    broken += [flipped(data, draw.randrange(len(data)), 1 << draw.randrange(8)) for _ in range(2 if name in SHAPES else 1)]
    for damaged in broken:
        seen, error = read_to_error(damaged)
        for kind, feed in FEW_FEEDS.items():
            again, same = read_to_error(feed(damaged))
            assert (again, told(same)) == (seen, told(error)), kind


#: Nothing marks a configuration of a blueprint: it is one if all of it reads like one, and what is cut does not.
UNMARKED = ".sbpcfg"
#: Containers that do not start with anything that looks like an entry: without their table, it is unknown what they are.
TABLE_ONLY = ("arx/v1.0.sav", "arx/v1.1-gaps.sav", "arx/v2.1.sav")


def whole_from(name: str) -> int:
    """From how many bytes on a sample has all of its save; what is after it belongs to something else.

    | in | what follows |
    |---|---|
    | an Arx container | bytes of a table that was longer |
    | a zip archive with a save of Astroneer | the directory: the save is read forward, by its local header |
    | settings of a server | four bytes, of any number |
    """
    data = SAMPLES[name]
    if name == "gvas/server-settings.sav":
        return len(data) - 4
    if name.startswith("arx/"):
        return len(data) - read(data)[0].header.stale_size
    if name == "astroneer/stream.zip":
        return data.index(b"PK\7\x08") + 8
    return data.index(b"PK\1\2") if name.startswith("astroneer/") and name.endswith(".zip") else len(data)


#: Sizes at which a shorter file is a save of its own, too.
LEGAL_CUTS = {
    # Archives follow each other, and nothing says how many there are.
    "gvas/wrapper-archive-2.sav": 325,
    # A player's handle may have three bytes less: the file does not say which one it has.
    "satisfactory/v6.sbpcfg": 109,
}


@samples
def test_cut_anywhere(name):
    data = SAMPLES[name]
    full = read(data)
    table_offset = full[0].header.table_offset if name in TABLE_ONLY else 0
    for size in (*some(0, whole_from(name), 150 if name in SHAPES else 30), 1, 3):
        if size == LEGAL_CUTS.get(name):
            assert isinstance(read(data[:size])[-1], SaveEnd)
            continue
        seen, error = assert_contract(data[:size])
        if size >= 12 and (name.endswith(UNMARKED) or size < table_offset + 4):
            assert isinstance(error, UnsupportedSave | TruncatedSave)
            # A configuration that is cut after its colour is known for one.
            assert (name.endswith(".sbpcfg") and isinstance(error, TruncatedSave)) or error.message == NO_FORMAT, size
        else:
            assert isinstance(error, TruncatedSave), (size, error)
        assert seen == full[: len(seen)], size
    for size in some(whole_from(name), len(data), 20):
        assert isinstance(read(data[:size])[-1], SaveEnd)


@insides
def test_cut_inside(name):
    """The wrapper is whole, what is inside is not. Sizes that the wrapper gives are those of what is left."""
    inside = INSIDES[name]
    full = read(inside.wrap(inside.data))
    is_stream = name.split(",")[0] in {"astroneer", "gvas", "satisfactory"}
    for size in some(0, len(inside.data), 600 if len(inside.data) < 1000 else 20):
        seen, error = assert_contract(inside.wrap(inside.data[:size]))
        if is_stream:
            assert isinstance(error, TruncatedSave), (size, error)
            assert [(type(event), event.offset) for event in seen] == [(type(event), event.offset) for event in full[: len(seen)]]


@samples
def test_flipped_anywhere(name):
    data = SAMPLES[name]
    for at in some(0, len(data), 6 if name not in SHAPES else 60 if len(data) < 2000 else 15):
        assert_contract(flipped(data, at, 1 << at % 8))


@pytest.mark.slow
@insides
def test_flipped_inside(name):
    """What can be read can be built."""
    inside = INSIDES[name]
    for at in some(0, len(inside.data), 80 if len(inside.data) < 10_000 else 20):
        damaged = inside.wrap(flipped(inside.data, at, (0x01, 0x80, 0xFF)[at % 3]))
        assert_contract(damaged)
        error = build_to_error(damaged)
        assert error is None or error.message


@pytest.mark.slow
@examples(100)
@given(st.sampled_from(list(INSIDES)), st.data())
def test_any_damage_inside(name, data):
    inside = INSIDES[name]
    damaged = bytearray(inside.data)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(damaged) - 1, 0)))
        damaged[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    made = inside.wrap(bytes(damaged))
    assert_contract(made)
    build_to_error(made)


@examples(100)
@given(st.sampled_from(SHAPES), st.integers(0, 64), st.binary(max_size=200))
def test_any_bytes(name, kept, rest):
    """After as much of the start of a save as it takes to be looked at."""
    assert_contract(SAMPLES[name][:kept] + rest)


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html>\n<html><body>404</body></html>", b'{"error": "not found"}', b"PK\5\6" + bytes(18), bytes(1000)]
)
def test_no_save_at_all(page):
    _, error = assert_contract(page)
    assert isinstance(error, (UnsupportedSave, TruncatedSave))


@shapes
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_packed_once_more(name, pack):
    """Save games may be packed so; nothing else."""
    data = SAMPLES[name]
    seen, error = assert_contract(pack(data))
    if data.startswith(b"GVAS"):
        assert isinstance(seen[-1], SaveEnd)
    else:
        assert isinstance(error, UnsupportedSave)
        assert error.message == NO_FORMAT


def takes_more(name: str) -> bool:
    """Return whether a save with bytes after it is sound: they are reported, except where they belong to another file."""
    raw = SAMPLES[name].startswith(b"GVAS")
    return raw or name == "gvas/wrapper-gswu.sav" or name.startswith("arx/") or name == "astroneer/deflated.zip"


@shapes
@pytest.mark.parametrize("more", ["zeros", "a byte", "the same again"])
def test_bytes_after_the_end(name, more):
    data = SAMPLES[name]
    behind = {"zeros": bytes(100), "a byte": b"\n", "the same again": data}[more]
    seen, error = assert_contract(data + behind)
    if name == "gvas/wrapper-archive-2.sav" and more == "the same again":
        assert error is None  # archives follow each other
        return
    if error is not None:
        assert not takes_more(name)
    elif name.startswith("arx/"):
        assert seen[0].header.stale_size == read(data)[0].header.stale_size + len(behind)
    elif name.endswith("spz2bp"):
        assert not behind.strip()  # white space is no fault
    elif not name.endswith(".zip"):
        assert seen[-2] == BlobSkip(seen[-2].offset, len(behind), seen[-2].reason)
        assert seen[-2].reason.startswith("bytes after the save")


@shapes
def test_without_end(name):
    """Whatever comes after a save, if it never ends it meets a limit: nothing hangs, and nothing is kept for ever."""

    def endless() -> Iterator[bytes]:
        yield SAMPLES[name]
        while True:
            yield bytes(1 << 16)

    _, error = read_to_error(endless(), Limits(total_inflated_size=1 << 20))
    assert error is not None or name == "astroneer/deflated.zip"  # where bytes after the save are not read


sources = pytest.mark.parametrize("make", [Broken, BrokenSeekable, BrokenPieces])

FAULTS: list[BaseException] = [
    OSError(5, "I/O"),
    zlib.error("not ours"),
    EOFError(),
    KeyError("k"),
    IndexError(),
    UnicodeDecodeError("utf-8", b"", 0, 1, ""),
    MemoryError(),
    RecursionError(),
    OverflowError(),
    AssertionError(),
    KeyboardInterrupt(),
    GeneratorExit(),
]


def drain(source: object, expected: type[BaseException]) -> BaseException | None:
    """Read until it raises; asked again, it raises the same."""
    try:
        events = streamsave.open(source)
    except expected as error:
        return error
    with events:
        first = fault_of(events, expected)
        assert first is None or fault_of(events, expected) is first
    return first


def fault_of(events: Iterable[Event], expected: type[BaseException]) -> BaseException | None:
    try:
        for _ in events:
            pass
    except expected as error:
        return error
    return None


@sources
@shapes
def test_what_the_source_raises_passes_unchanged(name, make):
    data = SAMPLES[name]
    for at in range(40):
        fault = FAULTS[at % len(FAULTS)]
        source = make(data, at, fault, max(len(data) // 10, 20))
        error = drain(source, type(fault))
        assert error is (fault if source.was_asked else None), at
        fault.__traceback__ = None
        if error is None:
            break
    assert at > 2


@sources
@shapes
@pytest.mark.parametrize("answer", [None, "text", 7])
def test_what_is_no_bytes(name, make, answer):
    for at in (0, 1, 2, 5):
        source = make(SAMPLES[name], at, answer, max(len(SAMPLES[name]) // 10, 20))
        error = drain(source, TypeError)
        assert (error is not None) == source.was_asked
        if error is not None:
            assert f"gave {type(answer).__name__}, not bytes" in str(error)


@pytest.mark.parametrize("make", [Broken, BrokenSeekable])
@shapes
def test_more_bytes_than_asked_for(name, make):
    for at in (0, 1, 2, 5):
        source = make(SAMPLES[name], at, lambda size: bytes(size + 1), max(len(SAMPLES[name]) // 10, 20))
        assert (drain(source, OSError) is not None) == source.was_asked


@shapes
def test_a_seek_that_lies(name):
    """A caller that seeks finds out, also by asking for the size."""
    liar = Liar(SAMPLES[name], 1 << 30, None, 1 << 20)
    assert (drain(liar, OSError) is not None) == liar.lied


@shapes
def test_a_file_that_is_closed_meanwhile(name):
    file = io.BytesIO(SAMPLES[name])
    with streamsave.open(file) as events:
        assert isinstance(next(events), SaveStart)
        file.close()
        error = fault_of(events, ValueError)
        assert error is None or "closed file" in str(error)
        assert not isinstance(error, SaveError)
        assert fault_of(events, ValueError) is error


@shapes
def test_nothing_is_read_after_close(name):
    data = SAMPLES[name]
    source = Broken(data, 1 << 30, None, max(len(data) // 10, 20))
    with streamsave.open(source) as events:
        next(events)
    left = source.left
    with pytest.raises(StaleEvent):
        next(events)
    assert source.left == left
