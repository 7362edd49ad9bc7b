"""Attack the parser guided by coverage, with atheris: which bytes reach code that none has reached before?

    python tools/fuzz_atheris.py gvas --seconds 600

Plain Python is instrumented, whatever is installed. The seeds are in `corpora/fuzz/FORMAT`; what is found on the way stays in a
folder for the next run. No blind change survives a checksum, so the first byte of an input says what the others are: the file, or
what is under the compression of a sample. Findings are written as `fuzz.py` writes them.

`--write-seeds` writes `corpora/fuzz` anew: the smallest samples of each format, as they are, and what is under their compression.
The files there that are called `reached-...` are small inputs of earlier runs, which come to lines that no sample comes to.
"""

from __future__ import annotations

import random
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attack.pure import use_pure

if TYPE_CHECKING:
    from attack.layers import Assemble

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "corpora" / "fuzz"
FORMATS = ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
#: Longer inputs are slow, and show little more.
LONGEST = 16 * 1024
#: Seeds of a format at most, and their size.
MOST_SEEDS = 30
SEED_SIZE = 8 * 1024
#: Parts of a sample that are looked at.
MOST_PARTS = 6
#: The first byte of an input: what follows is the file, or goes inside the compression of the wrapper of that number.
AS_IT_IS = 0


def wrappers(name: str) -> list[Assemble]:
    """Ways to put bytes inside the compression of a format's samples: one part changed, the others as they are."""
    from attack.layers import unpack
    from attack.mutator import read_files

    found: list[Assemble] = []
    for data in read_files([ROOT / "corpora" / "valid" / name]).values():
        unpacked = unpack(data)
        if unpacked is None:
            continue
        contents, assemble = unpacked
        found += [_one_of(assemble, index, len(contents)) for index in range(min(len(contents), MOST_PARTS))]
    return found[:255]


def _one_of(assemble: Assemble, index: int, count: int) -> Assemble:
    return lambda new, draw: assemble([new[0] if at == index else None for at in range(count)], draw)


def unwrapped(data: bytes, ways: list[Assemble]) -> bytes:
    """Make the file of an input."""
    first, rest = (data[0], data[1:]) if data else (AS_IT_IS, b"")
    if first == AS_IT_IS or not ways:
        return rest
    return ways[(first - 1) % len(ways)]([rest], random.Random(0))


def write_seeds() -> None:
    """Write the seeds of all formats: small samples, and what is under their compression with its wrapper's number."""
    from attack.layers import unpack
    from attack.mutator import read_files

    for name in FORMATS:
        seeds: list[tuple[str, bytes]] = []
        number = 0
        for path, data in read_files([ROOT / "corpora" / "valid" / name]).items():
            stem = Path(path).name
            seeds.append((stem, bytes([AS_IT_IS]) + data))
            unpacked = unpack(data)
            for index, (_, content) in enumerate(unpacked[0][:MOST_PARTS] if unpacked else []):
                number += 1
                seeds.append((f"{stem}.{index}", bytes([number & 0xFF]) + content))
        seeds = sorted((seed for seed in seeds if len(seed[1]) <= SEED_SIZE), key=lambda seed: len(seed[1]))
        folder = SEEDS / name
        folder.mkdir(parents=True, exist_ok=True)
        known: set[bytes] = set()
        for stem, data in seeds:
            if data[1:] not in known and len(known) < MOST_SEEDS:
                (folder / stem).write_bytes(data)
                known.add(data[1:])


def run(name: str, seconds: int, output: Path, found_before: Path) -> None:
    """Attack one format until the time is over, or something is found."""
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
    from attack.minimise import minimise
    from attack.mutator import Mutant
    from fuzz import write_finding

    quiet()
    ways = wrappers(name)
    folder = Path(tempfile.mkdtemp())

    def one(data: bytes) -> None:
        made = unwrapped(data, ways)
        seed = len(data)
        findings = judge(made, seed, folder).findings
        if findings:
            key = findings[0].key
            small = minimise(made, lambda less: any(other.key == key for other in judge(less, seed, folder).findings))
            mutant = Mutant(seed, f"atheris{Path(name).suffix}", (), made, len(made))
            print(write_finding(Found(findings[0], mutant, small), output, name), file=sys.stderr)
            raise RuntimeError(findings[0].detail)

    arguments = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=30", "-rss_limit_mb=1024"]
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
    run(name, seconds, output, reached)


if __name__ == "__main__":
    main()
