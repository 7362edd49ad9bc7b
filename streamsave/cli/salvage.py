"""`streamsave salvage`: the sound parts of damaged saves as lines of JSON, or as a save; the losses go to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import BinaryIO, Final

import click

from streamsave.cli.options import (
    Saves,
    current_options,
    jobs_option,
    layout_options,
    limit_hint,
    limit_option,
    refuse,
    saves_argument,
)
from streamsave.cli.output import OutputFile, open_output, report, write_bytes, write_line
from streamsave.cli.progress import make_room
from streamsave.cli.save import Save, check_usable, read_saves, visit_saves
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean
from streamsave.errors import EditError, SaveError
from streamsave.events import Damage
from streamsave.output.json_document import loss_members
from streamsave.output.json_text import value_bytes
from streamsave.output.salvage import Losses, loss_text, salvage

__all__ = ["command"]

LOST: Final = 1
#: Losses of a save that are listed one by one, without --json.
LISTED: Final = 20


def tell(label: str, lost: Iterable[Damage], *, as_json: bool) -> int:
    """Write to standard error what was lost of a save, as it comes, and the sum of it; return the exit code."""
    losses, count = Losses(), 0
    for count, damage in enumerate(lost, 1):
        losses.add(damage)
        if as_json:
            write_loss({"save": label, **loss_members(damage)})
        elif count <= LISTED:
            report(label, loss_text(damage) + limit_hint(damage.error))
    if as_json:
        write_loss({"save": label, "losses": losses.counts, "size": losses.size})
    elif count:
        if count > LISTED:
            report(label, f"... and {count - LISTED:,} more; --json lists all")
        report(label, losses.text())
    return LOST if losses.counts else 0


def write_loss(line: dict[str, object]) -> None:
    """Write JSON to standard error."""
    make_room()
    sys.stderr.write(value_bytes(line).decode("utf-8") + "\n")


def write_save(name: str, target: str, *, as_json: bool) -> int:
    """Write a save of what is sound of one; return the exit code.

    Raises:
        EditError: none can be made of it.
        OSError: one cannot be read or written.
    """
    from streamsave.check.finding import NOTE
    from streamsave.rewriting.salvage import SaveSalvage

    label = label_of(name)
    check_usable(name, None)
    work = SaveSalvage(name, **current_options())
    try:
        code = tell(label, work.write(target), as_json=as_json)
    except (EditError, SaveError) as error:
        raise EditError(f"no save can be made of it: {error}{limit_hint(error)}") from None
    if work.is_converted:
        report(label, "written as PlZ (zlib): nothing here compresses by Oodle")
    for finding in work.findings:
        # A sound save may refer to what it does not have: that is worth a line only if objects were lost.
        if finding.severity != NOTE or (finding.kind == "dangling" and code == LOST):
            report(label, f"in the new save, {finding.message}")
    write_line(clean(f"{label}: {target}"))
    return code


@click.command("salvage", short_help="The sound parts of a damaged save, as JSON or as a save.")
@saves_argument
@click.option("-o", "--output", metavar="FILE", type=OutputFile(allow_dash=True), help="Write to this file.")
@click.option(
    "--save",
    "target",
    metavar="FILE",
    type=OutputFile(is_save=True),
    help="Write a save of what is sound to this file, no JSON.",
)
@layout_options
@limit_option
@jobs_option
@click.option("--json", "as_json", is_flag=True, help="Write the losses as JSON, one on each line, the sum last.")
def command(saves: Saves, output: str | None, target: str | None, as_json: bool) -> int:
    """Write the sound objects, one on each line, like json --ndjson; write to standard error what was lost.

    A damaged object is left out. An Unreal save game is one object: only its damaged property is left out, and "lost" is in its
    place; so it is with a damaged object inside of another one. A save that ends too early is written up to its end.

    A wrong value may look sound if there is no checksum. The checksum of a chunk is checked before the objects in it are written,
    that of an archive's member after them.

    With --save, what is sound becomes a save, whose sizes and counts are right; it is checked before it appears. Saves that edit
    can write can be written, those in Palworld's PlM as PlZ. Of an Arx save, whole entries are left out; of a shapez 2 save,
    members, if not a single object is damaged; an object of Astroneer stays, without its data, as others refer to it by number.

    Exit code: 0 nothing was lost, 1 something was lost, 2 not even the start of a save can be read, or another error.
    """
    if target is not None:
        refuse(output is not None or saves.several, "--save is one file, made from one save, and takes the place of --output.")
        return visit_saves(saves, partial(write_save, target=target, as_json=as_json))
    refuse(
        output is not None and saves.jobs > 1,
        "--output is one file, which only one process can write; with --jobs, use standard output.",
    )
    with ExitStack() as stack:
        file: BinaryIO | None = None

        def losses_of(save: Save) -> Iterator[Damage]:
            nonlocal file
            for piece in salvage(save.events):
                if isinstance(piece, Damage):
                    yield piece
                else:
                    file = file or stack.enter_context(open_output(output))
                    write_bytes(file, piece)

        return read_saves(saves, lambda save: tell(save.label, losses_of(save), as_json=as_json), on_damage="resync")
