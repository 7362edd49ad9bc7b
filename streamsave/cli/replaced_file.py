"""Files that appear whole, or not at all: written beside their target, and then put in its place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

from streamsave.cli.ending import ending_well, lock

__all__ = ["remove_abandoned_files", "replaced"]

#: Temporary files are called `.streamsave-????????.part`.
PREFIX: Final = ".streamsave-"
SUFFIX: Final = ".part"
ANY: Final = f"{PREFIX}{'?' * 8}{SUFFIX}"


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside `target`, which replaces it at the end. If writing fails, `target` has not changed.

    An existing link is replaced, not followed. A signal that ends the process removes the temporary file.

    Raises:
        OSError: it cannot be written.
    """
    with ending_well():
        handle, held, temporary = _make_locked(target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101 - it was made private
            os.replace(temporary, target)  # noqa: PTH105 - beside the other functions of os
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108
            raise
        finally:
            if held is not None:
                os.close(held)


def _make_locked(folder: Path) -> tuple[int, int | None, str]:
    """Make a temporary file; return a handle of it, another one that holds its lock, and its name."""
    import tempfile

    while True:
        handle, temporary = tempfile.mkstemp(SUFFIX, PREFIX, folder)
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


def remove_abandoned_files(folder: Path) -> None:
    """Remove the temporary files in a folder whose process has ended before it could do that. Those of other users stay.

    Windows has no such locks: there, they stay.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        for path in folder.glob(ANY):
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
