"""The containers of a save, and the paths that the user names."""

from __future__ import annotations

import io

import pytest
from feeding import OnlyRead
from gvas_saves import save
from writer.palworld_worlds import array, entries, nested, with_id
from writer.tags import INT, STR, Array, Map, Prop

import streamsave
from streamsave import ObjectHeader, SelectError, UnsupportedSave
from streamsave.decode.paths import EACH, parse_path
from streamsave.formats.unreal.containers import container_path, find_containers
from streamsave.formats.unreal.object_rows import path_names

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


def test_each_path_once_with_sums():
    with streamsave.open(WORLD) as events:
        found = events.containers()
    assert [(each.path, each.count, each.elements) for each in found] == [
        ("World.Cells[*]", 1, 2),
        ("World.Cells[*].value.Plants[*]", 2, 2),
        ('"Odd name"[*]', 1, 1),
        ("Things[*]", 1, 1),
    ]
    assert found[0].size > found[1].size > found[3].size > 0


@pytest.mark.parametrize("steps", [("A",), ("World", "Cells", 4, "value", "Plants"), ('a "b" \\c', 1, "d e")])
def test_paths_can_be_parsed(steps):
    parsed = parse_path(container_path(steps))
    assert tuple(step for step in parsed.steps if step is not EACH) == path_names(steps)


def test_reading_stops_at_the_last_one_that_is_looked_for():
    with streamsave.open(WORLD) as events:
        found = find_containers(events._reader, [("World", "Cells")])
    assert list(found) == [("World", "Cells")]


@pytest.mark.parametrize("feed", [bytes, io.BytesIO, OnlyRead], ids=["bytes", "file", "pipe"])
def test_a_path_that_is_not_there_is_an_error_with_those_that_are(feed):
    with pytest.raises(UnsupportedSave) as caught:
        streamsave.open(feed(WORLD), objects_at=["World.Cells[*]", "Nothing[*]"])
    assert "no container is at Nothing[*]" in str(caught.value)
    assert "World.Cells[*].value.Plants[*], " in str(caught.value)


def test_a_leaf_is_no_container():
    with pytest.raises(UnsupportedSave):
        streamsave.open(WORLD, objects_at=["World.Numbers[*]"])


def test_a_path_with_a_fault_is_refused():
    with pytest.raises(SelectError):
        streamsave.open(WORLD, objects_at=["World.Cells"])


@pytest.mark.parametrize("feed", [bytes, io.BytesIO, OnlyRead], ids=["bytes", "file", "pipe"])
def test_the_save_is_read_from_its_start_after_that(feed):
    with streamsave.open(feed(WORLD), objects_at=["Things[*]", '"Odd name"[*]']) as events:
        assert [event.kind for event in events if isinstance(event, ObjectHeader)] == ["Odd name", "Things"]


def test_where_the_save_is_damaged_the_reader_says_so():
    """A cut before the container is a fault of the save, not of the path."""
    with streamsave.open(WORLD[:900], objects_at=["Things[*]"]) as events, pytest.raises(streamsave.TruncatedSave):
        list(events)
