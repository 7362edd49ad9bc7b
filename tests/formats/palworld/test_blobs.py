"""Which layout a `RawData` of Palworld has: by its place, by what was noted before it, by its versions."""

import pytest
import structlog
from attrs import evolve
from palworld_blobs import CHAINED, NEW, OLD, SOUND, map_object, opened, read, typed, values, world_of
from writer import palworld as raw
from writer.palworld import Age, Blob
from writer.palworld_worlds import array, entries, nested, with_id
from writer.primitives import counted, i32
from writer.tags import BYTE, NAME, Array, Prop

import streamsave
from streamsave import StructEnter
from streamsave.formats.palworld.blobs import place_of


@pytest.mark.parametrize(
    ("names", "place"),
    [
        ([], ""),
        (["", "Data"], "Data"),
        (["", "Data", "Map", "value"], "Data.Map"),
        (["", "Data", "Slots", "Slots"], "Data.Slots"),
        (["", "Data", "Map", "added", "value"], "Data.Map"),
        (["", "World", "Data", "Data", "Model", "Paint"], "Model.Paint"),
        (["A", "B", "value", "C", "C"], "B.C"),
    ],
)
def test_place(names, place):
    assert place_of(names) == place


def test_what_was_noted_is_that_of_the_object_around():
    """The id of the last map object does not count for the next one, which has none."""
    torch = Prop("MapObjectId", NAME, "Torch")
    parts = nested("ConcreteModel", Blob(raw.guid(31) + raw.guid(30) + raw.i64(5)).props(OLD))
    made = opened(world_of([array("MapObjectSaveData", [[torch, parts], [parts]])]))
    assert [type(event).__name__ for event in made] == ["StructEnter", "BlobSkip"]


def test_empty_versions_are_those_of_an_older_game_or_of_none():
    for data, has_ticks in ((raw.map_model(OLD).data, False), (raw.map_model(SOUND).data, True)):
        props = [Prop("RawData", Array(BYTE), data), Prop("CustomVersionData", Array(BYTE), b"")]
        assert ("ticks" in values(map_object("Wall", "Model", props))) == has_ticks


def newer(age: Age, key: str) -> Age:
    return evolve(age, numbers={**age.numbers, key: age.numbers[key] + 1})


@pytest.fixture
def logs():
    with structlog.testing.capture_logs() as found:
        yield found


def test_newer_versions_are_read_like_the_newest_with_one_warning(logs):
    age = newer(newer(NEW, "e447387f"), "380b00de")
    props = raw.groups(age)["Guild"].props(age)
    groups = entries("GroupSaveDataMap", with_id("Id"), [[typed("GroupType", "Guild"), *props]] * 3)
    assert [event.type_name for event in opened(world_of([groups])) if isinstance(event, StructEnter)] == ["PalGuild"] * 3
    warned = [log["event"] for log in logs if log["log_level"] == "warning"]
    assert warned == ["RawData is newer than known, read like the newest"]


@pytest.mark.parametrize(("count", "known"), [(1, 0), (2, 0), (100, 50)])
def test_versions_that_are_not_known_change_nothing(count, known):
    """A hundred are not kept, as they have more bytes than any of the game's."""
    blob = raw.build_process(CHAINED)
    versions = counted(range(count), lambda at: (raw.KEYS["380b00de"] if at == known else bytes((at,)) * 16) + i32(1))
    props = [Prop("RawData", Array(BYTE), blob.data), Prop("CustomVersionData", Array(BYTE), versions)]
    assert read(map_object("Wall", "Model", [nested("BuildProcess", props)]))[0] == "PalBuildProcess"


@pytest.mark.slow
def test_many_names_do_not_pile_up():
    """Names in the save are part of what layouts are kept by."""
    objects = [
        [Prop("MapObjectId", NAME, f"Wall_{at}"), nested("ConcreteModel", Blob(raw.guid(1) + raw.guid(2)).props(OLD))]
        for at in range(5000)
    ]
    made = opened(world_of([array("MapObjectSaveData", objects)]))
    assert len(made) == 5000
    assert all(isinstance(event, StructEnter) for event in made)


@pytest.mark.parametrize(("where", "found"), [("state = 1", 1), ("state = 2", 0), ("nothing = 1", 0)])
def test_selections_see_what_is_inside(where, found):
    data = map_object("Wall", "Model", [nested("BuildProcess", raw.build_process(NEW).props(NEW))])
    path = f"Model.BuildProcess.RawData.{where}"
    assert len(list(streamsave.objects(data, where=path))) == found
    path = f"worldSaveData.MapObjectSaveData[0].{path}"
    assert len(list(streamsave.objects(data, where=path, objects_at=[]))) == found
