"""Which bytes an event claims: one row for each class of event, and who claims a value."""

from __future__ import annotations

import pytest

from streamsave import events
from streamsave.claims import claimed_spans, claims_value, content_start
from streamsave.errors import DamagedSave
from streamsave.values import Loss

TAG = events.PropertyTag(10, "mInt", "IntProperty", 4, 0, 19, "", "", "", False, None, None)
FIELD = events.Field(10, "count", "i32", 4, -1)
ACTOR = events.ObjectHeader(10, "actor", "A", "a", "L", "", None, 0, 52, 30, 12, 99, 8)
ENTER = events.StructEnter(10, "a", "A", 4, -1, -1, -1)


def damage(offset: int, size: int) -> events.Damage:
    """Bytes that were lost."""
    return events.Damage(offset, size, DamagedSave("wrong"), Loss("property", "a", (), size))


@pytest.mark.parametrize(
    ("event", "spans", "without_value"),
    [
        (events.SaveStart(10, "f", 1, None), [(10, 10)], [(10, 10)]),
        (events.ChunkStart(10, 0, 100, 5, 50, "zlib"), [(10, 10)], [(10, 10)]),
        (ENTER, [(10, 14)], [(10, 14)]),
        (events.StructExit(10, "a", 9), [(10, 19)], [(10, 19)]),
        (ACTOR, [(10, 40), (87, 99)], [(10, 40), (87, 99)]),
        (events.ObjectEnd(10, "a", 3), [(10, 13)], [(10, 13)]),
        (TAG, [(10, 23)], [(10, 19)]),
        (FIELD, [(10, 14)], [(10, 10)]),
        (events.Checkpoint(10, "c", 7, 4), [(10, 14)], [(10, 14)]),
        (events.BlobSkip(10, 2, "opaque"), [(10, 12)], [(10, 12)]),
        (damage(10, 5), [(10, 15)], [(10, 15)]),
        (damage(10, -1), [(10, 10)], [(10, 10)]),
        (events.SaveEnd(10), [(10, 10)], [(10, 10)]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, events.Event) else "",
)
def test_spans(event, spans, without_value):
    assert claimed_spans(event) == spans
    assert claimed_spans(event, with_value=False) == without_value


def test_every_class_of_event_has_a_row():
    rows = {type(mark[0]) for mark in test_spans.pytestmark[0].args[1]}
    assert rows == set(events.Event.__subclasses__())


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
        (ENTER, damage(10, 4), True),
    ],
)
def test_who_claims_a_value(event, after, claims):
    assert claims_value(event, after) == claims


@pytest.mark.parametrize(("event", "start"), [(TAG, 19), (FIELD, 10), (ACTOR, 99), (ENTER, 14)])
def test_where_content_starts(event, start):
    assert content_start(event) == start
