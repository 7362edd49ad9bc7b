"""How long does `on_damage="resync"` take, at worst? Ratios to reading sound saves of the same size, measured in the same run.

    python tools/bench_resync.py                    all of corpora/invalid, and 2,000 made damaged saves
    python tools/bench_resync.py --count 200 SAVE   fewer made ones, and saves of your own (against the fastest format)

The promise: at most `MOST_RATIO` times as long as a sound save of as many bytes, plus `GRACE` seconds. Bytes are those of the
file, or those of the inflated stream up to its last sound event, where these are more. Each save is read in a process of its own,
which is ended after a time limit. Exit code 1 where a save is above the promise. Measure on a machine with nothing else to do.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from apart import apart
from attack.mutator import make_mutator
from attrs import frozen
from mutate import folders_of
from rich.console import Console
from rich.table import Table

import streamsave
from streamsave import Damage, SaveEnd, SaveError
from streamsave.decode.known_bytes import COMPILED

ROOT: Final = Path(__file__).resolve().parent.parent
FORMATS: Final = ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
MOST_RATIO: Final = 20.0
GRACE: Final = 0.3
#: Rows of the table: the slowest.
SHOWN: Final = 15
#: How often each sound save is read; the fastest counts.
REPEATS: Final = 3


@frozen
class Reading:
    """How a save was read."""

    seconds: float
    size: int
    end: str


@frozen
class Result:
    """How long a damaged save took: `ratio` is that to a sound one, less the grace."""

    name: str
    reading: Reading
    ratio: float


def read(data: bytes) -> Reading:
    """Read a save in resync mode, to its end."""
    size = len(data)
    end = "read"
    start = time.process_time()
    try:
        with streamsave.open(data, on_damage="resync") as events:
            for event in events:
                if event.offset > size and not isinstance(event, (Damage, SaveEnd)):
                    size = event.offset
    except SaveError as error:
        end = type(error).__name__
    return Reading(time.process_time() - start, size, end)


def seconds_per_byte(name: str) -> float:
    """Measure how long the sound samples of a format take, together, for each byte."""
    readings = []
    for path in sorted((ROOT / "corpora" / "valid" / name).glob("*")):
        if path.suffix not in {".toml", ".tsv"}:
            data = path.read_bytes()
            readings.append(min((read(data) for _ in range(REPEATS)), key=lambda reading: reading.seconds))
    return sum(reading.seconds for reading in readings) / sum(reading.size for reading in readings)


def cases(name: str, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield the damaged saves of a format: those of the corpus, and made ones."""
    for path in sorted((ROOT / "corpora" / "invalid" / name).glob("*")):
        if path.is_file():
            yield f"{name}/{path.name}", path.read_bytes()
    mutator = make_mutator(folders_of((name,)))
    for seed in range(count):
        mutant = mutator.make(seed)
        yield f"{name}: seed {seed} of {Path(mutant.sample).name}", mutant.data


def table(results: list[Result]) -> Table:
    """Make the table of the slowest."""
    made = Table("save", "bytes", "end", "seconds", f"ratio, less {GRACE} s", title=f"compiled: {COMPILED}")
    for result in results[:SHOWN]:
        reading = result.reading
        made.add_row(result.name, f"{reading.size:,}", reading.end, f"{reading.seconds:.3f}", f"{result.ratio:.1f}")
    return made


@click.command()
@click.argument("saves", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--count", default=2000, show_default=True, help="How many damaged saves are made, of all formats together.")
@click.option("--format", "names", multiple=True, type=click.Choice(FORMATS), help="Only these formats. [default: all]")
@click.option("--limit", default=60.0, show_default=True, help="Seconds for each save.")
def main(saves: tuple[Path, ...], count: int, names: tuple[str, ...], limit: float) -> None:
    """Measure damaged saves, and print the slowest."""
    chosen = names or FORMATS
    rates = {name: seconds_per_byte(name) for name in chosen}
    results: list[Result] = []

    def measure(case: str, data: bytes, rate: float) -> None:
        made = apart(lambda: read(data), limit)
        reading = Reading(limit, len(data), made) if isinstance(made, str) else made
        results.append(Result(case, reading, max(reading.seconds - GRACE, 0.0) / (rate * max(reading.size, 1))))

    for name in chosen:
        for case, data in cases(name, count // len(chosen)):
            measure(case, data, rates[name])
    for path in saves:
        measure(path.name, path.read_bytes(), min(rates.values()))
    results.sort(key=lambda result: (-result.ratio, -result.reading.seconds))
    Console().print(table(results))
    above = sum(result.ratio > MOST_RATIO or result.reading.end in {"time limit", "crash"} for result in results)
    click.echo(f"{len(results)} damaged saves, {above} above {MOST_RATIO:.0f} times a sound save plus {GRACE} s")
    sys.exit(above > 0)


if __name__ == "__main__":
    main()
