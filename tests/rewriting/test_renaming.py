"""Headers of objects with other members, and references that follow a new name."""

import json

import pytest
from document_edits import document_of, made
from edits import family_of, said
from saves import VALID, read

import streamsave
from streamsave import EditError, ObjectHeader, parse_selection
from streamsave.decode.known_bytes import COMPILED
from streamsave.output.json_document import json_lines
from streamsave.rewriting import rewrite
from streamsave.rewriting.assignments import RELINK, parse_assignment
from streamsave.rewriting.editor import Editor
from streamsave.rewriting.renaming import NewNames, renamed
from streamsave.values import ObjectReference, Transform

SATISFACTORY = VALID / "satisfactory"
#: Before and after flags in headers; a blueprint.
NAMES = ["sv25.sav", "sv28.sav", "sv46.sbp", "sv46.sav", "sv60.sav"]
NEW = {
    "instance_name": "Persistent_Level:PersistentLevel.Müseum, with a name that is much longer than the old one",
    "class_name": "/Game/B.B_C",
}


def view(path):
    """What each event says, and the size of each object."""
    with streamsave.open(path) as events:
        return [(words, event.size if isinstance(event, ObjectHeader) else 0) for event, words in said(events, family_of(events))]


def change(path, target, kind, **members):
    """Change the header of the first object of a class; return it."""
    with rewrite(path, target) as save:
        header = next(event for event in save if isinstance(event, ObjectHeader) and kind in event.class_name)
        assert save.set_header(**members)
        return header


@pytest.mark.parametrize("name", ["sv25.sav", "sv46.sbp", "sv60.sav"])
def test_a_name_cannot_become_empty(tmp_path, name):
    """A reference to "" is one to nothing: what refers to the object would lose it, and no other edit could restore it."""
    new = tmp_path / "new.sav"
    with pytest.raises(EditError, match="an object needs a name"):
        change(SATISFACTORY / name, new, "BP_Museum_C", instance_name="")
    assert not new.exists()


@pytest.mark.slow
@pytest.mark.parametrize("members", [NEW, {"instance_name": "X"}], ids=["longer", "shorter"])
@pytest.mark.parametrize("name", NAMES)
def test_only_the_header_is_another_one(tmp_path, name, members):
    """Sizes of objects do not count their headers; those around them do."""
    path, new = SATISFACTORY / name, tmp_path / "new.sav"
    header = change(path, new, "BP_Museum_C", **members)
    place = members.get("instance_name"), members.get("class_name", header.class_name)
    expected = []
    for words, size in view(path):
        if words[0] == "object" and words[3:4] == (header.instance_name,):
            words = (*words[:2], place[1], place[0], *words[4:])
        expected.append((words, size))
    assert view(new) == expected
    assert not [finding for finding in streamsave.check.check(new) if finding.kind in {"md5", "tiling"}]


def test_all_members(tmp_path):
    path, new = SATISFACTORY / "sv60.sav", tmp_path / "new.sav"
    place = Transform((0.0, 1.0, 0.0, 0.0), (1.0, -2.5, 3e6), (2.0, 1.0, 0.5))
    members = {"level": "Other", "flags": 7, "transform": place, "need_transform": False, "was_placed_in_level": True}
    old = change(path, new, "BP_Museum_C", **members)
    found = next(event for event in read(new) if isinstance(event, ObjectHeader) and event.class_name == old.class_name)
    assert {name: getattr(found, name) for name in members} == members
    assert found.instance_name == old.instance_name


NO_PLACES: list[object] = [(1, 2, 3), None]
if not COMPILED:  # a compiled one has its numbers
    NO_PLACES += [
        Transform((0, 0, 0, 1), (1, 2), (1, 1, 1)),
        Transform((0, 0, 0, 1), (1, 2, 3), None),
        Transform((0, 0, 0, 1), ("1", 2, 3), (1, 1, 1)),
    ]
#: Numbers, but no tiles.
NOWHERE = [Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, float(number)), (1.0, 1.0, 1.0)) for number in ("nan", "inf")]


@pytest.mark.parametrize(
    ("sample", "kind", "members", "message"),
    [
        ("satisfactory/sv60.sav", "actor", {"kind": "object"}, "kind cannot be changed"),
        ("satisfactory/sv60.sav", "actor", {"is_actor": False}, "is_actor cannot be changed"),
        ("satisfactory/sv60.sav", "actor", {"place": {}}, "place cannot be changed"),
        ("satisfactory/sv60.sav", "actor", {"outer": "X"}, "outer cannot be changed"),
        ("satisfactory/sv60.sav", "actor", {"flags": -1}, "out of range"),
        ("satisfactory/sv60.sav", "actor", {"class_name": 5}, "not text"),
        ("satisfactory/sv46.sav", "actor", {"flags": 1}, "flags cannot be changed"),
        ("satisfactory/sv60.sav", "object", {"transform": Transform((0,) * 4, (0,) * 3, (0,) * 3)}, "transform cannot be"),
        *[
            ("satisfactory/sv60.sav", "actor", {"transform": wrong}, "not a transform of 4, 3 and 3 numbers")
            for wrong in NO_PLACES
        ],
        *[("shapez2/checkpoints.spz2", "building", {"transform": wrong}, "no such place") for wrong in (*NO_PLACES, *NOWHERE)],
        ("satisfactory/sv60.sav", "lightweight", {"class_name": "X"}, "no header that can be changed"),
        ("gvas/palworld-1.0.sav", "pal", {"instance_name": "X"}, "no header that can be changed"),
        ("arx/v2.1.sav", "player", {"instance_name": "X"}, "no header that can be changed"),
    ],
)
def test_what_is_refused(tmp_path, sample, kind, members, message):
    with pytest.raises(EditError, match=message), rewrite(VALID / sample, tmp_path / "new.sav") as save:
        next(event for event in save if isinstance(event, ObjectHeader) and event.kind == kind)
        save.set_header(**members)
    assert list(tmp_path.iterdir()) == []


def test_the_same_members_are_no_edit(tmp_path):
    with rewrite(SATISFACTORY / "sv60.sav", tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.header_size > 0:
                assert not save.set_header(instance_name=event.instance_name, level=event.level)
        assert save.edit_count == 0


def test_references_in_values():
    names = {"a": "b"}
    old = ObjectReference("L", "a")
    value = {"x": [old, ("k", old)], "y": Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0)), "z": "a"}
    other = ObjectReference("L", "b")
    assert renamed(value, names.get) == {**value, "x": [other, ("k", other)]}
    assert renamed(ObjectReference("", "a"), names.get) == ObjectReference("", "a")  # an asset


def test_the_new_name_of_a_part_starts_with_that_of_its_owner():
    """Two objects have changed names; a part of a part follows; an object that got an old name is no part."""
    names = {"L.a": "L.b", "L.b": "L.a"}
    new = NewNames(names, parts=True)
    assert [new.of(name) for name in ("L.a", "L.a.Inventory", "L.b.Inventory.Slot", "L.ab", "L")] == [
        "L.b",
        "L.b.Inventory",
        "L.a.Inventory.Slot",
        None,
        None,
    ]
    assert [new.of_part(name) for name in ("L.a", "L.a.Inventory")] == [None, "L.b.Inventory"]
    alone = NewNames(names, parts=False)
    assert [alone.of(name) for name in ("L.a", "L.a.Inventory")] == ["L.b", None]


def owner_and_part(path):
    """The first object that has a part which is named after it."""
    headers = [event for event in read(path) if isinstance(event, ObjectHeader)]
    part = next(header for header in headers if header.outer and header.instance_name.startswith(f"{header.outer}."))
    assert any(header.instance_name == part.outer for header in headers)
    return part.outer, part.instance_name


def texts(path):
    """The objects of a save as lines."""
    with streamsave.open(path) as events:
        lines = b"".join(json_lines(events)).decode().splitlines(keepends=True)
    return "".join(line for line in lines if '"instance_name"' in line)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv46.sav", "sv60.sav"])
def test_references_follow_a_name(tmp_path, name):
    """What had the old name has the new one, and so have the parts: nothing else is another one."""
    path, new = SATISFACTORY / name, tmp_path / "new.sav"
    owner, _ = owner_and_part(path)
    editor = Editor(str(path))
    editor.choose([], parse_selection(f'instance_name = "{owner}"'))
    changes = list(editor.edit(new, [parse_assignment("@instance_name = New_1")], references=True))
    assert [change.verb for change in changes] == ["set", *[RELINK] * (len(changes) - 1)]
    old_lines, new_lines = texts(path), texts(new)
    assert old_lines.count(owner) == new_lines.count("New_1") == editor.relink_count + 1
    assert new_lines.replace("New_1", owner) == old_lines


def test_several_objects_of_one_name_are_refused(tmp_path):
    editor = Editor(str(SATISFACTORY / "sv60.sav"))
    editor.choose([], parse_selection("kind = actor"))
    with pytest.raises(EditError, match="several objects would have this name"):
        list(editor.edit(tmp_path / "new.sav", [parse_assignment("@instance_name = New")]))
    assert list(tmp_path.iterdir()) == []


def objects_of(document):
    parts = [document, *(part for part in document.values() if isinstance(part, dict))]
    return max((part["objects"] for part in parts if "objects" in part), key=len)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv25.sav", "sv46.sav", "sv60.sav"])
def test_names_in_a_document(tmp_path, name):
    """Objects one after the other that have other names, one of another class, and one that is missing."""
    path, new = SATISFACTORY / name, tmp_path / "new.sav"
    document = json.loads(document_of(path))
    objects = objects_of(document)
    old = [each["instance_name"] for each in objects[1:4]]
    for number, each in enumerate(objects[1:4]):
        each["instance_name"] = f"New_{number}"
    objects[4]["class_name"] = "/Other.Other_C"
    gone = objects.pop(5)["instance_name"]
    changes = made(document, path, new)
    verbs = {(change.verb, *change.path[-2:]) for change in changes}
    assert {("set", name, "instance_name") for name in old} | {("set", objects[4]["instance_name"], "class_name")} <= verbs
    assert [change.path[-1] for change in changes if change.verb == "dropped"] == [gone]
    found = objects_of(json.loads(document_of(new)))
    assert [(each["class_name"], each["instance_name"]) for each in found] == [
        (each["class_name"], each["instance_name"]) for each in objects
    ]


@pytest.mark.slow
def test_a_line_says_which_object_it_is(tmp_path):
    path, new = SATISFACTORY / "sv60.sav", tmp_path / "new.sav"
    line = next(each for each in map(json.loads, texts(path).splitlines()) if "BP_Museum_C" in each.get("class_name", ""))
    old = line["instance_name"]
    line |= {"@of": old, "instance_name": "New", "class_name": "/Other.Other_C", "flags": 5}
    assert sorted(change.path[-1] for change in made(line, path, new)) == ["class_name", "flags", "instance_name"]
    line["@of"] = "missing"
    with pytest.raises(EditError, match="the save has no such object: missing"):
        made(line, path, new)
