"""Items in stacks and slots."""

from __future__ import annotations

import pytest

from streamsave.report.items import depot_of, slot_of, stacks_of
from streamsave.values import InventoryItem, ObjectReference

WIRE = InventoryItem(ObjectReference("", "/Game/Desc_Wire.Desc_Wire_C"), None)


@pytest.mark.parametrize(
    ("value", "stacks"),
    [
        (
            [{"Item": WIRE, "NumItems": 3}, {"Item": WIRE, "NumItems": 0}, {"Item": WIRE}, {"NumItems": 7}, 5],
            [("Desc_Wire_C", 3)],
        ),
        (None, []),
        ("text", []),
    ],
)
def test_stacks(value, stacks):
    assert list(stacks_of(value)) == stacks


def test_the_depot():
    stored = [
        {"ItemClass": WIRE.item, "amount": 3},
        {"ItemClass": WIRE.item, "amount": 0},
        {"ItemClass": WIRE.item},
        {"amount": 7},
        5,
    ]
    assert list(depot_of(stored)) == [("Desc_Wire_C", 3)]
    assert list(depot_of(None)) == []


@pytest.mark.parametrize(
    ("slot", "found"),
    [
        ({"RawData": {"item_id": {"static_id": "Wood"}, "stack_count": 4, "slot_index": 1}}, ("Wood", 4, 1)),
        ({"RawData": {"item_id": 7}}, ("", None, None)),
        ({"ItemId": {"StaticId": "Stone"}, "StackCount": 9, "SlotIndex": 2}, ("Stone", 9, 2)),
        ({"RawData": {"permission": 1}, "ItemId": {"StaticId": "Stone"}}, ("Stone", None, None)),
        ({}, ("", None, None)),
    ],
)
def test_slots(slot, found):
    assert slot_of(slot) == found
