"""The values of tags that are leaves."""

import struct

import pytest
from edits import family_of
from one_object import built, encoded, object_events, property_save
from saves import VALID, raises
from tag_bytes import new_tag, tag, tree
from unreal_walks import build, dialect
from writer.primitives import fstring, i32
from writer.tags import STR, Prop

import streamsave
from streamsave import DamagedSave, PropertyTag
from streamsave.errors import EditError
from streamsave.formats.unreal.dialect import SCALARS
from streamsave.values import Color, ContainerDelta, Guid, Text

#: Each type of the table: bytes, value.
ROWS = {
    "Int8Property": (b"\xff", -1),
    "UInt8Property": (b"\xff", 255),
    "Int16Property": (b"\xff\xff", -1),
    "UInt16Property": (b"\xff\xff", 65535),
    "IntProperty": (i32(-1), -1),
    "UInt32Property": (i32(-1), (1 << 32) - 1),
    "Int64Property": (b"\xff" * 8, -1),
    "UInt64Property": (b"\xff" * 8, (1 << 64) - 1),
    "FloatProperty": (struct.pack("<f", 0.5), 0.5),
    "DoubleProperty": (struct.pack("<d", 0.1), 0.1),
    "StrProperty": (fstring("s"), "s"),
    "NameProperty": (fstring("n"), "n"),
    "EnumProperty": (fstring("E::A"), "E::A"),
    "Utf8StrProperty": (i32(2) + b"\xc3\xa4", "ä"),
    "LazyObjectProperty": (bytes(range(16)), Guid(bytes(range(16)))),
    "ByteProperty": (b"\7", 7),
}
ENUMS = ("ByteProperty", "EnumProperty")


def test_each_type_has_a_row():
    assert set(SCALARS) == set(ROWS) | {"BoolProperty"}


def scalar_tag(kind: str, data: bytes) -> bytes:
    return tag("m", kind, data, extras=fstring("None") if kind in ENUMS else b"")


#: Values with a length of their own.
TEXTS = ("StrProperty", "NameProperty", "EnumProperty", "Utf8StrProperty")


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"ByteProperty", *TEXTS}))
def test_zeros_may_follow(kind):
    data, value = ROWS[kind]
    assert build(scalar_tag(kind, data + bytes(3))) == {"m": value}
    with raises(DamagedSave, match="bytes left after the value", actual=len(data) + 2):
        build(scalar_tag(kind, data + b"\0\1"))


@pytest.mark.parametrize(
    ("kind", "data", "extras"),
    [
        *[pytest.param(kind, ROWS[kind][0], fstring("None") if kind in ENUMS else b"", id=kind) for kind in TEXTS],
        pytest.param("ByteProperty", fstring("E::A"), fstring("E"), id="name-of-a-byte"),
        pytest.param("TextProperty", i32(0) + b"\xff" + i32(0), b"", id="TextProperty"),
        pytest.param("ObjectProperty", fstring("l") + fstring("o"), b"", id="ObjectProperty"),
        pytest.param("SoftObjectProperty", fstring("o") + fstring("") + i32(0), b"", id="SoftObjectProperty"),
        pytest.param("ArrayProperty", i32(1) + i32(1), fstring("IntProperty"), id="ArrayProperty"),
        pytest.param("SetProperty", i32(0) * 2, fstring("IntProperty"), id="SetProperty"),
        pytest.param("MapProperty", i32(0) * 2, fstring("IntProperty") * 2, id="MapProperty"),
    ],
)
def test_zeros_do_not_follow_what_has_a_length_of_its_own(kind, data, extras):
    """Bytes overwritten with zeros are an empty text and as many zeros as were lost."""
    assert "m" in build(tag("m", kind, data, extras=extras))
    with pytest.raises(DamagedSave, match="bytes left after the value"):
        build(tag("m", kind, data + bytes(4), extras=extras))


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"ByteProperty"}))
def test_a_size_that_is_too_small(kind):
    with pytest.raises(DamagedSave):
        build(scalar_tag(kind, ROWS[kind][0][:-1]))


OPTIONALS = [
    (tree("IntProperty"), i32(1) + i32(5), 5),
    (tree("IntProperty"), i32(0), None),
    (tree("ByteProperty"), i32(1) + b"\7", 7),
    (tree("ByteProperty", tree("E")), i32(1) + fstring("E::A"), "E::A"),
    (tree("StructProperty", tree("Color")), i32(1) + bytes([1, 2, 3, 4]), Color(1, 2, 3, 4)),
    (tree("StructProperty", tree("Color")), i32(0), None),
]


@pytest.mark.parametrize(("inner", "data", "value"), OPTIONALS)
def test_optionals(inner, data, value):
    assert build(new_tag("m", tree("OptionalProperty", inner), data), dialect(new_tags=True)) == {"m": value}


def text(value: str) -> bytes:
    return struct.pack("<Ib", 2, -1) + struct.pack("<I", 1) + fstring(value)


def test_counts_of_scalars_that_lie_are_found_by_build():
    """A leaf is not looked into before it is asked for."""
    raw = tag("m", "ArrayProperty", i32(1000) + i32(1), extras=fstring("IntProperty"))
    events, error, _ = object_events(property_save(raw))
    assert error is None
    assert len(events) == 1
    with pytest.raises(DamagedSave, match="count 1000 does not fit"):
        built(property_save(raw))


@pytest.mark.parametrize(
    ("kind", "extras", "data"),
    [
        ("IntProperty", b"", bytes(3)),
        ("StrProperty", b"", i32(100) + b"short\0"),
        ("StrProperty", b"", i32(-(1 << 31))),
        ("ObjectProperty", b"", i32(0)),
        ("StructProperty", fstring("SlateBrush") + bytes(16), i32(9) + b"short\0"),
        ("ArrayProperty", fstring("StrProperty"), i32(2) + fstring("a") + b"\1"),
        ("SetProperty", fstring("IntProperty"), i32(0) + i32(2) + i32(1) + b"\1"),
        ("MapProperty", fstring("IntProperty") * 2, i32(0) + i32(1) + i32(1)),
        ("TextProperty", b"", i32(0) + b"\0" + fstring("n")),
    ],
)
def test_values_larger_than_their_size(kind, extras, data):
    """The size of the tag holds: reading on into the next property would go unseen."""
    save = property_save(tag("m", kind, data, extras=extras) + encoded(Prop("z", STR, "x" * 200)))
    _, error, base = object_events(save)
    assert error is None
    with pytest.raises(DamagedSave) as caught:
        built(save)
    head = len(tag("m", kind, b"", extras=extras))
    assert base + head <= caught.value.offset <= base + head + len(data)


def replaced(sample: str, name: str, value: object) -> bytes:
    """The bytes of a value in place of that of the first property of a name."""
    with streamsave.open(VALID / sample) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == name:
                events.build()
                return family_of(events).encode(event, value)
    raise AssertionError(name)


STORED_NAMES = "0000000002000000" + "020000004100" + "020000004200"


@pytest.mark.parametrize(
    ("name", "value", "raw"),
    [
        ("mInt", -2, "feffffff"),
        ("mYes", False, ""),
        ("mByte", 255, "ff"),
        ("mSetNames", ["A", "B"], STORED_NAMES),
        ("mSetNames", ContainerDelta(["A"], ["B"]), "01000000" + "020000004100" + "01000000" + "020000004200"),
    ],
)
@pytest.mark.parametrize("sample", ["satisfactory/sv46.sav", "satisfactory/sv60.sav"])
def test_other_values(sample, name, value, raw):
    assert replaced(sample, name, value).hex() == raw


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mInt", 1 << 31, "out of range"),
        ("mYes", 1, "not a bool"),
        ("mByte", -1, "out of range"),
        ("mSetNames", {"A"}, "not a list"),
        ("mTextBase", Text(0, "number", "1", {"value": 1, "options": None, "culture": ""}), "can only be replaced as bytes"),
        ("mTextBase", Text(0, "base", "1", {"key": "1"}), "fields of a text"),
        ("mTextBase", "text", "not a Text"),
    ],
)
def test_values_that_do_not_fit(name, value, message):
    with pytest.raises(EditError, match=message):
        replaced("satisfactory/sv60.sav", name, value)
