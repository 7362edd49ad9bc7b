"""What a reader says of containers."""

from __future__ import annotations

import pytest
from gvas_saves import save
from saves import VALID
from writer.palworld_worlds import array, nested
from writer.tags import INT, Prop

import streamsave
from streamsave import StaleEvent
from streamsave.decode.reader import Container
from streamsave.errors import UnsupportedOption

THINGS = array("Things", [[Prop("Count", INT, 1)], [Prop("Count", INT, 2)]])


def test_a_container_starts_empty():
    container = Container("World.Things[*]")
    assert (container.path, container.count, container.elements, container.size) == ("World.Things[*]", 0, 0, 0)


def test_the_stream_gives_them_once():
    with streamsave.open(save(nested("World", [THINGS]))) as events:
        assert [container.path for container in events.containers()] == ["World.Things[*]"]
        with pytest.raises(StaleEvent):
            events.containers()
        assert list(events) == []


def test_only_at_the_start():
    with streamsave.open(save(THINGS)) as events:
        next(events)
        with pytest.raises(StaleEvent, match="not at its start"):
            events.containers()


def test_other_formats_have_none():
    with (
        streamsave.open(VALID / "satisfactory" / "sv58.sav") as events,
        pytest.raises(UnsupportedOption, match="takes no objects_at"),
    ):
        events.containers()
