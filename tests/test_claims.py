"""Who claims the bytes of a value; which bytes each event claims is seen where they are rewritten, checked and explained."""

import pytest

from streamsave import events
from streamsave.claims import claimed_spans, claims_value
from streamsave.errors import DamagedSave
from streamsave.values import Loss

TAG = events.PropertyTag(10, "mInt", "IntProperty", 4, 0, 19, "", "", "", False, None, None)
FIELD = events.Field(10, "count", "i32", 4, -1)


def damage(offset: int, size: int) -> events.Damage:
    return events.Damage(offset, size, DamagedSave("wrong"), Loss("property", "a", (), size))


@pytest.mark.parametrize(
    ("event", "after", "claims"),
    [
        (TAG, None, True),
        (TAG, events.StructEnter(19, "a", "A", 4, -1, -1, -1), False),
        (TAG, events.BlobSkip(19, 4, "opaque"), False),
        (TAG, damage(19, 4), False),
        (TAG, events.StructEnter(20, "a", "A", 4, -1, -1, -1), True),
        (TAG, events.Field(19, "a", "i32", 4, -1), True),
        (FIELD, None, True),
        (FIELD, damage(10, 4), False),
        (FIELD, damage(11, 4), True),
        (FIELD, events.BlobSkip(10, 4, "opaque"), True),
        (events.StructEnter(10, "a", "A", 4, -1, -1, -1), damage(10, 4), True),
    ],
)
def test_who_claims_a_value(event, after, claims):
    assert claims_value(event, after) == claims


@pytest.mark.parametrize(("size", "end"), [(5, 15), (-1, 10)])
def test_damage_of_unknown_size_claims_nothing(size, end):
    assert claimed_spans(damage(10, size)) == [(10, end)]
