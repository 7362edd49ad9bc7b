"""Objects in containers: what their headers say, and that nothing else changes."""

import pytest
from gvas_saves import fault_of, save
from saves import read
from writer.palworld_worlds import array, fields
from writer.structs import GUID, VECTOR
from writer.tags import FLOAT, INT, STR, Array, Enum, Map, Prop

import streamsave
from streamsave import Damage, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
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
