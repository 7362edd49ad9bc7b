"""`streamsave sql`: a query over the objects of saves, by DuckDB."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, nullcontext
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

import click
import orjson
from attrs import frozen

from streamsave.cli.nothing_found import explain
from streamsave.cli.options import (
    Saves,
    both,
    json_option,
    layout_options,
    limit_option,
    saves_argument,
    time_options,
    where_option,
)
from streamsave.cli.output import Failed, report, without_numpy, write_json, write_rows
from streamsave.cli.save import copied, open_input, report_fault, reporting, sampled, selecting
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean
from streamsave.consume.conditions import And, Function, Has, Selection
from streamsave.consume.selection import Plan
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.decode.paths import parse_path
from streamsave.errors import SelectError
from streamsave.output.rows import FIXED_COLUMNS, HEADER_COLUMNS, MISFITS, Row, cell_text, rows_of_stream, sample_rows

if TYPE_CHECKING:
    import duckdb


__all__ = ["command", "needs_of"]

#: The name of the table, and of what it is in.
TABLE: Final = "objects"
SCHEMAS: Final = frozenset({"temp", "main"})
#: What keeps a query from files, the network, extensions, and from changing that.
SEALED: Final = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}
Node = dict[str, Any]

#: Names that are no properties: columns, and values that SQL writes like columns.
COLUMNS: Final = {
    *(*FIXED_COLUMNS, *HEADER_COLUMNS, MISFITS),
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
}
#: What DuckDB says of a statement that is no query, and what that means.
NO_QUERY: Final = "Only SELECT statements can be serialized to json!"
ONE_QUERY: Final = "give one query: SELECT, FROM, WITH, VALUES, DESCRIBE or SUMMARIZE"
#: Columns whose tests the reader can do, too, and what has a meaning in the text of a selection.
TESTED: Final = ("class_name", "instance_name", "level")
SPECIAL: Final = frozenset('"\\*?[]')
#: Rows of the result that are held at a time.
RESULT_ROWS: Final = 1024


@click.command("sql", short_help="Objects of all saves as a table: an SQL query.")
@click.argument("query")
@saves_argument
@where_option
@time_options
@json_option
@layout_options
@limit_option
@click.option("--allow-files", is_flag=True, help="Let the query read files and URLs, and load extensions of DuckDB.")
@without_numpy()
def command(query: str, saves: Saves, where: Selection | None, as_json: bool, *, allow_files: bool) -> int:
    """Ask all saves, as one table called objects. Needs pip install "streamsave[sql]".

    The columns are those of `streamsave export`: file, class_name, instance_name, level, x, y, z, size, "offset" (in double
    quotes: it is a word of SQL), also session, saved, play_time and save_name. Any other column is a property: mCurrentPotential,
    "mInventoryStacks[0].Item"; with a dot, also one that is called like a column, or like another one but for case: ".Level".
    Only the properties that the query names are read, and, of a test such as class_name like '%Miner%', only such objects.

    The query sees these objects and nothing else of the machine. With --allow-files, it may also read files, as in
    select p.price, count(*) from objects join 'prices.csv' p using (class_name) group by 1.

    Exit code: 0, or 2 if a save cannot be read to its end, or the query has a fault.
    """
    try:
        import duckdb

        from streamsave.output.arrow import ArrowRows, batch_reader
    except ModuleNotFoundError as missing:
        raise Failed("sql", f'needs the extra `sql`: pip install "streamsave[sql]" ({missing.name} is not installed)') from None
    code = 0
    # One thread: rows are read, and errors reported, in this one.
    config = {"threads": 1, **({} if allow_files else SEALED)}
    try:
        with duckdb.connect(config=config) as connection, ExitStack() as opened:
            needs = needs_of(connection, query, TABLE)
            wanted = needs.selection(where)
            if needs.fields:
                opened.enter_context(copied(saves))

            def rows_in(name: str, where: str | Selection | Function | None) -> Generator[Row]:
                with open_input(name) as save:
                    plan = Plan([where], needs.fields, sizes=needs.sizes)
                    yield from rows_of_stream(label_of(name), save.events, plan, needs.fields, with_header=needs.with_header)

            #: Properties that no object has so far, and the saves that have objects.
            absent, read = set(needs.fields), dict[str, None]()

            def samples(name: str) -> Generator[Row]:
                for row in sample_rows(partial(rows_in, name), wanted, needs.fields):
                    read[name] = None
                    cells = zip(needs.fields, row[len(row) - len(needs.fields) :], strict=True)
                    absent.difference_update([field for field, cell in cells if cell is not None])
                    yield row

            def type_samples() -> Iterator[Row]:
                """Yield rows that show the types of the fields: of wanted objects; of all, for fields that none of these has."""
                names = [name for name in saves if isinstance(name, str)]
                for name in names:
                    yield from sampled(name, samples)
                lacking = sorted(absent)
                for name in names if lacking else ():
                    for row in sampled(name, lambda name: sample_rows(partial(rows_in, name), None, lacking)):
                        start = len(row) - len(needs.fields)
                        cells = zip(needs.fields, row[start:], strict=True)
                        yield (*row[:start], *[cell if field in lacking else None for field, cell in cells])

            def rows() -> Iterator[Row]:
                """Yield the rows of all saves, while DuckDB takes them; of one that cannot be read, those before its error."""
                nonlocal code
                for name in saves:
                    if isinstance(name, OSError):
                        code = max(code, report_fault(name, name))
                        continue
                    # A test of the query may hide from `--where` what that is about.
                    told = nullcontext() if needs.tests else selecting(name)
                    try:
                        with reporting(label_of(name)), told:
                            yield from rows_in(name, wanted)
                    except Exception as error:  # noqa: BLE001 - a bug is raised again
                        code = max(code, report_fault(error, name))

            collected = ArrowRows(needs.fields, with_header=needs.with_header)
            if needs.fields:  # of all rows: a query sees no misfits
                collected.learn(type_samples(), enough=sys.maxsize)
            for field, other in pairwise(sorted(set(needs.fields) - absent, key=lambda field: (field.lower(), field))):
                if field.lower() == other.lower():
                    said = f'{field} and {other} are one column for SQL, as case does not count: write one as ".{other}"'
                    raise Failed("sql", said)
            if absent and read and needs.reads:
                first = next(iter(read))
                with open_input(first) as save:
                    reason = explain(save.events, And(tuple([Has(parse_path(field)) for field in sorted(absent)])))
                if reason:
                    report(label_of(first), reason)
            reader = batch_reader(rows(), collected)
            if needs.reads > 1:
                connection.register("streamsave_rows", reader)
                connection.execute(f"create temp table {TABLE} as select * from streamsave_rows")  # noqa: S608 - our own names
            else:
                connection.register(TABLE, reader)
            _write(connection.execute(query), as_json=as_json)
    except duckdb.Error as error:
        raise Failed("sql", " ".join(str(error).partition("\nLINE ")[0].split())) from None
    except SelectError as error:
        raise click.UsageError(str(error)) from None
    return code


def _write(result: duckdb.DuckDBPyConnection, *, as_json: bool) -> None:
    names: list[str] = []
    for name, *_ in result.description or ():
        while name in names:  # else JSON has one of them only
            name += "_"
        names.append(name)
    rows = chain.from_iterable(iter(lambda: result.fetchmany(RESULT_ROWS), []))
    if as_json:
        for row in rows:
            write_json({name: _json(value) for name, value in zip(names, row, strict=True)})
    else:
        write_rows("result", list(map(clean, names)), ([cell_text(_json(value)) for value in row] for row in rows), is_whole=True)


def _json(value: object) -> Json:
    try:
        return to_jsonable(value)
    except TypeError:  # a moment, a decimal number, ..., or they are in it
        if isinstance(value, dict):
            return {str(name): _json(each) for name, each in value.items()}
        return [_json(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


# --- what a query needs of the saves: DuckDB gives its syntax tree as JSON ---


@frozen
class Needs:
    """What a query needs."""

    #: Paths of properties.
    fields: tuple[str, ...]
    #: It has columns of the headers, or the sizes of objects.
    with_header: bool
    sizes: bool
    #: How often it reads the table.
    reads: int
    #: Tests that all objects have to pass, as the text of a selection.
    tests: tuple[str, ...]

    def selection(self, where: Selection | None) -> Selection | None:
        """Return which objects are needed.

        Args:
            where: those that the user wants.
        """
        for text in self.tests:
            where = both(text, where)
        return where


def needs_of(connection: duckdb.DuckDBPyConnection, query: str, table: str) -> Needs:
    """Return what a query needs of a table.

    Raises:
        duckdb.Error: the query is none.
    """
    ((text,),) = connection.execute("select json_serialize_sql(?)", [query]).fetchall()
    tree: Node = orjson.loads(text)
    if tree.get("error", True) or len(tree["statements"]) != 1:
        import duckdb

        raise duckdb.ParserException(str(tree.get("error_message", NO_QUERY)).replace(NO_QUERY, ONE_QUERY))
    nodes = list(_nodes(tree))
    bases = [node for node in nodes if node.get("type") == "BASE_TABLE" and node.get("table_name", "").lower() == table]
    own = {table, *(node["alias"].lower() for node in bases if node.get("alias"))}
    #: Names of other tables, and of columns that the query makes.
    tables = {str(node["alias"]).lower() for node in nodes if node.get("alias") and "from_table" not in node} - own
    tables |= {str(node["key"]).lower() for node in nodes if "key" in node and "value" in node}
    made = {str(node["alias"]).lower() for node in nodes if node.get("alias") and not _refers_to(node, node["alias"])} - own
    made |= {str(alias).lower() for node in nodes for alias in node.get("column_name_alias", ())}
    parameters = [node["lhs"] for node in nodes if node.get("syntax_type") == "LAMBDA_KEYWORD"]
    made |= {node["column_names"][0].lower() for node in _nodes(parameters) if node.get("type") == "COLUMN_REF"}
    names: dict[str, None] = {}
    for node in nodes:
        first, *rest = node["column_names"] if node.get("type") == "COLUMN_REF" else [""]
        while len(rest) > 1 and first.lower() in SCHEMAS and rest[0].lower() in SCHEMAS | own:  # as in main.objects.mA
            first, *rest = rest
        if rest and first.lower() in own:
            names[rest[0]] = None
        elif first and not (rest and first.lower() in tables):
            names[first] = None
    lower = set(map(str.lower, names))
    # The name of a table is a struct of all its columns.
    sizes = not own.isdisjoint(lower) or "size" in lower or any(node.get("type") == "STAR" for node in nodes)
    fields = tuple([name for name in names if name.lower() not in COLUMNS | made | own])
    tests: list[str] = []
    if len(bases) == 1:
        for node in nodes:
            if node.get("from_table") is bases[0] and node.get("where_clause") is not None:
                tests = [text for each in _conjuncts(node["where_clause"]) if (text := _selection_of(each, own))]
    return Needs(fields, not lower.isdisjoint(HEADER_COLUMNS), sizes, len(bases), tuple(tests))


def _nodes(tree: object) -> Iterator[Node]:
    """Yield all nodes of a tree."""
    if isinstance(tree, dict):
        yield tree
        for child in tree.values():
            yield from _nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _nodes(child)


def _refers_to(node: Node, name: str) -> bool:
    """Return whether a column of this name is in an expression."""
    return any(inner.get("type") == "COLUMN_REF" and inner["column_names"][-1].lower() == name.lower() for inner in _nodes(node))


def _conjuncts(node: Node) -> Iterator[Node]:
    """Yield the tests that all have to pass."""
    if node.get("type") == "CONJUNCTION_AND":
        for child in node["children"]:
            yield from _conjuncts(child)
    else:
        yield node


def _selection_of(node: Node, own: set[str]) -> str | None:
    """Return the text of a selection that wants at least the objects of a test; None if there is none.

    Args:
        node: the test.
        own: names of the table.
    """
    kind = node.get("type")
    if kind == "COMPARE_EQUAL":
        column, *values = node["left"], node["right"]
    elif kind == "COMPARE_IN":
        column, *values = node["children"]
    elif kind == "FUNCTION" and node.get("function_name") == "~~":
        column, *values = [each["expression"] for each in node["arguments"]]
    else:
        return None
    *table, name = map(str.lower, column["column_names"]) if column.get("type") == "COLUMN_REF" else [""]
    texts = [text for text in map(_constant, values) if text is not None and SPECIAL.isdisjoint(text)]
    if name not in TESTED or not own.issuperset(table) or len(texts) < len(values):
        return None
    if kind == "FUNCTION":
        return f'{name} = "{texts[0].replace("%", "*").replace("_", "?")}"'
    return "(" + " or ".join(f'{name} == "{text}"' for text in texts) + ")"


def _constant(node: Node) -> str | None:
    """Return a text of the query; None if it is something else."""
    literal = node.get("literal", {})
    return str(literal["text"]) if literal.get("kind") == "STRING" else None
