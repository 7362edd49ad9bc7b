"""What a document has more than its save: objects, elements, entries of maps, properties.

The file is long because each thing that can be more has its own cases in each format.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import reduce
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import document_edits
import pytest
from document_edits import in_order
from saves import VALID, file_with
from writer.gvas import SaveGame
from writer.tags import BOOL, DOUBLE, INT, NAME, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import EditError, ObjectEnd, ObjectHeader
from streamsave.rewriting.from_json import Change, make_save

SATISFACTORY = VALID / "satisfactory"
PART = Fields("Part")


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


# --- properties, elements, entries ---


@pytest.fixture
def save(tmp_path):
    """A save with a list of structs, of which some have lists; and two maps."""
    parts = [
        [Prop("Count", INT, 1), Prop("Inner", Array(PART), [])],
        [Prop("Count", INT, 2), Prop("Name", STR, "two"), Prop("Inner", Array(PART), [[Prop("On", BOOL, True)]])],
        [Prop("Count", INT, 3)],
    ]
    path = tmp_path / "parts.sav"
    props = [
        Prop("Parts", Array(PART), parts),
        Prop("None yet", Array(PART), []),
        Prop("Names", Map(NAME, PART), [(name, [Prop("Count", INT, number)]) for number, name in enumerate("abcd")]),
        Prop("Keys", Map(PART, INT), [([Prop("Count", INT, 1)], 1), ([Prop("Count", INT, 1)], 2), ([Prop("Count", INT, 3)], 3)]),
        Prop("Last", Array(INT), [1, 2]),
        Prop("Share", DOUBLE, 0.5),
    ]
    path.write_bytes(SaveGame(props).encode())
    return path


def properties(document: Any) -> Any:
    return document["objects"][0]["properties"]


def becomes(save: Path, change: Callable[[Any], object], shown: Callable[[Any], object] = lambda _: None) -> list[Change]:
    """Make a save of a changed document; it has to show the same document, which `shown` rids of what is not shown."""
    document = document_of(save)
    change(properties(document))
    changes = made(document, save)
    shown(properties(document))
    assert document_of(save.with_suffix(".new")) == document
    return changes


def verbs(changes: list[Change]) -> list[str]:
    return [change.verb for change in changes]


def test_an_entry_in_the_middle_is_dropped(save):
    """All others keep their values, as they have their keys."""
    changes = becomes(save, lambda all_: all_["Names"].pop(1))
    assert [(change.verb, change.path[-2:]) for change in changes] == [("dropped", ("Names", 1))]


def test_an_entry_is_added(save):
    changes = becomes(save, lambda all_: all_["Names"].append(["e", {"Count": 9}]))
    assert verbs(changes) == ["added", "set", "set"]
    changes = becomes(
        save,
        lambda all_: all_["Names"].append({"@like": "a", "@value": ["e", {"Count": 0}]}),
        lambda all_: all_["Names"].append(all_["Names"].pop()["@value"]),
    )
    assert verbs(changes) == ["added", "set"]


@pytest.mark.parametrize("like", [{}, {"@like": 0}])
def test_each_new_element_is_told_with_its_position(save, like):
    """All are copies after the last one, whatever they are like."""
    document = document_of(save)
    parts = properties(document)["Parts"]
    count = len(parts)
    parts += [{**parts[0], **like} for _ in range(2)]
    added = [change.path[-1] for change in made(document, save) if change.verb == "added" and change.path[-2] == "Parts"]
    assert added == [count, count + 1]


def test_an_entry_gets_another_key(save):
    changes = becomes(save, lambda all_: all_["Names"][2].__setitem__(0, "x"))
    assert [(change.verb, change.new) for change in changes] == [("set", b'"x"')]


def test_entries_of_one_key_are_taken_in_their_order(save):
    changes = becomes(save, lambda all_: all_["Keys"].pop(0))
    assert verbs(changes) == ["set", "dropped"]
    changes = becomes(save, lambda all_: all_["Keys"].append([{"Count": 1}, 7]))
    assert verbs(changes) == ["added", "set", "set"]


def test_elements_are_added_with_what_they_need(save):
    """A copy of the last element has no name: it gets that of another one, and then its own values."""
    changes = becomes(save, lambda all_: all_["Parts"].extend([{"Count": 4, "Name": "four"}, {"Count": 5}]))
    assert verbs(changes) == ["added", "added", "added", "set", "set", "set"]


def test_a_property_is_added_from_another_struct_and_a_number_may_be_a_text(save):
    becomes(save, lambda all_: all_["Parts"][0].update(Name="one") or all_.update(Share="-Infinity"))


def test_a_game_that_saves_meanwhile(save):
    """What the new save is made from is a save in between: the first one must not change all the same."""
    document = document_of(save)
    properties(document)["Parts"].append({"Count": 4})
    new = save.with_name("new.sav")
    changes = make_save(BytesIO(json.dumps(document).encode()), save, new)
    assert next(changes).verb == "added"
    other = save.with_name("other.sav")
    other.write_bytes(b"what the game has written")
    other.replace(save)
    with pytest.raises(OSError, match="has changed while it was read"):
        list(changes)
    assert not new.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda all_: all_.update(Share="half"), "another kind of value"),
        (lambda all_: all_.update(Share=[]), "of the document: Share: another kind of value"),
        (lambda all_: all_["Parts"][0].update(Count="9" * 5000), "another kind of value"),
        (lambda all_: all_.update(More=1), "nothing like it in the save has More"),
        (lambda all_: all_["Parts"][0].update(Count=1 << 40), "out of range"),
        (lambda all_: all_["Parts"].clear() or all_["Parts"].append(7), "expected {"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(save, change, message):
    document = document_of(save)
    change(properties(document))
    assert message in refused(document, save)


def test_a_property_that_nothing_has(save):
    changes = becomes(
        save,
        lambda all_: all_["Parts"][0].update(
            Other={"@type": "StrProperty", "@value": "new"},
            More={"@type": "ArrayProperty(StructProperty)", "@value": [{"Count": 5}]},
        ),
        lambda all_: all_["Parts"][0].update(Other="new", More=[{"Count": 5}]),
    )
    assert verbs(changes).count("added") == 2
    document = document_of(save)
    properties(document)["New"] = {"@type": "Int8Property", "@value": 1}
    assert "no property of the save has the type Int8Property" in refused(document, save)


def test_the_first_element_of_a_list(save):
    """Another struct of the type has some."""
    becomes(save, lambda all_: all_["Parts"][0]["Inner"].extend([{"On": True}, {"On": False}]))
    document = document_of(save)
    properties(document)["None yet"].append({"Count": 1})
    assert "None yet has no elements to copy" in refused(document, save)


def test_an_empty_map_of_numbers_and_texts_gets_entries(tmp_path):
    path = file_with(
        tmp_path / "a.sav", SaveGame([Prop("Counts", Map(STR, INT), []), Prop("Names", Map(NAME, STR), [])]).encode()
    )
    edits = {"Counts": [["a", 1], ["b", 2]], "Names": [["x", "y"]]}
    assert verbs(becomes(path, lambda properties: properties.update(edits))) == ["set", "set"]


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"Count":2', b'"Count":2,"Count":2', "Count is there twice"),
        (b'"Last":[1,2]', b'"Last":[1,2],"Last":[1,2]', "Last is there twice"),
        (b'"Last":[1,2]', b'"Last":[1,2],"New":1,"New":1', "New is there twice"),
        (b'"Last":[1,2]', b'"Last":[1,2],"New":{"@type":"IntProperty"}', "another kind of value"),
    ],
)
def test_names_that_are_there_twice(save, old, new, message):
    text = document_edits.document_of(save).replace(old, new, 1)
    with pytest.raises(EditError, match=rf"line 1, column \d+ of the document: .*{message}"):
        made(text, save)


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


def test_places_that_disagree(tmp_path):
    save = copied_sample("shapez2/checkpoints.spz2", tmp_path)
    for change, message in (
        ({"flags": 3}, "no such place"),
        ({"instance_name": "(1, 2, 3)"}, "the name of an object is its place"),
        ({"level": "maps/main/islands/7.bin"}, "level cannot be changed"),
    ):
        document = document_of(save)
        document["maps/main/islands/0.bin"]["objects"][0] |= change
        assert message in refused(document, save)


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
