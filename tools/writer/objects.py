"""Objects: one with each class trailer, with structs that no tag names, of other versions, and of unknown classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from writer import structs
from writer.dialect import SAVE_VERSION_64_BIT, SAVE_VERSION_ITEM_STATE_STRUCTS
from writer.primitives import NO_REF, Ref
from writer.satisfactory import (
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VERSION_DATA,
    Object,
    VersionData,
)
from writer.tags import (
    FLOAT,
    INT,
    OBJECT,
    UINT32,
    Array,
    Encoded,
    Fields,
    Map,
    Native,
    Prop,
    Props,
    PropType,
    Set,
)
from writer.trailers import (
    NO_TRAILER,
    Action,
    Belt,
    BeltItem,
    Body,
    Chain,
    Circuits,
    ComponentTail,
    Drone,
    Instance,
    Lightweight,
    Opaque,
    Players,
    PowerLine,
    Segment,
    Train,
    Vehicle,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from writer.trailers import Trailer

from writer.all_types import GUID_A, GUID_B, all_types
from writer.vocabulary import CELL, COPPER, FOUNDATION, IRON, REMOVED, SPLINE, SWATCH, WIRE, AnyProp, actor

SAVE_VERSION_GUID = bytes.fromhex("2f3e0421d61fe613519d3b5130a23636")
GAME_VERSION_GUID = bytes.fromhex("c11de6f4ce9a027c61d5d7853d6a2fe4")


def _of(class_name: str, name: str, trailer: Trailer, props: Sequence[AnyProp] = ()) -> Object:
    return Object(class_name, actor(name).path, props, trailer, owner=actor("BuildableSubsystem"), need_transform=True)


def _buildable(path: str, trailer: Trailer, props: Sequence[AnyProp] = ()) -> Object:
    name = path.rsplit("/", 1)[1]
    return _of(f"/Game/FactoryGame/{path}.{name}_C", f"{name}_C_2147000001", trailer, props)


def trailers(save_version: int) -> Iterator[Object]:
    """An object with each trailer there is."""
    on_belt = [BeltItem(structs.Item(IRON), 12.5), BeltItem(structs.Item(COPPER), 80.25)]
    belt, chain = actor("Build_ConveyorBeltMk1_C_2147000001"), actor("FGConveyorChainActor_2147000002")
    body = Body("root", [float(value) for value in range(13)], 2)
    vector = structs.VECTOR
    tangents = [Prop(name, vector, (1.0, 0.0, 0.0)) for name in ("ArriveTangent", "LeaveTangent")]
    point = [Prop("Location", vector, (0.0, 0.0, 0.0)), *tangents]
    wire = [Prop("Locations", vector, (1.0, 2.0, 3.0)), Prop("Locations", vector, (4.0, 5.0, 6.0), 1)]
    items_in_belts = on_belt if save_version < SAVE_VERSION_ITEM_STATE_STRUCTS else []
    yield _buildable(
        "Buildable/Factory/ConveyorBeltMk1/Build_ConveyorBeltMk1",
        Belt(items_in_belts),
        [Prop("mSplineData", Array(SPLINE), [point, point])],
    )
    yield _buildable("Buildable/Factory/ConveyorLiftMk2/Build_ConveyorLiftMk2", Belt(items_in_belts))
    ends = PowerLine(actor("Pole_1.PowerConnection"), actor("Pole_2.PowerConnection"), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    yield _buildable("Buildable/Factory/PowerLine/Build_PowerLine", ends, [Prop("mWireInstances", Array(WIRE), [wire])])
    yield _buildable("Events/Christmas/Buildings/PowerLineLights/Build_XmassLightsLine", ends)
    if save_version >= 46:
        points = [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [99.0] * 9]
        segment = Segment(chain, belt, points, (0.0, 0.0, 638.5), (7, 6, 0))
        for suffix in ("", "_RepSizeMedium", "_RepSizeLarge", "_RepSizeHuge", "_RepSizeNoCull"):
            chained = Chain(belt, belt, [segment], 638.5, (8, 7, 6), on_belt)
            yield _of(f"/Script/FactoryGame.FGConveyorChainActor{suffix}", f"FGConveyorChainActor{suffix}_2147000002", chained)
        instance = Instance(swatch=SWATCH, recipe=Ref("", "/Game/Recipe_Foundation"), builder=structs.PlayerHandle(1, 2))
        beam_type = Ref("", "/Script/FactoryGame.BuildableBeamLightweightData")
        beam = structs.DynamicStruct(beam_type, [Prop("BeamLength", FLOAT, 400.0)])
        classes = [(FOUNDATION, [instance, evolve(instance, type_data=beam)]), (Ref("", "/Game/Build_Empty_C"), [])]
        yield _of("/Script/FactoryGame.FGLightweightBuildableSubsystem", "LightweightBuildableSubsystem", Lightweight(classes))
    circuits = Circuits([(12, actor("CircuitSubsystem.FGPowerCircuit_1")), (13, actor("CircuitSubsystem.FGPowerCircuit_2"))])
    yield _buildable("-Shared/Blueprint/BP_CircuitSubsystem", circuits)
    players = Players([actor("BP_PlayerState_C_1"), actor("BP_PlayerState_C_2")])
    yield _buildable("-Shared/Blueprint/BP_GameMode", players)
    yield _buildable("-Shared/Blueprint/BP_GameState", players)
    ids: list[Trailer] = [
        structs.UniqueNetId(0x19, bytes(range(10))),
        structs.UniqueNetId(0xF1, bytes(range(33)), 1),
        structs.UniqueNetId(0xF8, type_name="NULL", contents="DESKTOP-1"),
        structs.UniqueNetId(0x08, contents="7656"),
        structs.UniqueNetId(0x03),
        Opaque(),
    ]
    player_class = "/Game/FactoryGame/Character/Player/BP_PlayerState.BP_PlayerState_C"
    for number, identity in enumerate(ids, 1):
        yield _of(player_class, f"BP_PlayerState_C_{number}", identity)
    yield _buildable("Buildable/Vehicle/Tractor/BP_Tractor", Vehicle([body, evolve(body, bone="wheel")]))
    yield _buildable("Buildable/Vehicle/Truck/BP_Truck", Vehicle())
    yield _buildable("Buildable/Vehicle/Train/Locomotive/BP_Locomotive", Train([], NO_REF, actor("BP_FreightWagon_C_2147000001")))
    yield _buildable("Buildable/Vehicle/Train/Wagon/BP_FreightWagon", Train([], actor("BP_Locomotive_C_2147000001")))
    docking = Action("DroneAction_DockingSequence", [Prop("mStage", INT, 2)])
    queue = [docking, Action("DroneAction_Idle")]
    yield _buildable("Buildable/Factory/DroneStation/BP_DroneTransport", Drone([], docking, queue))
    for name in ("FGInventoryComponent", "FGFactoryConnectionComponent", "FGHealthComponent", "FGPowerInfoComponent"):
        yield component(f"/Script/FactoryGame.{name}", "BP_Museum_C_1", name)
    circuit, owner = actor("CircuitSubsystem.FGPowerCircuit_1"), actor("CircuitSubsystem")
    yield Object("/Script/FactoryGame.FGPowerCircuit", circuit.path, [Prop("mCircuitID", INT, 12)], outer=owner.path)


def component(class_name: str, owner: str, name: str, props: Sequence[AnyProp] = ()) -> Object:
    """An actor component."""
    return Object(class_name, actor(f"{owner}.{name}").path, props, ComponentTail(), outer=actor(owner).path, flags=0x40008)


def untyped(save_version: int) -> Iterator[Object]:
    """Sets and maps of binary structs: before the new tags only owner and name of the property give their types."""
    vectors = [(1.5, -2.0, 3.0), (4.0, 5.0, 6.0)]
    removed: list[AnyProp] = [
        Prop("RemovedLocations", Array(structs.VECTOR), vectors),
        Prop("RemovedLocationLookup", Set(UINT32), [1, 2, 4_000_000_000]),
    ]
    per_cell = [Prop("SaveDataMap", Map(OBJECT, REMOVED), [(Ref("", "/Game/SM_Bush"), removed)])]
    cells: list[tuple[Sequence[int], Props]] = [((1, -2, 3), per_cell), ((0, 0, 0), [])]
    saved: list[AnyProp] = [
        Prop("mSaveData", Map(structs.INT_VECTOR, CELL), cells),
        Prop("mUnresolvedSaveData", Map(structs.INT_VECTOR, CELL), []),
    ]
    guids = [Prop("mDestroyedPickups", Set(structs.GUID), [GUID_A, GUID_B]), Prop("mLootedDropPods", Set(structs.GUID), [GUID_B])]
    balancer = Fields("LBBalancerData", "/Script/LoadBalancers")
    mapping = [Prop("mIndexMapping", Map(INT, structs.LB_INDEXING), {4: (1, 2, 3), 5: (-1, 0, 0)})]
    yield _of("/Script/FactoryGame.FGFoliageRemovalSubsystem", "FoliageRemovalSubsystem", NO_TRAILER, saved)
    yield _of("/Script/FactoryGame.FGScannableSubsystem", "ScannableSubsystem", NO_TRAILER, guids)
    mod = "/LoadBalancers/Build_LoadBalancer.Build_LoadBalancer_C"
    yield _of(mod, "Build_LoadBalancer_C_1", NO_TRAILER, [Prop("mBalancerData", balancer, mapping)])
    if save_version < SAVE_VERSION_64_BIT:
        places = [Prop("mRemovalLocations", Set(structs.VECTOR), vectors)]
        yield _of("/Script/FactoryGame.FGFoliageRemoval", "FoliageRemoval_1", NO_TRAILER, places)


def unknown(save_version: int) -> Iterator[Object]:
    """What no reader can know: a binary struct, a property type and a class of some mod; a struct with stray bytes."""
    binary: Native[bytes] = Native("OracleBinary", "/Script/Oracle", encode=lambda data, _dialect: data)
    strange: PropType[bytes] = Encoded("OracleProperty", bytes)
    stray: Native[structs.Item] = Native("InventoryItem", encode=lambda one, dialect: one.encode(dialect) + bytes(4))
    props: list[AnyProp] = [
        Prop("mBefore", INT, 1),
        Prop("mBinary", binary, b"\xff\xfe\xfd\x7fbinary"),
        Prop("mStrange", strange, b"strange"),
        Prop("mAfter", INT, 2),
    ]
    if save_version == 46:
        props.insert(1, Prop("mStray", stray, structs.Item(IRON)))
    if save_version < SAVE_VERSION_LEVELS:
        stopped = _of("/Game/FicsItNetworks/FINComputerSubsystem.FINComputerSubsystem_C", "FINComputerSubsystem", NO_TRAILER)
        yield evolve(stopped, with_list=False)
    yield _of("/Oracle/BP_Unknown.BP_Unknown_C", "BP_Unknown_C_1", Opaque(b"bytes nobody knows"), props)


def old_objects(save_version: int) -> Iterator[Object]:
    """Objects that kept the SaveVersion of an earlier game, and one that never wrote a property list."""
    vectors: list[AnyProp] = [
        Prop("mPosition", structs.VECTOR, (1.0, 2.0, 3.0)),
        Prop("mItem", structs.INVENTORY_ITEM, structs.Item(IRON)),
    ]
    old = Object("/Game/Oracle/BP_Old.BP_Old_C", actor("BP_Old_C_1").path, vectors, save_version=36, migrate=True)
    if save_version < SAVE_VERSION_64_BIT:
        return
    if save_version < SAVE_VERSION_VERSION_DATA:
        yield old
        yield evolve(component("/Script/FactoryGame.FGHealthComponent", "BP_Old_C_1", "Health"), save_version=36, migrate=True)
    if save_version >= SAVE_VERSION_VERSION_DATA:
        newer = VersionData(ue5=1017, custom=[(SAVE_VERSION_GUID, save_version)])
        older = VersionData(ue5=1009, engine=(5, 3, 2), branch="++FactoryGame+rel-main-1.1.0")
        yield evolve(old, save_version=save_version, migrate=False, version_data=newer)
        yield evolve(old, instance_name=actor("BP_Old_C_2").path, save_version=SAVE_VERSION_VERSION_DATA, version_data=older)


def everything(save_version: int, *, old: bool = True) -> list[Object]:
    """All objects of a sample."""
    mixed = old_objects(save_version) if old else ()
    return [all_types(save_version), *trailers(save_version), *untyped(save_version), *unknown(save_version), *mixed]
