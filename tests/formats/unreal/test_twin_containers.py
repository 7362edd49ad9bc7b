"""Two containers of objects with one name: one of the names is wrong, and nothing shows which."""

from __future__ import annotations

import pytest
from gvas_saves import events_of, save
from tiling import assert_tiled
from writer.palworld_worlds import array, nested
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Array, Prop

from streamsave import Damage, Event, ObjectHeader
from streamsave.formats.unreal import twin_containers

ROWS = ["World.Doors[*] name=Name", "World.Walls[*] name=Name"]


def things(kind: str, count: int = 2) -> Prop:
    return array(kind, [[Prop("Name", STR, f"{kind}{index}")] for index in range(count)])


def read_damaged(*members: Prop) -> list[Event]:
    data = save(Prop("Before", INT, 1), nested("World", list(members)), Prop("After", INT, 2))
    made = events_of(data, objects_at=ROWS, on_damage="resync")
    assert_tiled(made, len(data))
    return made


def objects(made: list[Event]) -> list[str]:
    return [event.instance_name for event in made if isinstance(event, ObjectHeader)]


def losses(made: list[Event]) -> list[str]:
    return [event.lost.name for event in made if isinstance(event, Damage)]


BULK = Prop("Bulk", Array(INT), [7] * (twin_containers.LARGE // 4))


@pytest.mark.parametrize("bulk", [[], [BULK]], ids=["near", "far"])
def test_both_are_lost(bulk):
    made = read_damaged(things("Doors"), *bulk, things("Walls"), things("Doors", 1))
    assert (objects(made), losses(made)) == (["Walls0", "Walls1"], ["Doors", "Doors"])
    made = read_damaged(things("Doors"), *bulk, things("Walls"))
    assert (objects(made), losses(made)) == (["Doors0", "Doors1", "Walls0", "Walls1"], [])


def test_only_those_of_objects():
    made = read_damaged(things("Others"), things("Doors"), things("Others"), things("Walls", 0))
    assert (objects(made), losses(made)) == (["Doors0", "Doors1"], [])


def test_tags_are_looked_at_up_to_one_that_is_damaged_and_again_after_it():
    """Of the first two only the later one is lost: when the first was given, nothing showed that there is another one."""
    size = Prop("Size", INT, 1)
    members = [things("Doors", 1), size, things("Doors", 1), things("Walls", 1), things("Walls", 1), Prop("After", INT, 2)]
    data = save(*members)
    at = data.index(fstring("IntProperty"), data.index(fstring("Size"))) + len(fstring("IntProperty"))
    broken = data[:at] + i32(0x7FFFFFF) + data[at + 4 :]
    made = events_of(broken, objects_at=["Doors[*] name=Name", "Walls[*] name=Name"], on_damage="resync")
    assert (objects(made), losses(made)) == (["Doors0"], ["Size", "Doors", "Walls", "Walls"])
