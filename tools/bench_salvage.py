"""What does `on_damage="resync"` give of damaged saves, and is it right? Real saves, damaged in known ways, in known places.

    python tools/bench_salvage.py                                  20 real saves, 16 kinds of damage, 10 places each
    python tools/bench_salvage.py --held-back                      10 other saves, which nothing was built for
    python tools/bench_salvage.py --family blueprint --class count --save SAVE
    python tools/bench_salvage.py --json new.json --against old.json

The script uses the public interface alone, so it measures any version: run it with the Python that has that version. The same
save, kind and place give the same damage. Each trial is read in a process of its own, which is ended after a time limit.

| number | what it counts |
|---|---|
| % | objects of the sound save that are given whole and right, with all values; for gvas-values: innermost values |
| lies | trials with an object that is in no way in the sound save, and is not the damaged one under its own header |
| parts | trials with a foreign value in an object that is given up to a `Damage` |
| changed | trials in which the damaged object is given with its changed bytes, under its own header |
| twice | trials in which an object is given more often than the sound save has it |
| ratio | time to read the slowest damaged save, less 0.3 s, to that of the sound one: the promise is 20 |

Measure on a machine with nothing else to do, if the time matters.

The module is long because it chooses saves, reads each in a process, and compares two versions.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import attrs
import click
from apart import apart
from attrs import frozen
from rich.console import Console
from rich.table import Table
from salvaging.damages import CLASSES, Damaged, damage
from salvaging.judging import FAMILIES, Judgement, Sound, judged, sound_of, walked

from streamsave.decode.known_bytes import COMPILED

ROOT: Final = Path(__file__).resolve().parent.parent
GRACE: Final = 0.3
MOST_RATIO: Final = 20.0
PLACES: Final = 10
#: Trials that `--against` prints.
SHOWN: Final = 30


@frozen
class Era:
    """A group of real saves: patterns of their names, the most bytes of one, and how many are taken for each of the two sets."""

    patterns: str
    most: int
    count: int
    held_back: int


#: Of each group, those whose names have the least hashes: no one chose them.
ERAS: Final = (
    Era("satisfactory/u[3-7]*.sav", 1_500_000, 3, 1),
    Era("satisfactory/*sv4[0-9]*.sav more/sv46*.sav", 1_500_000, 2, 1),
    Era("satisfactory/*sv5[1-3]*.sav pairs/*.sav", 1_500_000, 2, 1),
    Era("satisfactory/*sv58*.sav", 1_500_000, 1, 0),
    Era("satisfactory/blueprints/*.sbp", 100_000, 2, 1),
    Era("gvas/palworld-level-*.sav", 300_000, 2, 1),
    Era("gvas/palworld-level-pl[mz]-[01]*.sav", 2_000_000, 1, 1),
    Era("gvas/[acdst]*.sav gvas/hogwarts-list.sav gvas/railroads-ue425.sav", 600_000, 3, 2),
    Era("astroneer/*.savegame", 1_500_000, 1, 0),
    Era("arx/*v2.[01]*.sav", 200_000, 1, 1),
    Era("shapez2/*.spz2", 100_000, 1, 0),
    Era("shapez2/blueprints/*.spz2bp", 50_000, 1, 1),
)


def saves_of(corpus: Path, *, held_back: bool) -> list[Path]:
    """Choose the real saves of one of the two sets; small ones come first."""
    chosen: list[Path] = []
    for era in ERAS:
        found = {path for pattern in era.patterns.split() for path in corpus.glob(pattern)}
        small = [path for path in found if 4000 <= path.stat().st_size <= era.most or path.suffix in {".spz2", ".spz2bp"}]
        small.sort(key=lambda path: hashlib.sha256(path.name.encode()).digest())
        taken = small[era.count : era.count + era.held_back] if held_back else small[: era.count]
        chosen += [path for path in taken if path not in chosen]
    return sorted(chosen, key=lambda path: path.stat().st_size)


@frozen
class Trial:
    """How one damaged save was read."""

    file: str
    family: str
    kind: str
    index: int
    place: str
    #: CRC-32 of the damaged file: two versions are compared on the same damage.
    crc: int
    total: int
    judgement: Judgement
    damages: int
    seconds: float
    ratio: float
    end: str

    @property
    def name(self) -> str:
        """The file, the kind of damage and the number of its place."""
        return f"{self.file} {self.kind} {self.index}"

    @property
    def percent(self) -> float:
        """How much of the sound save is given."""
        return 100 * self.judgement.right / self.total


def read_apart(sound: Sound, made: Damaged, limit: float) -> tuple[Judgement, float, int, str]:
    """Read a damaged save in a process of its own, for at most so many seconds."""

    def work() -> tuple[Judgement, float, int, str]:
        walk = walked(made.data, "resync")
        return judged(sound, made, sound.given_of(made.data, walk)), walk.seconds, walk.damages, walk.end

    read: tuple[Judgement, float, int, str] | str = apart(work, limit)
    return (Judgement(), limit, 0, read) if isinstance(read, str) else read


def trials_of(sound: Sound, kinds: tuple[str, ...], limit: float) -> Iterator[Trial]:
    """Damage a save in all places, and read what comes of it."""
    for kind in kinds:
        for index in range(PLACES):
            made = damage(sound.save, sound.places, kind, index, name=Path(sound.path).name, of_values=sound.of_values)
            if made is None or made.data == sound.save.data:
                continue
            judgement, seconds, damages, end = read_apart(sound, made, limit)
            ratio = max(seconds - GRACE, 0.0) / sound.seconds
            yield Trial(
                file=sound.path,
                family=sound.family,
                kind=kind,
                index=index,
                place=made.place,
                crc=zlib.crc32(made.data),
                total=sound.total,
                judgement=judgement,
                damages=damages,
                seconds=round(seconds, 4),
                ratio=round(ratio, 1),
                end=end,
            )


def measure(path: Path, name: str, families: tuple[str, ...], kinds: tuple[str, ...], limit: float) -> list[Trial]:
    """Measure one save; nothing if it is of another family."""
    sound = sound_of(path, name)
    if sound.family not in families or not sound.total:
        return []
    gc.freeze()  # the processes of the trials share what is there
    return list(trials_of(sound, kinds, limit))


# --- tables ---


@frozen
class Cell:
    """All trials of one kind of damage in one family."""

    trials: list[Trial]

    @property
    def percent(self) -> float:
        """The mean of all saves: each counts alike."""
        files = {trial.file: [one.percent for one in self.trials if one.file == trial.file] for trial in self.trials}
        return sum(sum(each) / len(each) for each in files.values()) / len(files)

    def with_any(self, name: str) -> int:
        """Count the trials in which a number is not 0."""
        return sum(getattr(trial.judgement, name) > 0 for trial in self.trials)

    @property
    def ratio(self) -> float:
        """That of the slowest."""
        return max(trial.ratio for trial in self.trials)


def cells(trials: list[Trial]) -> dict[tuple[str, str], Cell]:
    """Sort trials by family and kind."""
    found: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        found.setdefault((trial.family, trial.kind), []).append(trial)
    return {key: Cell(found[key]) for key in sorted(found, key=lambda one: (FAMILIES.index(one[0]), list(CLASSES).index(one[1])))}


def show(trials: list[Trial], console: Console) -> None:
    """Print a table for each family, and one line of sums."""
    for family in FAMILIES:
        own = {kind: cell for (name, kind), cell in cells(trials).items() if name == family}
        if not own:
            continue
        files = {trial.file for cell in own.values() for trial in cell.trials}
        made = Table("damage", title=f"{family}: {len(files)} saves")
        for title in ("%", "trials", "lies", "parts", "changed", "twice", "slowest ratio"):
            made.add_column(title, justify="right")
        for kind, cell in own.items():
            numbers = [str(cell.with_any(name) or "") for name in ("lies", "parts", "changed", "twice")]
            made.add_row(kind, f"{cell.percent:.1f}", str(len(cell.trials)), *numbers, f"{cell.ratio:.1f}")
        every = Cell([trial for cell in own.values() for trial in cell.trials])
        mean = sum(cell.percent for cell in own.values()) / len(own)
        numbers = [str(every.with_any(name) or "") for name in ("lies", "parts", "changed", "twice")]
        made.add_section()
        made.add_row("all kinds", f"{mean:.1f}", str(len(every.trials)), *numbers, f"{every.ratio:.1f}")
        console.print(made)
    above = [trial for trial in trials if trial.ratio > MOST_RATIO or trial.end in {"time limit", "crash"}]
    for trial in above:
        console.print(f"above the promise: {trial.name} ({trial.place}): {trial.seconds} s, {trial.end}")
    lies = sum(trial.judgement.lies > 0 for trial in trials)
    console.print(f"compiled: {COMPILED}; {len(trials)} trials, {lies} with lies, {len(above)} above the promise")


def write_json(trials: list[Trial], target: Path) -> None:
    """Write all trials, one in a line: `class` is the kind of damage, `yield` the right objects in per cent."""
    lines = []
    for trial in trials:
        row = attrs.asdict(trial, recurse=False) | attrs.asdict(trial.judgement) | {"yield": round(trial.percent, 2)}
        del row["judgement"]
        lines.append(json.dumps({"class" if name == "kind" else name: value for name, value in row.items()}))
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def read_json(source: Path) -> list[Trial]:
    """Read what `write_json` wrote."""
    numbers = [each.name for each in attrs.fields(Judgement)]
    names = [each.name for each in attrs.fields(Trial) if each.name not in {"kind", "judgement"}]
    return [
        Trial(
            kind=row["class"],
            judgement=Judgement(**{name: row[name] for name in numbers}),
            **{name: row[name] for name in names},
        )
        for row in json.loads(source.read_text(encoding="utf-8"))
    ]


def compare(old: list[Trial], new: list[Trial], console: Console) -> int:
    """Print what is lower than before, or lies more; return how many kinds of damage in a family are lower."""
    before = {(trial.file, trial.kind, trial.index): trial for trial in old}
    both = [(trial.file, trial.kind, trial.index) for trial in new]
    pairs = [(before[key], trial) for key, trial in zip(both, new, strict=True) if key in before]
    same = [(first, second) for first, second in pairs if first.crc == second.crc]
    if len(same) < len(pairs):
        console.print(f"{len(pairs) - len(same)} trials have other damage than before: they are left out")
    was, now = cells([first for first, _ in same]), cells([second for _, second in same])
    made = Table("family", "damage", title="% and trials with lies, before and now")
    for title in ("% before", "% now", "", "lies before", "lies now"):
        made.add_column(title, justify="right")
    lower = 0
    for key, cell in now.items():
        earlier = was[key]
        change = cell.percent - earlier.percent
        lies = earlier.with_any("lies"), cell.with_any("lies")
        lower += change < 0
        numbers = [f"{earlier.percent:.1f}", f"{cell.percent:.1f}", "" if abs(change) < 0.05 else f"{change:+.1f}"]
        style = "red" if change < 0 or lies[1] > lies[0] else None
        made.add_row(*key, *numbers, *(str(count or "") for count in lies), style=style)
    console.print(made)
    worse = [(first, second) for first, second in same if second.judgement.right < first.judgement.right]
    worse.sort(key=lambda pair: pair[1].percent - pair[0].percent)
    for first, second in worse[:SHOWN]:
        console.print(f"lower: {second.name} ({second.place}): {first.percent:.2f} -> {second.percent:.2f} %")
    if len(worse) > SHOWN:
        console.print(f"... and {len(worse) - SHOWN} more trials")
    for first, second in same:
        lied, lying = first.judgement.lies, second.judgement.lies
        if lying > lied:
            console.print(f"lies: {second.name} ({second.place}): {lied:,} -> {lying:,}: {', '.join(second.judgement.examples)}")
    console.print(f"{len(same)} trials compared: {lower} of {len(now)} kinds in a family lower, {len(worse)} trials lower")
    return lower


@click.command()
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of real saves. [default: STREAMSAVE_CORPUS, or ../shared/corpus]",
)
@click.option("--held-back", is_flag=True, help="The other set of saves, to which nothing was fitted.")
@click.option("--jobs", default=1, show_default=True, help="How many saves at once.")
@click.option("--family", "families", multiple=True, type=click.Choice(FAMILIES), help="Only these. [default: all]")
@click.option(
    "--class", "kinds", multiple=True, type=click.Choice(list(CLASSES)), help="Only these kinds of damage. [default: all]"
)
@click.option(
    "--save", "single", multiple=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), help="These saves instead."
)
@click.option("--json", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write each trial to a file.")
@click.option("--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Compare with what --json wrote.")
@click.option("--limit", default=60.0, show_default=True, help="Seconds for each trial.")
def main(
    *,
    corpus: Path | None,
    held_back: bool,
    jobs: int,
    families: tuple[str, ...],
    kinds: tuple[str, ...],
    single: tuple[Path, ...],
    target: Path | None,
    against: Path | None,
    limit: float,
) -> None:
    """Damage real saves, and count what the resync stream gives of them. Exit code 1 with --against if a kind is lower."""
    corpus = corpus or Path(os.environ.get("STREAMSAVE_CORPUS") or ROOT.parent / "shared" / "corpus")
    chosen = list(single) or saves_of(corpus, held_back=held_back)
    if not chosen:
        raise click.UsageError(f"no real saves in {corpus}")
    console = Console(width=120)
    kinds = tuple(kind for kind in CLASSES if kind in (kinds or CLASSES))
    trials: list[Trial] = []
    with ProcessPoolExecutor(jobs) as pool:
        names = [path.relative_to(corpus).as_posix() if path.is_relative_to(corpus) else path.name for path in chosen]
        work = [
            pool.submit(measure, path, name, families or FAMILIES, kinds, limit) for path, name in zip(chosen, names, strict=True)
        ]
        for path, each in zip(chosen, work, strict=True):
            start = len(trials)
            trials += each.result()
            if len(trials) > start:
                lies = sum(trial.judgement.lies > 0 for trial in trials[start:])
                percent = sum(trial.percent for trial in trials[start:]) / (len(trials) - start)
                click.echo(f"{path.name}: {len(trials) - start} trials, {percent:.1f} %, {lies} with lies", err=True)
                if target:  # what is measured so far
                    write_json(trials, target)
    show(trials, console)
    if against and compare(read_json(against), trials, console):
        sys.exit(1)


if __name__ == "__main__":
    main()
