"""What is only read of a save that is rewritten: the same as without edits."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import BlobSkip, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.rewriting import rewrite


def answers(save, verb):
    """What a verb says of each leaf, and where that is."""
    found = []
    for event in save:
        where = (save.path, save.depth, save.location(event))
        if isinstance(event, ObjectHeader):
            found.append((*where, save.holds_objects(event), save.takes(event), save._peek(20)))
        elif isinstance(event, StructEnter):
            found.append((*where, save._script_struct(event)))
        elif isinstance(event, BlobSkip):
            found.append((*where, save.opaque(event)))
        elif isinstance(event, (PropertyTag, Field)) and save.is_leaf():
            answer = getattr(save, verb)()
            found.append((*where, list(answer) if verb == "slices" and answer is not None else answer))
        else:
            found.append(where)
    return found


@pytest.mark.parametrize("verb", ["skip", "build", "raw", "references", "slices"])
@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/palworld-1.0.sav"])
def test_verbs_say_the_same(tmp_path, name, verb):
    with streamsave.open(VALID / name) as events:
        expected = answers(events, verb)
    with rewrite(VALID / name, tmp_path / "a.sav") as save:
        found = answers(save, verb)
    assert [each if verb != "skip" else str(each) for each in found] == [
        each if verb != "skip" else str(each) for each in expected
    ]


def test_what_was_taken_in_slices_can_be_replaced(tmp_path):
    source, target = VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav"
    with rewrite(source, target) as save:
        edited = 0
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "ArrayProperty" and save.is_leaf():
                values = [each for _, part in save.slices() for each in part]
                if values and event.inner_type == "IntProperty":
                    save.replace(values[1:])
                    edited += 1
        assert edited
    with streamsave.open(source) as before, streamsave.open(target) as after:
        old, new = (
            [
                events.build()
                for event in events
                if getattr(event, "inner_type", "") == "IntProperty" and event.type == "ArrayProperty"
            ]
            for events in (before, after)
        )
    assert new == [values[1:] for values in old]


def test_only_some_objects_come(tmp_path):
    with rewrite(VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav") as save:
        save.only("kind = actor")
        assert {event.kind for event in save if isinstance(event, ObjectHeader)} == {"actor"}
