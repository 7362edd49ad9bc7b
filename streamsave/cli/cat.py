"""`streamsave cat`: the events of a save, indented by their nesting."""

from __future__ import annotations

from typing import Final

import click

from streamsave.cli.event_lines import Printer
from streamsave.cli.options import (
    Saves,
    jobs_option,
    json_option,
    layout_options,
    limit_option,
    refuse,
    saves_argument,
    sparse_option,
    usage_of,
)
from streamsave.cli.output import report, write_line, write_pieces
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, quoted
from streamsave.consume.expressions import compile_expression
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import flat_lines

__all__ = ["command"]

#: Deeper than anything in a save; compiled code has no larger numbers.
DEEPEST: Final = 1 << 30


@click.command("cat", short_help="All events, indented.")
@saves_argument
@click.option(
    "--object",
    "object_pattern",
    metavar="PATTERN",
    help="Print only objects whose class or instance name matches this regular expression.",
)
@click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(min=1),
    help="Print only events nested less than N deep; with --object, counted from the object.",
)
@click.option("--offsets", is_flag=True, help="Begin each line with the offset in the inflated stream, in hexadecimal.")
@click.option("--chunks", is_flag=True, help="Print also where compressed chunks begin.")
@click.option("--flat", is_flag=True, help="Print a line PATH = VALUE for each innermost value instead, to search and compare.")
@sparse_option
@json_option
@layout_options
@limit_option
@jobs_option
def command(
    saves: Saves,
    object_pattern: str | None,
    depth: int | None,
    offsets: bool,
    chunks: bool,
    flat: bool,
    sparse: bool,
    as_json: bool,
) -> int:
    """Print all events, one on each line, indented by their nesting. Values of up to 4096 bytes are printed too.

    With --json, each event is an object with all its fields and "depth". Events that end something are printed too. "value" is
    the decoded value, if it is not too long; "file" is the save, if there are several.

    With --flat, all values are printed, each with its path, as JSON; with several saves, the save is before it, and a tab.
    """
    with usage_of(f"{quoted(object_pattern or '')} is no regular expression"):
        pattern = None if object_pattern is None else compile_expression(object_pattern)
    refuse(flat and (as_json or offsets or chunks or depth is not None), "--flat goes with --object and --sparse only.")

    def work(save: Save) -> None:
        has_matched = pattern is None

        def named(header: ObjectHeader) -> bool:
            nonlocal has_matched
            is_named = pattern is None or bool(pattern(header.class_name) or pattern(header.instance_name))
            has_matched |= is_named
            return is_named

        wanted = None if pattern is None else named
        if flat:
            write_pieces(flat_lines(save.events, wanted, before=f"{clean(save.label)}\t" if saves.several else ""))
        else:
            if saves.several and not as_json:
                write_line(f"{clean(save.label)}:")
            most = DEEPEST if depth is None else min(depth, DEEPEST)
            Printer(save, depth=most, offsets=offsets, as_json=as_json, name_file=saves.several, chunks=chunks).print(wanted)
        if not has_matched:
            report(save.label, f"no object matches --object {quoted(object_pattern or '')}")

    return read_saves(saves, work, sparse=sparse)
