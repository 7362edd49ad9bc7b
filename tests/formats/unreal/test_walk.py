"""Whole property lists in saves: the sequence of events, sizes that do not fit, depth, names."""

from __future__ import annotations

from typing import Any

import pytest
from one_object import NEW, NONE, OLD, built, encoded, list_fault, object_events, object_save, property_save, rows_of
from tag_bytes import tag
from writer import structs
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Array, Encoded, Fields, Map, Native, Prop, Set

from streamsave import DamagedSave, LimitExceeded, Limits, PropertyTag
from streamsave.values import Guid, LinearColor, Opaque, Vector

# --- structs and containers: the sequence of events ---


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
    """The tag, then what its value opens; after it the next property, as if nothing had been."""
    save = property_save(encoded(prop, Prop("z", INT, 9), version=version), version)
    seen = rows_of(save)
    # Only new tags have the type of what is in sets and maps.
    names = {"{F}": "" if version == OLD else "F"}
    expected = [tuple(names.get(part, part) if isinstance(part, str) else part for part in row) for row in rows]
    assert seen[0][:2] == ("tag", "m")
    assert seen[1:-1] == expected
    assert seen[-1] == ("tag", "z", "IntProperty", 4)
    assert built(save) == {"m": value, "z": 9}


# --- what does not fit ---


AFTER = 4 + 5 + 4  # the terminator and `has_guid` after the properties


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("size", [-1, -(1 << 31), (1 << 31) - 1, 4 + AFTER + 1])
def test_sizes_of_values_that_do_not_fit(version, size):
    """What claims more than encloses it is damaged, and the error says where the tag starts."""
    sound = encoded(Prop("a", INT, 1), version=version)
    lying = encoded(Prop("b", INT, 2), version=version)
    lying = lying.replace(i32(4), i32(size), 1)
    error, events, base = list_fault(sound + lying, version)
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
    error, _, base = list_fault(lying + encoded(Prop("z", STR, "x" * 50), version=version), version)
    assert type(error) is DamagedSave
    assert error.offset == base + whole.index(inner)
    assert (error.expected, error.actual) == ("0 to 13 bytes", 14)
    assert error.path == ("Persistent_Level", "Hand", "m")


def test_a_struct_without_terminator():
    data = tag("m", "StructProperty", encoded(Prop("b", INT, 2)), extras=fstring("F") + bytes(16))
    error, _, base = list_fault(data + encoded(Prop("z", INT, 1)))
    assert type(error) is DamagedSave
    assert error.offset == base + len(data)


def test_bytes_after_the_end_of_a_struct_are_passed_over():
    body = encoded(Prop("b", INT, 2)) + NONE + b"stray"
    data = tag("m", "StructProperty", body, extras=fstring("F") + bytes(16)) + encoded(Prop("z", INT, 1))
    rows = rows_of(property_save(data))
    assert rows[3] == ("blob", 9 + 5, "bytes after the end of a property list")
    assert rows[4] == ("exit", "m", 0)
    assert rows[5][:2] == ("tag", "z")


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


# --- names ---


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
