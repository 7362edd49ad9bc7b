"""Names that people know: `Desc_Cement_C` is Concrete, `ChickenPal` a Chikipi.

A name comes from the first of these that has it: the game's own list (`read_docs`), the table `names.tsv` of this package, which
`tools/make_names.py` makes, the class name itself (`readable`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

__all__ = ["LARGEST_DOCS", "TABLE", "Names", "NamesFault", "amount", "docs_rows", "is_fluid", "read_docs", "readable"]

#: Class, name, and `fluid` if the item is one, of what is in the table: tab-separated, after lines with `#` at the start.
TABLE: Final = Path(__file__).with_name("names.tsv")
#: Before the species of a pal that is a boss.
BOSS: Final = "boss_"

#: Bytes of a list of names; the game's own has 10 MB in UTF-16.
LARGEST_DOCS: Final = 32 * 1024 * 1024
#: Of an item in that list.
FLUID_FORMS: Final = ("RF_LIQUID", "RF_GAS")
#: What makes a class name a text, in this order: what is in place of what a pattern matches.
READABLE: Final = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        # What it ends and starts with for the engine's or the game's sake, and before the kinds of plants of Palworld, a cell.
        (r"(InternalVariant|(?<!^)_C)$", ""),
        (r"^\[[-0-9_]*\]_", ""),
        (r"^(Build|BP|Desc|Recipe|Char|Equip|Schematic|Research|Upgrade|FG|BPD|BP_Equip)(_|(?<=FG)(?=[A-Z]))", ""),
        # Words of shapez 2 that say only that a building has one form.
        (r"(?<=[a-z])Default(?=[A-Z]|$)|(?<=[a-z])DefaultForward$", ""),
        # Before what a new word begins: a capital after a small letter, the last capital of several before a small letter, a
        # capital after a number; but not `Mk1` and `8x4`.
        (r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z][a-z][a-z])(?=[0-9])|(?<=[0-9])(?=[A-Z][a-z])", " "),
        (r"[_\s]+", " "),
    )
)
KEPT: Final = 8192


class NamesFault(ValueError):
    """A file is no list of names."""


@lru_cache(KEPT)
def readable(class_name: str) -> str:
    """Return a class name as a person would write it; the class may be the full path."""
    short = class_name[class_name.rfind(".") + 1 :]
    text = short
    for pattern, instead in READABLE:
        text = pattern.sub(instead, text)
    return text.strip() or short


@cache
def _table() -> dict[str, tuple[str, bool]]:
    """Return name, and whether it is a fluid, of each class of the table. Names have no case for the engine."""
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {class_name.lower(): (name, "fluid" in more) for class_name, name, *more in rows}


def is_fluid(class_name: str) -> bool:
    """Return whether an item is a fluid, which a save counts in litres."""
    return _table().get(class_name[class_name.rfind(".") + 1 :].lower(), ("", False))[1]


def amount(class_name: str, count: int) -> int | float:
    """Return how much of an item there is, as the game shows it: a fluid in cubic metres, of the litres in a save."""
    return count / 1000 if is_fluid(class_name) else count


class Names:
    """Finds the names of classes.

    Args:
        known: short class names -> names, as `read_docs` returns them. They go before those of the table.
    """

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._known = known or {}

    def __call__(self, class_name: str) -> str:
        """Return the name of a class for people."""
        short = class_name[class_name.rfind(".") + 1 :]
        if short in self._known:
            return self._known[short]
        key = short.lower()
        table = _table()
        found = table.get(key) or table.get(key.removeprefix(BOSS))
        return found[0] if found else readable(class_name)


def read_docs(path: str | Path) -> dict[str, str]:
    """Return the names in a file of the game's folder `CommunityResources/Docs`: short class names -> names.

    Raises:
        NamesFault: it is no such file.
        OSError: it cannot be read.
    """
    return {class_name: name for class_name, name, _ in docs_rows(path)}


def docs_rows(path: str | Path) -> list[tuple[str, str, bool]]:
    """Return class, name, and whether it is a fluid, of each class with a name in such a file.

    Raises:
        NamesFault: it is no such file.
        OSError: it cannot be read.
    """
    with Path(path).open("rb") as file:
        data = file.read(LARGEST_DOCS + 1)  # a device or a pipe has no size
    if len(data) > LARGEST_DOCS:
        raise NamesFault(f"it has more than {LARGEST_DOCS} bytes")
    # The game writes UTF-16 with a mark; what other programs write again is mostly UTF-8.
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        document = json.loads(data.decode(encoding))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise NamesFault(f"it is no JSON: {error}") from None
    rows = list(_named(document))
    if not rows:
        raise NamesFault("it has no classes with names: choose a file of the game's folder CommunityResources/Docs")
    return rows


def _named(document: object) -> Iterator[tuple[str, str, bool]]:
    """Yield class, name, and whether it is a fluid, of each class that has a name."""
    for group in document if isinstance(document, list) else ():
        rows = group.get("Classes") if isinstance(group, dict) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                name, shown = row.get("ClassName"), row.get("mDisplayName")
                if isinstance(name, str) and isinstance(shown, str) and shown.strip():
                    yield name, " ".join(shown.split()), row.get("mForm") in FLUID_FORMS
