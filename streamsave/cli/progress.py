"""The progress bar: how far a save is read, in inflated bytes, on standard error if that is a terminal.

There is one for the whole command. `make_reader` shows it each save that is read, whatever for: to look, to compare, to write a
new save, to check that. It comes when nothing was written to the terminal for a second, and goes before something is.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from streamsave._new_file import PREFIX
from streamsave.cli.text import clean, size_text

if TYPE_CHECKING:
    from rich.progress import Progress

    from streamsave.decode.reader import Reader
    from streamsave.input.source import Source

__all__ = ["Bar", "make_room", "progress_bar"]

#: Seconds before the bar appears.
DELAY: Final = 1.0
#: Seconds between two looks, and how many of them count. Two cursors go through a save: the furthest of them is shown. A save is
#: also read again from its start, to write the new one.
INTERVAL: Final = 0.1
LOOKS: Final = 15
#: Characters of the name of a save that are shown.
LABEL: Final = 24

_bars: Final[list[Bar]] = []


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show a bar while the command runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from streamsave.formats import watchers

    with closing(Bar(DELAY)) as bar:
        _bars.append(bar)
        watchers.append(bar.watch)
        try:
            yield
        finally:
            watchers.remove(bar.watch)
            _bars.remove(bar)


def make_room(*, for_output: bool = False) -> None:
    """Take the bar away: something will be written to the terminal.

    Args:
        for_output: results, perhaps not whole lines: the bar stays away until the next save is read, or as long as a pager shows
            them.
    """
    for bar in _bars:
        bar.make_room(for_output=for_output)


class Bar:
    """Draws how far the save is read that `watch` was given last; `close` removes it.

    Args:
        delay: seconds before it appears.
    """

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._screen = sys.stderr
        self._output = sys.stdout
        self._lock = Lock()
        self._since = monotonic()
        self._reading: tuple[Reader, Source, int | None] | None = None
        #: Where each look found the save to be read: in the inflated stream, in the file.
        self._looks: deque[tuple[int, int]] = deque(maxlen=LOOKS)
        self._is_spoiled = False
        self._shown: Progress | None = None
        self._ended = Event()
        Thread(target=self._run, daemon=True).start()

    def watch(self, reader: Reader, source: Source) -> None:
        """Show how far this reader is from now on."""
        size = source.size()
        with self._lock:
            self._reading = reader, source, size
            self._looks.clear()
            if sys.stdout is self._output:  # no pager has the screen
                self._is_spoiled = False

    def make_room(self, *, for_output: bool) -> None:
        """Go away, as `make_room` of this module says."""
        with self._lock:
            self._hide()
            self._is_spoiled |= for_output

    def close(self) -> None:
        """Remove the bar."""
        self._ended.set()
        self.make_room(for_output=True)

    def _hide(self) -> None:
        self._since = monotonic()
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _run(self) -> None:
        while not self._ended.wait(min(INTERVAL, self._delay or INTERVAL)):
            with self._lock:
                if self._reading is not None and not self._is_spoiled:
                    self._look(*self._reading)

    def _look(self, reader: Reader, source: Source, size: int | None) -> None:
        """Look how far the save is read, and draw that, unless it is too early, or nothing is read any more."""
        self._looks.append((int(reader.windows.window_offset), source.reached))
        if len(self._looks) == LOOKS and len(set(self._looks)) == 1:
            self._hide()
        if monotonic() - self._since < self._delay:
            return
        if self._shown is None:
            self._shown = self._begin()
        inflated, reached = map(max, zip(*self._looks, strict=True))
        name = os.path.basename(source.name)  # noqa: PTH119 - of a URL, too
        label = "the new save" if name.startswith(PREFIX) else clean(name)
        (task,) = self._shown.task_ids
        self._shown.update(task, description=label, inflated=size_text(inflated), total=size, completed=reached)
        self._shown.start()  # the first time only
        self._shown.refresh()

    def _begin(self) -> Progress:
        """Make the bar."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        # rich must not redirect standard output: results go there. It draws when it is told to.
        shown = Progress(
            TextColumn(
                "{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", max_width=LABEL)
            ),
            TextColumn("{task.fields[inflated]}", markup=False, table_column=Column(no_wrap=True, justify="right")),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(file=self._screen, color_system=None if os.environ.get("NO_COLOR") else "auto"),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        shown.add_task("", inflated="")
        return shown
