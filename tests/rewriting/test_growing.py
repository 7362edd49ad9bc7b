"""What a document has more than its save: objects; `cli/printed/from-json-more.txt` has elements, entries, properties.

The file is long because each thing that can be more has its own cases in each format.
"""

import copy
import json
from functools import reduce
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import document_edits
import pytest
from document_edits import in_order
from saves import VALID, file_with

import streamsave
from streamsave import EditError, ObjectEnd, ObjectHeader
from streamsave.rewriting.from_json import Change, make_save

SATISFACTORY = VALID / "satisfactory"


def document_of(save: Path) -> Any:
    return json.loads(document_edits.document_of(save))


def made(document: Any, save: Path) -> list[Change]:
    return document_edits.made(document, save, save.with_suffix(".new"))


def refused(document: Any, save: Path) -> str:
    save.with_suffix(".new").unlink(missing_ok=True)
    with pytest.raises(EditError, match=r"line 1, column \d+ of the document: ") as caught:
        made(document, save)
    assert not save.with_suffix(".new").exists()
    return str(caught.value)


def verbs(changes: list[Change]) -> list[str]:
    return [change.verb for change in changes]


def test_a_game_that_saves_meanwhile(tmp_path):
    """What the new save is made from is a save in between: the first one must not change all the same."""
    save = copied_sample("gvas/ue5-1018.sav", tmp_path)
    document = document_of(save)
    document["objects"][0]["properties"]["Scores"] += [["new", 5]]
    new = save.with_name("new.sav")
    changes = make_save(BytesIO(json.dumps(document).encode()), save, new)
    assert next(changes).verb == "set"
    other = save.with_name("other.sav")
    other.write_bytes(b"what the game has written")
    other.replace(save)
    with pytest.raises(OSError, match="has changed while it was read"):
        list(changes)
    assert not new.exists()


def test_a_number_of_thousands_of_digits(tmp_path):
    save = copied_sample("gvas/ue5-1018.sav", tmp_path)
    document = document_of(save)
    document["objects"][0]["properties"]["Scores"][0][1] = "9" * 5000
    assert "another kind of value" in refused(document, save)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("satisfactory/sv58.sav", ("Persistent_Level", "objects", 0, "properties", "mObjects")),
        ("astroneer/full.savegame", ("/Game/Maps/Staging_T2", "objects", 1, "properties", "Parts")),
        ("astroneer/full.savegame", ("/Game/Maps/Staging_T2", "actor_records", 0, "children")),
        ("astroneer/full.savegame", ("player_controllers",)),
    ],
)
def test_an_empty_list_of_references_gets_some(tmp_path, name, path):
    document = document_of(VALID / name)
    document_edits.at(document, path).clear()
    empty = tmp_path / "empty.sav"
    document_edits.made(document, VALID / name, empty)
    (change,) = [change for change in made(document_of(VALID / name), empty) if change.verb != "ignored"]
    assert (change.verb, change.old) == ("set", b"[]")
    again = document_of(empty.with_suffix(".new"))
    assert in_order(again) == in_order(document_of(VALID / name))


# --- objects ---


def level_of(document: Any) -> Any:
    return max(
        (each for each in document.values() if isinstance(each, dict) and "objects" in each),
        key=lambda each: len(each["objects"]),
    )


@pytest.fixture(params=["sv25.sav", "sv46.sav", "sv60.sav", "sv58.sbp"])
def world(request, tmp_path):
    return file_with(tmp_path / request.param, (SATISFACTORY / request.param).read_bytes())


def objects_of(document: Any) -> Any:
    return (document if "objects" in document else level_of(document))["objects"]


def test_new_objects_after_each_one(world):
    """A copy of each object, with its own name; an actor at another place, another object with another outer object."""
    document = document_of(world)
    objects = objects_of(document)
    for at in range(len(objects), 0, -1):
        new = copy.deepcopy(objects[at - 1])
        new["instance_name"] += f"_copy{at}"
        if new["transform"]:
            new["transform"]["translation"] = [1.5, 2.5, 3.5]
        else:
            new["outer"] = "Some.Other"
        objects.insert(at, new)
    changes = made(document, world)
    assert [change.path[-1] for change in changes] == [each["instance_name"] for each in objects[1::2]]
    assert {change.verb for change in changes} == {"added"}
    assert objects_of(document_of(world.with_suffix(".new"))) == objects


def test_a_new_object_like_another(world):
    document = document_of(world)
    objects = objects_of(document)
    new = copy.deepcopy(objects[2])
    new |= {"instance_name": "New", "@like": objects[2]["instance_name"]}
    objects.append(new)
    (change,) = made(document, world)
    assert change.verb == "added"
    assert change.path[-1] == "New"
    found = objects_of(document_of(world.with_suffix(".new")))
    objects.pop().pop("@like")
    assert found == [*objects[:3], new, *objects[3:]]
    new["@like"] = "Nobody"
    objects.append(new)
    assert 'nothing is here that "Nobody" names' in refused(document, world)


def test_an_object_gets_another_name(world):
    document = document_of(world)
    objects_of(document)[3]["instance_name"] = "Renamed"
    (change,) = made(document, world)
    assert (change.verb, change.path[-1], change.new) == ("set", "instance_name", b'"Renamed"')
    assert objects_of(document_of(world.with_suffix(".new"))) == objects_of(document)


def test_objects_that_cannot_be_made(world):
    document = document_of(world)
    objects = objects_of(document)
    objects.append(objects[0] | {"class_name": "/No.Class", "instance_name": "New"})
    assert "no object of the class /No.Class is here to copy" in refused(document, world)
    objects[-1] = objects[0]
    level = "Blueprint" if world.suffix == ".sbp" else "Persistent_Level"
    assert f": {level}: another object has this name: {objects[0]['instance_name']}" in refused(document, world)
    objects[-1] = objects[0] | {"instance_name": "New"}
    objects.append(objects[-1])
    assert "another object has this name" in refused(document, world)
    del objects[-2:]
    objects[2]["instance_name"] = objects[1]["instance_name"]
    assert "another object has this name" in refused(document, world)


# --- objects of other families ---


def copied_sample(name: str, folder: Path) -> Path:
    return file_with(folder / "save", (VALID / name).read_bytes())


def named(objects: Any, name: str) -> Any:
    return next(each for each in objects if each["instance_name"] == name)


@pytest.mark.parametrize("name", ["arx/v2.1.sav", "arx/v2.0.sav", "arx/v1.1.sav"])
def test_new_entries_of_arx(name, tmp_path):
    """With one that is dropped before it: where the next ones are follows from it in old versions, which do not say its size."""
    save = copied_sample(name, tmp_path)
    document = document_of(save)
    objects = document["objects"]
    new = copy.deepcopy(named(objects, "bread_0001")) | {"instance_name": "bread_0077"}
    new["io"]["version"] = 2.5
    objects.append(new)
    objects.remove(named(objects, "goblin_base_0007"))
    changes = made(document, save)
    assert [(change.verb, change.path[0]) for change in changes] == [
        ("added", "bread_0077"),
        ("dropped", "goblin_base_0007"),
        ("set", "bread_0077"),
    ]
    found = document_of(save.with_suffix(".new"))["objects"]
    assert sorted(found, key=str) == sorted(objects, key=str)
    new["class_name"] = "wine"
    assert "no object of the class wine is here to copy" in refused(document, save)


def test_an_entry_of_arx_gets_another_name(tmp_path):
    save = copied_sample("arx/v2.1.sav", tmp_path)
    document = document_of(save)
    named(document["objects"], "bread_0001")["instance_name"] = "bread_0002"
    assert verbs(made(document, save)) == ["added", "dropped"]
    assert document_of(save.with_suffix(".new"))["objects"] == document["objects"]
    line = named(document["objects"], "bread_0002") | {"@of": "bread_0001"}
    assert "it cannot be renamed: leave it out" in refused(line, save)


def placed(thing: Any, x: int, island: str = "") -> Any:
    """An object of shapez 2 at another place."""
    _, y, z = thing["transform"]["translation"]
    thing["transform"]["translation"][0] = float(x)
    thing["instance_name"] = f"{island}({x}, {int(y)}, {int(z)})"
    return thing


@pytest.mark.parametrize("name", ["checkpoints.spz2", "no-checkpoints.spz2"])
def test_new_islands_and_buildings(name, tmp_path):
    """An island with all its buildings, one more building on another, and one that is turned and moved."""
    save = copied_sample(f"shapez2/{name}", tmp_path)
    document = document_of(save)
    islands = document["maps/main/islands/0.bin"]["objects"]
    buildings = islands[0]["data"]["buildings"]["objects"]
    count, outer = len(islands), buildings[0]["outer"]
    buildings.insert(1, placed(copy.deepcopy(buildings[0]), -33, f"{outer}:"))
    moved = placed(buildings[-1], 99, f"{outer}:")
    moved |= {"flags": 2}
    moved["transform"]["rotation"] = [0.0, 0.0, 1.0, 0.0]
    island = placed(document_of(save)["maps/main/islands/0.bin"]["objects"][0], 1234)
    for each in island["data"]["buildings"]["objects"]:
        each["outer"] = island["instance_name"]
        each["instance_name"] = each["instance_name"].replace(outer, island["instance_name"])
    islands.insert(1, island)
    for each in islands[:2]:
        each["data"]["buildings"]["building_count"] = 144 - (each is island)
    states = document["maps/main/buildings/0.bin"]["objects"]
    states.append(placed(copy.deepcopy(states[-1]), 77, "island state:"))
    made(document, save)
    found = document_of(save.with_suffix(".new"))
    assert found["maps/main/islands/0.bin"]["objects"] == islands
    assert found["maps/main/buildings/0.bin"]["objects"] == states
    assert found["maps/main/islands/0.bin"]["island_count"] == count + 1


def entries_of(document: Any) -> Any:
    entries = document["blueprint"]["BP"]["Entries"]
    return entries["$values"] if isinstance(entries, dict) else entries


@pytest.mark.parametrize("name", ["islands-1.spz2bp", "islands-5.spz2bp", "buildings.spz2bp"])
def test_new_entries_of_a_blueprint(name, tmp_path):
    """Copies of the first and of the last one, and one that gets a number that it left out."""
    save = copied_sample(f"shapez2/{name}", tmp_path)
    document = document_of(save)
    entries = entries_of(document)
    for at in (len(entries), 1):
        entries.insert(at, copy.deepcopy(entries[at - 1]) | {"X": 500 + at})
    for short in [each for each in entries if "R" not in each][:1]:  # numbers that are 0 may be left out
        short["R"] = 1
    made(document, save)
    assert in_order(entries_of(document_of(save.with_suffix(".new")))) == in_order(entries)
    broken = document_of(save)
    entries_of(broken)[0]["L"] = "1"
    assert "not an integer" in refused(broken, save)
    document["blueprint"]["V"] = 1
    assert "says how other bytes are read" in refused(document, save)


def test_new_parts_of_json(tmp_path):
    save = copied_sample("shapez2/checkpoints.spz2", tmp_path)
    document = document_of(save)
    research = document["research.json"]["value"]
    research["ResearchProgress"]["UnlockedUpgradeIds"] += ["One", "Two"]
    research["Shapes"]["StoredShapes"] |= {"CuCuCuRu": 5, "parts": [{"a": None}]}
    changes = made(document, save)
    assert document_of(save.with_suffix(".new"))["research.json"] == document["research.json"]
    assert [change.path[-2:] for change in changes if change.verb == "added"] == [
        ("StoredShapes", "CuCuCuRu"),
        ("StoredShapes", "parts"),
        ("UnlockedUpgradeIds", 2),
        ("UnlockedUpgradeIds", 3),
    ]
    document["savegame.json"]["value"]["New"] = 1
    assert "has New, so it cannot be made" in refused(document, save)


@pytest.mark.parametrize(
    ("name", "reason"), [("objects", "to objects by number"), ("actor_records", "to actor records by number")]
)
def test_what_cannot_be_added_to_a_save_of_astroneer(name, reason, tmp_path):
    save = copied_sample("astroneer/full.savegame", tmp_path)
    document = document_of(save)
    elements = level_of(document)[name]
    elements.append(elements[-1] | ({"instance_name": "New_1"} if name == "objects" else {}))
    message = refused(document, save)
    assert reason in message
    assert "none can be left out or added" in message


@pytest.mark.parametrize("name", ["datums", "slots"])
def test_no_entity_can_be_added_to_a_save_of_astroneer(name, tmp_path):
    save = copied_sample("astroneer/entities.savegame", tmp_path)
    document = document_of(save)
    elements = level_of(document)["objects"][0]["table"][name]
    elements.append(elements[0])
    assert "to entities and components by slot" in refused(document, save)


def test_the_number_of_an_object_follows_from_its_name(tmp_path):
    """References of Astroneer show both, alone and in lists; the name decides."""
    save = copied_sample("astroneer/full.savegame", tmp_path)
    document = document_of(save)
    level = level_of(document)
    level["actor_records"][0]["object"]["index"] = level["root_actors"][0]["index"] = 77
    assert verbs(made(document, save)) == ["ignored", "ignored"]
    assert save.with_suffix(".new").read_bytes() == save.read_bytes()
    level["root_actors"][0]["path_name"] = level["root_actors"][1]["path_name"]
    assert verbs(made(document, save)) == ["ignored", "set"]
    found = level_of(document_of(save.with_suffix(".new")))["root_actors"]
    assert found[0] == found[1]


#: An entry of a blueprint, an object of Palworld, an entry of Arx, a building: where each is in the document.
FOLLOWING = {
    "shapez2/buildings.spz2bp": ("blueprint", "BP", "Entries", -1),
    "gvas/palworld-1.0.sav": ("/Script/Pal.PalWorldSaveGame", "worldSaveData", "MapObjectSaveData", -1),
    "arx/v2.1.sav": ("objects", -1),
    "shapez2/checkpoints.spz2": ("maps/main/islands/1.bin", "objects", -1, "data", "buildings", "objects", -1),
}


@pytest.mark.parametrize(
    ("name", "member"),
    [
        *product(["shapez2/buildings.spz2bp", "gvas/palworld-1.0.sav"], ["class_name", "instance_name", "outer"]),
        ("arx/v2.1.sav", "class_name"),
        ("shapez2/checkpoints.spz2", "outer"),
    ],
)
def test_a_name_that_follows_from_something_else_is_ignored(tmp_path, name, member):
    save = copied_sample(name, tmp_path)
    document = document_of(save)
    found = reduce(lambda value, step: value[step], FOLLOWING[name], document)
    old = {each: found[each] for each in ("class_name", "instance_name", "outer")}
    found[member] = "Other"
    (change,) = made(document, save)
    assert (change.verb, change.path[-1]) == ("ignored", old["instance_name"])
    assert [json.loads(text) for text in (change.old, change.new)] == [old, {**old, member: "Other"}]
    assert list(make_save(BytesIO(json.dumps(document).encode()), save, None)) == [change]


def test_a_class_that_is_edited_with_what_it_follows_from_is_set(tmp_path):
    save = copied_sample("shapez2/buildings.spz2bp", tmp_path)
    document = document_of(save)
    entry = entries_of(document)[0]
    entry["class_name"] = entry["T"] = "Other"
    assert verbs(made(document, save)) == ["set"]


def test_copies_of_another_object(tmp_path):
    """It comes after any object of its level."""
    source, new = SATISFACTORY / "sv46.sav", tmp_path / "new.sav"
    names = [each.instance_name for each in streamsave.objects(source) if each.level == "Persistent_Level"]
    copied = None
    with streamsave.rewrite(source, new) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.instance_name in names:
                save.skip()
            elif isinstance(event, ObjectEnd) and event.instance_name == names[1]:
                copied = save.copied()
            elif isinstance(event, ObjectEnd) and event.instance_name == names[-1] and copied is not None:
                save.insert_copy(2, of=copied)
                save.insert_copy(header={"instance_name": "Another"})
    found = [each.instance_name for each in streamsave.objects(new) if each.level == "Persistent_Level"]
    assert found == [*names, names[1], names[1], "Another"]
