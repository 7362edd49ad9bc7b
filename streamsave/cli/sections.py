"""Sections of a page that are answers of commands: each has the rows that the command prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from attrs import frozen

from streamsave.cli.answers import CLASSES, DURATIONS, NUMBERED, PLACES, SHARES, Answer, Row, read_answers
from streamsave.cli.diff import compare_files
from streamsave.cli.differences import ADDED, BYTES, CHANGED, REMOVED, Differences
from streamsave.cli.options import current_names
from streamsave.cli.palworld import BASES, GUILDS, PLAYERS
from streamsave.cli.satisfactory import CIRCUITS, IDLE, TRAINS, UNWIRED
from streamsave.cli.save import open_input
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean, short_class
from streamsave.compare.pair import Pair
from streamsave.consume.conditions import Selection
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.formats.palworld.game import World

__all__ = ["MOST_ROWS", "SECTIONS", "Section", "changes_since", "sections_of"]

#: Rows of a section.
MOST_ROWS: Final = 2000
#: Objects that came or went and are kept.
MOST_KEPT: Final = 100_000
#: How columns are shown that are neither numbers nor texts.
KINDS: Final = {
    **dict.fromkeys(CLASSES, "class"),
    **dict.fromkeys(PLACES, "place"),
    **dict.fromkeys(DURATIONS, "duration"),
    **dict.fromkeys(SHARES, "share"),
    **dict.fromkeys(NUMBERED, "numbered"),
}


@frozen
class Section:
    """An answer of a command."""

    #: What leads to it on the page.
    id: str
    title: str
    #: What a reader should know, and the command that has the same rows.
    about: str
    command: str
    #: Columns with names that only programs need.
    ids: tuple[str, ...] = ("name",)
    #: The column that the tooltip of an object says, and the one that is written on the map at the first place of a row.
    why: str = ""
    label: str = ""


#: The sections of each game, each with the answer that has its rows.
SECTIONS: Final[dict[str, dict[Section, Answer]]] = {
    "satisfactory": {
        Section(
            "idle",
            "Idle machines",
            "Machines that were not producing when the game saved, and why, as far as the save says.",
            "satisfactory machines --idle",
            why="why",
        ): IDLE,
        Section(
            "power",
            "Power",
            "Circuits: what the generators could make when the game saved, and what was taken, in megawatts.",
            "satisfactory power",
        ): CIRCUITS,
        Section(
            "unconnected",
            "Without a wire",
            "Buildings with a power connection that has no wire.",
            "satisfactory power --unconnected",
        ): UNWIRED,
        Section(
            "trains",
            "Trains",
            "With the stations of their timetables, and the place of the first vehicle.",
            "satisfactory trains",
            label="train",
        ): TRAINS,
    },
    "palworld": {
        Section(
            "players",
            "Players",
            "When they were there last, their pals, the bases of their guild, and where they jumped last.",
            "palworld players",
            ids=("id",),
            label="name",
        ): PLAYERS,
        Section(
            "guilds",
            "Guilds",
            "Their members, bases and pals, and how many items are in the guild chest and in all containers.",
            "palworld guilds",
            ids=("id",),
        ): GUILDS,
        Section(
            "bases",
            "Bases",
            "With the pals that work there.",
            "palworld bases",
            ids=("name", "id", "guild_id"),
            label="guild",
        ): BASES,
    },
}


def sections_of(name: str, game: str, world: World | None, where: Selection | None) -> list[Json]:
    """Return the sections of a save that have rows; all of them come from one walk. `world`: of Palworld.

    Raises:
        SaveError: the bytes are at fault.
        OSError: it cannot be read.
    """
    sections = SECTIONS.get(game, {})
    if not sections or (game == "palworld" and world is None):  # or another file of the game
        return []
    context = () if world is None else (name, world)
    found: list[Json] = []
    with open_input(name) as save:
        all_rows = read_answers(save, [*sections.values()], where, *context)
        for (section, answer), rows in zip(sections.items(), all_rows, strict=True):
            found += _table(section, answer.columns, rows, save.events.format.place_unit.scale)
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
    about = f"Since {clean(label_of(old))}."
    sums = [
        (short_class(each) or "(in no object)", *(one[kind] for kind in (ADDED, REMOVED, CHANGED, BYTES)))
        for each, one in changes.sums()
    ]
    all_sums = Section("changes", "What has changed", about, "diff --summary")
    came = Section("came", "What came", f"{about} What has a place.", "diff")
    went = Section("went", "What went", f"{about} Where it was.", "diff")
    placed = ("class", "name", "place")
    return [
        *_table(all_sums, ("class", "came", "went", "changed", "bytes"), sums, scale),
        *_table(came, placed, changes.came, scale),
        *_table(went, placed, changes.went, scale),
    ]


def _table(section: Section, columns: tuple[str, ...], rows: Iterable[Row], scale: float) -> Iterator[Json]:
    """Yield a section for the script of the page, if it has rows."""
    left = iter(rows)
    cells = [_cells(columns, row, scale) for row in islice(left, MOST_ROWS)]
    if not cells:
        return
    kinds = [_kind(section, column, [row[at] for row in cells]) for at, column in enumerate(columns)]
    yield {
        "id": section.id,
        "title": section.title,
        "about": section.about,
        "command": section.command,
        "columns": [[*pair] for pair in zip(columns, kinds, strict=True)],
        "rows": [*cells],
        "total": len(cells) + sum(1 for _ in left),
        "why": columns.index(section.why) if section.why else -1,
        "label": columns.index(section.label) if section.label else -1,
    }


def _kind(section: Section, column: str, cells: list[Json]) -> str:
    """Return how a page shows a column with these cells."""
    if column in section.ids:
        return "id"
    is_number = all(isinstance(cell, (int, float)) for cell in cells if cell is not None and cell != "")
    return KINDS.get(column, "number" if is_number else "text")


def _cells(columns: tuple[str, ...], row: Row, scale: float) -> list[Json]:
    """Return the cells of a row: a class with what people call it, a place in the unit of the map."""
    shown: list[Json] = []
    for column, cell in zip(columns, row, strict=True):
        if column in CLASSES:
            shown.append([current_names()(str(cell)) if cell else "", str(cell)])
        elif isinstance(cell, tuple):
            shown.append([round(number / scale, 2) for number in cell])
        else:
            shown.append(to_jsonable(cell))
    return shown
