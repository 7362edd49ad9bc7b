"""Layouts of Palworld's `RawData`: one that no sample has, and bytes that are none; what samples have is in the golden dumps."""

import pytest
from attrs import evolve
from palworld_blobs import CHAINED, DIALECT, FAULTY, NEW, OLD, SOUND, ages, element, map_object, reasons, ref, typed, values
from writer import palworld as raw
from writer.palworld import Age, Blob, fstring, guid, u8
from writer.palworld_objects import IDS, concrete_models
from writer.palworld_worlds import array, by_enum, entries, nested, with_id
from writer.primitives import bool32, f32, i32

from streamsave.formats.palworld.layouts import PLACES


def test_independent_guild():
    base = raw.groups(OLD)["Guild"].data
    blob = Blob(base[: base.index(fstring("Gilde \u00e9"))] + fstring("G") + guid(1) + fstring("A") + raw.i64(5) + fstring("B"))
    built = values(element("GroupSaveDataMap", [typed("GroupType", "IndependentGuild"), *blob.props(OLD)]))
    assert [
        built[name] for name in ("guild_name", "player_uid", "guild_name_of_player", "last_online_real_time", "player_name")
    ] == ["G", ref(1), "A", 5, "B"]


def test_group_of_a_type_that_is_not_known():
    props = raw.groups(OLD)["Neutral"].props(OLD)
    assert reasons(element("GroupSaveDataMap", [typed("GroupType", "New"), *props])) == [
        "RawData of unknown layout: group of New"
    ]


def test_each_place_has_a_kind_of_its_own_name():
    assert len({place.kind for place in PLACES.values()}) == 24


@pytest.mark.parametrize("age", [CHAINED, NEW])
def test_the_end_of_a_class_is_0(age):
    blob = raw.build_process(age)
    data = map_object("Wall", "Model", [nested("BuildProcess", Blob(blob.data[:-1] + b"\1", blob.keys).props(age))])
    assert reasons(data) == ["RawData of unknown layout: build_process"]


@ages
def test_a_byte_more_or_less_is_not_that_layout(age):
    whole = u8(1) + guid(0) + age.end
    for data in (whole[:-1], whole + b"\0", f32(1.0) + i32(3)):
        wrong = map_object("Wall", "Model", [nested("BuildProcess", Blob(data).props(age))])
        assert reasons(wrong) == ["RawData of unknown layout: build_process"]


@ages
@pytest.mark.parametrize("flag", [False, True])
def test_a_pillar_ends_with_a_flag(age, flag):
    """Without it, it is read, too; 0 and the end of a class are not the ends of two."""
    stairs = raw.connectors(age)[1].data
    pillar = stairs.removesuffix(age.end) + bool32(flag) + age.end
    built, with_flag = (
        values(map_object("Stone_pillar", "Model", [nested("Connector", Blob(data).props(age))])) for data in (stairs, pillar)
    )
    assert with_flag == {**built, "flag": flag}


@ages
def test_a_map_object_that_burns(age):
    blob = Blob(f32(40.0) + raw.i64(0) + age.end + age.end)
    effects = evolve(by_enum("EPalMapObjectEffectType", {"Burn": blob}, age), name="EffectMap")
    assert values(map_object("Wall", "Model", [effects])) == {"number": 40.0, "reserved": 0}


def world_of_03(blob: Blob, age: Age, place: str) -> bytes:
    """A world with only that blob: of a palbox, of a plant, or of a map object with that id."""
    if place == "Slots":
        return element("CharacterContainerSaveData", [array("Slots", [blob.props(age)])])
    if place == "Plants":
        plants = entries("InstanceDataMap", with_id("Id"), [blob.props(age)])
        return element("FoliageGridSaveDataMap", [entries("ModelMap", with_id("Id"), [[plants]])])
    return map_object(place, "ConcreteModel", blob.props(age))


@pytest.mark.parametrize(
    ("place", "blob"),
    [
        ("Slots", raw.character_slot(FAULTY)),
        ("Plants", raw.foliage_instances(FAULTY)[2]),
        *((IDS[name], concrete_models(FAULTY, DIALECT)[name]) for name in ("ItemDropOnDamag", "Signboard", "SupplyStorage")),
    ],
)
def test_sound_versions_of_03(place, blob):
    """Versions are sound from 0.3.3 on, but what 0.5 brought is not there: the size shows it."""
    assert values(world_of_03(blob, SOUND, place)) == values(world_of_03(blob, FAULTY, place))
