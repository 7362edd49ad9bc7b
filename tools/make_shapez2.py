"""Write saves and blueprint codes of shapez 2: small ones that hold every construct, and big ones."""

from __future__ import annotations

import time
from pathlib import Path

import click
from writer.shapez2 import write_save
from writer.shapez2_samples import CODES, SAVES, big_save, save_bytes

CORPORA = Path(__file__).resolve().parent.parent / "corpora"


def write_corpora(folder: Path) -> None:
    """(Re)write all sample files into ``folder``."""
    files: dict[str, bytes] = {f"valid/shapez2/{name}.spz2": save_bytes(make()) for name, make in SAVES.items()}
    files |= {f"valid/shapez2/{name}.spz2bp": make().code().encode() for name, make in CODES.items()}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        click.echo(f"{name}: {path.write_bytes(data):,} bytes")


@click.command()
@click.option("--islands", type=click.IntRange(min=1), default=20_000, show_default=True, help="Islands of a big save.")
@click.option(
    "--buildings", type=click.IntRange(min=0), default=660_000, show_default=True, help="Buildings of a big save, in all."
)
@click.option("--checkpoints/--no-checkpoints", default=True, show_default=True)
@click.option("--corpora", is_flag=True, help="(Re)write all sample files of the repository.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="out.spz2", show_default=True)
def main(*, islands: int, buildings: int, checkpoints: bool, corpora: bool, output: Path) -> None:
    """Write saves of shapez 2."""
    if corpora:
        write_corpora(CORPORA)
        return
    started = time.perf_counter()
    write_save(big_save(islands, buildings, checkpoints=checkpoints), output)
    click.echo(f"{output}: {output.stat().st_size:,} bytes in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
