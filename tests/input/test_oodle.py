"""Oodle, through the extra: streams of our own writer, and what the decompressor does not survive."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_runs import command_line, environment, run
from saves import file_with, read, read_to_error, told, without_chunks
from writer.gvas import SaveGame, archive, plm
from writer.oodle import BLOCK_HEADER, OODLE_DEADLY, STORED, oodle
from writer.primitives import u32
from writer.tags import BYTE, INT, Array, Prop

import streamsave
from streamsave import ChunkStart, DamagedSave, LimitExceeded, Limits, SaveEnd, TruncatedSave, UnsupportedSave
from streamsave.formats.gvas.wrappers import make_windows
from streamsave.input import oodle as oodle_module
from streamsave.input.oodle import decompress_oodle, is_oodle
from streamsave.input.source import BytesSource

pytest.importorskip("ooz", reason="the extra `oodle` is not installed")

MIB = 1 << 20


def save_of(size: int) -> bytes:
    """A save game with so many bytes in one array."""
    return SaveGame([Prop("Before", INT, 1), Prop("Bytes", Array(BYTE), bytes(size)), Prop("Behind", INT, 2)]).encode()


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 16_384, 16_385, 262_144, 262_145, 600_001])
def test_what_the_writer_makes(size):
    noise = random.Random(size).randbytes(size)
    for data in (noise, bytes(size), noise[: size // 2] + bytes(size - size // 2)):
        stream = oodle(data)
        assert is_oodle(stream)
        assert decompress_oodle(stream, size) == data


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [plm, lambda data: archive(data, pack=oodle)])
def test_wrappers(wrap):
    data = save_of(500_000)
    events = read(wrap(data))
    assert {event.codec for event in events if isinstance(event, ChunkStart)} == {"oodle"}
    assert without_chunks(events)[2:] == read(data)[2:]  # header and size of the save come from what is around it


@pytest.fixture
def started(monkeypatch):
    """The sizes that processes are started for, two for each stream."""
    sizes = []
    run = oodle_module._run
    monkeypatch.setattr(oodle_module, "_run", lambda *args: (sizes.append(args[3]), run(*args)))
    return sizes


def open_files() -> int:
    """How many files are open; 0 where the system does not list them."""
    return len([*Path("/proc/self/fd").glob("*")])


def test_passes_share_what_was_made(started):
    """As long as one of them is there; each of those that threads read has all bytes."""
    data = save_of(900_000)
    packed = plm(data)
    before = open_files()
    first = streamsave.open(packed)
    events = [next(first)]
    with ThreadPoolExecutor(4) as pool:
        others = [*pool.map(read, [packed] * 4)]
    events += first
    assert others == [events] * 4
    assert started == [len(data)] * 2
    first.close()
    del first
    assert open_files() == before
    assert read(packed) == events
    assert len(started) == 4


def test_other_streams_share_nothing(started):
    """Two saves, and one that says two sizes."""
    packed = plm(save_of(70_000))
    with streamsave.open(packed) as first:
        next(first)
        read(plm(save_of(70_001)))
        _, error = read_to_error(u32(len(save_of(70_001))) + packed[4:])
    assert isinstance(error, DamagedSave)
    assert len(started) == 5


def test_windows_that_go_back_share_it(started):
    data = random.Random(1).randbytes(3_000_000)
    windows, _ = make_windows(BytesSource(plm(data)), Limits())
    for offset in (2_900_000, 0, 2_900_000):
        window = windows.window(offset)
        assert window == data[windows.window_offset :][: len(window)]
    assert started == [len(data)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("command", ["info", "check", "salvage"])
def test_a_command_decompresses_once(corpus, started, command):
    """Each reads a world several times."""
    run(command, corpus / "gvas" / "palworld-level-plm-oodle.sav")
    assert len(started) == 2


@pytest.mark.slow
def test_73_mb_in_40_kb():
    """Honest saves are as small as that: they pass by default, and where a limit allows it."""
    data = save_of(73_000_000)
    packed = plm(data)
    assert len(data) / len(packed) > 1500
    _, error = read_to_error(packed, Limits(inflate_ratio_after=64 * MIB))
    assert isinstance(error, LimitExceeded)
    assert (error.limit, error.value, error.allowed) == ("inflate_ratio", -(-len(data) // (len(packed) - 12)), 200)
    for limits in (Limits(), Limits(inflate_ratio=2000, inflate_ratio_after=0)):
        events = read(packed, limits)
        assert events[-1] == SaveEnd(len(data))
        assert [(event.codec, event.size) for event in events if isinstance(event, ChunkStart)] == [("oodle", len(data))]
    _, error = read_to_error(packed, Limits(inflate_ratio=2000, total_inflated_size=72 * MIB // 2))
    assert isinstance(error, LimitExceeded)
    assert error.limit == "total_inflated_size"


@pytest.mark.parametrize(
    "stream", [OODLE_DEADLY, BLOCK_HEADER, BLOCK_HEADER + STORED + b"few", b"\x8c\x06" + bytes(50), oodle(bytes(99))]
)
def test_what_does_not_decompress(stream):
    """Whether the decompressor says so, or dies of it."""
    with pytest.raises(DamagedSave, match="Oodle stream does not decompress"):
        decompress_oodle(stream, 300_000)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")
def test_damage_leaves_no_file_open():
    """Not even while the error is there, which keeps what its frames refer to."""
    before = open_files()
    with pytest.raises(DamagedSave) as raised:
        decompress_oodle(OODLE_DEADLY, 300_000)
    assert open_files() == before, raised


def test_a_byte_is_no_stream():
    assert [is_oodle(oodle(b"data")[:size]) for size in range(3)] == [False, False, True]


@pytest.mark.slow
def test_a_damaged_stream_has_one_result(corpus):
    """One byte of a real stream is another: in most processes, the decompressor gives bytes that it never wrote."""
    data = bytearray((corpus / "gvas" / "palworld-level-plm-oodle.sav").read_bytes())
    data[12 + 8252] ^= 17
    assert [result[0] for result in {told(read_to_error(bytes(data))[1]) for _ in range(6)}] == ["DamagedSave"]


#: Runs a command, and prints the largest memory of it and of the processes that it has started, in KiB.
MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
MEASURE += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
MOST_MEMORY = 120 * 1024


def memory_of(path: Path, command: str) -> int:
    """The largest memory of all processes of a command, in KiB."""
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, *command_line(command, path)], env=environment(), capture_output=True, check=True
    )
    return int(ran.stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives it in KiB")
def test_one_copy_is_in_memory(tmp_path):
    """73 MB in 40 KB: of both sides and the copies that `check` had, no more than one."""
    path = file_with(tmp_path / "zeros.sav", plm(save_of(73_000_000)))
    assert 73_000_000 / 1024 < memory_of(path, "check") < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives it in KiB")
@pytest.mark.parametrize("command", ["check", "ls", "json"])
def test_memory_of_a_real_storage(corpus, command):
    assert memory_of(corpus / "gvas" / "palworld-dps-plm-1.0.sav", command) < MOST_MEMORY


def test_a_program_without_an_interpreter(monkeypatch):
    for name, value in (("executable", ""), ("frozen", True)):
        with monkeypatch.context() as patched:
            patched.setattr(sys, name, value, raising=False)
            with pytest.raises(UnsupportedSave, match="Python interpreter"):
                decompress_oodle(oodle(b"data"), 4)
    assert decompress_oodle(oodle(b"data"), 4) == b"data"


def test_a_save_that_does_not_decompress():
    data = bytearray(plm(save_of(50_000)))
    cut, error = read_to_error(bytes(data[:-1]))
    assert isinstance(error, TruncatedSave)
    data[12 : 12 + len(OODLE_DEADLY)] = OODLE_DEADLY
    seen, error = read_to_error(bytes(data))
    assert isinstance(error, DamagedSave)
    assert (error.offset, error.message) == (0, f"Oodle stream does not decompress to {len(save_of(50_000))} bytes")
    assert seen == cut
