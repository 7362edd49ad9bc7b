"""Files that appear whole, or not at all: written beside their target, and then put in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from streamsave._locked_files import make_locked, remove_abandoned
from streamsave.cli.ending import ending_well

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
        handle, held, temporary = make_locked(target.parent, PREFIX, SUFFIX)
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


def remove_abandoned_files(folder: Path) -> None:
    """Remove the temporary files in a folder whose process has ended before it could do that. Those of other users stay."""
    remove_abandoned(folder, ANY)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
