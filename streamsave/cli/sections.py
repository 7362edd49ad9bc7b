"""Sections of a page that are answers of commands: each has the rows that the command prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias

from attrs import frozen

from streamsave.cli.answers import CLASSES, PLACE, Row
from streamsave.cli.diff import ADDED, BYTES, CHANGED, REMOVED, Differences, compare_files
from streamsave.cli.options import current_names
from streamsave.cli.palworld import Names, guild_rows, player_rows, read_names
from streamsave.cli.satisfactory import circuit_rows, idle_rows, train_rows, unconnected_rows
from streamsave.cli.save import Save, open_input
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean, short_class
from streamsave.compare.pair import Pair
from streamsave.consume.conditions import Selection
from streamsave.decode.json_values import Json, to_jsonable

__all__ = ["MOST_ROWS", "SECTIONS", "Section", "changes_since", "sections_of"]

#: Rows of a section.
MOST_ROWS: Final = 2000
#: Objects that came or went and are kept.
MOST_KEPT: Final = 100_000
#: How columns are shown that are neither numbers nor texts.
CLASS: Final = "class"
KINDS: Final = {**dict.fromkeys(CLASSES, CLASS), PLACE: "place", "name": "name", "id": "name"}


#: Of a save, of Palworld with the names in it; the wanted objects alone.
Rows: TypeAlias = "Callable[[Save, Names, Selection | None], Iterable[Row]]"


@frozen
class Section:
    """An answer of a command."""

    #: What leads to it on the page.
    id: str
    title: str
    #: What a reader should know; which command has the same rows.
    about: str
    columns: tuple[str, ...]
    rows: Rows = lambda *_: ()
    #: The column that the map tells of an object.
    why: str = ""


#: The sections of each game.
SECTIONS: Final[dict[str, tuple[Section, ...]]] = {
    "satisfactory": (
        Section(
            "idle",
            "What stands still",
            "Machines that were not producing when the game saved, and why, as far as the save says: "
            "satisfactory machines --idle.",
            ("class", "recipe", "clock", "why", "name", "place"),
            lambda save, _, where: idle_rows(save, where),
            "why",
        ),
        Section(
            "power",
            "Power",
            "Circuits: what the generators could make when the game saved, and what the consumers took, in megawatts: "
            "satisfactory power.",
            ("circuit", "connections", "generators", "capacity", "consumers", "demand", "grid", "state"),
            lambda save, _, where: circuit_rows(save, where),
        ),
        Section(
            "unconnected",
            "Without a wire",
            "Buildings with a power connection that has no wire: satisfactory power --unconnected.",
            ("class", "name", "place"),
            lambda save, _, where: unconnected_rows(save, where),
        ),
        Section(
            "trains",
            "Trains",
            "Trains, and the stations of their timetables: satisfactory trains.",
            ("train", "stops", "stations", "place"),
            lambda save, _, where: train_rows(save, where),
        ),
    ),
    "palworld": (
        Section("players", "Players", "palworld players", ("player", "level", "guild", "id"), player_rows),
        Section("guilds", "Guilds", "palworld guilds", ("guild", "level", "bases", "members", "id"), guild_rows),
    ),
}


def sections_of(name: str, game: str, where: Selection | None) -> list[Json]:
    """Return the sections of a save that have rows. The save is read once more for each of them, but of most of it only headers.

    Raises:
        SaveError: the bytes are at fault.
        OSError: it cannot be read.
    """
    found: list[Json] = []
    for section in SECTIONS.get(game, ()):
        names = read_names(name, storages=False) if game == "palworld" else Names()
        if isinstance(names, str):  # another file of the game
            break
        with open_input(name) as save:
            save.start()
            rows = section.rows(save, names, where)
            found += _table(section, rows, save.events.format.place_unit.scale)
    return found


class Changes(Differences):
    """Takes differences as `diff --summary` does, and also what came and went that has a place."""

    def __init__(self) -> None:
        super().__init__(summary=True, long=False, as_json=False)
        self.came: list[Row] = []
        self.went: list[Row] = []

    def add(self, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        """Take one more difference."""
        super().add(pair, path, old, new)
        for header, other, rows in ((pair.new, pair.old, self.came), (pair.old, pair.new, self.went)):
            if not path and header is not None and other is None and header.transform is not None and len(rows) < MOST_KEPT:
                rows.append((short_class(header.class_name), header.instance_name, header.transform.translation))


def changes_since(old: str, name: str, where: Selection | None, scale: float) -> list[Json]:
    """Return sections of what differs between an older save and a save: by class; what came; what went.

    Raises:
        Failed: one cannot be read, or they cannot be compared.
    """
    changes = Changes()
    compare_files((old, name), changes, where)
    about = f"Since {clean(label_of(old))}"
    columns = ("class", "came", "went", "changed", "bytes")
    sums = [
        (short_class(each) or "(in no object)", *(one[kind] for kind in (ADDED, REMOVED, CHANGED, BYTES)))
        for each, one in changes.sums()
    ]
    placed = ("class", "name", "place")
    return [
        *_table(Section("changes", "What has changed", f"{about}: diff --summary.", columns), sums, scale),
        *_table(Section("came", "What came", f"{about}: what has a place.", placed), changes.came, scale),
        *_table(Section("went", "What went", f"{about}: where it was.", placed), changes.went, scale),
    ]


def _table(section: Section, rows: Iterable[Row], scale: float) -> Iterator[Json]:
    """Yield a section for the script of the page, if it has rows."""
    left = iter(rows)
    cells = [_cells(section.columns, row, scale) for row in islice(left, MOST_ROWS)]
    if not cells:
        return
    columns: list[Json] = [[column, _kind(column, [row[at] for row in cells])] for at, column in enumerate(section.columns)]
    yield {
        "id": section.id,
        "title": section.title,
        "about": section.about,
        "columns": columns,
        "rows": [*cells],
        "total": len(cells) + sum(1 for _ in left),
        "why": section.columns.index(section.why) if section.why else 0,
    }


def _kind(column: str, cells: list[Json]) -> str:
    """Return how a page shows a column with these cells."""
    if column in KINDS:
        return KINDS[column]
    return "number" if all(isinstance(cell, (int, float)) for cell in cells) else "text"


def _cells(columns: tuple[str, ...], row: Row, scale: float) -> list[Json]:
    """Return the cells of a row: a class with what people call it, a place in the unit of the map."""
    shown: list[Json] = []
    for column, cell in zip(columns, row, strict=True):
        if KINDS.get(column) == CLASS:
            shown.append([current_names()(str(cell)) if cell else "", str(cell)])
        elif isinstance(cell, tuple):
            shown.append([round(number / scale, 2) for number in cell])
        else:
            shown.append(to_jsonable(cell))
    return shown
