"""References become indexes."""

from __future__ import annotations

import pytest

from streamsave.errors import EditError
from streamsave.formats.astroneer.reference_encoder import encode_reference, index_of
from streamsave.formats.astroneer.references import ActorReference, InstanceReference
from streamsave.formats.unreal.pool import PoolEncoder, PoolIndexes
from streamsave.values import ObjectReference

PATHS = ["a", "b", "twin", "twin"]


def path_of(index):
    return PATHS[index] if index < len(PATHS) else f"#{index}"


def find(path):
    return {0: -1, 1: PATHS.index(path) if path in PATHS else -1}.get(PATHS.count(path), -2)


def found(value):
    return index_of(value, "level", path_of, find, InstanceReference)


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (InstanceReference("", "", -1), -1),
        (InstanceReference("level", "b", 1), 1),
        (InstanceReference("level", "twin", 3), 3),
        (InstanceReference("level", "#9", 9), 9),
        (InstanceReference("level", "b", 0), 1),
        (ActorReference("level", "b", 0), 1),
        (ObjectReference("level", "a"), 0),
        (ObjectReference("", ""), -1),
    ],
)
def test_indexes(value, index):
    assert found(value) == index


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (ObjectReference("level", "twin"), "several objects"),
        (ActorReference("level", "twin", 3), "several objects"),
        (ObjectReference("level", "c"), "no object has this name"),
        (InstanceReference("other", "b", 1), "another level"),
        ("b", "no reference"),
    ],
)
def test_refused(value, message):
    with pytest.raises(EditError, match=message):
        found(value)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (InstanceReference("", "/Game/Item", -3), b"\xfd\xff\xff\xff\1\0\0\0"),
        (InstanceReference("", "plain", -3), b"\xfd\xff\xff\xff\2\0\0\0"),
        (ObjectReference("level", "/Game/Item"), b"\xfd\xff\xff\xff\1\0\0\0"),
        (ObjectReference("level", "b"), b"\1\0\0\0"),
    ],
)
def test_what_a_property_refers_to(value, data):
    encoder = PoolEncoder(PoolIndexes(["None", "/Game/Item", "plain"]))
    encode_reference(value, encoder, lambda: found(value))
    assert bytes(encoder.data) == data
