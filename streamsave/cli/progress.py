"""A progress bar for long reads, on standard error if that is a terminal."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final

from streamsave.cli.output import color_system

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["WatchedFile", "bar_is_wanted"]

#: Smaller files are read so fast that they need no bar.
LEAST_SIZE: Final = 8 * 1024 * 1024
#: Seconds before the bar appears, and between two updates.
DELAY: Final = 1.0
INTERVAL: Final = 0.1


def bar_is_wanted(size: int, *, summary: bool) -> bool:
    """Return whether to show a bar while a file is read.

    Args:
        size: of the file, in bytes.
        summary: the command writes nothing before its end; the output of other commands would break the bar on a terminal.
    """
    return size >= LEAST_SIZE and sys.stderr.isatty() and (summary or not sys.stdout.isatty())


class WatchedFile:
    """A binary file that shows a progress bar when reading it takes long."""

    def __init__(self, file: BinaryIO, name: str, size: int, delay: float = DELAY) -> None:
        self.name = name
        self._file = file
        self._size = size
        self._furthest = 0
        self._next_look = monotonic() + delay
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes."""
        data = self._file.read(size)
        now = monotonic()
        if now >= self._next_look:
            self._next_look = now + INTERVAL
            self._furthest = max(self._furthest, self._file.tell())
            self._show()
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a position."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file and remove the bar."""
        if self._bar is not None:
            self._bar.stop()
        self._file.close()

    def _show(self) -> None:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(binary_units=True),
                TimeRemainingColumn(),
            )
            # rich must not redirect standard output: results go there.
            self._bar = Progress(
                *columns, console=Console(stderr=True, color_system=color_system()), transient=True, redirect_stdout=False
            )
            self._task = self._bar.add_task(self.name, total=self._size)
            self._bar.start()
        self._bar.update(self._task, completed=self._furthest)
