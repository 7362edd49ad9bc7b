"""Salvage damaged saves with `--save`'s code: is what comes out sound?

    python tools/salvage_saves.py --count 300                all formats that can be written, from corpora/
    python tools/salvage_saves.py SAVE... --keep out/        saves of your own; the new ones stay in a folder

Damage is that of `tools/attack`. Each new save is read by `check`; a finding, or anything but a `SaveError`, is a failure, and
the exit code 1. How many objects and values are left is counted, so that a new version that saves less shows.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Final

import click
from attack.mutator import make_mutator
from mutate import folders_of

import streamsave
from streamsave import Damage, EditError, Field, ObjectHeader, PropertyTag, SaveError
from streamsave.check.finding import NOTE
from streamsave.rewriting.salvage import SaveSalvage

#: Findings that the new save may have: the damaged one had them, too, or they are about references to lost objects.
HARMLESS: Final = frozenset(("dangling", "file-table", "unknown-bytes"))
FORMATS: Final = ("satisfactory", "gvas", "arx", "astroneer", "shapez2")


def size_of(data: bytes) -> int:
    """Count objects and values of a damaged save, as far as they are sound."""
    count = 0
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            count += isinstance(event, (ObjectHeader, PropertyTag, Field))
    return count


def salvage(data: bytes, target: Path) -> tuple[str, int]:
    """Salvage one save; return how that ended, and how many losses there were."""
    losses = 0
    try:
        work = SaveSalvage(data)
        for damage in work.write(target):
            losses += isinstance(damage, Damage)
    except streamsave.UnsupportedSave as error:
        return f"unsupported: {error.message[:40]}", losses
    except (SaveError, EditError) as error:
        return f"refused: {error}", losses
    wrong = [finding for finding in work.findings if finding.severity != NOTE and finding.kind not in HARMLESS]
    return f"wrong: {wrong[0].message}" if wrong else "sound" if losses else "whole", losses


@click.command()
@click.argument("samples", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option("--count", type=click.IntRange(min=1), default=300, show_default=True, help="How many.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the new saves in this folder.")
@click.option("-v", "--verbose", is_flag=True, help="Write how each save ended.")
def main(*, samples: tuple[str, ...], seed: int, count: int, keep: Path | None, verbose: bool) -> None:
    """Damage SAMPLES (formats, folders or files; without any, all that can be written) and salvage them."""
    mutator = make_mutator(folders_of(samples or FORMATS))
    ends: Counter[str] = Counter()
    left = found = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            mutant = mutator.make(number)
            target = (keep or Path(folder)) / f"{number}{Path(mutant.sample).suffix}"
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                end, losses = salvage(mutant.data, target)
            except Exception:  # noqa: BLE001 - a fault of ours: it is shown, and counted
                end, losses = f"crash: {traceback.format_exc()}", 0
            kind = end.partition(":")[0]
            ends[kind] += 1
            if kind in {"sound", "whole"}:
                there = size_of(mutant.data)
                found += there
                kept = size_of(target.read_bytes())
                left += kept
                end += f", {kept:,} of {there:,} values"
            if verbose or kind in {"crash", "wrong"}:
                click.echo(f"seed {number}: {mutant.sample}: {end} ({losses} losses; {'; '.join(mutant.steps)[:120]})")
    click.echo(f"{dict(ends)}; {left:,} of {found:,} sound values are in the new saves")
    sys.exit(1 if ends["crash"] or ends["wrong"] else 0)


if __name__ == "__main__":
    main()
