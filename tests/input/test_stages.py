"""Layers of compression, put one on the other."""

import base64
import gzip
import random
import zlib

import pytest

from streamsave import DamagedSave, SaveError, TruncatedSave
from streamsave.input.base64_gzip import Base64GzipWindows
from streamsave.input.source import BytesSource
from streamsave.input.stages import INFLATE_ERRORS, FileStage, InflateStage, Stage, inflate_some, sound_size
from streamsave.limits import Limits

PLAIN = b"some text " * 20 + random.Random(1).randbytes(50_000)
PACKED = zlib.compress(PLAIN)


def file_stage(data: bytes, offset: int = 0) -> FileStage:
    return FileStage(BytesSource(data), offset)


def content(stage: Stage, size: int = 1000) -> bytes:
    return b"".join(iter(lambda: stage.read(size), b""))


def test_a_file_from_an_offset():
    stage = file_stage(b"head" + PLAIN, 4)
    assert stage.read(4) == b"some"
    assert stage.consumed() == 4
    assert content(stage) == PLAIN[4:]
    assert stage.consumed() == len(PLAIN)


@pytest.mark.parametrize(("stored_size", "is_wrong"), [(-1, False), (0, True), (len(PLAIN), False), (len(PLAIN) + 1, True)])
def test_the_other_size_of_stored_bytes(stored_size, is_wrong):
    """All bytes come before the fault."""
    stage = FileStage(BytesSource(PLAIN), 0, len(PLAIN), stored_size)
    given = b""
    while len(given) < len(PLAIN):
        given += stage.read(1000)
    assert given == PLAIN
    if is_wrong:
        with pytest.raises(DamagedSave, match="wrong size of the stored bytes"):
            stage.read(1000)
    else:
        assert stage.read(1000) == b""


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_zlib_in_pieces_of_any_size(size):
    plain = PLAIN if size > 1 else PLAIN[:500]
    stage = InflateStage(file_stage(zlib.compress(plain)), len(plain), len(zlib.compress(plain)))
    assert content(stage, size) == plain
    assert stage.read(size) == b""
    assert stage.consumed() == len(zlib.compress(plain))


SIZE, COMPRESSED_SIZE = len(PLAIN), len(PACKED)


@pytest.mark.parametrize("size", [99, 100, 1000])
def test_one_byte_more_than_declared_is_made_at_most(size):
    """Of a bomb, whatever is asked for."""
    stage = InflateStage(file_stage(zlib.compress(bytes(1 << 20))), 100)
    with pytest.raises(DamagedSave) as caught:
        content(stage, size)
    assert (caught.value.expected, caught.value.actual) == (100, 101)


@pytest.mark.parametrize(
    ("data", "size", "compressed_size", "kind", "message", "before"),
    [
        (PACKED, SIZE - 1, -1, DamagedSave, "zlib stream inflates to more than its declared size", SIZE - 1),
        (PACKED, SIZE + 1, -1, DamagedSave, "zlib stream inflates to less than its declared size", SIZE),
        (PACKED, -1, COMPRESSED_SIZE + 1, DamagedSave, "wrong size of a zlib stream", SIZE),
        (PACKED, -1, COMPRESSED_SIZE - 1, DamagedSave, "wrong size of a zlib stream", SIZE),
        (PACKED + b"x", SIZE, COMPRESSED_SIZE, DamagedSave, "bytes after the zlib stream", SIZE),
        (PACKED[:-5], SIZE, -1, TruncatedSave, "the file ends inside a zlib stream", None),
        (PACKED[:-1] + b"x", SIZE, -1, DamagedSave, "no sound zlib stream", None),
        (b"nothing", -1, -1, DamagedSave, "no sound zlib stream", 0),
        (b"", -1, -1, TruncatedSave, "the file ends inside a zlib stream", 0),
    ],
)
def test_a_fault_comes_after_all_bytes_before_it(data, size, compressed_size, kind, message, before):
    stage = InflateStage(file_stage(data), size, compressed_size)
    got = b""
    with pytest.raises(SaveError) as caught:
        while piece := stage.read(1000):
            got += piece
    assert (type(caught.value), caught.value.message) == (kind, message)
    assert PLAIN.startswith(got)
    assert before is None or len(got) == before


# --- one whole zlib stream; `test_chunk_table.py` has what `inflate` refuses ---


def test_the_size_of_a_sound_stream():
    packed = zlib.compress(b"x" * 1000)
    assert [sound_size(packed, most) for most in (999, 1000, 5000)] == [-1, 1000, 1000]
    assert sound_size(packed + b"more", 1000) == 1000
    assert [sound_size(bad, 1000) for bad in (packed[:-1], packed[:-1] + b"?", b"", b"text")] == [-1] * 4


def test_some_is_at_least_a_byte_and_goes_on():
    """An inflater that takes nothing and gives nothing would be asked for ever."""

    class Stuck:
        eof = False
        unconsumed_tail = b"abc"

        def decompress(self, data, most):
            return b""

    packed = zlib.compress(b"abcd")
    assert inflate_some(zlib.decompressobj(), packed, 1) == b"a"
    assert inflate_some(Stuck(), b"", 10) == b""  # the caller sees that the input has ended
    for inflater, data, most in ((zlib.decompressobj(), packed, 0), (zlib.decompressobj(), packed, -1), (Stuck(), b"abc", 1)):
        with pytest.raises(INFLATE_ERRORS, match=r"no room|no progress"):
            inflate_some(inflater, data, most)


# --- a gzip member in base64: windows of any size of input; `corpora/invalid` has what is refused ---


@pytest.mark.parametrize("size", [0, 1, 1000, 64 * 1024, 64 * 1024 + 1, 300_000])
def test_windows(size):
    data = random.Random(size).randbytes(size)
    text = base64.b64encode(gzip.compress(data, mtime=0))
    windows = Base64GzipWindows(BytesSource(b"...." + text), Limits(), 4, len(text), "code")
    assert windows.size() == size
    found = b""
    while piece := windows.window(len(found)):
        found += piece[len(found) - windows.window_offset :]
    assert found == data
    if size:
        assert windows.locate(size - 1) == (0, size - 1, 4)
        assert [(chunk.codec, chunk.size) for chunk in windows.entered] == [("gzip+base64", size)]
