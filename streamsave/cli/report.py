"""`streamsave report`: a save as one page that a browser opens, offline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

import click

from streamsave.cli.info import TECHNICAL, facts_of
from streamsave.cli.options import (
    SavePath,
    Saves,
    current_names,
    keep_only,
    limit_option,
    names_option,
    objects_option,
    save_argument,
    where_option,
)
from streamsave.cli.output import FAILED, OutputFile, open_output, report, write_bytes
from streamsave.cli.save import Save, open_input, selecting, visit_saves
from streamsave.cli.save_names import STDIN, file_name, given_name
from streamsave.cli.sections import changes_since, sections_of
from streamsave.cli.text import clean
from streamsave.cli.view import make_view
from streamsave.decode.json_values import Json
from streamsave.errors import SaveError
from streamsave.formats import PlaceUnit
from streamsave.input.urls import is_url
from streamsave.report.categories import classify_for, game_of

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection
    from streamsave.formats.palworld.game import World

__all__ = ["command"]

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
@click.option("--since", metavar="OLD", type=SavePath(), help="Show also what came and went since an older save, as `diff` does.")
@click.option("--title", metavar="TEXT", help="The title of the page, instead of the name of the session.")
@names_option
@objects_option
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
    if saves.several:
        raise click.UsageError("A page shows one save.")

    def visit(name: str) -> int:
        # What comes once, as from a pipe, is not read for more than the map, the sizes and the items.
        again = not (name == STDIN or is_url(name))
        if since is not None and (not again or since == STDIN):
            raise click.UsageError("--since compares two files.")
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


#: Returns the sections of a save of this game, whose places have this unit.
Sections: TypeAlias = "Callable[[str, PlaceUnit], list[Json]]"


def write_page(
    save: Save,
    file: BinaryIO,
    where: Selection | None,
    title: str | None,
    facts: list[tuple[str, str]],
    sections: Sections | None = None,
) -> int:
    """Read the save to its end and write its page; return the exit code.

    Args:
        save: the save.
        file: where the page goes.
        where: which objects are wanted.
        title: of the page.
        facts: what the save says about itself.
        sections: tables of their own of a save that is sound; None: there are none.

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
        report(save.label, str(error))
        note, code = f"The save is damaged. This page shows what comes before the damage: {clean(str(error))}", FAILED
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
