"""The temporary folder of `--jobs`. None outlives its process for long.

| the process ends by | the folder |
|---|---|
| its work, an exception, Ctrl-C | is removed |
| SIGTERM, SIGHUP | is removed, then the signal ends the process |
| SIGKILL, a crash | is removed by the next process that makes one |

A process holds a lock on a file in its folder. The system releases the lock when the process ends, however it ends; process
numbers would not do: processes of other containers may share the folder of temporary files.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import BinaryIO, Final

if sys.platform != "win32":
    import fcntl

__all__ = ["job_folder"]

PREFIX: Final = "streamsave-"
LOCK: Final = "lock"
#: Signals that end a process; those that the platform has.
SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Ended(BaseException):
    """A signal asks the process to end."""


@contextmanager
def job_folder() -> Iterator[Path]:
    """Make a temporary folder, and remove it at the end. Remove what processes have left that could not do that.

    Raises:
        OSError: it cannot be made.
    """
    remove_abandoned(Path(gettempdir()))
    with _ending_well(), TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / "new").open("wb") as file:
            _lock(file)
            # Under its name, the file is locked from the start.
            if sys.platform != "win32":
                (folder / "new").rename(folder / LOCK)
            yield folder


def remove_abandoned(around: Path) -> None:
    """Remove the folders in a folder whose process has ended. Those of other users stay."""
    with suppress(OSError):
        for folder in around.glob(f"{PREFIX}*"):
            with suppress(OSError):
                if _is_abandoned(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    if folder.is_symlink():
        return False
    if sys.platform == "win32":
        # An open file cannot be removed.
        (folder / "new").unlink()
        return True
    if folder.lstat().st_uid != os.getuid():
        return False
    with (folder / LOCK).open("rb") as file:
        return _lock(file)


def _lock(file: BinaryIO) -> bool:
    """Lock a file up to the end of the process, or until it is closed. Return whether no other process has locked it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@contextmanager
def _ending_well() -> Iterator[None]:
    """Let signals that would end the process at once raise an exception first, so that it can clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        for each in caught:
            signal.signal(each, signal.SIG_IGN)  # cleaning up is not interrupted
        raise _Ended

    # What ignores a signal, as under `nohup`, or handles it, goes on to do that.
    caught = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
        if received:
            os.kill(os.getpid(), received[0])
