"""Rows of a profile: text -> the path of a container, and the members that headers need."""

import io

import pytest
from feeding import OnlyRead
from gvas_saves import save
from writer.palworld_worlds import array, entries, fields, nested, with_id
from writer.tags import INT, STR, Array, Map, Native, Prop

import streamsave
from streamsave import ObjectHeader, SelectError, UnsupportedSave
from streamsave.decode.paths import EACH, parse_path
from streamsave.formats.unreal.object_rows import MemberNode, ObjectProfile, ObjectRow, container_path, designed_name, path_names

GUID = "84FAE6234D772064CD9B659BA5046B1C"


def test_path():
    row = ObjectRow(".World.Cells[*].value.Plants[*]")
    assert row.names == ("World", "Cells", "value", "Plants")
    assert row.level == "World.Cells.value.Plants"
    assert (row.kind, row.other_kind, row.has_kind) == ("Plants", "", False)


def test_members():
    row = ObjectRow("Things[*] kind=thing class_name=Base.Class instance_name=Nick/key.Id outer=Base.Owner position=Base.At")
    assert (row.kind, row.has_kind) == ("thing", True)
    values = row.values()
    for name, value in ({"Base": {"Class": "C", "Owner": "O", "At": "A"}, "Nick": "N", "key": {"Id": "I"}}).items():
        node = row.root.child(name)
        node.take(value, values)
    found = [values[slots[0]] for slots in (row.slots["class_name"], row.slots["outer"], row.slots["position"])]
    assert found == ["C", "O", "A"]
    assert [values[slot] for slot in row.slots["instance_name"]] == ["N", "I"]


def test_what_an_element_has_and_lacks_is_asked_of_damaged_saves_only():
    row = ObjectRow("Things[*] class_name=Base.Class has=Base.Class/Level lacks=Base.Other")
    assert row.marks == 0b11
    base = row.proof.children["Base"]
    assert (base.children["Class"].mark, row.proof.children["Level"].mark) == (0b01, 0b10)
    assert [base.children[name].is_foreign for name in ("Class", "Other")] == [False, True]
    assert list(row.root.children) == ["Base", "key"]
    assert list(row.root.children["Base"].children) == ["Class"]


@pytest.mark.parametrize("count", [16, 17])
def test_an_element_has_at_most_sixteen_such_members(count):
    text = f"Things[*] has={'/'.join(map(chr, range(65, 65 + count)))}"
    if count > 16:
        with pytest.raises(SelectError, match="at most 16 members"):
            ObjectRow(text)
    else:
        assert ObjectRow(text).marks == 0xFFFF


def test_quoted_names():
    row = ObjectRow('World."odd name"[*] class_name="My class"')
    assert (row.names, row.kind) == (("World", "odd name"), "odd name")
    assert list(row.root.children) == ["My class", "key"]


@pytest.mark.parametrize(
    ("name", "designed"),
    [
        (f"Class_77_{GUID}", "Class"),
        (f"Door_State_7_{GUID}", "Door_State"),
        (f"Class_{GUID}", f"Class_{GUID}"),
        (f"Class_x_{GUID}", f"Class_x_{GUID}"),
        (f"Class_77_{GUID[1:]}", f"Class_77_{GUID[1:]}"),
        ("Class", "Class"),
    ],
)
def test_names_of_the_editor(name, designed):
    assert designed_name(name) == designed
    node = MemberNode()
    node.add((designed,), 0)
    assert node.child(name) is node.children[designed]


def test_a_profile_finds_rows_and_what_leads_to_them():
    profile = ObjectProfile(["World.Cells[*].value.Plants[*]", "World.Cells[*]", "Things[*]"])
    row = profile.find(("World", "Cells", 3, "value", "Plants"))
    assert row.level == "World.Cells.value.Plants"
    assert profile.find(("World", "Plants")) is None
    assert profile.leads(())
    assert profile.leads(("World", "Cells", 1, "value"))
    assert not profile.leads(("World", "Cells", 1, "key"))
    assert not profile.leads(("Things", 0, "Parts"))
    assert profile.holders == {"World.Cells"}
    assert profile.last_names == {"Plants", "Cells", "Things"}


ONE = [Prop("Count", INT, 1)]
WORLD = save(
    nested(
        "World",
        [
            entries("Cells", with_id("Id"), [[array("Plants", [ONE, ONE])], [array("Plants", [])]]),
            Prop("Numbers", Array(INT), [1, 2]),
            Prop("Names", Map(STR, INT), [("a", 1)]),
        ],
    ),
    array("Odd name", [ONE]),
    array("Things", [ONE]),
)


@pytest.mark.parametrize("steps", [("A",), ("World", "Cells", 4, "value", "Plants"), ('a "b" \\c', 1, "d e")])
def test_paths_can_be_parsed(steps):
    assert tuple(step for step in parse_path(container_path(steps)).steps if step is not EACH) == path_names(steps)


def test_containers_whose_structs_a_hint_names():
    """Without it, what is in the map is unknown."""
    vector = Native("IntVector", encode=lambda value, _: bytes(value))
    data = save(Prop("Map", Map(vector, fields("Item")), [(bytes(12), [ONE[0]])]))
    hints = {"Map.Key": "IntVector"}
    with streamsave.open(data, type_hints=hints) as events:
        assert [each.path for each in events.containers()] == ["Map[*]"]
    with streamsave.open(data, type_hints=hints, objects_at=["Map[*]"]) as events:
        assert [event.kind for event in events if isinstance(event, ObjectHeader)] == ["Map"]
    with streamsave.open(data) as events:
        assert events.containers() == []


@pytest.mark.parametrize("feed", [bytes, io.BytesIO, OnlyRead], ids=["bytes", "file", "pipe"])
def test_a_path_that_is_not_there_is_an_error_with_those_that_are(feed):
    with pytest.raises(UnsupportedSave) as caught:
        streamsave.open(feed(WORLD), objects_at=["World.Cells[*]", "Nothing[*]"])
    assert "no container is at Nothing[*]" in str(caught.value)
    assert "World.Cells[*].value.Plants[*], " in str(caught.value)


@pytest.mark.parametrize(("count", "more"), [(30, ""), (31, " and 1 more"), (4096, " and 4066 more"), (4097, " and 4066 more")])
def test_so_many_paths_are_named_and_so_many_are_counted(count, more):
    with pytest.raises(UnsupportedSave) as caught:
        streamsave.open(save(*[array(f"A{at}", []) for at in range(count)]), objects_at=["Nothing[*]"])
    assert caught.value.expected == f"one of {', '.join(f'A{at}[*]' for at in range(30))}{more}"


@pytest.mark.parametrize("feed", [bytes, io.BytesIO, OnlyRead], ids=["bytes", "file", "pipe"])
def test_the_save_is_read_from_its_start_after_that(feed):
    with streamsave.open(feed(WORLD), objects_at=["Things[*]", '"Odd name"[*]']) as events:
        assert [event.kind for event in events if isinstance(event, ObjectHeader)] == ["Odd name", "Things"]


def test_where_the_save_is_damaged_the_reader_says_so():
    """A cut before the container is a fault of the save, not of the path."""
    with streamsave.open(WORLD[:900], objects_at=["Things[*]"]) as events, pytest.raises(streamsave.TruncatedSave):
        list(events)
