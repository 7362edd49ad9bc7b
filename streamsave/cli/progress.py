"""The progress bar: how far a save is read, in inflated bytes, on standard error if that is a terminal.

There is one for the whole command. `make_reader` shows it each save that is read, whatever for: to look, to compare, to write a
new save, to check that. What reads without a reader, or in other processes, calls `follow`. The bar comes when nothing was
written to the terminal for a second, and goes before something is.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from streamsave._new_file import ENDING, PREFIX
from streamsave.cli.text import clean, size_text

if TYPE_CHECKING:
    from rich.progress import Progress

    from streamsave.decode.reader import Reader
    from streamsave.input.source import Source

__all__ = ["Bar", "Work", "follow", "is_shown", "make_room", "progress_bar", "work_on"]

#: Seconds before the bar appears.
DELAY: Final = 1.0
#: Seconds between two looks, and how many of them count. Two cursors go through a save: the furthest of them is shown. A save is
#: also read again from its start, to write the new one.
INTERVAL: Final = 0.1
LOOKS: Final = 15
#: Characters of the name of a save that are shown.
LABEL: Final = 24

_bars: Final[list[Bar]] = []


class Work(NamedTuple):
    """What takes long."""

    #: The name of a save, or what is done.
    label: str
    #: Bytes of all that is read; None: nobody knows.
    size: int | None
    #: Returns what was made (such as inflated bytes), and bytes that were read.
    position: Callable[[], tuple[int, int]]
    #: What was made, as a text.
    text: Callable[[int], str] = size_text
    #: Nothing may change for long; without it, the bar goes if nothing does.
    is_slow: bool = False


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show a bar while the command runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from streamsave.formats import watcher

    with closing(Bar(DELAY)) as bar:
        _bars.append(bar)
        token = watcher.set(bar.watch)
        try:
            yield
        finally:
            watcher.reset(token)
            _bars.remove(bar)


def work_on(source: Source, made: Callable[[], int]) -> Work:
    """Return the reading of a save; `made` returns how many inflated bytes were made of it."""
    name = os.path.basename(source.name)  # noqa: PTH119 - of a URL, too
    label = "the new save" if name.startswith(PREFIX) else clean(name)
    return Work(label, source.size(), lambda: (made(), source.reached))


def is_shown() -> bool:
    """Return whether there is a bar, now or later."""
    return bool(_bars)


def follow(work: Work | None) -> None:
    """Show how far this is from now on; None: nothing."""
    for bar in _bars:
        bar.follow(work)


def make_room(*, for_output: bool = False) -> None:
    """Take the bar away: something will be written to the terminal.

    Args:
        for_output: results, perhaps not whole lines: the bar stays away until the next save is read, or as long as a pager shows
            them.
    """
    for bar in _bars:
        bar.make_room(for_output=for_output)


class Bar:
    """Draws how far that is which `watch` or `follow` was given last; `close` removes it.

    Args:
        delay: seconds before it appears.
    """

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._screen = sys.stderr
        self._output = sys.stdout
        self._lock = Lock()
        self._since = monotonic()
        self._work: Work | None = None
        #: What each look found: what was made, and read.
        self._looks: deque[tuple[int, int]] = deque(maxlen=LOOKS)
        self._is_spoiled = False
        self._shown: Progress | None = None
        self._ended = Event()
        Thread(target=self._run, daemon=True).start()

    def watch(self, reader: Reader, source: Source) -> None:
        """Show how far this reader is from now on."""
        self.follow(work_on(source, lambda: int(reader.windows.window_offset)))

    def follow(self, work: Work | None) -> None:
        """Show how far this is from now on; None: nothing."""
        with self._lock:
            if work is None:
                self._hide()
            self._work = work
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
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # they are for the main thread, when that takes them
        while not self._ended.wait(min(INTERVAL, self._delay or INTERVAL)):
            with self._lock:
                if self._work is not None and not self._is_spoiled:
                    self._look(self._work)

    def _look(self, work: Work) -> None:
        """Look how far the work is, and draw that, unless it is too early, or nothing is done any more."""
        self._looks.append(work.position())
        if len(self._looks) == LOOKS and len(set(self._looks)) == 1 and not work.is_slow:
            self._hide()
        if monotonic() - self._since < self._delay:
            return
        if self._shown is None:
            self._shown = self._begin()
        made, reached = map(max, zip(*self._looks, strict=True))
        (task,) = self._shown.task_ids
        self._shown.update(task, description=work.label, made=work.text(made), total=work.size, completed=reached)
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
            TextColumn("{task.fields[made]}", markup=False, table_column=Column(no_wrap=True, justify="right")),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(file=self._screen, color_system=None if os.environ.get("NO_COLOR") else "auto"),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        shown.add_task("", made="")
        return shown
