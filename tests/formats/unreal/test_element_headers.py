"""Objects in containers: what their headers say, and that nothing else changes."""

from __future__ import annotations

import pytest
from gvas_saves import fault_of, save
from saves import read
from tiling import assert_tiled
from writer.palworld_worlds import array, fields, nested
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, FLOAT, INT, STR, Array, Delta, Enum, Map, Prop, Set

import streamsave
from streamsave import BlobSkip, Damage, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.formats.unreal.element_headers import FITTING_SIZE, SEARCHED_SIZE
from streamsave.values import Transform

OWNER = bytes(range(16))


def thing(name: str, *more: Prop) -> list[Prop]:
    return [Prop("Name", STR, name), Prop("Kind", Enum("EKind"), f"EKind::{name}s"), Prop("At", VECTOR, (1.0, 2.0, 3.0)), *more]


THINGS = array("Things", [thing("Door"), thing("Wall", Prop("Owner", GUID, OWNER))])
ROW = "Things[*] kind=thing class_name=Kind instance_name=Name position=At outer=Owner"


def headers(data: object, *rows: str, **options: object) -> list[ObjectHeader]:
    return [event for event in read(data, objects_at=list(rows), **options) if isinstance(event, ObjectHeader)]


def test_what_a_header_says():
    door, wall = headers(save(THINGS), ROW)
    assert (door.kind, door.class_name, door.instance_name, door.level) == ("thing", "Doors", "Door", "Things")
    assert door.transform == Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
    assert (door.outer, wall.outer) == ("", "03020100-07060504-0B0A0908-0F0E0D0C")
    assert (door.header_size, door.prefix_size, door.data_offset) == (0, 0, door.offset)
    assert door.offset + door.size == wall.offset


def test_pairs_of_a_map():
    data = save(Prop("Doors", Map(STR, fields("Door")), [("a", thing("Door")), ("b", [])]))
    door, empty = headers(data, "Doors[*] class_name=value.Name")
    assert [(each.class_name, each.instance_name) for each in (door, empty)] == [("Door", "a"), ("Doors", "b")]
    with streamsave.open(data, objects_at=["Doors[*]"]) as events:
        built = [events.build() for event in events if isinstance(event, ObjectHeader)]
    assert [(each["key"], list(each["value"])) for each in built] == [("a", ["Name", "Kind", "At"]), ("b", [])]


def test_elements_of_a_set():
    data = save(Prop("Doors", Set(fields("Door")), [thing("Door"), thing("Wall")]))
    assert [each.instance_name for each in headers(data, "Doors[*] instance_name=Name")] == ["Door", "Wall"]


def test_what_a_delta_adds():
    data = save(Prop("Doors", Map(STR, fields("Door")), Delta(["a"], [("b", thing("Door"))])))
    made = read(data, objects_at=["Doors[*] instance_name=value.Name"])
    assert [event.instance_name for event in made if isinstance(event, ObjectHeader)] == ["Door"]
    assert_tiled(made, len(data))


def test_the_kind_by_a_member():
    data = save(array("Things", [thing("Door", Prop("IsOpen", BOOL, True)), thing("Wall")]))
    assert [each.kind for each in headers(data, "Things[*] kind=open?IsOpen=true:closed")] == ["open", "closed"]
    assert [each.kind for each in headers(data, "Things[*] kind=door?Kind=Doors/Gates:other")] == ["door", "other"]


def test_values_stay():
    data = save(THINGS, Prop("Doors", Map(STR, fields("Door")), [("a", thing("Door"))]))
    values = []
    for rows in ([], [ROW, "Doors[*]"]):
        with streamsave.open(data, objects_at=rows) as events:
            values.append([events.build() for event in events if isinstance(event, PropertyTag)])
    assert values[0] == values[1]


@pytest.mark.parametrize("verb", ["skip", "raw", "build"])
def test_verbs_on_an_object(verb):
    data = save(THINGS, Prop("Doors", Map(STR, fields("Door")), [("a", thing("Door")), ("b", thing("Wall"))]))
    names = []
    with streamsave.open(data, objects_at=[ROW, "Doors[*]"]) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                result = getattr(events, verb)()
                if verb == "raw":
                    assert result == data[event.data_offset : event.data_offset + event.size]
                names.append(event.instance_name)
                end = next(events)
                assert isinstance(end, ObjectEnd)
                assert (end.instance_name, end.offset + end.size) == (event.instance_name, event.data_offset + event.size)
    assert names == ["Door", "Wall", "a", "b"]


def test_objects_in_objects():
    data = save(array("Rooms", [[Prop("Name", STR, name), THINGS] for name in ("Hall", "Attic")]))
    rows = ["Rooms[*] instance_name=Name", "Rooms[*].Things[*] instance_name=Name"]
    assert [each.instance_name for each in headers(data, *rows)] == ["Hall", "Door", "Wall", "Attic", "Door", "Wall"]
    found = streamsave.objects(data, "level = Rooms.Things", objects_at=rows)
    assert [each.instance_name for each in found] == ["Door", "Wall"] * 2
    found = streamsave.objects(data, "Name = Attic", ["Name"], objects_at=rows)
    assert [(each.instance_name, each.fields) for each in found] == [("Attic", {"Name": "Attic"})]


def test_selections_find_them_wherever_they_are():
    data = save(Prop("Before", INT, 1), nested("World", [Prop("Other", INT, 2), THINGS]), Prop("After", INT, 1))
    row = ROW.replace("Things", "World.Things")
    found = list(streamsave.objects(data, "Kind ~ Wall", ["Name", "Kind"], objects_at=[row]))
    assert [(each.instance_name, each.position, each.fields) for each in found] == [
        ("Wall", (1.0, 2.0, 3.0), {"Name": "Wall", "Kind": "EKind::Walls"})
    ]
    with streamsave.open(data, objects_at=[row]) as events:
        events.only("Kind ~ Wall")
        assert [event.instance_name for event in events if isinstance(event, ObjectHeader)] == ["Wall"]


def test_a_container_is_passed_over_whole_if_no_object_of_its_kind_is_wanted():
    data = save(THINGS, array("Doors", [thing("Door")]))
    with streamsave.open(data, objects_at=[ROW, "Doors[*] instance_name=Name"]) as events:
        events.only("kind = Doors")
        made = list(events)
    assert [event.instance_name for event in made if isinstance(event, ObjectHeader)] == ["Door"]
    assert [event.name for event in made if isinstance(event, PropertyTag)][:2] == ["Things", "Doors"]
    enter = next(at for at, event in enumerate(made) if isinstance(event, StructEnter) and event.name == "Things")
    assert isinstance(made[enter + 1], StructExit)


def large(size: int) -> list[Prop]:
    return [Prop("Bulk", Array(FLOAT), [0.0] * (size // 4)), Prop("Name", STR, "Large")]


@pytest.mark.parametrize(
    ("size", "name", "is_sized"),
    [
        (SEARCHED_SIZE - 200, "Large", True),
        (SEARCHED_SIZE, "Things[0]", True),
        (FITTING_SIZE - 200, "Things[0]", True),
        (FITTING_SIZE, "Things[0]", False),
    ],
)
def test_looking_ahead_has_an_end(size, name, is_sized):
    data = save(array("Things", [large(size), thing("Door")]))
    first, door = headers(data, "Things[*] instance_name=Name")
    assert (first.instance_name, first.size >= 0) == (name, is_sized)
    assert door.instance_name == "Door"
    with streamsave.open(data, objects_at=["Things[*] instance_name=Name"]) as events:
        ends = [(events.skip(), next(events))[1] for event in events if isinstance(event, ObjectHeader)]
    assert ends[0].offset + ends[0].size == door.offset


LARGE_ROW = "Things[*] instance_name=Name"


def test_a_selection_knows_the_size_that_only_the_end_shows():
    data = save(array("Things", [thing("Door"), large(FITTING_SIZE), thing("Wall")]))

    def found(where: object) -> list[tuple[str, int]]:
        return [(each.instance_name, each.size) for each in streamsave.objects(data, where, objects_at=LARGE_ROW)]

    (_, small), (_, size), _ = every = found(None)
    assert every == [("Door", small), ("Things[1]", size), ("Wall", small)]
    assert size > FITTING_SIZE
    for where, wanted in [
        (f"size > {FITTING_SIZE}", [every[1]]),
        (f"size <= {size} and not has(Bulk)", [every[0], every[2]]),
        (f"size < {size} or instance_name = Things*", every),
        (lambda each: each.size == size, [every[1]]),
    ]:
        assert found(where) == wanted
        if not callable(where):
            with streamsave.open(data, objects_at=LARGE_ROW) as events:
                events.only(where)
                assert [each.instance_name for each in events if isinstance(each, ObjectHeader)] == [name for name, _ in wanted]


@pytest.mark.parametrize("where", ["After = 1", "size > 5"])
def test_what_cannot_seek_is_kept_for_a_selection_that_reads_it_twice(where):
    data = save(array("Things", [thing("Door")] * 2500), Prop("After", INT, 1))
    with streamsave.open(iter([data[at : at + 4096] for at in range(0, len(data), 4096)])) as events:
        events.only(where)
        assert [type(each) for each in events if isinstance(each, ObjectHeader)] == [ObjectHeader]


@pytest.mark.slow
def test_a_cut_element_is_no_object():
    data = save(THINGS)
    whole = read(data, objects_at=[ROW])
    wall = next(event for event in whole if isinstance(event, ObjectHeader) and event.instance_name == "Wall")
    for end in range(wall.offset, wall.offset + wall.size):
        made, fault = fault_of(data[:end], objects_at=[ROW])
        assert isinstance(fault, streamsave.TruncatedSave)
        assert made == whole[: len(made)]
        assert fault.path


def test_with_resync_it_comes_as_far_as_it_is_there():
    data = save(THINGS)
    made = read(data[: headers(data, ROW)[1].offset + 100], objects_at=[ROW], on_damage="resync")
    assert [event.instance_name for event in made if isinstance(event, ObjectHeader)] == ["Door"]
    assert sum(isinstance(event, Damage) for event in made) == 1


def test_an_element_with_a_fault_inside_is_not_an_object():
    """A size that is too large: the walk says what is wrong, where it gets there."""
    data = bytearray(save(THINGS))
    at = data.index(b"EnumProperty\0") + 13
    data[at : at + 4] = (1 << 20).to_bytes(4, "little")
    made, fault = fault_of(bytes(data), objects_at=[ROW])
    assert isinstance(fault, streamsave.DamagedSave)
    assert not [event for event in made if isinstance(event, ObjectHeader)]
    assert [event.name for event in made if isinstance(event, PropertyTag)] == ["Things", "Name"]


def test_binary_elements_are_none():
    data = save(Prop("Ids", Set(GUID), [OWNER]), THINGS)
    assert not [event for event in read(data, objects_at=[ROW]) if isinstance(event, BlobSkip)]
    with pytest.raises(streamsave.UnsupportedSave):
        streamsave.open(data, objects_at=["Ids[*]"])
