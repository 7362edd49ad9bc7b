"""What surrounds a factory: subsystems, streaming levels, validation grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from writer import structs
from writer.primitives import Ref
from writer.satisfactory import (
    Grid,
    Level,
    Object,
    VersionData,
)
from writer.tags import BOOL, BYTE, INT, INT64, OBJECT, UINT32, Array, Map, Prop, Props, Set
from writer.trailers import (
    NO_TRAILER,
    Circuits,
    Players,
    Trailer,
)
from writer.vocabulary import (
    CELL,
    PARTS,
    REMOVED,
    SPAWN,
    STACK,
    TURNS,
    AnyProp,
    actor,
    item,
)


def subsystem(class_name: str, name: str, props: Sequence[AnyProp] = (), trailer: Trailer = NO_TRAILER) -> Object:
    """An actor that belongs to the game state."""
    return Object(class_name, actor(name).path, props, trailer, owner=actor("BP_GameState_C_2147471748"))


def _foliage(random: Random) -> list[AnyProp]:
    cells: list[tuple[Sequence[int], Props]] = []
    for x in range(-16, 16):
        for y in range(-8, 8):
            spots = [[random.uniform(-3e5, 3e5) for _ in range(3)] for _ in range(random.randrange(1, 9))]
            removed: list[AnyProp] = [
                Prop("RemovedLocations", Array(structs.VECTOR), spots),
                Prop("RemovedLocationLookup", Set(UINT32), [random.getrandbits(32) for _ in spots]),
            ]
            bush = (
                "/Game/FactoryGame/World/Environment/Bush/DesertBush/SM_DesertBushPale_FoliageType.SM_DesertBushPale_FoliageType"
            )
            cells.append(((x, y, -1), [Prop("SaveDataMap", Map(OBJECT, REMOVED), [(Ref("", bush), removed)])]))
    return [Prop("mSavedFoliageGridSize", UINT32, 6400), Prop("mSaveData", Map(structs.INT_VECTOR, CELL), cells)]


def _wild(level: str, number: int, random: Random) -> Object:
    spawn: list[AnyProp] = [
        Prop("creature", OBJECT, actor(f"Char_SpaceGiraffe_C_{random.randrange(10**9, 2**31)}")),
        Prop("WasKilled", BOOL, random.random() < 0.5),
        Prop("NumTimesKilled", INT, random.randrange(3)),
        Prop("KilledOnDayNr", INT, -1),
    ]
    world = "/Game/FactoryGame"
    kinds: list[tuple[str, str, list[AnyProp]]] = [
        (f"{world}/Character/Creature/BP_CreatureSpawner.BP_CreatureSpawner_C", "BP_EnemySpawner", [
            Prop("mSpawnData", Array(SPAWN), [spawn]),
            Prop("mCachedIsNearBase", BOOL, True),
        ]),
        (f"{world}/World/Benefit/BerryBush/BP_BerryBush.BP_BerryBush_C", "BP_BerryBush", [
            Prop("mPickupItems", STACK, [
                Prop("Item", structs.INVENTORY_ITEM, structs.Item(Ref("", "/Game/Desc_Berry.Desc_Berry_C"))),
                Prop("NumItems", INT, 5),
            ]),
            Prop("mNumRespawns", INT, 1),
        ]),
        (f"{world}/Resource/BP_ResourceDeposit.BP_ResourceDeposit_C", "BP_ResourceDeposit", [
            Prop("mResourceDepositTableIndex", INT, random.randrange(4)),
            Prop("mIsEmptied", BOOL, True),
            Prop("mMineAmount", INT, 5),
        ]),
    ]  # fmt: skip
    class_name, stem, props = random.choice(kinds)
    position = (random.uniform(-3e5, 4e5), random.uniform(-3e5, 3e5), random.uniform(-1e3, 2e4))
    place = (*random.choice(TURNS), *position, 1.0, 1.0, 1.0)
    path = actor(f"{stem}{number}").path
    return Object(class_name, path, props, level=level, transform=place, placed_in_level=True, flags=0x280008)


def grids(cell_names: Sequence[str], random: Random) -> list[Grid]:
    """Validation grids as large as the real ones."""
    main = [(name, random.getrandbits(32)) for name in cell_names[:1289]]
    exploration = [(name, random.getrandbits(32)) for name in cell_names[1289:]]
    return [
        Grid("None", 0, 455009369, [("None", 15403147)]),
        Grid("MainGrid", 12800, 3661604656, main),
        Grid("LandscapeGrid", 51200, 0),
        Grid("ExplorationGrid", 20480, 1387433991, exploration),
        Grid("FoliageGrid", 26500, 0),
        Grid("HLOD0_256m_1023m", 25600, 0),
    ]


def subsystems(seed: int, fog: bytes) -> Iterator[Object]:
    """What every save has: game mode, fog of war, statistics, removed foliage, resource nodes."""
    random = Random(seed)
    circuits = [(number, actor(f"CircuitSubsystem.FGPowerCircuit_{number}")) for number in range(7)]
    shared = "/Game/FactoryGame/-Shared/Blueprint"
    players = Players([actor("BP_PlayerState_C_2147475876")])
    yield subsystem(f"{shared}/BP_GameMode.BP_GameMode_C", "BP_GameMode_C_2147482343", trailer=players)
    yield subsystem(f"{shared}/BP_GameState.BP_GameState_C", "BP_GameState_C_2147471748", trailer=players)
    yield subsystem(f"{shared}/BP_BuildableSubsystem.BP_BuildableSubsystem_C", "BuildableSubsystem")
    yield subsystem(f"{shared}/BP_CircuitSubsystem.BP_CircuitSubsystem_C", "CircuitSubsystem", trailer=Circuits(circuits))
    yield subsystem("/Script/FactoryGame.FGMapManager", "MapManager", [Prop("mFogOfWarRawData", Array(BYTE), fog)])
    picked = [random.randbytes(16) for _ in range(160)]
    pickups = [Prop("mDestroyedPickups", Set(structs.GUID), picked)]
    yield subsystem("/Script/FactoryGame.FGScannableSubsystem", "ScannableSubsystem", pickups)
    counts: list[AnyProp] = [
        Prop("mItemsCounts", Map(OBJECT, INT), [(item(part), random.randrange(9999)) for part in PARTS]),
        Prop("mItemTotals", Map(OBJECT, INT64), [(item(part), random.randrange(1 << 40)) for part in PARTS]),
    ]
    yield subsystem("/Script/FactoryGame.FGStatisticsSubsystem", "StatisticsSubsystem", counts)
    yield subsystem("/Script/FactoryGame.FGFoliageRemovalSubsystem", "FoliageRemovalSubsystem", _foliage(random))
    for number in range(459):
        name = "/Game/FactoryGame/Resource/BP_ResourceNode.BP_ResourceNode_C"
        path = actor(f"BP_ResourceNode{number}").path
        place = (
            *TURNS[number % 4],
            random.uniform(-3e5, 4e5),
            random.uniform(-3e5, 3e5),
            random.uniform(-1e3, 2e4),
            30.0,
            30.0,
            0.75,
        )
        yield Object(name, path, [Prop("mResourcesLeft", INT, -1)], transform=place, placed_in_level=True, flags=0x280008)


def streaming_level(name: str, random: Random, data: VersionData | None) -> Level:
    """A level with what grows and lives there."""
    objects = [_wild(name, number, random) for number in range(random.randrange(1, 12))]
    gone = [Ref(name, actor(f"BP_Shroom_01_{number}").path) for number in range(random.choice((0, 0, 0, 1, 4)))]
    return Level(name, objects, gone, version_data=data)
