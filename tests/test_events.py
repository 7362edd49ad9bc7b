"""The nouns: what each event has, in order; and that it costs little."""

from __future__ import annotations

import inspect

import attrs
import pytest

import streamsave
from streamsave import events
from streamsave.events import Event

KINDS = [getattr(events, name) for name in events.__all__]


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_an_event(kind):
    assert issubclass(kind, Event)
    assert getattr(streamsave, kind.__name__) is kind


@pytest.mark.parametrize("kind", KINDS)
def test_fields(kind):
    """Part of the interface: positional patterns hang on the order, which is that of the constructor, in `public_api.txt`."""
    names = [field.name for field in attrs.fields(kind)]
    assert kind.__match_args__ == tuple(names)
    assert list(inspect.signature(kind.__init__).parameters)[1 : len(names) + 1] == names


def test_equal_by_value():
    assert events.StructExit(1, "a", 9) == events.StructExit(1, "a", 9)
    assert events.StructExit(1, "a", 9) != events.StructExit(1, "a", 0)
    assert events.StructExit(1, "a", 9) != events.ObjectEnd(1, "a", 9)
    assert repr(events.BlobSkip(1, 2, "skipped")) == "BlobSkip(offset=1, size=2, reason='skipped')"


def test_patterns():
    match events.PropertyTag(1, "mInt", "IntProperty", 4, 0, 9, "", "", "", False, None, None):
        case events.PropertyTag(name="mInt", size=size):
            assert size == 4
        case _:
            pytest.fail("no match")
