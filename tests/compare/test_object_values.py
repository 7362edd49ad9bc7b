"""The values of an object, by their paths."""

from __future__ import annotations

from cli_runs import small_world
from lightweight_worlds import world

import streamsave
from streamsave import ObjectHeader
from streamsave.compare.object_values import object_values, one_value, values_as_bytes
from streamsave.errors import format_path
from streamsave.events import Field


def values_of(source, name):
    with streamsave.open(source) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.instance_name.endswith(name):
                values = object_values(events, event, len(events.path))
                following = next(events)
                return {format_path(path): value for path, (value, _) in values.items()}, following
    raise AssertionError(name)


def test_an_object(tmp_path):
    values, following = values_of(small_world(tmp_path), "Chest_C_1")
    assert values["mLabel"] == "iron, mostly"
    assert (values["mStatic"], values["mStatic[1]"]) == (10, 11)
    assert values["mStacks[1]/Name"] == "gold"
    assert isinstance(following, ObjectHeader)


def test_an_object_in_another():
    values, _ = values_of(world(52), "Build_Foundation_8x1_01_C_2")
    assert values["swatch"].path_name == "/Game/Swatch_2"


def test_one_value(tmp_path):
    with streamsave.open(small_world(tmp_path)) as events:
        event = next(event for event in events if isinstance(event, Field))
        path = events.path
        assert [*one_value(events, event)] == [path]


def test_bytes_of_values():
    assert values_as_bytes({("a",): (1, "")}) == values_as_bytes({("a",): (1, "IntProperty")})
    assert len({values_as_bytes(each) for each in ({("a",): (1, "")}, {("a",): (1.0, "")}, {("b",): (1, "")}, {})}) == 4
