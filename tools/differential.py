"""Compare what we find in saves with what readers find that others wrote: on sound saves, and on mutants that both accept.

    python tools/differential.py --peers ~/peers               which readers are there, and how to install those that are not
    python tools/differential.py --peers ~/peers --count 2000 corpora/valid/gvas real-saves/

For each reader and save: the number of properties by type and by name, and of objects by class. Then mutants (`mutate.py`) of the
saves on which both agree. Where both accept a mutant, they must agree, or the table says why they may differ; what is left is
written into a folder. Exit code 1 where something is left.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import click
from attack.campaign import SEEDS, quiet
from attack.layers import take_apart
from attack.mutator import Mutator
from attack.peers import PEERS, Answer, Peer, Running, differences, format_of, ours, reason
from rich.console import Console
from rich.table import Table

from streamsave.decode.known_bytes import COMPILED

ROOT = Path(__file__).resolve().parent.parent
#: Larger files are compared as they are, but have no mutants: too slow.
MOST_MUTATED = 160 * 1024
#: Differences that are written down, of each reader.
MOST_WRITTEN = 20


def files_of(samples: tuple[str, ...]) -> dict[Path, bytes]:
    """Read the saves of folders, and single files."""
    found: dict[Path, bytes] = {}
    for sample in samples:
        path = Path(sample)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                data = file.read_bytes()
                if format_of(data):
                    found[file] = data
    return found


class Comparison:
    """One reader against ours."""

    def __init__(self, peer: Peer, folder: Path, output: Path) -> None:
        self.peer = peer
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._running = Running(peer, folder)
        self._output = output
        self._known: set[str] = set()

    def one(self, path: Path, data: bytes, kind: str, name: str) -> bool:
        """Compare one save; whether both accept it and agree."""
        own, other = ours(data), self._running.read(path)
        self.counts[kind] += 1
        if not own.is_ok or not other.is_ok:
            both = not own.is_ok and not other.is_ok
            self.counts[f"{kind}, " + ("both refuse" if both else "it refuses" if own.is_ok else "we refuse")] += 1
            if own.is_ok != other.is_ok:
                self._write(data, f"{kind} {name}", "refused", own, other, [own.error or other.error])
            return False
        found = differences(own, other)
        why = reason(data, own, other) if found else ""
        self.counts[f"{kind}, " + ("both agree" if not found else "explained" if why else "differ")] += 1
        if found:
            self.reasons[why or "nothing explains it"] += 1
            self._write(data, f"{kind} {name}", why or "differ", own, other, found)
        return not found

    def close(self) -> None:
        """End the reader."""
        self._running.close()

    def _write(self, data: bytes, name: str, what: str, own: Answer, other: Answer, found: list[str]) -> None:
        """Write a difference down, if it is one of a new kind."""
        key = f"{what} {re.sub(r'[0-9]+', '', own.error or other.error or ' '.join(found))[:60]}"
        if key in self._known or sum(known.startswith(what) for known in self._known) >= MOST_WRITTEN:
            return
        self._known.add(key)
        self._output.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^A-Za-z0-9.]+", "-", f"{self.peer.name}-{what}-{len(self._known)}")
        (self._output / f"{stem}.sav").write_bytes(data)
        text = "\n".join([name, what, f"ours: {own.error or 'accepts'}", f"{self.peer.name}: {other.error or 'accepts'}", *found])
        (self._output / f"{stem}.txt").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def compare(peer: Peer, files: dict[Path, bytes], folder: Path, output: Path, *, count: int, seed: int) -> Comparison:
    """Compare a reader with ours on saves, and on mutants of those on which both agree."""
    made = Comparison(peer, folder, output)
    try:
        agreed = {
            path.as_posix(): data
            for path, data in files.items()
            if format_of(data) in peer.formats
            and made.one(path.resolve(), data, "saves", path.as_posix())
            and len(data) <= MOST_MUTATED
        }
        if agreed and count:
            mutator = Mutator(take_apart(agreed))
            with tempfile.TemporaryDirectory() as place:
                path = Path(place) / "mutant"
                for number in range(seed * SEEDS, seed * SEEDS + count):
                    mutant = mutator.make(number)
                    path.write_bytes(mutant.data)
                    made.one(path, mutant.data, "mutants", f"{mutant.sample}, seed {number}: {'; '.join(mutant.steps)}")
    finally:
        made.close()
    return made


def table(results: list[Comparison]) -> Table:
    """Make the closing table."""
    made = Table(title=f"{'compiled' if COMPILED else 'plain Python'}, against")
    kinds = [f"{kind}{what}" for kind in ("saves", "mutants") for what in ("", *(f", {how}" for how in OUTCOMES))]
    made.add_column("")
    for result in results:
        made.add_column(result.peer.name, justify="right")
    for kind in kinds:
        made.add_row(kind, *(f"{result.counts[kind]:,}" for result in results))
    for why in sorted({why for result in results for why in result.reasons}):
        made.add_row(f"  {why}", *(f"{result.reasons[why]:,}" for result in results))
    return made


OUTCOMES = ("both agree", "explained", "differ", "it refuses", "we refuse", "both refuse")


@click.command()
@click.argument("samples", nargs=-1)
@click.option(
    "--peers", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "peers", help="Where the readers are."
)
@click.option("--only", "names", type=click.Choice([peer.name for peer in PEERS]), multiple=True, help="Only these readers.")
@click.option("--count", type=click.IntRange(min=0), default=0, show_default=True, help="Mutants for each reader.")
@click.option("--seed", type=click.IntRange(0, 9_000_000), default=0, show_default=True, help="Other seeds, other mutants.")
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "differential",
    help="For differences.",
)  # fmt: skip
def main(*, samples: tuple[str, ...], peers: Path, names: tuple[str, ...], count: int, seed: int, output: Path) -> None:
    """Compare readers on SAMPLES (folders, files), or on corpora/valid."""
    quiet()
    peers = peers.resolve()
    chosen = [peer for peer in PEERS if not names or peer.name in names]
    for peer in chosen:
        if not peer.is_there(peers):
            click.echo(f"{peer.name} is missing. To install it: {peer.install.format(folder=peers)}", err=True)
    there = [peer for peer in chosen if peer.is_there(peers)]
    if not there:
        raise click.ClickException(f"no reader is in {peers}")
    files = files_of(samples or (str(ROOT / "corpora" / "valid"),))
    results = [compare(peer, files, peers, output, count=count, seed=seed) for peer in there]
    Console(width=None if sys.stdout.isatty() else 140).print(table(results))
    sys.exit(1 if any(result.reasons["nothing explains it"] for result in results) else 0)


if __name__ == "__main__":
    main()
