"""Oodle, through the extra `streamsave[oodle]`: `pyooz`, under the GPL, so it is no dependency.

`pyooz` decompresses only whole streams, up to `Limits.total_inflated_size` and `Limits.inflate_ratio`. Damaged streams make it
corrupt its memory ("double free or corruption"), end the process, never end, or give bytes of what is beside it in memory.
So it runs in a process of its own, which gets the time and memory that a sound stream of its size needs, and no more; and it runs
twice, with memory that was filled with other bytes. Two results that differ are refused. Together that takes some 35 ms for each
stream. Results go through temporary files: one copy is in memory, that of the process. A command reads a save in several passes:
what was made for one of them, another takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock
from typing import IO, Final
from weakref import WeakValueDictionary

from streamsave._native import i64
from streamsave.errors import DamagedSave, TruncatedSave, UnsupportedSave
from streamsave.input.source import Source, gathered
from streamsave.input.stages import FileStage, Stage
from streamsave.limits import MIB, Limits, check_limit, inflate_ratio

__all__ = ["Decompressed", "OodleStage", "decompress_file", "decompress_oodle", "is_oodle"]

#: The lower half of a block header; the next byte is the compressor: 6 Kraken, 10 Mermaid or Selkie, 11 LZNA, 12 Leviathan, ...
OODLE_FIRST_BYTES: Final = (0x8C, 0xCC)
#: The program of the process. Arguments: the size, the most memory, the most CPU seconds, our `sys.path`, the byte that fills
#: memory. The stream comes through its standard input, the result goes to its standard output. Windows has no such limits, and
#: asks about a crash, or looks for a debugger, unless it is told not to; macOS has no limit on memory. The timer ends the
#: process; if it does not, the limit on CPU time does, which has whole seconds.
#: `Ooz_Decompress`, which Windows does not show, reads and writes memory of ours: what it reads before and after its stream and
#: its result, as damaged streams make it do, is known bytes and not those of other things, which are elsewhere each time.
WORKER: Final = """
import ctypes, mmap, os, signal, sys
size = int(sys.argv[1])
if os.name == "nt":
    ctypes.windll.kernel32.SetErrorMode(3)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (2 + int(float(sys.argv[3])),) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size,) * 2)
except (ImportError, ValueError, OSError):
    pass
sys.path[:] = sys.argv[4].split(os.pathsep)
try:
    import ooz
except ImportError:
    sys.exit(99)
data = sys.stdin.buffer.read()
if hasattr(signal, "setitimer"):
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[3]))
try:
    decompress = ctypes.CDLL(ooz.__file__).Ooz_Decompress
except (OSError, AttributeError):
    made = memoryview(ooz.decompress(data, size))
else:
    guard = 4 << 20
    start = guard + len(data) + guard
    room = mmap.mmap(-1, start + size + guard)
    base = ctypes.addressof(ctypes.c_char.from_buffer(room))
    if int(sys.argv[5]):
        ctypes.memset(base, int(sys.argv[5]), len(room))
    room[guard : guard + len(data)] = data
    decompress.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_size_t] * 10
    done = decompress(base + guard, len(data), base + start, size, *[0] * 10)
    made = memoryview(room)[start : start + size if done == size else start]
sys.stdout.buffer.write(made)
"""
#: The exit code of one that cannot import pyooz, as in `WORKER`.
NOT_IMPORTED: Final = 99
#: What fills the memory of the two processes, and by `MALLOC_PERTURB_` what glibc gives out; 0 leaves it as it is.
FILLS: Final = ("0", "170")
#: Bytes of the two results that are compared at a time.
PIECE_SIZE: Final = 1 << 20

#: CPU seconds that a process may take for any stream, after it has started.
START_CPU_SECONDS: Final = 0.1
#: CPU seconds for each MiB that goes in or comes out; 0.002 were measured.
CPU_SECONDS_PER_MIB: Final = 0.1
#: Seconds by the clock, for systems without a limit on CPU seconds, and for busy machines. Tests set it.
START_SECONDS: float = 5.0
SECONDS_PER_MIB: Final = 1.0
#: Bytes of memory for the interpreter and its libraries; 12 MB were measured.
START_MEMORY: Final = 512 * MIB
#: How many times both sides may be in memory: pyooz copies its result, and reading may take twice what is read.
COPIES: Final = 4


def is_oodle(data: bytes) -> bool:
    """Return whether bytes look like the start of an Oodle stream."""
    return len(data) > 1 and data[0] in OODLE_FIRST_BYTES


def decompress_oodle(data: bytes, size: int) -> bytes:
    """Decompress one whole stream to exactly `size` bytes; it raises as `Decompressed` does."""
    return Decompressed(data, size).read(0, size)


class Decompressed:
    """The bytes of one whole stream, exactly `size` of them, in a file that is closed when nothing refers to this any more."""

    def __init__(self, data: bytes, size: int) -> None:
        """Decompress.

        Raises:
            UnsupportedSave: the extra is not installed, or cannot be imported, or this program is no Python interpreter.
            DamagedSave: the data does not decompress to so many bytes, not in time, or not to the same bytes twice.
            OSError: no process can be started, or no file be written.
        """
        from tempfile import TemporaryFile  # noqa: PLC0415 - costs 10 ms, and few saves need it

        self._handle = -1
        self._lock = Lock()
        if find_spec("ooz") is None:
            raise UnsupportedSave('compressed with Oodle: install the extra, `pip install "streamsave[oodle]"`')
        if not sys.executable or hasattr(sys, "frozen"):
            raise UnsupportedSave("compressed with Oodle: what decompresses it needs a Python interpreter to run in")
        with TemporaryFile() as stream, TemporaryFile() as first, TemporaryFile() as second:
            stream.write(data)
            for fill, out in zip(FILLS, (first, second), strict=True):
                stream.seek(0)
                _run(stream, len(data), out, size, fill)
                out.seek(0)
            while piece := first.read(PIECE_SIZE):
                if piece != second.read(PIECE_SIZE):
                    raise _damaged(size)
            # A handle and no file object: the collector may free that one first, and warns of it.
            self._handle = os.dup(first.fileno())

    def read(self, offset: int, size: int) -> bytes:
        """Return up to so many bytes from an offset; none at the end. Several threads may read."""
        with self._lock:
            os.lseek(self._handle, offset, os.SEEK_SET)
            return os.read(self._handle, size)

    def __del__(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)


def _run(stream: IO[bytes], stream_size: int, out: IO[bytes], size: int, fill: str) -> None:
    """Run the process once: from one file to another."""
    import subprocess  # noqa: PLC0415 - costs as much as all of this package, and few saves need it

    held = stream_size + size
    seconds = START_SECONDS + held * SECONDS_PER_MIB / MIB
    memory = START_MEMORY + COPIES * held
    cpu_seconds = START_CPU_SECONDS + held * CPU_SECONDS_PER_MIB / MIB
    arguments = [str(size), str(memory), str(cpu_seconds), os.pathsep.join(sys.path), fill]
    command = [sys.executable, "-I", "-S", "-c", WORKER, *arguments]
    environment = {**os.environ, "MALLOC_PERTURB_": fill}
    with subprocess.Popen(command, stdin=stream, stdout=out, stderr=subprocess.DEVNULL, env=environment) as process:  # noqa: S603 - see WORKER
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise DamagedSave(f"Oodle stream does not decompress within {seconds:.0f} s") from None
        finally:
            # After Ctrl-C, too, no process is left; killing one that has ended does nothing.
            process.kill()
            process.wait()
    if process.returncode == NOT_IMPORTED:
        raise UnsupportedSave(
            "compressed with Oodle: the extra is installed, but cannot be imported; Windows needs Visual C++ Redistributable"
        )
    if process.returncode or out.seek(0, os.SEEK_END) != size:
        raise _damaged(size)


def _damaged(size: int) -> DamagedSave:
    """Return the error for all that a damaged stream may do: which of it happens depends on memory."""
    return DamagedSave(f"Oodle stream does not decompress to {size} bytes")


#: Streams that are in use: process, digest, size -> what they decompress to. After a fork, both processes would move one handle.
IN_USE: Final = WeakValueDictionary[tuple[int, bytes, int], Decompressed]()


def decompress_file(source: Source, offset: int, size: int, compressed_size: int, limits: Limits) -> Decompressed:
    """Decompress the one stream from an offset to the end of the file, unless another reader has it.

    Raises:
        LimitExceeded: it is above `Limits.inflate_ratio`.
        TruncatedSave: the file ends inside of it.
        DamagedSave: bytes follow it; or as for `Decompressed`, as the other errors.
    """
    from hashlib import sha256  # noqa: PLC0415 - few saves need it

    check_limit(limits, "inflate_ratio", inflate_ratio(limits, size, compressed_size))
    file = FileStage(source, offset)
    # Piece by piece: the header may say any size, and no such buffer is made.
    data = gathered(lambda most: file.read(min(most, MIB)), compressed_size)
    if len(data) < compressed_size:
        raise TruncatedSave("the file ends inside an Oodle stream", expected=f"{compressed_size} bytes", actual=len(data))
    if file.read(1):
        raise DamagedSave("bytes after the Oodle stream", expected="the end of the file", actual="more")
    key = os.getpid(), sha256(data).digest(), size
    made = IN_USE.get(key)
    if made is None:
        made = IN_USE[key] = Decompressed(data, size)
    return made


class OodleStage(Stage):
    """One Oodle stream up to the end of the file.

    Args:
        decompress: gives what it decompresses to, the same each time.
        compressed_size: how many bytes the stream has.
    """

    def __init__(self, decompress: Callable[[], Decompressed], compressed_size: int) -> None:
        super().__init__()
        self._decompress = decompress
        self._compressed_size = compressed_size
        self._at = 0

    def produce(self, size: i64) -> bytes:
        data = self._decompress().read(self._at, size)
        self._at += len(data)
        return data

    def consumed(self) -> int:
        return self._compressed_size
