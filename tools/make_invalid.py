"""Write `corpora/invalid`: saves with one thing wrong each.

What is wrong with a file, and what it raises, is in `corpora/invalid/MANIFEST.toml`: the words are written by hand, what it
raises by `pytest tests/test_invalid.py --update-manifest`.
"""

from __future__ import annotations

from pathlib import Path

import click
from writer.faults import invalid

INVALID = Path(__file__).resolve().parent.parent / "corpora" / "invalid"


@click.command()
def main() -> None:
    """(Re)write all files, and remove those that are none any more."""
    files = invalid()
    for path in sorted(INVALID.rglob("*")):
        if path.is_file() and path.parent != INVALID and path.relative_to(INVALID).as_posix() not in files:
            path.unlink()
    for name, data in files.items():
        path = INVALID / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    click.echo(f"{len(files)} files, {sum(map(len, files.values())):,} bytes")


if __name__ == "__main__":
    main()
