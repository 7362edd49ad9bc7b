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
            found.append((*where, getattr(save, verb)()))
        else:
            found.append(where)
    return found


@pytest.mark.parametrize("verb", ["skip", "build", "raw", "references"])
@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/palworld-1.0.sav"])
def test_verbs_say_the_same(tmp_path, name, verb):
    with streamsave.open(VALID / name) as events:
        expected = answers(events, verb)
    with rewrite(VALID / name, tmp_path / "a.sav") as save:
        found = answers(save, verb)
    assert [each if verb != "skip" else str(each) for each in found] == [
        each if verb != "skip" else str(each) for each in expected
    ]


def test_only_some_objects_come(tmp_path):
    with rewrite(VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav") as save:
        save.only("kind = actor")
        assert {event.kind for event in save if isinstance(event, ObjectHeader)} == {"actor"}
