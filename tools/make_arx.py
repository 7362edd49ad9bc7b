"""Write Arx saves: a tiny world as each kind of container, and big saves."""

from __future__ import annotations

from pathlib import Path

import click
from writer.arx import NO_EXTENSION, RELEASE
from writer.arx_samples import SAMPLES, crowd

CORPORA = Path(__file__).resolve().parent.parent / "corpora"


def write_corpora(folder: Path) -> None:
    """(Re)write all sample files into ``folder``."""
    valid = folder / "valid" / "arx"
    valid.mkdir(parents=True, exist_ok=True)
    for name, make in SAMPLES.items():
        path = valid / f"{name}.sav"
        click.echo(f"{path.name}: {path.write_bytes(make().encode()):,} bytes")


@click.command()
@click.option(
    "--small", type=click.Choice(list(SAMPLES)), default="v2.1", show_default=True, help="Write one of the sample files."
)
@click.option("--entities", type=click.IntRange(min=0), help="Make a big save with so many entities instead.")
@click.option("--original", is_flag=True, help="With --entities: as the original game packs it.")
@click.option("--corpora", is_flag=True, help="(Re)write all sample files of the repository.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="out.sav", show_default=True)
def main(*, small: str, entities: int | None, original: bool, corpora: bool, output: Path) -> None:
    """Write Arx saves."""
    if corpora:
        write_corpora(CORPORA)
        return
    made = SAMPLES[small]() if entities is None else crowd(entities, RELEASE if original else NO_EXTENSION)
    click.echo(f"{output}: {output.write_bytes(made.encode()):,} bytes")


if __name__ == "__main__":
    main()
