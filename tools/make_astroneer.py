"""Write Astroneer saves: a tiny world in each wrapper and layout."""

from __future__ import annotations

from pathlib import Path

import click
from writer.astroneer_samples import VALID, full, pieces

CORPORA = Path(__file__).resolve().parent.parent / "corpora"


def write_corpora(folder: Path) -> None:
    """(Re)write all sample files into ``folder``."""
    files = {f"valid/astroneer/{name}": make() for name, make in VALID.items()}
    files |= {f"xbox/{name}": data for name, data in pieces(full().encode()).items()}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        click.echo(f"{name}: {path.write_bytes(data):,} bytes")


@click.command()
@click.option(
    "--small", type=click.Choice(list(VALID)), default="full.savegame", show_default=True, help="Write one of the samples."
)
@click.option("--corpora", is_flag=True, help="(Re)write all sample files of the repository.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="out.savegame", show_default=True)
def main(*, small: str, corpora: bool, output: Path) -> None:
    """Write Astroneer saves."""
    if corpora:
        write_corpora(CORPORA)
        return
    click.echo(f"{output}: {output.write_bytes(VALID[small]()):,} bytes")


if __name__ == "__main__":
    main()
