"""Astroneer: limits, wrappers, and a piece that is missing; the real save to its last byte."""

import struct
from collections import Counter
from pathlib import Path

import pytest
from memory import Traced
from saves import VALID, raises, read, read_to_error, without_chunks
from tiling import assert_tiled
from writer.astroneer import INT, NAME, Actor, Instance, Level, Prop, Save, map_of, struct_of
from writer.astroneer_samples import entities, full, pieces

import streamsave
from streamsave import (
    BlobSkip,
    Field,
    LimitExceeded,
    Limits,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    StructEnter,
    TruncatedSave,
    UnsupportedSave,
)
from streamsave.formats.astroneer.instances import InstanceReference
from streamsave.values import Vector

FOLDER = VALID / "astroneer"


def objects(source, hints: dict[str, str] | None = None) -> dict[str, dict]:
    """All objects of a save, built."""
    with streamsave.open(source, type_hints=hints) as events:
        return {event.instance_name: events.build() for event in events if isinstance(event, ObjectHeader)}


def fields(source) -> dict[str, object]:
    """All fields outside of objects, built."""
    found: dict[str, object] = {}
    with streamsave.open(source) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
            elif isinstance(event, Field):
                found["/".join(map(str, events.path[1:])) or event.name] = events.build()
    return found


def test_type_hints_name_structs_in_maps():
    points = map_of(NAME, struct_of("Vector"))
    vector = struct.pack("<3f", 1, 2, 3)
    prop = Prop("Points", points, [("a", vector), ("b", vector)])
    save = Save(Level([Instance("/Script/Game.Thing", "Thing", [prop])]))
    [unhinted] = [one["properties"] for one in objects(save.encode()).values()]
    assert unhinted["Points"].reason == "map of unknown structs"
    [hinted] = [one["properties"] for one in objects(save.encode(), {"Points.Value": "Vector"}).values()]
    assert hinted == {"Points": [("a", Vector(1.0, 2.0, 3.0)), ("b", Vector(1.0, 2.0, 3.0))]}


@pytest.mark.parametrize("level", [Level([Instance("A", "a")] * 3), Level(actors=[Actor(-1)] * 3)])
def test_objects_and_actors_whose_names_are_held_have_a_limit(level):
    data = Save(level).encode()
    assert read(data, Limits(object_entries=3))
    with raises(LimitExceeded, limit="object_entries", value=3):
        read(data, Limits(object_entries=2))


WRAPPED = {"full.savegame": "zlib", "bare.gvas": "raw", "deflated.zip": "zip", "stored.zip": "zip", "stream.zip": "zip"}


@pytest.mark.parametrize("name", WRAPPED)
def test_wrappers_have_the_same_inside(name):
    events = without_chunks(read(FOLDER / name))
    assert events[0].header.wrapper == WRAPPED[name]
    assert events[1:] == without_chunks(read(full().gvas()))[1:]
    assert_tiled(events, len(full().gvas()))


def test_a_piece_that_is_missing_ends_the_save(tmp_path):
    files = pieces(full().encode())
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "030201C80504070608090A0B0C0D0E0F").unlink()
    (tmp_path / "030201020504070608090A0B0C0D0E0F").unlink()
    seen, error = read_to_error(tmp_path / "container.1")
    assert isinstance(error, TruncatedSave)
    assert "is not in the folder" in str(error)
    assert any(isinstance(event, ObjectHeader) for event in seen)
    with pytest.raises(UnsupportedSave, match="beside it"):
        read(files["container.1"])


def test_a_save_that_ends_in_the_flag_of_a_guid_shows_no_part_of_it():
    data = Save(Level([Instance("A", "a", [Prop("Count", INT, 1)])])).gvas()
    (end,) = [event for event in read(data) if isinstance(event, ObjectEnd)]
    seen, error = read_to_error(data[: end.offset + end.size - 2])
    assert isinstance(seen[-1], PropertyTag)
    assert isinstance(error, TruncatedSave)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_save():
    """Ten times the objects: eight bytes more for each, and nothing else."""

    def peak(count: int) -> int:
        data = Save(Level([Instance("/Script/A.A", "A", custom=bytes(1000)) for _ in range(count)])).encode()
        with Traced() as memory, streamsave.open(data) as events:
            for _ in events:
                pass
        return memory.peak

    small, large = peak(2_000), peak(20_000)
    assert large - small < 18_000 * 16 + 256 * 1024


@pytest.fixture(scope="module")
def real(corpus: Path) -> Path:
    path = corpus / "astroneer" / "xbox-2020-162k.savegame"
    if not path.is_file():
        pytest.skip(f"the real save is not here: {path}")
    return path


@pytest.mark.slow
def test_real_save_ends_at_its_last_byte(real):
    events = read(real)
    assert_tiled(events, 1_376_416)
    assert Counter(type(event).__name__ for event in events)["ObjectHeader"] == 5486
    assert Counter(event.kind for event in events if isinstance(event, ObjectHeader))["actor"] == 664
    assert (
        sum(isinstance(event, StructEnter) and event.type_name == "ActorRecord" and event.index >= 0 for event in events) == 664
    )
    found = fields(real)
    assert len(found["names"]) == 2001
    assert (found["names"][0], found["first_import_index"], len(found["root_actors"])) == ("None", 3945, 585)
    names = [event.instance_name for event in events if isinstance(event, ObjectHeader)]
    assert len(set(names)) == len(names)


def test_real_save_every_object_below_the_first_import_walks(real):
    index = -1
    reasons = Counter()
    for event in read(real):
        index += isinstance(event, ObjectHeader)
        if isinstance(event, BlobSkip):
            reasons[event.reason.split(" of ")[0], index < 3945] += 1
    assert reasons == {
        ("custom data", True): 9,
        ("array", True): 1,
        ("unknown trailing data", True): 1,
    }


def key_of(reference: dict) -> tuple[int, int, str]:
    """The parts of a reference to a datum."""
    return reference["slot"], reference["id"], reference["container"].path_name


def test_real_save_entities_and_components_name_each_other(real):
    world = "AstroEntityWorld_2."
    tables = {name.removeprefix(world): value["table"] for name, value in objects(real).items() if "table" in value}
    assert len(tables) == 20
    for name, table in tables.items():
        for position, datum in enumerate(table["datums"]):
            slot = table["slots"][datum["reference"]["slot"]]
            assert key_of(datum["reference"])[1:] == (slot["id"], world + name)
            assert slot["datum"] & 0x0FFFFFFF == position
    entities = {key_of(one["reference"]): one for one in tables.pop("AstroEntityContainer_2")["datums"]}
    listed = {key_of(part): key for key, one in entities.items() for part in one["components"]}
    found = {key_of(one["reference"]): key_of(one["entity"]) for table in tables.values() for one in table["datums"]}
    assert len(entities) == 604
    assert found == listed
    assert {key_of(child): key for key, one in entities.items() for child in one["children"]} == {
        key: key_of(one["parent"]) for key, one in entities.items() if one["parent"]["container"].index >= 0
    }


def test_real_save_has_one_flag_and_one_position_for_each_item_in_a_slot(real):
    slots = [slot for one in objects(real).values() for slot in one.get("slots", ())]
    assert len(slots) == 1229
    assert all(len(slot["items"]) == len(slot["unknown_bytes"]) == len(slot["positions"]) for slot in slots)
    assert sum(len(slot["items"]) for slot in slots) == 278


def test_entities_components_and_slots():
    found = objects(entities().encode())
    level = "/Game/Maps/Staging_T2"
    rover = InstanceReference(level, "Rover_C_0", 2)
    nothing = {"slot": -1, "id": -1, "container": InstanceReference("", "", -1)}
    own = {"slot": 0, "id": -1, "container": InstanceReference(level, "Entities", 0)}
    lock = {"slot": 0, "id": -1, "container": InstanceReference(level, "Locks", 1)}
    table = {"next_id": -2, "first_free": 1, "slots": [{"datum": 0, "id": -1}, {"datum": -1, "id": -1}], "unknown": 0}
    parts = {"scene_component": nothing, "components": [lock], "parent": nothing, "children": []}
    properties = {"Name": "Base", "ViewActor": rover}
    assert found["Entities"]["table"] == {**table, "datums": [{"reference": own, "properties": properties, **parts}]}
    properties = {"Ref": nothing, "Owners": [rover]}
    assert found["Locks"]["table"] == {**table, "datums": [{"reference": lock, "properties": properties, "entity": own}]}
    item = InstanceReference(level, "Rover_C_1", 4)
    slot = {"name": "Seat", "items": [item], "unknown_bytes": [0], "positions": [2]}
    assert found["Rover_C_0.Slots"]["slots"] == [slot]


def test_entities_components_and_slots_of_another_size_are_passed_over():
    reasons = [event.reason for event in read(entities(b"\0").encode()) if isinstance(event, BlobSkip)]
    assert reasons == [
        "no properties: data of /Script/Astro.AstroEntityContainer",
        "no properties: data of /Script/Astro.LockComponentContainer",
        "custom data of /Script/Astro.SlotsComponent",
    ]


def test_real_save_names_are_found(real):
    """No reference is left a number, and none is opaque."""
    for value in objects(real).values():
        for each in value["properties"].values():
            assert "'#" not in repr(each)
    assert not any("'#" in repr(value) for value in fields(real).values())


def test_real_index(real_save):
    with pytest.raises(TruncatedSave, match="D227C70A197B4EE19EA2374E017F0E07"):
        read(real_save("astroneer/xbox-container.32"))
