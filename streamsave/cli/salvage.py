"""`streamsave salvage`: what is sound of damaged saves, as lines of JSON; what was lost is told on standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, Final

import click

from streamsave.cli.inputs import Saves, jobs_option, saves_argument
from streamsave.cli.limits import limit_option
from streamsave.cli.output import open_output, report, write_bytes
from streamsave.cli.run import read_saves
from streamsave.cli.save import Save
from streamsave.cli.save_names import STDIN
from streamsave.events import Damage
from streamsave.output.json_document import loss_members
from streamsave.output.json_values import json_value
from streamsave.output.salvage import Losses, loss_text, salvage

__all__ = ["command"]

LOST: Final = 1
#: How many losses of a save are told one by one, unless it is for a machine.
TOLD: Final = 20


class Report:
    """Tells on standard error what was lost of one save."""

    def __init__(self, label: str, *, as_json: bool) -> None:
        self._label = label
        self._as_json = as_json
        self.losses = Losses()
        self._count = 0

    def add(self, damage: Damage) -> None:
        """Tell of one loss."""
        self.losses.add(damage)
        self._count += 1
        if self._as_json:
            self._write({"save": self._label, **loss_members(damage)})
        elif self._count <= TOLD:
            report(self._label, loss_text(damage))

    def finish(self) -> None:
        """Sum up."""
        losses = self.losses
        if self._as_json:
            self._write({"save": self._label, "losses": losses.counts, "size": losses.size})
            return
        if self._count > TOLD:
            report(self._label, f"... and {self._count - TOLD:,} more; --json tells all")
        if self._count:
            report(self._label, losses.text())

    def _write(self, told: dict[str, object]) -> None:
        import orjson

        sys.stderr.write(orjson.dumps(json_value(told)).decode("utf-8") + "\n")


class Work:
    """Writes the sound lines of one save after the other."""

    def __init__(self, file: BinaryIO, *, as_json: bool) -> None:
        self._file = file
        self._as_json = as_json

    def __call__(self, save: Save) -> int:
        """Write those of one save; give the exit code."""
        told = Report(save.label, as_json=self._as_json)
        for piece in salvage(save.events):
            if isinstance(piece, Damage):
                told.add(piece)
            else:
                write_bytes(self._file, piece)
        told.finish()
        return LOST if told.losses.counts else 0


@click.command("salvage", short_help="What is sound of a damaged save, as JSON.")
@saves_argument
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to this file.")
@limit_option
@jobs_option
@click.option("--json", "as_json", is_flag=True, help="What was lost as JSON, one loss a line, the sum last.")
def command(saves: Saves, output: str | None, as_json: bool) -> int:
    """Write what is sound, one object a line, like json --ndjson; tell on standard error what was lost.

    An object that is damaged is left out. An Unreal save game is one object: of that, the damaged property is left out, and
    "lost" stands in its place. A save that ends too early is written up to where it does.

    A value that is wrong and yet possible looks sound where no checksum tells: those of chunks are looked at before what is in
    them, those of an archive's members behind it.

    Exit code: 0 nothing was lost, 1 something was, 2 not even the start of a save can be read, or another error.
    """
    if output is not None:
        if saves.jobs > 1:
            raise click.UsageError("--output is one file, which only one process can write; with --jobs, use standard output.")
        for save in saves:
            if isinstance(save, str) and save != STDIN and _is_same(output, save):
                raise click.UsageError(f"{output} is the save itself.")
    with open_output(output) as file:
        return read_saves(saves, Work(file, as_json=as_json), summary=output is not None, on_damage="resync")


def _is_same(output: str, save: str) -> bool:
    return Path(output).exists() and Path(save).exists() and Path(output).samefile(save)
