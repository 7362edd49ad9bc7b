"""Entries of Arx saves, from values: what a save has once, or once a level, and entities.

| entry | in order |
|---|---|
| `pld` | PLAYER_LEVEL_DATA |
| `player` | PLAYER, quests char[80], keys char[64], SavedMapMarkerData |
| `globals` | SAVE_GLOBALS, variables |
| `lvlNNN` | INDEX, IO_INDEX, PATH, SavedPlayingAmbiance, LIGHT |
| `<class>_<number>` | see `Entity`; or one IO_SAVE, a stub |

A part encodes itself, and gives all its values as a reader finds them, by section.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Protocol

from attrs import Factory, frozen

from writer.arx_structs import Values, encode_struct, text_bytes, whole_struct

VERSION = struct.unpack("<f", bytes.fromhex("d7a3803f"))[0]

#: A variable: type, name, value.
Variable = tuple[int, str, Any]

NPC, ITEM, FIX, CAMERA, MARKER = 1, 2, 3, 4, 5
KINDS = {NPC: "NPC_IO_SAVE", ITEM: "ITEM_IO_SAVE", FIX: "FIX_IO_SAVE", CAMERA: "CAMERA_IO_SAVE", MARKER: "MARKER_IO_SAVE"}
SECTIONS = {NPC: "npc", ITEM: "item", FIX: "fix", CAMERA: "camera", MARKER: "marker"}
TEXT_TYPES = (1, 2)


def encode_variables(variables: Sequence[Variable], terminator: bytes) -> bytes:
    """Write variables; texts of entities end with a NUL, those of all the game do not."""
    out = b""
    for kind, name, value in variables:
        text = text_bytes(value) + terminator if kind in TEXT_TYPES and value else b""
        number = float(len(text)) if kind in TEXT_TYPES else float(value)
        out += struct.pack("<if64s", kind, number, text_bytes(name)) + text
    return out


def whole_variables(variables: Sequence[Variable]) -> list[Values]:
    """Give variables as a reader finds them."""
    return [{"name": name, "type": kind, "value": value} for kind, name, value in variables]


@frozen
class Entity:
    """An entity, in the order of its sections."""

    kind: int
    io: Values
    timers: list[Values] = Factory(list)
    variables: list[Variable] = Factory(list)
    override_variables: list[Variable] = Factory(list)
    own: Values = Factory(dict)
    inventory: Values | None = None
    tweaker: Values | None = None
    groups: list[str] = Factory(list)
    tweaks: list[Values] = Factory(list)

    def io_values(self) -> Values:
        """Give the values of IO_SAVE, with the counts and flags that say what follows."""
        counts = {"nbtimers": len(self.timers), "nb_iogroups": len(self.groups), "tweak_nb": len(self.tweaks)}
        flags = (self.tweaker is not None) + 2 * (self.inventory is not None)
        return {"savesystem_type": self.kind, "version": VERSION, "system_flags": flags, **counts, **self.io}

    def encode(self) -> bytes:
        """Write all sections."""
        parts = [encode_struct("IO_SAVE", self.io_values())]
        parts += [encode_struct("TIMERS_SAVE", timer) for timer in self.timers]
        for variables in (self.variables, self.override_variables):
            parts.append(encode_struct("SCRIPT_SAVE", {"nblvar": len(variables), "lastcall": 7}))
            parts.append(encode_variables(variables, b"\0"))
        parts.append(encode_struct(KINDS[self.kind], self.own))
        if self.inventory is not None:
            parts.append(encode_struct("INVENTORY_DATA_SAVE", self.inventory))
        if self.tweaker is not None:
            parts.append(encode_struct("SavedTweakerInfo", self.tweaker))
        parts += [encode_struct("SavedGroupData", {"name": name}) for name in self.groups]
        parts += [encode_struct("SavedTweakInfo", tweak) for tweak in self.tweaks]
        return b"".join(parts)

    def whole(self) -> Values:
        """Give all values as a reader finds them, by section."""
        values: Values = {
            "io": whole_struct("IO_SAVE", self.io_values()),
            "timers": [whole_struct("TIMERS_SAVE", timer) for timer in self.timers],
        }
        for script, variables in (("script", self.variables), ("override_script", self.override_variables)):
            values[script] = whole_struct("SCRIPT_SAVE", {"nblvar": len(variables), "lastcall": 7})
            values[f"{script}_variables"] = whole_variables(variables)
        values[SECTIONS[self.kind]] = whole_struct(KINDS[self.kind], self.own)
        if self.inventory is not None:
            values["inventory"] = whole_struct("INVENTORY_DATA_SAVE", self.inventory)
        if self.tweaker is not None:
            values["tweaker"] = whole_struct("SavedTweakerInfo", self.tweaker)
        values["groups"] = [{"name": name} for name in self.groups]
        values["tweaks"] = [whole_struct("SavedTweakInfo", tweak) for tweak in self.tweaks]
        return values


class Part(Protocol):
    """What an entry holds."""

    def encode(self) -> bytes:
        """Write it."""

    def whole(self) -> Values:
        """Give all values as a reader finds them, by section."""


def encode_all(name: str, rows: Sequence[Values]) -> bytes:
    """Write structs of one kind, one after the other."""
    return b"".join(encode_struct(name, row) for row in rows)


@frozen
class LevelData:
    """What a list of saves shows. Its `name` may be bytes: newer games write UTF-8."""

    values: Values

    def encode(self) -> bytes:
        """Write the struct."""
        return encode_struct("PLAYER_LEVEL_DATA", self.values)

    def whole(self) -> Values:
        """Give its values."""
        values = whole_struct("PLAYER_LEVEL_DATA", self.values)
        name = self.values.get("name", "")
        return {"level_data": {**values, "name": name.decode() if isinstance(name, bytes) else name}}


@frozen
class Player:
    """The player, and the lists after."""

    values: Values
    quests: Sequence[str] = ()
    keys: Sequence[str] = ()
    markers: Sequence[Values] = ()

    def _values(self) -> Values:
        counts = {"nb_player_quest": len(self.quests), "keyring_nb": len(self.keys), "nb_mapmarkers": len(self.markers)}
        return {**self.values, **counts}

    def encode(self) -> bytes:
        """Write the struct and the lists."""
        lists = [struct.pack("80s", text_bytes(quest)) for quest in self.quests]
        lists += [struct.pack("64s", text_bytes(key)) for key in self.keys]
        return encode_struct("PLAYER", self._values()) + b"".join(lists) + encode_all("SavedMapMarkerData", self.markers)

    def whole(self) -> Values:
        """Give the values of all."""
        return {
            "player": whole_struct("PLAYER", self._values()),
            "quests": list(self.quests),
            "keyring": list(self.keys),
            "map_markers": [whole_struct("SavedMapMarkerData", row) for row in self.markers],
        }


@frozen
class Globals:
    """Variables of all the game."""

    variables: Sequence[Variable]

    def _values(self) -> Values:
        return {"version": VERSION, "nb_globals": len(self.variables)}

    def encode(self) -> bytes:
        """Write their number and them."""
        return encode_struct("SAVE_GLOBALS", self._values()) + encode_variables(self.variables, b"")

    def whole(self) -> Values:
        """Give the values of all."""
        return {"globals": whole_struct("SAVE_GLOBALS", self._values()), "variables": whole_variables(self.variables)}


@frozen
class Level:
    """A level: its index, and what it lists."""

    index: Values
    inter: Sequence[Values] = ()
    paths: Sequence[Values] = ()
    ambiances: Sequence[Values] = ()
    lights: Sequence[Values] = ()

    def _tables(self) -> list[tuple[str, str, Sequence[Values]]]:
        counts = {
            "nb_inter": len(self.inter),
            "nb_paths": len(self.paths),
            "nb_lights": len(self.lights),
            "ambiances_data_size": 268 * len(self.ambiances),
        }
        return [
            ("index", "INDEX", [{**self.index, **counts}]),
            ("inter", "IO_INDEX", self.inter),
            ("paths", "PATH", self.paths),
            ("ambiances", "SavedPlayingAmbiance", self.ambiances),
            ("lights", "LIGHT", self.lights),
        ]

    def encode(self) -> bytes:
        """Write the index and all tables."""
        return b"".join(encode_all(name, rows) for _, name, rows in self._tables())

    def whole(self) -> Values:
        """Give the values of all."""
        values: Values = {section: [whole_struct(name, row) for row in rows] for section, name, rows in self._tables()}
        return {**values, "index": values["index"][0]}


@frozen
class Stub:
    """An entity that is gone for good."""

    def encode(self) -> bytes:
        """Write the struct."""
        return encode_struct("IO_SAVE", {"version": VERSION, "show": 255})

    def whole(self) -> Values:
        """Give its values."""
        return {"stub": whole_struct("IO_SAVE", {"version": VERSION, "show": 255})}
