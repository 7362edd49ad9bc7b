"""What is in a factory, as objects that hold marks for ids and numbers, see :mod:`writer.templates`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from writer import structs
from writer.primitives import NO_REF, Ref
from writer.satisfactory import (
    Object,
)
from writer.tags import BOOL, FLOAT, INT, OBJECT, Array, Prop, Props
from writer.templates import COUNT, OTHER, OWN, REAL, THIRD
from writer.trailers import (
    NO_TRAILER,
    Belt,
    BeltItem,
    Chain,
    ComponentTail,
    PowerLine,
    Segment,
    Trailer,
)
from writer.vocabulary import (
    CUSTOMIZATION,
    PARTS,
    SPLINE,
    STACK,
    SWATCH,
    WIRE,
    AnyProp,
    actor,
    buildable,
    item,
    recipe,
)

SAVE_VERSION_CHAINS = 46
BELTS_PER_CELL = 4
CIRCUIT_SIZE = 40
SUBSYSTEM = actor("BuildableSubsystem")
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


def machine(folder: str, name: str, made: Ref, part: str, product: str) -> list[Object]:
    """A machine that makes one part of another, with its inventories and connections."""
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


def belt(mark: int, points: int, items: Sequence[BeltItem]) -> list[Object]:
    """A belt with a spline of so many points."""
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


def attachment(folder: str, name: str) -> list[Object]:
    """A splitter or merger."""
    parts = [_connection(f"Input{end}", f"Build_ConveyorBeltMk1_C_{OTHER}.ConveyorAny{end}") for end in (0, 1)]
    parts += [_connection("Output1", f"Build_ConveyorBeltMk2_C_{THIRD}.ConveyorAny0"), _connection("Output2", "")]
    parts.append(("FGInventoryComponent", "StorageInventory", _stacks("IronPlate", 9, 1)))
    props = [Prop("mBufferInventory", OBJECT, actor(f"{name}_C_{OWN}.StorageInventory"))]
    return _built(folder, name, props, parts)


def container(part: str, used: int) -> list[Object]:
    """A container with so many slots in use."""
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


def power_pole() -> list[Object]:
    """A pole with two wires."""
    wires = [actor(f"Build_PowerLine_C_{OTHER}"), actor(f"Build_PowerLine_C_{THIRD}")]
    props: list[AnyProp] = [Prop("mWires", Array(OBJECT), wires), Prop("mCircuitID", INT, 12)]
    return _built("Factory/PowerPoleMk1", "Build_PowerPoleMk1", [], [("FGPowerConnectionComponent", "PowerConnection", props)])


def power_line() -> list[Object]:
    """A wire between a machine and a pole."""
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


def pole() -> list[Object]:
    """What holds a belt."""
    return _built("Factory/ConveyorPole", "Build_ConveyorPole", [Prop("mSelectedPoleVersion", INT, 2)])


def pipe() -> list[Object]:
    """A pipe with its two ends."""
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


def foundation() -> list[Object]:
    """A foundation, as an actor: before game 1.0."""
    return _built("Building/Foundation", "Build_Foundation_8x2_01", [], made="Foundation_8x2_01")


def chain(items: int) -> list[Object]:
    """A conveyor chain with so many items on it."""
    belt, own = actor(f"Build_ConveyorBeltMk1_C_{OTHER}"), actor(f"FGConveyorChainActor_{OWN}")
    points = [[0.0] * 6 + [REAL, REAL, 0.0], [REAL, REAL, 0.0, REAL, REAL, 0.0, 0.0, 0.0, 0.0]]
    segments = [
        Segment(own, actor(f"Build_ConveyorBeltMk1_C_{THIRD}"), points, (0.0, REAL, REAL), (index, index, index))
        for index in range(BELTS_PER_CELL)
    ]
    on_it = [BeltItem(structs.Item(item(PARTS[items % len(PARTS)])), REAL)] * items
    trailer = Chain(belt, belt, segments, REAL, (items, 0, items), on_it)
    return [Object("/Script/FactoryGame.FGConveyorChainActor", own.path, (), trailer)]


def circuit() -> list[Object]:
    """A power circuit."""
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


def kinds(save_version: int) -> dict[str, list[list[Object]]]:
    """All variants of each kind; a variant is an actor and its components."""
    on_belts = () if save_version >= SAVE_VERSION_CHAINS else [BeltItem(structs.Item(item("IronPlate")), REAL)] * 3
    return {
        "machine": [machine(*kind) for kind in MACHINES],
        "belt": [belt(mark, points, on_belts) for mark in (1, 2, 3, 4, 5) for points in (2, 2, 3, 5)],
        "attachment": [
            attachment("Factory/CA_Splitter", "Build_ConveyorAttachmentSplitter"),
            attachment("Factory/CA_Merger", "Build_ConveyorAttachmentMerger"),
        ],
        "container": [container(part, used) for part in PARTS for used in (1, 12, 24)],
        "power pole": [power_pole()],
        "power line": [power_line()],
        "pole": [pole()],
        "pipe": [pipe()],
        "foundation": [foundation()],
        "chain": [chain(items) for items in (0, 4, 9, 30)],
        "circuit": [circuit()],
    }
