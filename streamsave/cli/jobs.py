"""Saves side by side: each in a process of its own, with what it writes in the order of the saves.

A worker calls the command that runs here, with the same parameters and one save, and writes to two temporary files in place of
standard output and standard error; `streamsave.cli.worker_items` has it read, and write what the command here shall go on with.
They are copied here when it is the save's turn: while it is read, if it is the first of those that are on their way. Nothing is
held in memory, and no more than `AHEAD` saves for each process are on their way.

Each worker is the only one of its pool, so that one that dies (out of memory, say) is known by its save, and costs no other.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final, TypeAlias

import click
from attrs import define, frozen

from streamsave.cli.inputs import Saves
from streamsave.cli.output import FAILED, OutputFailed, flush, on_terminal, prepare, report, write_bytes
from streamsave.cli.save_names import STDIN, label_of

__all__ = ["Answer", "Here", "Spool", "current_meta", "run_side_by_side", "side_by_side"]

#: How many saves are begun before the first of them is done, for each process.
AHEAD: Final = 4
#: Seconds between two looks at what the first of them has written.
INTERVAL: Final = 0.05
PIECE_SIZE: Final = 64 * 1024
#: What is ours in the context of a command starts like this.
OURS: Final = "streamsave."


def side_by_side(saves: Saves, here: Here) -> Iterator[int]:
    """Let other processes do for each save what the command at hand would do; give the exit codes, in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        here: does it in this process, for what is no file: standard input, and what is an error already.
    """
    context = click.get_current_context()
    call = Call(context.command.callback.__module__, context.params, current_meta(), on_terminal(), sys.stdout.encoding)
    return run_side_by_side(saves, call, lambda: _to_standard_output, here)


def current_meta() -> dict[str, object]:
    """Give what is ours in the context of the command at hand: its limits."""
    return {key: value for key, value in click.get_current_context().meta.items() if key.startswith(OURS)}


def run_side_by_side(saves: Saves, work: Job, receiver: Callable[[], Receive], here: Here) -> Iterator[int]:
    """Let other processes do some work for each save; give the exit codes, in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        work: what to do, in the other process.
        receiver: makes what takes the bytes that are written for a save, in the order of the saves.
        here: does it in this process, for what is no file: standard input, and what is an error already.
    """
    with TemporaryDirectory(prefix="streamsave-") as folder:
        workers = Workers(saves.jobs, Path(folder), work, receiver, here)
        try:
            yield from workers.run(iter(saves))
        except BaseException:
            workers.kill()
            raise
        finally:
            workers.close()


def _to_standard_output(data: bytes) -> None:
    write_bytes(sys.stdout.buffer, data)


@frozen
class Answer:
    """What a worker says at the end."""

    code: int
    #: Why its temporary files take no more, if they do not.
    failure: str = ""


#: Does in this process what a worker does; for standard input, and for what is an error already. Returns the exit code.
Here: TypeAlias = Callable[[str | OSError], int]
#: What a worker does with the name of a save, and files for what it writes and what it reports. It goes there as a pickle.
Job: TypeAlias = Callable[[str, tuple[Path, Path]], Answer]
#: Takes bytes that a worker has written.
Receive: TypeAlias = Callable[[bytes], None]


@define
class Task:
    """One save that a worker is at, or was."""

    name: str
    future: Future[Answer]
    paths: tuple[Path, Path]
    output: IO[bytes]
    errors: IO[str]
    receive: Receive

    def copy(self) -> None:
        """Hand on what the worker has written since the last time.

        Raises:
            OutputFailed: standard output takes no more.
            Exception: what takes the bytes has raised.
        """
        written = False
        while data := self.output.read(PIECE_SIZE):
            self.receive(data)
            written = True
        if written:
            flush()

    def end(self) -> int:
        """Hand on the rest; give the exit code.

        Raises:
            OutputFailed: standard output takes no more.
            Exception: what takes the bytes has raised, or what the worker has raised, which is a bug.
        """
        try:
            self.copy()
            while text := self.errors.read(PIECE_SIZE):
                sys.stderr.write(text)
        finally:
            self.close()
        try:
            answer = self.future.result()
        except BrokenProcessPool:
            report(label_of(self.name), "the process that was reading it died")
            return FAILED
        if answer.failure:
            report(label_of(self.name), f"temporary files in {self.paths[0].parent}: {answer.failure}")
        return answer.code

    def close(self) -> None:
        """Take the temporary files away."""
        self.output.close()
        self.errors.close()
        for path in self.paths:
            path.unlink(missing_ok=True)


class Workers:
    """The processes, and the saves that are on their way through them."""

    def __init__(self, count: int, folder: Path, work: Job, receiver: Callable[[], Receive], here: Here) -> None:
        self._folder = folder
        self._work = work
        self._receiver = receiver
        self._here = here
        self._pools: list[ProcessPoolExecutor | None] = [None] * count
        #: What each of them is at, or was.
        self._at: list[Task | None] = [None] * count
        #: In the order of the saves; names are of what is done here.
        self._coming: deque[Task | str | OSError] = deque()
        self._begun = 0
        self._foreign = set(active_children())

    def run(self, names: Iterator[str | OSError]) -> Iterator[int]:
        """Give the exit code of each save."""
        while self._begin(names):
            first = self._coming[0]
            if not isinstance(first, Task):
                self._coming.popleft()
                code = self._here(first)
                flush()  # what comes next goes past the buffer of text
                yield code
            elif first.future.done():
                self._coming.popleft()
                yield first.end()
            else:
                first.copy()
                wait([task.future for task in self._at if task and not task.future.done()], INTERVAL, FIRST_COMPLETED)

    def _begin(self, names: Iterator[str | OSError]) -> bool:
        """Give the next saves to those who have nothing to do; False where nothing is on its way."""
        for number, task in enumerate(self._at):
            while (task is None or task.future.done()) and len(self._coming) < AHEAD * len(self._at):
                name = next(names, None)
                if name is None:
                    break
                if isinstance(name, OSError) or name == STDIN:
                    self._coming.append(name)
                    continue
                task = self._at[number] = self._submit(name, number)
                self._coming.append(task)
        return bool(self._coming)

    def _submit(self, name: str, number: int) -> Task:
        self._begun += 1
        paths = self._folder / f"{self._begun}.out", self._folder / f"{self._begun}.err"
        for path in paths:
            path.touch()
        pool, last = self._pools[number], self._at[number]
        if pool is None or (last is not None and last.future.exception() is not None):
            if pool is not None:
                pool.shutdown()
            pool = self._pools[number] = ProcessPoolExecutor(1, get_context("spawn"), _begin_to_work)
        # Ctrl-C is for us alone; a worker that has just been started would say what it thinks of it.
        masks = hasattr(signal, "pthread_sigmask")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else None
        try:
            future = pool.submit(self._work, name, paths)
        finally:
            if before is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        output, errors = paths
        return Task(name, future, paths, output.open("rb"), errors.open(encoding="utf-8", newline=""), self._receiver())

    def kill(self) -> None:
        """End the processes, whatever they are at."""
        for process in active_children():
            if process not in self._foreign:
                process.terminate()

    def close(self) -> None:
        """Wait for the processes to end, and take the temporary files away."""
        for pool in self._pools:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        for task in self._coming:
            if isinstance(task, Task):
                task.close()


# --- in the worker ---


def _begin_to_work() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Spool(io.TextIOWrapper):
    """A temporary file in place of standard output, which still tells whether a human will read it."""

    def __init__(self, path: Path, encoding: str, *, is_terminal: bool) -> None:
        super().__init__(path.open("wb"), encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether standard output is a terminal."""
        return self._is_terminal


@frozen
class Call:
    """Calls a command for one save."""

    module: str
    params: Mapping[str, object]
    meta: Mapping[str, object]
    #: Of standard output in the parent.
    is_terminal: bool
    encoding: str

    def __call__(self, name: str, paths: tuple[Path, Path]) -> Answer:
        """Call it."""
        command = import_module(self.module).command
        output, errors = paths
        try:
            with (
                Spool(output, self.encoding, is_terminal=self.is_terminal) as out,
                Spool(errors, "utf-8", is_terminal=False) as err,
                redirect_stdout(out),
                redirect_stderr(err),
                click.Context(command) as context,
            ):
                prepare()
                context.meta.update(self.meta)
                context.params = {**self.params, "saves": Saves((name,), several=True)}
                code = command.callback(**context.params)
                flush()
        except OutputFailed as failed:
            return Answer(FAILED, failed.message)
        except OSError as error:  # those of the save were reported by the command
            return Answer(FAILED, error.strerror or str(error))
        return Answer(code or 0)
