"""`streamsave info`: what a save is, in a few facts: those that a player asks for first, versions last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

import click

from streamsave.cli.options import Saves, jobs_option, json_option, limit_option, saves_argument, time_options
from streamsave.cli.output import on_terminal, write_json, write_line, write_rows
from streamsave.cli.save import Save, open_input, read_saves, report_fault
from streamsave.cli.text import clean, count_text, short_class, size_text
from streamsave.cli.view import View, make_view, most_of
from streamsave.errors import SaveError
from streamsave.events import SaveStart
from streamsave.report.categories import game_of

__all__ = ["TECHNICAL", "command", "facts_of"]

#: What only experts ask for: versions, and how the file is made. It comes last.
TECHNICAL: Final = frozenset(
    (
        "Arx Libertatis",
        "MD5",
        "astro save version",
        "binary data checkpoints",
        "branch",
        "build version",
        "changelist",
        "class header",
        "container version",
        "custom version format",
        "custom versions",
        "duplicates",
        "editor object version",
        "engine version",
        "entries",
        "envelope",
        "format",
        "header size",
        "internal uuid",
        "is creative mode enabled",
        "is modded save",
        "is partitioned world",
        "layout",
        "magic",
        "map name",
        "map options",
        "member count",
        "package version ue4",
        "package version ue5",
        "save game class",
        "save game version",
        "save header version",
        "save identifier",
        "save version",
        "serialization control",
        "session visibility",
        "stated size",
        "struct version",
        "unused",
        "version",
        "wrapper",
    )
)
#: Classes that are players, without their path.
PLAYERS: Final = ("Char_Player_C", "DesignAstro_C")
#: Kinds of objects that are parts of others.
PARTS: Final = ("object", "native")
#: What people ask next, by game.
NEXT: Final = {
    "satisfactory": (
        "satisfactory inventory",
        "satisfactory machines --idle",
        "satisfactory power",
        "ls --by-class",
        "report -o world.html",
    ),
    "palworld": ("palworld players", "palworld pals", "palworld items", "palworld guilds", "report -o world.html"),
    "": ("ls --by-class", "cat --depth 2", "json", "check"),
}


@click.command("info", short_help="What a save is: session, play time, players, versions.")
@saves_argument
@json_option
@limit_option
@time_options
@jobs_option
def command(saves: Saves, as_json: bool) -> int:
    """Show what a save is: session, play time, players, mods; versions last.

    Only the start of a save is read, so this is fast for any size; but of a Palworld world, day, players and pals are counted,
    and its name is that in LevelMeta.sav beside it. In a terminal, one save is read to its end, to say what there is most of;
    what people ask next comes last. In JSON, hashes are hexadecimal and play_duration is in seconds.

    For a Satisfactory blueprint X.sbp, the configuration X.sbpcfg in the same folder is shown too.

    The cost of a shapez 2 blueprint code is what game alpha 15.2 asked: (buildings - 1) ^ 1.3, rounded up. No later formula is
    known; worlds of later games may multiply it. Its size is that of the places of its buildings.
    """

    def work(save: Save) -> int:
        start = save.start()
        view = make_view(save.events.format)
        code = view.prepare(save, start)
        if as_json:
            about = {"file": save.label, "file_size": save.size, "format": start.format, "version": start.version}
            write_json({**about, "header": view.info_json(save, start), **view.info_extra()})
            return code
        facts = [*facts_of(save, start, view)]
        if on_terminal() and not saves.several and Path(save.label).is_file():
            code = max(code, count_objects(save.label, view, facts))
        facts.sort(key=lambda fact: fact[0] in TECHNICAL)
        write_rows(save.label, ("field", "value"), facts, several=saves.several)
        if on_terminal() and not saves.several:
            write_line("Go on with:")
            for words in NEXT.get(game_of(start), NEXT[""]):
                write_line(f"  streamsave {words} {quote(clean(save.label))}")
        return code

    return read_saves(saves, work)


def facts_of(save: Save, start: SaveStart, view: View) -> Iterator[tuple[str, str]]:
    """Yield label and text of what a save says about itself; the view is prepared."""
    yield "kind", view.title(start)
    if save.size is not None:
        size = size_text(save.size)
        yield "file size", f"{size} ({save.size} bytes)" if save.size >= 1024 else size
    yield from view.info_rows(save, start)
    yield "format", start.format


def count_objects(name: str, view: View, facts: list[tuple[str, str]]) -> int:
    """Add how many objects a save has, and what there is most of; report what is damaged. Return the exit code."""
    counts: Counter[tuple[str, str]] = Counter()
    code = 0
    with open_input(name) as save:
        try:
            counts.update((header.kind, header.class_name) for header in view.objects(save.events))
        except SaveError as error:
            code = report_fault(error, name)
    players = sum(count for (_, class_name), count in counts.items() if short_class(class_name) in PLAYERS)
    if players:
        facts.append(("players", count_text(players)))
    if counts.total() > 1:
        things: Counter[str] = Counter()
        for (kind, class_name), count in counts.items():
            if kind not in PARTS:
                things[class_name] += count
        facts += [("objects", count_text(counts.total())), ("most", most_of(things))]
    return code
