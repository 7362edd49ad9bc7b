"""`streamsave report`: a save as one page that a browser opens, offline.

Sections of it are answers of commands: each has the rows that the command prints.

The module is long because it knows the sections of each game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import isfinite
from typing import BinaryIO, Final

import click
from attrs import frozen

from streamsave.cli.answers import KINDS, Answer, Row, read_answers
from streamsave.cli.diff import compare_files
from streamsave.cli.differences import ADDED, BYTES, CHANGED, REMOVED, Differences
from streamsave.cli.info import TECHNICAL, facts_of
from streamsave.cli.options import (
    SavePath,
    Saves,
    current_names,
    keep_only,
    layout_options,
    limit_option,
    names_option,
    refuse,
    save_argument,
    where_option,
)
from streamsave.cli.output import OutputFile, open_output, write_bytes
from streamsave.cli.palworld import BASES, GUILDS, PLAYERS
from streamsave.cli.satisfactory import CIRCUITS, IDLE, TRAINS, UNWIRED
from streamsave.cli.save import Save, open_input, report_fault, selecting, visit_saves
from streamsave.cli.save_names import STDIN, file_name, given_name, is_read_once, label_of
from streamsave.cli.text import clean, short_class
from streamsave.cli.view import make_view
from streamsave.compare.pair import Pair
from streamsave.consume.conditions import Selection
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.errors import SaveError
from streamsave.formats import PlaceUnit
from streamsave.formats.palworld.game import World
from streamsave.input.urls import is_url
from streamsave.report.categories import classify_for, game_of

__all__ = ["MOST_ROWS", "command"]

#: Rows of a section.
MOST_ROWS: Final = 2000
#: Objects that came or went and are kept.
MOST_KEPT: Final = 100_000


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
    summed = "class", "came", "went", "changed", "bytes"
    placed = "class", "name", "place"
    return [
        *_table(Section("changes", "What has changed", about, "diff --summary"), summed, sums, scale),
        *_table(Section("came", "What came", f"{about} What has a place.", "diff"), placed, changes.came, scale),
        *_table(Section("went", "What went", f"{about} Where it was.", "diff"), placed, changes.went, scale),
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
    """Return the cells of a row: a class with what people call it, a place in the unit of the map, None if that has none."""
    shown: list[Json] = []
    for column, cell in zip(columns, row, strict=True):
        if KINDS.get(column) == "class":
            shown.append([current_names()(str(cell)) if cell else "", str(cell)])
        elif isinstance(cell, tuple):
            shown.append([round(number / scale, 2) for number in cell] if all(map(isfinite, cell)) else None)
        else:
            shown.append(to_jsonable(cell))
    return shown


#: Facts that a player does not look for, or that are the title.
LEFT_OUT: Final = TECHNICAL | {"icons", "save name", "session name", "type"}
#: Characters of a fact.
LONGEST_FACT: Final = 80


@click.command("report", short_help="A save as one page: map, sizes, classes, items.")
@save_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=OutputFile(),
    help="Write the page to this file: world.html.",
)
@where_option
@click.option(
    "--since",
    metavar="OLD",
    type=SavePath(allow_dash=True),
    help="Show also what came and went since an older save, as `diff` does.",
)
@click.option("--title", metavar="TEXT", help="The title of the page, instead of the name of the session.")
@names_option
@layout_options
@limit_option
def command(saves: Saves, output: str, where: Selection | None, since: str | None, title: str | None) -> int:
    """Write a page with a map, what takes the bytes, all classes, and the items in stores.

    Worlds of Satisfactory also have idle machines, power and trains, those of Palworld players, guilds and bases, each as the
    commands `satisfactory` and `palworld` list them.

    The page is one file that needs no network: open it in a browser from 2023 or later. Each object has a name that
    `streamsave get` takes. The same facts as JSON: `ls --json`, `ls --by-class --full --json`. A damaged save gives what comes
    before the damage, and the page says so.

    Exit code: 0; 2 if the save cannot be read to its end, or the page not be written.
    """
    refuse(saves.several, "A page shows one save.")

    def visit(name: str) -> int:
        # What comes once, as from a pipe, is not read for more than the map, the sizes and the items.
        again = not (is_read_once(name) or is_url(name))
        refuse(since is not None and (not again or since == STDIN), "--since compares two files.")
        facts, world = about(name) if again else ([], None)

        def sections(game: str, unit: PlaceUnit) -> list[Json]:
            changes = [] if since is None else changes_since(since, name, where, unit.scale)
            return [*changes, *sections_of(name, game, world, where)]

        with selecting(name), open_input(name) as save, open_output(output) as file:
            return write_page(save, file, where, title, facts, sections if again else None)

    return visit_saves(saves, visit)


def about(name: str) -> tuple[list[tuple[str, str]], World | None]:
    """Return what `info` shows of a save that a player looks for, and of Palworld its world. For that it is opened once more."""
    with open_input(name) as save:
        start = save.start()
        view = make_view(save.events.format)
        view.prepare(save, start)
        told = [(label, text) for label, text in facts_of(save, start, view) if label not in LEFT_OUT]
    facts = [(label, text if len(text) <= LONGEST_FACT else f"{text[:LONGEST_FACT]}…") for label, text in told]
    return [fact for fact in facts if fact[1] not in {"", "(none)", "-"}], view.world


def write_page(
    save: Save,
    file: BinaryIO,
    where: Selection | None,
    title: str | None,
    facts: list[tuple[str, str]],
    sections: Callable[[str, PlaceUnit], list[Json]] | None = None,
) -> int:
    """Read the save to its end and write its page; return the exit code.

    Args:
        save: the save.
        file: where the page goes.
        where: which objects are wanted.
        title: of the page.
        facts: what the save says about itself.
        sections: returns tables of their own of a sound save of this game, whose places have this unit; None: there are none.

    Raises:
        OSError: the save cannot be read.
        OutputFailed: the page cannot be written.
    """
    from streamsave.report.page import Page
    from streamsave.report.scene import Scene
    from streamsave.report.summary import summary
    from streamsave.report.tree import Tree, collect

    events = save.events
    start = save.start()
    game = game_of(start)
    heading = title if title is not None else clean(given_name(start) or file_name(save.label))
    page = Page(lambda text: write_bytes(file, text.encode("utf-8")), heading, facts or [("format", events.format.name)])
    scene = Scene(page.blocks, events.format.place_unit, game)
    keep_only(events, where)
    tree, note, code = Tree(), "", 0
    try:
        collect(events, tree, scene)
    except SaveError as error:
        code = report_fault(error, save.label)
        note = f"The save is damaged. This page shows what comes before the damage: {clean(str(error))}"
    scene.end()
    shown = summary(
        scene,
        tree,
        classify_for(game),
        current_names(),
        events.format.place_unit,
        title=heading,
        note=note,
        whole=where is None and not note,
        sections=[] if sections is None or note else sections(game, events.format.place_unit),
    )
    page.end(shown)
    return code
