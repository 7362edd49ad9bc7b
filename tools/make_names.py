"""Put the names of a list into `streamsave/report/names.tsv`.

    python tools/make_names.py ".../Satisfactory/CommunityResources/Docs/en-US.json" "Satisfactory 1.2"
    python tools/make_names.py data/json/l10n/en/items.json "Palworld 1.0"

A list is Satisfactory's own, or a JSON object with the name of each class, or with an object that has it as `localized_name`.
What the table has now is of these public lists, and only names:

* Satisfactory: lists of players that were made of the game's own; foundations, walls and other buildables as the table
  `READABLE_PATH_NAME_CORRECTIONS` of github.com/GreyHak/sat_sav_parse has them, with the material after those that share a name;
* Palworld: `item_en-US.json` of palworld-server-toolkit 0.8.5 (PyPI, MIT); items and buildings that are newer, of
  `data/json/l10n/en` of github.com/oMaN-Rod/palworld-save-pal.

Classes that the list does not have keep the names that they have: those of other games, and what the game no longer has.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from streamsave.report.names import TABLE, docs_rows, readable

#: Items, vehicles, buildings, creatures, recipes: the classes of other things are in no answer.
KINDS = re.compile("(Desc|BP|Build|Char|Recipe)_")
#: What stands for a name that was never written.
NO_NAME = re.compile("ITEM_NAME_|en.text|unused item", re.IGNORECASE)
#: An item and a building of Palworld, each with a name of its own, and an item of Arx.
SHARED = {"Torch"}


def listed(path: Path) -> list[tuple[str, str, bool]]:
    """Return the rows of a list: class, name, and whether it is a fluid."""
    data = path.read_bytes()
    if not data.lstrip().startswith(b"{"):  # an array, in UTF-16
        return [row for row in docs_rows(path) if KINDS.match(row[0])]
    names = {key: name for key, name in json.loads(data).items() if key not in SHARED}
    named = {key: name["localized_name"] if isinstance(name, dict) else name for key, name in names.items()}
    return [(key, " ".join(name.split()), False) for key, name in named.items() if name and not NO_NAME.search(name)]


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
    spelled = {class_name.lower(): class_name for class_name in table}  # names have no case for the engine
    for class_name, name, fluid in rows:
        table.pop(spelled.get(class_name.lower(), ""), None)
        if fluid or name != readable(class_name):
            table[class_name] = "\t".join((class_name, name, *["fluid"] * fluid))
    parts[place] = "\n".join((f"# {version}.", *sorted(table.values(), key=str.lower), ""))
    return "".join(parts)


@click.command()
@click.argument("names", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("version")
def main(names: Path, version: str) -> None:
    """Write the table again, with the list NAMES, which is of VERSION of the game: "Satisfactory 1.2"."""
    text = updated(TABLE.read_text(encoding="utf-8"), listed(names), version)
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"{TABLE}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
