"""Records of damaged saves: what does not lead to the end of the save is not given."""

from __future__ import annotations

import zlib

import pytest
from saves import VALID

import streamsave
from streamsave import Damage, Event, ObjectHeader, StructEnter

FILE = (VALID / "astroneer" / "full.savegame").read_bytes()
HEAD, BODY = FILE[:16], zlib.decompress(FILE[16:])


def survived(body: bytes) -> list[Event]:
    with streamsave.open(HEAD + zlib.compress(body), on_damage="resync") as events:
        return list(events)


SOUND = survived(BODY)
OBJECTS = [event for event in SOUND if isinstance(event, ObjectHeader)]
ACTORS = next(event.offset for event in SOUND if isinstance(event, StructEnter) and event.name == "actor_records")
COUNT = next(event.offset for event in SOUND if getattr(event, "name", "") == "object_count")


@pytest.mark.parametrize("at", [ACTORS, COUNT], ids=["actors", "objects"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_records_costs_those_that_are_not_certain(at, change):
    number = int.from_bytes(BODY[at : at + 4], "little") + change
    events = survived(BODY[:at] + number.to_bytes(4, "little") + BODY[at + 4 :])
    given = [event for event in events if isinstance(event, ObjectHeader)]
    assert given == OBJECTS[: len(given)]
    assert len(given) >= len(OBJECTS) - 3
    assert any(isinstance(event, Damage) for event in events)
    assert not any(getattr(event, "name", "") in {"actor_records", "root_actors", "player_controllers"} for event in events)


def test_all_is_given_of_a_sound_save():
    assert not any(isinstance(event, Damage) for event in SOUND)
    assert [repr(event) for event in SOUND] == [repr(event) for event in streamsave.open(FILE)]
