"""What a query needs of the saves: columns, and which objects. DuckDB gives its syntax tree as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import orjson
from attrs import frozen

from streamsave.cli.options import both
from streamsave.output.rows import FIXED_COLUMNS, HEADER_COLUMNS, MISFITS

if TYPE_CHECKING:
    import duckdb

    from streamsave.consume.conditions import Selection

__all__ = ["Needs", "needs_of"]

Node = dict[str, Any]

FIXED: Final = {*FIXED_COLUMNS, MISFITS}
HEADER: Final = {*HEADER_COLUMNS}
#: Columns whose tests the reader can do, too, and what has a meaning in the text of a selection.
TESTED: Final = ("class", "name", "level")
SPECIAL: Final = frozenset('"\\*?[]')


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
    import duckdb

    ((text,),) = connection.execute("select json_serialize_sql(?)", [query]).fetchall()
    tree: Node = orjson.loads(text)
    if tree.get("error", True) or not tree.get("statements"):
        raise duckdb.ParserException(str(tree.get("error_message", "no query")))
    nodes = list(_nodes(tree))
    bases = [node for node in nodes if node.get("type") == "BASE_TABLE" and node.get("table_name", "").lower() == table]
    own = {table, *(node["alias"].lower() for node in bases if node.get("alias"))}
    #: Names of other tables, and of columns that the query makes.
    tables = {str(node["alias"]).lower() for node in nodes if node.get("alias") and "from_table" not in node} - own
    tables |= {str(node["key"]).lower() for node in nodes if "key" in node and "value" in node}
    made = {str(node["alias"]).lower() for node in nodes if node.get("alias") and not _refers_to(node, node["alias"])} - own
    fields: dict[str, None] = {}
    header = False
    sizes = any(node.get("type") == "STAR" for node in nodes)
    for node in nodes:
        if node.get("type") != "COLUMN_REF":
            continue
        parts = list(node["column_names"])
        if len(parts) > 1 and parts[0].lower() in own:
            parts = parts[1:]
        elif len(parts) > 1 and parts[0].lower() in tables:
            continue
        name = parts[0]
        if name.lower() in HEADER:
            header = True
        elif name.lower() in FIXED:
            sizes = sizes or name.lower() == "size"
        elif name.lower() not in made:
            fields[name] = None
    tests: list[str] = []
    if len(bases) == 1:
        for node in nodes:
            if node.get("from_table") is bases[0] and node.get("where_clause") is not None:
                tests = [text for text in map(_selection_of, _conjuncts(node["where_clause"])) if text]
    return Needs(tuple(fields), header, sizes, len(bases), tuple(tests))


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


def _selection_of(node: Node) -> str | None:
    """Return the text of a selection that wants at least the objects of a test; None if there is none."""
    kind = node.get("type")
    if kind == "COMPARE_EQUAL":
        return _equals(node["left"], [node["right"]])
    if kind == "COMPARE_IN":
        return _equals(node["children"][0], node["children"][1:])
    if kind == "FUNCTION" and node.get("function_name") == "~~":
        column, pattern = node.get("children") or [each["expression"] for each in node["arguments"]]
        name, text = _tested(column), _constant(pattern)
        if name is None or text is None or SPECIAL & set(text):
            return None
        return f'{name} = "{text.replace("%", "*").replace("_", "?")}"'
    return None


def _equals(column: Node, values: list[Node]) -> str | None:
    name = _tested(column)
    texts = [_constant(value) for value in values]
    if name is None or any(text is None or SPECIAL & set(text) for text in texts):
        return None
    return "(" + " or ".join(f'{name} == "{text}"' for text in texts) + ")"


def _tested(node: Node) -> str | None:
    if node.get("type") != "COLUMN_REF":
        return None
    name = str(node["column_names"][-1]).lower()
    return name if name in TESTED else None


def _constant(node: Node) -> str | None:
    """Return a text that stands in the query. Older versions of DuckDB have it elsewhere."""
    literal = node.get("literal")
    if isinstance(literal, dict):
        return str(literal["text"]) if literal.get("kind") == "STRING" else None
    value = node.get("value")
    held = value.get("value") if isinstance(value, dict) else None
    return held if isinstance(held, str) else None
