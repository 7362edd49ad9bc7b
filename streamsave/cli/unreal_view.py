"""How `info` shows Unreal save games: what the file is, and of Palworld's files what a player asks.

A world of Palworld has its name in `LevelMeta.sav` beside it, the rest inside: day, players, guilds, bases, pals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from streamsave.cli.save import Save, open_input, report_fault
from streamsave.cli.text import clean, count_text
from streamsave.cli.view import View, header_text, most_of
from streamsave.consume.values import named_values
from streamsave.errors import SaveError
from streamsave.events import SaveStart
from streamsave.formats import Format
from streamsave.formats.palworld.game import (
    CLOCK,
    FACTS,
    GAME_CLASSES,
    LEVEL_META,
    META_FILE,
    OTHER_FILES,
    SECOND,
    STORAGES,
    WORLD,
    WORLD_DATA,
    WORLD_FIELDS,
    WORLD_OBJECTS,
    clock_of,
    read_world,
)

__all__ = ["UnrealView"]

#: Players that are named, those of the highest levels.
MOST_PLAYERS: Final = 5
#: How facts are written, as `header_text` says.
KINDS: Final = {"saved": "moment", "last online": "moment", "run time": "seconds"}
#: When a world was saved.
TIMESTAMP: Final = "Timestamp"


class UnrealView(View):
    """Shows a save game of Unreal Engine."""

    def __init__(self, row: Format) -> None:
        super().__init__(row)
        #: What it is called -> text for people, and value for programs.
        self._facts: dict[str, tuple[str, object]] = {}

    def prepare(self, save: Save, start: SaveStart) -> int:
        """Read what a file of Palworld says; report what cannot be read. Return the exit code."""
        kind = str(getattr(start.header, "save_game_class", ""))
        if not Path(save.label).is_file():  # it cannot be read again
            return 0
        try:
            facts = self._world_facts(save.label) if kind == WORLD else file_facts(save.label, kind)
            for name, text, value in facts:
                self._facts[name] = text, value
        except (SaveError, OSError) as error:
            return report_fault(error, save.label)
        return 0

    def title(self, start: SaveStart) -> str:
        """Return what a file is."""
        kind = str(getattr(start.header, "save_game_class", ""))
        if kind.startswith(GAME_CLASSES):
            return f"Palworld: {'a world (Level.sav)' if kind == WORLD else OTHER_FILES.get(kind, kind)}"
        return f"{self.row.name}: {kind.rpartition('.')[2]}" if kind else self.row.name

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact."""
        for name, (text, _) in self._facts.items():
            yield name, text
        yield from super().info_rows(save, start)

    def info_extra(self) -> dict[str, object]:
        """Return `facts`, of the files of Palworld."""
        return {"facts": {name.replace(" ", "_"): value for name, (_, value) in self._facts.items()}} if self._facts else {}

    def _world_facts(self, name: str) -> Iterator[Fact]:
        """Yield what a world says of itself.

        Raises:
            SaveError: it is damaged.
            OSError: it cannot be read.
        """
        meta = Path(name).parent / META_FILE
        if meta.is_file():
            yield from (fact for fact in file_facts(str(meta), LEVEL_META) if fact[0] == "world")
        with open_input(name) as save:
            values = named_values(save.events, {CLOCK, TIMESTAMP}, {WORLD_DATA})
        clock = clock_of(values.get(CLOCK))
        if clock is not None:
            yield fact_of("day", clock[0])
            yield fact_of("run time", clock[1] // SECOND)
        if TIMESTAMP in values:
            yield fact_of("saved", values[TIMESTAMP])
        with open_input(name) as save:
            self.world = world = read_world(save.events.select(*WORLD_OBJECTS, fields=WORLD_FIELDS, sizes=False))
        levels = sorted(((player.level, player.name) for player in world.players.values()), reverse=True)
        shown = [f"{player} ({level})" for level, player in levels[:MOST_PLAYERS]]
        yield from (
            count_of("players", len(levels), ", ".join([*shown, *(["..."] if len(levels) > MOST_PLAYERS else [])])),
            count_of("guilds", len(world.guilds)),
            count_of("bases", len(world.bases)),
            count_of("pals", world.species.total(), most_of(world.species)),
        )


#: A name, a text for people, and a value for programs.
Fact: TypeAlias = tuple[str, str, object]


def file_facts(name: str, kind: str) -> Iterator[Fact]:
    """Yield what a file of this class says of itself.

    Raises:
        SaveError: it is damaged.
        OSError: it cannot be read.
    """
    if kind in FACTS:
        paths = FACTS[kind]
        with open_input(name) as save:
            for _, found in save.events.select(None, fields=list(paths.values()), sizes=False):
                for label, path in paths.items():
                    if path in found.fields:
                        yield fact_of(label, found.fields[path])
    elif kind in STORAGES:
        with open_input(name) as save:
            species = Counter(found.class_name for _, found in save.events.select("kind = pal", sizes=False))
            yield count_of("pals", species.total(), most_of(species))


def fact_of(name: str, value: object) -> Fact:
    """Return a value that is called so."""
    text = header_text(KINDS.get(name, "text"), value)
    return name, clean(text.rpartition("::")[2] if isinstance(value, str) and "::" in value else text), value


def count_of(name: str, count: int, more: str = "") -> Fact:
    """Return how many there are of something, and which."""
    return name, f"{count_text(count)}{more and f': {more}'}", count
