"""Attack the parser with saves that have a few things wrong, and watch whether it keeps its contract.

    python tools/fuzz.py                                     10,000 inputs of each format
    python tools/fuzz.py --format gvas --count 300000
    python tools/fuzz.py --seconds 600 --jobs 2 real-saves/

Each finding is written into a folder: the input, what does not hold and, for the first of its kind, a smaller input that shows
the same. Exit code 1 where there are findings. `python tools/mutate.py FORMAT --seed SEED` makes the input of a seed again, and
keeps it for a test with `--keep`.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import click
from attack.campaign import SEEDS, Found, Tally, Task, run_watched
from mutate import folders_of
from rich.console import Console
from rich.table import Table

from streamsave.decode.known_bytes import COMPILED

ROOT = Path(__file__).resolve().parent.parent
FORMATS = ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
WAYS = ("fed", "verbs", "consumers", "resync", "rewrites", "truth", "progress")
ERRORS = ("ok", "TruncatedSave", "DamagedSave", "LimitExceeded", "UnsupportedSave")


def write_finding(found: Found, folder: Path, name: str) -> Path:
    """Write an input, a smaller one if there is one, and what does not hold; return where the smallest is."""
    folder.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", found.finding.key)[:60]
    stem = folder / f"{name}-{slug}-{found.mutant.seed}"
    suffix = Path(found.mutant.sample).suffix
    small = stem.with_name(f"{stem.name}{suffix}")
    small.write_bytes(found.mutant.data)
    if found.smallest != found.mutant.data:
        small = stem.with_name(f"{stem.name}.small{suffix}")
        small.write_bytes(found.smallest)
    steps = "\n".join(found.mutant.steps)
    text = f"{found.finding.key}\nseed {found.mutant.seed} of {found.mutant.sample}\n{steps}\n\n{found.finding.detail}\n"
    stem.with_name(f"{stem.name}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
    return small


def attack(name: str, folders: list[Path], output: Path, *, count: int, seconds: float, seed: int, jobs: int) -> Tally:
    """Run one campaign."""
    until = time.time() + seconds if seconds else 0.0
    counts = [len(range(job, count, jobs)) for job in range(jobs)]
    tasks = [Task(folders, seed * SEEDS + job, each, jobs, until) for job, each in enumerate(counts) if each]

    def tell(found: Found) -> None:
        small = write_finding(found, output, name)
        click.echo(f"{name}: {found.finding.key}, seed {found.mutant.seed}: {small} ({len(found.smallest)} bytes)", err=True)

    return run_watched(tasks, tell)


def table(tallies: dict[str, tuple[Tally, float]]) -> Table:
    """Make the closing table: inputs, how they ended, how many were read in which way besides as bytes, findings, costs.

    `x median` is how many times slower per byte than the median the slowest input was, whose seed follows; it is a finding where
    that is above `SLOW_FACTOR`.
    """
    made = Table(title=f"{'compiled' if COMPILED else 'plain Python'}")
    columns = ("inputs", "a second", "events", *ERRORS, *WAYS, "findings", "slowest ms", "x median", "its seed", "MiB more")
    made.add_column("format", justify="left")
    for column in columns:
        made.add_column(column, justify="right")
    for name, (tally, seconds) in tallies.items():
        outcomes = [f"{tally.outcomes[error]:,}" for error in ERRORS] + [f"{tally.ways[way]:,}" for way in WAYS]
        times, seed = tally.worst
        made.add_row(
            name, f"{tally.inputs:,}", f"{tally.inputs / seconds:,.0f}", f"{tally.events:,}", *outcomes,
            str(tally.findings.total()), f"{tally.slowest[0] * 1e3:.1f}", f"{times:.1f}", str(seed), f"{tally.memory:.0f}",
        )  # fmt: skip
    return made


@click.command()
@click.argument("samples", nargs=-1)
@click.option("--format", "formats", type=click.Choice(FORMATS), multiple=True, help="Only these; default: all.")
@click.option("--count", type=click.IntRange(min=1), default=10_000, show_default=True, help="Inputs a format.")
@click.option("--seconds", type=click.FloatRange(min=0), default=0.0, help="Stop each format after so long.")
@click.option("--seed", type=click.IntRange(0, 9_000_000), default=0, show_default=True, help="Other seeds, other inputs.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "fuzz", help="For findings."
)
def main(
    *, samples: tuple[str, ...], formats: tuple[str, ...], count: int, seconds: float, seed: int, jobs: int, output: Path
) -> None:
    """Attack the parser with saves that have a few things wrong: mutants of SAMPLES (folders, files), or of corpora/.

    Each input is read as bytes to its end. By chance, half of them are read as a file, a pipe or the like as well, 6 of 10
    with verbs, a tenth surviving damage, and a fiftieth by consumers. Where it is known what may be given of an input ("truth"),
    it is compared with that; what surviving damage costs ("progress") is measured for each third. The table says how many that
    were.
    """
    targets = {"samples": folders_of(samples)} if samples else {name: folders_of((name,)) for name in formats or FORMATS}
    tallies: dict[str, tuple[Tally, float]] = {}
    for name, folders in targets.items():
        started = time.perf_counter()
        tally = attack(name, folders, output, count=count, seconds=seconds, seed=seed, jobs=jobs)
        tallies[name] = (tally, time.perf_counter() - started)
    Console(width=None if sys.stdout.isatty() else 220).print(table(tallies))
    sys.exit(1 if any(tally.findings for tally, _ in tallies.values()) else 0)


if __name__ == "__main__":
    main()
