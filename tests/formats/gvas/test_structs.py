"""Binary structs and types of save games: each row of the tables from bytes."""

import struct
from collections import Counter

import pytest
from gvas_saves import build, save
from saves import VALID
from tag_bytes import tag
from unreal_walks import reader_over
from writer.primitives import fstring, i32
from writer.tags import BYTE, Array, Prop

import streamsave
from streamsave import BlobSkip, ObjectHeader, PropertyTag, StructEnter
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.decode.codecs import F32, F64, STRING
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.structs import MULTICAST_TYPES, PATH_TYPES, SOFT_TYPES, UTF8_TYPES, NetId, make_dialect, struct_table
from streamsave.formats.unreal.dialect import engine_structs
from streamsave.values import Box, Delegate, Guid, Opaque, Quat, Rotator, Timespan, Vector, Vector2D, Vector4

X, Y, Z, W = 1.0, 2.0, 3.0, 4.0
PATH = fstring("path")

#: Name, numbers where `r` is a float or a double, value of 1, 2, 3, ...
NUMBERS = [
    ("Timespan", "q", Timespan(1)),
    ("Vector2f", "2f", Vector2D(X, Y)),
    ("Vector4f", "4f", Vector4(X, Y, Z, W)),
    ("Quat4f", "4f", Quat(X, Y, Z, W)),
    ("Vector2d", "2d", Vector2D(X, Y)),
    ("Vector3d", "3d", Vector(X, Y, Z)),
    ("Vector4d", "4d", Vector4(X, Y, Z, W)),
    ("Quat4d", "4d", Quat(X, Y, Z, W)),
    ("Plane", "4r", Vector4(X, Y, Z, W)),
    ("Box2D", "4rB", Box(Vector2D(X, Y), Vector2D(Z, W), 5)),
    ("Matrix", "16r", {name: Vector4(*(float(4 * row + at) for at in range(1, 5))) for row, name in enumerate("xyzw")}),
    ("TwoVectors", "6r", {"first": Vector(X, Y, Z), "second": Vector(4.0, 5.0, 6.0)}),
    ("FrameNumber", "i", {"value": 1}),
    (
        "RichCurveKey",
        "3B6f",
        {
            "interpolation_mode": 1,
            "tangent_mode": 2,
            "tangent_weight_mode": 3,
            "time": 4.0,
            "value": 5.0,
            "arrive_tangent": 6.0,
            "arrive_tangent_weight": 7.0,
            "leave_tangent": 8.0,
            "leave_tangent_weight": 9.0,
        },
    ),
    ("KeyHandleMap", "", {}),
    ("VoyageFloat3Packed16", "3e", Vector(X, Y, Z)),
    (
        "VoyagePackedTransform",
        "3r6e",
        {"translation": Vector(X, Y, Z), "rotation": Rotator(4.0, 5.0, 6.0), "scale": Vector(7.0, 8.0, 9.0)},
    ),
    ("VoyageFloat16", "e", {"value": X}),
    (
        "VoyagePackedLocalTransform",
        "3f6e",
        {"translation": Vector(X, Y, Z), "rotation": Rotator(4.0, 5.0, 6.0), "scale": Vector(7.0, 8.0, 9.0)},
    ),
]
#: Name, bytes, value.
OTHERS = [
    ("SoftObjectPath", PATH, "path"),
    ("SoftClassPath", PATH, "path"),
    ("StringAssetReference", PATH, "path"),
    ("StringClassReference", PATH, "path"),
    ("GameplayTagContainer", i32(2) + fstring("a") + fstring("b"), ["a", "b"]),
    ("TopLevelAssetPath", fstring("p") + fstring("a"), {"package_name": "p", "asset_name": "a"}),
    ("UniqueNetIdRepl", i32(0), None),
    ("PerPlatformFloat", i32(1) + struct.pack("<f", 0.5), {"default": 0.5, "platforms": []}),
    ("PerPlatformInt", i32(0) + i32(5) + i32(1) + fstring("Mac") + i32(7), {"default": 5, "platforms": [("Mac", 7)]}),
    ("PerPlatformBool", i32(1) + i32(0), {"default": False, "platforms": []}),
    ("InstancedStruct", fstring("S") + i32(9) + fstring("None"), {"script_struct": "S", "value": {}}),
    ("InstancedStruct", fstring("S") + i32(3) + b"odd", {"script_struct": "S", "value": Opaque(b"odd", "no property list")}),
    (
        "SkeletalMeshSamplingLODBuiltData",
        i32(1) + struct.pack("<f", 1) + i32(1) + i32(9) + struct.pack("<f", 2),
        {"weights": [1.0], "aliases": [9], "total_weight": 2.0},
    ),
]


def test_each_struct_has_a_row():
    rows = {name for name, *_ in NUMBERS} | {name for name, *_ in OTHERS}
    assert set(struct_table(F32, STRING, NetId(has_type=True))) == rows | set(engine_structs(F32))


@pytest.mark.parametrize(("real", "letter"), [(F32, "f"), (F64, "d")])
@pytest.mark.parametrize(("name", "layout", "value"), NUMBERS)
def test_numbers(name, layout, value, real, letter):
    layout = "<" + layout.replace("r", letter)
    data = struct.pack(layout, *range(1, len(struct.unpack(layout, bytes(struct.calcsize(layout)))) + 1))
    codec = struct_table(real, STRING, NetId(has_type=True))[name]
    assert codec.size == codec.least == len(data)
    reader = reader_over(data)
    assert codec.decode(reader.cursor, reader) == value
    assert reader.cursor.remaining() == 0


@pytest.mark.parametrize(("name", "data", "value"), OTHERS)
def test_others(name, data, value):
    codec = struct_table(F32, STRING, NetId(has_type=True))[name]
    for act in (codec.decode, codec.measure):
        reader = reader_over(data)
        given = act(reader.cursor, reader)
        assert reader.cursor.remaining() == 0
        assert codec.least <= len(data)
        if act == codec.decode:
            assert given == value


DELEGATE = fstring("object") + fstring("function")
TYPES = [
    *((name, PATH, "path") for name in PATH_TYPES),
    *((name, PATH + fstring("sub"), None) for name in SOFT_TYPES),
    ("DelegateProperty", DELEGATE, Delegate("object", "function")),
    *((name, i32(2) + DELEGATE * 2, [Delegate("object", "function")] * 2) for name in MULTICAST_TYPES),
    *((name, i32(3) + b"\xc3\xa4b", "äb") for name in UTF8_TYPES),
    ("FieldPathProperty", i32(1) + fstring("f"), None),
    ("TextProperty", struct.pack("<Ib", 0, 11) + fstring("table") + fstring("key"), None),
]


@pytest.mark.parametrize(("name", "data", "value"), TYPES)
def test_types(name, data, value):
    spoken = make_dialect(GvasHeader(2, 522, None, (4, 27, 2), 0, "", 3, [], "C"))
    reader = reader_over(data)
    codec = spoken.scalar(name)
    given = codec.decode(reader.cursor, reader)
    assert reader.cursor.remaining() == 0
    if value is not None:
        assert given == value


def test_each_type_has_a_row():
    spoken = make_dialect(GvasHeader(2, 522, None, (4, 27, 2), 0, "", 3, [], "C"))
    assert set(spoken.types) == {name for name, *_ in TYPES}


@pytest.mark.parametrize("value", [0.5, {"default": 0.5}, {"default": 0.5, "platforms": [], "more": 1}])
def test_what_is_no_value_of_platforms_is_not_written(value):
    codec = make_dialect(GvasHeader(3, 522, 1008, (5, 1, 0), 0, "", 3, [], "C")).structs["PerPlatformFloat"]
    with pytest.raises(EditError, match="not a PerPlatformFloat"):
        codec.encode(value, Encoder())


@pytest.mark.parametrize(("name", "has_control"), [("object-bytes", False), ("object-bytes-new-tags", True)])
def test_objects_in_arrays_of_bytes(name, has_control):
    with streamsave.open(VALID / "gvas" / f"{name}.sav") as events:
        [saved] = [events.build() for event in events if isinstance(event, ObjectHeader)]
    blobs = [actor["ByteData"] for actor in saved["properties"]["Actors"]]
    one, two, *_ = blobs
    control = {"serialization_control": 0} if has_control else {}
    items = [{"Name": f"Item_{number}", "Count": number} for number in range(7)]
    assert one == {**control, "properties": {**items[2], "Nested": items[3], "Items": items[4:6]}, "object_guid": None}
    guid = Guid(bytes(range(0x81, 0x91)))
    assert two == {**control, "properties": items[6], "object_guid": guid, "ucs_modified_properties": []}
    modified = [{"parent": "/Script/Game.Part", "name": each, "guid": Guid(bytes(16))} for each in ("Port", "Radius")]
    assert blobs[2:] == [{**two, "object_guid": None, "ucs_modified_properties": modified}, b"plain", b""]


@pytest.mark.parametrize(
    ("kind", "value", "inner", "is_path"),
    [
        ("ObjectProperty", PATH, b"", True),
        ("ObjectProperty", i32(7), b"", False),
        ("ObjectProperty", b"", b"", False),
        ("SoftObjectProperty", bytes(16), b"", False),
        ("ArrayProperty", i32(2) + 2 * PATH, fstring("ObjectProperty"), True),
        ("ArrayProperty", i32(2) + i32(7) + i32(8), fstring("ObjectProperty"), False),
        ("SetProperty", i32(0) + i32(1) + i32(7), fstring("ObjectProperty"), False),
        ("StructProperty", tag("Owner", "ObjectProperty", PATH) + fstring("None"), fstring("Part") + bytes(16), True),
        ("StructProperty", tag("Owner", "ObjectProperty", i32(7)) + fstring("None"), fstring("Part") + bytes(16), False),
    ],
)
def test_no_object_in_an_array_of_bytes(kind, value, inner, is_path):
    """An object is the text of its path. Where a game writes numbers, the array is bytes: the save is sound."""
    blob = tag("Owner", kind, value, extras=inner) + fstring("None") + i32(0)
    data = save(Prop("ByteData", Array(BYTE), blob))
    found = build(data)["ByteData"]
    assert isinstance(found, dict) if is_path else found == blob
    assert all(finding.severity == NOTE for finding in check(data))


@pytest.mark.slow
def test_objects_in_arrays_of_bytes_of_a_real_save(real_save):
    """All but one, of a class that writes more after its properties, and those that are empty. One is in another one."""
    found: Counter[str] = Counter()
    with streamsave.open(real_save("more/archive-v2-ue561.sav")) as events:
        for event in events:
            if isinstance(event, StructEnter) and event.name == "ByteData":
                found[event.type_name] += 1
            elif isinstance(event, PropertyTag) and event.name == "ByteData":
                found["empty" if event.size == 4 else "all"] += 1
    assert found == {"SavedObject": 1096, "SavedComponent": 1473, "all": 2570, "empty": 963}


@pytest.mark.slow
def test_the_packed_transforms_of_a_real_save(real_save):
    """As a rotator's, each pitch is at most 90 degrees, where yaw and roll go to 180; nearly all have a scale of 1."""
    found = []
    with streamsave.open(real_save("more/archive-v2-ue561.sav")) as events:
        for event in events:
            assert not isinstance(event, BlobSkip)
            if isinstance(event, PropertyTag) and event.type_name == "VoyagePackedTransform":
                found.append(events.build())
    assert len(found) == 4812
    turns = [each["rotation"] for each in found]
    assert [max(abs(getattr(turn, name)) for turn in turns) for name in ("pitch", "yaw", "roll")] == [90, 180, 180]
    assert sum(each["scale"] == Vector(1, 1, 1) for each in found) == 4422
