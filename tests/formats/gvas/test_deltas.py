"""Sets and maps that remove so much that no look ahead reaches its end: what they add is known when it comes."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from feeding import OnlyRead
from gvas_saves import build, save
from tiling import assert_tiled
from writer.gvas import SaveGame
from writer.gvas_samples import ITEM, KEY_GUID, valid
from writer.gvas_samples import item as sample_item
from writer.primitives import fstring, gzipped
from writer.structs import GUID, VECTOR
from writer.tags import INT, NAME, STR, Delta, Fields, Map, Prop, PropType, Set, byte_enum

import streamsave
from streamsave import Event, PropertyTag, StructEnter
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


# --- in saves ---


@pytest.mark.parametrize("name", ["deltas", "deltas-new-tags"])
def test_deltas_of_the_writer(name):
    items = [{"Name": f"Item_{count}", "Count": count} for count in range(10)]
    assert build(valid()[name]) == {
        "Numbers": ContainerDelta([4, 5], [6]),
        "Scores": ContainerDelta(["old"], [("new", 5)]),
        "GuidSet": ContainerDelta([Guid(KEY_GUID)], [Guid(bytes(16))]),
        "OnlyRemoved": ContainerDelta(items[1:2], []),
        "ItemSet": ContainerDelta(items[1:3], items[3:4]),
        "ByName": ContainerDelta(["old"], [("new", items[4])]),
        "ByGuid": ContainerDelta([Guid(KEY_GUID), Guid(bytes(16))], [(Guid(bytes(16)), items[5])]),
        "ByItem": ContainerDelta(items[6:7], [(items[7], 8), (items[9], 10)]),
        "Behind": 1,
    }


@pytest.mark.parametrize("name", ["deltas", "deltas-new-tags"])
def test_what_a_delta_opens_can_be_skipped_and_built(name):
    """Each part of one alone, and what follows is found."""
    data = valid()[name]
    paths: dict[tuple[object, ...], object] = {}
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, StructEnter) and event.name in {"removed", "added"}:
                path = events.path
                paths[path] = events.build()
    assert paths[("ByName", "removed")] == ["old"]
    assert paths[("ByName", "added")] == [("new", {"Name": "Item_4", "Count": 4})]
    assert len(paths) == 10
    for skipped in ("ContainerDelta", "Removed", "MapProperty", "SetProperty", "MapEntry", "Item"):
        last: list[object] = []
        with streamsave.open(data) as events:
            for event in events:
                if isinstance(event, PropertyTag) and event.name == "Behind":
                    last.append(events.build())
                elif isinstance(event, StructEnter) and event.type_name == skipped:
                    events.skip()
        assert last == [1]


@pytest.mark.parametrize("version", [1008, 1012])
def test_names_to_remove_are_no_bytes(version):
    change = Delta(["EKind::A", ""], [("EKind::B", sample_item(1))])
    data = save(Prop("ByKind", Map(byte_enum("EKind"), Fields("Item")), change), Prop("Behind", INT, 1), ue5=version)
    added: list[object] = [("EKind::B", {"Name": "Item_1", "Count": 1})]
    assert build(data) == {"ByKind": ContainerDelta(["EKind::A", ""], added), "Behind": 1}
