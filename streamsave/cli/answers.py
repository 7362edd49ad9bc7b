"""How the commands of a game write what they found: rows with named columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from streamsave.cli.names_option import for_people
from streamsave.cli.output import on_terminal, write_json, write_row, write_table
from streamsave.cli.save import Save
from streamsave.cli.text import clean
from streamsave.decode.json_values import json_value

__all__ = ["Row", "write_answers"]

#: Columns with names of classes.
CLASSES: Final = ("class", "item", "recipe")
#: A value for each column.
Row: TypeAlias = tuple[object, ...]


def write_answers(
    save: Save, columns: tuple[str, ...], rows: Iterable[Row], *, numbers: tuple[str, ...], several: bool, as_json: bool
) -> None:
    """Write the rows of one save.

    Args:
        save: the save.
        columns: their names.
        rows: a value for each column.
        numbers: columns that are aligned on the right.
        several: the command reads several saves: in a pipe, the first column is the save.
        as_json: write a JSON object for each row.
    """
    if as_json:
        for row in rows:
            values = {column: json_value(value) for column, value in zip(columns, row, strict=True)}
            write_json({"file": json_value(save.label), **values})
    elif on_terminal():
        has_class = [column in CLASSES for column in columns]
        shown = (
            tuple(
                clean(for_people(str(value)) if is_class else str(value)) for is_class, value in zip(has_class, row, strict=True)
            )
            for row in rows
        )
        write_table(clean(save.label), columns, shown, right=tuple(column for column in columns if column in numbers))
    else:
        first = (clean(save.label),) if several else ()
        for row in rows:
            write_row((*first, *(clean(str(value)) for value in row)))
