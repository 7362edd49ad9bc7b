"""Saves side by side, each in a process of its own. The output is in the order of the saves.

A worker does for one save what this process would do. It writes to two temporary files instead of standard output and standard
error; this process passes them on when it is the save's turn: those of the first save already while it is read. Nothing is held
in memory, and at most `AHEAD` saves for each worker are in progress. One worker takes the saves in their order, so the first
output comes soon; the others take the largest of the next ones, so none is at a large save when the others have nothing left.

A worker is a `ProcessPoolExecutor` of one process: if that dies (out of memory, say), its save is known, and no other is lost.
All workers have the reading end of one pipe: when this process closes the other end, or ends in whatever way, they end, too.
"""

from __future__ import annotations

import io
import os
import pickle
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Final, TypeAlias, TypeVar

import click

from streamsave._ending import ending_well
from streamsave._log import each_once
from streamsave.cli.app import collect_rarely
from streamsave.cli.options import Saves
from streamsave.cli.output import FAILED, OutputFailed, flush, on_terminal, prepare, report, write_bytes
from streamsave.cli.save import Save, Visit, attempt, open_input, selecting
from streamsave.cli.save_names import STDIN, label_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from types import TracebackType
    from typing import Self

__all__ = ["items_side_by_side", "side_by_side"]

T = TypeVar("T")
#: Does in this process what a worker does; for standard input, and for what is an error already. Returns the exit code.
Here: TypeAlias = Callable[[str | OSError], int]
#: Takes what a worker has written since the last time; returns whether that was anything.
Take: TypeAlias = Callable[[IO[bytes]], bool]

#: How many saves may be in progress or waiting to be passed on, for each worker.
AHEAD: Final = 4
#: Among how many names of saves, begun or not, the largest one is found.
LOOK_AHEAD: Final = 64
#: Seconds between two looks at the output of the first save.
INTERVAL: Final = 0.05
PIECE_SIZE: Final = 64 * 1024
#: How many items go into one pickle.
BATCH: Final = 256
PREFIX: Final = "streamsave-"
#: Our keys in the context of a command start like this.
OURS: Final = "streamsave."


def side_by_side(saves: Saves, here: Here) -> Iterator[int]:
    """Let workers run the current command for each save; yield the exit codes in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        here: does it in this process, for standard input and for errors.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    context = click.get_current_context()
    params = {name: value for name, value in context.params.items() if name != "saves"}
    return _run(saves, partial(_call, context.command.callback.__module__, params), _to_standard_output, here)


def items_side_by_side(
    saves: Saves, read: Callable[[Save], Iterable[T]], take: Callable[[T], None], type_hints: Mapping[str, str] | None, here: Here
) -> Iterator[int]:
    """Let workers read saves, and take their items here, in the order of the saves; yield the exit codes.

    Args:
        saves: the saves, and how many at a time.
        read: yields the items of a save; it and the items have to be picklable.
        take: gets each item.
        type_hints: as for `streamsave.open`.
        here: does both in this process, for standard input and for errors.
    """
    return _run(saves, partial(_write_items, read, type_hints), partial(_take_items, take), here)


def _to_standard_output(file: IO[bytes]) -> bool:
    written = False
    while data := file.read(PIECE_SIZE):
        write_bytes(sys.stdout.buffer, data)
        written = True
    return written


def _take_items(take: Callable[[T], None], file: IO[bytes]) -> bool:
    """Take the items that are complete. The next one is being written, or its worker has died."""
    start = begin = file.tell()
    while True:
        try:
            items = pickle.load(file)  # noqa: S301 - our own worker has written it
        except (EOFError, pickle.UnpicklingError):
            file.seek(start)
            return start > begin
        start = file.tell()
        for item in items:
            take(item)


def _run(saves: Saves, work: Visit, take: Take, here: Here) -> Iterator[int]:
    """Let workers do the work for each save; yield the exit codes in the order of the saves."""
    meta = {key: value for key, value in click.get_current_context().meta.items() if key.startswith(OURS)}
    job = Job(work, meta, sys.stdout.encoding, is_terminal=on_terminal())
    names = iter(saves)
    coming: deque[Task | str | OSError] = deque()
    with ending_well(), TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder, ExitStack() as at_last:
        at_last.callback(_close, coming)
        with Workers(saves.jobs, folder, job) as workers:
            while True:
                for name in islice(names, LOOK_AHEAD - len(coming)):
                    coming.append(name if isinstance(name, OSError) or name == STDIN else Task(name))
                if not coming:
                    return
                workers.begin(coming)
                first = coming[0]
                if not isinstance(first, Task):
                    coming.popleft()
                    code = here(first)
                    flush()  # the next output bypasses the text buffer
                    yield code
                elif first.is_done():
                    coming.popleft()
                    yield first.end(take)
                else:
                    first.pass_on(take)
                    workers.wait()


class Task:
    """One save for a worker.

    Attributes:
        size: of the file, in bytes; 0 if it is not a file, or not there, as the worker will say.
        future: the exit code; None before a worker begins.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.size = _size_of(name)
        self.future: Future[int] | None = None
        self._files: tuple[IO[bytes], IO[str]] | None = None

    def open_files(self, folder: str, number: int) -> tuple[Path, Path]:
        """Make the temporary files; return their paths.

        Raises:
            OSError: they cannot be made.
        """
        output, errors = Path(folder, f"{number}.out"), Path(folder, f"{number}.err")
        self._files = output.open("w+b"), errors.open("w+", encoding="utf-8", newline="")
        return output, errors

    def is_done(self) -> bool:
        """Return whether the worker has read the save, or has died."""
        return self.future is not None and self.future.done()

    def pass_on(self, take: Take) -> None:
        """Pass on what the worker has written since the last time.

        Raises:
            OutputFailed: standard output cannot be written.
            Exception: what takes the output has raised.
        """
        if self._files is not None and take(self._files[0]):
            flush()

    def end(self, take: Take) -> int:
        """Pass on the rest; return the exit code.

        Raises:
            OutputFailed: standard output cannot be written.
            Exception: what takes the output has raised, or what the worker has raised, which is a bug.
        """
        assert self.future is not None  # noqa: S101 - the task is done
        assert self._files is not None  # noqa: S101
        try:
            self.pass_on(take)
            shutil.copyfileobj(self._files[1], sys.stderr)
        finally:
            self.close()
        try:
            return self.future.result()
        except BrokenProcessPool:
            report(label_of(self.name), "the process that was reading it died")
        except OSError as error:
            report(label_of(self.name), f"temporary files of --jobs: {error.strerror or error}")
        return FAILED

    def close(self) -> None:
        """Remove the temporary files."""
        for file in self._files or ():
            file.close()
            Path(file.name).unlink(missing_ok=True)


def _close(coming: Iterable[Task | str | OSError]) -> None:
    for task in coming:
        if isinstance(task, Task):
            task.close()


def _size_of(name: str) -> int:
    try:
        return os.stat(name).st_size  # noqa: PTH116 - names of files are handed on as they are
    except (OSError, ValueError):
        return 0


class Workers:
    """Processes, each with one task at a time. Leaving the `with` statement by an exception ends them at once.

    Args:
        count: how many.
        folder: where temporary files go. If this process is killed, they remove it.
        job: does the work.
    """

    def __init__(self, count: int, folder: str, job: Job) -> None:
        context = get_context("spawn")  # a fork copies locks that other threads hold, and executors have threads
        self._folder = folder
        self._job = job
        self._theirs, self._ours = context.Pipe(duplex=False)
        self._make = partial(ProcessPoolExecutor, 1, context, _begin_worker, (self._theirs, folder, sys.getrecursionlimit()))
        self._executors = [self._make() for _ in range(count)]
        self._tasks: list[Task | None] = [None] * count
        self._begun = 0

    def begin(self, coming: Collection[Task | str | OSError]) -> None:
        """Give tasks to idle workers.

        Raises:
            OSError: temporary files or a process cannot be made.
        """
        for number, task in enumerate(self._tasks):
            while (task is None or task.is_done()) and (task := self._next(coming, number)) is not None:
                self._tasks[number] = task
                self._begun += 1
                paths = task.open_files(self._folder, self._begun)
                task.future = self._submit(number, task.name, paths)

    def _next(self, coming: Collection[Task | str | OSError], number: int) -> Task | None:
        """Return the task that a worker begins; None if it has to wait."""
        tasks = [task for task in coming if isinstance(task, Task)]
        waiting = [task for task in tasks if task.future is None]
        if len(tasks) - len(waiting) >= AHEAD * len(self._tasks):
            # The output waits for the first one, so that one has not to wait.
            return next((task for task in islice(coming, 1) if task in waiting), None)
        return max(waiting, key=lambda task: task.size * (number > 0), default=None)

    def _submit(self, number: int, name: str, paths: tuple[Path, Path]) -> Future[int]:
        with _without_ctrl_c():
            try:
                return self._executors[number].submit(self._job, name, paths)
            except BrokenProcessPool:  # it died with its last task
                self._executors[number].shutdown()
                self._executors[number] = self._make()
                return self._executors[number].submit(self._job, name, paths)

    def wait(self) -> None:
        """Wait a moment, or until a worker has done its task."""
        wait([task.future for task in self._tasks if task and task.future and not task.is_done()], INTERVAL, FIRST_COMPLETED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self._ours.close()
        for executor in self._executors:
            executor.shutdown()
        self._ours.close()
        self._theirs.close()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let processes begin with Ctrl-C blocked: it is for this one, and an interpreter that begins would print a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a worker ---

#: What is open as long as the worker lives.
_for_life = ExitStack()


def _begin_worker(parent: Connection, folder: str, recursion_limit: int) -> None:
    """Prepare a process for its tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(parent, folder), daemon=True).start()
    sys.setrecursionlimit(recursion_limit)
    collect_rarely()
    _for_life.enter_context(each_once())


def _end_with_parent(parent: Connection, folder: str) -> None:
    """End when the other end of the pipe is closed. Files that are being written are removed, as `ending_well` does."""
    with suppress(OSError):  # Windows says so that it is closed
        parent.poll(None)
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


class Spool(io.TextIOWrapper):
    """A temporary file instead of standard output, which knows whether that is a terminal."""

    def __init__(self, path: Path, encoding: str, *, is_terminal: bool) -> None:
        super().__init__(path.open("wb"), encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether standard output is a terminal."""
        return self._is_terminal


class Job:
    """Does the work as the parent would, but writes to files.

    Args:
        work: what to do.
        meta: our entries in the context of the command.
        encoding: of standard output in the parent.
        is_terminal: of standard output in the parent.
    """

    def __init__(self, work: Visit, meta: Mapping[str, object], encoding: str, *, is_terminal: bool) -> None:
        self._work = work
        self._meta = meta
        self._encoding = encoding
        self._is_terminal = is_terminal

    def __call__(self, name: str, paths: tuple[Path, Path]) -> int:
        """Do it for one save; return the exit code.

        Raises:
            OSError: the files cannot be written.
        """
        output, errors = paths
        try:
            with (
                Spool(output, self._encoding, is_terminal=self._is_terminal) as out,
                Spool(errors, "utf-8", is_terminal=False) as err,
                redirect_stdout(out),
                redirect_stderr(err),
                click.Context(click.Command(None)) as context,
            ):
                prepare()
                context.meta.update(self._meta)
                code = self._work(name)
                flush()
        except OutputFailed as failed:
            raise OSError(failed.message) from None
        return code or 0


def _call(module: str, params: Mapping[str, object], name: str) -> int | None:
    """Call the command of a module for a save."""
    command = import_module(module).command
    with click.Context(command, parent=click.get_current_context()) as context:
        context.params = {**params, "saves": Saves((name,), several=True)}
        code: int | None = command.callback(**context.params)
        return code


def _write_items(read: Callable[[Save], Iterable[object]], type_hints: Mapping[str, str] | None, name: str) -> int:
    """Write the items of a save, as pickles of lists one after the other."""

    def write(items: list[object]) -> None:
        write_bytes(sys.stdout.buffer, pickle.dumps(items, pickle.HIGHEST_PROTOCOL))

    def visit(name: str) -> None:
        items = []
        with selecting(name, type_hints=type_hints), open_input(name, type_hints=type_hints) as save:
            try:
                for item in read(save):
                    items.append(item)
                    if len(items) == BATCH:
                        write(items)
                        items.clear()
            finally:  # of a damaged save, what was read before
                write(items)

    return attempt(name, visit)
