"""Temporary files that are locked as long as their process needs them: those that a killed one has left are known by that."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

if sys.platform != "win32":
    import fcntl

__all__ = ["lock", "make_locked", "remove_abandoned"]


def lock(file: int) -> bool:
    """Lock a file up to the end of the process, or until it is closed. Return whether no other process has locked it.

    Raises:
        OSError: the file system has no locks.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def make_locked(folder: Path, prefix: str, suffix: str) -> tuple[int, int | None, str]:
    """Make a temporary file in a folder; return a handle of it, another one that holds its lock, and its path.

    Raises:
        OSError: it cannot be made.
    """
    import tempfile  # noqa: PLC0415 - takes long, and most programs write no file

    while True:
        handle, temporary = tempfile.mkstemp(suffix, prefix, folder)
        if sys.platform == "win32":
            return handle, None, temporary  # an open file could not replace another one
        held = os.dup(handle)
        try:
            is_locked = lock(held)
        except OSError:  # without locks, no process can know that it is abandoned, and none removes it
            is_locked = True
        # Before it was locked, another process may have taken it for abandoned.
        if is_locked and os.path.lexists(temporary):
            return handle, held, temporary
        os.close(handle)
        os.close(held)


def remove_abandoned(folder: Path, pattern: str) -> None:
    """Remove files in a folder whose process has ended before it could do that. Those of other users stay.

    Windows has no such locks: there, they stay.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        for path in folder.glob(pattern):
            with suppress(OSError):
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if S_ISREG(status.st_mode) and status.st_uid == os.getuid() and lock(handle):
            path.unlink()
    finally:
        os.close(handle)
