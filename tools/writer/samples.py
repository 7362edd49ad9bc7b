"""Tiny worlds that together hold every property type, struct, trailer and level structure.

``sample("sv46")`` is the world itself, so a test can compare what a parser read with the values that were written.
One actor has a property of every type; each of the other objects has one class trailer.
"""

from __future__ import annotations

from attrs import evolve

from writer.blueprint import Blueprint, BlueprintConfig
from writer.objects import GAME_VERSION_GUID, SAVE_VERSION_GUID, everything
from writer.primitives import Ref
from writer.satisfactory import (
    PERSISTENT,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_PER_LEVEL,
    SAVE_VERSION_VERSION_DATA,
    Grid,
    Level,
    Object,
    VersionData,
    World,
    release_header,
)
from writer.tags import (
    BOOL,
    INT,
    OBJECT,
    Array,
    Prop,
)
from writer.trailers import ComponentTail
from writer.vocabulary import COPPER, IRON, SPAWN, AnyProp, actor

SAMPLES = {
    "sv25": 25, "sv28": 28, "sv29": 29, "sv36": 36,
    "sv41": 41, "sv42": 42, "sv46": 46, "sv51": 51, "sv52": 52, "sv53": 53, "sv58": 58, "sv60": 60,
}  # fmt: skip

BLUEPRINTS = {"sv36": 36, "sv46": 46, "sv51": 51, "sv58": 58}
CONFIGS = {
    "v0": BlueprintConfig(0, "old"),
    "v2": BlueprintConfig(2, "Größe"),
    "v3": BlueprintConfig(3, "with a library"),
    "v4": BlueprintConfig(4, "edited", editors=[("epic-1", "Pioneer", "EOS"), ("steam-2", "", "Steam")]),
    "v6": BlueprintConfig(6, "five bytes"),
    "v6-short": BlueprintConfig(6, "two bytes", save_version=53),
}


def _creature(level: str, number: int) -> Object:
    path = f"{PERSISTENT}:PersistentLevel.BP_EnemySpawner{number}"
    spawn: list[AnyProp] = [
        Prop("creature", OBJECT, actor(f"Char_Hog_C_{number}")),
        Prop("WasKilled", BOOL, False),
        Prop("NumTimesKilled", INT, number),
    ]
    return Object(
        "/Game/FactoryGame/Character/Creature/BP_CreatureSpawner.BP_CreatureSpawner_C",
        path,
        [Prop("mSpawnData", Array(SPAWN), [spawn])],
        level=level,
        placed_in_level=True,
        flags=0x280008,
    )


def levels(save_version: int) -> list[Level]:
    """Streaming levels: empty, plain, destroyed with, without and with a stale copy, older than the file."""
    if save_version < SAVE_VERSION_LEVELS:
        return []
    names = ["6NC37KIWBL4EUC1G6ANOZ14U2", "2J4PGNO3844RV4WUX3IXE99RH", "AIH3C4LI19ODUG77WR1KF9XJF", "39TNKS313CPLAGFUXSOFM7EP4"]
    gone = [[Ref(name, f"{PERSISTENT}:PersistentLevel.BP_BerryBush{number}") for number in range(3)] for name in names]
    data = VersionData(custom=[(SAVE_VERSION_GUID, save_version)]) if save_version >= SAVE_VERSION_VERSION_DATA else None
    made = [
        Level("EMPTY37KIWBL4EUC1G6ANOZ14U2", version_data=data),
        Level(names[0], [_creature(names[0], 1), _creature(names[0], 2)], version_data=data),
        Level(names[1], [_creature(names[1], 3)], gone[1], version_data=data),
        Level(names[2], [_creature(names[2], 4)], gone[2], [], version_data=data),
        Level(names[3], [_creature(names[3], 5)], gone[3], gone[3][:2], version_data=data),
    ]
    if save_version >= SAVE_VERSION_PER_LEVEL:
        name = "OLDPGNO3844RV4WUX3IXE99RH"
        ported = evolve(_creature(name, 7), save_version=52, migrate=True)
        made.append(Level(name, [_creature(name, 6), ported], save_version=46))
    return made


def grids() -> list[Grid]:
    """Validation grids: the nameless one with the version, and two of the map."""
    return [
        Grid("None", 0, 455009369, [("None", 15403147)]),
        Grid("MainGrid", 12800, 3661604656, [("6NC37KIWBL4EUC1G6ANOZ14U2", 3530549183), ("2J4PGNO3844RV4WUX3IXE99", 2443459223)]),
        Grid("LandscapeGrid", 51200, 0),
        Grid("ExplorationGrid", 20480, 1387433991, [("AIH3C4LI19ODUG77WR1KF9XJF", 1319193060)]),
        Grid("FoliageGrid", 26500, 0),
        Grid("HLOD0_256m_1023m", 25600, 0),
    ]


def sample(name: str) -> World:
    """The world of that name, see :data:`SAMPLES`."""
    save_version = SAMPLES[name]
    data = None
    if save_version >= SAVE_VERSION_VERSION_DATA:
        data = VersionData(custom=[(SAVE_VERSION_GUID, save_version), (GAME_VERSION_GUID, 28)])
    lost = [Ref("6NC37KIWBL4EUC1G6ANOZ14U2", f"{PERSISTENT}:PersistentLevel.BP_WAT1_C_7")]
    destroyed = [(PERSISTENT, lost if save_version < SAVE_VERSION_LEVELS else [])]
    if SAVE_VERSION_LEVELS <= save_version < SAVE_VERSION_PER_LEVEL:
        destroyed = []
    head = release_header(save_version)
    if save_version == 42:
        head = evolve(head, modded=True, mod_metadata='{"Mods":[{"Reference":"Oracle","Version":"1.0.0"}]}', partitioned=False)
    return World(
        head,
        levels(save_version),
        everything(save_version),
        destroyed=destroyed,
        grids=grids() if head.partitioned else [],
        unresolved=lost if save_version >= SAVE_VERSION_PER_LEVEL else None if save_version == SAVE_VERSION_LEVELS else [],
        version_data=data,
    )


def edited() -> World:
    """A world that an editor of maps has saved: it writes an empty list after an object that has none."""
    path = f"{PERSISTENT}:PersistentLevel.FGItemPickup_Spawnable_1"
    pickup = Object("/Script/FactoryGame.FGItemPickup_Spawnable", path, [Prop("m", INT, 1)], ComponentTail())
    return World(release_header(46), objects=[pickup])


def blueprint(name: str) -> Blueprint:
    """The blueprint of that name, see :data:`BLUEPRINTS`."""
    save_version = BLUEPRINTS[name]
    objects = everything(save_version, old=False)
    return Blueprint(save_version, objects, (4, 4, 8), [(IRON, 20), (COPPER, 1)], [Ref("", "/Game/Recipe_Foundation")])
