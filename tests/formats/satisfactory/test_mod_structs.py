"""Structs of mods, by hand-made bytes: their values, the hints of their classes, and what does not fit."""

from __future__ import annotations

import struct

import pytest
from one_object import NEW, NONE, OLD, built, encoded, object_events, object_save, property_save
from tag_bytes import new_tag, tag, tree
from writer.primitives import Ref, fstring, i32, i64, ref, u8
from writer.tags import INT, Prop

from streamsave.values import DynamicStruct, Guid, ObjectReference, Opaque, Vector

THREE_FLOATS = struct.pack("<3f", 1, 2, 3)
THREE_DOUBLES = struct.pack("<3d", 1, 2, 3)
VECTOR = Vector(1.0, 2.0, 3.0)
LISTED = encoded(Prop("NumItems", INT, 7)) + NONE
TRACE = ref(Ref("Level", "Last")) + i32(1) + ref(Ref("Level", "First")) + i32(0) + i32(0) + i32(1) + fstring("step")
HOP = {
    "object": ObjectReference("Level", "Last"),
    "before": {"object": ObjectReference("Level", "First"), "before": None, "step": None},
    "step": "step",
}


def held(path: str, data: bytes) -> bytes:
    """A struct after its type."""
    return ref(Ref("", path)) + data


def holder(path: str, value: object) -> DynamicStruct:
    return DynamicStruct(ObjectReference("", path), value)


STACK = holder("/Script/FactoryGame.InventoryStack", {"NumItems": 7})
LUA = i32(1) + TRACE + i32(1) + ref(Ref("Level", "Panel")) + fstring("thread") + fstring("globals") + i32(1) + b"typed"

#: Name of the struct, its bytes, its value.
ROWS: list[tuple[str, bytes, object]] = [
    ("FINNetworkTrace", TRACE, HOP),
    ("FIRTrace", TRACE, HOP),
    ("FINGPUT1BufferPixel", bytes(range(34)), bytes(range(34))),
    ("FICFrameRange", i64(-5) + i64(1 << 40), {"begin": -5, "end": 1 << 40}),
    ("LBBalancerIndexing", i32(1) + i32(2) + i32(3), {"normal_index": 1, "overflow_index": 2, "filter_index": 3}),
    *[
        (
            name,
            LUA,
            {
                "traces": [HOP],
                "references": [ObjectReference("Level", "Panel")],
                "thread": "thread",
                "globals": "globals",
                "rest": Opaque(i32(1) + b"typed", "typed structs"),
            },
        )
        for name in ("FINLuaProcessorStateStorage", "FINLuaRuntimePersistenceState")
    ],
    *[
        row
        for name in ("FINDynamicStructHolder", "FIRInstancedStruct")
        for row in (
            (name, held("/Script/CoreUObject.Vector", THREE_DOUBLES), holder("/Script/CoreUObject.Vector", VECTOR)),
            (name, held("/Script/FactoryGame.InventoryStack", LISTED), STACK),
            (name, held("", b""), None),
        )
    ],
    ("FIRAnyValue", u8(0), None),
    ("FIRAnyValue", u8(1) + i32(1), True),
    ("FIRAnyValue", u8(2) + i64(-9), -9),
    ("FIRAnyValue", u8(3) + struct.pack("<d", 0.5), 0.5),
    ("FIRAnyValue", u8(4) + fstring("text"), "text"),
    ("FIRAnyValue", u8(5) + ref(Ref("Level", "Panel")), ObjectReference("Level", "Panel")),
    ("FIRAnyValue", u8(6) + ref(Ref("", "/Script/X.Y")), ObjectReference("", "/Script/X.Y")),
    ("FIRAnyValue", u8(7) + TRACE, HOP),
    ("FIRAnyValue", u8(8) + held("/Script/FactoryGame.InventoryStack", LISTED), STACK),
    ("FIRAnyValue", u8(9) + i32(3) + u8(0) + u8(9) + i32(0) + u8(2) + i64(4), [None, [], 4]),
    ("FIRAnyValue", u8(10) + u8(4) + fstring("text"), "text"),
]

#: Those without a property list inside, which new tags write with other bytes, and those of which an array can have two.
NEW_ROWS = [row for row in ROWS if LISTED not in row[1]]
ARRAY_ROWS = [row for row in NEW_ROWS if not row[0].startswith("FINLua")]


def a_struct(name: str, data: bytes, version: int) -> bytes:
    """A save with one struct, and a property after it."""
    if version == OLD:
        made = tag("m", "StructProperty", data, extras=fstring(name) + bytes(16))
    else:
        made = new_tag("m", tree("StructProperty", tree(name, tree("/Script/Mod"))), data, 0x08)
    return property_save(made + encoded(Prop("z", INT, 1), version=version), version)


@pytest.mark.parametrize(("name", "data", "value"), ROWS)
def test_structs(name, data, value):
    assert built(a_struct(name, data, OLD)) == {"m": value, "z": 1}


@pytest.mark.parametrize(("name", "data", "value"), NEW_ROWS)
def test_structs_in_new_tags(name, data, value):
    assert built(a_struct(name, data, NEW)) == {"m": value, "z": 1}


@pytest.mark.parametrize(("name", "data", "value"), ARRAY_ROWS)
def test_arrays(name, data, value):
    kind = tree("ArrayProperty", tree("StructProperty", tree(name, tree("/Script/Mod"))))
    save = property_save(new_tag("m", kind, i32(2) + data * 2, 0x08) + encoded(Prop("z", INT, 1), version=NEW), NEW)
    assert object_events(save)[1] is None
    assert built(save) == {"m": [value, value], "z": 1}


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("FINDynamicStructHolder", held("/Script/Mod.Mystery", b"\xff\xfe\xfd\xfc")),
        ("FINDynamicStructHolder", held("/Script/CoreUObject.Vector", THREE_DOUBLES + b"\1")),
        ("FIRInstancedStruct", b"\xff\xff\xff"),
        ("FIRAnyValue", u8(11)),
        ("FIRAnyValue", u8(1) + b"\1"),
        ("FIRAnyValue", u8(9) + i32(1 << 30)),
        ("FIRAnyValue", b"\x0a" * 5000),
    ],
)
def test_what_does_not_fit_is_opaque(name, data, version):
    """These are not verified: a surprise in one loses nothing."""
    save = a_struct(name, data, version)
    assert object_events(save)[1] is None
    assert built(save) == {"m": Opaque(data, f"unknown struct {name}"), "z": 1}


def test_an_array_of_what_does_not_fit_is_opaque():
    kind = tree("ArrayProperty", tree("StructProperty", tree("FIRAnyValue", tree("/Script/Mod"))))
    data = i32(2) + u8(0) + u8(99)
    assert built(property_save(new_tag("m", kind, data, 0x08), NEW)) == {"m": Opaque(data, "array of unknown struct FIRAnyValue")}


# --- sets and maps, whose tags do not name the struct ---


def of_class(class_name: str, kind: str, extras: bytes, data: bytes) -> object:
    """The value of a set or map of an object of a class."""
    properties = tag("m", kind, data, extras=extras) + encoded(Prop("z", INT, 1))
    save = object_save(properties + NONE + bytes(4), class_name=class_name)
    assert object_events(save)[1] is None
    values = built(save)
    assert values["z"] == 1
    return values["m"]


KEYS = fstring("StructProperty") + fstring("IntProperty")
VALUES = fstring("IntProperty") + fstring("StructProperty")


@pytest.mark.parametrize(
    ("class_name", "kind", "extras", "data", "value"),
    [
        (
            "/BuildGunUtilities/BGU_Subsystem.BGU_Subsystem_C",
            "MapProperty",
            KEYS,
            i32(0) + i32(2) + (THREE_FLOATS + i32(7)) * 2,
            [(VECTOR, 7)] * 2,
        ),
        ("/NoImpure/NoImpureSubsystem.Sub_C", "MapProperty", KEYS, i32(0) + i32(1) + THREE_FLOATS + i32(7), [(VECTOR, 7)]),
        ("/StorageStatsRoom/Sub_SR.Sub_SR_C", "MapProperty", VALUES, i32(0) + i32(1) + i32(7) + THREE_DOUBLES, [(7, VECTOR)]),
        ("/CentralStorage/Sub_SC.Sub_SC_C", "MapProperty", VALUES, i32(0) + i32(1) + i32(7) + THREE_DOUBLES, [(7, VECTOR)]),
        (
            "/Script/FicsItNetworks.FINComponent",
            "SetProperty",
            fstring("StructProperty"),
            i32(0) + i32(2) + TRACE * 2,
            [HOP, HOP],
        ),
        (
            "/Script/FactoryGame.FGScannableSubsystem",
            "SetProperty",
            fstring("StructProperty"),
            i32(0) + i32(1) + bytes(range(16)),
            [Guid(bytes(range(16)))],
        ),
        ("/FicsItCam/Rig.Rig_C", "MapProperty", fstring("Int64Property") + fstring("StructProperty"),
         i32(0) + i32(1) + i64(5) + LISTED, [(5, {"NumItems": 7})]),
    ],
)  # fmt: skip
def test_the_class_decides_what_is_in_sets_and_maps(class_name, kind, extras, data, value):
    assert of_class(class_name, kind, extras, data) == value


@pytest.mark.parametrize(
    ("kinds", "data", "value"),
    [
        (("StrProperty", "ByteProperty"), i32(0) + i32(1) + fstring("group") + fstring("on"), [("group", "on")]),
        (("StrProperty", "ByteProperty"), i32(0) + i32(2) + fstring("a") + u8(1) + fstring("b") + u8(2), [("a", 1), ("b", 2)]),
        (("ByteProperty", "ByteProperty"), i32(0) + i32(1) + u8(1) + u8(2), [(1, 2)]),
        (("ByteProperty", "ByteProperty"), i32(0) + i32(1) + fstring("E::A") + fstring("E::B"), [("E::A", "E::B")]),
        (("ByteProperty",), i32(0) + i32(2) + u8(1) + u8(2), [1, 2]),
        (("ByteProperty",), i32(0) + i32(2) + fstring("E::A") + fstring("E::B"), ["E::A", "E::B"]),
        (("ByteProperty",), i32(0) + i32(0), []),
        (("ByteProperty", "StructProperty"), i32(0) + i32(1) + u8(1) + LISTED, [(1, {"NumItems": 7})]),
        (("ByteProperty", "StructProperty"), i32(0) + i32(1) + fstring("E::A") + LISTED, [("E::A", {"NumItems": 7})]),
    ],
)
def test_bytes_in_sets_and_maps_may_be_names(kinds, data, value):
    """LightItUp's map of strings; enums of old."""
    kind = "MapProperty" if len(kinds) == 2 else "SetProperty"
    assert of_class("/LightItUp/Sub.Sub_C", kind, b"".join(map(fstring, kinds)), data) == value
