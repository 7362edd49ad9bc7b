"""Attack the parser guided by coverage, with atheris: which bytes reach code that none has reached before?

    python tools/fuzz_atheris.py gvas --seconds 600

Plain Python is instrumented, whatever is installed. The seeds are in `corpora/fuzz/FORMAT`; what is found on the way stays in a
folder for the next run. The first byte of an input says what the others are: 0 the file itself, else where in a sample they go
(see `attack/inside.py`). Findings are written as `fuzz.py` writes them, each kind once; exit code 1 where there are findings.

`--write-seeds` writes `corpora/fuzz` anew: the smallest samples of each format, as they are, and what is under their compression.
The files there that are called `reached-...` are small inputs of earlier runs, which come to lines that no sample comes to.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zlib
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attack.pure import use_pure

if TYPE_CHECKING:
    from attack.inside import Way

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "corpora" / "fuzz"
FORMATS = ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
#: Longer inputs are slow, and show little more.
LONGEST = 16 * 1024
#: Seeds of a format at most, and their size.
MOST_SEEDS = 40
SEED_SIZE = 8 * 1024
#: The first byte of an input: what follows is the file. Other numbers are those of ways, the first is 1.
AS_IT_IS = 0


def folder_of(name: str) -> Path:
    """Return where the samples of a format are."""
    return ROOT / "corpora" / "valid" / name


def unwrapped(data: bytes, ways: list[Way]) -> bytes:
    """Make the file of an input."""
    first, rest = (data[0], data[1:]) if data else (AS_IT_IS, b"")
    if first == AS_IT_IS or not ways:
        return rest
    return ways[(first - 1) % len(ways)].put(rest)


def write_seeds() -> None:
    """Write the seeds of all formats: small samples, and what is in the places where an input may go."""
    from attack.inside import small_files, ways_into

    for name in FORMATS:
        seeds = [(stem, bytes([AS_IT_IS]) + data) for stem, data in small_files(folder_of(name)).items()]
        seeds += [(way.name, bytes([number]) + way.seed) for number, way in enumerate(ways_into(folder_of(name)), 1)]
        seeds = sorted((seed for seed in seeds if len(seed[1]) <= SEED_SIZE), key=lambda seed: len(seed[1]))
        folder = SEEDS / name
        folder.mkdir(parents=True, exist_ok=True)
        known: set[bytes] = set()
        for stem, data in seeds:
            if data[1:] not in known and len(known) < MOST_SEEDS:
                (folder / stem).write_bytes(data)
                known.add(data[1:])


def run(name: str, seconds: int, output: Path, found_before: Path) -> None:
    """Attack one format until the time is over; the process ends here."""
    atheris: Any = import_module("atheris")  # an extra, without types

    use_pure()
    with atheris.instrument_imports(include=["streamsave"]):
        import streamsave
        import streamsave.check.check
        import streamsave.formats.arx.reader
        import streamsave.formats.astroneer.reader
        import streamsave.formats.gvas.reader
        import streamsave.formats.satisfactory.config
        import streamsave.formats.satisfactory.reader
        import streamsave.formats.shapez2.code
        import streamsave.formats.shapez2.reader  # noqa: F401 - imported here, to be instrumented
    from attack.campaign import Found, quiet
    from attack.contract import judge
    from attack.edited import Edited
    from attack.inside import ways_into
    from attack.minimise import minimise
    from attack.mutator import Change, Mutant
    from fuzz import write_finding

    quiet()
    ways = ways_into(folder_of(name))
    known: set[str] = set()
    folder = Path(tempfile.mkdtemp())

    def shows(seed: int, key: str, data: bytes) -> bool:
        return any(finding.key == key for finding in judge(data, seed, folder).findings)

    def one(data: bytes) -> None:
        made = unwrapped(data, ways)
        seed = zlib.crc32(made)  # ways of reading are drawn by it
        for finding in judge(made, seed, folder).findings:
            if finding.key not in known:
                known.add(finding.key)
                mutant = Mutant(seed, "atheris", (), made, len(made), Change(0, Edited(made), 0))
                small = minimise(made, partial(shows, seed, finding.key))
                print(write_finding(Found(finding, mutant, small), output, name), file=sys.stderr)

    arguments = [
        f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=30", "-rss_limit_mb=1024", "-print_final_stats=1",
        f"-artifact_prefix={output / name}-",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *arguments, str(found_before), str(SEEDS / name)], one)
    atheris.Fuzz()


@click.command()
@click.argument("name", type=click.Choice(FORMATS), metavar="FORMAT", required=False)
@click.option("--seconds", type=click.IntRange(min=1), default=600, show_default=True)
@click.option("--write-seeds", "writes_seeds", is_flag=True, help="Write corpora/fuzz anew instead.")
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=ROOT / "build" / "fuzz", help="For findings."
)
def main(*, name: str | None, seconds: int, writes_seeds: bool, output: Path) -> None:
    """Attack the parser guided by coverage: FORMAT is a folder of corpora/fuzz."""
    if writes_seeds:
        write_seeds()
        return
    if name is None:
        raise click.UsageError("which format?")
    reached = output / "atheris" / name
    reached.mkdir(parents=True, exist_ok=True)
    known = set(output.glob(f"{name}-*.txt"))
    # In a process of its own: libFuzzer ends it, and has no exit code for what it was not told.
    child = os.fork()
    if not child:
        run(name, seconds, output, reached)
    _, status = os.waitpid(child, 0)
    sys.exit(1 if known < set(output.glob(f"{name}-*.txt")) else os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
