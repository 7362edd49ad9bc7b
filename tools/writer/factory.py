"""A big world with the class mix of real ones, made object by object and never held.

It is built from cells: two machines with their inventories and connections, belts and the chain they form, splitters,
poles and wires, now and then a container, a pipe or a circuit, and foundations. Around them stand the subsystems every
save has (fog of war, removed foliage, statistics) and streaming levels with what grows and lives there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from attrs import define, evolve, field

from writer import structs
from writer.dialect import Dialect
from writer.primitives import NO_REF, Ref, i32, ref
from writer.satisfactory import (
    PERSISTENT,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_PER_LEVEL,
    SAVE_VERSION_VERSION_DATA,
    Anything,
    Encoded,
    Grid,
    Level,
    Object,
    VersionData,
    World,
    release_header,
)
from writer.tags import BOOL, BYTE, FLOAT, INT, INT64, OBJECT, UINT32, Array, Fields, Map, Prop, Props, Set
from writer.templates import COUNT, OTHER, OWN, REAL, THIRD, Names, Stamp, Template, names, transform
from writer.trailers import (
    NO_TRAILER,
    Belt,
    BeltItem,
    Chain,
    Circuits,
    ComponentTail,
    Instance,
    Players,
    PowerLine,
    Segment,
    Trailer,
    lightweight_head,
    lightweight_version,
)

AnyProp = Prop[Any]

SAVE_VERSION_CHAINS = 46
MEGABYTE = 1_000_000
FOG_SIZE = 1 << 20
FOUNDATIONS_PER_CELL = 8
BELTS_PER_CELL = 4
CIRCUIT_EVERY = 64
CIRCUIT_SIZE = 40
TRIAL_CELLS = 256
ON_THE_GRID = 0.6

STACK = Fields("InventoryStack")
SPLINE = Fields("SplinePointData")
WIRE = Fields("WireInstance")
CUSTOMIZATION = Fields("FactoryCustomizationData")
REMOVED = Fields("FoliageRemovalSaveDataForFoliageType")
CELL = Fields("FoliageRemovalSaveDataPerCell")
SPAWN = Fields("SpawnData")

HALF = 0.7071067811865476
TURNS = ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, HALF, HALF), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, -HALF, HALF))

PARTS = (
    "IronPlate", "IronRod", "IronScrew", "IronPlateReinforced", "Rotor", "CopperSheet", "Wire", "Cable", "Cement",
    "SteelPlate", "SteelPipe", "ModularFrame", "Motor", "Silica", "CircuitBoard", "Computer",
)  # fmt: skip
LEVEL_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def item(part: str) -> Ref:
    """The class of an item."""
    return Ref("", f"/Game/FactoryGame/Resource/Parts/{part}/Desc_{part}.Desc_{part}_C")


def recipe(folder: str, name: str) -> Ref:
    """The class of a recipe."""
    return Ref("", f"/Game/FactoryGame/Recipes/{folder}/Recipe_{name}.Recipe_{name}_C")


def actor(path: str) -> Ref:
    """A reference into the persistent level."""
    return Ref(PERSISTENT, f"{PERSISTENT}:PersistentLevel.{path}")


def buildable(folder: str, name: str) -> str:
    """The class name of a buildable."""
    return f"/Game/FactoryGame/Buildable/{folder}/{name}.{name}_C"


SUBSYSTEM = actor("BuildableSubsystem")
SWATCH = Ref("", "/Game/FactoryGame/Buildable/-Shared/Customization/Swatches/SwatchDesc_Slot0.SwatchDesc_Slot0_C")
Part = tuple[str, str, Sequence[AnyProp]]


def _components(name: str, parts: Iterable[Part]) -> Iterator[Object]:
    owner = actor(f"{name}_C_{OWN}")
    for class_name, suffix, props in parts:
        path = f"{owner.path}.{suffix}"
        yield Object(f"/Script/FactoryGame.{class_name}", path, props, ComponentTail(), outer=owner.path, flags=0x200000)


def _built(
    folder: str, name: str, props: Sequence[AnyProp], parts: Sequence[Part] = (), trailer: Trailer = NO_TRAILER, *, made: str = ""
) -> list[Object]:
    """A buildable and its components."""
    owner = actor(f"{name}_C_{OWN}")
    common: list[AnyProp] = [
        Prop("mCustomizationData", CUSTOMIZATION, [Prop("SwatchDesc", OBJECT, SWATCH)]),
        Prop("mBuiltWithRecipe", OBJECT, recipe("Buildings", made or name.removeprefix("Build_"))),
    ]
    refs = [Ref(owner.level, f"{owner.path}.{suffix}") for _, suffix, _ in parts]
    head = Object(
        buildable(folder, name), owner.path, [*props, *common], trailer, owner=SUBSYSTEM, components=refs, need_transform=True
    )
    return [head, *_components(name, parts)]


def _stacks(part: str, slots: int, used: int) -> list[AnyProp]:
    full: Props = [Prop("Item", structs.INVENTORY_ITEM, structs.Item(item(part))), Prop("NumItems", INT, COUNT)]
    empty: Props = [Prop("Item", structs.INVENTORY_ITEM, structs.Item()), Prop("NumItems", INT, 0)]
    return [
        Prop("mInventoryStacks", Array(STACK), [full] * used + [empty] * (slots - used)),
        Prop("mArbitrarySlotSizes", Array(INT), [0] * slots),
        Prop("mAllowedItemDescriptors", Array(OBJECT), [NO_REF] * slots),
    ]


def _connection(suffix: str, other: str) -> Part:
    props = [Prop("mConnectedComponent", OBJECT, actor(other))] if other else []
    return ("FGFactoryConnectionComponent", suffix, props)


def _powered(own: str) -> list[AnyProp]:
    return [
        Prop("mPowerInfo", OBJECT, actor(f"{own}.powerInfo")),
        Prop("mTimeSinceStartStopProducing", FLOAT, REAL),
        Prop("mInventoryPotential", OBJECT, actor(f"{own}.InventoryPotential")),
        Prop("mIsProducing", BOOL, True),
    ]


def _machine(folder: str, name: str, made: Ref, part: str, product: str) -> list[Object]:
    own = f"{name}_C_{OWN}"
    wires: list[AnyProp] = [
        Prop("mWires", Array(OBJECT), [actor(f"Build_PowerLine_C_{THIRD}")]),
        Prop("mCircuitID", INT, 12),
    ]
    props: list[AnyProp] = [
        Prop("mCurrentManufacturingProgress", FLOAT, REAL),
        Prop("mInputInventory", OBJECT, actor(f"{own}.InputInventory")),
        Prop("mOutputInventory", OBJECT, actor(f"{own}.OutputInventory")),
        Prop("mCurrentRecipe", OBJECT, made),
        *_powered(own),
        Prop("mCurrentProductivityMeasurementProduceDuration", FLOAT, REAL),
        Prop("mProductivityMonitorEnabled", BOOL, True),
    ]
    parts: list[Part] = [
        ("FGFactoryLegsComponent", "FGFactoryLegs", []),
        ("FGInventoryComponent", "InventoryPotential", _stacks(part, 4, 0)),
        ("FGPowerInfoComponent", "powerInfo", [Prop("mTargetConsumption", FLOAT, 4.0)]),
        ("FGInventoryComponent", "InputInventory", _stacks(part, 2, 1)),
        ("FGInventoryComponent", "OutputInventory", _stacks(product, 1, 1)),
        _connection("Output0", f"Build_ConveyorBeltMk1_C_{OTHER}.ConveyorAny0"),
        _connection("Input0", f"Build_ConveyorBeltMk1_C_{THIRD}.ConveyorAny1"),
        ("FGPowerConnectionComponent", "PowerInput", wires),
    ]
    return _built(folder, name, props, parts)


def _belt(mark: int, points: int, items: Sequence[BeltItem]) -> list[Object]:
    name = f"Build_ConveyorBeltMk{mark}"
    first = [Prop(each, structs.VECTOR, (0.0, 0.0, 0.0)) for each in ("Location", "ArriveTangent", "LeaveTangent")]
    names_ = ("Location", "ArriveTangent", "LeaveTangent")
    point = [Prop(each, structs.VECTOR, (REAL, REAL, 0.0)) for each in names_]
    props: list[AnyProp] = [
        Prop("mSplineData", Array(SPLINE), [first] + [point] * (points - 1)),
        Prop("mConveyorChainActor", OBJECT, actor(f"FGConveyorChainActor_{THIRD}")),
    ]
    parts = [_connection(f"ConveyorAny{end}", f"{name}_C_{OTHER}.ConveyorAny{1 - end}") for end in (0, 1)]
    return _built(f"Factory/ConveyorBeltMk{mark}", name, props, parts, Belt(items))


def _attachment(folder: str, name: str) -> list[Object]:
    parts = [_connection(f"Input{end}", f"Build_ConveyorBeltMk1_C_{OTHER}.ConveyorAny{end}") for end in (0, 1)]
    parts += [_connection("Output1", f"Build_ConveyorBeltMk2_C_{THIRD}.ConveyorAny0"), _connection("Output2", "")]
    parts.append(("FGInventoryComponent", "StorageInventory", _stacks("IronPlate", 9, 1)))
    props = [Prop("mBufferInventory", OBJECT, actor(f"{name}_C_{OWN}.StorageInventory"))]
    return _built(folder, name, props, parts)


def _container(part: str, used: int) -> list[Object]:
    name = "Build_StorageContainerMk1"
    own = f"{name}_C_{OWN}"
    parts: list[Part] = [
        ("FGFactoryLegsComponent", "FGFactoryLegs", []),
        ("FGInventoryComponent", "InventoryPotential", []),
        ("FGPowerInfoComponent", "powerInfo", []),
        ("FGInventoryComponent", "StorageInventory", _stacks(part, 24, used)),
        _connection("Input0", f"Build_ConveyorBeltMk1_C_{OTHER}.ConveyorAny1"),
        _connection("Output1", ""),
    ]
    props = [Prop("mStorageInventory", OBJECT, actor(f"{own}.StorageInventory")), *_powered(own)]
    return _built("Factory/StorageContainerMk1", name, props, parts)


def _power_pole() -> list[Object]:
    wires = [actor(f"Build_PowerLine_C_{OTHER}"), actor(f"Build_PowerLine_C_{THIRD}")]
    props: list[AnyProp] = [Prop("mWires", Array(OBJECT), wires), Prop("mCircuitID", INT, 12)]
    return _built("Factory/PowerPoleMk1", "Build_PowerPoleMk1", [], [("FGPowerConnectionComponent", "PowerConnection", props)])


def _power_line() -> list[Object]:
    places = [
        Prop(name, structs.VECTOR, (REAL, REAL, REAL), index)
        for name in ("Locations", "CachedRelativeLocations")
        for index in (0, 1)
    ]
    props: list[AnyProp] = [Prop("mWireInstances", Array(WIRE), [places]), Prop("mCachedLength", FLOAT, REAL)]
    ends = PowerLine(
        actor(f"Build_ConstructorMk1_C_{OTHER}.PowerInput"), actor(f"Build_PowerPoleMk1_C_{THIRD}.PowerConnection"), (REAL,) * 6
    )
    return _built("Factory/PowerLine", "Build_PowerLine", props, (), ends)


def _pole() -> list[Object]:
    return _built("Factory/ConveyorPole", "Build_ConveyorPole", [Prop("mSelectedPoleVersion", INT, 2)])


def _pipe() -> list[Object]:
    name = "Build_Pipeline"
    point = [Prop(each, structs.VECTOR, (REAL, REAL, REAL)) for each in ("Location", "ArriveTangent", "LeaveTangent")]
    parts: list[Part] = []
    for end in (0, 1):
        other: list[AnyProp] = [
            Prop("mConnectedComponent", OBJECT, actor(f"{name}_C_{OTHER}.PipelineConnection{1 - end}")),
            Prop("mPipeNetworkID", INT, COUNT),
        ]
        parts.append(("FGPipeConnectionComponent", f"PipelineConnection{end}", other))
    props: list[AnyProp] = [
        Prop("mSplineData", Array(SPLINE), [point] * 3),
        Prop("mSnappedPassthroughs", Array(OBJECT), [NO_REF, NO_REF]),
        Prop("mFluidBox", structs.FLUID_BOX, REAL),
    ]
    return _built("Factory/Pipeline", name, props, parts)


def _foundation() -> list[Object]:
    return _built("Building/Foundation", "Build_Foundation_8x2_01", [], made="Foundation_8x2_01")


def _chain(items: int) -> list[Object]:
    belt, own = actor(f"Build_ConveyorBeltMk1_C_{OTHER}"), actor(f"FGConveyorChainActor_{OWN}")
    points = [[0.0] * 6 + [REAL, REAL, 0.0], [REAL, REAL, 0.0, REAL, REAL, 0.0, 0.0, 0.0, 0.0]]
    segments = [
        Segment(own, actor(f"Build_ConveyorBeltMk1_C_{THIRD}"), points, (0.0, REAL, REAL), (index, index, index))
        for index in range(BELTS_PER_CELL)
    ]
    on_it = [BeltItem(structs.Item(item(PARTS[items % len(PARTS)])), REAL)] * items
    trailer = Chain(belt, belt, segments, REAL, (items, 0, items), on_it)
    return [Object("/Script/FactoryGame.FGConveyorChainActor", own.path, (), trailer)]


def _circuit() -> list[Object]:
    props: list[AnyProp] = [
        Prop("mCircuitID", INT, COUNT),
        Prop("mComponents", Array(OBJECT), [actor(f"Build_PowerPoleMk1_C_{OTHER}.PowerConnection")] * CIRCUIT_SIZE),
    ]
    outer = actor("CircuitSubsystem")
    return [Object("/Script/FactoryGame.FGPowerCircuit", f"{outer.path}.FGPowerCircuit_{OWN}", props, outer=outer.path, flags=0)]


MACHINES = (
    ("Factory/ConstructorMk1", "Build_ConstructorMk1", recipe("Constructor", "IronPlate"), "IronPlate", "IronPlate"),
    ("Factory/ConstructorMk1", "Build_ConstructorMk1", recipe("Constructor", "Screw"), "IronRod", "IronScrew"),
    ("Factory/ConstructorMk1", "Build_ConstructorMk1", recipe("Constructor", "Cable"), "Wire", "Cable"),
    ("Factory/SmelterMk1", "Build_SmelterMk1", recipe("Smelter", "IngotIron"), "OreIron", "IronIngot"),
    ("Factory/AssemblerMk1", "Build_AssemblerMk1", recipe("Assembler", "Rotor"), "IronRod", "Rotor"),
    ("Factory/FoundryMk1", "Build_FoundryMk1", recipe("Smelter", "IngotSteel"), "OreIron", "SteelIngot"),
)


@define
class Factory:
    """Makes a world of ``cells`` cells and ``levels`` streaming levels, the same for the same seed."""

    save_version: int
    seed: int = 1
    cells: int = 100
    levels: int = 400
    fog: bytes = bytes((0, 0, 0, 255)) * (FOG_SIZE // 4)
    _groups: dict[str, list[list[Template]]] = field(init=False)
    _next_id: int = field(init=False, default=2_147_400_000)
    _random: Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Encode all templates."""
        self._random = Random(self.seed)
        dialect, chains = self.dialect, self.save_version >= SAVE_VERSION_CHAINS
        on_belts = () if chains else [BeltItem(structs.Item(item("IronPlate")), REAL)] * 3
        kinds = {
            "machine": [_machine(*kind) for kind in MACHINES],
            "belt": [_belt(mark, points, on_belts) for mark in (1, 2, 3, 4, 5) for points in (2, 2, 3, 5)],
            "attachment": [
                _attachment("Factory/CA_Splitter", "Build_ConveyorAttachmentSplitter"),
                _attachment("Factory/CA_Merger", "Build_ConveyorAttachmentMerger"),
            ],
            "container": [_container(part, used) for part in PARTS for used in (1, 12, 24)],
            "power pole": [_power_pole()],
            "power line": [_power_line()],
            "pole": [_pole()],
            "pipe": [_pipe()],
            "foundation": [_foundation()],
            "chain": [_chain(items) for items in (0, 4, 9, 30)],
            "circuit": [_circuit()],
        }
        self._groups = {
            kind: [[Template.of(one, dialect) for one in group] for group in groups] for kind, groups in kinds.items()
        }

    @property
    def version_data(self) -> VersionData | None:
        """What a file of this SaveVersion says about its versions."""
        return VersionData() if self.save_version >= SAVE_VERSION_VERSION_DATA else None

    @property
    def dialect(self) -> Dialect:
        """How the persistent level is written."""
        data = self.version_data
        return Dialect(self.save_version) if data is None else Dialect(self.save_version, data.ue5)

    def world(self) -> World:
        """The world; its objects are generators that can be used once."""
        random = Random(self.seed + 1)
        cell_names = ["".join(random.choices(LEVEL_LETTERS, k=25)) for _ in range(2048)]
        levels = [self._level(name, random) for name in cell_names[: self.levels]]
        return World(
            evolve(release_header(self.save_version), play_duration=36 * self.cells),
            levels if self.save_version >= SAVE_VERSION_LEVELS else [],
            self.objects(),
            destroyed=[(PERSISTENT, [])] if self.save_version >= SAVE_VERSION_PER_LEVEL else [],
            grids=_grids(cell_names, random),
            version_data=self.version_data,
        )

    def objects(self) -> Iterator[Anything]:
        """Every object of the persistent level."""
        yield from self._subsystems()
        for index in range(self.cells):
            yield from self.cell(index)
        if self.save_version >= SAVE_VERSION_CHAINS:
            yield self._lightweight()

    def cell(self, index: int) -> Iterator[Encoded]:
        """All objects of one cell."""
        random = self._random
        x, y = (index % 100) * 2400.0 - 120000.0, (index // 100) * 3200.0 - 150000.0
        first = self._id()
        chain = self._id()
        for kind in ("machine", "machine", "attachment", "attachment", "power pole", "power line", "power line", "pole", "pole"):
            yield from self._some(kind, x, y, names(self._id(), first, chain))
        previous = first
        for _ in range(BELTS_PER_CELL):
            own = self._id()
            yield from self._some("belt", x, y, names(own, previous, chain))
            previous = own
        if self.save_version >= SAVE_VERSION_CHAINS:
            yield from self._some("chain", x, y, names(chain, first, previous))
        else:
            for _ in range(FOUNDATIONS_PER_CELL):
                yield from self._some("foundation", x, y, names(self._id()))
        if random.random() < 0.25:
            yield from self._some("container", x, y, names(self._id(), previous))
        if random.random() < 0.2:
            yield from self._some("pipe", x, y, names(self._id(), first))
        if index % CIRCUIT_EVERY == 0:
            yield from self._some("circuit", x, y, names(self._id(), first))

    def _id(self) -> bytes:
        self._next_id -= self._random.randrange(1, 60)
        return b"%010d" % self._next_id

    def _some(self, kind: str, x: float, y: float, ids: Names) -> Iterator[Encoded]:
        random, groups = self._random, self._groups[kind]
        group = groups[0] if len(groups) == 1 else random.choice(groups)
        position = (x + random.uniform(0.0, 2400.0), y + random.uniform(0.0, 3200.0), random.uniform(-2000.0, 9000.0))
        angle = random.uniform(-math.pi, math.pi)
        turn = random.choice(TURNS) if random.random() < ON_THE_GRID else (0.0, 0.0, math.sin(angle), math.cos(angle))
        there = transform(turn, position)
        for template in group:
            yield template.stamp(ids, random, there)

    def _lightweight(self) -> Encoded:
        """All foundations: one object, made in pieces."""
        dialect, random = self.dialect, Random(self.seed + 2)
        version = lightweight_version(dialect)
        total = self.cells * FOUNDATIONS_PER_CELL
        shapes = ("8x1_01", "8x2_01", "8x4_01", "Concrete_8x2", "Metal_8x4", "Asphalt_8x1", "Ramp_8x2_01", "Ramp_8x4_01")
        counts = [total // len(shapes)] * len(shapes)
        stamps, heads = [], []
        for shape, count in zip(shapes, counts, strict=True):
            name = f"Build_Foundation_{shape}"
            place = (0.0, 0.0, HALF, HALF, REAL, REAL, REAL, 1.0, 1.0, 1.0)
            made = recipe("Buildings/Foundations", f"Foundation_{shape}")
            stamps.append(Stamp.of(Instance(place, swatch=SWATCH, recipe=made).encode(dialect, version)))
            heads.append(ref(Ref("", buildable("Building/Foundation", name))) + i32(count))

        def instances() -> Iterator[bytes]:
            for head, stamp, count in zip(heads, stamps, counts, strict=True):
                yield head
                for _ in range(count):
                    yield stamp.fill({}, random)

        size = sum(len(head) + stamp.size * count for head, stamp, count in zip(heads, stamps, counts, strict=True))
        one = _subsystem("/Script/FactoryGame.FGLightweightBuildableSubsystem", "LightweightBuildableSubsystem")
        start = one.data(dialect) + lightweight_head(dialect, version, len(shapes))
        return Encoded(one, one.header(self.save_version), start, size, instances())

    def _subsystems(self) -> Iterator[Object]:
        random = Random(self.seed + 3)
        circuits = [(number, actor(f"CircuitSubsystem.FGPowerCircuit_{number}")) for number in range(7)]
        shared = "/Game/FactoryGame/-Shared/Blueprint"
        players = Players([actor("BP_PlayerState_C_2147475876")])
        yield _subsystem(f"{shared}/BP_GameMode.BP_GameMode_C", "BP_GameMode_C_2147482343", trailer=players)
        yield _subsystem(f"{shared}/BP_GameState.BP_GameState_C", "BP_GameState_C_2147471748", trailer=players)
        yield _subsystem(f"{shared}/BP_BuildableSubsystem.BP_BuildableSubsystem_C", "BuildableSubsystem")
        yield _subsystem(f"{shared}/BP_CircuitSubsystem.BP_CircuitSubsystem_C", "CircuitSubsystem", trailer=Circuits(circuits))
        yield _subsystem("/Script/FactoryGame.FGMapManager", "MapManager", [Prop("mFogOfWarRawData", Array(BYTE), self.fog)])
        picked = [random.randbytes(16) for _ in range(160)]
        pickups = [Prop("mDestroyedPickups", Set(structs.GUID), picked)]
        yield _subsystem("/Script/FactoryGame.FGScannableSubsystem", "ScannableSubsystem", pickups)
        counts: list[AnyProp] = [
            Prop("mItemsCounts", Map(OBJECT, INT), [(item(part), random.randrange(9999)) for part in PARTS]),
            Prop("mItemTotals", Map(OBJECT, INT64), [(item(part), random.randrange(1 << 40)) for part in PARTS]),
        ]
        yield _subsystem("/Script/FactoryGame.FGStatisticsSubsystem", "StatisticsSubsystem", counts)
        yield _subsystem("/Script/FactoryGame.FGFoliageRemovalSubsystem", "FoliageRemovalSubsystem", _foliage(random))
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

    def _level(self, name: str, random: Random) -> Level:
        objects = [_wild(name, number, random) for number in range(random.randrange(1, 12))]
        gone = [Ref(name, actor(f"BP_Shroom_01_{number}").path) for number in range(random.choice((0, 0, 0, 1, 4)))]
        return Level(name, objects, gone, version_data=self.version_data)


def _subsystem(class_name: str, name: str, props: Sequence[AnyProp] = (), trailer: Trailer = NO_TRAILER) -> Object:
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


def _grids(cell_names: Sequence[str], random: Random) -> list[Grid]:
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


def _measure(factory: Factory) -> tuple[int, int]:
    """Objects and bytes of a world, by making it."""
    count, total = 0, 0

    def size(one: Anything) -> int:
        overhead = 16 if factory.save_version >= SAVE_VERSION_VERSION_DATA else 12
        if isinstance(one, Object):
            return len(one.header(factory.save_version)) + len(one.data(factory.dialect)) + overhead
        return len(one.toc) + len(one.start) + one.size + overhead

    world = factory.world()
    for level in world.levels:
        for one in level.objects:
            count, total = count + 1, total + size(one) + 6
    for one in world.objects:
        count, total = count + 1, total + size(one)
    return count, total + sum(len(grid.encode()) for grid in world.grids)


def sized_factory(save_version: int, seed: int, *, objects: int = 0, megabytes: float = 0, levels: int = 400) -> Factory:
    """A factory whose world has about so many objects, or about so many inflated megabytes."""
    fixed = _measure(Factory(save_version, seed, 0, levels))
    trial = _measure(Factory(save_version, seed, TRIAL_CELLS, levels))
    per_cell = [(with_cells - without) / (TRIAL_CELLS) for with_cells, without in zip(trial, fixed, strict=True)]
    wanted, each = (megabytes * MEGABYTE - fixed[1], per_cell[1]) if megabytes else (objects - fixed[0], per_cell[0])
    cells = wanted / each
    return Factory(save_version, seed, max(0, round(cells)), levels)
