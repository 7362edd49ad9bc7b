"""`streamsave report`: a save as one page that a browser opens, offline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from streamsave.cli.options import (
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
from streamsave.cli.text import clean, size_text
from streamsave.cli.view import make_view
from streamsave.errors import SaveError
from streamsave.input.urls import is_url
from streamsave.report.categories import classify_for, game_of

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command"]

#: Facts that a player does not look for.
LEFT_OUT: Final = frozenset(
    (
        "MD5",
        "branch",
        "changelist",
        "custom version format",
        "custom versions",
        "editor object version",
        "envelope",
        "header size",
        "icons",
        "is creative mode enabled",
        "is modded save",
        "is partitioned world",
        "map name",
        "map options",
        "package version ue4",
        "package version ue5",
        "save game version",
        "save header version",
        "save identifier",
        "save name",
        "session name",
        "session visibility",
        "type",
    )
)
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
@click.option("--title", metavar="TEXT", help="The title of the page, instead of the name of the session.")
@names_option
@objects_option
@limit_option
def command(saves: Saves, output: str, where: Selection | None, title: str | None) -> int:
    """Write a page with a map, what takes the bytes, all classes, and the items in stores.

    The page is one file that needs no network: open it in a browser from 2023 or later. Each object has a name that
    `streamsave get` takes. The same facts as JSON: `ls --json`, `ls --by-class --full --json`. A damaged save gives what comes
    before the damage, and the page says so.

    Exit code: 0; 2 if the save cannot be read to its end, or the page not be written.
    """
    if saves.several:
        raise click.UsageError("A page shows one save.")

    def visit(name: str) -> int:
        facts = [] if name == STDIN or is_url(name) else list(facts_of(name))
        with selecting(name), open_input(name, summary=True) as save, open_output(output) as file:
            return write_page(save, file, where, title, facts)

    return visit_saves(saves, visit)


def facts_of(name: str) -> Iterator[tuple[str, str]]:
    """Yield what a save says about itself, as `info` shows it, and a player looks for. For that it is opened once more."""
    with open_input(name) as save:
        start = save.start()
        yield "format", save.events.format.name
        if save.size is not None:
            yield "file size", size_text(save.size)
        for label, text in make_view(save.events.format).info_rows(save, start):
            if label not in LEFT_OUT and text not in {"", "(none)", "-"}:
                yield label, text if len(text) <= LONGEST_FACT else f"{text[:LONGEST_FACT]}…"


def write_page(save: Save, file: BinaryIO, where: Selection | None, title: str | None, facts: list[tuple[str, str]]) -> int:
    """Read the save to its end and write its page; return the exit code.

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
    )
    page.end(shown)
    return code
