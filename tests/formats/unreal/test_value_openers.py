"""What the value of a tag opens."""

import struct

import pytest
from cursors import cursor_over
from palworld_blobs import DIALECT, NEW, OLD, element, map_object, opened, reasons
from saves import read
from tag_bytes import new_tag, tag, tree
from tiling import assert_tiled
from unreal_walks import NONE, build, dialect, walk
from writer import palworld as raw
from writer.palworld import Blob, guid
from writer.palworld_worlds import nested
from writer.primitives import counted, fstring, i32
from writer.tags import BYTE, INT, NAME, Array, Prop

import streamsave
from streamsave import BlobSkip, Damage, Field, PropertyTag, StructEnter, TruncatedSave
from streamsave.decode.codecs import STRING, U8, Struct
from streamsave.formats.unreal.dialect import NOTED_SIZE, noted_value
from streamsave.formats.unreal.value_openers import LARGEST_BLOB

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


def test_a_struct_that_was_a_list_once_is_not_looked_at_again():
    assert [event.type for event in walk(struct_tag("S", bytes(9))) if isinstance(event, PropertyTag)] == ["StructProperty"]
    with pytest.raises(streamsave.DamagedSave):
        walk(struct_tag("S", ITEM) + struct_tag("S", b"\xff" * 9))


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


BUILT = raw.build_process(OLD)


def building(props: object) -> bytes:
    """A world with one building, which has only a `BuildProcess`."""
    return map_object("Wall", "Model", [nested("BuildProcess", props)])


@pytest.mark.parametrize("count", [16, 18, -1, 1 << 30])
def test_a_count_that_is_not_the_size(count):
    """It is no blob then: it stays the array it is, with the fault that such an array has."""
    data = building(BUILT.props(OLD))
    at = data.index(i32(17) + BUILT.data)
    broken = data[:at] + i32(count) + data[at + 4 :]
    made = read(broken)
    assert_tiled(made, len(broken))
    assert not [event for event in made if isinstance(event, (BlobSkip, Field))]


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
    made = read(map_object("Wall", "Model", [wrong, nested("Paint", raw.paint(NEW).props(NEW))]), on_damage=kind)
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
    made = read(broken, on_damage="resync", objects_at=[])
    assert [event.lost.name for event in [event for event in made if isinstance(event, Damage)]] == ["SaveParameter"]
    assert "group_id" in [event.name for event in made if isinstance(event, Field)]
    assert_tiled(made, len(broken))


def test_a_cut_before_the_versions_gives_no_other_events():
    """Whether they follow is not known: that a blob has a layout, or none, would be a guess."""
    data = building(raw.build_process(NEW).props(NEW))
    whole = read(data)
    start = next(event.value_offset for event in whole if isinstance(event, PropertyTag) and event.name == "RawData")
    for size in range(start, data.index(b"CustomVersionData") + 120):
        made = []
        with pytest.raises(TruncatedSave), streamsave.open(data[:size]) as events:
            made.extend(events)
        assert made == whole[: len(made)]
        assert_tiled(read(data[:size], on_damage="resync"), size)


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
