"""Saves side by side, each in a process of its own. The output is in the order of the saves.

A worker calls the running command with the same parameters and one save. It writes to two temporary files instead of standard
output and standard error; with `streamsave.cli.worker_items`, it writes items for this process. This process copies the files
when it is the save's turn: those of the first save already while it is read. Nothing is held in memory, and at most `AHEAD` saves
for each process are in progress. One process takes the saves in their order, so the first output comes soon; the others take the
largest of the next ones, so no process is at a large save when the others have nothing left to do.

If a worker dies (out of memory, say), its save is known, and no other save is lost.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeAlias

import click

from streamsave.cli.inputs import Saves
from streamsave.cli.job_folder import job_folder
from streamsave.cli.output import FAILED, flush, on_terminal, report, write_bytes
from streamsave.cli.save_names import STDIN, label_of
from streamsave.cli.worker import Answer, Call, Job, Worker, WorkerDied

__all__ = ["Here", "current_meta", "run_side_by_side", "side_by_side"]

#: How many saves may be in progress or waiting to be copied, for each process.
AHEAD: Final = 4
#: Among how many names of saves, begun or not, the largest one is found.
LOOK_AHEAD: Final = 64
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
    module = context.command.callback.__module__
    call = Call(module, context.params, current_meta(), sys.stdout.encoding, is_terminal=on_terminal())
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


#: Does in this process what a worker does; for standard input, and for what is an error already. Returns the exit code.
Here: TypeAlias = Callable[[str | OSError], int]
#: Takes bytes that a worker has written.
Receive: TypeAlias = Callable[[bytes], None]


class Task:
    """One save that a worker reads or has read."""

    def __init__(self, worker: Worker, name: str, paths: tuple[Path, Path], receive: Receive) -> None:
        self.worker = worker
        self.name = name
        self.paths = paths
        #: What came of it; None while the worker is at it.
        self.outcome: Answer | Exception | None = None
        output, errors = paths
        self.output: IO[bytes] = output.open("rb")
        self.errors: IO[str] = errors.open(encoding="utf-8", newline="")
        self.receive = receive

    def is_done(self) -> bool:
        """Return whether the worker has read the save, or has died."""
        if self.outcome is None and self.worker.has_answer():
            try:
                self.outcome = self.worker.answer()
            except Exception as error:  # noqa: BLE001 - raised when it is the turn of the save
                self.outcome = error
        return self.outcome is not None

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
        outcome = self.outcome
        if isinstance(outcome, WorkerDied):
            report(label_of(self.name), "the process that was reading it died")
            return FAILED
        if not isinstance(outcome, Answer):
            assert outcome is not None  # noqa: S101 - the task is done
            raise outcome
        if outcome.failure:
            report(label_of(self.name), f"temporary files in {self.paths[0].parent}: {outcome.failure}")
        return outcome.code

    def close(self) -> None:
        """Remove the temporary files."""
        self.output.close()
        self.errors.close()
        for path in self.paths:
            path.unlink(missing_ok=True)


def _size_of(name: str) -> int:
    try:
        return os.stat(name).st_size  # noqa: PTH116 - names of files are handed on as they are
    except (OSError, ValueError):
        return 0


class Waiting(NamedTuple):
    """A save that no process has begun."""

    name: str
    #: 0 if it is not a file, or not there, as the worker will say.
    size: int


class Workers:
    """The processes, and the saves in progress."""

    def __init__(self, count: int, folder: Path, work: Job, receiver: Callable[[], Receive], here: Here) -> None:
        self._folder = folder
        self._work = work
        self._receiver = receiver
        self._here = here
        self._workers: list[Worker | None] = [None] * count
        #: The task of each of them, done or not.
        self._at: list[Task | None] = [None] * count
        #: In the order of the saves; names and errors are for this process.
        self._coming: deque[Task | Waiting | str | OSError] = deque()
        self._begun = 0

    def run(self, names: Iterator[str | OSError]) -> Iterator[int]:
        """Yield the exit code of each save."""
        while self._begin(names):
            first = self._coming[0]
            if isinstance(first, (str, OSError)):
                self._coming.popleft()
                code = self._here(first)
                flush()  # the next output bypasses the text buffer
                yield code
            elif isinstance(first, Task) and first.is_done():
                self._coming.popleft()
                yield first.end()
            else:
                if isinstance(first, Task):
                    first.copy()
                wait([task.worker.connection for task in self._at if task and not task.is_done()], INTERVAL)

    def _begin(self, names: Iterator[str | OSError]) -> bool:
        """Give the next saves to idle workers. Return whether any save is left."""
        for name in islice(names, LOOK_AHEAD - len(self._coming)):
            self._coming.append(name if isinstance(name, OSError) or name == STDIN else Waiting(name, _size_of(name)))
        for number, task in enumerate(self._at):
            while task is None or task.is_done():
                place = self._next(number)
                if place is None:
                    break
                save = self._coming[place]
                assert isinstance(save, Waiting)  # noqa: S101 - as `_next` says
                task = self._at[number] = self._coming[place] = self._submit(save.name, number)
        return bool(self._coming)

    def _next(self, number: int) -> int | None:
        """Return which save a worker begins: its place among those that are coming; None if it has to wait."""
        waiting = {place: save.size for place, save in enumerate(self._coming) if isinstance(save, Waiting)}
        if not waiting:
            return None
        earliest = next(iter(waiting))
        begun = sum(isinstance(save, Task) for save in self._coming)
        # The last place is for the save that the output waits for.
        if begun >= AHEAD * len(self._at) - (earliest == 0):
            return earliest if earliest == 0 else None
        return earliest if number == 0 else max(waiting, key=waiting.__getitem__)

    def _submit(self, name: str, number: int) -> Task:
        self._begun += 1
        paths = self._folder / f"{self._begun}.out", self._folder / f"{self._begun}.err"
        for path in paths:
            path.touch()
        worker, last = self._workers[number], self._at[number]
        if worker is not None and last is not None and isinstance(last.outcome, WorkerDied):
            worker.close()
            worker = None
        if worker is None:
            worker = self._workers[number] = Worker()
        worker.begin(self._work, name, paths)
        return Task(worker, name, paths, self._receiver())

    def kill(self) -> None:
        """End the processes at once."""
        for worker in self._workers:
            if worker is not None:
                worker.kill()

    def close(self) -> None:
        """Wait for the processes to end, and remove the temporary files."""
        for worker in self._workers:
            if worker is not None:
                worker.close()
        for task in self._coming:
            if isinstance(task, Task):
                task.close()
