"""What the value of a tag opens."""

from __future__ import annotations

import struct

import pytest
from cursors import cursor_over
from one_object import built, property_save
from palworld_blobs import CHAINED, DIALECT, NEW, OLD, element, map_object, opened, read, reasons
from tag_bytes import new_tag, tag, tree
from tiling import assert_tiled
from unreal_walks import NONE, build, dialect, walk
from writer import palworld as raw
from writer.palworld import Blob, guid
from writer.palworld_worlds import nested, world
from writer.primitives import counted, fstring, i32
from writer.tags import BYTE, INT, NAME, Array, Prop

import streamsave
from streamsave import BlobSkip, Damage, Field, PropertyTag, StructEnter, StructExit, TruncatedSave
from streamsave.decode.codecs import STRING, U8, Struct
from streamsave.formats.unreal.codecs import Dynamic, PropertyList
from streamsave.formats.unreal.dialect import NOTED_SIZE, BlobLayouts, noted_value
from streamsave.formats.unreal.value_openers import LARGEST_BLOB
from streamsave.values import Opaque

GUID = bytes(16)
ITEM = tag("n", "IntProperty", i32(5)) + NONE
UNSURE = "Unsure"


def unsure(**members) -> Struct:
    """A layout that is not verified."""
    codec = Struct(UNSURE, None, **members)
    codec.tentative = True
    return codec


def struct_tag(name: str, value: bytes) -> bytes:
    return tag("m", "StructProperty", value, extras=fstring(name) + GUID)


def array_tag(name: str, count: int, elements: bytes) -> bytes:
    inner = tag("m", "StructProperty", elements, extras=fstring(name) + GUID)
    return tag("m", "ArrayProperty", i32(count) + inner, extras=fstring("StructProperty"))


# --- a layout that is not verified must take its bytes exactly ---


TENTATIVE = [
    # what the layout has, bytes of one value, the value
    ({"a": U8, "b": STRING}, b"\7" + fstring("x"), {"a": 7, "b": "x"}),
    ({"a": U8, "b": U8}, b"\7\x08", {"a": 7, "b": 8}),
]


@pytest.mark.parametrize(("members", "value", "built"), TENTATIVE)
@pytest.mark.parametrize("rest", [b"\0", b"\1", b"\0\0\0\0"])
def test_a_tentative_struct_has_to_fit(members, value, built, rest):
    """Zeros are allowed after other values: a layout that is not verified has to fit to the byte."""
    spoken = dialect()
    spoken.structs[UNSURE] = unsure(**members)
    assert build(struct_tag(UNSURE, value), spoken) == {"m": built}
    for other in (value + rest, value[:-1]):
        assert [type(event) for event in walk(struct_tag(UNSURE, other), spoken)] == [PropertyTag, BlobSkip]
        assert build(struct_tag(UNSURE, other), spoken)["m"].reason == f"unknown struct {UNSURE}"


@pytest.mark.parametrize(("members", "value", "built"), TENTATIVE)
def test_tentative_elements_have_to_fit(members, value, built):
    spoken = dialect()
    spoken.structs[UNSURE] = unsure(**members)
    assert build(array_tag(UNSURE, 2, value * 2), spoken) == {"m": [built] * 2}
    for other in (value * 2 + b"\0", value * 2 + bytes(4), value * 3, value * 2 + value[:-1]):
        assert build(array_tag(UNSURE, 2, other), spoken)["m"].reason == f"array of unknown struct {UNSURE}"


# --- structs ---


def test_a_struct_that_was_a_list_once_is_not_looked_at_again():
    assert [event.type for event in walk(struct_tag("S", bytes(9))) if isinstance(event, PropertyTag)] == ["StructProperty"]
    with pytest.raises(streamsave.DamagedSave):
        walk(struct_tag("S", ITEM) + struct_tag("S", b"\xff" * 9))


def test_a_binary_struct_with_a_list_inside_nests():
    spoken = dialect()
    spoken.structs["Outer"] = Struct("Outer", None, a=U8, props=PropertyList())
    spoken.structs["Outer"].may_have_list = True
    data = struct_tag("Outer", b"\7" + ITEM)
    kinds = [type(event) for event in walk(data, spoken)]
    assert kinds[0] is PropertyTag
    assert build(data, spoken)["m"] == {"a": 7, "props": {"n": 5}}


@pytest.mark.parametrize("is_set", [False, True])
def test_a_struct_with_its_type_before_it(is_set):
    spoken = dialect()
    spoken.structs["Item"] = Struct("Item", None, a=U8, state=Dynamic())
    state = i32(1) + fstring("L") + fstring("P") + i32(len(ITEM)) + ITEM if is_set else i32(0)
    events = walk(struct_tag("Item", b"\7" + state), spoken)
    if not is_set:
        assert [type(event) for event in events] == [PropertyTag]
        return
    assert [type(event) for event in events] == [
        PropertyTag,
        StructEnter,
        Field,
        StructEnter,
        PropertyTag,
        StructExit,
        StructExit,
    ]
    assert events[3].type_name == "P"


# --- other values ---


@pytest.mark.parametrize(
    ("inner", "type_name", "value", "reason"),
    [
        ("StructProperty", "S", i32(1) + b"abc", "optional of unknown struct S"),
        ("ArrayProperty", "", i32(1) + b"abc", "optional of unknown type ArrayProperty"),
    ],
)
def test_optionals_that_are_unknown(inner, type_name, value, reason):
    types = tree(inner, tree(type_name)) if type_name else tree(inner)
    _, blob = walk(new_tag("m", tree("OptionalProperty", types), value), dialect(new_tags=True))
    assert blob.reason == reason


def test_an_optional_with_properties():
    inner = new_tag("n", tree("IntProperty"), i32(5)) + NONE
    types = tree("OptionalProperty", tree("StructProperty", tree("S")))
    for value, expected in ((i32(1) + inner, {"n": 5}), (i32(0), None)):
        assert build(new_tag("m", types, value), dialect(new_tags=True)) == {"m": expected}


def test_an_array_of_another_size_is_unknown():
    assert build(array_tag("Color", 2, bytes(9)))["m"].reason == "array of unknown struct Color"


# --- in saves ---


def test_a_known_struct_of_another_size_is_opaque():
    data = tag("m", "StructProperty", bytes(13), extras=fstring("Vector") + bytes(16))
    assert built(property_save(data)) == {"m": Opaque(bytes(13), "unknown struct Vector")}


BUILT = raw.build_process(OLD)


def building(props: object) -> bytes:
    """A world with one building, which has only a `BuildProcess`."""
    return map_object("Wall", "Model", [nested("BuildProcess", props)])


def test_events_of_a_blob():
    data = building(BUILT.props(OLD))
    with streamsave.open(data) as events:
        made = list(events)
    at = next(at for at, event in enumerate(made) if isinstance(event, PropertyTag) and event.name == "RawData")
    tag, enter, state, key, end = made[at : at + 5]
    start = tag.value_offset
    assert (tag.size, tag.inner_type) == (21, "ByteProperty")
    assert enter == StructEnter(start, "RawData", "PalBuildProcess", 4, 17, -1, -1)
    assert (state, key) == (Field(start + 4, "state", "u8", 1, -1), Field(start + 5, "id", "Guid", 16, -1))
    assert end == StructExit(start + 21, "RawData", 0)


def test_events_of_a_property_list_among_the_members():
    data = element("CharacterSaveParameterMap", raw.character(CHAINED, DIALECT).props(CHAINED))
    with streamsave.open(data) as events:
        made = [(event, events.path[-4:], events.depth) for event in events]
    at = next(at for at, (event, _, _) in enumerate(made) if isinstance(event, StructEnter) and event.name == "RawData")
    depth = made[at][2]
    inside = [(event, path, level - depth) for event, path, level in made[at + 1 :] if level >= depth]
    names = [(type(event).__name__, getattr(event, "name", ""), level) for event, _, level in inside][:9]
    assert names == [
        ("StructEnter", "object", 1),
        ("PropertyTag", "SaveParameter", 1),
        ("StructEnter", "SaveParameter", 2),
        ("PropertyTag", "CharacterID", 2),
        ("PropertyTag", "Level", 2),
        ("StructExit", "SaveParameter", 1),
        ("StructExit", "object", 0),
        ("Field", "reserved", 0),
        ("Field", "group_id", 0),
    ]
    assert inside[3][1] == ("RawData", "object", "SaveParameter", "CharacterID")
    assert inside[6][0].size == len(fstring("None"))
    assert inside[7][1][-2:] == ("RawData", "reserved")


@pytest.mark.parametrize("age", [OLD, NEW])
def test_verbs(age):
    """A tag that is skipped costs nothing more; what is stepped into can be skipped, built and copied as any struct."""
    data = world(age).encode()
    with streamsave.open(data) as events:
        everything = list(events)
    inside = sum(1 for event in everything if isinstance(event, Field))
    for verb in ("skip", "build", "raw"):
        for step in (PropertyTag, StructEnter):
            with streamsave.open(data) as events:
                made = []
                for event in events:
                    made.append(event)
                    if isinstance(event, step) and event.name == "RawData":
                        result = getattr(events, verb)()
                        if verb == "raw" and isinstance(event, StructEnter):
                            assert len(result) == event.size
                        if verb == "raw" and isinstance(event, PropertyTag):
                            assert len(result) == event.size
            assert sum(1 for event in made if isinstance(event, Field)) < inside
            assert made[-1] == everything[-1]


def test_connectors_are_the_same_in_parts():
    """They are not counted: a field of them ends where its bytes do."""
    for blob in raw.connectors(NEW)[:3]:
        data = map_object("Wall", "Model", [nested("Connector", blob.props(NEW))])
        whole = read(data)[1]
        with streamsave.open(data) as events:
            parts = {event.name: events.build() for event in events if isinstance(event, Field)}
        assert parts == whole


def find(value: object, name: str) -> object:
    """The first member of that name, however deep."""
    if isinstance(value, list):
        return next((found for item in value if (found := find(item, name)) is not None), None)
    if isinstance(value, dict):
        return value[name] if name in value else find(list(value.values()), name)
    return None


@pytest.mark.parametrize("count", [16, 18, -1, 1 << 30])
def test_a_count_that_is_not_the_size(count):
    """It is no blob then: it stays the array it is, with the fault that such an array has."""
    data = building(BUILT.props(OLD))
    at = data.index(i32(17) + BUILT.data)
    broken = data[:at] + i32(count) + data[at + 4 :]
    with streamsave.open(broken) as events:
        made = list(events)
    assert_tiled(made, len(broken))
    assert not [event for event in made if isinstance(event, (BlobSkip, Field))]


def test_other_arrays_of_bytes_are_leaves():
    props = [Prop("Data", Array(BYTE), BUILT.data), Prop("RawData", Array(INT), [1, 2]), Prop("RawData", NAME, "name")]
    with streamsave.open(building(props)) as events:
        built = [events.build() for event in events if isinstance(event, PropertyTag) and event.name in {"Data", "RawData"}]
    assert built == [BUILT.data, [1, 2], "name"]


def group(characters: int) -> bytes:
    """A world with a group of many characters."""
    blob = guid(6) + fstring("") + counted(range(characters), raw.instance)
    return element("GroupSaveDataMap", [Prop("GroupType", NAME, "EPalGroupType::Neutral"), *Blob(blob).props(OLD)])


def test_the_largest_blob():
    """One that is larger is passed over, not held."""
    most = (LARGEST_BLOB - 24) // 32
    assert [type(event) for event in opened(group(most))] == [StructEnter]
    assert reasons(group(most + 1)) == ["RawData too large to decode: group of Neutral"]


@pytest.mark.parametrize("kind", ["raise", "resync"])
def test_what_no_layout_takes_is_no_damage(kind):
    """It costs only itself, in strict mode too."""
    wrong = nested("BuildProcess", Blob(b"\1\2\3").props(OLD))
    right = nested("Paint", raw.paint(NEW).props(NEW))
    with streamsave.open(map_object("Wall", "Model", [wrong, right]), on_damage=kind) as events:
        made = list(events)
    assert [event.reason for event in made if isinstance(event, BlobSkip)] == ["RawData of unknown layout: build_process"]
    assert [event.type_name for event in made if isinstance(event, StructEnter) and event.name == "RawData"] == ["PalPaint"]
    assert not [event for event in made if isinstance(event, Damage)]


@pytest.mark.parametrize("values_after", [b"", b"\1", i32(1) + bytes(19), b"\xff" * 24, bytes(70_000)])
def test_versions_that_are_none(values_after):
    """What is there is another property, or is broken: it is no fault of the blob."""
    for name in ("CustomVersionData", "Other"):
        props = [Prop("RawData", Array(BYTE), BUILT.data), Prop(name, Array(BYTE), values_after)]
        assert len(opened(building(props))) == 1
    props = [Prop("RawData", Array(BYTE), BUILT.data), Prop("CustomVersionData", NAME, "name")]
    assert len(opened(building(props))) == 1


def test_a_damaged_tag_after_a_blob_is_met_where_it_is():
    data = building([*BUILT.props(OLD), Prop("After", INT, 1)])
    at = data.index(fstring("After"))
    broken = data[:at] + struct.pack("<i", 1 << 30) + data[at + 4 :]
    made = []
    with pytest.raises(streamsave.DamagedSave) as caught, streamsave.open(broken) as events:
        made.extend(events)
    assert caught.value.offset == at
    assert [event.name for event in made if isinstance(event, Field)] == ["state", "id"]


@pytest.mark.parametrize("age", [OLD, NEW])
def test_damage_inside_a_list_costs_that_list(age):
    """A property list in a blob has tags with sizes: the smallest value around the fault is lost."""
    data = element("CharacterSaveParameterMap", raw.character(age, DIALECT).props(age))
    at = data.index(fstring("Level"))
    broken = data[:at] + struct.pack("<i", 1 << 30) + data[at + 4 :]
    with pytest.raises(streamsave.DamagedSave), streamsave.open(broken) as events:
        list(events)
    with streamsave.open(broken, on_damage="resync", objects_at=[]) as events:
        made = list(events)
    damage = [event for event in made if isinstance(event, Damage)]
    assert [event.lost.name for event in damage] == ["SaveParameter"]
    assert "group_id" in [event.name for event in made if isinstance(event, Field)]
    assert_tiled(made, len(broken))


def test_a_cut_before_the_versions_gives_no_other_events():
    """Whether they follow is not known: that a blob has a layout, or none, would be a guess."""
    data = building(raw.build_process(NEW).props(NEW))
    with streamsave.open(data) as events:
        whole = list(events)
    start = next(event.value_offset for event in whole if isinstance(event, PropertyTag) and event.name == "RawData")
    for size in range(start, data.index(b"CustomVersionData") + 120):
        made = []
        with pytest.raises(TruncatedSave), streamsave.open(data[:size]) as events:
            made.extend(events)
        assert made == whole[: len(made)]
        with streamsave.open(data[:size], on_damage="resync") as events:
            rescued = list(events)
        assert_tiled(rescued, size)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (fstring("EPalType::Wood"), "EPalType::Wood"),
        (fstring(""), ""),
        (b"\5\0\0\0Wood\0", "Wood"),
        (b"\4\0\0\0Wood", "Wood"),
        (b"\0", ""),
        (b"", ""),
        (fstring("W" * 1000), "W" * (NOTED_SIZE - 4)),
        (b"\xff\xff\xff\x7fWood", "Wood"),
        (b"\4\0\0\0W\xe9", "W\xe9"),
    ],
)
def test_noted_value(data, text):
    cursor = cursor_over(data + b"more", limit=len(data) + 4)
    assert noted_value(cursor, len(data)) == text
    assert cursor.tell() == 0


def test_the_end_of_the_stream_is_no_fault_yet():
    assert noted_value(cursor_over(b"\4\0\0\0Wo", limit=100), 9) == "Wo"


def test_interface_has_no_layouts_of_its_own():
    blobs = BlobLayouts("RawData", "Versions", frozenset())
    assert (blobs.name, blobs.versions_name, blobs.noted_names) == ("RawData", "Versions", frozenset())
    with pytest.raises(NotImplementedError):
        blobs.kind([], "")
    with pytest.raises(NotImplementedError):
        blobs.layouts([], "", None)
