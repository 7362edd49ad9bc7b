"""A file that replaces another one when it is complete, or is not there at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from streamsave._locked_files import make_locked, remove_abandoned

__all__ = ["write_whole"]

#: The new file until it is complete is `.streamsave-new-TARGET-????????.part`, with a number for the name of the target. Other
#: commands take theirs for abandoned by another name.
PREFIX = ".streamsave-new-"
SUFFIX = ".part"
ANY = "?" * 8


def write_whole(
    target: Path, write: Callable[[BinaryIO], object], verify: Callable[[Path], None], backup: Path | None = None
) -> None:
    """Write a file beside `target`, verify it, and put it in its place. What a killed process has left of that one is removed.

    Args:
        target: appears whole, or stays as it is.
        write: writes the bytes.
        verify: reads the new file; if it raises, there is no new file.
        backup: where the old file stays, if there is one. At any moment one of the two is at `target`.

    Raises:
        OSError: it cannot be written.
    """
    prefix = f"{PREFIX}{zlib.crc32(os.fsencode(target.name)):08x}-"
    remove_abandoned(target.parent, f"{prefix}{ANY}{SUFFIX}")
    handle, held, name = make_locked(target.parent, prefix, SUFFIX)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        verify(temporary)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~current_umask())
        if backup is not None and target.exists():
            keep(target, backup)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        if held is not None:
            os.close(held)
    sync_folder(target.parent)


def keep(old: Path, backup: Path) -> None:
    """Let a file have a second name, in place of another file of that name."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=backup.parent) as folder:
        link = Path(folder) / backup.name
        try:
            link.hardlink_to(old)
        except OSError:  # the file system has no links
            shutil.copy2(old, link)
        link.replace(backup)


def current_umask() -> int:
    """Return the mask of permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
