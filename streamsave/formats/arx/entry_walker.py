"""The sections of each kind of entry.

| entry | sections, in order |
|---|---|
| `pld` | PLAYER_LEVEL_DATA |
| `player` | PLAYER, quests char[80], keys char[64], SavedMapMarkerData |
| `globals` | SAVE_GLOBALS, variables |
| `lvlNNN` | INDEX, IO_INDEX, PATH, SavedPlayingAmbiance, LIGHT |
| entity | see `entity` |

How many there are of each is in the first struct. An entry too short for its first struct, or of an unknown kind, is opaque.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.reader import Reader
from streamsave.events import BlobSkip, Event
from streamsave.formats.arx import entity, world
from streamsave.formats.arx.layout import Layout, Row
from streamsave.formats.arx.sections import SectionWalker
from streamsave.formats.arx.variables import GLOBAL_VARIABLE

__all__ = ["FIRST_STRUCTS", "STEERING_ROWS", "EntryWalker"]

#: The first struct of each kind of entry.
FIRST_STRUCTS: Final[dict[str, Layout]] = {
    "pld": world.PLAYER_LEVEL_DATA,
    "player": world.PLAYER,
    "globals": world.SAVE_GLOBALS,
    "level": world.INDEX,
    "entity": entity.IO_SAVE,
}

#: The rows that say what follows a struct.
NB_GLOBALS: Final[Row] = world.SAVE_GLOBALS.row("nb_globals")
NB_INTER: Final[Row] = world.INDEX.row("nb_inter")
NB_PATHS: Final[Row] = world.INDEX.row("nb_paths")
NB_LIGHTS: Final[Row] = world.INDEX.row("nb_lights")
AMBIANCES_DATA_SIZE: Final[Row] = world.INDEX.row("ambiances_data_size")
NB_PLAYER_QUEST: Final[Row] = world.PLAYER.row("nb_player_quest")
KEYRING_NB: Final[Row] = world.PLAYER.row("keyring_nb")
NB_MAPMARKERS: Final[Row] = world.PLAYER.row("nb_mapmarkers")
SAVESYSTEM_TYPE: Final[Row] = entity.IO_SAVE.row("savesystem_type")
NBTIMERS: Final[Row] = entity.IO_SAVE.row("nbtimers")
SYSTEM_FLAGS: Final[Row] = entity.IO_SAVE.row("system_flags")
NB_IOGROUPS: Final[Row] = entity.IO_SAVE.row("nb_iogroups")
TWEAK_NB: Final[Row] = entity.IO_SAVE.row("tweak_nb")
NBLVAR: Final[Row] = entity.SCRIPT_SAVE.row("nblvar")
#: Their names.
STEERING_ROWS: Final = frozenset(
    row.name
    for row in (
        NB_GLOBALS,
        NB_INTER,
        NB_PATHS,
        NB_LIGHTS,
        AMBIANCES_DATA_SIZE,
        NB_PLAYER_QUEST,
        KEYRING_NB,
        NB_MAPMARKERS,
        SAVESYSTEM_TYPE,
        NBTIMERS,
        SYSTEM_FLAGS,
        NB_IOGROUPS,
        TWEAK_NB,
        NBLVAR,
    )
)


class EntryWalker:
    """Make events of the content of an entry."""

    def __init__(self, reader: Reader, sections: SectionWalker) -> None:
        self._reader = reader
        self.sections = sections

    def content(self, kind: str, end: i64) -> Iterator[Event]:
        """Yield the events of an entry that starts at the cursor and ends at `end`; leave what no section claims."""
        sections = self.sections
        size = end - self._reader.cursor.tell()
        first = FIRST_STRUCTS.get(kind)
        if first is None:
            if size > 0:
                yield sections.rest(end, "entry of an unknown kind")
        elif size < first.size:
            if size > 0:
                yield sections.rest(end, f"too short for a {first.name} of {first.size} bytes")
        elif kind == "pld":
            yield from sections.struct("level_data", world.PLAYER_LEVEL_DATA)
        elif kind == "player":
            yield from self._player()
        elif kind == "globals":
            count = sections.count(NB_GLOBALS)
            yield from sections.struct("globals", world.SAVE_GLOBALS)
            yield from sections.variables("variables", count, GLOBAL_VARIABLE, NB_GLOBALS)
        elif kind == "level":
            yield from self._level()
        elif size == first.size:
            yield from sections.struct("stub", entity.IO_SAVE)
        else:
            yield from self._entity(end)

    def _player(self) -> Iterator[Event]:
        sections = self.sections
        quest_count = sections.count(NB_PLAYER_QUEST)
        key_count = sections.count(KEYRING_NB)
        marker_count = sections.count(NB_MAPMARKERS)
        yield from sections.struct("player", world.PLAYER)
        yield from sections.texts("quests", "char[80]", quest_count, NB_PLAYER_QUEST)
        yield from sections.texts("keyring", "char[64]", key_count, KEYRING_NB)
        yield from sections.structs("map_markers", world.SAVED_MAP_MARKER_DATA, marker_count, NB_MAPMARKERS)

    def _level(self) -> Iterator[Event]:
        sections = self.sections
        inter_count = sections.count(NB_INTER)
        path_count = sections.count(NB_PATHS)
        light_count = sections.count(NB_LIGHTS)
        ambiances_size = sections.count(AMBIANCES_DATA_SIZE, counts=False)
        ambiance = world.SAVED_PLAYING_AMBIANCE
        yield from sections.struct("index", world.INDEX)
        yield from sections.structs("inter", world.IO_INDEX, inter_count, NB_INTER)
        yield from sections.structs("paths", world.PATH, path_count, NB_PATHS)
        yield from sections.structs("ambiances", ambiance, ambiances_size // ambiance.size, AMBIANCES_DATA_SIZE)
        odd = ambiances_size % ambiance.size
        if odd:
            start = self._reader.cursor.tell()
            self._reader.cursor.skip(odd)
            self._reader.cursor.check_reaches(start + odd)
            yield BlobSkip(start, odd, "part of an ambiance")
        yield from sections.structs("lights", world.LIGHT, light_count, NB_LIGHTS)

    def _entity(self, end: i64) -> Iterator[Event]:
        sections = self.sections
        savesystem_type = sections.number(SAVESYSTEM_TYPE)
        timer_count = sections.count(NBTIMERS)
        system_flags = sections.number(SYSTEM_FLAGS)
        group_count = sections.count(NB_IOGROUPS)
        tweak_count = sections.count(TWEAK_NB)
        yield from sections.struct("io", entity.IO_SAVE)
        yield from sections.structs("timers", entity.TIMERS_SAVE, timer_count, NBTIMERS)
        for script in ("script", "override_script"):
            variable_count = sections.count(NBLVAR)
            yield from sections.struct(script, entity.SCRIPT_SAVE)
            yield from sections.variables(f"{script}_variables", variable_count, row=NBLVAR)
        kind = entity.KINDS.get(int(savesystem_type))
        if kind is None:
            if self._reader.cursor.tell() < end:
                yield sections.rest(end, f"unknown kind of entity {savesystem_type}")
            return
        yield from sections.struct(kind[0], kind[1])
        if system_flags & entity.HAS_INVENTORY:
            yield from sections.struct("inventory", entity.INVENTORY_DATA_SAVE)
        if system_flags & entity.HAS_TWEAKER:
            yield from sections.struct("tweaker", entity.SAVED_TWEAKER_INFO)
        yield from sections.structs("groups", entity.SAVED_GROUP_DATA, group_count, NB_IOGROUPS)
        yield from sections.structs("tweaks", entity.SAVED_TWEAK_INFO, tweak_count, TWEAK_NB)
