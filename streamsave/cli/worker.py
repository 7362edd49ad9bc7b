"""A process that does one piece of work after the other, and what runs in it."""

from __future__ import annotations

import io
import os
import signal
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import click

from streamsave._ending import SIGNALS, end_at_once
from streamsave.cli.collector import collect_rarely
from streamsave.cli.inputs import Saves
from streamsave.cli.output import FAILED, OutputFailed, flush, prepare

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

__all__ = ["Answer", "Call", "Job", "Spool", "Worker", "WorkerDied"]

#: The threads of this process, where the system shows them.
THREADS: Final = Path("/proc/self/task")
#: Only this process handles them: a worker that has just started would print a traceback.
BLOCKED: Final = (signal.SIGINT, *SIGNALS)


class Answer(NamedTuple):
    """The result of a worker."""

    code: int
    #: Why its temporary files cannot be written; "" if they can.
    failure: str = ""


#: What a worker does: gets the name of a save, and the files for its output and its errors. It is sent there as a pickle.
Job: TypeAlias = Callable[[str, tuple[Path, Path]], Answer]


class WorkerDied(Exception):
    """The process has ended before its work was done."""


def how_to_begin() -> ForkContext | SpawnContext:
    """Return how a process begins: as a copy of this one, which takes 2 ms where a new interpreter takes 60.

    A copy has the locks of all threads, but of the threads only the one that makes it. So it is for a process with one thread,
    also counting those that Python does not know.
    """
    try:
        alone = len(list(THREADS.iterdir())) == 1
    except OSError:
        alone = False
    return get_context("fork") if alone else get_context("spawn")


class Worker:
    """A process, which does one job at a time. Two pipes and no thread: that takes half the time of a pool to begin."""

    def __init__(self) -> None:
        context = how_to_begin()
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        masks = hasattr(signal, "pthread_sigmask")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED) if masks else None
        try:
            self._process.start()
        finally:
            theirs.close()
            if before is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def begin(self, work: Job, name: str, paths: tuple[Path, Path]) -> None:
        """Let the process work for a save. Its last job is done."""
        with suppress(OSError):  # it has died, as `answer` will say
            self.connection.send((work, name, paths))

    def has_answer(self) -> bool:
        """Return whether `answer` would not wait."""
        try:
            return self.connection.poll()
        except OSError:  # Windows says so that it has died
            return True

    def answer(self) -> Answer:
        """Wait for the result.

        Raises:
            WorkerDied: there will be none.
            Exception: what the work has raised, which is a bug.
        """
        try:
            answer, error = self.connection.recv()
        except (EOFError, OSError):
            raise WorkerDied from None
        if error is not None:
            raise error
        assert isinstance(answer, Answer)  # noqa: S101 - our own process has sent it
        return answer

    def kill(self) -> None:
        """End the process at once."""
        self._process.terminate()

    def close(self) -> None:
        """Wait for the process to end."""
        with suppress(OSError):  # it has died
            self.connection.send(None)  # to close the connection is not enough: workers that began later have it open, too
        self.connection.close()
        self._process.join()


# --- in the process ---


def _serve(connection: Connection) -> None:
    """Do one job after the other, until the parent closes its end."""
    collect_rarely()
    # Ctrl-C is for the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_at_once()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        if job is None:
            return
        work, name, paths = job
        answer: Answer | None = None
        fault: Exception | None = None
        try:
            answer = work(name, paths)
        except Exception as error:  # noqa: BLE001 - the parent raises it
            error.add_note("".join(traceback.format_exception(error)))
            fault = error
        connection.send((answer, fault))


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


class Call:
    """Calls a command for one save.

    Args:
        module: where the command is.
        params: its parameters, without the saves.
        meta: our entries in its context.
        is_terminal: of standard output in the parent.
        encoding: of standard output in the parent.
    """

    def __init__(
        self, module: str, params: Mapping[str, object], meta: Mapping[str, object], encoding: str, *, is_terminal: bool
    ) -> None:
        self.module = module
        self.params = params
        self.meta = meta
        self.encoding = encoding
        self.is_terminal = is_terminal

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
