"""Oodle, through the extra `streamsave[oodle]`: `pyooz`, under the GPL, so it is no dependency.

`pyooz` decompresses only whole streams, so both sides are kept in memory, up to `Limits.total_inflated_size` and
`Limits.inflate_ratio`. Damaged streams make it corrupt its memory ("double free or corruption"), end the process, or never end.
So it runs in a process of its own, which takes some 20 ms for each stream. That process gets the time and memory that a sound
stream of its size needs, and no more.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, TruncatedSave, UnsupportedSave
from streamsave.input.source import Source
from streamsave.input.stages import FileStage, Stage
from streamsave.limits import MIB, Limits, check_limit, inflate_ratio

__all__ = ["OodleStage", "decompress_oodle", "is_oodle"]

#: The lower half of a block header; the next byte is the compressor: 6 Kraken, 10 Mermaid or Selkie, 11 LZNA, 12 Leviathan, ...
OODLE_FIRST_BYTES: Final = (0x8C, 0xCC)
#: The program of the process. Arguments: the size, the most memory, the most CPU seconds, our `sys.path`. The stream comes
#: through its standard input. Windows has no such limits, and macOS none for memory. The timer ends the process; if
#: it does not, the limit on CPU time does, which has whole seconds.
WORKER: Final = """
import os, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (2 + int(float(sys.argv[3])),) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
except (ImportError, ValueError, OSError):
    pass
sys.path[:] = sys.argv[4].split(os.pathsep)
import ooz, signal
data = sys.stdin.buffer.read()
if hasattr(signal, "setitimer"):
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[3]))
sys.stdout.buffer.write(ooz.decompress(data, int(sys.argv[1])))
"""

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
    """Decompress one whole stream to exactly `size` bytes.

    Raises:
        UnsupportedSave: the extra is not installed, or this program is no Python interpreter.
        DamagedSave: the data does not decompress to so many bytes, or not in time.
        OSError: no process can be started.
    """
    if find_spec("ooz") is None:
        raise UnsupportedSave("compressed with Oodle: install the extra, `pip install streamsave[oodle]`")
    if not sys.executable or hasattr(sys, "frozen"):
        raise UnsupportedSave("compressed with Oodle: what decompresses it needs a Python interpreter to run in")
    import subprocess  # noqa: PLC0415 - costs as much as all of this package, and few saves need it
    from tempfile import TemporaryFile  # noqa: PLC0415 - as above

    held = len(data) + size
    seconds = START_SECONDS + held * SECONDS_PER_MIB / MIB
    memory = START_MEMORY + COPIES * held
    cpu_seconds = START_CPU_SECONDS + held * CPU_SECONDS_PER_MIB / MIB
    arguments = [str(size), str(memory), str(cpu_seconds), os.pathsep.join(sys.path)]
    command = [sys.executable, "-I", "-S", "-c", WORKER, *arguments]
    with TemporaryFile() as stream:
        stream.write(data)
        stream.seek(0)
        with subprocess.Popen(command, stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - see WORKER
            # Its stub says bytes for standard error, where None comes; mypyc checks that, so the type is hidden.
            communicate: Any = process.communicate
            try:
                out: bytes = communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired:
                raise DamagedSave(f"Oodle stream does not decompress within {seconds:.0f} s") from None
            finally:
                # After Ctrl-C, too, no process is left; killing one that has ended does nothing.
                process.kill()
                process.wait()
    if process.returncode or len(out) != size:
        # Whether pyooz reports the fault or crashes depends on its memory, so both have the same error.
        raise DamagedSave(f"Oodle stream does not decompress to {size} bytes")
    return out


class OodleStage(Stage):
    """One Oodle stream from an offset to the end of the file."""

    def __init__(self, source: Source, offset: int, size: int, compressed_size: int, limits: Limits) -> None:
        super().__init__()
        self._file = FileStage(source, offset)
        self._size = size
        self._compressed_size = compressed_size
        self._limits = limits
        self._data: bytes | None = None
        self._at: int = 0

    def produce(self, size: i64) -> bytes:
        data = self._data
        if data is None:
            data = self._decompress()
            self._data = data
        piece = data[self._at : self._at + size]
        self._at += len(piece)
        return piece

    def _decompress(self) -> bytes:
        limits = self._limits
        check_limit(limits, "inflate_ratio", inflate_ratio(limits, self._size, self._compressed_size))
        pieces = []
        missing = self._compressed_size
        while missing:
            piece = self._file.read(min(missing, 1 << 20))
            if not piece:
                raise TruncatedSave(
                    "the file ends inside an Oodle stream",
                    expected=f"{self._compressed_size} bytes",
                    actual=self._compressed_size - missing,
                )
            pieces.append(piece)
            missing -= len(piece)
        if self._file.read(1):
            raise DamagedSave("bytes after the Oodle stream", expected="the end of the file", actual="more")
        return decompress_oodle(b"".join(pieces), self._size)

    def consumed(self) -> int:
        return self._compressed_size
