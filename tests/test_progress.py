"""The rule of progress: each producer of bytes gives some, ends or raises; after an error, it raises the same one again."""

import base64
import gzip
import io
import random
import zipfile
import zlib
from collections.abc import Callable
from functools import cache, partial

import pytest
from saves import chunk, read_to_error
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, STORED, Container, Entry, pack
from writer.gvas import archive
from writer.oodle import oodle

from streamsave import Field, Limits, SaveError
from streamsave.decode.cursor import Cursor
from streamsave.decode.known_bytes import COMPILED
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer
from streamsave.input.arx_entries import EntryUnpacker, EntryWindows
from streamsave.input.base64_gzip import Base64GzipWindows, Base64Stage
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.forward import ForwardWindows
from streamsave.input.oodle import OodleStage, decompress_file
from streamsave.input.source import BytesSource
from streamsave.input.stages import WINDOW_BITS_GZIP, FileStage, InflateStage, Stage
from streamsave.input.unreal_archive import ArchiveStage
from streamsave.input.windows import BytesWindows, FileWindows, Windows
from streamsave.input.zip_archive import Archive, MemberStage, members_of
from streamsave.recovery.chains import Budget, places

PLAIN = b"some text " * 8_000 + random.Random(1).randbytes(80_000)
IMPLODED = pack(PLAIN, IMPLODE)
#: More calls than any of these producers needs, for a byte each.
MOST_CALLS = 1_000_000

Producer = Callable[[], bytes]


def of_stage(stage: Stage) -> Producer:
    return lambda: stage.read(5000)


def of_windows(windows: Windows) -> Producer:
    """The windows of a stream, one after the other."""
    at = 0

    def read() -> bytes:
        nonlocal at
        window = windows.window(at)
        piece = window[at - windows.window_offset :] if window else b""
        assert bool(piece) == bool(window), "the window has the byte that was asked for"
        at += len(piece)
        return piece

    return read


def entry(data: bytes, codec: int, size: int) -> tuple[BytesSource, ArxContainer]:
    """The one entry of a container, packed as it is given."""
    made = Container(
        NO_EXTENSION, [Entry(b"a", b"", codec, packed=data, claimed_size=size if size >= 0 else 0xFFFFFFFF)]
    ).encode()
    source = BytesSource(made)
    return source, read_container(source, Limits())


def unpacker(data: bytes, codec: int, size: int) -> Producer:
    source, container = entry(data, codec, size)
    return EntryUnpacker(source, container.entries[0], Limits()).read


def entry_windows(data: bytes, codec: int, size: int) -> Producer:
    source, container = entry(data, codec, size)
    windows = EntryWindows(source, Limits(), container.entries)
    windows.enter(0, 0)
    return of_windows(windows)


def zipped(method: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as written:
        written.writestr("a", PLAIN)
    return made.getvalue()


def member(data: bytes, _: int) -> Producer:
    source = BytesSource(data)
    first = next(members_of(source), None)
    return of_stage(MemberStage(source, first)) if first is not None else lambda: b""


def payload(data: bytes, _: int) -> Producer:
    source = BytesSource(data)
    return of_stage(Base64Stage(source, Base64GzipWindows(source, Limits(), 0, len(data), "code").chunks[0]))


#: name -> sound stored bytes; what reads them, given the size that they should have (-1: unknown).
PRODUCERS: dict[str, tuple[bytes, Callable[[bytes, int], Producer]]] = {
    "file": (PLAIN, lambda data, _: of_stage(FileStage(BytesSource(data), 0))),
    "zlib": (zlib.compress(PLAIN), lambda data, size: of_stage(InflateStage(FileStage(BytesSource(data), 0), size))),
    "gzip": (
        gzip.compress(PLAIN),
        lambda data, size: of_stage(InflateStage(FileStage(BytesSource(data), 0), size, window_bits=WINDOW_BITS_GZIP)),
    ),
    "zlib in zlib": (
        zlib.compress(zlib.compress(PLAIN)),
        lambda data, size: of_stage(InflateStage(InflateStage(FileStage(BytesSource(data), 0)), size)),
    ),
    "oodle": (
        oodle(PLAIN),
        lambda data, size: of_stage(
            OodleStage(cache(partial(decompress_file, BytesSource(data), 0, max(size, 0), len(data), Limits())), len(data))
        ),
    ),
    "unreal archive": (
        archive(PLAIN),
        lambda data, _: of_windows(ForwardWindows(lambda: ArchiveStage(BytesSource(data), 0, Limits()), Limits())),
    ),
    "stored member": (zipped(zipfile.ZIP_STORED), member),
    "deflated member": (zipped(zipfile.ZIP_DEFLATED), member),
    "zip": (zipped(zipfile.ZIP_DEFLATED), lambda data, _: of_windows(Archive(BytesSource(data), Limits()))),
    "stored entry": (PLAIN, lambda data, size: unpacker(data, STORED, size)),
    "deflated entry": (zlib.compress(PLAIN), lambda data, size: unpacker(data, DEFLATED, size)),
    "imploded entry": (IMPLODED, lambda data, size: unpacker(data, IMPLODE, size)),
    "entries": (IMPLODED, lambda data, size: entry_windows(data, IMPLODE, size)),
    "deflated entries": (zlib.compress(PLAIN), lambda data, size: entry_windows(data, DEFLATED, size)),
    "base64": (base64.b64encode(gzip.compress(PLAIN)), payload),
    "gzip in base64": (
        base64.b64encode(gzip.compress(PLAIN)),
        lambda data, _: of_windows(Base64GzipWindows(BytesSource(data), Limits(), 0, len(data), "code")),
    ),
    "chunks": (
        b"".join(chunk(PLAIN[at : at + 131_072]) for at in range(0, len(PLAIN), 131_072)),
        lambda data, _: of_windows(ChunkTable(BytesSource(data), 0, Limits())),
    ),
    "forward": (
        zlib.compress(PLAIN),
        lambda data, size: of_windows(ForwardWindows(lambda: InflateStage(FileStage(BytesSource(data), 0), size), Limits())),
    ),
    "file windows": (PLAIN, lambda data, _: of_windows(FileWindows(BytesSource(data)))),
    "bytes": (PLAIN, lambda data, _: of_windows(BytesWindows(data))),
}


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


#: name -> what is done to the stored bytes, and the size that they should have.
DAMAGES: dict[str, Callable[[bytes], tuple[bytes, int]]] = {
    "none": lambda data: (data, len(PLAIN)),
    "size unknown": lambda data: (data, -1),
    "size 0": lambda data: (data, 0),
    "size 1 less": lambda data: (data, len(PLAIN) - 1),
    "size 1 more": lambda data: (data, len(PLAIN) + 1),
    "a window less": lambda data: (data, len(PLAIN) - 65_536),
    "cut to half": lambda data: (data[: len(data) // 2], len(PLAIN)),
    "cut by 1": lambda data: (data[:-1], len(PLAIN)),
    "first byte": lambda data: (flipped(data, 0), len(PLAIN)),
    "middle": lambda data: (flipped(data, len(data) // 2), len(PLAIN)),
    "last byte": lambda data: (flipped(data, len(data) - 1), len(PLAIN)),
    "bytes after": lambda data: (data + b"more", len(PLAIN)),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", PRODUCERS)
def test_each_call_gives_bytes_or_ends_or_raises_and_stays_there(name, damage):
    sound, make = PRODUCERS[name]
    data, size = DAMAGES[damage](sound)
    try:
        read = make(data, size)
    except SaveError:
        return  # refused before anything is read
    ends = []
    given = 0
    for _ in range(MOST_CALLS):
        try:
            piece = read()
        except SaveError as error:
            ends.append((type(error), error.message, error.expected, error.actual))
        else:
            if piece:
                assert not ends, "bytes after the end, or after an error"
                given += len(piece)
                assert given <= max(len(PLAIN), len(data)) + 1
                continue
            ends.append(())
        if len(ends) == 4:
            break
    assert len(ends) == 4
    assert len(set(ends)) == 1
    if damage == "none" and name != "oodle":  # without its extra, it is refused
        assert ends[0] == ()
        assert given == len(sound if name in {"file", "file windows", "bytes"} else PLAIN) or name == "base64"


@pytest.mark.parametrize("size", [0, -1])
def test_a_stage_is_never_asked_for_nothing(size):
    assert InflateStage(FileStage(BytesSource(zlib.compress(bytes(1000))), 0)).read(size) == b"\0"


@pytest.mark.skipif(COMPILED, reason="the classes of the tests cannot be subclasses of compiled ones")
@pytest.mark.parametrize("shift", [-200, -100, 1, 100])
def test_windows_without_the_byte_that_was_asked_for(shift):
    """A loop over windows ends, whatever they give."""

    class Hostile(Windows):
        def window(self, offset: int) -> bytes:
            self.window_offset = offset + shift
            return bytes(100)

        def locate(self, offset: int) -> None:
            return None

    cursor = Cursor(Hostile(), Limits())
    with pytest.raises(SaveError):
        cursor.u8()
    with pytest.raises(SaveError):
        cursor.take(1000)
    assert cursor.peek(10) == b""
    assert list(places(Hostile(), lambda data: iter(range(len(data))), 1000, 2000, Budget(1000), 1)) == []


@pytest.mark.parametrize("codec", [IMPLODE, DEFLATED, STORED])
@pytest.mark.parametrize("surplus", [1, 100])
def test_sparse_arx_gives_no_field_after_the_fault(codec, surplus):
    """A look ahead passes over a fault: the rows after it are not given."""
    data = bytes(range(1, 200)) * 3
    made = Container(NO_EXTENSION, [Entry(b"pld", data[:396], codec, packed=pack(data[: 396 + surplus], codec))]).encode()
    (plain, error), (sparse, sparse_error) = read_to_error(made), read_to_error(made, sparse=True)
    assert error is not None
    assert sparse_error is not None
    assert (type(error), error.offset, error.message) == (type(sparse_error), sparse_error.offset, sparse_error.message)
    assert [event for event in sparse if isinstance(event, Field)] == [event for event in plain if isinstance(event, Field)]
