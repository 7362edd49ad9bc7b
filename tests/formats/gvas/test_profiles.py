"""The built-in profiles: on worlds of the writer, and on real saves."""

from collections import Counter

import pytest

import streamsave
from streamsave import ObjectHeader
from streamsave.formats.gvas.profiles import PROFILES, profile_of
from streamsave.formats.unreal.object_rows import ObjectProfile

#: Save -> objects by kind. Those of Palworld are the elements that an independent reader counts.
COUNTS = {
    "abiotic-world-262k-ue544.sav": {
        "deployed-object": 9,
        "door": 14,
        "elevator": 2,
        "npc": 1,
        "npc-spawn": 23,
        "resource-node": 1,
        "trigger": 6,
    },
    "drg-ue427-146k.sav": {"character": 5},
    "drg-mod-ue425.sav": {"prop": 97},
    "hogwarts-list.sav": {"character": 4, "save-file": 60},
    "railroads-ue53-2.1m.sav": {"prop": 1361},
    "savage-planet-ue425.sav": {"quest": 92},
    "palworld-level-unicode.sav": {"player": 1},
}


@pytest.mark.parametrize("class_name", PROFILES)
def test_each_row_can_be_parsed(class_name):
    assert len(ObjectProfile(profile_of(class_name)).rows) == len(PROFILES[class_name])


def test_other_saves_are_one_object():
    assert profile_of("/Script/Other.SaveGame") == []


@pytest.mark.parametrize("name", COUNTS)
def test_real_saves(name, real_save):
    with streamsave.open(real_save(f"gvas/{name}")) as events:
        counts: Counter[str] = Counter()
        for event in events:
            if isinstance(event, ObjectHeader):
                counts[event.kind] += 1
                events.skip()
    expected = COUNTS[name]
    assert {kind: counts[kind] for kind in expected} == expected
