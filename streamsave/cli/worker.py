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
from typing import Final, NamedTuple, TypeAlias

import click

from streamsave.cli.collector import collect_rarely
from streamsave.cli.inputs import Saves
from streamsave.cli.output import FAILED, OutputFailed, flush, prepare

__all__ = ["Answer", "Call", "Job", "Spool", "Worker", "WorkerDied"]

#: How processes begin, on all systems: they have no thread and no lock of this one.
CONTEXT: Final = get_context("spawn")


class Answer(NamedTuple):
    """The result of a worker."""

    code: int
    #: Why its temporary files cannot be written; "" if they can.
    failure: str = ""


#: What a worker does: gets the name of a save, and the files for its output and its errors. It is sent there as a pickle.
Job: TypeAlias = Callable[[str, tuple[Path, Path]], Answer]


class WorkerDied(Exception):
    """The process has ended before its work was done."""


class Worker:
    """A process, which does one job at a time. Two pipes and no thread: that takes half the time of a pool to begin."""

    def __init__(self) -> None:
        self.connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_serve, args=(theirs,))
        # Only this process handles Ctrl-C: a worker that has just started would print a traceback.
        masks = hasattr(signal, "pthread_sigmask")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else None
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
        self.connection.close()
        self._process.join()


# --- in the process ---


def _serve(connection: Connection) -> None:
    """Do one job after the other, until the parent closes its end."""
    collect_rarely()
    # Ctrl-C is for the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            work, name, paths = connection.recv()
        except EOFError:
            return
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
