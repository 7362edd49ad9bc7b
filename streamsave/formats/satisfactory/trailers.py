"""What classes write behind their properties: a table of class -> layout.

A row's pattern matches the last part of the class name (`Build_PowerLine_C`); a mod's subclass or a new class is one row more.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from streamsave.decode.codecs import F32, F64, I32, STRING, U8, Array, BuildContext, Codec, Map, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.satisfactory.structs import DYNAMIC, UNIQUE_NET_ID, inventory_item, player_handle
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_DRONE_STRUCTS,
    SAVE_VERSION_LIGHTWEIGHT_VERSION,
    SAVE_VERSION_WIRE_LOCATIONS,
    SAVE_VERSION_WIRE_MESHES,
)
from streamsave.formats.unreal.codecs import GUID, REFERENCE, PropertyList
from streamsave.values import LinearColor, Quat, Vector

__all__ = ["LIGHTWEIGHT_SUBSYSTEM", "UNKNOWN_TRAILER", "Trailers", "is_component", "lightweight_trailer"]

LIGHTWEIGHT_SUBSYSTEM: Final = ".FGLightweightBuildableSubsystem"

#: The subsystem's own version: a dynamic struct, then a player's handle, at the end of each instance.
LIGHTWEIGHT_FIRST: Final = 1
LIGHTWEIGHT_TYPE_SPECIFIC_DATA: Final = 2
LIGHTWEIGHT_SERVICE_PROVIDER: Final = 3

VEHICLES: Final = (
    "BP_Tractor_C",
    "BP_Truck_C",
    "BP_FluidTruck_C",
    "BP_Explorer_C",
    "BP_Golfcart_C",
    "BP_GolfcartGold_C",
    "Testa_BP_WB_C",
)

#: Components that write a list of modified properties, always empty.
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
        "FINAdvancedNetworkConnectionComponent",
        "FINNetworkAdapter",
        "FINNetworkConnectionComponent",
        "FINFactoryConnectionConnector",
    )
)


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


class ObjectGuid(Codec):
    """The end of an object's property list: its terminator, `bool32`, a GUID if that is set."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cursor.name()
        return GUID.decode(cursor, context) if cursor.bool32() else None


OBJECT_GUID: Final[Codec] = ObjectGuid("ObjectGuid", -1, 8)


def trailer(name: str, **members: Codec) -> Struct:
    """Make a layout; it starts with what ends the property list."""
    return Struct(name, None, object_guid=OBJECT_GUID, **members)


UNKNOWN_TRAILER: Final = trailer("UnknownTrailer")


def is_component(class_name: str) -> bool:
    """Tell whether a class writes a list of modified properties: a count that is always zero, and then all there is."""
    return class_name[class_name.rfind(".") + 1 :] in COMPONENTS


def vector_of(real: Codec) -> Codec:
    return Struct("Vector", Vector, x=real, y=real, z=real)


def quat_of(real: Codec) -> Codec:
    return Struct("Quat", Quat, x=real, y=real, z=real, w=real)


def trailer_table(save_version: int) -> list[tuple[str, Struct]]:
    """Make the rows of one SaveVersion."""
    real = F64 if save_version >= SAVE_VERSION_64_BIT else F32
    vector = vector_of(real)
    belt_item = Struct("ConveyorBeltItem", None, item=inventory_item(save_version), offset=F32)
    belt = trailer("ConveyorBase", items=Array(belt_item))
    spline_point = Struct(
        "SplinePointData", None, location=vector_of(F64), arrive_tangent=vector_of(F64), leave_tangent=vector_of(F64)
    )
    chain_segment = Struct(
        "ConveyorChainSplineSegment",
        None,
        chain_actor=REFERENCE,
        conveyor_base=REFERENCE,
        spline_points=Array(spline_point),
        offset_at_start=F32,
        starts_at_length=F32,
        ends_at_length=F32,
        first_item_index=I32,
        last_item_index=I32,
        index_in_chain_array=I32,
    )
    chain = trailer(
        "ConveyorChainActor",
        first_conveyor=REFERENCE,
        last_conveyor=REFERENCE,
        chain_spline_segments=Array(chain_segment),
        total_length=F32,
        num_items=I32,
        lead_item_index=I32,
        tail_item_index=I32,
        conveyor_chain_items=Array(belt_item),
    )
    wire = trailer("Wire", first_connection=REFERENCE, second_connection=REFERENCE)
    if SAVE_VERSION_WIRE_LOCATIONS <= save_version < SAVE_VERSION_WIRE_MESHES:
        wire = trailer(
            "Wire",
            first_connection=REFERENCE,
            second_connection=REFERENCE,
            first_location=vector_of(F32),
            second_location=vector_of(F32),
        )
    circuits = trailer("CircuitSubsystem", circuits=Map(I32, REFERENCE))
    player_states = trailer("PlayerStates", player_states=Array(REFERENCE))
    physics = Array(
        Struct(
            "VehiclePhysicsData",
            None,
            bone_name=STRING,
            position=vector,
            quaternion=quat_of(real),
            angular_velocity=vector,
            linear_velocity=vector,
            flags=U8,
        )
    )
    drone_action = Struct("DroneAction", None, action_name=STRING, action=PropertyList())
    drone = trailer("Drone", stored_physics_data=physics, active_action=Optional(drone_action), action_queue=Array(drone_action))
    if save_version < SAVE_VERSION_DRONE_STRUCTS:
        drone = trailer("Drone", stored_physics_data=physics)  # what follows is not known
    rows = [
        ("Build_ConveyorBeltMk?_C", belt),
        ("Build_ConveyorLiftMk?_C", belt),
        ("FGConveyorChainActor*", chain),
        ("Build_PowerLine_C", wire),
        ("Build_XmassLightsLine_C", wire),
        ("BP_CircuitSubsystem_C", circuits),
        ("BP_GameMode_C", player_states),
        ("BP_GameState_C", player_states),
        ("BP_PlayerState_C", trailer("PlayerState", unique_id=UNIQUE_NET_ID)),
        ("BP_DroneTransport_C", drone),
        (
            "FINModuleSystemPanel",
            trailer("ModuleSystemPanel", ucs_modified_properties=I32, modules=ReferenceGrid("ObjectReference[][]", -1, 8)),
        ),
        ("FINKernelSystem", trailer("KernelSystem", state=I32)),
    ]
    rail = trailer(
        "RailroadVehicle",
        stored_physics_data=physics,
        coupled_vehicle_front=REFERENCE,
        coupled_vehicle_back=REFERENCE,
    )
    rows += [("BP_Locomotive_C", rail), ("BP_FreightWagon_C", rail)]
    rows += [(name, trailer("Vehicle", stored_physics_data=physics)) for name in VEHICLES]
    return rows


def lightweight_trailer(save_version: int, lightweight_version: int) -> Struct:
    """All foundations, walls and beams of a world, by class: the layout of one version of the subsystem."""
    instance: dict[str, Codec] = {
        "rotation": quat_of(F64),
        "translation": vector_of(F64),
        "scale": vector_of(F64),
        "swatch": REFERENCE,
        "material": REFERENCE,
        "pattern": REFERENCE,
        "skin": REFERENCE,
        "primary_color": Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32),
        "secondary_color": Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32),
        "paint_finish": REFERENCE,
        "pattern_rotation": U8,
        "built_with_recipe": REFERENCE,
        "blueprint_proxy": REFERENCE,
    }
    if lightweight_version >= LIGHTWEIGHT_TYPE_SPECIFIC_DATA:
        instance["type_specific_data"] = DYNAMIC
    if lightweight_version >= LIGHTWEIGHT_SERVICE_PROVIDER:
        instance["service_provider"] = player_handle(save_version)
    buildable = Struct(
        "LightweightBuildable",
        None,
        buildable_class=REFERENCE,
        instances=Array(Struct("RuntimeBuildableInstanceData", None, **instance), streams=True),
    )
    if save_version >= SAVE_VERSION_LIGHTWEIGHT_VERSION:
        return trailer("LightweightBuildableSubsystem", lightweight_version=I32, buildables=Array(buildable))
    return trailer("LightweightBuildableSubsystem", buildables=Array(buildable))


class Trailers:
    """The table of one SaveVersion, by class name."""

    def __init__(self, save_version: int) -> None:
        self._rows = trailer_table(save_version)
        self._found: dict[str, Struct | None] = {}

    def find(self, class_name: str) -> Struct | None:
        """Find what a class writes behind its properties."""
        short_name = class_name[class_name.rfind(".") + 1 :]
        if short_name not in self._found:
            if len(self._found) > 4096:
                self._found.clear()
            self._found[short_name] = next((row for pattern, row in self._rows if fnmatchcase(short_name, pattern)), None)
        return self._found[short_name]
