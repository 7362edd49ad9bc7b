"""`streamsave info`: the header of a save."""

from __future__ import annotations

from itertools import chain
from shlex import quote
from typing import Final

import click

from streamsave.cli.options import Saves, jobs_option, json_option, limit_option, saves_argument, time_options
from streamsave.cli.output import on_terminal, write_json, write_line, write_rows
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, size_text
from streamsave.cli.view import make_view
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.report.categories import game_of

__all__ = ["command"]

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


@click.command("info", short_help="Header: session, play time, versions, mods.")
@saves_argument
@json_option
@limit_option
@time_options
@jobs_option
def command(saves: Saves, as_json: bool) -> int:
    """Show the header: session, play time, versions, mods.

    Only the start of a save is read, so this is fast for any size; but a Palworld save in Oodle (PlM) is unpacked whole. In JSON,
    hashes are hexadecimal and play_duration is in seconds. In a terminal, what people ask next comes last.

    For a Satisfactory blueprint X.sbp, the configuration X.sbpcfg in the same folder is shown too.
    """

    def work(save: Save) -> int:
        start = save.start()
        view = make_view(save.events.format)
        code = view.prepare(save, start)
        if as_json:
            about: dict[str, Json] = {"file": to_jsonable(save.label), "file_size": save.size, "format": start.format}
            about |= {"version": start.version, "header": view.info_json(save, start)}
            write_json({**about, **view.info_extra()})
            return code
        facts = [("format", start.format)]
        if save.size is not None:
            size = size_text(save.size)
            facts.insert(0, ("file size", f"{size} ({save.size} bytes)" if save.size >= 1024 else size))
        write_rows(save.label, ("field", "value"), chain(facts, view.info_rows(save, start)), several=saves.several)
        if on_terminal() and not saves.several:
            write_line("Go on with:")
            for words in NEXT.get(game_of(start), NEXT[""]):
                write_line(f"  streamsave {words} {quote(clean(save.label))}")
        return code

    return read_saves(saves, work)
