"""Layouts of Palworld's `RawData`: what the writer writes of each age is read to the last byte, with the right values."""

from __future__ import annotations

import pytest
from palworld_blobs import (
    CHAINED,
    DIALECT,
    FAULTY,
    NEW,
    OLD,
    SHEEP,
    SOUND,
    WOOD,
    ages,
    element,
    instance,
    map_object,
    read,
    reasons,
    ref,
    typed,
    values,
    world_of,
)
from writer import palworld as raw
from writer.palworld import Blob, fstring, guid, u8
from writer.palworld_worlds import array, by_enum, entries, nested, with_id
from writer.primitives import f32, i32

from streamsave.formats.palworld.layouts import OWN, PLACES
from streamsave.values import LinearColor, Quat, Rotator, Vector

TRANSFORM = {"rotation": Quat(0.0, 0.0, 0.0, 1.0), "translation": Vector(1.0, -2.0, 3.0), "scale_3d": Vector(1.0, 1.0, 1.0)}
PERMISSION = {"type_a": [1], "type_b": [], "item_static_ids": ["Berries"]}


def slot(name: str, props: object) -> bytes:
    """A world with one container, which has one slot."""
    return element(name, [array("Slots", [props])])


@ages
def test_character(age):
    props = raw.character(age, DIALECT).props(age)
    expected = {"object": SHEEP, "reserved": 0, "group_id": ref(1)}
    assert values(element("CharacterSaveParameterMap", props)) == expected
    stored = nested("Stored", [array("StoredParameterInfoSaveData", [[nested("SaveParameter", props)]])])
    assert values(world_of([stored])) == expected


@ages
def test_character_slot(age):
    expected = {**instance(2), "permission_tribe_id": 0}
    if age not in {OLD, FAULTY}:
        expected["reserved"] = 0
    assert values(slot("CharacterContainerSaveData", raw.character_slot(age).props(age))) == expected


@ages
def test_item_container(age):
    expected = {"permission": PERMISSION}
    if age is not OLD:
        expected["item_ids"] = ["Stone"]
    assert values(element("ItemContainerSaveData", raw.item_container(age).props(age))) == expected


@ages
def test_item_slot(age):
    expected = {"permission": PERMISSION, "corruption_progress_value": 0.25}
    if age not in {OLD, FAULTY}:
        expected = {"slot_index": 4, "stack_count": 5, "item_id": WOOD, **expected}
    assert values(slot("ItemContainerSaveData", raw.item_slot(age).props(age))) == expected


@ages
def test_dynamic_items(age):
    egg, armor, weapon = [
        read(world_of([array("DynamicItemSaveData", [blob.props(age)])])) for blob in raw.dynamic_items(age, DIALECT)
    ]
    assert [kind for kind, _ in (egg, armor, weapon)] == ["PalEggItem", "PalArmorItem", "PalWeaponItem"]
    assert (egg[1]["static_id"], egg[1]["character_id"], egg[1]["object"], egg[1]["id"]) == (
        "PalEgg_Fire_01",
        "SheepBall",
        SHEEP,
        ref(5),
    )
    assert (armor[1]["static_id"], armor[1]["durability"]) == ("Cloth", 0.75)
    assert (weapon[1]["durability"], weapon[1]["remaining_bullets"], weapon[1]["passive_skill_list"]) == (0.5, 6, ["Skill"])
    assert weapon[1].get("text") == ("text" if age is NEW else None)


@ages
@pytest.mark.parametrize("kind", ["Neutral", "Organization", "Guild"])
def test_group(age, kind):
    name, built = read(element("GroupSaveDataMap", [typed("GroupType", kind), *raw.groups(age)[kind].props(age)]))
    base = {"group_id": ref(6), "group_name": "Group", "individual_characters": [instance(7), instance(8)]}
    assert built.items() >= base.items()
    if kind == "Neutral":
        assert name == "PalGroup"
        return
    assert (built["org_type"], built["base_ids"]) == (2, [ref(9)])
    if kind == "Organization":
        assert name == "PalOrganization"
        return
    player = {"player_uid": ref(13), "last_online_real_time": 638_000_000, "player_name": "Player"}
    marker = {"id": ref(11), "location": Vector(1.0, -2.0, 3.0), "icon": 2, "owner": ref(12)}
    assert name == "PalGuild"
    assert (built["base_camp_level"], built["base_camp_points"], built["guild_name"]) == (3, [ref(10)], "Gilde \u00e9")
    assert built["admin_player_uid"] == ref(13)
    assert built.get("last_guild_name_modifier_player_uid") == (None if age in {OLD, FAULTY} else ref(14))
    assert built["players"] == [player | ({"role": 1} if age is NEW else {})]
    assert built.get("markers") == ([marker] if age is NEW else None)
    assert built.get("chest_roles") == ([1, 2] if age is NEW else None)
    assert built.get("role_permissions") == ([{"role": 1, "permissions": [0, 1]}] if age is NEW else None)


def test_independent_guild():
    base = raw.groups(OLD)["Guild"].data
    blob = Blob(base[: base.index(fstring("Gilde \u00e9"))] + fstring("G") + guid(1) + fstring("A") + raw.i64(5) + fstring("B"))
    built = values(element("GroupSaveDataMap", [typed("GroupType", "IndependentGuild"), *blob.props(OLD)]))
    assert [
        built[name] for name in ("guild_name", "player_uid", "guild_name_of_player", "last_online_real_time", "player_name")
    ] == [
        "G",
        ref(1),
        "A",
        5,
        "B",
    ]


def test_group_of_a_type_that_is_not_known():
    props = raw.groups(OLD)["Neutral"].props(OLD)
    assert reasons(element("GroupSaveDataMap", [typed("GroupType", "New"), *props])) == [
        "RawData of unknown layout: group of New"
    ]


@pytest.mark.parametrize("age", [SOUND, CHAINED, NEW])
def test_guild_extras(age):
    built = [
        values(element("GuildExtraSaveDataMap", [nested(name, blob.props(age))])) for name, blob in raw.guild_extras(age).items()
    ]
    research = [{"research_id": "Handcraft1", "work_amount": 2.5}]
    lab = {"research_info": research, "current_research_id": "Handcraft1"}
    assert built == [{"container_id": ref(15)}, lab, {"value": 22}]


@ages
def test_base_camp(age):
    assert values(element("BaseCampSaveData", raw.base_camp(age).props(age))) == {
        "id": ref(16),
        "name": "Base",
        "state": 1,
        "transform": TRANSFORM,
        "area_range": 3500.0,
        "group_id_belong_to": ref(6),
        "fast_travel_local_transform": TRANSFORM,
        "owner_map_object_instance_id": ref(17),
    }


@ages
def test_parts_of_a_base(age):
    director = nested("WorkerDirector", raw.worker_director(age).props(age))
    assert values(element("BaseCampSaveData", [director])) == {
        "id": ref(16),
        "spawn_transform": TRANSFORM,
        "current_order_type": 1,
        "current_battle_type": 2,
        "container_id": ref(18),
    }
    works = nested("WorkCollection", raw.work_collection(age).props(age))
    assert values(element("BaseCampSaveData", [works])) == {"id": ref(16), "work_ids": [ref(19), ref(20)]}


@ages
def test_modules_of_a_base(age):
    blobs = raw.camp_modules(age)
    built = {
        name: values(element("BaseCampSaveData", [by_enum("EPalBaseCampModuleType", {name: blob}, age)]))
        for name, blob in blobs.items()
        if blob.data
    }
    infos = [{"item_infos": [{"item_id": WOOD, "num": 3}], "character_location": Vector(1.0, -2.0, 3.0)}]
    effect = {"type": 3, "raw_data": b"\1" + age.end}
    if age is not OLD:
        effect["custom_version_data"] = bytes(4)
    assert built == {"TransportItemDirector": {"transport_item_infos": infos}, "PassiveEffect": {"passive_effects": [effect]}}


def test_module_of_a_base_that_is_not_known():
    data = element("BaseCampSaveData", [by_enum("EPalBaseCampModuleType", {"New": Blob(b"12345")}, OLD)])
    assert reasons(data) == ["RawData of unknown layout: camp_module of New"]


@ages
def test_foliage(age):
    model = raw.foliage_model(age).props(age)
    assert values(
        world_of([entries("FoliageGridSaveDataMap", with_id("Cell"), [[entries("ModelMap", with_id("Id"), [model])]])])
    ) == {
        "model_id": "tree",
        "foliage_preset_type": 3,
        "cell_coord": {"x": -2, "y": 5, "z": 0},
    }
    places = [Vector(-350_790.0, 247_290.0, -255.0), Vector(1.0, 2.0, 3.0), Vector(1.0, -2.0, 3.0)]
    turns = [Rotator(0.0, 180.0, 0.0), Rotator(0.0, 0.0, 0.0), Rotator(0.0, 0.0, 0.0)]
    for at, blob in enumerate(raw.foliage_instances(age)):
        plants = entries("ModelMap", with_id("Id"), [[entries("InstanceDataMap", with_id("Id"), [blob.props(age)])]])
        expected = {"model_instance_id": ref(21 + at), "rotator": turns[at], "location": places[at], "scale_x": 0.5, "hp": 1000}
        if age not in {OLD, FAULTY}:
            expected["ticks"] = 9
        assert values(world_of([plants])) == expected


@ages
def test_map_model(age):
    built = values(map_object("Wall", "Model", raw.map_model(age).props(age)))
    ids = ("instance_id", "concrete_model_instance_id", "base_camp_id_belong_to", "group_id_belong_to", "repair_work_id")
    assert [built[name] for name in ids] == [ref(number) for number in (30, 31, 16, 6, 32)]
    assert (built["hp"], built["max_hp"], built["initial_transform_cache"]) == (90, 100, TRANSFORM)
    assert (built["stage_instance_id"], built["stage_is_valid"], built["created_at"]) == (ref(36), True, 77)
    assert (built.get("ticks"), built.get("number")) == (None if age is OLD else 78, 2 if age is NEW else None)


@ages
def test_build_process(age):
    data = map_object("Wall", "Model", [nested("BuildProcess", raw.build_process(age).props(age))])
    assert values(data) == {"state": 1, "id": ref(0)}


@ages
def test_connectors(age):
    built = [
        values(map_object("Wall", "Model", [nested("Connector", blob.props(age))])) for blob in raw.connectors(age) if blob.data
    ]
    connection = {"connect_to_model_instance_id": ref(41), "index": 1}
    plain, stairs, foundation = built
    assert plain["any_place"] == {"index": 254, "connections": []}
    assert plain.get("other_connectors", []) == []
    assert stairs["any_place"]["connections"] == [{"connect_to_model_instance_id": ref(40), "index": 1}]
    assert stairs["other_connectors"] == [{"index": 0, "connections": [connection]}, {"index": 1, "connections": []}]
    assert [len(other["connections"]) for other in foundation["other_connectors"]] == [0, 1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("age", [CHAINED, NEW])
def test_paint(age):
    built = values(map_object("Wall", "Model", [nested("Paint", raw.paint(age).props(age))]))
    assert built == {"color": LinearColor(1.0, 0.5, 0.25, 1.0), "reserved": 0}


def test_each_place_has_a_kind_of_its_own_name():
    assert len({place.kind for place in PLACES.values()}) == 23


@pytest.mark.parametrize("age", [CHAINED, NEW])
def test_the_end_of_a_class_is_0(age):
    blob = raw.build_process(age)
    wrong = Blob(blob.data[:-1] + b"\1", blob.keys)
    data = map_object("Wall", "Model", [nested("BuildProcess", wrong.props(age))])
    assert reasons(data) == ["RawData of unknown layout: build_process"]


@ages
def test_a_byte_more_or_less_is_not_that_layout(age):
    whole = u8(1) + guid(0) + age.end
    for data in (whole[:-1], whole + b"\0", f32(1.0) + i32(3)):
        wrong = map_object("Wall", "Model", [nested("BuildProcess", Blob(data).props(age))])
        assert reasons(wrong) == ["RawData of unknown layout: build_process"]


VECTOR = Vector(1.0, -2.0, 3.0)
TURN = Quat(0.0, 0.0, 0.0, 1.0)
PROGRESS = {"required_work_amount": 100.0, "work_experience": 8, "current_work_amount": 25.0, "auto_work_self_amount_by_sec": 0.5}
PLACE = {"transform_type": 2, "map_object_instance_id": ref(30)}
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
