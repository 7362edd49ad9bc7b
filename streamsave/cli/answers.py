"""What the commands of a game share: rows with named columns, the objects that they are made of, and how they are written.

A test of `--where` that names a column is about the rows, any other one about the objects that the rows are made of. The rows of
some commands are sums over many objects, so tests of both sorts only go together by `and`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import add, and_
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click
from attrs import frozen

from streamsave.cli.options import (
    Saves,
    all_of,
    both,
    current_names,
    json_option,
    limit_option,
    parse_all,
    refuse,
    saves_argument,
    shown_name,
    watch,
)
from streamsave.cli.output import on_terminal, report, write_json, write_rows
from streamsave.cli.save import Save, attempt, visit_saves
from streamsave.cli.text import place_text, time_text
from streamsave.consume.conditions import And, Compare, Facts, Has, Selection
from streamsave.consume.selected_object import SelectedObject
from streamsave.formats.format import PlaceUnit

if TYPE_CHECKING:
    from streamsave.cli.nothing_found import Watched

__all__ = [
    "KINDS",
    "Answer",
    "OtherFile",
    "Row",
    "Where",
    "answer_options",
    "read_answers",
    "sums_by_key",
    "visit_worlds",
]

#: Columns with a place: x, y and z, or None; and what JSON calls them.
PLACES: Final = {"place": "position", "base": "base"}
#: What is in columns that are neither plain numbers nor plain texts: names of classes (with commas between several; in JSON, each
#: has a `_label` beside it), seconds, numbers where 1 is 100 %, numbers that are names.
KINDS: Final = {
    **dict.fromkeys(("class", "item", "recipe", "store", "species", "passives"), "class"),
    **dict.fromkeys(PLACES, "place"),
    "last_seen": "duration",
    **dict.fromkeys(("clock", "productivity"), "share"),
    **dict.fromkeys(("circuit", "grid"), "numbered"),
}
#: Columns that are aligned on the right.
NUMBERS: Final = (
    *("count", "stacks", "stores", "clock", "producing", "productivity", "objects", "bytes", "stops", "mentions"),
    *("circuit", "connections", "generators", "capacity", "consumers", "demand", "grid"),
    *("level", "last_seen", "pals", "bases", "chest", "stored", "workers", "slot"),
    *("rank", "hp", "attack", "defense"),
)
#: A value for each column.
Row: TypeAlias = tuple[object, ...]


@frozen
class Answer:
    """Which objects of a save are wanted, and the rows that they make. One walk can serve several answers."""

    columns: tuple[str, ...]
    #: Selections of objects, and what is kept of each object; None: nothing. The rows are about the objects of the first one, so
    #: what the user wants is about them.
    takes: Mapping[str, Callable[[SelectedObject], Any]]
    #: Paths of the values that these need. An object may have more.
    fields: tuple[str, ...]
    #: Makes the rows of a list for each selection, in their order; what belongs to a game comes before these. It does not change
    #: the lists: another answer may have the same ones.
    rows: Callable[..., Iterable[Row]]


class OtherFile(OSError):
    """The file is of the game, but not one that the command is about."""


def visit_worlds(saves: Saves, visit: Callable[[str], int]) -> int:
    """Do what `visit_saves` does, but pass over each `OtherFile` of a folder, unless all are such."""
    left: dict[str, OtherFile] = {}
    names: list[str] = []

    def visit_world(name: str) -> int:
        names.append(name)
        try:
            return visit(name)
        except OtherFile as error:
            if name in saves.arguments:
                raise
            left[name] = error
            return 0

    def refused(name: str) -> int:
        raise left[name]

    code = visit_saves(saves, visit_world)
    return code if len(left) < len(names) else max([code, *(attempt(name, refused) for name in left)])


def read_answers(save: Save, answers: Sequence[Answer], where: Selection | None, *context: object) -> list[Iterable[Row]]:
    """Return the rows of each answer about the wanted objects of a save. All come from one walk.

    Args:
        save: the save.
        answers: what is asked.
        where: which of the objects that the rows are about are wanted; None: all.
        context: what the rows need besides objects.

    Raises:
        SaveError: the bytes are at fault.
    """
    fields = dict.fromkeys(field for answer in answers for field in answer.fields)
    # What several answers take is taken once.
    keys = [
        [(text, take, not at and where is not None) for at, (text, take) in enumerate(answer.takes.items())] for answer in answers
    ]
    taken: dict[Any, list[Any]] = {key: [] for each in keys for key in each}
    takers = [(take, lists.append) for (_, take, _), lists in taken.items()]
    selections = [both(text, where if is_first else None) for text, _, is_first in taken]
    for number, found in save.events.select(*selections, fields=[*fields], sizes=False):
        take, append = takers[number]
        value = take(found)
        if value is not None:
            append(value)
    return [answer.rows(*context, *map(taken.__getitem__, each)) for answer, each in zip(answers, keys, strict=True)]


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
            for test in part._tests():
                name = test.path.text if isinstance(test, Has) else ""
                text = f'--where: has({name}) is about objects, but {name} is a column: {name} = "" is true where it is empty'
                refuse(name in columns, f"{text}; of a property, write has(.{name})")
            # A dot at the start means a property.
            named = {test.path.root if isinstance(test, Compare) and test.path.text in columns else "" for test in part._tests()}
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

    def write(self, save: Save, rows: Iterable[Row], *, several: bool, as_json: bool) -> None:
        """Write the rows of one save that are wanted; say so, at the end, if objects were, but none of their rows.

        Args:
            save: the save.
            rows: a value for each column.
            several: the command reads several saves: in a pipe, the first column is the save.
            as_json: write a JSON object for each row.
        """
        wanted = self._keep(save, rows)
        unit = save.events.format.place_unit
        if as_json:
            for row in wanted:
                values: dict[str, object] = {"file": save.label}
                for column, value in zip(self.columns, row, strict=True):
                    if column in PLACES:
                        place = [number / unit.scale for number in value] if isinstance(value, tuple) else None
                        values[f"{PLACES[column]}_{unit.name}"] = place
                    else:
                        values[column] = value
                    if KINDS.get(column) == "class":
                        values[f"{column}_label"] = _each(current_names(), value)
                write_json(values)
            return

        cell = _shown if on_terminal() else _plain
        shown = (
            [
                _place(unit, value) if column in PLACES else cell(column, value)
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in wanted
        )
        write_rows(save.label, self.columns, shown, right=(*NUMBERS, *PLACES), several=several)

    def _keep(self, save: Save, rows: Iterable[Row]) -> Iterator[Row]:
        wanted = self._rows
        has_matched = wanted is None
        unit = save.events.format.place_unit
        for row in rows:
            if wanted is None or wanted._verdict(Facts(members=dict(self._tested(row, unit)))):
                has_matched = True
                yield row
        if not has_matched and (self.objects is None or self.objects.has_matched):
            report(save.label, "no row matches --where")

    def _tested(self, row: Row, unit: PlaceUnit) -> Iterator[tuple[str, object]]:
        """Yield each column and its value: of a place the numbers and the text, of what is not there null and the text."""
        for column, value in zip(self.columns, row, strict=True):
            if value is None or isinstance(value, tuple):
                yield column, (*(value or (None,)), _place(unit, value) if column in PLACES else "")
            else:
                yield column, value


def _place(unit: PlaceUnit, value: object) -> str:
    """Return the text of a place."""
    return place_text(value if isinstance(value, tuple) else None, unit.scale, unit.symbol)


def _shown(column: str, value: object) -> str | int:
    """Return a cell for people; `write_rows` puts commas in whole numbers."""
    kind = KINDS.get(column, column)
    types, written = SHOWN.get(kind, ((), str))
    if isinstance(value, types):
        return written(value)
    return value if isinstance(value, int) and kind != "numbered" else _plain(column, value)


def _plain(_column: str, value: object) -> str:
    """Return a cell for programs."""
    return "" if value is None else str(value)


def _each(named: Callable[[str], str], value: object) -> str:
    """Return the names of the classes in a cell."""
    return ", ".join(named(each) for each in str(value).split(", "))


#: Kind or name of a column -> the type of values that people see in another way, and what writes them.
SHOWN: Final[dict[str, tuple[Any, Callable[[Any], str]]]] = {
    "class": (object, partial(_each, shown_name)),
    "share": (float, lambda value: f"{100 * value:.4g} %"),
    "duration": (int, lambda value: time_text(value) if value else "now"),
    "count": (float, lambda value: f"{value:,} m³"),  # of a fluid
}


def sums_by_key(rows: Iterable[tuple[Any, tuple[float, ...]]]) -> dict[Any, list[Any]]:
    """Return the sum of the numbers of each key; all keys have as many numbers."""
    sums: dict[Any, list[float]] = {}
    for key, numbers in rows:
        sums[key] = list(map(add, sums[key], numbers)) if key in sums else [*numbers]
    return sums


def _parts_of(selections: Iterable[Selection]) -> Iterator[Selection]:
    """Yield what all has to hold."""
    for selection in selections:
        if isinstance(selection, And):
            yield from _parts_of(selection.parts)
        else:
            yield selection


#: Lets a command take SAVE, `--where` (as texts), `--json` and `--limit`.
answer_options: Final = all_of(
    saves_argument,
    click.option(
        "--where",
        metavar="EXPR",
        multiple=True,
        help="Only what matches EXPR. The name of a column is its value: 'owner = Anna and level > 15'. Any other name is about "
        "the objects, as in other commands, and `.level` is always a property. If it is given more than once, all have to match.",
    ),
    json_option,
    limit_option,
)
