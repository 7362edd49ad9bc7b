"""Properties of damaged saves: bytes that are no tag are no property, and cost the object that they are in."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import Damage, PropertyTag

DATA = (VALID / "astroneer" / "bare.gvas").read_bytes()


def properties() -> list[PropertyTag]:
    with streamsave.open(DATA) as events:
        return [event for event in events if isinstance(event, PropertyTag)]


@pytest.mark.parametrize("tag", properties(), ids=lambda tag: tag.name)
def test_bytes_missing_in_a_tag(tag):
    """Eight of them, anywhere in it: no type is given that is none."""
    known = {other.type for other in properties()}
    for at in range(tag.offset, tag.value_offset - 8, 3):
        data = DATA[:at] + DATA[at + 8 :]
        with streamsave.open(data, on_damage="resync") as events:
            given = list(events)
        assert {event.type for event in given if isinstance(event, PropertyTag)} <= known, at
        assert any(isinstance(event, Damage) for event in given)
