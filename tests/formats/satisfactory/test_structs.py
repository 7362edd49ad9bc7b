"""Binary structs: each row of the table by hand-made bytes, each version gate on both sides."""

import struct

import pytest
from one_object import NEW, NONE, OLD, built, encoded, object_events, object_save, property_save
from satisfactory_layouts import BUILD, reader_over, reals, whole
from tag_bytes import new_tag, tag, tree
from writer.primitives import Ref, bool32, f32, fstring, i32, i64, ref, u8
from writer.tags import INT, Prop

from streamsave import TruncatedSave
from streamsave.decode.codecs import F32, F64
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.satisfactory.structs import HINTS, UNIQUE_NET_ID, make_dialect, mod_structs, struct_table
from streamsave.formats.unreal.dialect import engine_structs
from streamsave.values import (
    DynamicStruct,
    Guid,
    InventoryItem,
    ObjectReference,
    Opaque,
    RailroadTrackPosition,
    SoftObjectPath,
    Vector,
)

A = ref(Ref("Level", "A"))
READ_A = ObjectReference("Level", "A")
STATE = bool32(True) + ref(Ref("", "/Script/Any.State")) + i32(3) + b"\xff\xfe\xfd"
READ_STATE = DynamicStruct(ObjectReference("", "/Script/Any.State"), Opaque(b"\xff\xfe\xfd", "no property list"))
NARROW = {"service_provider": 1, "player_info_table_index": 2}
TWICE = {**NARROW, "service_provider_again": 3, "player_info_table_index_again": 4}
SOFT = ("SoftClassPath", "SoftObjectPath")

#: Struct, SaveVersion, bytes, value.
ROWS: list[tuple[str, int, bytes, object]] = [
    ("Vector3d", 36, reals(3, wide=True), Vector(1.0, 2.0, 3.0)),
    ("Vector", 40, reals(3, wide=False), Vector(1.0, 2.0, 3.0)),
    ("Vector", 41, reals(3, wide=True), Vector(1.0, 2.0, 3.0)),
    ("FluidBox", 58, f32(0.5), {"value": 0.5}),
    ("RailroadTrackPosition", 58, A + f32(0.5) + f32(-1), RailroadTrackPosition(READ_A, 0.5, -1.0)),
    ("InventoryItem", 42, A + ref(Ref("", "")), InventoryItem(READ_A, None)),
    ("InventoryItem", 42, A + A, InventoryItem(READ_A, READ_A)),
    ("InventoryItem", 43, A + bool32(False), InventoryItem(READ_A, None)),
    ("InventoryItem", 43, A + STATE, InventoryItem(READ_A, READ_STATE)),
    ("PlayerInfoHandle", 56, u8(1) + u8(2), NARROW),
    ("PlayerInfoHandle", 57, u8(1) + i32(2) + u8(3) + i32(4), TWICE),
    ("PlayerInfoHandle", 58, u8(1) + i32(2), NARROW),
    ("ClientIdentityInfo", 58, fstring("id") + i32(2) + u8(1) + i32(2) + b"ab" + u8(6) + i32(0), {
        "offline_id": "id",
        "account_ids": [(1, b"ab"), (6, b"")],
    }),
    ("SlateBrush", 58, fstring("icon"), {"resource_name": "icon"}),
    ("UniqueNetIdRepl", 58, u8(0x08) + fstring("id"), {"flags": 8, "contents": "id"}),
    *[(name, 40, fstring("asset") + fstring("sub"), SoftObjectPath("", "asset", "sub")) for name in SOFT],
    *[(name, 41, fstring("p") + fstring("asset") + fstring("sub"), SoftObjectPath("p", "asset", "sub")) for name in SOFT],
]  # fmt: skip


@pytest.mark.parametrize(("name", "version", "data", "value"), ROWS)
def test_rows(name, version, data, value):
    assert whole(struct_table(version, F64 if version >= 41 else F32)[name], data, version) == value
    assert whole(make_dialect(version, 0, BUILD).structs[name], data, version) == value


def test_no_row_is_left_out():
    """`MOD_ROWS` has the structs of mods, `tests/formats/unreal/test_dialect.py` those of the engine."""
    tested = {name for name, _version, _data, _value in ROWS} | set(engine_structs(F64))
    assert set(struct_table(58, F64)) - tested == set(mod_structs({})) - {"Vector3d"}


@pytest.mark.parametrize(("ue5_version", "new"), [(0, False), (1011, False), (1012, True), (1017, True)])
def test_new_tags(ue5_version, new):
    assert make_dialect(58, ue5_version, BUILD).new_tags == new


@pytest.mark.parametrize(
    ("build", "flag"), [(139649, False), (139650, True), (139651, False), (140821, False), (140822, True), (500_000, True)]
)
def test_texts_by_build(build, flag):
    codec = make_dialect(36, 0, build).types["TextProperty"]
    assert whole(codec, struct.pack("<Ib", 0, -1) + (bool32(True) + fstring("text") if flag else b""))


def test_hints():
    """Structs in maps and sets whose tags do not name them."""
    assert HINTS == {
        ("mSaveData", "key"): "IntVector",
        ("mUnresolvedSaveData", "key"): "IntVector",
        ("mRemovalLocations", "element"): "Vector",
        ("mDestroyedPickups", "element"): "Guid",
        ("mLootedDropPods", "element"): "Guid",
        ("mIndexMapping", "value"): "LBBalancerIndexing",
        ("Destroyed_Foliage_Transform", "key"): "Vector",
    }
    assert all(make_dialect(58, 0, BUILD).hints[key] == struct for key, struct in HINTS.items())


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (u8(0x03), {"flags": 0x03}),  # encoded, no id
        (u8(0x00), {"flags": 0x00}),
        (u8(0x19) + u8(2) + b"ab", {"flags": 0x19, "contents": b"ab"}),
        (u8(0x1D) + u8(0), {"flags": 0x1D, "contents": b""}),
        (u8(0xF1) + u8(6) + i32(3) + b"abc", {"flags": 0xF1, "online_services_type": 6, "replication_data": b"abc"}),
        (u8(0xF8) + fstring("Steam") + fstring("id"), {"flags": 0xF8, "type": "Steam", "contents": "id"}),
        (u8(0xF9) + fstring("Steam") + u8(1) + b"x", {"flags": 0xF9, "type": "Steam", "contents": b"x"}),
        (u8(0xF0) + fstring("id"), {"flags": 0xF0, "contents": "id"}),
    ],
)
def test_unique_net_ids(data, value):
    assert whole(UNIQUE_NET_ID, data) == value


@pytest.mark.parametrize("value", ["text", {}, {"flags": "1"}])
def test_what_is_no_id_is_not_written(value):
    with pytest.raises(EditError, match="not a UniqueNetIdRepl"):
        UNIQUE_NET_ID.encode(value, Encoder())


def test_a_cut_id():
    reader = reader_over(u8(0x19) + u8(3) + b"ab")
    reader.cursor.set_limit(100)
    with pytest.raises(TruncatedSave):
        UNIQUE_NET_ID.decode(reader.cursor, reader)


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
    return ref(Ref("", path)) + data


def holder(path: str, value: object) -> DynamicStruct:
    return DynamicStruct(ObjectReference("", path), value)


STACK = holder("/Script/FactoryGame.InventoryStack", {"NumItems": 7})
LUA = i32(1) + TRACE + i32(1) + ref(Ref("Level", "Panel")) + fstring("thread") + fstring("globals") + i32(1) + b"typed"

#: Name of the struct, its bytes, its value.
MOD_ROWS: list[tuple[str, bytes, object]] = [
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


def a_struct(name: str, data: bytes, version: int) -> bytes:
    """A save with one struct, and a property after it."""
    if version == OLD:
        made = tag("m", "StructProperty", data, extras=fstring(name) + bytes(16))
    else:
        made = new_tag("m", tree("StructProperty", tree(name, tree("/Script/Mod"))), data, 0x08)
    return property_save(made + encoded(Prop("z", INT, 1), version=version), version)


@pytest.mark.parametrize(("name", "data", "value"), MOD_ROWS)
def test_structs(name, data, value):
    assert built(a_struct(name, data, OLD)) == {"m": value, "z": 1}


@pytest.mark.parametrize("name", ["FINDynamicStructHolder", "FIRInstancedStruct"])
def test_a_held_struct_is_written_by_the_layout_of_its_type(name):
    encoder = Encoder()
    make_dialect(58, 0, BUILD).structs[name].encode(holder("/Script/CoreUObject.Vector", VECTOR), encoder)
    assert bytes(encoder.data) == held("/Script/CoreUObject.Vector", THREE_DOUBLES)


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
