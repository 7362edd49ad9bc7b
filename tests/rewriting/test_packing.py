"""Streams packed anew: what others unpack is what was put in."""

import gzip
import random
import struct
import threading
import zlib
from contextlib import closing

import pytest
from cursors import windows_over
from memory import Traced
from saves import VALID, chunks_of
from writer.arx import dictionary_bits
from writer.arx import implode as written

import streamsave
from streamsave import EditError, ObjectHeader
from streamsave.formats.arx.container import read_container
from streamsave.input.archive_header import HEADER_V1_SIZE, HEADER_V2_SIZE, NO_COMPRESSOR, ArchiveHeader
from streamsave.input.implode import Exploder
from streamsave.input.source import open_source
from streamsave.limits import Limits
from streamsave.rewriting.arx import LENGTH_CODES, MOST_HELD, PackedFile, files_of, imploded, pack, write_container
from streamsave.rewriting.packing import AHEAD, CHUNK_SIZE, ChunkPacker, edited, gzipped, in_threads, zlib_stream
from streamsave.rewriting.rows import Row

PIECES = [b"", b"iron" * 1000, b"", b"copper"]
WHOLE = b"".join(PIECES)


@pytest.mark.parametrize("data", [b"", b"\xff" * 200_000, random.Random(1).randbytes(131_072), WHOLE], ids=len)
def test_one_stream_has_the_very_bytes_of_zlib(data):
    assert zlib_stream(data) == zlib.compress(data, 6)
    assert zlib.decompress(zlib_stream(data, fast=True)) == data


@pytest.mark.parametrize(("flags", "more"), [(0, b""), (0x04, b"\3\0abc"), (0x08, b"name\0"), (0x10, b"said\0"), (0x02, b"\1\2")])
def test_a_gzip_member_keeps_its_time_and_system_and_no_name(flags, more):
    packed = b"".join(gzipped((b"\x1f\x8b\x08" + bytes([flags]) + b"time\2\3") + more, PIECES))
    assert packed[:10] == b"\x1f\x8b\x08\0time\2\3"
    assert gzip.decompress(packed) == WHOLE


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


# --- files become a container, and come out of it again; what is imploded is exploded again, by the bits of the format ---

FILES = {"pld": b"\0" * 400, "bread_0001": b"bread" * 1000, "empty": b"", "note": b"1", "note#2": b"2", "odd#name": b"3"}
#: Names that `note#2` and the like get.
NAMES = ["bread_0001", "empty", "note", "note", "odd#name", "pld"]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    (folder / ".streamsave-12345678.part").write_bytes(b"of another command")
    (folder / "inside").mkdir()
    return folder


def container_of(path):
    with closing(open_source(path)) as source:
        return read_container(source, Limits())


def contents(path):
    """The bytes of all entries, by their order."""
    with streamsave.open(path) as events:
        return [events.raw() for event in events if isinstance(event, ObjectHeader)]


def test_like_another_container(folder, tmp_path):
    like = container_of(VALID / "arx" / "v2.0.sav")
    names = [entry.name for entry in like.entries]
    for number, name in enumerate(names):
        (folder / name).write_bytes(b"%d" % number * 50)
    pack(files_of(folder, like.version, like), like.version, tmp_path / "new.sav")
    made = container_of(tmp_path / "new.sav")
    assert [entry.raw_name for entry in made.entries][: len(names)] == [entry.raw_name for entry in like.entries]
    assert {entry.name for entry in made.entries[len(names) :]} == {"note", "odd#name"} | set(NAMES) - set(names)
    stored = {entry.name for entry in like.entries if entry.codec == "stored"}
    assert {entry.name for entry in made.entries[: len(names)] if entry.codec == "stored"} == stored
    # Of another kind of version, only the order stays.
    (first, *_) = files_of(folder, 0x20001, like)
    assert first.name == names[0].encode()


def test_what_is_left_out(folder):
    """The old output, if it is in the folder, and what is no file; each with a reason."""
    (folder / "nowhere").symlink_to(folder / "missing")
    (folder / "link").symlink_to(folder / "pld")
    target = folder / "new.sav"
    left_out = []
    files = files_of(folder, 0x20001, target=target, left_out=left_out)
    expected = {".streamsave-12345678.part": "the unfinished file of another command", "inside": "a folder"}
    expected["nowhere"] = "a link to nothing"
    assert {path.name: reason for path, reason in left_out} == expected
    assert [file.path.name for file in files] == sorted([*FILES, "link"])
    pack(files, 0x20001, target)
    left_out = []
    assert files_of(folder, 0x20001, target=target, left_out=left_out) == files
    assert {path.name: reason for path, reason in left_out} == {**expected, "new.sav": "the old output"}


@pytest.mark.slow
@pytest.mark.parametrize(("version", "is_stored"), [(0x10001, False), (0x20001, False), (0x20001, True)])
def test_files_are_read_a_piece_at_a_time(tmp_path, version, is_stored):
    """Memory does not grow with the file."""
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.write(b"start" * 1000)
        file.truncate(5 << 19)
    with (tmp_path / "new.sav").open("w+b") as target, Traced() as memory:
        write_container([PackedFile(path, b"big", is_stored)], version, target)
    assert memory.peak < 2 << 20
    assert contents(tmp_path / "new.sav") == [path.read_bytes()]


def test_what_is_no_entry(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(EditError, match="no files"):
        files_of(tmp_path / "empty", 0x20001)
    (tmp_path / "empty" / "\u0416").write_bytes(b"")
    with pytest.raises(EditError, match="Latin-1"):
        files_of(tmp_path / "empty", 0x20001)


def test_what_is_not_sound_does_not_appear(folder, tmp_path, monkeypatch):
    finding = next(streamsave.check.check(b"nothing"))
    monkeypatch.setattr("streamsave.rewriting.verifying.check", lambda *_args, **_options: [finding])
    with pytest.raises(streamsave.SaveError):
        pack(files_of(folder, 0x20001), 0x20001, tmp_path / "new.sav")
    assert [path.name for path in tmp_path.iterdir()] == ["files"]


CHANCE = random.Random(1)
LIKE_DATA = {
    "empty": b"",
    "one": b"a",
    "all bytes": bytes(range(256)) * 2,
    "zeros": bytes(3000),
    "the longest match": b"x" * 519 + b"y" * 520,
    "far": b"abcdef" + bytes(range(250)) * 4 + b"abcdef",
    "too far": b"abcdef" + CHANCE.randbytes(2048) + b"abcdef",
    "noise": CHANCE.randbytes(3000),
}


def implode(data):
    return b"".join(imploded([data], len(data)))


@pytest.mark.parametrize("name", LIKE_DATA)
def test_there_and_back(name):
    data = LIKE_DATA[name]
    exploder = Exploder()
    assert exploder.decompress(implode(data), len(data) + 1) == data
    assert exploder.eof
    assert not exploder.unused_data
    assert implode(data) == written(data)


def test_pieces_of_more_than_is_held():
    """Matches reach back over what was left out, and not further."""
    data = b"".join(CHANCE.choice([b"abc", b"iron plate", b"x" * 600, CHANCE.randbytes(9)]) for _ in range(2000))
    assert len(data) > 4 * MOST_HELD
    made = b"".join(imploded((data[at : at + 5000] for at in range(0, len(data), 5000)), len(data)))
    assert made == implode(data) == written(data)


@pytest.mark.parametrize(("size", "bits"), [(0, 4), (32768, 4), (32769, 5), (131072, 5), (131073, 6)])
def test_the_dictionary_is_that_of_the_game(size, bits):
    assert implode(bytes(size))[:2] == bytes([0, bits])
    assert dictionary_bits(size) == bits


def test_each_length_has_a_code_of_its_own():
    assert len(set(LENGTH_CODES)) == 518
