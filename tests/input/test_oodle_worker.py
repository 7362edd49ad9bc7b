"""The process that decompresses Oodle: inputs that end it, and inputs that it never finishes. Modules of ours replace Oodle."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from saves import read_to_error
from writer.gvas import SaveGame, plm
from writer.tags import INT, Prop

from streamsave import DamagedSave, UnsupportedSave
from streamsave.input import oodle
from streamsave.input.oodle import decompress_oodle

#: Writes down which process it is in.
WHO = "import os, pathlib, time\npathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n"
HANGS = f"{WHO}time.sleep(600)"
SOUND = "def decompress(data, size): return data[:1] * size"


@pytest.fixture
def stands_in(tmp_path, monkeypatch):
    """Let a text be the module that decompresses; gives the folder that it is in."""

    def put(text: str) -> Path:
        folder = tmp_path / "modules"
        folder.mkdir()
        (folder / "ooz.py").write_text(text)
        monkeypatch.syspath_prepend(str(folder))
        return folder

    return put


def number_of(folder: Path) -> int:
    """The number of the process, once it has written that down."""
    path = folder / "pid"
    return int(path.read_text() or 0) if path.is_file() else 0


def is_alive(number: int) -> bool:
    """Whether there is such a process, even if it has ended and is not waited for yet."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_that_does_its_work(stands_in):
    stands_in(SOUND)
    assert decompress_oodle(b"xyz", 5) == b"xxxxx"


def test_one_that_cannot_be_imported(stands_in):
    """On Windows, if a library of Microsoft is missing. It is no damage."""
    stands_in("import no_such_module")
    with pytest.raises(UnsupportedSave, match="cannot be imported"):
        decompress_oodle(b"xyz", 5)


@pytest.mark.slow
def test_one_that_hangs(stands_in, monkeypatch):
    folder = stands_in(HANGS)
    monkeypatch.setattr(oodle, "START_SECONDS", 2.0)
    with pytest.raises(DamagedSave, match="Oodle stream does not decompress within 2 s"):
        decompress_oodle(b"data", 10)
    assert number_of(folder)
    assert not is_alive(number_of(folder))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers of CPU seconds")
def test_one_that_never_ends(stands_in, monkeypatch):
    """A timer ends it for the processor's time that it took; the error is that of all data that do not decompress."""
    ended = []

    class Process(subprocess.Popen):
        def wait(self, timeout=None):
            ended.append(super().wait(timeout))
            return ended[-1]

    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(oodle, "START_SECONDS", 60.0)  # on a busy machine, it takes that time late
    folder = stands_in(f"{WHO}def decompress(data, size):\n    while True:\n        pass")
    with pytest.raises(DamagedSave, match="Oodle stream does not decompress to 10 bytes"):
        decompress_oodle(b"data", 10)
    assert ended[-1] == -signal.SIGPROF
    assert not is_alive(number_of(folder))


@pytest.mark.slow
def test_larger_streams_have_more_time(stands_in, monkeypatch):
    """The bound follows from the size: this one would be over before it starts."""
    stands_in(f"import time; time.sleep(0.5)\n{SOUND}")
    monkeypatch.setattr(oodle, "START_SECONDS", -7.0)
    assert decompress_oodle(b"z", 20 << 20) == b"z" * (20 << 20)


@pytest.mark.parametrize(
    "text",
    [
        "import os; os.abort()",
        "import os; os._exit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "raise SystemExit(0)",
        "def decompress(data, size): raise ValueError",
        "def decompress(data, size): return bytes(size - 1)",
        "def decompress(data, size): return bytes(size + 1)",
        "def decompress(data, size): return b''",
        "import os\ndef decompress(data, size): return os.urandom(size)",
        "def decompress(data, size): return str(id([])).encode()[-size:]",
        "",
    ],
)
def test_one_that_dies_or_gives_another_size_or_not_the_same_twice(stands_in, text):
    stands_in(text)
    with pytest.raises(DamagedSave, match="Oodle stream does not decompress to 10 bytes"):
        decompress_oodle(b"data", 10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds the memory of a process")
@pytest.mark.parametrize(("held", "is_allowed"), [(oodle.START_MEMORY // 4, True), (oodle.START_MEMORY + (64 << 20), False)])
def test_one_that_takes_memory(stands_in, held, is_allowed):
    """Memory that nothing is written to: to fill it takes CPU time, which is bounded, too."""
    stands_in(f"import mmap\ndef decompress(data, size):\n    held = mmap.mmap(-1, {held})\n    return bytes(size)")
    if is_allowed:
        assert decompress_oodle(b"data", 10) == bytes(10)
    else:
        with pytest.raises(DamagedSave, match="Oodle stream does not decompress to 10 bytes"):
            decompress_oodle(b"data", 10)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="MALLOC_PERTURB_ is an option of glibc")
def test_memory_that_was_not_written_is_refused(stands_in):
    """Each of the two processes fills it with another byte."""
    text = "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n"
    stands_in(text + "def decompress(data, size):\n    return ctypes.string_at(libc.malloc(size), size)\n")
    with pytest.raises(DamagedSave, match="Oodle stream does not decompress"):
        decompress_oodle(b"data", 200_000)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may have no such limit")
def test_it_has_memory_for_both_sides(stands_in):
    stands_in("import resource\ndef decompress(data, size):\n    return b'%d' % resource.getrlimit(resource.RLIMIT_AS)[0]\n")
    assert int(decompress_oodle(b"data", 9)) == oodle.START_MEMORY + oodle.COPIES * (4 + 9)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="nothing bounds the time of a process here")
def test_one_that_is_not_ended_ends_itself(stands_in):
    """As where the process that waits for it was killed."""
    folder = stands_in("while True: pass")
    command = [sys.executable, "-I", "-S", "-c", oodle.WORKER, "10", str(oodle.START_MEMORY), "1", str(folder), "0"]
    run = subprocess.run(command, input=b"data", capture_output=True, timeout=60, check=False)
    assert run.returncode in {-signal.SIGXCPU, -signal.SIGKILL}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
def test_ctrl_c_leaves_no_process(stands_in):
    folder = stands_in(HANGS)

    def interrupt(*_: object) -> None:
        if number_of(folder):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            decompress_oodle(b"data", 10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert number_of(folder)
    assert not is_alive(number_of(folder))


@pytest.mark.slow
def test_a_save_that_never_ends(stands_in, monkeypatch):
    """The error is like that of other damage: with its place."""
    stands_in(HANGS)
    monkeypatch.setattr(oodle, "START_SECONDS", 0.3)
    seen, error = read_to_error(plm(SaveGame([Prop("Number", INT, 1)]).encode()))
    assert isinstance(error, DamagedSave)
    assert (error.offset, error.chunk, error.message) == (0, 0, "Oodle stream does not decompress within 0 s")
    assert seen == []
