"""What classes write after their properties: a table of class -> layout.

A row's pattern matches the last part of the class name (`Build_PowerLine_C`). A mod's subclass or a new class is one row more.

| class | layout | SaveVersion |
|---|---|---|
| components, see `COMPONENTS` | i32, always 0 | from 41 |
| conveyor belts and lifts | i32 n, n items with their offsets | |
| conveyor chains | ends, segments of the spline, items | |
| power lines | two connections; two locations, f32 | locations only 33 to 39 |
| circuit subsystem | i32 n, n * (i32 id, reference) | |
| game mode, game state | i32 n, n references to player states | |
| player state | the player's id at an online service | |
| vehicles | i32 n, n parts with physics | |
| locomotives, freight wagons | the same, then two coupled vehicles | |
| drones | the same, then the active and the queued actions | actions from 39 |
| lightweight buildable subsystem | see `lightweight_trailer` | |
| two components of FicsIt-Networks | a grid of references; i32 | |
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from streamsave.decode.codecs import (
    F32,
    F64,
    I32,
    STRING,
    U8,
    Array,
    BuildContext,
    Codec,
    Map,
    Optional,
    Struct,
    encode_each,
    list_of,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.satisfactory.structs import DYNAMIC, UNIQUE_NET_ID, inventory_item, player_handle
from streamsave.formats.satisfactory.versions import (
    LIGHTWEIGHT_SERVICE_PROVIDER,
    LIGHTWEIGHT_TYPE_SPECIFIC_DATA,
    SAVE_VERSION_COMPONENT_LISTS,
    SAVE_VERSION_DOUBLES,
    SAVE_VERSION_DRONE_STRUCTS,
    SAVE_VERSION_LIGHTWEIGHT_VERSION,
    SAVE_VERSION_NEWEST,
    SAVE_VERSION_WIRE_LOCATIONS,
    SAVE_VERSION_WIRE_MESHES,
    Member,
    members,
)
from streamsave.formats.unreal.codecs import OBJECT_GUID, REFERENCE, PropertyList
from streamsave.formats.unreal.dialect import engine_structs

__all__ = [
    "COMPONENTS",
    "COMPONENT_TRAILER",
    "LIGHTWEIGHT_MEMBERS",
    "LIGHTWEIGHT_SUBSYSTEM",
    "UNKNOWN_TRAILER",
    "VEHICLES",
    "find_trailer",
    "has_component_list",
    "lightweight_trailer",
    "trailer_table",
]

#: SaveVersions whose table is kept.
KEPT_VERSIONS: Final = 64
LIGHTWEIGHT_SUBSYSTEM: Final = ".FGLightweightBuildableSubsystem"

VEHICLES: Final = (
    "BP_Tractor_C",
    "BP_Truck_C",
    "BP_FluidTruck_C",
    "BP_Explorer_C",
    "BP_Golfcart_C",
    "BP_GolfcartGold_C",
    "Testa_BP_WB_C",
)

#: Components that write how many properties a construction script has modified: always 0.
COMPONENTS: Final = frozenset(
    (
        "FGDroneMovementComponent",
        "FGFactoryConnectionComponent",
        "FGFactoryLegsComponent",
        "FGHealthComponent",
        "FGInventoryComponent",
        "FGInventoryComponentEquipment",
        "FGInventoryComponentTrash",
        "FGPipeConnectionComponent",
        "FGPipeConnectionComponentHyper",
        "FGPipeConnectionFactory",
        "FGPowerConnectionComponent",
        "FGPowerInfoComponent",
        "FGRailroadTrackConnectionComponent",
        "FGShoppingListComponent",
        "FGTrainPlatformConnection",
        "FGVehicleAutopilotComponent",
        "FILLogContainer",
        "FINAdvancedNetworkConnectionComponent",
        "FINNetworkAdapter",
        "FINNetworkConnectionComponent",
        "FINFactoryConnectionConnector",
    )
)


#: Structs of the engine.
FLOATS: Final = engine_structs(F32)
DOUBLES: Final = engine_structs(F64)


class ReferenceGrid(Codec):
    """`i32 height; i32 width`, then that many references, row by row. Decoded as a list of rows."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        height = cursor.count(0)
        width = cursor.count(0)
        if height and width > cursor.remaining() // (REFERENCE.least * height):
            raise cursor.damaged(
                "grid of references does not fit",
                expected=f"at most {cursor.remaining()} bytes",
                actual=(int(height), int(width)),
            )
        context.spend(height * width, 0)
        return [[REFERENCE.decode(cursor, context) for _ in range(width)] for _ in range(height)]

    def encode(self, value: object, encoder: Encoder) -> None:
        rows = [list_of(row) for row in list_of(value)]
        width = len(rows[0]) if rows else 0
        if any(len(row) != width for row in rows):
            raise EditError("rows of different lengths", value)
        encoder.count(len(rows))
        encoder.count(width)
        for row in rows:
            encode_each(REFERENCE, row, encoder)


def trailer(name: str, **layout: Codec) -> Struct:
    """Make a layout; it starts with what ends the property list."""
    return Struct(name, None, object_guid=OBJECT_GUID, **layout)


UNKNOWN_TRAILER: Final = trailer("UnknownTrailer")
#: Of a component whose list of modified properties is not empty: it was never seen, so what is in it is not known.
COMPONENT_TRAILER: Final = trailer("ActorComponent", ucs_modified_properties=I32)


def has_component_list(class_name: str, save_version: int) -> bool:
    """Return whether a class writes a list of modified properties: a count that is always 0, and nothing after it."""
    return save_version >= SAVE_VERSION_COMPONENT_LISTS and class_name[class_name.rfind(".") + 1 :] in COMPONENTS


def physics_of(save_version: int) -> Codec:
    """Make the layout of the parts of a vehicle that physics moves."""
    structs = engine_structs(F64 if save_version >= SAVE_VERSION_DOUBLES else F32)
    return Array(
        Struct(
            "VehiclePhysicsData",
            None,
            bone_name=STRING,
            position=structs["Vector"],
            quaternion=structs["Quat"],
            angular_velocity=structs["Vector"],
            linear_velocity=structs["Vector"],
            flags=U8,
        )
    )


SPLINE_POINT: Final = Struct(
    "SplinePointData", None, location=DOUBLES["Vector"], arrive_tangent=DOUBLES["Vector"], leave_tangent=DOUBLES["Vector"]
)
CHAIN_SEGMENT: Final = Struct(
    "ConveyorChainSplineSegment",
    None,
    chain_actor=REFERENCE,
    conveyor_base=REFERENCE,
    spline_points=Array(SPLINE_POINT),
    offset_at_start=F32,
    starts_at_length=F32,
    ends_at_length=F32,
    first_item_index=I32,
    last_item_index=I32,
    index_in_chain_array=I32,
)
DRONE_ACTION: Final = Struct("DroneAction", None, action_name=STRING, action=PropertyList())


@lru_cache(maxsize=KEPT_VERSIONS)
def trailer_table(save_version: int) -> list[tuple[str, Struct]]:
    """Make the rows of one SaveVersion: (pattern, layout)."""
    physics = physics_of(save_version)
    belt_items = Array(Struct("ConveyorBeltItem", None, item=inventory_item(save_version), offset=F32))
    belt = trailer("ConveyorBase", items=belt_items)
    chain = trailer(
        "ConveyorChainActor",
        first_conveyor=REFERENCE,
        last_conveyor=REFERENCE,
        chain_spline_segments=Array(CHAIN_SEGMENT),
        total_length=F32,
        num_items=I32,
        lead_item_index=I32,
        tail_item_index=I32,
        conveyor_chain_items=belt_items,
    )
    wire_members = [
        Member("first_connection", REFERENCE),
        Member("second_connection", REFERENCE),
        Member("first_location", FLOATS["Vector"], SAVE_VERSION_WIRE_LOCATIONS, SAVE_VERSION_WIRE_MESHES),
        Member("second_location", FLOATS["Vector"], SAVE_VERSION_WIRE_LOCATIONS, SAVE_VERSION_WIRE_MESHES),
    ]
    wire = trailer("Wire", **members(save_version, wire_members))
    drone_members = [
        Member("stored_physics_data", physics),
        # What follows before that version is not known.
        Member("active_action", Optional(DRONE_ACTION), SAVE_VERSION_DRONE_STRUCTS),
        Member("action_queue", Array(DRONE_ACTION), SAVE_VERSION_DRONE_STRUCTS),
    ]
    drone = trailer("Drone", **members(save_version, drone_members))
    rail = trailer(
        "RailroadVehicle", stored_physics_data=physics, coupled_vehicle_front=REFERENCE, coupled_vehicle_back=REFERENCE
    )
    vehicle = trailer("Vehicle", stored_physics_data=physics)
    player_states = trailer("PlayerStates", player_states=Array(REFERENCE))
    modules = ReferenceGrid("ObjectReference[][]", -1, 8)
    return [
        ("Build_ConveyorBeltMk?_C", belt),
        ("Build_ConveyorLiftMk?_C", belt),
        ("FGConveyorChainActor*", chain),
        ("Build_PowerLine_C", wire),
        ("Build_XmassLightsLine_C", wire),
        ("BP_CircuitSubsystem_C", trailer("CircuitSubsystem", circuits=Map(I32, REFERENCE))),
        ("BP_GameMode_C", player_states),
        ("BP_GameState_C", player_states),
        ("BP_PlayerState_C", trailer("PlayerState", unique_id=UNIQUE_NET_ID)),
        ("BP_DroneTransport_C", drone),
        ("FINModuleSystemPanel", trailer("ModuleSystemPanel", ucs_modified_properties=I32, modules=modules)),
        ("FINKernelSystem", trailer("KernelSystem", state=I32)),
        ("BP_Locomotive_C", rail),
        ("BP_FreightWagon_C", rail),
        *[(name, vehicle) for name in VEHICLES],
    ]


def lightweight_instance(save_version: int, lightweight_version: int) -> Struct:
    """Make the layout of one lightweight buildable. `lightweight` reads its place, the first three members, on its own."""
    instance = [
        Member("rotation", DOUBLES["Quat"]),
        Member("translation", DOUBLES["Vector"]),
        Member("scale", DOUBLES["Vector"]),
        Member("swatch", REFERENCE),
        Member("material", REFERENCE),
        Member("pattern", REFERENCE),
        Member("skin", REFERENCE),
        Member("primary_color", FLOATS["LinearColor"]),
        Member("secondary_color", FLOATS["LinearColor"]),
        Member("paint_finish", REFERENCE),
        Member("pattern_rotation", U8),
        Member("built_with_recipe", REFERENCE),
        Member("blueprint_proxy", REFERENCE),
        Member("type_specific_data", DYNAMIC, LIGHTWEIGHT_TYPE_SPECIFIC_DATA),
        Member("service_provider", player_handle(save_version), LIGHTWEIGHT_SERVICE_PROVIDER),
    ]
    return Struct("RuntimeBuildableInstanceData", None, **members(lightweight_version, instance))


def lightweight_trailer(save_version: int, lightweight_version: int) -> Struct:
    """All foundations, walls and beams of a world, by class: the layout of one version of the subsystem.

    `i32 lightweight_version` (SaveVersion from 48), then i32 n, n * (reference to the class, i32 m, m instances).
    """
    instances = Array(lightweight_instance(save_version, lightweight_version), streams=True)
    buildable = Struct("LightweightBuildable", None, buildable_class=REFERENCE, instances=instances)
    rows = [
        Member("lightweight_version", I32, SAVE_VERSION_LIGHTWEIGHT_VERSION),
        Member("buildables", Array(buildable)),
    ]
    return trailer("LightweightBuildableSubsystem", **members(save_version, rows))


#: The members of a lightweight buildable, of any version.
LIGHTWEIGHT_MEMBERS: Final = frozenset(lightweight_instance(SAVE_VERSION_NEWEST, LIGHTWEIGHT_SERVICE_PROVIDER).names)


#: Names of classes whose row is kept, and how long they may be: hostile ones have a MiB each.
MOST_KEPT: Final = 4096
LONGEST_KEPT: Final = 256


def find_trailer(save_version: int, class_name: str) -> Struct | None:
    """Return what a class writes after its properties, or None where that is not known."""
    short_name = class_name[class_name.rfind(".") + 1 :]
    find = _find_kept if len(short_name) <= LONGEST_KEPT else _find_kept.__wrapped__
    return find(save_version, short_name)


@lru_cache(maxsize=MOST_KEPT)
def _find_kept(save_version: int, short_name: str) -> Struct | None:
    return next((row for pattern, row in trailer_table(save_version) if fnmatchcase(short_name, pattern)), None)
