"""What is written, and where to: standard output gets results, standard error gets everything else."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from streamsave.cli.text import clean

__all__ = [
    "FAILED",
    "NOT_FOUND",
    "OutputFailed",
    "flush",
    "on_terminal",
    "open_output",
    "prepare",
    "replaced",
    "report",
    "write_bytes",
    "write_json",
    "write_line",
    "write_row",
    "write_table",
]

#: The exit code where something cannot be read or written, and where nothing was found.
FAILED: Final = 2
NOT_FOUND: Final = 1
#: What a shell shows for a program that SIGPIPE ended.
READER_GONE: Final = 141


class OutputFailed(Exception):
    """Standard output takes no more: its reader is gone, or the disk is full.

    No OSError: those are of the saves that are read.

    Attributes:
        message: what to say about it; nothing where the reader is gone.
        exit_code: what to end with.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        gone = isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE
        self.message = "" if gone else error.strerror or str(error)
        self.exit_code = READER_GONE if gone else FAILED
        _silence()


def _silence() -> None:
    """Let what is still in the buffers go nowhere, or the interpreter would complain about it at its end."""
    try:
        target = sys.stdout.fileno()
    except (OSError, ValueError):  # no real file: a test
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, target)
    os.close(nowhere)


def prepare() -> None:
    """Make every character printable in the encoding at hand."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def on_terminal() -> bool:
    """Whether a human reads standard output."""
    return sys.stdout.isatty()


def write_line(text: str) -> None:
    """Write one line.

    Raises:
        OutputFailed: standard output takes no more.
    """
    try:
        sys.stdout.write(text + "\n")
    except OSError as error:
        raise OutputFailed(error) from None


def write_row(cells: Iterable[str]) -> None:
    """Write one line of tab-separated cells.

    Raises:
        OutputFailed: standard output takes no more.
    """
    write_line("\t".join(cells))


def write_json(value: object, *, pretty: bool = False) -> None:
    """Write a value that `streamsave.output.json_values` made, on one line unless it shall be pretty.

    Raises:
        OutputFailed: standard output takes no more.
    """
    import orjson

    data = orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    write_line(data.decode("utf-8"))


def write_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """Write a table: a drawn one to a terminal, lines of tab-separated cells without title and head to a pipe.

    Only a terminal makes it hold all rows.

    Args:
        title: stands above the table.
        columns: heads of the columns.
        rows: cells of each row.
        right: the columns of numbers.

    Raises:
        OutputFailed: standard output takes no more.
    """
    if not on_terminal():
        for row in rows:
            write_row(row)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", header_style="bold cyan")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    try:
        Console().print(table)
    except OSError as error:
        raise OutputFailed(error) from None


def flush() -> None:
    """Write out what is in the buffers.

    Raises:
        OutputFailed: standard output takes no more.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        raise OutputFailed(error) from None


@contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Open a file to write to, or standard output.

    Raises:
        OutputFailed: it takes no more, or cannot be opened.
    """
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    try:
        file = Path(path).open("wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise OutputFailed(error) from None
    try:
        yield file
    finally:
        try:
            file.close()
        except OSError as error:
            raise OutputFailed(error) from None


def write_bytes(file: BinaryIO, data: bytes) -> None:
    """Write to what `open_output` gave.

    Raises:
        OutputFailed: it takes no more.
    """
    try:
        file.write(data)
    except OSError as error:
        raise OutputFailed(error) from None


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """Open a file under another name, beside the one that it will be: if it cannot be written to its end, nothing has changed.

    A link that is there is replaced, not followed.

    Raises:
        OSError: it cannot be written.
    """
    import tempfile

    handle, temporary = tempfile.mkstemp(prefix=".streamsave-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101 - mkstemp made it for nobody else
        os.replace(temporary, target)  # noqa: PTH105 - beside the other functions of os
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def report(subject: str, message: str) -> None:
    """Say on standard error what went wrong with what."""
    sys.stderr.write(f"streamsave: {clean(subject)}: {clean(message)}\n")
