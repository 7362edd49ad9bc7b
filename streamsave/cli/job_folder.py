"""The temporary folder of `--jobs`. None outlives its process for long, as `ending` says."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

from streamsave._ending import ending_well
from streamsave._new_file import lock

__all__ = ["job_folder"]

PREFIX: Final = "streamsave-"
LOCK: Final = "lock"


@contextmanager
def job_folder() -> Iterator[Path]:
    """Make a temporary folder, and remove it at the end. Remove what processes have left that could not do that.

    Raises:
        OSError: it cannot be made.
    """
    remove_abandoned(Path(gettempdir()))
    with ending_well(), TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / "new").open("wb") as file:
            lock(file.fileno())
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
        return lock(file.fileno())
