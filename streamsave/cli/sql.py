"""`streamsave sql`: a query over the objects of saves, by DuckDB."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.options import (
    Saves,
    hints_option,
    json_option,
    limit_option,
    objects_option,
    saves_argument,
    time_options,
    where_option,
)
from streamsave.cli.output import FAILED, report, write_json, write_rows
from streamsave.cli.save import attempt, open_input
from streamsave.cli.save_names import STDIN
from streamsave.cli.text import clean
from streamsave.consume.selection import Plan
from streamsave.decode.json_values import Json, json_value
from streamsave.errors import SelectError
from streamsave.output.json_text import json_bytes
from streamsave.output.rows import rows_of_stream, sample_rows

if TYPE_CHECKING:
    import duckdb

    from streamsave.cli.sql_needs import Needs
    from streamsave.consume.conditions import Function, Selection
    from streamsave.output.rows import Row

__all__ = ["command"]

#: The name of the table.
TABLE: Final = "objects"
#: What keeps a query from files, the network, extensions, and from changing that.
SEALED: Final = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}
#: Rows of the result that are held at a time.
RESULT_ROWS: Final = 1024


@click.command("sql", short_help="Objects of all saves as a table: an SQL query.")
@click.argument("query")
@saves_argument
@where_option
@time_options
@json_option
@hints_option
@objects_option
@limit_option
@click.option("--allow-files", is_flag=True, help="Let the query read files and URLs, and load extensions of DuckDB.")
def command(query: str, saves: Saves, where: Selection | None, as_json: bool, hints: dict[str, str], *, allow_files: bool) -> int:
    """Ask all saves, as one table called objects. Needs pip install 'streamsave[sql]'.

    The columns are those of `streamsave export`: file, class, name, level, x, y, z, size, offset, also session, saved,
    play_time and save_name. Any other column is a property: mCurrentPotential, "mInventoryStacks[0].Item". Only the properties
    that the query names are read, and, of a test such as class like '%Miner%', only such objects.

    The query sees these objects and nothing else of the machine. With --allow-files, it may also read files, as in
    select p.price, count(*) from objects join 'prices.csv' p using (class) group by 1.

    Exit code: 0, or 2 if a save cannot be read to its end, or the query has a fault.
    """
    try:
        import duckdb

        from streamsave.cli.sql_needs import needs_of
        from streamsave.output.arrow import ArrowRows, batch_reader
    except ModuleNotFoundError as missing:
        report("sql", f"needs the extra `sql`: pip install 'streamsave[sql]' ({missing.name} is not installed)")
        return FAILED
    # One thread: rows are read, and errors reported, in this one.
    connection = duckdb.connect(config={"threads": 1, **({} if allow_files else SEALED)})
    try:
        needs = needs_of(connection, query, TABLE)
        selection = needs.selection(where)
        reading = Reading(saves, needs, selection, hints)
        collected = ArrowRows(needs.fields, with_header=needs.with_header)
        for name in saves:
            if name == STDIN:
                break
            with suppress(Exception):  # `reading.rows()` meets it again, and says so
                if isinstance(name, str) and collected.learn(reading.sample(name)):
                    break
        reader = batch_reader(reading.rows(), collected)
        if needs.reads > 1:
            connection.register("streamsave_rows", reader)
            connection.execute(f"create temp table {TABLE} as select * from streamsave_rows")  # noqa: S608 - our own names
        else:
            connection.register(TABLE, reader)
        result = connection.execute(query)
        _write(result, as_json=as_json)
    except duckdb.Error as error:
        report("sql", clean(str(error)))
        return FAILED
    except SelectError as error:
        raise click.UsageError(str(error)) from None
    finally:
        connection.close()
    return reading.code


class Reading:
    """Reads the saves while DuckDB takes rows.

    Args:
        saves: the saves.
        needs: what the query needs.
        where: which objects.
        hints: as for `streamsave.open`.
    """

    def __init__(self, saves: Saves, needs: Needs, where: Selection | None, hints: dict[str, str]) -> None:
        self._saves = saves
        self._needs = needs
        self._where = where
        self._hints = hints
        #: The exit code so far.
        self.code = 0

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all saves. A save that cannot be read is reported, and gives those before its error."""
        return chain.from_iterable(map(self._rows_of, self._saves))

    def _rows_of(self, name: str | OSError) -> Iterator[Row]:
        if isinstance(name, OSError):
            self._say(name, name)
            return
        try:
            yield from self._open(name, self._where)
        except Exception as error:  # noqa: BLE001 - `attempt` raises what is no fault of the save again
            self._say(name, error)

    def _say(self, name: str | OSError, error: Exception) -> None:
        def fail(_: str) -> int:
            raise error

        self.code = max(self.code, attempt(name, fail))

    def _open(self, name: str, where: str | Selection | Function | None) -> Generator[Row]:
        needs = self._needs
        with open_input(name, summary=True, type_hints=self._hints) as save:
            plan = Plan([where], needs.fields, sizes=needs.sizes)
            yield from rows_of_stream(save.label, save.events, plan, needs.fields, with_header=needs.with_header)

    def sample(self, name: str) -> Iterator[Row]:
        """Yield rows that show the types of the fields."""
        return sample_rows(lambda where: self._open(name, where), self._where, self._needs.fields)


def _write(result: duckdb.DuckDBPyConnection, *, as_json: bool) -> None:
    names = [column[0] for column in result.description or ()]
    rows = chain.from_iterable(iter(lambda: result.fetchmany(RESULT_ROWS), []))
    if as_json:
        for row in rows:
            write_json({name: _json(value) for name, value in zip(names, row, strict=True)})
    else:
        write_rows("result", list(map(clean, names)), (tuple(map(_text, row)) for row in rows))


def _json(value: object) -> Json:
    try:
        return json_value(value)
    except TypeError:  # a moment, a decimal number, ...
        return json_value(str(value))


def _text(value: object) -> str:
    if value is None:
        return ""
    shown = _json(value)
    return shown if isinstance(shown, str) else json_bytes(shown).decode("utf-8")
