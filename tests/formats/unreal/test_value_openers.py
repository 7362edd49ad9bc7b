"""What the value of a tag opens."""

from __future__ import annotations

import struct

import pytest
from one_object import built, compact, object_events, property_save
from tag_bytes import new_tag, tag, tree
from unreal_walks import NONE, build, dialect, walk
from writer.primitives import fstring, i32

from streamsave import BlobSkip, Field, PropertyTag, StructEnter, StructExit
from streamsave.decode.codecs import STRING, U8, Struct
from streamsave.formats.unreal.codecs import Dynamic, PropertyList
from streamsave.values import Opaque, Vector

GUID = bytes(16)
ITEM = tag("n", "IntProperty", i32(5)) + NONE
NAME = "Unsure"


def unsure(**members) -> Struct:
    """A layout that is not verified."""
    codec = Struct(NAME, None, **members)
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
    spoken.structs[NAME] = unsure(**members)
    assert build(struct_tag(NAME, value), spoken) == {"m": built}
    for other in (value + rest, value[:-1]):
        assert [type(event) for event in walk(struct_tag(NAME, other), spoken)] == [PropertyTag, BlobSkip]
        assert build(struct_tag(NAME, other), spoken)["m"].reason == f"unknown struct {NAME}"


@pytest.mark.parametrize(("members", "value", "built"), TENTATIVE)
def test_tentative_elements_have_to_fit(members, value, built):
    spoken = dialect()
    spoken.structs[NAME] = unsure(**members)
    assert build(array_tag(NAME, 2, value * 2), spoken) == {"m": [built] * 2}
    for other in (value * 2 + b"\0", value * 2 + bytes(4), value * 3, value * 2 + value[:-1]):
        assert build(array_tag(NAME, 2, other), spoken)["m"].reason == f"array of unknown struct {NAME}"


@pytest.mark.parametrize(("members", "value", "built"), TENTATIVE)
def test_a_verified_struct_may_have_zeros_after_it(members, value, built):
    spoken = dialect()
    spoken.structs[NAME] = Struct(NAME, None, **members)
    if spoken.structs[NAME].size < 0:
        assert build(struct_tag(NAME, value + b"\0"), spoken) == {"m": built}


# --- structs ---


@pytest.mark.parametrize("spoken", [dialect(), dialect(new_tags=True)], ids=["old", "new"])
def test_a_struct_with_properties(spoken):
    inner = new_tag("n", tree("IntProperty"), i32(5)) + NONE if spoken.new_tags else ITEM
    data = new_tag("m", tree("StructProperty", tree("S")), inner) if spoken.new_tags else struct_tag("S", inner)
    outer, enter, prop, leave = walk(data, spoken)
    assert isinstance(enter, StructEnter)
    assert (enter.name, enter.type_name, enter.size, enter.offset) == ("m", "S", len(inner), outer.value_offset)
    assert (prop.name, prop.size) == ("n", 4)
    assert isinstance(leave, StructExit)
    assert (leave.offset, leave.size) == (enter.offset + len(inner) - len(NONE), len(NONE))
    assert build(data, spoken) == {"m": {"n": 5}}


def test_a_struct_that_was_a_list_once_is_not_looked_at_again():
    spoken = dialect()
    assert build(struct_tag("S", ITEM), spoken) == {"m": {"n": 5}}
    assert spoken.list_structs == {"S"}
    assert build(struct_tag("S", ITEM), spoken) == {"m": {"n": 5}}


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


def test_an_unknown_type_is_passed_over():
    tag_event, blob = walk(tag("m", "NewProperty", b"abc"))
    assert (blob.offset, blob.size, blob.reason) == (tag_event.value_offset, 3, "unknown type NewProperty")


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


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_array_of_property_lists(count):
    data = array_tag("S", count, ITEM * count)
    enters = [event for event in walk(data) if isinstance(event, StructEnter)]
    assert [event.index for event in enters] == [-1, *range(count)]
    assert enters[0].count == count
    assert build(data) == {"m": [{"n": 5}] * count}


def test_an_array_of_another_size_is_unknown():
    assert build(array_tag("Color", 2, bytes(9)))["m"].reason == "array of unknown struct Color"


# --- in saves ---


def test_the_size_shows_how_precise_a_vector_is():
    """A vector of floats in a version of doubles, and the other way round."""
    floats = struct.pack("<3f", 1.0, 2.0, 3.0)
    doubles = struct.pack("<3d", 1.0, 2.0, 3.0)
    extras = fstring("Vector") + bytes(16)
    for version in (36, 52):
        data = tag("f", "StructProperty", floats, extras=extras) + tag("d", "StructProperty", doubles, extras=extras)
        assert built(property_save(data, version)) == {"f": Vector(1.0, 2.0, 3.0), "d": Vector(1.0, 2.0, 3.0)}


def test_a_known_struct_of_another_size_is_opaque():
    data = tag("m", "StructProperty", bytes(13), extras=fstring("Vector") + bytes(16))
    assert built(property_save(data)) == {"m": Opaque(bytes(13), "unknown struct Vector")}


def test_a_property_without_bytes_is_a_leaf():
    """Size 0: there is nothing to step into, whatever the type says."""
    data = tag("m", "StructProperty", b"", extras=fstring("F") + bytes(16)) + tag("z", "IntProperty", i32(1))
    events, error, base = object_events(property_save(data))
    assert error is None
    assert [row[0] for row in compact(events, base)] == ["tag", "tag"]
