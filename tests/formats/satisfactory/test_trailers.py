"""Trailers: each row of the table by hand-made bytes, each version gate on both sides."""

import json
import struct
import tracemalloc
from fnmatch import fnmatchcase

import pytest
from one_object import NONE
from satisfactory_layouts import reader_over, reals, whole
from saves import inflate, read
from tiling import assert_tiled
from writer.primitives import Ref, bool32, f32, fstring, i32, ref, u8
from writer.satisfactory import Encoded, Object, World, release_header, save_bytes

import streamsave
from streamsave import BlobSkip, DamagedSave, Field, LimitExceeded, Limits, ObjectEnd, ObjectHeader, StructEnter
from streamsave.formats.satisfactory.trailers import (
    COMPONENTS,
    VEHICLES,
    ReferenceGrid,
    find_trailer,
    has_component_list,
    trailer_table,
)
from streamsave.output.json_document import json_document
from streamsave.values import InventoryItem, ObjectReference, Quat, Vector

A, B = ref(Ref("Level", "A")), ref(Ref("Level", "B"))
READ_A, READ_B = ObjectReference("Level", "A"), ObjectReference("Level", "B")
IRON = ref(Ref("", "/Game/Iron"))
READ_IRON = InventoryItem(ObjectReference("", "/Game/Iron"), None)
#: The end of a property list, without a GUID.
LIST_END = NONE + bool32(False)
NO_STATE = i32(0)
HALF = f32(0.5)


def vector(*numbers: float) -> Vector:
    return Vector(*numbers)


def physics(*, wide: bool) -> tuple[bytes, list[object]]:
    """Two parts of a vehicle, and what they are."""
    part = fstring("Bone") + reals(13, wide=wide) + u8(7)
    value = {
        "bone_name": "Bone",
        "position": Vector(1.0, 2.0, 3.0),
        "quaternion": Quat(4.0, 5.0, 6.0, 7.0),
        "angular_velocity": Vector(8.0, 9.0, 10.0),
        "linear_velocity": Vector(11.0, 12.0, 13.0),
        "flags": 7,
    }
    return i32(2) + part * 2, [value, value]


PHYSICS, READ_PHYSICS = physics(wide=True)
OLD_PHYSICS, READ_OLD_PHYSICS = physics(wide=False)
SEGMENT = A + B + i32(1) + reals(9, wide=True) + struct.pack("<3f3i", 0.5, 1.5, 2.5, 1, 2, 3)
READ_SEGMENT = {
    "chain_actor": READ_A,
    "conveyor_base": READ_B,
    "spline_points": [{"location": vector(1, 2, 3), "arrive_tangent": vector(4, 5, 6), "leave_tangent": vector(7, 8, 9)}],
    "offset_at_start": 0.5,
    "starts_at_length": 1.5,
    "ends_at_length": 2.5,
    "first_item_index": 1,
    "last_item_index": 2,
    "index_in_chain_array": 3,
}
ACTION = fstring("Fly") + NONE
READ_ACTION = {"action_name": "Fly", "action": {}}
NOBODY = u8(2)  # flags: no id, not encoded, type 0

#: Class, SaveVersion, bytes after the end of the property list, members.
ROWS: list[tuple[str, int, bytes, dict[str, object]]] = [
    ("Build_ConveyorBeltMk1_C", 42, i32(1) + IRON + A + HALF, {
        "items": [{"item": InventoryItem(ObjectReference("", "/Game/Iron"), READ_A), "offset": 0.5}],
    }),
    ("Build_ConveyorBeltMk6_C", 43, i32(1) + IRON + NO_STATE + HALF, {"items": [{"item": READ_IRON, "offset": 0.5}]}),
    ("Build_ConveyorLiftMk3_C", 36, i32(0), {"items": []}),
    ("FGConveyorChainActor_RepSizeHuge", 52,
     A + B + i32(1) + SEGMENT + HALF + i32(4) + i32(5) + i32(6) + i32(1) + IRON + NO_STATE + HALF, {
        "first_conveyor": READ_A,
        "last_conveyor": READ_B,
        "chain_spline_segments": [READ_SEGMENT],
        "total_length": 0.5,
        "num_items": 4,
        "lead_item_index": 5,
        "tail_item_index": 6,
        "conveyor_chain_items": [{"item": READ_IRON, "offset": 0.5}],
    }),
    ("Build_PowerLine_C", 32, A + B, {"first_connection": READ_A, "second_connection": READ_B}),
    *[
        (name, version, A + B + reals(6, wide=False), {
            "first_connection": READ_A,
            "second_connection": READ_B,
            "first_location": vector(1, 2, 3),
            "second_location": vector(4, 5, 6),
        })
        for name, version in (("Build_PowerLine_C", 33), ("Build_PowerLine_C", 39), ("Build_XmassLightsLine_C", 39))
    ],
    *[
        (name, 40, A + B, {"first_connection": READ_A, "second_connection": READ_B})
        for name in ("Build_PowerLine_C", "Build_XmassLightsLine_C")
    ],
    ("BP_CircuitSubsystem_C", 36, i32(1) + i32(9) + A, {"circuits": [(9, READ_A)]}),
    ("BP_GameMode_C", 36, i32(2) + A + B, {"player_states": [READ_A, READ_B]}),
    ("BP_GameState_C", 58, i32(1) + A, {"player_states": [READ_A]}),
    ("BP_PlayerState_C", 58, NOBODY, {"unique_id": {"flags": 2}}),
    ("BP_DroneTransport_C", 38, OLD_PHYSICS, {"stored_physics_data": READ_OLD_PHYSICS}),
    ("BP_DroneTransport_C", 39, i32(0) + i32(1) + ACTION + i32(2) + ACTION * 2, {
        "stored_physics_data": [],
        "active_action": READ_ACTION,
        "action_queue": [READ_ACTION, READ_ACTION],
    }),
    ("FINModuleSystemPanel", 46, i32(0) + i32(2) + i32(1) + A + B, {
        "ucs_modified_properties": 0,
        "modules": [[READ_A], [READ_B]],
    }),
    ("FINKernelSystem", 46, i32(1), {"state": 1}),
    *[
        (name, 46, PHYSICS + A + B, {
            "stored_physics_data": READ_PHYSICS,
            "coupled_vehicle_front": READ_A,
            "coupled_vehicle_back": READ_B,
        })
        for name in ("BP_Locomotive_C", "BP_FreightWagon_C")
    ],
    *[
        (f"{name}_C", version, data, {"stored_physics_data": value})
        for name in ("BP_Tractor", "BP_Truck", "BP_FluidTruck", "BP_Explorer", "BP_Golfcart", "BP_GolfcartGold", "Testa_BP_WB")
        for version, data, value in ((40, OLD_PHYSICS, READ_OLD_PHYSICS), (41, PHYSICS, READ_PHYSICS))
    ],
]  # fmt: skip


@pytest.mark.parametrize(("class_name", "version", "data", "members"), ROWS)
def test_rows(class_name, version, data, members):
    layout = find_trailer(version, f"/Game/Any.{class_name}")
    assert whole(layout, LIST_END + data, version) == {"object_guid": None, **members}


def test_no_row_is_left_out():
    for version in (36, 58):
        for pattern, _layout in trailer_table(version):
            assert any(fnmatchcase(row[0], pattern) for row in ROWS), pattern


@pytest.mark.parametrize(
    "name", ["Build_ConveyorBeltMk_C", "Build_ConveyorBeltMk10_C", "XBuild_PowerLine_C", "BP_Truck", "FGConveyor"]
)
def test_other_classes_have_no_row(name):
    assert find_trailer(58, f"/Game/Any.{name}") is None


def test_long_names_are_not_kept():
    """A hostile save has thousands of them, of a MiB each, in a few bytes."""
    assert find_trailer(58, "X") is None
    tracemalloc.start()
    for number in range(30):
        assert find_trailer(58, f"/Game/{'x' * 100_000}{number}") is None
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 300_000


NAMES = [
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
]


def component_save(class_name: str, version: int, tail: bytes) -> bytes:
    """A save of game 1.0 with one component, whose entry has a SaveVersion of its own."""
    shell = Object(class_name, "Hand", outer="Owner", save_version=version)
    return save_bytes(World(release_header(46), objects=[Encoded(shell.header(46), LIST_END + tail)]))


def blobs(save: bytes) -> list[int]:
    """Sizes of what is passed over."""
    events = read(save)
    assert_tiled(events, len(inflate(save)))
    return [event.size for event in events if isinstance(event, BlobSkip)]


@pytest.mark.parametrize("name", NAMES)
def test_each_component_has_a_list(name):
    class_name = f"/Script/FactoryGame.{name}"
    assert has_component_list(class_name, 41)
    assert not has_component_list(class_name, 40)
    assert blobs(component_save(class_name, 46, i32(0))) == []


def test_no_component_is_left_out():
    assert set(NAMES) == COMPONENTS
    assert len(VEHICLES) == 7


@pytest.mark.slow
def test_no_byte_of_a_real_save_with_mods_is_unknown(real_save):
    assert [event for event in read(real_save("satisfactory/v11-hv14-sv52-mods-3m.sav")) if isinstance(event, BlobSkip)] == []


@pytest.mark.parametrize("built_size", [1 << 20, 0])
def test_an_empty_list_of_modified_properties(built_size):
    """No event of its own: that would make a save slower. The end of the object says so, and JSON."""
    save = component_save("/Script/FactoryGame.FGHealthComponent", 46, i32(0))
    assert [event.ucs_modified_properties for event in read(save) if isinstance(event, ObjectEnd)] == [0]
    with streamsave.open(save) as events:
        document = json.loads(b"".join(json_document(events, built_size=built_size)))
    (one,) = document["Persistent_Level"]["objects"]
    assert one["ucs_modified_properties"] == 0
    with streamsave.open(save) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
            elif isinstance(event, ObjectEnd):
                assert event.ucs_modified_properties == -1


def test_a_list_of_modified_properties_that_is_not_empty():
    """How many there are is known, but not what they are."""
    save = component_save("/Script/FactoryGame.FGHealthComponent", 46, i32(2) + b"elements")
    assert blobs(save) == [8]
    with streamsave.open(save) as events:
        trailer = next(events.build() for event in events if isinstance(event, (Field, StructEnter)) and event.name == "trailer")
    assert trailer == {"object_guid": None, "ucs_modified_properties": 2}
    assert [event.ucs_modified_properties for event in read(save) if isinstance(event, ObjectEnd)] == [-1]
    assert_tiled(read(save), len(inflate(save)))


@pytest.mark.parametrize("tail", [i32(1), i32(0) + b"\0"])
def test_a_list_that_is_not_empty_is_not_known(tail):
    assert blobs(component_save("/Script/FactoryGame.FGHealthComponent", 46, tail)) == [len(tail)]


def grid(height: int, width: int, cells: bytes) -> bytes:
    return i32(height) + i32(width) + cells


EMPTY = ref(Ref("", ""))


@pytest.mark.parametrize(("height", "width"), [(0, 0), (3, 0), (0, 3), (1, 1), (2, 3), (3, 2)])
def test_grids_that_fit(height, width):
    value = whole(ReferenceGrid("grid", -1, 8), grid(height, width, EMPTY * (height * width)))
    assert value == [[ObjectReference("", "")] * width] * height


@pytest.mark.parametrize(("height", "width", "cells"), [(1, 2, 1), (2, 1, 1), (2, 3, 5), (3, 2, 5), (1 << 16, 1 << 15, 9)])
def test_grids_with_more_cells_than_room(height, width, cells):
    reader = reader_over(grid(height, width, EMPTY * cells))
    with pytest.raises(DamagedSave, match="grid of references does not fit") as error:
        ReferenceGrid("grid", -1, 8).decode(reader.cursor, reader)
    assert error.value.offset == 8
    assert error.value.actual == (height, width)


def test_rows_without_cells_are_limited():
    reader = reader_over(grid(Limits().zero_size_count + 1, 0, b""))
    with pytest.raises(LimitExceeded):
        ReferenceGrid("grid", -1, 8).decode(reader.cursor, reader)
