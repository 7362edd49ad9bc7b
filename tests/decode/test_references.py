"""References in built values."""

from __future__ import annotations

import pytest

from streamsave.decode.references import references_in
from streamsave.values import ContainerDelta, DynamicStruct, InventoryItem, ObjectReference, Vector

HERE = ObjectReference("Level", "Here")
GONE = ObjectReference("Level", "Gone")
CLASS = ObjectReference("", "/Script/A.B")


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        (HERE, ["Here"]),
        ([HERE, GONE, GONE], ["Here", "Gone", "Gone"]),
        ({"a": {"b": GONE}}, ["Gone"]),
        ([("key", GONE), (HERE, 1)], ["Gone", "Here"]),
        (DynamicStruct(CLASS, {"mOwner": GONE}), ["Gone"]),
        (DynamicStruct(GONE, {"a": [HERE], "b": [(HERE, {"c": GONE})]}), ["Gone", "Here", "Here", "Gone"]),
        (InventoryItem(CLASS, HERE), ["Here"]),
        (ContainerDelta([HERE], [GONE]), ["Here", "Gone"]),
        # An asset, and nothing:
        (CLASS, []),
        (ObjectReference("Level", ""), []),
        ("text", []),
        (b"bytes", []),
        (1.5, []),
        (Vector(1.0, 2.0, 3.0), []),
        (None, []),
    ],
)
def test_references_in(value, targets):
    assert references_in(value) == targets
