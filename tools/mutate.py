"""Make saves with a few things wrong.

    python tools/mutate.py satisfactory --seed 7 --count 3 -o out/

A format's samples are those in `corpora/`; folders and files may be named instead. The same seed on the same samples gives the
same bytes, each file is named after its seed, and what was done to it is printed. Later, when the parser reads in another way, a
seed makes other bytes: `--keep` adds to a file of `tests/kept/` what makes these again.
"""

from __future__ import annotations

from pathlib import Path

import click
from attack.kept import add_kept, keep
from attack.mutator import make_mutator

CORPORA = Path(__file__).resolve().parent.parent / "corpora"


def folders_of(names: tuple[str, ...]) -> list[Path]:
    """Where the samples of a format are; a folder or a file is taken as it is."""
    found: list[Path] = []
    for name in names:
        of_format = [path for path in (CORPORA / "valid" / name, CORPORA / "invalid" / name) if path.is_dir()]
        if not of_format and not Path(name).exists():
            raise click.UsageError(f"{name} is no format, folder or file")
        found += of_format or [Path(name)]
    return found


@click.command()
@click.argument("samples", nargs=-1, required=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option("--count", type=click.IntRange(min=1), default=1, show_default=True, help="How many, with the seeds that follow.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write them into this folder.")
@click.option(
    "--keep", "file", type=click.Path(dir_okay=False, path_type=Path), help="Add the edits that make them to this file."
)
def main(*, samples: tuple[str, ...], seed: int, count: int, output: Path | None, file: Path | None) -> None:
    """Make saves with a few things wrong, from SAMPLES: formats (folders of corpora/), folders or files."""
    mutator = make_mutator(folders_of(samples))
    for number in range(seed, seed + count):
        mutant = mutator.make(number)
        click.echo(f"seed {number}: {mutant.sample}, {len(mutant.data)} bytes: {'; '.join(mutant.steps)}")
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            (output / f"{number}{Path(mutant.sample).suffix}").write_bytes(mutant.data)
        if file is not None:
            add_kept(file, keep(mutant))


if __name__ == "__main__":
    main()
