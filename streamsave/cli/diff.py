"""`streamsave diff`: what differs between two saves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import cast

import click

from streamsave.cli.differences import Differences
from streamsave.cli.options import (
    SavePath,
    current_limits,
    current_options,
    json_option,
    layout_options,
    limit_option,
    reader_option,
    refuse,
    shown_names_options,
    where_option,
)
from streamsave.cli.output import Failed, on_terminal, write_pieces
from streamsave.cli.save import failing, open_input, reporting, selecting
from streamsave.cli.save_names import source_of
from streamsave.compare.ignored import ALWAYS_OTHERWISE, ignored_by
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.events import SaveStart
from streamsave.input.source import KeptSource, Source, open_source
from streamsave.output.flat_text import flat_lines
from streamsave.report.categories import classify_for, game_of

__all__ = ["command", "compare_files"]


@click.command("diff", short_help="What differs between two saves: objects and their values.")
@click.argument("saves", metavar="OLD NEW", nargs=-1, required=True, type=SavePath(allow_dash=True))
@click.option("--summary", is_flag=True, help="Write a line for each class instead: how many came, went, changed, and the bytes.")
@click.option(
    "--ignore",
    metavar="PATH",
    multiple=True,
    help="Pass over values at this path, as diff prints it, or below it: "
    "'mTimer', 'mStacks[*]/Count', 'Build_Conveyor*:trailer'. Repeatable.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Show also what differs in any two saves of a world: clocks, timers, sizes; in --summary, nature.",
)
@click.option("--long", is_flag=True, help="Write class names and values in full.")
@click.option("--textconv", is_flag=True, help="Write one save as text for `git diff`; see the manual.")
@where_option
@json_option
@shown_names_options
@layout_options
@reader_option
@limit_option
def command(
    saves: tuple[str, ...],
    summary: bool,
    ignore: tuple[str, ...],
    everything: bool,
    long: bool,
    textconv: bool,
    where: Selection | None,
    as_json: bool,
) -> int:
    """Compare two saves of one format.

    Each line is an object that was added (+) or removed (-), or a value that has changed (~), as path: old -> new.

    Objects belong together if level, class and name are the same; those whose names are mere numbers, such as foundations, if
    level, class and place are. Objects that have all of that in common belong together in their order.

    Exit code: 0 the same, 1 different, 2 error.
    """
    if textconv:
        refuse(
            len(saves) != 1 or summary or as_json or where is not None,
            "--textconv takes one SAVE, and no other options than --all and --ignore.",
        )
        with failing(saves[0]), open_input(saves[0]) as save:
            write_pieces(flat_lines(save.events, ignores=_ignores(save.events, ignore, everything=everything)))
        return 0
    refuse(len(saves) != 2, "diff takes two saves, OLD and NEW.")
    refuse(saves[0] == saves[1] == "-", "Only one of the saves can be standard input.")

    hides_nature = summary and not (everything or as_json) and on_terminal()
    output = Differences(summary=summary, long=long, as_json=as_json, hides_nature=hides_nature)
    try:
        with reporting("diff"), selecting(saves[1]):
            compare_files(saves, output, where, ignore, everything=everything)
    finally:
        output.close()
    return 1 if output.count else 0


def compare_files(
    saves: tuple[str, ...],
    output: Differences,
    where: Selection | None,
    ignore: tuple[str, ...] = (),
    *,
    everything: bool = False,
) -> None:
    """Compare two saves, and give `output` each difference.

    Raises:
        Failed: one cannot be read, or they cannot be compared.
    """
    from streamsave.compare.compare import Unreadable, compare

    with ExitStack() as opened:
        sources: list[Source] = []
        for name in saves:
            with failing(name):
                source = KeptSource(open_source(source_of(name), current_limits()))
                sources.append(opened.enter_context(closing(source)))

        def open_one(number: int) -> EventStream:
            with failing(saves[number]):
                events = EventStream(sources[number], **current_options())
            output.ignores = _ignores(events, ignore, everything=everything)
            return events

        if output.hides_nature:
            with failing(saves[0]):
                output.classify = classify_for(game_of(cast("SaveStart", next(open_one(0)))))
        with failing(saves[1]):
            try:
                compare(lambda: open_one(0), lambda: open_one(1), output.add, output.growth, where=where)
            except Unreadable as unreadable:
                with failing(saves[unreadable.side]):
                    raise unreadable.error from None
            except OSError as error:
                raise Failed("temporary files", error.strerror or str(error)) from None


def _ignores(events: EventStream, patterns: tuple[str, ...], *, everything: bool) -> Callable[[str, str], bool]:
    return ignored_by((*patterns, *(() if everything else ALWAYS_OTHERWISE.get(events.format.name, ()))))
