"""Write Satisfactory saves: tiny ones that hold every construct, and big ones with the class mix of real worlds."""

from __future__ import annotations

from pathlib import Path

import click
from writer.samples import SAMPLES, sample
from writer.satisfactory import write_save

CORPUS = Path(__file__).resolve().parent.parent / "corpora" / "valid" / "satisfactory"
CORPUS_LEVEL = 9


def write_corpora(folder: Path) -> None:
    """(Re)write every sample file into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SAMPLES:
        path = folder / f"{name}.sav"
        click.echo(f"{path.name}: {write_save(sample(name), path, level=CORPUS_LEVEL):,} bytes")


@click.command()
@click.option("--corpora", is_flag=True, help="(Re)write all sample files.")
def main(*, corpora: bool) -> None:
    """Write Satisfactory saves."""
    if corpora:
        write_corpora(CORPUS)


if __name__ == "__main__":
    main()
