"""Work of Palworld: each type, each kind of place, who does it."""

from __future__ import annotations

import pytest
from palworld_blobs import FAULTY, NEW, OLD, ref, typed, values, world_of
from writer import palworld as raw
from writer.palworld import AGES
from writer.palworld_worlds import array, entries, with_id

from streamsave.formats.palworld.layouts import OWN
from streamsave.values import Quat, Vector

ages = pytest.mark.parametrize("age", AGES.values(), ids=list(AGES))

VECTOR = Vector(1.0, -2.0, 3.0)
TURN = Quat(0.0, 0.0, 0.0, 1.0)
PROGRESS = {"required_work_amount": 100.0, "work_experience": 8, "current_work_amount": 25.0, "auto_work_self_amount_by_sec": 0.5}
PLACE = {"transform_type": 2, "map_object_instance_id": ref(30)}
TRANSFORM = {"rotation": TURN, "translation": VECTOR, "scale_3d": Vector(1.0, 1.0, 1.0)}
SUITABILITY = {"work_suitability": 5, "required_amount": 1.0, "current_amount": 2.0, "auto_amount_by_sec": 3.0}
REST = {
    "Repair": PLACE,
    "Defense": {"defense_combat_type": 2, **PLACE},
    "Progress": PROGRESS | PLACE,
    "Progress_MultiType": PROGRESS | {"progress_by_type": [SUITABILITY]} | PLACE,
    "ReviveCharacter": {
        "target_individual_id": {"player_uid": ref(51), "instance_id": ref(52)},
        "transform_type": 1,
        "transform": TRANSFORM,
    },
    "MonsterFarm": {"transform_type": 3, "guid": ref(52), "instance_id": ref(53)},
}


@ages
def test_work(age):
    for kind, blob in raw.works(age).items():
        built = values(world_of([array("WorkSaveData", [[typed("WorkableType", kind), *blob.props(age)]])]))
        assert (built["id"], built["location"], built["rotation"], built["bounds_radius"]) == (ref(50), VECTOR, TURN, 99.5)
        assert built["assign_locations"] == [{"location": VECTOR, "facing": VECTOR}]
        assert (built["assign_define_data_id"], built["override_work_type"], built["assignable_fixed_type"]) == ("Define", 3, 4)
        assert [built[name] for name in ("assignable_otomo", "can_trigger_worker_event", "can_steal_assign")] == [
            True,
            False,
            True,
        ]
        expected = dict(REST[kind])
        if kind.startswith("Progress") and age not in {OLD, FAULTY}:
            expected["kind"] = 1
        assert {name: built[name] for name in list(built)[18:]} == expected


def test_all_types_are_tested():
    assert set(OWN) <= set(REST)
    assert set(raw.works(NEW)) == set(REST)


@ages
@pytest.mark.parametrize("kind", ["Progress", "Progress_MultiType"])
def test_work_assignment(age, kind):
    assign = entries("WorkAssignMap", with_id("Id"), [raw.work_assign(age, kind).props(age)])
    built = values(world_of([array("WorkSaveData", [[typed("WorkableType", kind), assign]])]))
    expected = {
        "id": ref(54),
        "location_index": 1,
        "assign_type": 2,
        "assigned_individual_id": {"player_uid": ref(55), "instance_id": ref(56)},
        "state": 1,
        "fixed": True,
    }
    if kind == "Progress_MultiType":
        expected |= {"suitability": 1, "suitability_rank": 2, "suitability_state": 3}
    assert built == expected
