"""`streamsave export`: the objects of saves as rows of one table."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, cast

import click

from streamsave.cli.inputs import Saves, hints_option, jobs_option, saves_argument, where_option
from streamsave.cli.limits import limit_option
from streamsave.cli.objects_option import objects_option
from streamsave.cli.output import FAILED, STDOUT, OutputFailed, OutputFile, open_output, report
from streamsave.cli.run import gather
from streamsave.cli.save import Save, open_input
from streamsave.cli.save_names import STDIN
from streamsave.cli.text import clean
from streamsave.cli.time_choice import time_options
from streamsave.consume.conditions import Selection
from streamsave.consume.selection import Plan
from streamsave.errors import SaveError, SelectError, UnsupportedOption
from streamsave.output.rows import CsvTable, NdjsonTable, Row, Table, column_names, guarded, rows_of_stream, sample_rows

if TYPE_CHECKING:
    from attrs import frozen

    from streamsave.output.arrow import ArrowFormat, ArrowRows
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["command"]

#: What the end of a file's name says about its format.
SUFFIXES: Final = {
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".csv": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".arrows": "arrows",
}
FORMATS: Final = tuple(dict.fromkeys(SUFFIXES.values()))
#: Formats that are text; the others need the extra `arrow`, and a file.
TEXTS: Final = ("ndjson", "csv")
#: Rows of one batch of Arrow.
BATCH_ROWS: Final = 4096


@frozen
class RowsOf:
    """Makes the rows of a save."""

    where: Selection | None
    fields: tuple[str, ...]
    with_header: bool = False

    def __call__(self, save: Save) -> Iterator[Row | None]:
        """Yield None, because the save was opened, and then its rows as they are read.

        Raises:
            SaveError: the bytes are at fault.
        """
        yield None
        plan = Plan([self.where], self.fields)
        yield from rows_of_stream(save.label, save.events, plan, self.fields, with_header=self.with_header)


class Output:
    """The table that is written: with the first save, so a file that is no save does not overwrite it.

    Leaving the `with` statement ends the table; leaving it by an exception leaves the old file, if the output is one.
    """

    def __init__(self, path: str, kind: str, fields: tuple[str, ...], *, spreadsheet: bool, with_header: bool) -> None:
        self.path = path
        self._spreadsheet = spreadsheet
        self._kind = kind
        self._names = column_names(fields, with_header=with_header)
        self._file = ExitStack()
        self._table: Table | None = None
        self._arrow_rows: ArrowRows | None = None
        if kind not in TEXTS:
            use_system_memory()
            with without_numpy():
                from streamsave.output.arrow import ArrowRows

                if kind == "parquet":
                    import pyarrow.parquet  # noqa: F401 - so that it, too, does without
            self._arrow_rows = ArrowRows(fields, batch_size=BATCH_ROWS, with_header=with_header)

    def learn(self, rows: Iterable[Row]) -> bool:
        """Find the types of the columns from these rows, if the format has types. Return whether no more rows are needed."""
        return self._arrow_rows is None or self._arrow_rows.learn(rows)

    def add(self, row: Row | None) -> None:
        """Write a row; None writes the head of the table."""
        try:
            self._table = self._table or self._open()
            if row is not None:
                self._table.add(row)
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> OutputFailed:
        return OutputFailed(error) if self.path == STDOUT else OutputFailed(error, self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._file:
            if error is not None:
                raise error
            try:
                if self._table is not None:
                    self._table.close()
            except OSError as failure:
                raise self._failed(failure) from None

    def _open(self) -> Table:
        file = self._file.enter_context(open_output(None if self.path == STDOUT else self.path))
        if self._kind == "csv":
            return CsvTable(file, self._names, self._change_of_texts(file))
        if self._arrow_rows is None:
            return NdjsonTable(file, self._names)
        from streamsave.output.arrow import ArrowTable

        return ArrowTable(file, cast("ArrowFormat", self._kind), self._arrow_rows)

    def _change_of_texts(self, file: BinaryIO) -> Callable[[str], str] | None:
        """Return what changes the texts of CSV; None without reason to change any."""
        if not file.isatty():
            return guarded if self._spreadsheet else None
        return (lambda text: clean(guarded(text))) if self._spreadsheet else clean


@contextmanager
def without_numpy() -> Iterator[None]:
    """Keep pyarrow from importing numpy, if nothing has yet: that takes longer than pyarrow itself, and ten MB.

    Only its conversions from and to arrays of numpy need it.
    """
    is_there = "numpy" in sys.modules
    if not is_there:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # an import then finds that there is none
    try:
        yield
    finally:
        if not is_there:
            del sys.modules["numpy"]


def use_system_memory() -> None:
    """Let Arrow take its memory from the system, unless the user says otherwise: its own allocator keeps what a row group took.

    That is some 20 MB. Arrow reads the variable when it is imported; what writes Parquet does not heed `pyarrow.set_memory_pool`.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def format_of(path: str) -> str:
    """Return the format that the name of a file asks for.

    Raises:
        click.UsageError: the name has no known ending.
    """
    kind = SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        raise click.UsageError(f"{path!r} has no known ending: give --format, or a name that ends in {', '.join(SUFFIXES)}.")
    return kind


@click.command("export", short_help="Objects and fields as a table: Parquet, Arrow, CSV, NDJSON.")
@saves_argument
@where_option
@click.option(
    "--field", "fields", metavar="PATH", multiple=True, help="Add a column with this field. May be given more than once."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=OutputFile(allow_dash=True),
    help="Write to this file; - is standard output, for ndjson and csv.",
)
@click.option("--format", "kind", type=click.Choice(FORMATS), help="The format, if the name of FILE has another ending.")
@click.option("--with-header", is_flag=True, help="Add columns from the header: session, saved, play_time, save_name.")
@click.option("--spreadsheet", is_flag=True, help="In CSV, put a ' before each text that a spreadsheet program would run.")
@hints_option
@objects_option
@limit_option
@time_options
@jobs_option
def command(
    saves: Saves,
    where: Selection | None,
    fields: tuple[str, ...],
    output: str,
    kind: str | None,
    with_header: bool,
    spreadsheet: bool,
    hints: dict[str, str],
) -> int:
    """Write a row for each object: file, class, name, level, x, y, z, size, offset, and a column for each --field.

    Parquet and Arrow (arrow: a file, arrows: a stream) keep types, and need pip install 'streamsave[arrow]'. The types are those
    in the first save with such objects, which is read twice. A later value of another type goes to the column misfits, as JSON.
    In CSV, values that are no text are JSON; in NDJSON (instead of --json), all values are as `streamsave json` writes
    them.

    Spreadsheet programs run texts that begin with = + - @, a tab or the end of a line, and the texts of a save may be hostile:
    for such a program, write CSV with --spreadsheet. Without it, the data are never altered; only to a terminal, control
    characters are escaped in CSV.

    A damaged save gives the objects before the damage. Exit code: 0, or 2 if a save cannot be read to its end.
    """
    kind = kind or format_of(output)
    if output == STDOUT and kind not in TEXTS:
        raise click.UsageError(f"{kind} needs a file; to standard output go {' and '.join(TEXTS)}.")
    if spreadsheet and kind != "csv":
        raise click.UsageError(f"--spreadsheet is for csv, not for {kind}.")
    try:
        Plan([], fields)
    except SelectError as error:
        raise click.UsageError(str(error)) from None
    try:
        table = Output(output, kind, fields, spreadsheet=spreadsheet, with_header=with_header)
    except ModuleNotFoundError as error:
        report(output, str(error))
        return FAILED

    return write_table(saves, RowsOf(where, fields, with_header), table, hints)


def rows_of_file(name: str, rows: RowsOf, hints: dict[str, str], where: Selection | None) -> Generator[Row]:
    """Open a save, and yield the rows of the objects that a selection wants.

    Raises:
        SaveError, OSError, UnsupportedOption: it cannot be read.
    """
    with open_input(name, summary=True, type_hints=hints) as save:
        yield from filter(None, RowsOf(where, rows.fields, rows.with_header)(save))


def write_table(saves: Saves, rows: RowsOf, table: Output, hints: dict[str, str]) -> int:
    """Write the rows of all saves; return the exit code."""
    for name in saves:
        # Standard input is read only once: its first rows give the types. What cannot be read is reported later, in its turn.
        if name == STDIN or table.learn([]):
            break
        if isinstance(name, OSError):
            continue
        with suppress(SaveError, UnsupportedOption, OSError):
            table.learn(sample_rows(partial(rows_of_file, name, rows, hints), rows.where, rows.fields))
    with table:
        return gather(saves, rows, table.add, summary=table.path != STDOUT, type_hints=hints)
