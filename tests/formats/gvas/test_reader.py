"""Unreal save games: those of the writer, by value; hints, skipping, texts, and what is wrong with a file."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from gvas_saves import build, events_of, save
from saves import read_to_error, same_zlib
from tiling import assert_tiled
from writer.gvas import SaveGame
from writer.gvas_samples import ERAS, KEY_GUID, invalid, item, valid
from writer.gvas_values import KEY_HANDLE_MAP
from writer.primitives import fstring, i32, u8
from writer.structs import GUID, VECTOR
from writer.tags import BYTE, INT, NAME, Array, Delta, Fields, Map, Native, Prop, Set, byte_enum

import streamsave
from streamsave import (
    Damage,
    DamagedSave,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    StructEnter,
    TruncatedSave,
)
from streamsave.formats.gvas.header import MOST_VERSION
from streamsave.values import (
    Color,
    ContainerDelta,
    DateTime,
    Delegate,
    Guid,
    LinearColor,
    Opaque,
    Timespan,
    Vector,
)

ROOT = Path(__file__).resolve().parents[3]
VALID = ROOT / "corpora" / "valid" / "gvas"
ITEM = Fields("Item", "/Script/Game")
#: They have custom versions of UE5's era, and all types of values.
MODERN = [name for name in ERAS if name.startswith("ue5")]


# --- the files of the writer ---


@same_zlib
@pytest.mark.parametrize("name", valid())
def test_corpora_are_what_the_writer_makes(name):
    assert (VALID / f"{name}.sav").read_bytes() == valid()[name]


@pytest.mark.parametrize("name", [*ERAS])
def test_every_type_has_its_value(name):
    properties = build(ERAS[name]().encode())
    assert {key: value for key, value in properties.items() if key in SCALARS} == SCALARS
    assert math.isnan(properties["NaN"])
    assert properties["Infinity"] == math.inf
    assert properties["Static"] == 1
    assert properties["Static[1]"] == 2
    assert properties["Text"].source == "source"
    assert properties["Table"].fields == {"table": "table", "key": "key"}
    assert properties["Unknown"] == Opaque(b"\x01\x02\x03", "unknown type QuantumProperty")
    assert properties["MysteryStruct"] == Opaque(b"\xff\xfe\xfd\xfc\xfb", "unknown struct MysteryStruct")
    assert properties["Nested"] == {"Inner": {"Name": "Item_7", "Count": 7}}
    assert properties["Vector"] == Vector(1.0, 2.0, 3.0)
    assert properties["Matrix"]["w"].w == 15.5
    assert properties["Box"].is_valid == 1
    assert properties["TwoVectors"]["second"] == Vector(3.5, 4.5, 5.5)


SCALARS = {
    "Int8": -8,
    "Int16": -16,
    "Int": -32,
    "Int64": -64,
    "UInt8": 8,
    "UInt16": 16,
    "UInt32": 1 << 31,
    "UInt64": 1 << 63,
    "Float": 0.5,
    "Double": 0.25,
    "Bool": True,
    "False": False,
    "Byte": 7,
    "Str": "Größe",
    "Name": "Name_3",
    "Empty": "",
    "ObjectProperty": "/Game/ObjectProperty",
    "ClassProperty": "/Game/ClassProperty",
    "InterfaceProperty": "/Game/InterfaceProperty",
    "WeakObjectProperty": "/Game/WeakObjectProperty",
    "AssetObjectProperty": "/Game/AssetObjectProperty",
    "Enum": "EKind::B",
    "ByteEnum": "EKind::A",
    "Lazy": Guid(KEY_GUID),
    "Delegate": Delegate("/Game/Map.Map:Level.Actor", "Called"),
    "Multicast": [Delegate("/Game/Map.Map:Level.Actor", "One"), Delegate("/Game/Map.Map:Level.Actor", "Two")],
    "Sparse": [],
    "Utf8": "käse",
    "Verse": "verse",
    "Guid": Guid(KEY_GUID),
    "DateTime": DateTime(638_000_000_000_000_000),
    "Timespan": Timespan(36_000_000_000),
    "Color": Color(1, 2, 3, 4),
    "LinearColor": LinearColor(0.0, 0.5, 1.0, 1.0),
    "IntPoint": {"x": 3, "y": 4},
    "Vector3f": Vector(1.0, 2.0, 3.0),
    "Vector3d": Vector(1.0, 2.0, 3.0),
    "FrameNumber": {"value": 24},
    "GameplayTagContainer": ["Tag.A", "Tag.B"],
    "TopLevelAssetPath": {"package_name": "/Game/A", "asset_name": "B"},
    "PerPlatformFloat": {"default": 0.5, "platforms": []},
    "UniqueNetIdRepl": None,
    "InstancedStruct": {"script_struct": "/Script/Game.Item", "value": {}},
    "Ints": [1, 2, 3],
    "Bytes": b"bytes",
    "Bools": [True, False],
    "Names": ["a", "b"],
    "Items": [{"Name": "Item_1", "Count": 1}, {"Name": "Item_2", "Count": 2}],
    "NoItems": [],
}


@pytest.mark.parametrize("name", ["ue4-513", "ue4-522", "ue4-522-version-34", *MODERN])
def test_structs_in_sets_and_maps_need_no_hint(name):
    properties = build(ERAS[name]().encode())
    one, zero = Guid(KEY_GUID), Guid(bytes(16))
    assert properties["NameSet"] == ["a", "b"]
    assert properties["GuidSet"] == [one, zero]
    assert properties["ItemSet"] == [{"Name": "Item_3", "Count": 3}]
    assert properties["Scores"] == [("a", 1), ("b", 2)]
    assert properties["ByGuid"] == [(one, {"Name": "Item_4", "Count": 4}), (zero, {"Name": "Item_5", "Count": 5})]
    assert properties["ByItem"] == [({"Name": "Item_6", "Count": 6}, one)]
    assert properties["GuidByName"] == [("a", one), ("b", one)]
    assert properties["NoGuids"] == []
    known = [(1, Vector(1.0, 2.0, 3.0))]
    if name in {"ue5-1012", "ue5-1018"}:
        assert properties["ByVector"] == known
    else:
        assert properties["ByVector"].reason == "map of unknown structs"
        assert build(ERAS[name]().encode(), ByVector="Vector")["ByVector"] == known


# --- what is wrong ---


KEY = UUID(int=7)


# --- skipping ---


def test_skipping_what_the_wrapper_cannot_hold():
    with streamsave.open(invalid()["plz-size"]) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
                break
        assert isinstance(next(events), ObjectEnd)
        with pytest.raises(DamagedSave, match="inflates to less"):
            next(events)


# --- structs in maps and sets ---

#: Longer than a window of the stream.
MANY = 20_000


def pairs_of(data: bytes) -> Iterator[Event]:
    return (event for event in events_of(data) if isinstance(event, StructEnter) and event.type_name == "MapEntry")


def test_elements_that_differ():
    """Guids and property lists side by side: each element is looked at."""
    both = [(KEY_GUID, item(1))]
    data = save(Prop("Map", Map(GUID, ITEM), both * 3))
    assert len(list(pairs_of(data))) == 3
    mixed = i32(0) + i32(2) + fstring("None") + KEY_GUID
    properties = build(save(Prop("Set", Set(GUID), [])).replace(i32(8) + i32(0) + fstring("StructProperty") + u8(0) + i32(0) * 2,
        i32(len(mixed)) + i32(0) + fstring("StructProperty") + u8(0) + mixed))  # fmt: skip
    assert properties["Set"] == [{}, Guid(KEY_GUID)]


def test_a_key_that_looks_like_a_list():
    """With a hint, what a key looks like counts for nothing where a property list follows it."""
    name = fstring("Name")
    key = i32(12 + len(name)) + bytes(8)
    vector = Native("IntVector", encode=lambda value, _: bytes(value))
    data = save(Prop("Map", Map(vector, ITEM), [(key, item(1)), (bytes(12), item(2))]))
    assert [pair[0]["x"] for pair in build(data, **{"Map.Key": "IntVector"})["Map"]] == [12 + len(name), 0]


@pytest.mark.parametrize("path", ["Points", "Outer.Points", "Outer.Points.Value", "Points.Value"])
def test_hints(path):
    points = Prop("Points", Map(NAME, VECTOR), [("a", (1.0, 2.0, 3.0)), ("bc", (0.5, 0.5, 0.5))])
    data = save(Prop("Outer", ITEM, [points]), Prop("After", INT, 3))
    assert build(data)["Outer"]["Points"].reason == "map of unknown structs"
    built = build(data, **{path: "Vector"})
    assert built["Outer"]["Points"] == [("a", Vector(1.0, 2.0, 3.0)), ("bc", Vector(0.5, 0.5, 0.5))]
    assert built["After"] == 3
    assert build(data, **{"Other." + path: "Vector"})["Outer"]["Points"].reason == "map of unknown structs"


def test_sets_of_unknown_structs():
    data = save(Prop("Set", Set(VECTOR), [(1.0, 2.0, 3.0)] * 3))
    assert build(data)["Set"].reason == "set of unknown structs"
    assert build(data, Set="Vector")["Set"] == [Vector(1.0, 2.0, 3.0)] * 3


@pytest.mark.parametrize("version", [1008, 1012])
@pytest.mark.parametrize(
    ("inner", "value", "built"),
    [
        (("IntProperty",), i32(1) + i32(7), 7),
        (("IntProperty",), i32(0), None),
        (("ByteProperty",), i32(1) + u8(7), 7),
        (("ByteProperty",), i32(1) + fstring("EKind::B"), "EKind::B"),
        (("ByteProperty",), i32(1) + fstring(""), ""),
        (("StructProperty", "Item"), i32(1) + fstring("None"), {}),
        (("StructProperty", "Item"), i32(0), None),
        (("StructProperty", "Mystery"), i32(1) + b"\xff" * 5, Opaque(i32(1) + b"\xff" * 5, "optional of unknown struct")),
        (("QuantumProperty",), i32(1) + b"\xff", Opaque(i32(1) + b"\xff", "optional of unknown type QuantumProperty")),
    ],
)
def test_optionals(version, inner, value, built):
    if version >= 1012:
        parameters = b"" if len(inner) == 1 else i32(1) + fstring(inner[1]) + i32(0)
        kind = fstring("OptionalProperty") + i32(1) + fstring(inner[0]) + (parameters or i32(0))
        tag = fstring("Maybe") + kind + i32(len(value)) + u8(0)
    else:
        tag = fstring("Maybe") + fstring("OptionalProperty") + i32(len(value)) + i32(0) + fstring(inner[0]) + u8(0)
    data = save(Prop("Here", INT, 1), ue5=version).replace(fstring("Here"), tag + value + fstring("Here"))
    assert_tiled(events_of(data), len(data))
    properties = build(data)
    assert properties["Here"] == 1
    if isinstance(built, Opaque):
        assert properties["Maybe"].data == built.data
        assert properties["Maybe"].reason.startswith(built.reason)
    else:
        assert properties["Maybe"] == built


def test_an_empty_array_of_an_enum_is_no_bytes():
    """The tree of its type shows it; before, nothing does."""
    kinds = {"Bytes": Array(BYTE), "Kinds": Array(byte_enum("EKind"))}
    props = [Prop(name, kind, []) for name, kind in kinds.items()]
    assert build(save(*props, ue5=1012)) == {"Bytes": b"", "Kinds": []}
    assert build(save(*props, ue5=1008)) == {"Bytes": b"", "Kinds": b""}


@pytest.mark.parametrize("version", [1008, 1012])
@pytest.mark.parametrize("values", [[""], ["EKind::B"], ["EKind::B", "", "EKind::A"], [7], [7, 0, 255]])
def test_bytes_after_property_lists_are_numbers_or_names(version, values):
    """In old tags only the size of the map shows it; that a key is a property list does not."""
    byte = BYTE if isinstance(values[0], int) else byte_enum("EKind")
    pairs = [(item(at), value) for at, value in enumerate(values)]
    data = save(Prop("ByItem", Map(Fields("Item"), byte), pairs), Prop("Behind", INT, 1), ue5=version)
    assert build(data) == {"ByItem": [({"Name": f"Item_{at}", "Count": at}, one) for at, one in enumerate(values)], "Behind": 1}
    assert_tiled(events_of(data), len(data))


@pytest.mark.parametrize("version", [1008, 1012])
def test_a_byte_may_be_a_number_and_the_other_a_name(version):
    kind, names = byte_enum("EKind"), ["EKind::A", "", "EKind::B"]
    props = [
        Prop("Kinds", Map(BYTE, kind), list(enumerate(names))),
        Prop("Bytes", Map(kind, BYTE), [(name, at) for at, name in enumerate(names)]),
        Prop("Behind", INT, 1),
    ]
    assert build(save(*props, ue5=version)) == {prop.name: prop.value for prop in props}


def test_structs_of_no_bytes():
    """A key is there once, however small."""
    props = [
        Prop("Map", Map(KEY_HANDLE_MAP, KEY_HANDLE_MAP), [(None, None)]),
        Prop("Less", Map(KEY_HANDLE_MAP, KEY_HANDLE_MAP), Delta([None], [(None, None)])),
        Prop("Set", Set(KEY_HANDLE_MAP), Delta([None], [None])),
        Prop("Array", Array(KEY_HANDLE_MAP), [None] * 3),
    ]
    assert build(save(*props, ue5=1012)) == {
        "Map": [({}, {})],
        "Less": ContainerDelta([{}], [({}, {})]),
        "Set": ContainerDelta([{}], [{}]),
        "Array": [{}, {}, {}],
    }


@pytest.mark.parametrize("value", [KEY_HANDLE_MAP, INT])
@pytest.mark.parametrize("change", [Delta([None] * 2, []), Delta([None], [(None, 1)] * 2), Delta([], [(None, 1)] * 2)])
@pytest.mark.parametrize("size", [None, (1 << 31) - 1])
def test_keys_of_no_bytes_are_not_many(value, change, size):
    """They would all be the same, and each is an event: a small file must not give a million, whatever it says of its sizes."""
    data = save(Prop("Map", Map(KEY_HANDLE_MAP, value), change), ue5=1012)
    if size is not None:
        true_size = 8 + 4 * len(change.added) * (value is INT)
        size_at = data.index(i32(true_size), data.index(fstring("Map")))
        data = data[:size_at] + i32(size) + data[size_at + 4 :]
    for read in (build, events_of):
        with pytest.raises(DamagedSave, match="more than one KeyHandleMap, which takes no bytes"):
            read(data)


NUMBERS = list(range(70_000))
GUIDS = [at.to_bytes(16) for at in range(20_000)]


@pytest.mark.parametrize(
    ("kind", "change", "part"),
    [
        (Set(GUID), Delta(GUIDS, GUIDS), "added"),
        (Map(INT, GUID), Delta(NUMBERS, []), "removed"),
        (Map(INT, GUID), Delta([1], list(enumerate(GUIDS))), "added"),
        (Map(GUID, INT), Delta(GUIDS, list(zip(GUIDS, NUMBERS, strict=False))), "added"),
    ],
)
def test_no_element_comes_after_the_end(kind, change, part):
    """Those of one size need not be read to go on, and each is an event: a count of millions has to end where the file does."""
    data = save(Prop("Of", kind, change), ue5=1012)
    enter = next(event for event in events_of(data) if isinstance(event, StructEnter) and event.name == part)
    end = enter.offset + enter.header_size + 203
    seen, error = read_to_error(data[:end])
    assert isinstance(error, TruncatedSave)
    assert max(event.offset for event in seen) < end
    fields = [event for event in seen if isinstance(event, Field) and event.offset > enter.offset]
    assert all(event.offset + event.size <= end for event in fields)
    assert len(fields) >= 203 // 16 - 2


def test_new_tags_distinguish_a_number_from_an_empty_name():
    kind = byte_enum("EKind")
    props = [Prop("Kinds", Map(BYTE, kind), [(0, "")]), Prop("Bytes", Map(kind, BYTE), [("", 0)])]
    assert build(save(*props, ue5=1012)) == {"Kinds": [(0, "")], "Bytes": [("", 0)]}


@pytest.mark.parametrize("wrap", [bytes, zlib.compress])
def test_naming_the_class_of_another_game_is_not_enough(wrap):
    """What is asked for is the class in the header, not its name somewhere near the start."""
    data = save(Prop("Class", NAME, "AstroSave"), ue5=1008)
    assert build(wrap(data)) == {"Class": "AstroSave"}


# --- memory ---


@pytest.mark.slow
def test_a_large_array_is_not_held():
    """Windows are let go: what is far back cannot be read again without inflating anew, and is read all the same."""
    points = [(float(at), 0.0, 0.0) for at in range(MANY)]
    data = save(Prop("Points", Array(VECTOR), points), Prop("Items", Array(ITEM), [item(at) for at in range(MANY)]))
    from writer.gvas import plz

    for stored in (data, plz(data, 0x32), plz(data, 0x30)):
        with streamsave.open(stored) as events:
            for event in events:
                if isinstance(event, PropertyTag) and event.name == "Points":
                    assert len(events.build()) == MANY
                elif isinstance(event, PropertyTag) and event.name == "Items":
                    assert events.raw()[:4] == i32(MANY)
            assert isinstance(event, SaveEnd)


def test_a_class_that_goes_on_after_its_end_is_reported():
    """With resync: what its name has swallowed is given as nothing."""
    name = fstring("/Script/Game.Save")
    data = SaveGame([Prop("Before", INT, 1)]).encode()
    at = data.index(name)
    longer = i32(len(name) - 4 + len(fstring("Before")))
    with streamsave.open(data[:at] + longer + data[at + 4 :], on_damage="resync") as events:
        given = list(events)
    assert not any(isinstance(event, (ObjectHeader, PropertyTag)) for event in given)
    assert [(event.error.message, event.offset) for event in given if isinstance(event, Damage)] == [("a name in the header", 0)]


@pytest.mark.parametrize("version", [0, MOST_VERSION])
def test_the_least_and_the_most_custom_version(version):
    with streamsave.open(
        SaveGame([Prop("Here", INT, 1)], custom_versions=[(KEY, version)]).encode(), on_damage="resync"
    ) as events:
        assert [event.name for event in events if isinstance(event, PropertyTag)] == ["Here"]


@pytest.mark.parametrize("versions", [[(KEY, 1 << 30)], [(KEY, -1)], [(KEY, 1), (KEY, 1)]])
def test_custom_versions_that_have_taken_along_what_follows_are_reported(versions):
    data = SaveGame([Prop("Before", INT, 1)], custom_versions=versions).encode()
    with streamsave.open(data, on_damage="resync") as events:
        given = list(events)
    assert not any(isinstance(event, (ObjectHeader, PropertyTag)) for event in given)
    (damage,) = [event for event in given if isinstance(event, Damage)]
    assert damage.error.message == "custom versions in the header"
