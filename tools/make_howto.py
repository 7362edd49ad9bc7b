"""Write the saves of the recipes in `streamsave/HOWTO.md` again: `python tools/make_howto.py`."""

from __future__ import annotations

from pathlib import Path

import click
from writer.howto import files

FOLDER = Path(__file__).resolve().parent.parent / "corpora" / "howto"


@click.command()
def main() -> None:
    """Write the saves of the recipes again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        click.echo(f"{name}: {(FOLDER / name).write_bytes(data):,} bytes")


if __name__ == "__main__":
    main()
