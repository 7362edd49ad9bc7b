"""What the commands of a game share: rows with named columns, how they are asked for, and how they are written.

A test of `--where` that names a column is about the rows, any other one about the objects that the rows are made of. The rows of
some commands are sums over many objects, so tests of both sorts only go together by `and`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from streamsave.cli.options import for_people, json_option, limit_option, parse_all, saves_argument, watch
from streamsave.cli.output import on_terminal, report, write_json, write_rows
from streamsave.cli.save import Save
from streamsave.cli.text import place_text
from streamsave.consume.conditions import And, Compare, Facts, Selection
from streamsave.decode.json_values import to_jsonable

if TYPE_CHECKING:
    from streamsave.cli.nothing_found import Watched

__all__ = ["Row", "Where", "answer_options"]

#: Columns with names of classes.
CLASSES: Final = ("class", "item", "recipe", "store")
#: The column with a place: x, y and z, or None.
PLACE: Final = "place"
#: A value for each column.
Row: TypeAlias = tuple[object, ...]


class Where:
    """What `--where` of a command with columns says.

    Args:
        texts: each selection that was given.
        columns: of the rows.

    Raises:
        UsageError: a text is no selection, or one test needs a row and an object.
    """

    def __init__(self, texts: Iterable[str], columns: tuple[str, ...]) -> None:
        self.columns: Final = columns
        objects: list[Selection] = []
        rows: list[Selection] = []
        for part in _parts_of(parse_all(texts, columns)):
            named = {self._column(test) for test in part._tests()}
            if named == {""}:
                objects.append(part)
            elif "" not in named:
                rows.append(part)
            else:
                named_text = f"--where: join tests of columns ({', '.join(sorted(named - {''}))})"
                raise click.UsageError(f"{named_text} and of objects by 'and', not by 'or' or 'not (...)'")
        #: The objects that are wanted; None: all.
        self.objects: Final[Watched | None] = watch(click.get_current_context(), reduce(and_, objects)) if objects else None
        self._rows: Final = reduce(and_, rows) if rows else None

    def _column(self, test: Selection) -> str:
        """Return the column that a test compares; "" if it is about objects."""
        # A dot at the start means a property.
        return test.path.root if isinstance(test, Compare) and test.path.text in self.columns else ""

    def write(self, save: Save, rows: Iterable[Row], *, numbers: tuple[str, ...], several: bool, as_json: bool) -> None:
        """Write the rows of one save that are wanted; say so, at the end, if objects were, but none of their rows.

        Args:
            save: the save.
            rows: a value for each column.
            numbers: columns that are aligned on the right.
            several: the command reads several saves: in a pipe, the first column is the save.
            as_json: write a JSON object for each row.
        """
        wanted = self._keep(save, rows)
        unit = save.events.format.place_unit
        if as_json:
            for row in wanted:
                values = dict(zip(self.columns, row, strict=True))
                if PLACE in values:
                    at = values.pop(PLACE)
                    values[f"position_{unit.name}"] = [number / unit.scale for number in at] if isinstance(at, tuple) else None
                write_json({"file": to_jsonable(save.label), **{name: to_jsonable(value) for name, value in values.items()}})
            return

        def place(value: object) -> str:
            return place_text(value if isinstance(value, tuple) else None, unit.scale, unit.symbol)

        name = (lambda value: for_people(str(value))) if on_terminal() else str
        texts = [place if column == PLACE else name if column in CLASSES else str for column in self.columns]
        shown = ([text(value) for text, value in zip(texts, row, strict=True)] for row in wanted)
        write_rows(save.label, self.columns, shown, right=numbers, several=several)

    def _keep(self, save: Save, rows: Iterable[Row]) -> Iterator[Row]:
        wanted = self._rows
        has_matched = wanted is None
        for row in rows:
            if wanted is None or wanted._verdict(Facts(members=dict(zip(self.columns, row, strict=True)))):
                has_matched = True
                yield row
        if not has_matched and (self.objects is None or self.objects.has_matched):
            report(save.label, "no row matches --where")


def _parts_of(selections: Iterable[Selection]) -> Iterator[Selection]:
    """Yield what all has to hold."""
    for selection in selections:
        if isinstance(selection, And):
            yield from _parts_of(selection.parts)
        else:
            yield selection


where_option: Final = click.option(
    "--where",
    metavar="EXPR",
    multiple=True,
    help="Only what matches EXPR. The name of a column is its value: 'owner = Anna and level > 15'. Any other name is about the "
    "objects, as in other commands, and `.level` is always a property. If it is given more than once, all have to match.",
)


def answer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take SAVE, `--where` (as texts), `--json` and `--limit`."""
    return saves_argument(where_option(json_option(limit_option(command))))
