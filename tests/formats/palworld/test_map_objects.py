"""Concrete models and modules of Palworld's map objects: each class and each module, of each age."""

import pytest
from palworld_blobs import (
    CHAINED,
    DIALECT,
    FAULTY,
    LATE,
    NEW,
    OLD,
    SHEEP,
    WOOD,
    ages,
    instance,
    map_object,
    read,
    reasons,
    ref,
    values,
)
from writer.palworld import Blob, guid
from writer.palworld_objects import IDS, concrete_models, young_farm

from streamsave.formats.palworld.map_objects import MODELS

SOME_WOOD = {"item_id": WOOD, "num": 3}


#: What each class has beside the base, in the newest age.
OWN = {
    "": {},
    "ConvertItem": {
        "current_recipe_id": "Nail",
        "remain_product_num": 1,
        "requested_product_num": 2,
        "work_speed_additional_rate": 1.5,
        "flag": True,
    },
    "PickupItemOnLevel": {"picked_up": True, "may_pick_up": ref(60)},
    "PalEgg": {"picked_up": True, "may_pick_up": ref(60)},
    "DropItem": {"picked_up": True, "may_pick_up": ref(60), "item_id": WOOD},
    "ItemDropOnDamag": {"drop_item_infos": [SOME_WOOD], "flag": False, "reserved": 0},
    "DeathPenaltyStorage": {"owner_player_uid": ref(67), "created_at": 5},
    "DeathDroppedCharacter": {
        "stored_parameter_id": ref(65),
        "created_at": 1,
        "reserved": 0,
        "owner_player_uid": ref(66),
        "flag": False,
    },
    "DefenseBulletLauncher": {"remaining_bullets": 5, "magazine_size": 6, "bullet_item": "Arrow"},
    "GenerateEnergy": {"stored_energy_amount": 1_000_000.0},
    "EnergyStorage": {"stored_energy_amount": 1_000_000.0},
    "FarmBlockV2": {
        "crop_data_id": "tomato",
        "current_state": 2,
        "crop_progress_rate": 0.5,
        "water_stack_rate": 0.25,
        "crop_needs": 3.0,
        "crop_has_grown": 4.0,
    },
    "TreasureBox": {"treasure_grade_type": 2},
    "BreedFarm": {"spawned_egg_instance_ids": [ref(63)], "progress": 0.75, "parents": [instance(64)]},
    "HatchingEgg": {"hatched_character": SHEEP, "reserved": 0, "hatched_character_guid": ref(68)},
    "ItemChest": {"private_lock_player_uid": ref(61)},
    "ItemChest_AffectCorruption": {"private_lock_player_uid": ref(61)},
    "ItemBooth": {
        "owner": ref(69),
        "trades": [{"product": SOME_WOOD, "cost": {"item_id": WOOD | {"static_id": "Money"}, "num": 50}, "seller": ref(62)}],
        "number": 1,
        "number_again": 2,
        "is_locked": True,
        "last_number": 3,
    },
    "PalBooth": {
        "trades": [{"pal": instance(77), "cost": {"item_id": WOOD | {"static_id": "Money"}, "num": 60}, "seller": ref(62)}],
        "private_lock_player_uid": ref(61),
        "reserved": 0,
    },
    "Lamp": {"is_turned_off": True},
    "BaseCampPoint": {"location_instance_id": ref(70)},
    "FastTravelPoint": {"location_instance_id": ref(71)},
    "Signboard": {"signboard_text": "Hello", "last_modified_player_uid": ref(72)},
    "Torch": {"extinction_date_time": 9},
    "ProductItem": {"work_speed_additional_rate": 1.0, "product_item_id": "Stone"},
    "DimensionPalStorage": {"flag": True},
    "CharacterTeamMission": {"mission_id": "Mission", "characters": [instance(73)], "state": 1, "start_time": 4},
    "AncientMultiProduct": {"product_item_id": "Ancient"},
    "AncientRelicRecycler": {"recipe_id": "Relic", "progress": 0.5, "worker": instance(74)},
    "ShippingItem": {"shipping_hours": [8, 20]},
    "RecoverOtomo": {"recover_amount_by_sec": 2.0},
    "SupplyStorage": {"created_at": 3, "number": 2},
}
#: Members by the first age that has them.
SINCE_LATE = {"flag": {"ConvertItem"}}
SINCE_FAULTY = {"private_lock_player_uid": {"ItemChest", "ItemChest_AffectCorruption"}}
SINCE_SOUND = {"flag": {"ItemDropOnDamag"}, "last_modified_player_uid": None, "number": {"SupplyStorage"}}
SINCE_CHAINED = {"may_pick_up": None, "reserved": {"ItemDropOnDamag"}}
SINCE_NEW = {
    "progress": {"BreedFarm"},
    "parents": None,
    "created_at": {"DeathDroppedCharacter"},
    "reserved": {"DeathDroppedCharacter"},
    "flag": {"DeathDroppedCharacter"},
}


def has(name: str, member: str, age: object) -> bool:
    """Whether an age has that member of a class."""
    missing = []
    if age is OLD:
        missing.append(SINCE_LATE)
    if age in {OLD, LATE}:
        missing.append(SINCE_FAULTY)
    if age in {OLD, LATE, FAULTY}:
        missing.append(SINCE_SOUND)
    if age not in {CHAINED, NEW}:
        missing.append(SINCE_CHAINED)
    if age is not NEW:
        missing.append(SINCE_NEW)
    return not any(member in gates and (gates[member] is None or name in gates[member]) for gates in missing)


@ages
@pytest.mark.parametrize("name", list(OWN))
def test_concrete_model(age, name):
    kind, built = read(map_object(IDS[name], "ConcreteModel", concrete_models(age, DIALECT)[name].props(age)))
    assert kind == f"PalMapObject{name}Model"
    own = {member: value for member, value in OWN[name].items() if has(name, member, age)}
    assert {member: value for member, value in built.items() if not member.startswith("class_end")} == {
        "instance_id": ref(31),
        "model_instance_id": ref(30),
        **own,
    }


def test_all_models_are_tested():
    assert set(OWN) - {""} == set(MODELS)


@ages
def test_farm_without_what_has_grown(age):
    built = values(map_object("FarmBlockV2_Tomato", "ConcreteModel", young_farm(age).props(age)))
    assert "crop_needs" not in built
    assert built["water_stack_rate"] == 0.25


@ages
def test_lamp_that_cannot_be_turned_off(age):
    built = values(map_object("Lamp", "ConcreteModel", Blob(guid(31) + guid(30) + age.end).props(age)))
    assert "is_turned_off" not in built
    assert built["model_instance_id"] == ref(30)


def test_class_that_is_not_known():
    blob = Blob(guid(31) + guid(30) + b"123")
    for name in ("MultiElectricHatchingPalEggWithBreed", "Wall"):
        data = map_object(name, "ConcreteModel", blob.props(OLD))
        assert reasons(data) == [f"RawData of unknown layout: concrete of {name}"]
