"""Taking objects and properties from a save."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import EditError, ObjectEnd, ObjectHeader, PropertyTag, StaleEvent, StructEnter, UnsupportedSave
from streamsave.rewriting import cut


def test_an_object_has_its_header_and_its_data():
    path = VALID / "satisfactory" / "sv60.sav"
    with streamsave.open(path) as events:
        expected = [
            (event.instance_name, event.header_size, event.prefix_size, events.raw())
            for event in events
            if isinstance(event, ObjectHeader) and event.header_size > 0
        ]
    with cut(path) as events:
        taken = [events.take() for event in events if isinstance(event, ObjectHeader) and event.header_size > 0]
        assert not any(isinstance(event, ObjectEnd) for event in events)
    assert len(taken) == len(expected)
    for cutting, (name, header_size, prefix_size, raw) in zip(taken, expected, strict=True):
        assert cutting.event.instance_name == name
        assert len(cutting.header) == header_size
        assert name.encode() in cutting.header
        assert cutting.data[prefix_size:].startswith(raw)


def test_a_property_has_its_tag():
    with cut(VALID / "gvas" / "ue5-1018.sav") as events:
        taken = [events.take() for event in events if isinstance(event, PropertyTag)]
    assert all(cutting.event.name.encode() in cutting.data for cutting in taken)
    assert all(len(cutting.data) > cutting.event.size for cutting in taken)


def test_what_cannot_be_taken():
    with cut(VALID / "satisfactory" / "sv60.sav") as events:
        with pytest.raises(StaleEvent):
            events.take()
        for event in events:
            if isinstance(event, StructEnter):
                with pytest.raises(EditError, match="only objects and properties"):
                    events.take()
            elif isinstance(event, ObjectHeader):
                events.skip()
                with pytest.raises(StaleEvent):
                    events.take()
    with pytest.raises(UnsupportedSave):
        cut(VALID / "satisfactory" / "v6.sbpcfg")
