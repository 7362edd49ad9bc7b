"""Sets and maps that remove so much that no look ahead reaches its end: what they add is known when it comes."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from feeding import OnlyRead
from tiling import assert_tiled
from writer.gvas import SaveGame
from writer.gvas_samples import ITEM
from writer.primitives import fstring, gzipped
from writer.structs import GUID, VECTOR
from writer.tags import INT, NAME, STR, Delta, Map, Prop, PropType, Set

import streamsave
from streamsave import Event
from streamsave.formats.unreal.containers import FITTING_SIZE
from streamsave.input.forward import KEPT_SIZE
from streamsave.values import ContainerDelta, Guid, Opaque

LONG = "x" * 2000
MANY = range(1000)
KEYS = [f"{at}{LONG}" for at in MANY]


def item(at: int) -> list[Prop[Any]]:
    """A property list with much in it."""
    return [Prop("Name", STR, KEYS[at]), Prop("Count", INT, at)]


def value(at: int) -> dict[str, object]:
    """What is built of `item(at)`."""
    return {"Name": KEYS[at], "Count": at}


def guid(at: int) -> bytes:
    """One of many."""
    return at.to_bytes(16, "little")


ITEMS = [item(at) for at in MANY]
VECTOR_BYTES = struct.pack("<3d", 1.0, 2.0, 3.0)
CASES: dict[str, tuple[PropType[Any], Delta[Any, Any], list[object]]] = {
    "items": (Set(ITEM), Delta(ITEMS, [item(3)]), [value(3)]),
    "guids": (Set(GUID), Delta([guid(at) for at in range(1, 100_000)], [guid(3)]), [Guid(guid(3))]),
    "names": (Map(NAME, ITEM), Delta(KEYS, [("a", item(3)), ("b", item(4))]), [("a", value(3)), ("b", value(4))]),
    "items, numbers": (Map(ITEM, INT), Delta(ITEMS, [(item(3), 4)]), [(value(3), 4)]),
    "names, vectors": (
        Map(NAME, VECTOR),
        Delta(KEYS, [("a", (1.0, 2.0, 3.0))]),
        [Opaque(fstring("a") + VECTOR_BYTES, "unknown structs")],
    ),
    "nothing added": (Map(NAME, ITEM), Delta(KEYS, []), []),
}


def events_of(source) -> list[Event]:
    with streamsave.open(source) as events:
        return list(events)


def built(source) -> dict[str, object]:
    with streamsave.open(source) as events:
        for event in events:
            if isinstance(event, streamsave.ObjectHeader):
                return events.build()["properties"]
    raise AssertionError("no object")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_what_is_removed_may_be_more_than_is_at_hand(name):
    kind, delta, added = CASES[name]
    data = SaveGame([Prop("Changed", kind, delta), Prop("After", INT, 1)]).encode()
    assert len(data) > KEPT_SIZE + FITTING_SIZE
    events = events_of(data)
    assert_tiled(events, len(data))
    packed = gzipped(data)
    assert events_of(OnlyRead(packed, 10_000))[2:] == events_of(packed)[2:]
    changed = built(OnlyRead(packed, 10_000))
    assert isinstance(changed["Changed"], ContainerDelta)
    assert changed["Changed"].added == added
    assert changed["Changed"].removed[:2] == built(data)["Changed"].removed[:2]
    assert changed["After"] == 1
