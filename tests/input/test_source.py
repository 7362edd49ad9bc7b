"""Every kind of input, who closes it, and what becomes of one that misbehaves.

The file is long because each kind of source has its own cases.
"""

import io
import os
import random
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from cli_runs import command_line, environment
from feeding import FEEDS, OnlyRead, Slow, pieces
from saves import SATISFACTORY, VALID, chunks_of, file_with, read, read_to_error, told, without_chunks
from writer.gvas import SaveGame
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.tags import BYTE, STR, Array, Prop

import streamsave
from streamsave import LimitExceeded, Limits, ObjectHeader
from streamsave.check import check
from streamsave.input.source import PIECE_SIZE, SPOOL_IN_MEMORY, BytesSource, FileSource, ForwardSource, Source, open_source

SAMPLE_PATH = SATISFACTORY / "sv52.sav"
SAMPLE = SAMPLE_PATH.read_bytes()
NOISE = random.Random(1).randbytes(5 * PIECE_SIZE + 123)


KINDS: dict[str, Callable[[bytes, Path], Any]] = {
    "path": lambda _data, path: path,
    "str": lambda _data, path: str(path),
    **{kind: lambda data, _path, feed=feed: feed(data) for kind, feed in FEEDS.items()},
}

kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def opened(kind: str, tmp_path: Path) -> Iterator[Source]:
    """The noise as a source of each kind."""
    source = open_source(KINDS[kind](NOISE, file_with(tmp_path / "noise.bin", NOISE)))
    yield source
    source.close()


@kinds
def test_reads_at_any_offset(opened):
    """Forward, back into what was spooled, across the border of the two, to the end and past it."""
    draw = random.Random(2)
    places = [(0, 10), (5, 20), (PIECE_SIZE, 100), (0, 3), (0, len(NOISE)), (len(NOISE) - 5, 100), (len(NOISE), 5)]
    places += [(draw.randrange(len(NOISE) + 10), draw.choice([1, 100, PIECE_SIZE, 4 * PIECE_SIZE])) for _ in range(50)]
    for offset, size in places:
        assert opened.read_at(offset, size) == NOISE[offset : offset + size], (offset, size)
    assert opened.size() == len(NOISE)


# --- who closes what ---


def test_a_path_is_closed(tmp_path):
    path = file_with(tmp_path / "noise.bin", NOISE)
    source = open_source(path)
    assert isinstance(source, FileSource)
    assert source.name == str(path)
    source.close()
    with pytest.raises(ValueError, match="closed file"):
        source.read_at(0, 1)


def test_a_path_is_closed_by_the_stream():
    """A file left open would be a ResourceWarning, and warnings are errors."""
    with streamsave.open(SAMPLE_PATH) as events:
        next(events)
        file = events._source._file
    assert file.closed


@pytest.mark.parametrize("make", [io.BytesIO, Slow])
def test_a_file_object_stays_open(make):
    file = make(SAMPLE)
    read(file)
    assert not file.closed


def test_a_file_object_that_cannot_seek_stays_open():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        thread = threading.Thread(target=write_all, args=(writer, SAMPLE))
        thread.start()
        assert read(pipe) == read(SAMPLE)
        thread.join()
        assert not pipe.closed


def test_a_file_object_starts_where_it_is():
    file = io.BytesIO(b"in front" + SAMPLE)
    file.seek(8)
    assert read(file) == read(SAMPLE)
    other = io.BytesIO(b"in front" + NOISE)
    other.seek(8)
    source = open_source(other)
    assert source.size() == len(NOISE)
    assert source.read_at(0, 10) == NOISE[:10]


def test_a_file_object_may_be_moved_between_reads():
    file = io.BytesIO(NOISE)
    source = open_source(file)
    assert source.read_at(100, 10) == NOISE[100:110]
    assert source.size() == len(NOISE)
    assert source.read_at(110, 10) == NOISE[110:120]
    file.seek(3)
    assert source.read_at(120, 10) == NOISE[120:130]


def test_two_streams_of_one_file_object():
    """Each reads its own bytes: not those that come after what the other has read."""
    thing = Object("/Game/A.A_C", "Persistent_Level:PersistentLevel.A_C_1", (Prop("mNoise", Array(BYTE), NOISE),))
    data = save_bytes(World(release_header(52), objects=[thing]))
    file = io.BytesIO(data)
    with streamsave.open(file) as one:
        file.seek(0)
        with streamsave.open(file) as other:
            assert list(zip(one, other, strict=True)) == [(event, event) for event in read(data)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_and_closed(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=(SAMPLE,))
    thread.start()
    with streamsave.open(path) as events:
        assert list(events) == read(SAMPLE)
        file = events._source._file
    thread.join()
    assert file.closed


# --- spooling ---


def test_a_large_spool_is_a_temporary_file():
    source = ForwardSource((bytes([number]) * PIECE_SIZE for number in range(40)), "<pieces>")
    source.read_at(39 * PIECE_SIZE, 10)
    assert source._spool is not None
    assert source._tail_offset > SPOOL_IN_MEMORY
    assert source.read_at(3 * PIECE_SIZE - 1, 2) == b"\x02\x03"
    source.close()


def test_a_reader_that_never_goes_back_needs_no_spool():
    source = ForwardSource(pieces(NOISE, 1000), "<pieces>")
    source.forget()
    assert b"".join(source.read_at(at, 1000) for at in range(0, len(NOISE), 1000)) == NOISE
    assert source._spool is None
    with pytest.raises(OSError, match="cannot go back to 0"):
        source.read_at(0, 1)


def test_closing_without_a_spool():
    for source in (BytesSource(b""), ForwardSource(iter([b"a"]), "<pieces>"), open_source(io.BytesIO())):
        source.close()


# --- the limit of the spool ---


class Written:
    """Counts the bytes that are written to spools."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.size = 0
        make = tempfile.SpooledTemporaryFile

        def counted(*args: Any, **options: Any) -> Any:
            spool = make(*args, **options)
            write = spool.write

            def count(data: bytes) -> int:
                self.size += len(data)
                return write(data)

            spool.write = count
            return spool

        monkeypatch.setattr(tempfile, "SpooledTemporaryFile", counted)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    """The bytes that the test writes to spools."""
    return Written(monkeypatch)


def upload(head: bytes, given: list[int]) -> Iterator[bytes]:
    """Something that a stranger sends for ever; `given` has the sizes of what was taken."""
    for piece in chain([head], repeat(bytes(PIECE_SIZE))):
        given.append(len(piece))
        yield piece


def refused(source: Any, limits: Limits, way: Callable[..., Any] = streamsave.open) -> LimitExceeded:
    """The error of a stream that needs a larger spool."""
    with pytest.raises(LimitExceeded) as caught, closing(way(source, limits=limits)) as events:
        list(events)
    assert (caught.value.limit, caught.value.allowed) == ("spool_size", limits.spool_size)
    assert caught.value.value > limits.spool_size
    return caught.value


def test_a_table_after_the_spool_is_refused_before_it_is_looked_for(written):
    """The first number of a container of Arx says where its table is."""
    given: list[int] = []
    error = refused(upload((848 << 20).to_bytes(4, "little") + b"\1" + bytes(59), given), Limits())
    assert error.value == error.offset == (848 << 20) + 4
    assert sum(given) <= SPOOL_IN_MEMORY + PIECE_SIZE
    assert written.size == 0


@pytest.mark.parametrize("size", [10, 1000, SPOOL_IN_MEMORY - 1, SPOOL_IN_MEMORY])
@pytest.mark.parametrize("piece", [999, 2 * SPOOL_IN_MEMORY])
def test_input_that_ends_in_memory_needs_no_spool(size, piece, written):
    """Whatever offsets it names: the same error as that of a file."""
    data = (848 << 20).to_bytes(4, "little") + b"\1" + bytes(size - 5)
    _, error = read_to_error(pieces(data, piece))
    assert isinstance(error, LimitExceeded) == (size >= SPOOL_IN_MEMORY)
    if size < SPOOL_IN_MEMORY:
        assert told(error) == told(read_to_error(data)[1])
    assert written.size == 0


@pytest.mark.parametrize("head", [b"PK\3\4", (100).to_bytes(4, "little") + b"\1"], ids=["zip", "arx"])
@pytest.mark.parametrize("way", [streamsave.open, check])
def test_what_never_ends_is_spooled_up_to_the_limit(head, way, written):
    """The directory of an archive is at its end. A whole table of Arx is before the end, but bytes after it are counted."""
    data = head if head[0] == ord("P") else (VALID / "arx" / "v2.1.sav").read_bytes()
    given: list[int] = []
    limits = Limits(spool_size=5 << 20)
    if way is check:
        finding = list(check(upload(data, given), limits=limits))[-1]
        assert (finding.kind, finding.error.limit) == ("undecodable", "spool_size")
    else:
        refused(upload(data, given), limits)
    assert 4 << 20 < written.size <= 5 << 20
    assert sum(given) < 6 << 20


def test_a_save_that_is_read_forward_needs_no_spool(written):
    """But where it is read twice."""
    data = SaveGame([Prop("Bytes", Array(BYTE), bytes(300_000))]).encode()
    assert read(pieces(data, 999), Limits(spool_size=0)) == read(data)
    assert written.size == 0
    findings = list(check(pieces(data, 999), limits=Limits(spool_size=200_000)))
    assert [finding.error.limit for finding in findings if finding.error] == ["spool_size"]
    assert not [finding for finding in check(pieces(data, 999)) if finding.error]


def test_ways_that_read_twice_are_bounded(tmp_path):
    data = big_save()
    limits = Limits(spool_size=100_000)
    refused(pieces(data, 999), limits, partial(streamsave.rewrite, target=tmp_path / "new.sav"))
    refused(pieces(data, 999), limits, streamsave.cut)
    result = subprocess.run(
        [*command_line("ls", "-", "--limit", "spool_size=100K")], input=data, env=environment(), capture_output=True, check=False
    )
    assert result.returncode == 2
    assert b"spool_size = 102400; --limit spool_size=" in result.stderr


# --- events come before the end of the input ---


def write_all(fd: int, data: bytes) -> None:
    with os.fdopen(fd, "wb") as out:
        out.write(data)


def big_save() -> bytes:
    """Many chunks: small objects, then one that is most of the save."""
    many = [Object("/Script/Oracle.Many", f"Many{number}", [Prop("mStr", STR, "x" * 900)]) for number in range(400)]
    fog = Object("/Script/Oracle.Fog", "Fog", [Prop("mFog", Array(BYTE), NOISE * 4)])
    return save_bytes(World(release_header(52), objects=[*many, fog]))


def test_first_events_of_a_pipe_come_before_its_end():
    """The second half is written only when events of the first have come: a reader that reads ahead to the end hangs."""
    data = big_save()
    half = chunks_of(data)[4].offset
    assert half < len(data) // 2
    reader, writer = os.pipe()
    go_on = threading.Event()
    came_in_time = []

    def feed() -> None:
        with os.fdopen(writer, "wb", buffering=0) as out:
            out.write(data[:half])
            came_in_time.append(go_on.wait(timeout=60))
            for piece in pieces(data[half:], 4096):
                out.write(piece)

    thread = threading.Thread(target=feed)
    thread.start()
    seen = []
    with os.fdopen(reader, "rb", buffering=0) as pipe, streamsave.open(pipe) as events:
        for event in events:
            seen.append(event)
            if isinstance(event, ObjectHeader):
                go_on.set()
    thread.join()
    assert came_in_time == [True]
    assert without_chunks(seen) == without_chunks(read(data))


# --- sources that misbehave ---


def test_a_text_file():
    """Some bytes are no text: it is an error before any is read, or it would look like a fault of the save."""
    with pytest.raises(TypeError, match="is needed, not StringIO"):
        streamsave.open(io.StringIO("no bytes at all"))
    with SAMPLE_PATH.open(encoding="utf-8") as file, pytest.raises(TypeError, match="is needed, not TextIOWrapper"):
        streamsave.open(file)


def test_no_kind_of_source():
    for wrong in (42, None, 1.5, object()):
        with pytest.raises(TypeError, match=f"is needed, not {type(wrong).__name__}"):
            open_source(wrong)


def test_names_say_what_is_read(tmp_path):
    path = file_with(tmp_path / "x.sav", b"x")
    assert open_source(b"abc").name == "<3 bytes>"
    assert open_source(OnlyRead(b"")).name == "<OnlyRead>"
    assert open_source(iter([b""])).name.startswith("<list")
    with path.open("rb") as file:
        assert open_source(file).name == str(path)


# --- the size of what cannot seek ---


@pytest.mark.parametrize("forgets", [False, True])
def test_the_size_of_a_pipe_up_to_a_place(forgets):
    """Bytes that were not read yet are kept, whether the reader goes back or not."""
    pieces = [bytes([number]) * 1000 for number in range(200)]
    source = open_source(iter(pieces))
    data = b"".join(pieces)
    assert source.read_at(5000, 10) == data[5000:5010]
    if forgets:
        source.forget()
    assert source.size_up_to(1) >= 1
    assert source.size() is None
    assert 150_000 <= source.size_up_to(150_000) < len(data)
    assert source.read_at(5010, 100_000) == data[5010:105_010]
    assert source.size_up_to(len(data) + 1) == len(data)
    assert source.size_up_to(10) == len(data)
    assert source.read_at(105_010, len(data)) == data[105_010:]
    if not forgets:
        assert source.read_at(0, 10) == data[:10]
    source.close()


def test_the_size_of_other_sources():
    assert open_source(b"abc").size_up_to(2) == 3

    class Unknown(Source):
        def read_at(self, offset: int, size: int) -> bytes:
            return b"abc"[offset : offset + size]

        def size(self) -> int | None:
            return None

    assert Unknown().size_up_to(2) == 2
    assert Unknown().size_up_to(4) == 0
