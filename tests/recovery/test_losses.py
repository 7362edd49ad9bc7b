"""What a `Damage` claims: bytes that no event before it has claimed, and no value of a leaf that stays sound."""

from __future__ import annotations

import pytest

from streamsave import Damage, DamagedSave, Field, ObjectEnd, ObjectHeader, SaveEnd, StructEnter, StructExit
from streamsave.recovery.losses import OBJECT, PROPERTY, Losses, Part

FAULT = DamagedSave("wrong", 40)
LEVEL = StructEnter(10, "level", "Level", 4, 86, -1, -1)
HEADER = ObjectHeader(14, "actor", "Door", "Door_1", "", "", None, 0, 1, 6, 0, 20, 30)
LEAF = Field(20, "hits", "i32", 4, -1)


@pytest.fixture
def losses() -> Losses:
    made = Losses()
    for event in (LEVEL, HEADER, LEAF):
        made.note(event)
    return made


def test_what_is_lost_starts_where_the_claims_end(losses):
    damage, end = losses.lose(Part(iter(()), OBJECT, "Door_1", 50, path=("level", "Door_1"), depth=1), FAULT, in_leaf=False)
    assert isinstance(damage, Damage)
    assert (damage.offset, damage.size, damage.lost.size, damage.lost.class_name) == (24, 26, 26, "Door")
    assert end == ObjectEnd(50, "Door_1", 0)
    assert losses.depth == 1


def test_the_value_of_a_leaf_is_lost_with_it(losses):
    (damage,) = losses.lose(Part(iter(()), PROPERTY, "hits", 24, depth=2), FAULT, in_leaf=True)
    assert (damage.offset, damage.size) == (20, 4)


def test_a_loss_without_bytes_does_not_claim_the_last_value(losses):
    (damage,) = losses.lose(Part(iter(()), PROPERTY, "hits", 20, depth=2), FAULT, in_leaf=False)
    assert (damage.offset, damage.size) == (20, 0)
    losses.note(Field(20, "none", "i32", 0, -1))
    (damage,) = losses.lose(Part(iter(()), PROPERTY, "none", 20, depth=2), FAULT, in_leaf=False)
    assert (damage.offset, damage.size) == (20, 0)


def test_a_loss_may_start_later(losses):
    (damage,) = losses.lose(Part(iter(()), PROPERTY, "", 60, start=50, size=7, count=3, depth=2), FAULT, in_leaf=False)
    assert (damage.offset, damage.size, damage.lost.size, damage.lost.count) == (50, 10, 7, 3)


def test_the_rest_of_the_save(losses):
    made = losses.give_up(FAULT, 100, 90, is_all=True, in_leaf=False)
    damage = made[0]
    assert isinstance(damage, Damage)
    assert (damage.offset, damage.size, damage.lost.kind, damage.lost.size) == (24, 66, "rest of the save", 76)
    assert made[1:] == [ObjectEnd(90, "Door_1", 0), StructExit(90, "level", 0), SaveEnd(90)]


def test_headers_of_a_level_that_nothing_has_claimed(losses):
    losses.headers_end = 22
    for event in (LEVEL, HEADER):
        losses.note(event)
    losses.claimed = 30
    made = losses.give_up(FAULT, -1, -1, is_all=False, in_leaf=False)
    assert [(event.offset, event.size, event.lost.kind) for event in made if isinstance(event, Damage)] == [
        (30, -1, "rest of the save"),
        (20, 2, "headers"),
    ]
