"""Saves side by side, each in a process of its own. The output is in the order of the saves.

A worker calls the running command with the same parameters and one save. It writes to two temporary files instead of standard
output and standard error; with `streamsave.cli.worker_items`, it writes items for this process. This process copies the files
when it is the save's turn: those of the first save already while it is read. Nothing is held in memory, and at most `AHEAD` saves
for each process are in progress.

If a worker dies (out of memory, say), its save is known, and no other save is lost.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, Final, TypeAlias

import click

from streamsave.cli.inputs import Saves
from streamsave.cli.job_folder import job_folder
from streamsave.cli.output import FAILED, flush, on_terminal, report, write_bytes
from streamsave.cli.save_names import STDIN, label_of
from streamsave.cli.worker import Answer, Call, Job, Worker, WorkerDied

__all__ = ["Here", "current_meta", "run_side_by_side", "side_by_side"]

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
        self._coming: deque[Task | str | OSError] = deque()
        self._begun = 0

    def run(self, names: Iterator[str | OSError]) -> Iterator[int]:
        """Yield the exit code of each save."""
        while self._begin(names):
            first = self._coming[0]
            if not isinstance(first, Task):
                self._coming.popleft()
                code = self._here(first)
                flush()  # the next output bypasses the text buffer
                yield code
            elif first.is_done():
                self._coming.popleft()
                yield first.end()
            else:
                first.copy()
                wait([task.worker.connection for task in self._at if task and not task.is_done()], INTERVAL)

    def _begin(self, names: Iterator[str | OSError]) -> bool:
        """Give the next saves to idle workers. Return whether any save is in progress."""
        for number, task in enumerate(self._at):
            while (task is None or task.is_done()) and len(self._coming) < AHEAD * len(self._at):
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
