"""The fields of the JSON that are read before the first event: the version, and what a list of saves shows.

| `savegame.json` | |
|---|---|
| Version | int |
| BinaryDataCheckpoints | bool, or a number: any but 0 is true |
| SavegameName, InternalUuid, LastSaved | str |
| TotalPlaytime, StructureCount, ResearchProgress | number |
| Parameters | GameModeId, Seed, ScenarioParameters.ScenarioId |

| blueprint | |
|---|---|
| V | int |
| BP | $type, Icon.Data, Entries, BinaryVersion |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.formats.shapez2.header import BlueprintHeader, SaveHeader
from streamsave.formats.shapez2.jsontext import ENDS, STARTS, JsonTokens
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["read_blueprint_summary", "read_icons", "read_summary"]

#: What a list of saves shows, by its place in the JSON.
SAVE_KEYS: Final = frozenset(
    {
        "Version",
        "BinaryDataCheckpoints",
        "SavegameName",
        "InternalUuid",
        "LastSaved",
        "TotalPlaytime",
        "StructureCount",
        "ResearchProgress",
        "Parameters/GameModeId",
        "Parameters/Seed",
        "Parameters/ScenarioParameters/ScenarioId",
    }
)
BLUEPRINT_KEYS: Final = frozenset({"V", "BP/$type", "BP/BinaryVersion", *(f"BP/Icon/Data/{place}" for place in range(4))})
BLUEPRINT_ENTRIES: Final = "BP/Entries"
#: Parts of a place that are looked at: all that are asked for have fewer, and shorter ones.
MOST_STEPS: Final = 8
LONGEST_STEP: Final = 64
VERSION_KEYS: Final = frozenset({"V", "BP/$type"})


class Summary:
    """Scalars of a JSON text by their places in it, `a/b/c`: those asked for.

    Reading ends before the place `stop`, if `VERSION_KEYS` are known by then.
    """

    def __init__(self, tokens: JsonTokens, keys: frozenset[str], stop: str = "") -> None:
        self.values: dict[str, object] = {}
        #: For each open nesting: the key of a member, or the number of an element.
        steps: list[object] = []
        while True:
            token = tokens.next()
            if token.kind == "map_key":
                steps[-1] = str(token.value)[:LONGEST_STEP]
                continue
            if token.kind in ENDS:
                steps.pop()
            else:
                if steps and isinstance(steps[-1], int):
                    steps[-1] += 1
                place = "/".join(map(str, steps[:MOST_STEPS]))
                if token.kind in STARTS:
                    if place == stop and self.values.keys() >= VERSION_KEYS:
                        return
                    steps.append(-1 if token.kind == "start_array" else "")
                elif place in keys:
                    self.values[place] = token.value
            if not steps:
                return

    def text(self, key: str) -> str | None:
        """Return a string, or None where the place has none."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def integer(self, key: str) -> int | None:
        """Return an int, or None where the place has none."""
        value = self.values.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, key: str) -> bool:
        """Return a bool, which may be written as a number; False where the place has none."""
        value = self.values.get(key)
        return isinstance(value, (bool, int, float)) and value != 0

    def number(self, key: str) -> float | None:
        """Return a number, or None where the place has none."""
        value = self.values.get(key)
        if isinstance(value, float):
            return value
        integer = self.integer(key)
        return None if integer is None or integer.bit_length() > 1000 else float(integer)


def read_summary(cursor: Cursor, size: int, limits: Limits) -> SaveHeader:
    """Read `savegame.json`, which starts the stream.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), SAVE_KEYS)
    return SaveHeader(
        version=version_of(cursor, summary, "Version"),
        binary_data_checkpoints=summary.flag("BinaryDataCheckpoints"),
        savegame_name=summary.text("SavegameName"),
        game_mode_id=summary.text("Parameters/GameModeId"),
        scenario_id=summary.text("Parameters/ScenarioParameters/ScenarioId"),
        seed=summary.integer("Parameters/Seed"),
        total_playtime=summary.number("TotalPlaytime"),
        structure_count=summary.integer("StructureCount"),
        research_progress=summary.number("ResearchProgress"),
        last_saved=summary.text("LastSaved"),
        internal_uuid=summary.text("InternalUuid"),
    )


def read_blueprint_summary(cursor: Cursor, size: int, envelope: int, limits: Limits) -> BlueprintHeader:
    """Read the start of a blueprint's JSON: up to the entries, or further where the version comes after them.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), BLUEPRINT_KEYS, stop=BLUEPRINT_ENTRIES)
    icons = [summary.text(f"BP/Icon/Data/{place}") for place in range(4)]
    return BlueprintHeader(
        envelope=envelope,
        version=version_of(cursor, summary, "V"),
        type=summary.text("BP/$type") or "Building",
        binary_version=summary.integer("BP/BinaryVersion"),
        icons=tuple(icons) if any(icons) else (),
    )


def read_icons(windows: Windows, size: int, limits: Limits, key: str, parts: int) -> list[str | None]:
    """Read `parts` strings out of JSON text, at the place `key` with a number in it for `#`."""
    keys = [key.replace("#", str(place)) for place in range(parts)]
    tokens = JsonTokens(windows, limits, 0, size)
    summary = Summary(tokens, frozenset(keys))
    tokens.check_filler()
    return [summary.text(place) for place in keys]


def version_of(cursor: Cursor, summary: Summary, key: str) -> int:
    """Return the version, which decides the layouts.

    Raises:
        UnsupportedSave: there is none, or one below 1.
    """
    version = summary.integer(key)
    if version is None or not 0 < version < 1 << 31:
        raise cursor.unsupported(f"version {key}", expected="1 or later", actual=summary.values.get(key, "nothing"))
    return version
