"""The nouns: what each event has, in order; and that it costs little."""

from __future__ import annotations

import attrs
import pytest

import streamsave
from streamsave import events
from streamsave.events import Event

FIELDS = {
    "SaveStart": "offset format version header",
    "ChunkStart": "offset index size compressed_offset compressed_size codec archive_version",
    "StructEnter": "offset name type_name header_size size index count",
    "StructExit": "offset name size",
    "ObjectHeader": "offset kind class_name instance_name level outer transform flags save_version header_size prefix_size"
    " data_offset size stored_flags",
    "ObjectEnd": "offset instance_name size ucs_modified_properties",
    "PropertyTag": "offset name type size index value_offset type_name inner_type value_type flag struct_guid guid",
    "Field": "offset name type size index",
    "Checkpoint": "offset name hash size",
    "BlobSkip": "offset size reason",
    "Damage": "offset size error lost",
    "SaveEnd": "offset",
}

KINDS = [getattr(events, name) for name in events.__all__]


def test_all_are_here():
    assert {kind.__name__ for kind in KINDS} - {"Event"} == set(FIELDS)


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_an_event(kind):
    assert issubclass(kind, Event)
    assert getattr(streamsave, kind.__name__) is kind


@pytest.mark.parametrize(("name", "fields"), FIELDS.items())
def test_fields(name, fields):
    """Part of the interface: positional patterns hang on the order."""
    kind = getattr(events, name)
    assert [field.name for field in attrs.fields(kind)] == fields.split()
    assert kind.__match_args__ == tuple(fields.split())


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
