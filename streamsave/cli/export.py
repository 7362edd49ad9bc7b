"""`streamsave export`: the objects of saves as rows of one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import click

from streamsave.cli.options import (
    Saves,
    jobs_option,
    layout_options,
    limit_option,
    refuse,
    saves_argument,
    time_options,
    usage_of,
    where_option,
)
from streamsave.cli.output import FAILED, STDOUT, Failed, OutputFailed, OutputFile, open_output, report, without_numpy
from streamsave.cli.save import Save, copied, gather, open_input, sampled
from streamsave.cli.text import clean, quoted
from streamsave.consume.conditions import Selection
from streamsave.consume.selection import Plan
from streamsave.decode.slices import Parts
from streamsave.output.json_text import held_json
from streamsave.output.rows import (
    CsvTable,
    NdjsonTable,
    Row,
    column_names,
    guarded,
    rows_of_stream,
    sample_rows,
)

if TYPE_CHECKING:
    from streamsave.output.arrow import ArrowFormat, ArrowRows, ArrowTable

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


def rows_of(
    fields: tuple[str, ...], with_header: bool, large: Callable[[Parts], object], where: Selection | None, save: Save
) -> Iterator[Row | None]:
    """Yield None, because the save was opened, and then its rows as they are read.

    Args:
        fields: paths of the columns.
        with_header: with columns from the header.
        large: makes cells of values that are too large to build.
        where: the objects that are wanted; None: all.
        save: the save.

    Raises:
        SaveError: the bytes are at fault.
    """
    yield None
    yield from rows_of_stream(save.label, save.events, Plan([where], fields), fields, with_header=with_header, large=large)


class TooLarge:
    """In place of a value that is too large for a format with types: it has to be in memory for that."""

    def __init__(self, parts: Parts) -> None:
        #: Of elements.
        self.count = sum(len(elements) for _, elements in parts)


class Output:
    """The table that is written: with the first save, so a file that is no save does not overwrite it."""

    def __init__(self, path: str, kind: str, fields: tuple[str, ...], *, spreadsheet: bool, with_header: bool) -> None:
        #: None: standard output.
        self._path = None if path == STDOUT else path
        self._spreadsheet = spreadsheet
        self._kind = kind
        self._names = column_names(fields, with_header=with_header)
        self._fields = fields
        #: Fields that no row has a value of so far, and whether there was a row.
        self._absent = set(fields)
        self._has_rows = False
        self._file = ExitStack()
        self._table: CsvTable | NdjsonTable | ArrowTable | None = None
        self._arrow_rows: ArrowRows | None = None
        #: FAILED if a value is not in the table, for it is too large.
        self.code = 0
        if kind not in TEXTS:
            # Its own allocator keeps what a row group took, some 20 MB. Arrow reads the variable when it is imported; what writes
            # Parquet does not heed `pyarrow.set_memory_pool`.
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
            with without_numpy():
                from streamsave.output.arrow import ArrowRows

                if kind == "parquet":
                    import pyarrow.parquet  # noqa: F401 - so that it, too, does without
            self._arrow_rows = ArrowRows(fields, batch_size=BATCH_ROWS, with_header=with_header)

    def learn(self, rows: Iterable[Row]) -> bool:
        """Find the types of the columns from these rows, if the format has types. Return whether no more rows are needed."""
        return self._arrow_rows is None or self._arrow_rows.learn(map(self._small, rows))

    def _small(self, row: Row) -> Row:
        """Return a row without values that are too large."""
        return tuple([None if isinstance(cell, TooLarge) else cell for cell in row])

    def _report(self, row: Row) -> Row:
        """Say which values of a row are too large, and return it without them."""
        for name, cell in zip(self._names, row, strict=True):
            if isinstance(cell, TooLarge):
                message = f"{name} of {row[2]}: {cell.count:,} elements are too many for {self._kind}; csv and ndjson take them"
                report(str(row[0]), f"{message}. The cell is empty; the rest is there")
                self.code = FAILED
        return self._small(row)

    def add(self, row: Row | None) -> None:
        """Write a row; None writes the head of the table."""
        try:
            self._table = self._table or self._open()
            if row is not None:
                self._table.add(row if self._arrow_rows is None else self._report(row))
                self._has_rows = True
                if self._absent:
                    cells = zip(self._fields, row[len(row) - len(self._fields) :], strict=True)
                    self._absent.difference_update([field for field, cell in cells if cell is not None])
        except OSError as error:
            raise OutputFailed(error, self._path) from None

    @contextmanager
    def written(self) -> Iterator[None]:
        """End the table at the end; if an exception leaves the statement, the old file stays, if the output is one."""
        with self._file:
            yield
            try:
                if self._table is not None:
                    self._table.close()
            except OSError as failure:
                raise OutputFailed(failure, self._path) from None

    def report_absent(self) -> None:
        """Say which fields no row has a value of: they may be misspelt."""
        if self._absent and self._has_rows:
            report("export", f"no row has a value of {', '.join(map(quoted, sorted(self._absent)))}")

    def _open(self) -> CsvTable | NdjsonTable | ArrowTable:
        file = self._file.enter_context(open_output(self._path))
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
@layout_options
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
) -> int:
    """Write a row for each object: file, class_name, instance_name, level, x, y, z, size, offset, and a column for each --field.

    Parquet and Arrow (arrow: a file, arrows: a stream) keep types, and need pip install "streamsave[arrow]". The types are those
    in the first save with such objects, which is read twice: of a pipe, a copy. A later value of another type goes to the column
    misfits, as JSON. In CSV, values that are no text are JSON; in NDJSON (instead of --json), all values are as `streamsave json`
    writes them.

    Spreadsheet programs run texts that begin with = + - @, a tab or the end of a line, and the texts of a save may be hostile:
    for such a program, write CSV with --spreadsheet. Without it, the data are never altered; only to a terminal, control
    characters are escaped in CSV.

    A field of any size is written in constant memory as NDJSON and CSV. In Parquet and Arrow, a list that is larger than --limit
    build_nodes or build_size allows is left out: its cell is empty, a message names it, and the exit code is 2.

    A damaged save gives the objects before the damage. Exit code: 0, or 2 if a save cannot be read to its end.
    """
    kind = kind or SUFFIXES.get(Path(output).suffix.lower())
    if kind is None:
        raise click.UsageError(f"{output!r} has no known ending: give --format, or a name that ends in {', '.join(SUFFIXES)}.")
    refuse(output == STDOUT and kind not in TEXTS, f"{kind} needs a file; to standard output go {' and '.join(TEXTS)}.")
    refuse(spreadsheet and kind != "csv", f"--spreadsheet is for csv, not for {kind}.")
    with usage_of(""):
        Plan([], fields)
    try:
        table = Output(output, kind, fields, spreadsheet=spreadsheet, with_header=with_header)
    except ModuleNotFoundError as error:
        raise Failed(output, str(error)) from None

    rows = partial(rows_of, fields, with_header, held_json if kind in TEXTS else TooLarge)

    def rows_in(name: str, where: Selection | None) -> Generator[Row]:
        with open_input(name) as save:
            yield from filter(None, rows(where, save))

    def samples(name: str) -> Iterator[Row]:
        return sample_rows(partial(rows_in, name), where, fields)

    with nullcontext() if kind in TEXTS else copied(saves):
        for name in saves:
            if isinstance(name, str) and table.learn(sampled(name, samples)):
                break
        with table.written():
            code = gather(saves, partial(rows, where), table.add) or table.code
        table.report_absent()
    return code
