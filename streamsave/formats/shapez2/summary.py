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

from typing import Any, Final, TypeVar

from streamsave.decode.cursor import Cursor
from streamsave.formats.shapez2.header import BlueprintHeader, SaveHeader
from streamsave.formats.shapez2.jsontext import ENDS, STARTS, JsonTokens
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["read_blueprint_summary", "read_icons", "read_summary"]

T = TypeVar("T")

#: What a list of saves shows: the fields of the header, the place of each in the JSON, and what it has to be.
SAVE_FIELDS: Final[dict[str, tuple[str, type[Any]]]] = {
    "savegame_name": ("SavegameName", str),
    "game_mode_id": ("Parameters/GameModeId", str),
    "scenario_id": ("Parameters/ScenarioParameters/ScenarioId", str),
    "seed": ("Parameters/Seed", int),
    "total_playtime": ("TotalPlaytime", float),
    "structure_count": ("StructureCount", int),
    "research_progress": ("ResearchProgress", float),
    "last_saved": ("LastSaved", str),
    "internal_uuid": ("InternalUuid", str),
}
SAVE_KEYS: Final = frozenset({"Version", "BinaryDataCheckpoints", *(place for place, _ in SAVE_FIELDS.values())})
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

    def value(self, key: str, kind: type[T]) -> T | None:
        """Return a str, an int or a float, or None where the place has none; an integer is a float, too."""
        value = self.values.get(key)
        if kind is float and isinstance(value, int) and value.bit_length() <= 1000:
            value = float(value)
        return value if isinstance(value, kind) and not isinstance(self.values.get(key), bool) else None

    def flag(self, key: str) -> bool:
        """Return a bool, which may be written as a number; False where the place has none."""
        value = self.values.get(key)
        return isinstance(value, (bool, int, float)) and value != 0


def read_summary(cursor: Cursor, size: int, limits: Limits) -> SaveHeader:
    """Read `savegame.json`, which starts the stream.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), SAVE_KEYS)
    fields: dict[str, Any] = {field: summary.value(place, kind) for field, (place, kind) in SAVE_FIELDS.items()}
    return SaveHeader(
        version=version_of(cursor, summary, "Version"),
        binary_data_checkpoints=summary.flag("BinaryDataCheckpoints"),
        **fields,
    )


def read_blueprint_summary(cursor: Cursor, size: int, envelope: int, limits: Limits) -> BlueprintHeader:
    """Read the start of a blueprint's JSON: up to the entries, or further where the version comes after them.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), BLUEPRINT_KEYS, stop=BLUEPRINT_ENTRIES)
    icons = [summary.value(f"BP/Icon/Data/{place}", str) for place in range(4)]
    return BlueprintHeader(
        envelope=envelope,
        version=version_of(cursor, summary, "V"),
        type=summary.value("BP/$type", str) or "Building",
        binary_version=summary.value("BP/BinaryVersion", int),
        icons=tuple(icons) if any(icons) else (),
    )


def read_icons(windows: Windows, size: int, limits: Limits, key: str, parts: int) -> list[str | None]:
    """Read `parts` strings out of JSON text, at the place `key` with a number in it for `#`."""
    keys = [key.replace("#", str(place)) for place in range(parts)]
    tokens = JsonTokens(windows, limits, 0, size)
    summary = Summary(tokens, frozenset(keys))
    tokens.check_filler()
    return [summary.value(place, str) for place in keys]


def version_of(cursor: Cursor, summary: Summary, key: str) -> int:
    """Return the version, which decides the layouts.

    Raises:
        UnsupportedSave: there is none, or one below 1.
    """
    version = summary.value(key, int)
    if version is None or not 0 < version < 1 << 31:
        raise cursor.unsupported(f"version {key}", expected="1 or later", actual=summary.values.get(key, "nothing"))
    return version
