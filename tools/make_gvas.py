"""Write Unreal save games: small ones that hold every construct."""

from __future__ import annotations

from pathlib import Path

import click
from writer.gvas_samples import ERAS, valid

CORPORA = Path(__file__).resolve().parent.parent / "corpora"


def write_corpora(folder: Path) -> None:
    """(Re)write all sample files into ``folder``."""
    files = {f"valid/gvas/{name}.sav": data for name, data in valid().items()}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        click.echo(f"{name}: {path.write_bytes(data):,} bytes")


@click.command()
@click.option("--era", type=click.Choice(list(ERAS)), default="ue5-1008", show_default=True, help="Write this one.")
@click.option("--corpora", is_flag=True, help="(Re)write all sample files of the repository.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="out.sav", show_default=True)
def main(*, era: str, corpora: bool, output: Path) -> None:
    """Write Unreal save games."""
    if corpora:
        write_corpora(CORPORA)
        return
    click.echo(f"{output}: {output.write_bytes(ERAS[era]().encode()):,} bytes")


if __name__ == "__main__":
    main()
