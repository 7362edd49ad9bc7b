"""Writing: results go to standard output, everything else to standard error.

Rows are written in one way: as a drawn table to a terminal, as lines of tab-separated cells to a pipe.

The module is long because it has all ways of writing, and what each does when writing fails.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, BinaryIO, Final, Literal, TextIO

import click

from streamsave._new_file import check_target, new_file
from streamsave.cli.progress import make_room
from streamsave.cli.text import clean, count_text
from streamsave.decode.json_values import to_jsonable

__all__ = [
    "FAILED",
    "NOT_FOUND",
    "STDOUT",
    "Failed",
    "Metrics",
    "OutputFailed",
    "OutputFile",
    "Stand",
    "begin_output",
    "color_system",
    "flush",
    "on_terminal",
    "open_output",
    "paged",
    "prepare",
    "report",
    "styled",
    "without_numpy",
    "write_bytes",
    "write_json",
    "write_line",
    "write_lines",
    "write_pieces",
    "write_row",
    "write_rows",
]

#: The exit code where something cannot be read or written, and where nothing was found.
FAILED: Final = 2
NOT_FOUND: Final = 1
#: The exit code that a shell shows for a program that SIGPIPE has ended.
READER_GONE: Final = 141
#: Where the context of a command keeps the name of the file that it writes: `kept("output", ...)`.
OUTPUT: Final = "streamsave.output"
STDOUT: Final = "-"
#: In the labels of Prometheus.
ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
#: Characters of a line, to ask how narrow a table can be.
WIDEST: Final = 100_000
#: Characters of the narrowest column of numbers; its head may be in several lines.
LEAST_NUMBER: Final = 6
#: What a narrow table leaves out of a column: what the save calls a class, after what people call it; the level in a name.
LEFT_OUT: Final = {"class_name": re.compile(r"(?<=.) \(\w+\)$"), "name": re.compile(r"^\S*:PersistentLevel\.")}
#: What `less` does unless the user says otherwise, as for git: it ends if all fits on the screen, shows colours, leaves the text.
LESS: Final = "-FRX"
#: How a terminal shows a thing of each kind, as `click.style` has it. Columns of tables have the same colours.
STYLES: Final[dict[str, dict[str, Any]]] = {
    "heading": {"bold": True},
    "hint": {"dim": True},
    "match": {"fg": "red", "bold": True},
    **{kind: {"fg": "cyan"} for kind in ("class_name", "class", "item", "recipe", "store", "mod")},
    **{kind: {"fg": "green"} for kind in ("path", "place", "+", "added", "sound")},
    **{kind: {"fg": "red"} for kind in ("-", "removed", "undecodable")},
    **{kind: {"fg": "yellow"} for kind in ("~", "changed", "findings")},
}


class Failed(Exception):
    """The command cannot go on.

    Attributes:
        subject: what the message is about: a save, a file.
        message: what went wrong; "" if that is to be said nowhere.
        exit_code: the exit code of the process.
    """

    def __init__(self, subject: str, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.subject = subject
        self.message = message
        self.exit_code = exit_code


class OutputFailed(Failed):
    """The output cannot be written any more: its reader is gone, or the disk is full.

    It is no OSError, because those are errors of the saves.
    """

    def __init__(self, error: OSError, subject: str | None = None) -> None:
        # Windows calls a pipe without a reader an invalid argument.
        gone = isinstance(error, BrokenPipeError) or (os.name == "nt" and subject is None and error.errno == errno.EINVAL)
        message = "" if gone else error.strerror or str(error)
        super().__init__(subject or "standard output", message, READER_GONE if gone else FAILED)
        if subject is None:
            _silence()


def _silence() -> None:
    """Discard what is still in the buffers; otherwise the interpreter complains at its end."""
    try:
        target = sys.stdout.fileno()
    except (OSError, ValueError):  # no real file: a test
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, target)
    os.close(nowhere)


def prepare() -> None:
    """Write UTF-8 and plain line feeds on every system, but for a terminal. Open the standard streams that are closed.

    Windows has another encoding and other ends of lines for pipes and files; JSON would be none. What is no character, and what a
    terminal does not have, is escaped. A closed standard output is a pipe that has no reader.
    """
    # All three numbers are taken: a save that is opened must not become standard output.
    for number, name, mode in (0, "stdin", "r"), (2, "stderr", "w"), (1, "stdout", "w"):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            reading, writing = os.pipe() if name == "stdout" else (nowhere, nowhere)
            os.dup2(writing, number)
            for handle in {nowhere, reading, writing} - {number}:
                os.close(handle)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - it stays open
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return _is_terminal(sys.stdout)


@lru_cache(maxsize=1)
def _is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal. To ask the system for each line takes as long as to write it."""
    return stream.isatty()


def begin_output() -> None:
    """Take the progress bar away if standard output goes to its terminal."""
    if on_terminal():
        make_room(for_output=True)


class Stand(io.TextIOWrapper):
    """A file in place of standard output.

    Args:
        file: where the bytes go.
        encoding: of the text.
        is_terminal: it shows what a terminal would; then `has_colors` says whether with colours.
    """

    def __init__(self, file: BinaryIO, encoding: str, *, is_terminal: bool, has_colors: bool = True) -> None:
        super().__init__(file, encoding, errors="backslashreplace", newline="\n")
        self._is_terminal: Final = is_terminal
        self.has_colors: Final = has_colors

    def isatty(self) -> bool:
        """Return whether it shows what a terminal would."""
        return self._is_terminal


@contextmanager
def paged() -> Iterator[None]:
    """Let a pager show what goes to the terminal, as git does: $PAGER, or less, which ends if all fits on the screen.

    Where standard input or output is no terminal, on Windows, and without a pager, the output is as without this.
    """
    if os.name == "nt" or not (on_terminal() and sys.stdin.isatty()):
        yield
        return
    os.environ.setdefault("LESS", LESS)
    streams = sys.stdout, sys.stderr
    with click.get_pager_file() as pager:
        shown = Stand(pager.buffer, "utf-8", is_terminal=True, has_colors=getattr(pager, "color", False))
        sys.stdout = shown
        if sys.stderr.isatty():  # a message would spoil the screen of the pager
            sys.stderr = shown
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams
            with suppress(OSError):  # the user has left the pager
                shown.flush()
            with suppress(OSError, ValueError):
                shown.detach()


def write_line(text: str) -> None:
    """Write one line.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    begin_output()
    try:
        if os.name == "nt" and on_terminal():
            click.echo(text)  # old versions of Windows show colours only so
        else:
            sys.stdout.write(text + "\n")
    except OSError as error:
        raise OutputFailed(error) from None


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to a pipe as they come: in less time than with `write_line`.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    for line in lines:
        try:
            sys.stdout.write(line + "\n")
        except OSError as error:
            raise OutputFailed(error) from None


def write_row(cells: Iterable[str]) -> None:
    """Write one line of tab-separated cells.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    write_line("\t".join(cells))


def write_json(value: object, *, pretty: bool = False) -> None:
    """Write a value as JSON (`streamsave.decode.json_values`), on one line, or indented if `pretty`.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    from streamsave.output.json_text import json_bytes, value_bytes

    write_line((json_bytes(to_jsonable(value), pretty=True) if pretty else value_bytes(value)).decode("utf-8"))


def color_system() -> Literal["auto"] | None:
    """Return what `color_system` of rich's Console is: with NO_COLOR, nothing is written that changes a colour or a weight."""
    return None if os.environ.get("NO_COLOR") or not getattr(sys.stdout, "has_colors", True) else "auto"


def styled(text: str, kind: str) -> str:
    """Return a text in the colours of its kind (`STYLES`), if it goes to a terminal that has some."""
    style = STYLES.get(kind)
    return click.style(text, **style) if text and style and on_terminal() and color_system() is not None else text


def write_rows(
    label: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str | int]],
    *,
    right: Sequence[str] = (),
    several: bool = False,
    is_whole: bool = False,
) -> None:
    """Write a table: a drawn one to a terminal, lines of tab-separated cells without title and head to a pipe.

    All rows are held in memory only for a terminal. If that is too narrow, it shows no ids; then, only what people call a class,
    names without their level, and no space beside the cells. A number is never broken.

    Args:
        label: the title; the first column in a pipe, if there are several saves.
        columns: heads of the columns.
        rows: texts, and numbers, which have commas in a terminal.
        right: the columns of numbers, and of places.
        several: the command reads several saves.
        is_whole: nothing is left out: the user has named the columns.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    if not on_terminal():
        first = (label,) if several else ()
        write_lines("\t".join([clean(str(cell)) for cell in (*first, *row)]) for row in rows)
        return
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    console = Console(color_system=color_system())
    texts = [[count_text(cell) if isinstance(cell, int) else clean(cell) for cell in row] for row in rows]
    if not texts:
        write_line(styled(f"{clean(label)}: nothing", "hint"))
        return

    def table(shown: Sequence[str]) -> Table:
        drawn = Table(title=Text(clean(label)), title_justify="left", header_style="bold cyan", padding=(0, 0 if widths else 1))
        for column in shown:
            style = None if column in right else STYLES.get(column, {}).get("fg")
            justify: Literal["right", "left"] = "right" if column in right else "left"
            drawn.add_column(column, justify=justify, overflow="fold", style=style, width=widths.get(column))
        for row in texts:
            drawn.add_row(*[Text(cell) for column, cell in zip(columns, row, strict=True) if column in shown])
        return drawn

    options = console.options.update_width(WIDEST)
    shown = columns
    #: Of columns of numbers, in a terminal that is too narrow.
    widths: dict[str, int] = {}
    if not is_whole and Measurement.get(console, options, table(shown)).maximum > console.width:
        shown = [column for column in columns if column != "id" and not column.endswith("_id")]
    if not is_whole and Measurement.get(console, options, table(shown)).minimum > console.width:  # a word would be broken
        for row in texts:
            row[:] = [
                LEFT_OUT[column].sub("", cell) if column in LEFT_OUT else cell for column, cell in zip(columns, row, strict=True)
            ]
        for column, cells in zip(columns, zip(*texts, strict=True), strict=True):
            if column in right:
                widths[column] = max([LEAST_NUMBER, *(len(word) for cell in cells for word in cell.split())])
    begin_output()
    try:
        console.print(table(shown))
    except OSError as error:
        raise OutputFailed(error) from None


def flush() -> None:
    """Write what is in the buffers.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        raise OutputFailed(error) from None


@contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Open a file to write to, which appears at the end, unless an exception leaves the statement; None, `-`: standard output.

    Raises:
        OutputFailed: it cannot be opened or written.
    """
    if path is None or path == STDOUT:
        begin_output()
        flush()
        yield sys.stdout.buffer
        return
    of_save: OSError | None = None
    try:
        with new_file(path) as file:
            try:
                yield file
            except OSError as error:
                of_save = error
                raise
    except OSError as error:
        if error is of_save:
            raise
        raise OutputFailed(error, path) from None
    except OutputFailed as failed:
        failed.subject = path
        raise


def write_bytes(file: BinaryIO, data: bytes) -> None:
    """Write to what `open_output` gave.

    Raises:
        OutputFailed: it cannot be written.
    """
    try:
        file.write(data)
    except OSError as error:
        raise OutputFailed(error, None if file is getattr(sys.stdout, "buffer", None) else "a file") from None


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Write bytes to standard output, after what was written as text.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    with open_output(None) as file:
        for piece in pieces:
            write_bytes(file, piece)


class Metrics:
    """Numbers about saves in the text format of Prometheus, as node_exporter reads it from a folder of files.

    All that a metric has is written together, as the format requires: `# HELP`, `# TYPE`, then each sample as
    `streamsave_check_findings{file="world.sav"} 0`.
    """

    def __init__(self, helps: dict[str, str]) -> None:
        self._helps = helps
        #: Metric -> labels -> value: labels may not come twice.
        self._samples: dict[str, dict[str, float]] = {name: {} for name in helps}

    def add(self, numbers: Mapping[str, float | None], **labels: str) -> None:
        """Add a sample of each of these metrics, which the helps name; None: there is none."""
        shown = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        for metric, value in numbers.items():
            if value is not None:
                self._samples[metric][f"{{{shown}}}" if shown else ""] = value

    def text(self) -> str:
        """Return all samples."""
        lines = []
        for name, samples in self._samples.items():
            if samples:
                lines += [f"# HELP {name} {self._helps[name]}", f"# TYPE {name} gauge"]
                lines += [f"{name}{labels} {value}" for labels, value in samples.items()]
        return "\n".join(lines)

    def write(self, target: str | None) -> None:
        """Write all to standard output, or to a file, which appears whole.

        Raises:
            OutputFailed: it cannot be written.
        """
        with open_output(target) as file:
            write_bytes(file, self.text().encode("utf-8", "backslashreplace") + b"\n")


def _escaped(text: str) -> str:
    """Return the value of a label: only these three characters are escaped, and other controls are replaced."""
    return "".join(ESCAPES.get(each) or (each if each.isprintable() else "\N{REPLACEMENT CHARACTER}") for each in text)


class OutputFile(click.Path):
    """The name of a file that a command writes. If that is impossible, the command ends before it reads anything.

    Args:
        allow_dash: `-` is standard output.
        is_save: the file will be a save.
    """

    def __init__(self, *, allow_dash: bool = False, is_save: bool = False) -> None:
        super().__init__(dir_okay=False, allow_dash=allow_dash)
        self._is_save = is_save

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name.

        Raises:
            OutputFailed: no file can be written there.
        """
        path = str(super().convert(value, param, ctx))
        if path == STDOUT and not self.allow_dash:
            self.fail("not to standard output: name a file, or ./- for one called so.", param, ctx)
        if ctx is None or ctx.resilient_parsing or (self.allow_dash and path == STDOUT):
            return path
        try:
            check_target(path, is_save=self._is_save)
        except OSError as error:
            raise OutputFailed(error, path) from None
        ctx.meta[OUTPUT] = path
        return path


def report(subject: str, message: str) -> None:
    """Write to standard error what went wrong with a save or a file."""
    make_room()
    sys.stderr.write(f"streamsave: {clean(subject)}: {clean(message)}\n")


@contextmanager
def without_numpy() -> Iterator[None]:
    """Keep pyarrow and DuckDB from importing numpy, if nothing has yet: that takes longer than pyarrow, and 90 MB with pandas.

    Only its conversions from and to their arrays need them. With a type given, `pa.array` looks for neither.
    """
    is_absent = "numpy" not in sys.modules
    if is_absent:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # an import then finds that there is none
    try:
        yield
    finally:
        if is_absent:
            del sys.modules["numpy"]
