"""`streamsave from-json`: a save out of an edited JSON document, and the save that the document was made from."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

import click

from streamsave.cli.options import current_limits, current_objects, hints_option, limit_option, objects_option
from streamsave.cli.output import FAILED, OutputFile, report, write_line
from streamsave.cli.save import attempt, unusable
from streamsave.cli.save_names import STDIN, label_of
from streamsave.cli.text import clean
from streamsave.output.flat_text import path_text
from streamsave.output.salvage import count_text

__all__ = ["command"]

#: Characters of a value that are shown.
SHOWN: Final = 60
#: Bytes of a document from standard input that are held in memory.
HELD: Final = 8 * 1024 * 1024


@click.command("from-json", short_help="A save out of an edited JSON document.")
@click.argument("document", metavar="DOCUMENT", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--like", "name", metavar="SAVE", required=True, help="The save that the document was made from.")
@click.option("-o", "--output", metavar="FILE", type=OutputFile(is_save=True), help="The new save.")
@click.option("--in-place", is_flag=True, help="Replace the save itself; the old one stays as SAVE.bak, SAVE.bak.1 ...")
@click.option("--dry-run", is_flag=True, help="List what would change, and write nothing.")
@click.option("-v", "--verbose", is_flag=True, help="List what changes.")
@hints_option
@objects_option
@limit_option
def command(
    document: str, name: str, output: str | None, in_place: bool, dry_run: bool, verbose: bool, hints: dict[str, str]
) -> int:
    """Write a save that is as a JSON document says.

    streamsave json world.sav -o world.json

    streamsave from-json world.json --like world.sav -o new.sav

    DOCUMENT is what json wrote, or json --ndjson, or get of one object; anything may have edited it, indented it, or sorted its
    members. - is standard input. What is equal in the document and in the save is copied byte by byte; other values are set; an
    object, a property or an element that the document does not have is dropped. Of lines, only the objects that are there are
    touched: {"@drop": true} on a line drops the object.

    A new element of a list or map is made from the one before it; a property that an object has not, from one of the same name in
    another object of its class, or another struct of its type. What no object has cannot be made. Names, classes and flags of
    objects stay as they are.

    Exit code: 0, 2 error: nothing is written.
    """
    if (output is not None) + in_place + dry_run != 1:
        raise click.UsageError("Give one of --output, --in-place and --dry-run.")

    def visit(name: str) -> int:
        from streamsave.rewriting.from_json import make_save

        target = name if in_place else output
        fault = unusable(name, None if target is None else Path(target), several=False, in_place=in_place)
        if fault:
            report(label_of(name), fault)
            return FAILED
        counts = {"set": 0, "added": 0, "dropped": 0}
        with ExitStack() as stack:
            file = stack.enter_context(open(document, "rb") if document != STDIN else held())  # noqa: PTH123, SIM115
            changes = make_save(
                file,
                name,
                target,
                limits=current_limits(),
                type_hints=hints,
                objects_at=current_objects(),
                backup=f"{name}.bak" if in_place else None,
            )
            for change in changes:
                counts[change.verb] += 1
                if dry_run or verbose:
                    values = f"\t{shown(change.old)} -> {shown(change.new)}" if change.verb == "set" else ""
                    write_line(f"{change.verb}\t{clean(path_text(change.path))}{values}")
        parts = [f"{count_text(counts['set'], 'value')} set"]
        parts += [f"{counts[verb]:,} {verb}" for verb in ("added", "dropped") if counts[verb]]
        write_line(f"{clean(label_of(name))}: {', '.join(parts)}")
        return 0

    return attempt(name, visit)


def held() -> BinaryIO:
    """Return standard input as a file that can be read several times."""
    file = SpooledTemporaryFile(max_size=HELD)  # noqa: SIM115 - the caller closes it
    while piece := sys.stdin.buffer.read(HELD):
        file.write(piece)
    return cast("BinaryIO", file)


def shown(text: bytes) -> str:
    """Return the start of a JSON text."""
    value = text.decode("utf-8", "replace")
    return clean(value if len(value) <= SHOWN else f"{value[:SHOWN]}...")
