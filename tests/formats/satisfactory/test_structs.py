"""Binary structs: each row of the table by hand-made bytes, each version gate on both sides."""

from __future__ import annotations

import struct

import pytest
from satisfactory_layouts import BUILD, reader_over, reals, whole
from writer.primitives import Ref, bool32, f32, fstring, i32, i64, ref, u8

from streamsave import TruncatedSave
from streamsave.decode.codecs import F32, F64
from streamsave.formats.satisfactory.mod_structs import mod_structs
from streamsave.formats.satisfactory.structs import HINTS, UNIQUE_NET_ID, make_dialect, struct_table
from streamsave.formats.satisfactory.versions import (
    BUILD_TEXT_INVARIANT,
    BUILD_TEXT_INVARIANT_EARLY,
    SAVE_VERSION_DOUBLES,
    SAVE_VERSION_ITEM_STATE,
    SAVE_VERSION_SINGLE_PLAYER_HANDLE,
    SAVE_VERSION_SOFT_PACKAGES,
    SAVE_VERSION_WIDE_PLAYER_HANDLE,
)
from streamsave.formats.unreal.versions import UE5_TYPE_TREES
from streamsave.values import (
    Box,
    Color,
    DateTime,
    DynamicStruct,
    Guid,
    InventoryItem,
    LinearColor,
    ObjectReference,
    Opaque,
    Quat,
    RailroadTrackPosition,
    Rotator,
    SoftObjectPath,
    Vector,
    Vector2D,
    Vector4,
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
    ("Color", 58, bytes([1, 2, 3, 4]), Color(1, 2, 3, 4)),
    ("LinearColor", 58, reals(4, wide=False), LinearColor(1.0, 2.0, 3.0, 4.0)),
    ("IntPoint", 58, i32(1) + i32(-2), {"x": 1, "y": -2}),
    ("IntVector", 58, i32(1) + i32(2) + i32(3), {"x": 1, "y": 2, "z": 3}),
    ("IntVector4", 58, i32(1) + i32(2) + i32(3) + i32(4), {"x": 1, "y": 2, "z": 3, "w": 4}),
    ("Guid", 58, bytes(range(16)), Guid(bytes(range(16)))),
    ("DateTime", 58, i64(5), DateTime(5)),
    ("Vector3f", 58, reals(3, wide=False), Vector(1.0, 2.0, 3.0)),
    ("Vector3d", 36, reals(3, wide=True), Vector(1.0, 2.0, 3.0)),
    ("Box3f", 58, reals(6, wide=False) + u8(1), Box(Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0), 1)),
    *[
        row
        for version, wide in ((40, False), (41, True))
        for row in (
            ("Vector", version, reals(3, wide=wide), Vector(1.0, 2.0, 3.0)),
            ("Rotator", version, reals(3, wide=wide), Rotator(1.0, 2.0, 3.0)),
            ("Vector2D", version, reals(2, wide=wide), Vector2D(1.0, 2.0)),
            ("Quat", version, reals(4, wide=wide), Quat(1.0, 2.0, 3.0, 4.0)),
            ("Vector4", version, reals(4, wide=wide), Vector4(1.0, 2.0, 3.0, 4.0)),
            ("Vector4D", version, reals(4, wide=wide), Vector4(1.0, 2.0, 3.0, 4.0)),
            ("Box", version, reals(6, wide=wide) + u8(1), Box(Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0), 1)),
        )
    ],
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
    table = struct_table(version, F64 if version >= 41 else F32)
    assert whole(table[name], data, version) == value
    dialect = make_dialect(version, 0, BUILD)
    assert whole(dialect.structs[name], data, version) == value


def test_no_row_is_left_out():
    """`test_mod_structs` has the structs of mods."""
    tested = {name for name, _version, _data, _value in ROWS}
    assert set(struct_table(58, F64)) - tested == set(mod_structs({})) - {"Vector3d"}


def test_the_other_precision_is_known():
    """A tag's size shows it."""
    for version, size in ((36, 24), (58, 12)):
        codec = make_dialect(version, 0, BUILD).struct("Vector", size)
        assert codec is not None
        assert codec.size == size


def test_gates_are_those_of_the_game():
    assert (SAVE_VERSION_DOUBLES, SAVE_VERSION_SOFT_PACKAGES, SAVE_VERSION_ITEM_STATE) == (41, 41, 43)
    assert (SAVE_VERSION_WIDE_PLAYER_HANDLE, SAVE_VERSION_SINGLE_PLAYER_HANDLE) == (57, 58)
    assert (BUILD_TEXT_INVARIANT, BUILD_TEXT_INVARIANT_EARLY, UE5_TYPE_TREES) == (140822, 139650, 1012)


@pytest.mark.parametrize(("ue5_version", "new"), [(0, False), (1011, False), (1012, True), (1017, True)])
def test_new_tags(ue5_version, new):
    assert make_dialect(58, ue5_version, BUILD).new_tags == new


@pytest.mark.parametrize(
    ("build", "flag"), [(139649, False), (139650, True), (139651, False), (140821, False), (140822, True), (500_000, True)]
)
def test_texts_by_build(build, flag):
    codec = make_dialect(36, 0, build).types["TextProperty"]
    data = struct.pack("<Ib", 0, -1) + (bool32(True) + fstring("text") if flag else b"")
    assert whole(codec, data)


@pytest.mark.parametrize(("version", "strings"), [(40, 2), (41, 3)])
def test_soft_object_properties(version, strings):
    codec = make_dialect(version, 0, BUILD).types["SoftObjectProperty"]
    assert isinstance(whole(codec, fstring("x") * strings, version), SoftObjectPath)


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


# --- ids of players ---


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


def test_a_cut_id():
    reader = reader_over(u8(0x19) + u8(3) + b"ab")
    reader.cursor.set_limit(100)
    with pytest.raises(TruncatedSave):
        UNIQUE_NET_ID.decode(reader.cursor, reader)
