"""Property tags and their values: bytes by hand -> events and values; and sizes that lie."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from one_object import NEW, NONE, OLD, built, compact, encoded, object_events, object_save, property_save
from tag_bytes import new_tag, tag, tree
from writer import structs
from writer.primitives import Ref, fstring, i32
from writer.tags import INT, STR, Array, Encoded, Fields, Map, Native, Prop, Set

from streamsave import DamagedSave, Event, Field, LimitExceeded, Limits, PropertyTag, SaveError
from streamsave.values import Color, ContainerDelta, Guid, LinearColor, ObjectReference, Opaque, SoftObjectPath, Text, Vector

# --- the bytes of tags, once literally ---

LITERAL = [
    # name "m"     type                                  size     index    guid  value
    ("02000000 6d00 0c000000 496e7450726f706572747900 04000000 00000000 00 07000000", OLD, 7),
    ("02000000 6d00 0d000000 426f6f6c50726f706572747900 00000000 00000000 01 00", OLD, True),
    ("02000000 6d00 0e000000 466c6f617450726f706572747900 04000000 00000000 00 0000003f", OLD, 0.5),
    ("02000000 6d00 0d000000 4e616d6550726f706572747900 06000000 00000000 00 02000000 7a00", OLD, "z"),
    # ... enum "E"
    ("02000000 6d00 0d000000 456e756d50726f706572747900 06000000 00000000 02000000 4500 00 02000000 7a00", OLD, "z"),
    # ... struct "Color", guid of the struct
    (
        f"02000000 6d00 0f000000 53747275637450726f706572747900 04000000 00000000 06000000 436f6c6f7200 {'00' * 16} 00 01020304",
        OLD,
        Color(1, 2, 3, 4),
    ),
    # ... elements of type Int8Property
    (
        "02000000 6d00 0e000000 417272617950726f706572747900 06000000 000000000d000000 496e743850726f7065727479000002000000ff01",
        OLD,
        [-1, 1],
    ),
    # name "m"     type                                parameters size   flags value
    ("02000000 6d00 0c000000 496e7450726f706572747900 00000000 04000000 00 07000000", NEW, 7),
    ("02000000 6d00 0d000000 426f6f6c50726f706572747900 00000000 00000000 10", NEW, True),
    ("02000000 6d00 0d000000 426f6f6c50726f706572747900 00000000 00000000 00", NEW, False),
]  # fmt: skip


@pytest.mark.parametrize(("data", "version", "value"), LITERAL)
def test_literal_bytes(data, version, value):
    assert built(property_save(bytes.fromhex(data), version)) == {"m": value}


# --- values: type, what an old tag has beside it, the tree of a new tag, bytes, what is built ---


def text(value: str) -> bytes:
    return struct.pack("<Ib", 2, -1) + struct.pack("<I", 1) + fstring(value)


def scalar_rows() -> list[Any]:
    guid = bytes(range(16))
    plain: list[tuple[str, bytes, object]] = [
        ("Int8Property", b"\xfe", -2),
        ("UInt8Property", b"\xfe", 254),
        ("Int16Property", b"\x00\x80", -32768),
        ("UInt16Property", b"\x00\x80", 32768),
        ("IntProperty", i32(-2), -2),
        ("UInt32Property", i32(-2), (1 << 32) - 2),
        ("Int64Property", struct.pack("<q", -(1 << 63)), -(1 << 63)),
        ("UInt64Property", b"\xff" * 8, (1 << 64) - 1),
        ("FloatProperty", struct.pack("<f", -0.5), -0.5),
        ("DoubleProperty", struct.pack("<d", 1e300), 1e300),
        ("StrProperty", fstring("Größe"), "Größe"),
        ("StrProperty", i32(0), ""),
        ("NameProperty", fstring("N"), "N"),
        ("ObjectProperty", fstring("L") + fstring("P"), ObjectReference("L", "P")),
        ("InterfaceProperty", i32(0) * 2, ObjectReference("", "")),
        ("SoftObjectProperty", fstring("P") + fstring("A") + i32(0), SoftObjectPath("P", "A", "")),
        ("TextProperty", text("words"), Text(2, "none", "words", {"culture_invariant": "words"})),
        ("LazyObjectProperty", guid, Guid(guid)),
        ("Utf8StrProperty", i32(3) + b"\xc3\xa4b", "äb"),
    ]
    rows = [(name, b"", tree(name), data, value) for name, data, value in plain]
    enum = tree("E", tree("/Script/X"))
    rows += [
        ("ByteProperty", fstring("None"), tree("ByteProperty"), b"\x07", 7),
        ("ByteProperty", fstring("E"), tree("ByteProperty", enum), fstring("E::A"), "E::A"),
        ("EnumProperty", fstring("E"), tree("EnumProperty", enum, tree("ByteProperty")), fstring("E::A"), "E::A"),
    ]
    return [pytest.param(*row, id=f"{row[0]} {row[4]}"[:40]) for row in rows]


@pytest.mark.parametrize(("kind", "extras", "type_tree", "data", "value"), scalar_rows())
def test_scalars(kind, extras, type_tree, data, value):
    """One leaf, with the same value in both kinds of tags; also behind a property of each kind."""
    for version, raw in ((OLD, tag("m", kind, data, extras=extras)), (NEW, new_tag("m", type_tree, data))):
        save = property_save(raw + encoded(Prop("after", INT, 5), version=version), version)
        events, error, base = object_events(save)
        assert error is None
        control = 0 if version == OLD else 1
        assert compact(events, base)[control:] == [
            ("tag", control, "m", kind, len(data)),
            ("tag", control + len(raw), "after", "IntProperty", 4),
        ]
        assert built(save) == {"m": value, "after": 5}


#: An array of bytes is bytes, and has its own test.
ELEMENTS = [row for row in scalar_rows() if row.id != "ByteProperty 7"]


@pytest.mark.parametrize(("kind", "_extras", "type_tree", "data", "value"), ELEMENTS)
def test_arrays_of_scalars_are_leaves(kind, _extras, type_tree, data, value):
    body = i32(3) + data * 3
    for version, raw in (
        (OLD, tag("m", "ArrayProperty", body, extras=fstring(kind))),
        (NEW, new_tag("m", tree("ArrayProperty", type_tree), body)),
    ):
        save = property_save(raw, version)
        events, error, _ = object_events(save)
        assert error is None
        assert [event.type for event in events if isinstance(event, PropertyTag)] == ["ArrayProperty"]
        assert built(save) == {"m": [value] * 3}


SCALAR_KEYS = [row for row in scalar_rows() if row.values[0] not in ("ByteProperty", "TextProperty")]


@pytest.mark.parametrize(("kind", "_extras", "type_tree", "data", "value"), SCALAR_KEYS)
def test_sets_and_maps_of_scalars_are_leaves(kind, _extras, type_tree, data, value):
    elements = i32(0) + i32(2) + data * 2
    pairs = i32(0) + i32(1) + data * 2
    for version, raw in (
        (OLD, tag("s", "SetProperty", elements, extras=fstring(kind)) + tag("m", "MapProperty", pairs, extras=fstring(kind) * 2)),
        (
            NEW,
            new_tag("s", tree("SetProperty", type_tree), elements)
            + new_tag("m", tree("MapProperty", type_tree, type_tree), pairs),
        ),
    ):
        save = property_save(raw, version)
        events, error, _ = object_events(save)
        assert error is None
        assert all(isinstance(event, (PropertyTag, Field)) for event in events)
        assert built(save) == {"s": [value] * 2, "m": [(value, value)]}


def test_tags_tell_all_they_have():
    guid = bytes(range(16))
    zero = bytes(16)
    data = b"".join(
        (
            tag("a", "IntProperty", i32(1), index=3, guid=b"\1" + guid),
            tag("b", "StructProperty", bytes(4), extras=fstring("Color") + guid),
            tag("c", "StructProperty", bytes(4), extras=fstring("Color") + zero),
            tag("d", "MapProperty", bytes(8), extras=fstring("IntProperty") + fstring("StrProperty")),
            tag("e", "BoolProperty", b"", extras=b"\1"),
            tag("f", "BoolProperty", b"", extras=b"\0"),
            tag("g", "BoolProperty", b"", extras=b"\2"),
        )
    )
    events, error, _ = object_events(property_save(data))
    assert error is None
    a, b, c, d, e, f, g = (event for event in events if isinstance(event, PropertyTag))
    assert (a.index, a.guid, a.struct_guid) == (3, guid, None)
    assert (b.type_name, b.struct_guid, b.guid) == ("Color", guid, None)
    assert (c.type_name, c.struct_guid) == ("Color", None)
    assert (d.inner_type, d.value_type, d.type_name) == ("IntProperty", "StrProperty", "")
    assert (e.flag, f.flag, g.flag) == (True, False, True)


def test_new_tags_tell_all_they_have():
    guid = bytes(range(16))
    text_guid = "03020100-07060504-0b0a0908-0f0e0d0c"
    color = tree("Color", tree("/Script/CoreUObject"))
    data = b"".join(
        (
            new_tag("a", tree("IntProperty"), i32(1), 0x03, i32(3) + guid),
            new_tag("b", tree("StructProperty", color, tree(text_guid)), bytes(4), 0x08),
            new_tag("c", tree("StructProperty", color), bytes(4), 0x08),
            new_tag("d", tree("MapProperty", tree("IntProperty"), tree("StructProperty", color)), bytes(8)),
            new_tag("e", tree("BoolProperty"), b"", 0x10),
            new_tag("f", tree("ByteProperty", tree("E", tree("/Script/X"))), fstring("E::A")),
            new_tag("g", tree("IntProperty"), i32(9), 0x04, b"\0"),
            new_tag("h", tree("IntProperty"), i32(9), 0x04, b"\2\1" + bytes(4)),
            new_tag("i", tree("StructProperty", color, tree("no guid")), bytes(4), 0x08),
        )
    )
    save = property_save(data, NEW)
    events, error, _ = object_events(save)
    assert error is None
    a, b, c, d, e, f, g, h, i = (event for event in events if isinstance(event, PropertyTag))
    assert (a.index, a.guid, a.struct_guid) == (3, guid, None)
    assert (b.type_name, b.struct_guid, b.guid) == ("Color", guid, None)
    assert (c.type_name, c.struct_guid) == ("Color", None)
    assert (d.inner_type, d.value_type, d.type_name) == ("IntProperty", "StructProperty", "Color")
    assert (e.flag, f.type_name, i.struct_guid) == (True, "E", None)
    assert (g.size, h.size) == (4, 4)
    assert built(save)["g"] == built(save)["h"] == 9


# --- structs and containers: the sequence of events ---


def rows_of(save: bytes) -> list[tuple[object, ...]]:
    """Rows without the place, and without what comes before the properties."""
    events, error, base = object_events(save)
    assert error is None
    rows = [(row[0], *row[2:]) for row in compact(events, base)]
    return rows[1:] if rows[0][:2] == ("field", "serialization_control") else rows


STACK = Fields("InventoryStack")
STRAY = Native("Stray", "/Script/Oracle", encode=lambda data, _dialect: data)

SEQUENCES: list[Any] = [
    pytest.param(
        Prop("m", Fields("F"), [Prop("a", INT, 1)]),
        [("enter", "m", "F", 44, -1, -1), ("tag", "a", "IntProperty", 4), ("exit", "m", 9)],
        {"a": 1},
        id="a struct of properties",
    ),
    pytest.param(
        Prop("m", Fields("F"), []), [("enter", "m", "F", 9, -1, -1), ("exit", "m", 9)], {}, id="an empty struct of properties"
    ),
    pytest.param(Prop("m", structs.VECTOR, (1.0, 2.0, 3.0)), [], Vector(1.0, 2.0, 3.0), id="a binary struct"),
    pytest.param(
        Prop("m", Array(STACK), [[Prop("a", INT, 1)], []]),
        [
            ("enter", "m", "ArrayProperty", 53, -1, 2),
            ("enter", "m", "InventoryStack", -1, 0, -1),
            ("tag", "a", "IntProperty", 4),
            ("exit", "m", 9),
            ("enter", "m", "InventoryStack", -1, 1, -1),
            ("exit", "m", 9),
            ("exit", "m", 0),
        ],
        [{"a": 1}, {}],
        id="an array of property lists",
    ),
    pytest.param(
        Prop("m", Array(STACK), []),
        [("enter", "m", "ArrayProperty", 0, -1, 0), ("exit", "m", 0)],
        [],
        id="an empty array of property lists",
    ),
    pytest.param(
        Prop("m", Array(structs.LINEAR_COLOR), [(1.0, 0.5, 0.0, 1.0)]),
        [],
        [LinearColor(1.0, 0.5, 0.0, 1.0)],
        id="an array of binary structs of one size",
    ),
    pytest.param(
        Prop("m", Array(structs.SLATE_BRUSH), ["a", "bc"]),
        [
            ("enter", "m", "ArrayProperty", 13, -1, 2),
            ("field", "m", "SlateBrush", 6, 0),
            ("field", "m", "SlateBrush", 7, 1),
            ("exit", "m", 0),
        ],
        [{"resource_name": "a"}, {"resource_name": "bc"}],
        id="an array of binary structs of any size",
    ),
    pytest.param(
        Prop("m", Set(Fields("F")), [[Prop("a", INT, 1)]]),
        [
            ("enter", "m", "SetProperty", 44, -1, 1),
            ("enter", "m", "{F}", -1, 0, -1),
            ("tag", "a", "IntProperty", 4),
            ("exit", "m", 9),
            ("exit", "m", 0),
        ],
        [{"a": 1}],
        id="a set of property lists",
    ),
    pytest.param(Prop("m", Set(structs.GUID), [bytes(range(16))]), [], [Guid(bytes(range(16)))], id="a set of GUIDs"),
    pytest.param(
        Prop("m", Map(INT, Fields("F")), [(7, [Prop("a", INT, 1)])]),
        [
            ("enter", "m", "MapProperty", 48, -1, 1),
            ("enter", "", "MapEntry", -1, 0, -1),
            ("field", "key", "i32", 4, -1),
            ("enter", "value", "{F}", -1, -1, -1),
            ("tag", "a", "IntProperty", 4),
            ("exit", "value", 9),
            ("exit", "", 0),
            ("exit", "m", 0),
        ],
        [(7, {"a": 1})],
        id="a map to property lists",
    ),
    pytest.param(
        Prop("m", Map(Fields("F"), STR), [([], "x"), ([Prop("a", INT, 1)], "")]),
        [
            ("enter", "m", "MapProperty", 63, -1, 2),
            ("enter", "", "MapEntry", -1, 0, -1),
            ("enter", "key", "{F}", -1, -1, -1),
            ("exit", "key", 9),
            ("field", "value", "str", 6, -1),
            ("exit", "", 0),
            ("enter", "", "MapEntry", -1, 1, -1),
            ("enter", "key", "{F}", -1, -1, -1),
            ("tag", "a", "IntProperty", 4),
            ("exit", "key", 9),
            ("field", "value", "str", 4, -1),
            ("exit", "", 0),
            ("exit", "m", 0),
        ],
        [({}, "x"), ({"a": 1}, "")],
        id="a map from property lists",
    ),
    pytest.param(
        Prop("m", Map(INT, Fields("F")), []),
        [("enter", "m", "MapProperty", 0, -1, 0), ("exit", "m", 0)],
        [],
        id="an empty map",
    ),
    pytest.param(
        Prop("m", STRAY, b"\xff\xfe\xfd\xfc?"),
        [("blob", 5, "unknown struct Stray")],
        Opaque(b"\xff\xfe\xfd\xfc?", "unknown struct Stray"),
        id="an unknown binary struct",
    ),
    pytest.param(
        Prop("m", Encoded("StrangeProperty", bytes), b"\1\2\3"),
        [("blob", 3, "unknown type StrangeProperty")],
        Opaque(b"\1\2\3", "unknown type StrangeProperty"),
        id="an unknown type",
    ),
    pytest.param(
        Prop("m", Array(Encoded("StrangeProperty", bytes)), [b"\1\2\3"]),
        [],
        Opaque(b"\1\0\0\0\1\2\3", "unknown type StrangeProperty"),
        id="an array of an unknown type",
    ),
    pytest.param(
        Prop("m", Map(INT, Encoded("StrangeProperty", bytes)), [(1, b"\1\2")]),
        [("blob", 14, "map of unknown types IntProperty, StrangeProperty")],
        Opaque(i32(0) + i32(1) + i32(1) + b"\1\2", "map of unknown types IntProperty, StrangeProperty"),
        id="a map of an unknown type",
    ),
]


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize(("prop", "rows", "value"), SEQUENCES)
def test_sequences(prop, rows, value, version):
    """The tag, then what its value opens; behind it the next property, as if nothing had been."""
    save = property_save(encoded(prop, Prop("z", INT, 9), version=version), version)
    seen = rows_of(save)
    # The type of what is in sets and maps is told by new tags only.
    names = {"{F}": "" if version == OLD else "F"}
    told = [tuple(names.get(part, part) if isinstance(part, str) else part for part in row) for row in rows]
    assert seen[0][:2] == ("tag", "m")
    assert seen[1:-1] == told
    assert seen[-1] == ("tag", "z", "IntProperty", 4)
    assert built(save) == {"m": value, "z": 9}


def test_dynamic_structs_nest():
    """An item with a state is a nesting, one without is a leaf."""
    state = structs.DynamicStruct(Ref("", "/Script/X.State"), [Prop("Fuel", INT, 3)])
    raw = structs.DynamicStruct(Ref("", "/Script/X.Raw"), raw=b"\1\2\3")
    props = [
        Prop("none", structs.INVENTORY_ITEM, structs.Item(Ref("", "Iron"))),
        Prop("full", structs.INVENTORY_ITEM, structs.Item(Ref("", "Iron"), state)),
        Prop("raw", structs.INVENTORY_ITEM, structs.Item(Ref("", "Iron"), raw)),
    ]
    rows = rows_of(property_save(encoded(*props)))
    assert rows == [
        ("tag", "none", "StructProperty", 17),
        ("tag", "full", "StructProperty", 92),
        ("enter", "full", "InventoryItem", 92, -1, -1),
        ("field", "item", "ObjectReference", 13, -1),
        ("enter", "state", "/Script/X.State", 47, -1, -1),
        ("tag", "Fuel", "IntProperty", 4),
        ("exit", "state", 9),
        ("exit", "full", 0),
        ("tag", "raw", "StructProperty", 46),
        ("enter", "raw", "InventoryItem", 46, -1, -1),
        ("field", "item", "ObjectReference", 13, -1),
        ("field", "state", "DynamicStruct", 33, -1),
        ("exit", "raw", 0),
    ]


@pytest.mark.parametrize("version", [41, 46, 52])
def test_hints_tell_what_no_tag_tells(version):
    """Sets and maps of binary structs in old tags: the name of the property tells."""
    props = [
        Prop("mSaveData", Map(structs.INT_VECTOR, Fields("Cell")), [((1, -2, 3), [])]),
        Prop("mDestroyedPickups", Set(structs.GUID), [bytes(range(16))]),
        Prop("mIndexMapping", Map(INT, structs.LB_INDEXING), [(4, (1, 2, 3)), (5, (6, 7, 8))]),
        Prop("mRemovalLocations", Set(structs.VECTOR), [(1.0, 2.0, 3.0)]),
    ]
    assert built(property_save(encoded(*props, version=version), version)) == {
        "mSaveData": [({"x": 1, "y": -2, "z": 3}, {})],
        "mDestroyedPickups": [Guid(bytes(range(16)))],
        "mIndexMapping": [
            (4, {"normal_index": 1, "overflow_index": 2, "filter_index": 3}),
            (5, {"normal_index": 6, "overflow_index": 7, "filter_index": 8}),
        ],
        "mRemovalLocations": [Vector(1.0, 2.0, 3.0)],
    }


def test_the_size_tells_how_precise_a_vector_is():
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


def test_new_flag_tells_binary_from_properties():
    """A struct of a known binary name without the flag is a property list; an unknown one with it is opaque."""
    vector = tree("StructProperty", tree("Vector", tree("/Script/CoreUObject")))
    listed = encoded(Prop("x", INT, 1), version=NEW) + NONE
    data = new_tag("a", vector, listed) + new_tag("b", vector, struct.pack("<3d", 1, 2, 3), 0x08)
    other = tree("StructProperty", tree("Other", tree("/Script/X")))
    data += new_tag("c", other, listed, 0x08)
    assert built(property_save(data, NEW)) == {
        "a": {"x": 1},
        "b": Vector(1.0, 2.0, 3.0),
        "c": Opaque(listed, "unknown struct Other"),
    }


@pytest.mark.parametrize("version", [OLD, NEW])
def test_removed_elements_are_kept_apart(version):
    """A set or map may say which elements to take away from what a new object has; what it adds is its value."""
    number = tree("IntProperty")
    added = i32(1) + i32(6)
    rows = [
        ("SetProperty", fstring("IntProperty"), [number], i32(2) + i32(4) + i32(5) + added, ContainerDelta([4, 5], [6])),
        (
            "MapProperty",
            fstring("IntProperty") * 2,
            [number] * 2,
            i32(1) + i32(5) + added + i32(7),
            ContainerDelta([5], [(6, 7)]),
        ),
    ]
    for kind, extras, children, data, value in rows:
        raw = tag("m", kind, data, extras=extras) if version == OLD else new_tag("m", tree(kind, *children), data)
        assert built(property_save(raw, version)) == {"m": value}


def test_removed_property_lists_nest():
    one = encoded(Prop("a", INT, 1)) + NONE
    data = i32(1) + one + i32(1) + one
    save = property_save(tag("m", "SetProperty", data, extras=fstring("StructProperty")))
    assert built(save) == {"m": ContainerDelta([{"a": 1}], [{"a": 1}])}
    assert rows_of(save)[1:8] == [
        ("enter", "m", "ContainerDelta", 2 * len(one) + 4, -1, -1),
        ("enter", "removed", "Removed", -1, -1, 1),
        ("enter", "removed", "", -1, 0, -1),
        ("tag", "a", "IntProperty", 4),
        ("exit", "removed", 9),
        ("exit", "removed", 0),
        ("enter", "added", "SetProperty", len(one), -1, 1),
    ]
    pairs = i32(1) + one + i32(1) + one + i32(7)
    save = property_save(tag("m", "MapProperty", pairs, extras=fstring("StructProperty") + fstring("IntProperty")))
    assert built(save) == {"m": ContainerDelta([{"a": 1}], [({"a": 1}, 7)])}


def test_optionals():
    some, none = tree("OptionalProperty", tree("IntProperty")), tree("OptionalProperty", tree("StrangeProperty"))
    data = new_tag("a", some, i32(1) + i32(7)) + new_tag("b", some, i32(0)) + new_tag("c", none, i32(1) + b"?")
    assert built(property_save(data, NEW)) == {
        "a": 7,
        "b": None,
        "c": Opaque(i32(1) + b"?", "optional of unknown type StrangeProperty"),
    }


def test_optional_structs():
    def optional(name: str) -> bytes:
        return tree("OptionalProperty", tree("StructProperty", tree(name, tree("/Script/X"))))

    data = new_tag("a", optional("Color"), i32(1) + b"\1\2\3\4")
    data += new_tag("b", optional("Color"), i32(0))
    data += new_tag("c", optional("Other"), i32(1) + b"\xff?")
    data += new_tag("d", optional("Other"), i32(0))
    data += new_tag("e", optional("Fields"), i32(1) + encoded(Prop("x", INT, 1), version=NEW) + NONE)
    assert built(property_save(data, NEW)) == {
        "a": Color(1, 2, 3, 4),
        "b": None,
        "c": Opaque(i32(1) + b"\xff?", "optional of unknown struct Other"),
        "d": None,
        "e": {"x": 1},
    }


def test_byte_arrays_are_bytes_and_enum_arrays_are_names():
    data = tag("raw", "ArrayProperty", i32(3) + b"\1\2\3", extras=fstring("ByteProperty"))
    data += tag("enum", "ArrayProperty", i32(2) + fstring("A") + fstring("B"), extras=fstring("ByteProperty"))
    data += tag("none", "ArrayProperty", i32(0), extras=fstring("ByteProperty"))
    assert built(property_save(data)) == {"raw": b"\1\2\3", "enum": ["A", "B"], "none": b""}


def test_values_may_have_zeros_behind_them():
    """Some items have four bytes too many; the tag's size counts."""
    item = structs.Item(Ref("", "Iron"))
    stray: Native[structs.Item] = Native("InventoryItem", encode=lambda one, dialect: one.encode(dialect) + bytes(4))
    assert built(property_save(encoded(Prop("m", stray, item), Prop("z", INT, 1))))["z"] == 1


def test_a_property_without_bytes_is_a_leaf():
    """Size 0: there is nothing to step into, whatever the type says."""
    data = tag("m", "StructProperty", b"", extras=fstring("F") + bytes(16)) + tag("z", "IntProperty", i32(1))
    events, error, base = object_events(property_save(data))
    assert error is None
    assert [row[0] for row in compact(events, base)] == ["tag", "tag"]


# --- what does not fit ---


def fault(properties: bytes, version: int = OLD, limits: Limits | None = None) -> tuple[SaveError, list[Event], int]:
    """The fault of a property list, the events before it, and where the list starts."""
    events, error, base = object_events(property_save(properties, version), limits)
    assert error is not None
    return error, events, base + (1 if version >= 53 else 0)


AFTER = 4 + 5 + 4  # the terminator and `has_guid` behind the properties


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("size", [-1, -(1 << 31), (1 << 31) - 1, 4 + AFTER + 1])
def test_sizes_of_values_that_do_not_fit(version, size):
    """What claims more than encloses it is damaged, and the error says where the tag starts."""
    sound = encoded(Prop("a", INT, 1), version=version)
    lying = encoded(Prop("b", INT, 2), version=version)
    lying = lying.replace(i32(4), i32(size), 1)
    error, events, base = fault(sound + lying, version)
    assert type(error) is DamagedSave
    assert error.message == "size of IntProperty b does not fit"
    assert error.offset == base + len(sound)
    assert error.actual in (size, size & 0xFFFFFFFF)
    assert error.expected == f"0 to {4 + AFTER} bytes"
    assert [event.name for event in events if isinstance(event, PropertyTag)] == ["a"]
    assert error.path == ("Persistent_Level", "Hand")


@pytest.mark.parametrize("version", [OLD, NEW])
def test_the_size_of_a_struct_bounds_what_is_in_it(version):
    inner = encoded(Prop("b", INT, 2), version=version)
    whole = encoded(Prop("m", Fields("F"), [Prop("b", INT, 2)]), version=version)
    lying = whole.replace(inner, inner.replace(i32(4), i32(14), 1))
    error, _, base = fault(lying + encoded(Prop("z", STR, "x" * 50), version=version), version)
    assert type(error) is DamagedSave
    assert error.offset == base + whole.index(inner)
    assert (error.expected, error.actual) == ("0 to 13 bytes", 14)
    assert error.path == ("Persistent_Level", "Hand", "m")


def test_a_struct_without_terminator():
    data = tag("m", "StructProperty", encoded(Prop("b", INT, 2)), extras=fstring("F") + bytes(16))
    error, _, base = fault(data + encoded(Prop("z", INT, 1)))
    assert type(error) is DamagedSave
    assert error.offset == base + len(data)


def test_bytes_behind_the_end_of_a_struct_are_passed_over():
    body = encoded(Prop("b", INT, 2)) + NONE + b"stray"
    data = tag("m", "StructProperty", body, extras=fstring("F") + bytes(16)) + encoded(Prop("z", INT, 1))
    rows = rows_of(property_save(data))
    assert rows[3] == ("blob", 9 + 5, "bytes behind the end of a property list")
    assert rows[4] == ("exit", "m", 0)
    assert rows[5][:2] == ("tag", "z")


def test_bytes_behind_the_last_element_are_passed_over():
    body = i32(0) + i32(1) + NONE + b"stray"
    data = tag("m", "SetProperty", body, extras=fstring("StructProperty")) + encoded(Prop("z", INT, 1))
    rows = rows_of(property_save(data))
    assert rows[4] == ("blob", 5, "bytes behind the last element")
    assert rows[-1][:2] == ("tag", "z")


@pytest.mark.parametrize("count", [-1, -(1 << 31)])
@pytest.mark.parametrize(
    "prop",
    [
        Prop("m", Array(STACK), [[], []]),
        Prop("m", Set(STACK), [[], []]),
        Prop("m", Map(INT, STACK), [(1, []), (2, [])]),
    ],
    ids=lambda prop: prop.type.name,
)
def test_negative_counts(prop, count):
    """An array of structs has its count in front, the others behind the number of removed elements."""
    raw = encoded(prop)
    start = raw.index(i32(2), raw.index(fstring("StructProperty")))
    error, _, base = fault(raw[:start] + i32(count) + raw[start + 4 :])
    assert type(error) is DamagedSave
    assert error.offset == base + start
    assert error.actual == count


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize(
    "prop",
    [Prop("m", Array(STACK), [[], []]), Prop("m", Set(STACK), [[], []]), Prop("m", Map(INT, STACK), [(1, []), (2, [])])],
    ids=lambda prop: prop.type.name,
)
def test_counts_that_lie(prop, count):
    """More elements than there are bytes for end at the value's size."""
    raw = encoded(prop)
    start = raw.index(i32(2), raw.index(fstring("StructProperty")))
    error, _, base = fault(raw[:start] + i32(count) + raw[start + 4 :] + encoded(Prop("z", STR, "x" * 100)))
    assert type(error) is DamagedSave
    assert error.offset <= base + len(raw)


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


def test_values_smaller_than_their_size():
    save = property_save(tag("m", "IntProperty", i32(1) + b"left"))
    with pytest.raises(DamagedSave, match="bytes left after the value"):
        built(save)


def test_an_inner_tag_that_is_none():
    raw = encoded(Prop("m", Array(STACK), [[], []]))
    at = raw.rindex(fstring("StructProperty"))
    error, _, base = fault(raw[:at] + fstring("StrangeProperty")[:18] + raw[at + 19 :])
    assert isinstance(error, DamagedSave)
    assert error.offset >= base


def test_an_inner_tag_whose_size_lies():
    raw = encoded(Prop("m", Array(STACK), [[], []]))
    at = raw.rindex(fstring("StructProperty"))
    lying = raw[: at + 19] + i32(19) + raw[at + 23 :]
    error, _, base = fault(lying)
    assert type(error) is DamagedSave
    assert error.message == "size of the elements of an array"
    assert (error.offset, error.expected, error.actual) == (base + at, 18, 19)


def test_an_inner_tag_of_another_type():
    raw = encoded(Prop("m", Array(STACK), [[], []]))
    at = raw.rindex(fstring("StructProperty"))
    error, _, base = fault(raw[:at] + fstring("StrangProperty") + raw[at + 19 :])
    assert error.message == "type inside of an array of structs"
    assert (error.offset, error.expected, error.actual) == (base + at, "StructProperty", "StrangProperty")


def test_a_later_pair_of_a_map_that_is_no_list():
    """What the pairs are is told from the first one."""
    pairs = i32(0) + i32(2) + i32(1) + NONE + i32(2) + b"\xff" * 9
    kind = tree("MapProperty", tree("IntProperty"), tree("StructProperty", tree("Other", tree("/Script/X"))))
    error, events, _ = fault(new_tag("m", kind, pairs), NEW)
    assert type(error) is DamagedSave
    assert error.message == "value of a map is no property list"
    assert len(events) > 5
    assert error.path == ("Persistent_Level", "Hand", "m", 1)


# --- nesting ---


def nested(depth: int, version: int) -> bytes:
    """Structs in structs."""
    value: list[Prop[Any]] = [Prop("leaf", INT, 7)]
    for _ in range(depth):
        value = [Prop("m", Fields("F"), value)]
    return encoded(*value, version=version)


@pytest.mark.parametrize("version", [OLD, NEW])
def test_depth_is_limited(version):
    limits = Limits(depth=20)
    save = property_save(nested(19, version), version)
    assert object_events(save, limits)[1] is None
    assert str(built(save, limits)).count("{") == 20
    deeper = property_save(nested(20, version), version)
    error = object_events(deeper, limits)[1]
    assert isinstance(error, LimitExceeded)
    assert (error.limit, error.allowed) == ("depth", 20)
    with pytest.raises(LimitExceeded):
        built(deeper, limits)


def test_default_depth_is_enough_and_no_recursion():
    """Deeper than the limit by far: refused, not a RecursionError, however it is walked."""
    value = NONE
    for _ in range(5000):
        value = tag("m", "StructProperty", value, extras=fstring("F") + bytes(16)) + NONE
    save = property_save(value[: -len(NONE)])
    error = object_events(save)[1]
    assert isinstance(error, LimitExceeded)
    with pytest.raises(LimitExceeded):
        built(save)


def test_dynamic_structs_count_for_depth():
    """Items in states of items: the walk in the walk has what the outer one leaves it."""
    value: list[Prop[Any]] = [Prop("leaf", INT, 7)]
    for _ in range(30):
        state = structs.DynamicStruct(Ref("", "/Script/X.State"), value)
        value = [Prop("m", structs.INVENTORY_ITEM, structs.Item(Ref("", "I"), state))]
    save = property_save(encoded(*value))
    assert object_events(save)[1] is None
    limits = Limits(depth=20)
    error = object_events(save, limits)[1]
    assert isinstance(error, LimitExceeded)
    with pytest.raises(LimitExceeded):
        built(save, limits)


def test_type_trees_are_limited():
    deep = tree("IntProperty")
    for _ in range(200):
        deep = tree("ArrayProperty", deep)
    error, _, _ = fault(new_tag("m", deep, bytes(4)), NEW)
    assert isinstance(error, LimitExceeded)
    assert error.limit == "depth"


def test_type_trees_with_lying_counts():
    lying = fstring("MapProperty") + i32((1 << 31) - 1)
    error, _, _ = fault(new_tag("m", lying, bytes(4)), NEW)
    assert type(error) is DamagedSave


# --- names ---


def test_none_as_a_type():
    error_or_none = object_events(property_save(tag("m", "None", b"")))[1]
    assert error_or_none is None  # an unknown type of no bytes


def test_a_list_that_ends_at_once():
    events, error, _ = object_events(property_save(b""))
    assert (events, error) == ([], None)


def test_a_list_without_end():
    save = object_save(encoded(Prop("a", INT, 1)))
    events, error, base = object_events(save)
    assert type(error) is DamagedSave
    assert error.offset == base + len(encoded(Prop("a", INT, 1)))
    assert len(events) == 1


@pytest.mark.parametrize("name", ["a" * 900, "ä" * 300, "x y/z", "\x7f", "None "])
def test_strange_names(name):
    save = property_save(encoded(Prop(name, INT, 1), Prop("s", Array(STACK), [[Prop(name, INT, 2)]])))
    assert built(save) == {name: 1, "s": [{name: 2}]}
