"""Do readers that others wrote read what we write? Saves with edits, and salvaged ones: each reader has to find what we find.

    python tools/check_written.py --peers ~/peers real-saves/ corpora/valid        edits of these saves
    python tools/check_written.py --peers ~/peers --salvage 300 real-saves/        and of 300 damaged saves what `salvage` makes

Only saves that a reader accepts as they are, and finds the same in as we do, are edited and damaged for it. Exit code 1 if it
refuses a save with edits, or finds something else than we do in any. It may refuse salvaged saves: damage of a version number
in a header, or of bytes that we pass over, does not show.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

import click
from attack.campaign import quiet
from attack.layers import take_apart
from attack.mutator import Mutator
from attack.peers import PEERS, Peer, Running, differences, format_of, ours, reason
from differential import files_of
from salvage_saves import salvage

import streamsave
from streamsave import EditError, ObjectHeader, PropertyTag, SaveError, UnsupportedSave
from streamsave.output.json_document import json_document
from streamsave.rewriting.from_json import make_save

ROOT: Final = Path(__file__).resolve().parent.parent
#: One of so many objects or values is edited.
SHARE: Final = 7
#: Larger saves are edited, but not damaged: too slow.
MOST_DAMAGED: Final = 1 << 20
#: What is done with a save.
EDITS: Final = ("objects dropped", "properties dropped", "values set", "document edited")
SALVAGED: Final = "salvaged"


def rewritten(path: Path, target: Path, edit: str) -> int:
    """Write a save with edits; return how many there are.

    Raises:
        SaveError: saves of this kind cannot be written.
    """
    if edit == EDITS[3]:
        return from_document(path, target)
    count = seen = 0
    with streamsave.rewrite(path, target) as save:
        for event in save:
            if not isinstance(event, ObjectHeader if edit == EDITS[0] else PropertyTag):
                continue
            seen += 1
            if seen % SHARE:
                continue
            try:
                if edit == EDITS[2]:
                    count += set_value(save, event)
                else:
                    save.drop()
                    count += 1
            except EditError:
                continue  # it steers how other bytes are read, or nothing can be left out there
    return count


def set_value(save: streamsave.RewriteStream, event: object) -> bool:
    """Set the value of a property to another of another size, or of another number; return whether it is one of these kinds."""
    if not isinstance(event, PropertyTag):
        return False
    if event.type == "StrProperty":
        save.replace(f"{save.build()} and more")
    elif event.type == "IntProperty":
        save.replace(7)
    else:
        return False
    return True


def from_document(path: Path, target: Path) -> int:
    """Write a save out of its JSON document, in which numbers, texts and names of objects are others; return how many there are.

    Raises:
        SaveError: saves of this kind cannot be written.
    """
    with streamsave.open(path) as events:
        document = json.loads(b"".join(json_document(events)))
    with streamsave.open(path) as events:
        types = {(event.name, event.type) for event in events if isinstance(event, PropertyTag)}
    editable = {name: {each for other, each in types if other == name} for name, _ in types}
    edit_members(document, {name for name, of_name in editable.items() if of_name <= {"IntProperty", "StrProperty"}}, [0])
    try:
        return len(list(make_save(BytesIO(json.dumps(document).encode()), path, target)))
    except EditError:
        return 0


def edit_members(value: object, names: set[str], seen: list[int]) -> None:
    """Change one of so many members of these names, at any depth, and one of so many names of objects.

    Args:
        value: of a document.
        names: of numbers and texts.
        seen: how many there were so far.
    """
    if isinstance(value, list):
        for part in value:
            edit_members(part, names, seen)
    if not isinstance(value, dict):
        return
    is_named = value.get("kind") in {"actor", "object"} and "instance_name" in value
    for name, part in value.items():
        if name in names and isinstance(part, (int, str)):
            seen[0] += 1
            if seen[0] % SHARE == 0:
                value[name] = f"{part} and more" if isinstance(part, str) else 7
        else:
            edit_members(part, names, seen)
    seen[0] += is_named
    if is_named and seen[0] % SHARE == 0:
        value["instance_name"] += "_renamed"


class Readings:
    """What one reader says of what we write.

    Args:
        peer: the reader.
        folder: where the readers are.
        keep: a folder for what it refuses, or finds something else in.
    """

    def __init__(self, peer: Peer, folder: Path, keep: Path) -> None:
        self.name = peer.name
        self._running = Running(peer, folder)
        self._keep = keep
        self.counts: Counter[str] = Counter()

    def agrees(self, path: Path) -> bool:
        """Return whether the reader finds in a save what we find."""
        own, other = ours(path.read_bytes()), self._running.read(path)
        return own.is_ok and other.is_ok and not differences(own, other)

    def judge(self, path: Path, kind: str, name: str) -> None:
        """Count whether the reader finds in a new save what we find."""
        data = path.read_bytes()
        own, other = ours(data), self._running.read(path)
        found = differences(own, other) if other.is_ok else [other.error]
        why = reason(data, own, other) if found and other.is_ok else ""
        verdict = "equal" if not found else f"explained: {why}" if why else "differs" if other.is_ok else "refused"
        self.counts[f"{kind}: {verdict}"] += 1
        if verdict in {"differs", "refused"}:
            self._keep.mkdir(parents=True, exist_ok=True)
            kept = self._keep / f"{self.name}-{self.counts.total()}{path.suffix}"
            kept.write_bytes(data)
            click.echo(f"{self.name}: {kind}: {name}: {verdict}: {found[0][:200]} ({kept})")

    @property
    def fails(self) -> bool:
        """Whether it has refused a save with edits, or found something else in one that we wrote."""
        may = f"{SALVAGED}: refused"
        return any(key.endswith((": differs", ": refused")) and key != may for key in self.counts)

    def close(self) -> None:
        """End the reader."""
        self._running.close()


def edited_saves(paths: list[Path], target: Path) -> Iterator[tuple[str, str]]:
    """Write saves with edits to `target`, one after the other; yield what each is, and of which save."""
    for path in paths:
        for edit in EDITS:
            try:
                count = rewritten(path, target, edit)
            except UnsupportedSave:
                continue
            if count:
                yield edit, f"{path.name}, {count} edits"


def salvaged_saves(paths: list[Path], target: Path, count: int) -> Iterator[tuple[str, str]]:
    """Salvage damaged saves to `target`, one after the other; yield what each is, and of which save."""
    small = {path.as_posix(): path.read_bytes() for path in paths if path.stat().st_size <= MOST_DAMAGED}
    if not small:
        return
    mutator = Mutator(take_apart(small))
    for number in range(count):
        mutant = mutator.make(number)
        try:
            end, losses = salvage(mutant.data, target)
        except (SaveError, OSError):
            continue
        if end in {"sound", "whole"} and losses:
            yield SALVAGED, f"{mutant.sample}, seed {number}: {'; '.join(mutant.steps)[:100]}"


def read_all(readings: Readings, paths: list[Path], damaged: int) -> None:
    """Let a reader read what we make of saves."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "new.sav"
        for kind, name in edited_saves(paths, target):
            readings.judge(target, kind, name)
        for kind, name in salvaged_saves(paths, target, damaged):
            readings.judge(target, kind, name)


@click.command()
@click.argument("samples", nargs=-1)
@click.option(
    "--peers", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "peers", help="Where the readers are."
)
@click.option("--only", "names", type=click.Choice([peer.name for peer in PEERS]), multiple=True, help="Only these readers.")
@click.option(
    "--salvage", "damaged", type=click.IntRange(min=0), default=0, show_default=True, help="Damaged saves, of each reader."
)
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "written", help="For what fails."
)
def main(*, samples: tuple[str, ...], peers: Path, names: tuple[str, ...], damaged: int, output: Path) -> None:
    """Edit and salvage SAMPLES (folders, files; without any, corpora/valid), and let others read the new saves."""
    quiet()
    peers = peers.resolve()
    files = files_of(samples or (str(ROOT / "corpora" / "valid"),))
    fails = False
    for peer in PEERS:
        if names and peer.name not in names:
            continue
        if not peer.is_there(peers):
            click.echo(f"{peer.name} is missing. To install it: {peer.install.format(folder=peers)}", err=True)
            continue
        readings = Readings(peer, peers, output)
        paths = [path.resolve() for path, data in files.items() if format_of(data) in peer.formats]
        agreed = [path for path in paths if readings.agrees(path)]
        click.echo(f"{peer.name}: {len(agreed)} of {len(paths)} saves as they are")
        read_all(readings, agreed, damaged)
        readings.close()
        for kind, count in sorted(readings.counts.items()):
            click.echo(f"    {count:6,}  {kind}")
        fails |= readings.fails
    sys.exit(1 if fails else 0)


if __name__ == "__main__":
    main()
