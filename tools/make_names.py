"""Put the names of a game's own list into `streamsave/report/names.tsv`.

    python tools/make_names.py ".../Satisfactory/CommunityResources/Docs/en-US.json" "Satisfactory 1.2"

Classes that the list does not have keep the names that they have: those of other games, and what the game no longer has.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from streamsave.report.names import TABLE, docs_rows, readable

#: Items, vehicles, buildings, recipes: the classes of other things are in no answer.
KINDS = re.compile("(Desc|BP|Build|Recipe)_")


def updated(text: str, rows: list[tuple[str, str, bool]], version: str) -> str:
    """Return the table with other rows of a game: without those whose name is the class name with spaces.

    Args:
        text: the table. A game begins with a line of its name and version.
        rows: class, name, and whether it is a fluid.
        version: of the game, with its name before it: "Satisfactory 1.2".
    """
    # One part for each line with a mark, and what follows it.
    parts = re.split(r"^(?=# )", text, flags=re.MULTILINE)
    place = next(place for place, part in enumerate(parts) if part.startswith(f"# {version.split(maxsplit=1)[0]} "))
    table = {line.split("\t")[0]: line for line in parts[place].splitlines()[1:]}
    for class_name, name, fluid in rows:
        if KINDS.match(class_name):
            table.pop(class_name, None)
            if fluid or name != readable(class_name):
                table[class_name] = "\t".join((class_name, name, *["fluid"] * fluid))
    parts[place] = "\n".join((f"# {version}.", *sorted(table.values(), key=str.lower), ""))
    return "".join(parts)


@click.command()
@click.argument("docs", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("version")
def main(docs: Path, version: str) -> None:
    """Write the table again, with the names in DOCS, which is of VERSION of the game: "Satisfactory 1.2"."""
    text = updated(TABLE.read_text(encoding="utf-8"), docs_rows(docs), version)
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"{TABLE}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
