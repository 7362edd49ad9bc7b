"""The values that a save has by the hundred thousand: they are what attrs classes are, and cost less."""

from __future__ import annotations

import math

import pytest

from streamsave import SelectedObject
from streamsave.frequent_values import (
    Guid,
    InventoryItem,
    LinearColor,
    ObjectReference,
    Quat,
    Rotator,
    Vector,
)

IRON = ObjectReference("", "/Game/Iron.Iron_C")


def test_a_vector_is_no_other_class_with_the_same_numbers():
    assert Quat(1.0, 2.0, 3.0, 4.0) != LinearColor(1.0, 2.0, 3.0, 4.0)
    assert Vector(math.nan, 2.0, 3.0) != Vector(math.nan, 2.0, 3.0)


def test_what_they_print():
    assert repr(Vector(1.0, 2.5, -3.0)) == "Vector(x=1.0, y=2.5, z=-3.0)"
    assert repr(InventoryItem(IRON, None)) == (
        "InventoryItem(item=ObjectReference(level_name='', path_name='/Game/Iron.Iron_C'), state=None)"
    )


def test_a_guid_is_four_words():
    guid = Guid(bytes(range(16)))
    assert str(guid) == "03020100-07060504-0B0A0908-0F0E0D0C"
    assert str(Guid(bytes(16))) == "00000000-00000000-00000000-00000000"
    assert str(Guid(bytes([0, 0, 0, 0xFA] * 4))) == "FA000000-FA000000-FA000000-FA000000"
    assert repr(guid) == "<Guid 03020100-07060504-0B0A0908-0F0E0D0C>"
    assert repr([guid]) == f"[<Guid {guid}>]"


def test_patterns():
    match InventoryItem(IRON, None):
        case InventoryItem(ObjectReference(_, path), None):
            assert path == IRON.path_name
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize(
    "one", [Vector(1.0, 2.0, 3.0), Quat(1.0, 2.0, 3.0, 4.0), Rotator(1.0, 2.0, 3.0), LinearColor(1.0, 2.0, 3.0, 4.0)]
)
def test_numbers_unpack(one):
    first, *_, last = one
    assert (first, last) == (one[0], one[-1]) == (1.0, float(len(one)))
    with pytest.raises(IndexError):
        one[len(one)]


def test_a_selected_object_is_printed_with_its_fields():
    lamp = SelectedObject("actor", "Lamp", "Lamp_1", "Level", (1.0, -2.0, 0.5), 30, 20, {"a": 1}, "a.sav", ("Level",))
    assert repr(lamp) == (
        "SelectedObject(kind='actor', class_name='Lamp', instance_name='Lamp_1', level='Level', position=(1.0, -2.0, 0.5),"
        " size=30, offset=20, fields={'a': 1}, source='a.sav', path=('Level',))"
    )
