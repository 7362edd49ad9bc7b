"""Objects -> flat rows, and rows -> text, in constant memory: each row is written when it comes.

| column | value |
|---|---|
| `file` | the path of the save, or the name of its source |
| `class_name`, `instance_name`, `level` | of the object, from its header |
| `x`, `y`, `z` | its position, in the unit of the save (Unreal: centimetres), or none |
| `size`, `offset` | bytes of its data (none if the save does not say), and where it starts in the inflated stream |
| one for each field | the value, or none |

With the header of its save, after `offset`, null where the format has none:

| column | value |
|---|---|
| `session` | the name of the session, or of the save game |
| `saved` | when the save was written, in whole microseconds |
| `play_time` | seconds that were played |
| `save_name` | the name of this save |

A field that is an array, a set or a map of more than `Limits` allows to build is written slice by slice, where
its path has only names, and no other path starts with the first of these.

A field gets a `_` after its name if an earlier column has that name, in upper or lower case: some readers ignore case.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from io import StringIO
from typing import BinaryIO, Final, TypeAlias

from streamsave.consume.conditions import Function, Has, Or, Selection
from streamsave.consume.selected_object import SelectedObject
from streamsave.consume.selection import Plan, selection_of
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import to_jsonable
from streamsave.decode.paths import EACH, Path, parse_path
from streamsave.decode.slices import Large, Parts
from streamsave.errors import PathStep, SaveError, UnsupportedOption
from streamsave.events import SaveStart
from streamsave.output.json_text import HeldText, json_bytes, value_bytes
from streamsave.values import DateTime

__all__ = [
    "FIXED_COLUMNS",
    "HEADER_COLUMNS",
    "MISFITS",
    "SAVE_ERRORS",
    "TICKS_PER_MICROSECOND",
    "CsvTable",
    "NdjsonTable",
    "Row",
    "column_names",
    "guarded",
    "header_cells",
    "large_fields",
    "row_of",
    "rows_of_stream",
    "sample_rows",
]

#: One cell for each column.
Row: TypeAlias = tuple[object, ...]

FIXED_COLUMNS: Final = ("file", "class_name", "instance_name", "level", "x", "y", "z", "size", "offset")
HEADER_COLUMNS: Final = ("session", "saved", "play_time", "save_name")
#: Name of the last column of tables with types: JSON of the values that do not conform to the type of their column.
MISFITS: Final = "misfits"
#: Column -> the fields of headers that have it.
HEADER_FIELDS: Final = {
    "session": ("session_name", "savegame_name"),
    "saved": ("save_date_time", "last_saved"),
    "play_time": ("play_duration", "total_playtime"),
    "save_name": ("save_name",),
}
#: What says that a save cannot be read with these options, or not to its end.
SAVE_ERRORS: Final = (SaveError, OSError, UnsupportedOption)
TICKS_PER_MICROSECOND: Final = 10
NO_PLACE: Final = (None, None, None)
#: In the text of a row, in place of a large value: no save has it.
LARGE: Final = os.urandom(16).hex()
#: Spreadsheet programs run a text that begins so, the full-width forms too.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: As JSON has them, and the names of what JSON cannot write.
NUMBER: Final = re.compile(r"-(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Infinity)")


def column_names(fields: Iterable[str], *, with_header: bool = False) -> list[str]:
    """Return the names of all columns of a table with these fields; a field that is given twice has one column."""
    names = [*FIXED_COLUMNS, *(HEADER_COLUMNS if with_header else ())]
    taken = {*names, MISFITS}
    for field in dict.fromkeys(fields):
        name = field
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        names.append(name)
    return names


def header_cells(header: object) -> Row:
    """Return what the header of a save has for `HEADER_COLUMNS`."""
    session, saved, play_time, save_name = (
        next((value for value in (getattr(header, name, None) for name in names) if value is not None), None)
        for names in HEADER_FIELDS.values()
    )
    if isinstance(saved, str):
        saved = _moment(saved)
    elif isinstance(saved, DateTime):
        saved = DateTime(saved.ticks - saved.ticks % TICKS_PER_MICROSECOND)
    return session, saved, None if play_time is None else float(play_time), save_name


def _moment(text: str) -> DateTime | None:
    """Return a moment as shapez 2 writes it; None if the text is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return DateTime((moment.replace(tzinfo=None) - datetime(1, 1, 1)) // timedelta(microseconds=1) * TICKS_PER_MICROSECOND)  # noqa: DTZ001


def row_of(file: str, selected: SelectedObject, fields: Iterable[str], header: Row = ()) -> Row:
    """Return the row of an object: a cell for each of `column_names(fields)`; `header` has the cells of `header_cells`."""
    return (
        file,
        selected.class_name,
        selected.instance_name,
        selected.level,
        *(selected.position or NO_PLACE),
        selected.size if selected.size >= 0 else None,
        selected.offset,
        *header,
        *([selected.fields.get(field) for field in dict.fromkeys(fields)] if fields else ()),
    )


def large_fields(plan: Plan, make: Callable[[Parts], object]) -> Large:
    """Return what makes values of large leaves, if they are fields that a plan asks for, and no part of another one."""
    paths = {path.text: path for path in (*plan.fields, *[test.path for test in plan.content_tests])}
    roots = [path.root for path in paths.values()]
    wanted = [path.steps for path in plan.fields if roots.count(path.root) == 1 and all(isinstance(s, str) for s in path.steps)]

    def large(path: tuple[PathStep, ...]) -> Callable[[Parts], object] | None:
        for steps in wanted:
            at = max(0, len(path) - len(steps))
            if path[at:] == steps and not any(step in roots for step in path[:at]):
                return make
        return None

    return large


def rows_of_stream(
    name: str,
    events: EventStream,
    plan: Plan,
    fields: Sequence[str],
    *,
    with_header: bool = False,
    large: Callable[[Parts], object] | None = None,
) -> Generator[Row]:
    """Yield the rows of the objects that a plan wants; nothing was read yet.

    Args:
        name: of the save.
        events: the stream.
        plan: which objects are wanted, and which of their fields.
        fields: the paths of the fields.
        with_header: whether `HEADER_COLUMNS` come.
        large: makes cells of fields that are more than `Limits` allows to build, such as `held_json`.

    Raises:
        SaveError: the bytes are at fault.
    """
    if large is not None:
        events._take_large(large_fields(plan, large))
    header: Row = ()
    if with_header:
        start = next(events)
        header = header_cells(start.header if isinstance(start, SaveStart) else None)
    for _, each in events._select_planned(plan):
        yield row_of(name, each, fields, header)


def sample_rows(
    rows_of: Callable[[str | Selection | Function | None], Generator[Row]],
    where: str | Selection | Function | None,
    fields: Sequence[str],
) -> Iterator[Row]:
    """Yield rows that show the types of the fields: the first one, without its fields, then those that have one of the fields.

    The data of all other objects are not even read.

    Args:
        rows_of: opens the save, and yields the rows of the objects that a selection wants.
        where: which objects are wanted.
        fields: paths of the fields.

    Raises:
        SelectError: a path does not follow the grammar.
        SaveError, OSError, UnsupportedOption: as for `rows_of`.
    """
    with closing(rows_of(where)) as rows:
        row = next(rows, None)
    if row is None:
        return
    fixed = len(row) - len(dict.fromkeys(fields))
    yield row[:fixed] + (None,) * (len(row) - fixed)
    if fields:
        paths = [parse_path(field) for field in fields]
        # A list without elements is one, too.
        lists = [Path(path.text, path.steps[: path.steps.index(EACH)]) for path in paths if EACH in path.steps]
        has_field = Or(tuple(map(Has, (*paths, *lists))))
        with closing(rows_of(selection_of(where) & has_field)) as rows:
            yield from rows


class NdjsonTable:
    """Lines of JSON: one object for each row, with the columns as its keys. None is null."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self._file = file
        self._names = names

    def add(self, row: Row) -> None:
        """Write one line."""
        cells, large = without_large(row)
        line = value_bytes(dict(zip(self._names, cells, strict=True))) + b"\n"
        write_line(self._file, line, b'"%b"' % LARGE.encode(), [text.take() for text in large])

    def close(self) -> None:
        """Do nothing: each row is written at once."""


class CsvTable:
    """Comma-separated values in UTF-8, after a line of names: text as it is, all else as JSON, None as an empty cell.

    Args:
        file: where to write.
        names: the names of the columns.
        change: changes each text before it is written.
    """

    def __init__(self, file: BinaryIO, names: Sequence[str], change: Callable[[str], str] | None = None) -> None:
        self._file = file
        self._line = StringIO()
        self._writer = csv.writer(self._line, lineterminator="\n")
        self._change = change
        self.add(tuple(names))

    def add(self, row: Row) -> None:
        """Write one line."""
        values, large = without_large(row)
        cells = [cell_text(value) for value in values]
        if self._change is not None:
            cells = [self._change(cell) for cell in cells]
        self._writer.writerow(cells)
        line = self._line.getvalue()
        self._line.seek(0)
        self._line.truncate()
        write_line(self._file, line.encode(), LARGE.encode(), [cell_of(text) for text in large])

    def close(self) -> None:
        """Do nothing: each row is written at once."""


def cell_of(text: HeldText) -> Iterator[bytes]:
    """Yield a text in quotes, as CSV has it."""
    yield b'"'
    for piece in text.take():
        yield piece.replace(b'"', b'""')
    yield b'"'


def write_line(file: BinaryIO, line: bytes, mark: bytes, large: Sequence[Iterator[bytes]]) -> None:
    """Write a line, with these texts in the place of the marks."""
    first, *others = line.split(mark) if large else [line]
    file.write(first)
    for pieces, rest in zip(large, others, strict=True):
        file.writelines(pieces)
        file.write(rest)


def without_large(row: Row) -> tuple[Row, list[HeldText]]:
    """Return a row with `LARGE` in the place of each large value, and these."""
    large = [value for value in row if isinstance(value, HeldText)]
    return (tuple([LARGE if isinstance(value, HeldText) else value for value in row]) if large else row), large


def guarded(text: str) -> str:
    """Return a text that spreadsheet programs show instead of running it: those that they would run get a `'` before them.

    A number stays a number.
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) and NUMBER.fullmatch(text) is None else text


def cell_text(value: object) -> str:
    """Return a value as a cell of CSV, which has no types."""
    if value is None:
        return ""
    if isinstance(value, (dict, list, tuple)):
        return value_bytes(value).decode("utf-8")
    cell = to_jsonable(value)
    return cell if isinstance(cell, str) else json_bytes(cell).decode("utf-8")
