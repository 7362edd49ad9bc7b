"""Saves side by side, each in a process of its own. The output is in the order of the saves.

A worker calls the running command with the same parameters and one save. It writes to two temporary files instead of standard
output and standard error; with `streamsave.cli.worker_items`, it writes items for this process. This process copies the files
when it is the save's turn: those of the first save already while it is read. Nothing is held in memory, and at most `AHEAD` saves
for each process are in progress.

Each worker is the only one of its pool: if it dies (out of memory, say), its save is known, and no other save is lost.
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
from typing import IO, Final, TypeAlias

import click
from attrs import define, frozen

from streamsave.cli.collector import collect_rarely
from streamsave.cli.inputs import Saves
from streamsave.cli.job_folder import job_folder
from streamsave.cli.output import FAILED, OutputFailed, flush, on_terminal, prepare, report, write_bytes
from streamsave.cli.save_names import STDIN, label_of

__all__ = ["Answer", "Here", "Spool", "current_meta", "run_side_by_side", "side_by_side"]

#: How many saves may be in progress or waiting to be copied, for each process.
AHEAD: Final = 4
#: Seconds between two looks at the files of the first save.
INTERVAL: Final = 0.05
PIECE_SIZE: Final = 64 * 1024
#: Our keys in the context of a command start like this.
OURS: Final = "streamsave."


def side_by_side(saves: Saves, here: Here) -> Iterator[int]:
    """Let other processes run the current command for each save; yield the exit codes in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        here: does it in this process, for standard input and for errors.
    """
    context = click.get_current_context()
    call = Call(context.command.callback.__module__, context.params, current_meta(), on_terminal(), sys.stdout.encoding)
    return run_side_by_side(saves, call, lambda: _to_standard_output, here)


def current_meta() -> dict[str, object]:
    """Return our entries in the context of the current command: its limits."""
    return {key: value for key, value in click.get_current_context().meta.items() if key.startswith(OURS)}


def run_side_by_side(saves: Saves, work: Job, receiver: Callable[[], Receive], here: Here) -> Iterator[int]:
    """Let other processes do the work for each save; yield the exit codes in the order of the saves.

    Args:
        saves: the saves, and how many at a time.
        work: what to do, in the other process.
        receiver: makes a function for each save, which gets the bytes that are written for it, in the order of the saves.
        here: does it in this process, for standard input and for errors.
    """
    with job_folder() as folder:
        workers = Workers(saves.jobs, folder, work, receiver, here)
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
    """The result of a worker."""

    code: int
    #: Why its temporary files cannot be written; "" if they can.
    failure: str = ""


#: Does in this process what a worker does; for standard input, and for what is an error already. Returns the exit code.
Here: TypeAlias = Callable[[str | OSError], int]
#: What a worker does: gets the name of a save, and the files for its output and its errors. It is sent there as a pickle.
Job: TypeAlias = Callable[[str, tuple[Path, Path]], Answer]
#: Takes bytes that a worker has written.
Receive: TypeAlias = Callable[[bytes], None]


@define
class Task:
    """One save that a worker reads or has read."""

    name: str
    future: Future[Answer]
    paths: tuple[Path, Path]
    output: IO[bytes]
    errors: IO[str]
    receive: Receive

    def copy(self) -> None:
        """Pass on what the worker has written since the last time.

        Raises:
            OutputFailed: standard output cannot be written.
            Exception: what takes the bytes has raised.
        """
        written = False
        while data := self.output.read(PIECE_SIZE):
            self.receive(data)
            written = True
        if written:
            flush()

    def end(self) -> int:
        """Pass on the rest; return the exit code.

        Raises:
            OutputFailed: standard output cannot be written.
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
        """Remove the temporary files."""
        self.output.close()
        self.errors.close()
        for path in self.paths:
            path.unlink(missing_ok=True)


class Workers:
    """The processes, and the saves in progress."""

    def __init__(self, count: int, folder: Path, work: Job, receiver: Callable[[], Receive], here: Here) -> None:
        self._folder = folder
        self._work = work
        self._receiver = receiver
        self._here = here
        self._pools: list[ProcessPoolExecutor | None] = [None] * count
        #: The task of each of them, done or not.
        self._at: list[Task | None] = [None] * count
        #: In the order of the saves; names and errors are for this process.
        self._coming: deque[Task | str | OSError] = deque()
        self._begun = 0
        self._foreign = set(active_children())

    def run(self, names: Iterator[str | OSError]) -> Iterator[int]:
        """Yield the exit code of each save."""
        while self._begin(names):
            first = self._coming[0]
            if not isinstance(first, Task):
                self._coming.popleft()
                code = self._here(first)
                flush()  # the next output bypasses the text buffer
                yield code
            elif first.future.done():
                self._coming.popleft()
                yield first.end()
            else:
                first.copy()
                wait([task.future for task in self._at if task and not task.future.done()], INTERVAL, FIRST_COMPLETED)

    def _begin(self, names: Iterator[str | OSError]) -> bool:
        """Give the next saves to idle workers. Return whether any save is in progress."""
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
        # Only this process handles Ctrl-C: a worker that has just started would print a traceback.
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
        """End the processes at once."""
        for process in active_children():
            if process not in self._foreign:
                process.terminate()

    def close(self) -> None:
        """Wait for the processes to end, and remove the temporary files."""
        for pool in self._pools:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        for task in self._coming:
            if isinstance(task, Task):
                task.close()


# --- in the worker ---


def _begin_to_work() -> None:
    """Leave Ctrl-C to the parent, and end when it ends in any way."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Spool(io.TextIOWrapper):
    """A temporary file instead of standard output, which knows whether that is a terminal."""

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
