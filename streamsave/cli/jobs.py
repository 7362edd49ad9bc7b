"""Saves side by side, each in a process of its own. The output is in the order of the saves.

A worker does for one save what this process would do. It writes to two temporary files instead of standard output and standard
error; this process passes them on when it is the save's turn: those of the first save already while it is read. Nothing is held
in memory, and at most `AHEAD` saves for each worker are in progress. The first worker takes them in their order, so that output
comes soon; the others take the largest of the next ones, so that none is at a large save when the others have nothing left.

A worker is a `ProcessPoolExecutor` of one process: if that dies (out of memory, say), its save is known, and no other is lost.
When this process ends, in whatever way, its workers end, too.

The module is long because this process and its workers agree on each step.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from itertools import count, islice
from multiprocessing import active_children, get_context, parent_process
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import click

from streamsave._log import each_once
from streamsave._new_file import held_back, temporary_folder
from streamsave.cli.app import collect_rarely
from streamsave.cli.options import OURS, Saves
from streamsave.cli.output import (
    FAILED,
    OutputFailed,
    Stand,
    begin_output,
    color_system,
    flush,
    on_terminal,
    prepare,
    report,
    write_bytes,
)
from streamsave.cli.progress import Work, follow, is_shown, make_room
from streamsave.cli.save_names import is_read_once, label_of

__all__ = ["side_by_side", "write_item"]

#: Does the work for a save, and returns the exit code; None is 0.
Visit: TypeAlias = Callable[[str], int | None]
#: Takes what a worker has written since the last time; returns whether that was anything.
Take: TypeAlias = Callable[[IO[bytes]], bool]

#: How many saves may be in progress or waiting to be passed on, for each worker.
AHEAD: Final = 4
#: Seconds between two looks at the output of the first save.
INTERVAL: Final = 0.05
PIECE_SIZE: Final = 64 * 1024


def _to_standard_output(file: IO[bytes]) -> bool:
    start = file.tell()
    while data := file.read(PIECE_SIZE):
        begin_output()
        write_bytes(sys.stdout.buffer, data)
    return file.tell() > start


def _take_items(take: Callable[[Any], None], file: IO[bytes]) -> bool:
    """Take the items that are complete. The next one is being written, or its worker has died."""
    start = begin = file.tell()
    while True:
        try:
            item = pickle.load(file)  # noqa: S301 - our own worker has written it
        except (EOFError, pickle.UnpicklingError):
            file.seek(start)
            return start > begin
        start = file.tell()
        take(item)


def side_by_side(
    saves: Saves, here: Callable[[str | OSError], int], items: tuple[Visit, Callable[[Any], None]] | None
) -> Generator[int]:
    """Let workers run the current command for each save; yield the exit codes in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        here: does it in this process, for standard input and for errors, and returns the exit code.
        items: what workers do instead, with `write_item`, and what takes each item here.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    command = click.get_current_context()
    called: Any = command.command.callback
    work: Visit = partial(_call, called.__module__, called.__name__, {**command.params, "saves": None})
    take: Take = _to_standard_output
    if items is not None:
        work, take = items[0], partial(_take_items, items[1])
    meta = {key: value for key, value in command.meta.items() if key.startswith(OURS)}
    # The bytes of workers go to a console of Windows as they are, and it may show the codes of colours as text.
    has_colors = os.name != "nt" and color_system() is not None
    job = partial(_do, work, meta, sys.stdout.encoding, on_terminal(), has_colors)
    names, numbers = iter(saves), count()
    coming: deque[Task | str | OSError] = deque()
    #: How many saves are read, and their bytes.
    ended, read = 0, 0
    sizes = [_size_of(str(name)) for name in saves] if is_shown() else []
    progress = Work(f"{len(sizes):,} saves", sum(sizes) or None, lambda: (ended, read), "{:,} read".format, is_slow=True)
    with (
        temporary_folder() as folder,
        _workers(saves.jobs, folder) as workers,
    ):
        try:
            follow(progress)
            while True:
                for name in islice(names, AHEAD * saves.jobs - len(coming)):
                    is_here = isinstance(name, OSError) or is_read_once(name)
                    coming.append(name if is_here else Task(str(name), Path(folder, str(next(numbers)))))
                if not coming:
                    return
                first = coming[0]
                with held_back([signal.SIGINT]):
                    for number, worker in enumerate(workers):
                        waiting = [task for task in coming if isinstance(task, Task) and task.future is None]
                        if waiting and worker.future.done():
                            worker.begin(job, max(waiting, key=attrgetter("size")) if number else waiting[0])
                    is_done = isinstance(first, Task) and first.future is not None and first.future.done()
                if not isinstance(first, Task):
                    code = here(first)
                    flush()  # the next output bypasses the text buffer
                elif is_done:
                    code = first.end(take)
                    ended, read = ended + 1, read + first.size
                    follow(progress)  # after whole lines of output
                else:
                    first.pass_on(take)
                    with held_back([signal.SIGINT]):
                        wait([worker.future for worker in workers if not worker.future.done()], INTERVAL, FIRST_COMPLETED)
                    continue
                coming.popleft()
                yield code
        finally:
            follow(None)
            for each in coming:
                if isinstance(each, Task):
                    each.close()


class Task:
    """One save for a worker.

    Attributes:
        paths: of two temporary files, for the output and for the errors.
        size: of the file, in bytes; 0 if it is none.
        future: the exit code; None before a worker begins.

    Raises:
        OSError: the files cannot be made.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.size = _size_of(name)
        self.future: Future[int] | None = None
        self.paths: Final = path.with_suffix(".out"), path.with_suffix(".err")
        self._output = self.paths[0].open("w+b")
        self._errors = self.paths[1].open("w+", encoding="utf-8", newline="")

    def pass_on(self, take: Take) -> None:
        """Pass on what the worker has written since the last time.

        Raises:
            OutputFailed: standard output cannot be written.
            Exception: what takes the output has raised.
        """
        if take(self._output):
            flush()

    def end(self, take: Take) -> int:
        """Pass on the rest; return the exit code.

        Raises:
            OutputFailed: standard output cannot be written.
            Exception: what takes the output has raised, or what the worker has raised, which is a bug.
        """
        self.pass_on(take)
        make_room()
        shutil.copyfileobj(self._errors, sys.stderr)
        self.close()
        try:
            with held_back([signal.SIGINT]):
                return self.future.result() if self.future is not None else FAILED
        except BrokenProcessPool:
            report(label_of(self.name), "the process that was reading it died")
        except OSError as error:
            report(label_of(self.name), f"temporary files of --jobs: {error.strerror or error}")
        return FAILED

    def close(self) -> None:
        """Remove the temporary files. On Windows, those of a worker that is at work stay; they go with their folder."""
        self._output.close()
        self._errors.close()
        for path in self.paths:
            with suppress(OSError):
                path.unlink()


def _size_of(name: str) -> int:
    """Return the size of a file, in bytes; 0 if it is none, or not there, as the worker will say."""
    try:
        return os.stat(name).st_size  # noqa: PTH116 - names of files are handed on as they are
    except (OSError, ValueError):
        return 0


class Worker:
    """A process with one task at a time; if it dies, another one takes its place.

    Args:
        make: makes it.
    """

    def __init__(self, make: Callable[[], ProcessPoolExecutor]) -> None:
        self._make = make
        self.executor = make()
        #: The last task.
        self.future: Future[int] = Future()
        self.future.set_result(0)

    def begin(self, job: Callable[[str, tuple[Path, Path]], int], task: Task) -> None:
        """Begin a task, while Ctrl-C waits.

        Raises:
            OSError: a process cannot be made.
        """
        try:
            self.future = self.executor.submit(job, task.name, task.paths)
        except BrokenProcessPool:  # it died with its last task
            self.executor.shutdown()
            self.executor = self._make()
            self.future = self.executor.submit(job, task.name, task.paths)
        task.future = self.future


@contextmanager
def _workers(number: int, folder: str) -> Iterator[list[Worker]]:
    """Give so many workers, which end at once if an exception leaves the statement.

    If this process is killed, they remove the folder of temporary files.
    """

    def make() -> ProcessPoolExecutor:
        # The first one starts a process that keeps standard error open to the end: a pager would wait for it.
        with redirect_stderr(sys.__stderr__):
            # A fork copies locks that other threads hold, and executors have threads.
            return ProcessPoolExecutor(1, get_context("spawn"), _begin_worker, (folder, sys.getrecursionlimit()))

    workers = [Worker(make) for _ in range(number)]
    try:
        yield workers
    except BaseException:
        for process in active_children():
            process.terminate()
        raise
    finally:
        for worker in workers:
            worker.executor.shutdown()


# --- in a worker ---

#: What is open as long as the worker lives.
_for_life = ExitStack()


def _begin_worker(folder: str, recursion_limit: int) -> None:
    """Prepare a process for its tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    sys.setrecursionlimit(recursion_limit)
    collect_rarely()
    _for_life.enter_context(each_once())


def _end_with_parent(folder: str) -> None:
    """End when the parent has ended. Files that are being written are removed, as `ending_well` does."""
    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker has one
    parent.join()
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


def _do(
    work: Visit,
    meta: Mapping[str, object],
    encoding: str,
    is_terminal: bool,
    has_colors: bool,
    name: str,
    paths: tuple[Path, Path],
) -> int:
    """Do the work for one save as the parent would, but write to files; return the exit code.

    Args:
        work: what to do.
        meta: our entries in the context of the command.
        encoding: of standard output in the parent.
        is_terminal: standard output in the parent is a terminal.
        has_colors: it has colours.
        name: of the save.
        paths: of the files for the output and for the errors.

    Raises:
        OSError: the files cannot be written.
    """
    output, errors = paths
    try:
        with (
            Stand(output.open("wb"), encoding, is_terminal=is_terminal, has_colors=has_colors) as out,
            Stand(errors.open("wb"), "utf-8", is_terminal=False) as err,
            redirect_stdout(out),
            redirect_stderr(err),
            click.Context(click.Command(None)) as context,
        ):
            prepare()
            context.meta.update(meta)
            code = work(name)
            flush()
    except OutputFailed as failed:
        raise OSError(failed.message) from None
    return code or 0


def _call(module: str, function: str, params: Mapping[str, object], name: str) -> int | None:
    """Call a command, by its function in a module, for a save."""
    command = getattr(import_module(module), function)
    with click.Context(command, parent=click.get_current_context()) as context:
        context.params = {**params, "saves": Saves((name,), several=True)}
        code: int | None = command.callback(**context.params)
        return code


def write_item(item: object) -> None:
    """Write an item of a save, as a pickle."""
    write_bytes(sys.stdout.buffer, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
