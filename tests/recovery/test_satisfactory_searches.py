"""What searches of a damaged save cost, and what is there twice."""

from __future__ import annotations

import struct
from collections import Counter

import pytest
from damage import losses
from level_surgery import LEVELS, Subject
from saves import SATISFACTORY, deflate, head_and_body, read

import streamsave
from streamsave import Field, ObjectHeader
from streamsave.recovery.satisfactory import COST_PER_BYTE, LEAST_COST, SatisfactoryFamily

#: What the last step may cost that is begun with a rest of the budget.
LAST_STEP = 1 << 18
#: Bytes in which each search finds a place for a record every few bytes, and much to read at each.
HOSTILE = {
    "names of levels": b"\xff\x03\0\0A",
    "longer names of levels": b"\xff\xff\x7f\0A",
    "headers": b"\0\0\0\0\xff\x7f\0\0/",
    "entries": b"\x3a\0\0\0\0\0\0\0\x20\0\0\0",
    "empty lists": b"\x02\0\0\0A\0\0\0\0\0\0\0",
    "zeros": bytes(16),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv60.sav", "sv41.sav"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_save_made_to_take_long(name, kind):
    """The levels are gone. All searches together cost no more than their budget, in proportion to the stream."""
    data = (SATISFACTORY / name).read_bytes()
    head, body = head_and_body(data)
    count = next(event for event in read(data) if isinstance(event, Field) and event.name == "level_count")
    made = body[: count.offset + 4] + b"\xff\xff\xff\x7f" + HOSTILE[kind] * (1_000_000 // len(HOSTILE[kind]))
    made = struct.pack("<q", len(made) - 8) + made[8:]
    with streamsave.open(deflate(head, made), on_damage="resync") as events:
        seen = list(events)
        family = events._driver.family  # type: ignore[union-attr]
    assert isinstance(family, SatisfactoryFamily)
    assert family._levels is not None
    assert losses(seen)[-1] == ("rest of the save", "")
    assert -LAST_STEP <= family._levels._budget.left < LEAST_COST + COST_PER_BYTE * len(made)


@pytest.mark.parametrize("version", LEVELS)
def test_levels_that_are_there_twice(version):
    """The bytes from inside of the first level to inside of the second one follow each other twice, as a chunk might."""
    subject = Subject(version, 0)
    body = subject.patient.body
    second = subject.patient.spans.levels[1].objects
    start, end = subject.objects[3].entry[0], second[3].entry[0]
    subject.edit(end, end, body[start:end])
    data, _ = subject.result()
    with streamsave.open(data, on_damage="resync") as events:
        given = Counter((events.path, event.instance_name) for event in events if isinstance(event, ObjectHeader))
    assert given
    assert max(given.values()) == 1
