"""Blobs of Palworld, each in a world around it as small as can be: what the reader makes of one."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from tiling import assert_tiled
from writer.gvas import SaveGame
from writer.palworld import AGES, Age, Blob, guid
from writer.palworld_worlds import CLASS, array, by_enum, entries, nested, with_id
from writer.tags import NAME, Enum, Prop

import streamsave
from streamsave import BlobSkip, Event, PropertyTag, StructEnter
from streamsave.values import Guid

DIALECT = SaveGame(class_name=CLASS).dialect
#: Without versions, twice; with none that can be read, with those of 0.5, with the end of each class, with all.
OLD, LATE, FAULTY, SOUND, CHAINED, NEW = AGES.values()
ages = pytest.mark.parametrize("age", AGES.values(), ids=list(AGES))


def world_of(props: Sequence[Prop[Any]]) -> bytes:
    """A world that has only these."""
    return SaveGame([nested("worldSaveData", props)], class_name=CLASS).encode()


def map_object(name: str, part: str, props: Sequence[Prop[Any]]) -> bytes:
    """A world with one map object of that id, which has only one part."""
    return world_of([array("MapObjectSaveData", [[Prop("MapObjectId", NAME, name), nested(part, props)]])])


def element(name: str, props: Sequence[Prop[Any]]) -> bytes:
    """A world with one entry of a map."""
    return world_of([entries(name, with_id("Id"), [props])])


def typed(kind: str, value: str) -> Prop[str]:
    """A property that says what the blob after it is."""
    return Prop(kind, Enum("EPalType", "/Script/Pal"), f"EPalType::{value}")


def module(age: Age, blob: Blob, name: str) -> bytes:
    """A world with a map object that has one module."""
    return map_object("Wall", "ConcreteModel", [by_enum("EPalModuleType", {name: blob}, age)])


def opened(data: bytes) -> list[Event]:
    """The events after each tag of a blob that is not empty; all events of the world tile."""
    with streamsave.open(data) as events:
        made = list(events)
    assert_tiled(made, len(data))
    return [
        after for event, after in pairwise(made) if isinstance(event, PropertyTag) and event.name == "RawData" and event.size > 4
    ]


def read(data: bytes) -> tuple[str, dict[str, Any]]:
    """The type and the values of the only blob of a world."""
    assert [type(event) for event in opened(data)] == [StructEnter], opened(data)
    with streamsave.open(data) as events:
        enter = next(event for event in events if isinstance(event, StructEnter) and event.name == "RawData")
        return enter.type_name, events.build()


def values(data: bytes) -> dict[str, Any]:
    """The values of the only blob of a world, without the ends of classes."""
    return {name: value for name, value in read(data)[1].items() if not name.startswith("class_end")}


def reasons(data: bytes) -> list[str]:
    """Why blobs of a world are passed over."""
    return [event.reason for event in opened(data) if isinstance(event, BlobSkip)]


def ref(number: int) -> Guid:
    return Guid(guid(number))


def instance(number: int) -> dict[str, object]:
    return {"player_uid": ref(number), "instance_id": ref(number + 1)}


WOOD = {"static_id": "Wood", "created_world_id": ref(0), "local_id_in_created_world": ref(0)}
SHEEP = {"SaveParameter": {"CharacterID": "SheepBall", "Level": 7}}
