"""Steps through arrays and binary structs."""

from __future__ import annotations

import pytest
from one_object import encoded, property_save, rows_of
from tag_bytes import tag
from unreal_walks import NONE, reader_over
from writer import structs
from writer.primitives import Ref, fstring, i32
from writer.tags import INT, Prop

from streamsave import Event, Field, PropertyTag, StructEnter, StructExit
from streamsave.decode.codecs import I32, STRING, U8, Array, Codec, Optional, Struct
from streamsave.errors import SaveError
from streamsave.formats.unreal.codecs import Dynamic, PropertyList

ITEM = tag("n", "IntProperty", i32(5)) + NONE
LISTED = Struct("Listed", None, a=U8, props=PropertyList())


def steps(codec: Codec, data: bytes, *, building: bool = False) -> list[Event]:
    """The events of one member of a struct."""
    reader = reader_over(data)
    reader.building = building
    reader.begin_members(Struct("", None, it=codec), len(data))
    events = []
    event = reader.walk()
    while event is not None:
        events.append(event)
        event = reader.walk()
    assert reader.cursor.tell() == len(data)
    return events


ROWS = [
    # a codec, bytes of a value, the kinds of its events
    (I32, i32(5), [Field]),
    (STRING, fstring("x"), [Field]),
    (Array(I32), i32(2) + i32(1) * 2, [Field]),
    (Array(I32, streams=True), i32(2) + i32(1) * 2, [StructEnter, Field, Field, StructExit]),
    (Array(I32, streams=True), i32(0), [StructEnter, StructExit]),
    (PropertyList(), NONE, []),
    (PropertyList(), ITEM, [PropertyTag]),
    (LISTED, b"\7" + ITEM, [StructEnter, Field, PropertyTag, StructExit]),
    (Array(LISTED), i32(1) + b"\7" + ITEM, [StructEnter, StructEnter, Field, PropertyTag, StructExit, StructExit]),
    (Optional(LISTED), i32(0), [Field]),
    (Optional(LISTED), i32(1) + b"\7" + ITEM, [StructEnter, Field, PropertyTag, StructExit]),
    (Dynamic(), i32(0), [Field]),
    (Dynamic(), i32(1) + fstring("L") + fstring("P") + i32(3) + b"odd", [Field]),
    (Dynamic(), i32(1) + fstring("L") + fstring("P") + i32(len(ITEM)) + ITEM, [StructEnter, PropertyTag, StructExit]),
]


@pytest.mark.parametrize(("codec", "data", "kinds"), ROWS)
def test_steps(codec, data, kinds):
    assert [type(event) for event in steps(codec, data)] == kinds


def test_while_building_a_struct_is_whole():
    """`build` decodes a struct that may have a list inside as one value."""
    data = i32(1) + fstring("L") + fstring("P") + i32(len(ITEM)) + ITEM
    assert [type(event) for event in steps(Dynamic(), data, building=True)] == [Field]
    assert [type(event) for event in steps(Struct("S", None, a=Dynamic()), data, building=True)] == [Field]


def test_the_type_before_a_struct():
    data = i32(1) + fstring("L") + fstring("P") + i32(len(ITEM)) + ITEM
    reader = reader_over(data)
    reader.begin_members(Struct("", None, it=Dynamic()), len(data))
    enter = reader.walk()
    assert isinstance(enter, StructEnter)
    reference = reader.script_struct(enter)
    assert (reference.level_name, reference.path_name) == ("L", "P")
    assert reader.script_struct(StructEnter(enter.offset + 1, "", "", 4, 0, -1, -1)) is None


@pytest.mark.parametrize("count", [1, 3])
def test_no_element_comes_from_beyond_the_end(count):
    """Elements of a fixed size are passed over unread; each is still asked for before it is announced."""
    data = i32(count) + i32(1) * count
    reader = reader_over(data[:-1])
    reader.cursor.set_limit(len(data))
    reader.begin_members(Struct("", None, it=Array(I32, streams=True)), len(data))
    assert isinstance(reader.walk(), StructEnter)
    for _ in range(count - 1):
        assert isinstance(reader.walk(), Field)
    with pytest.raises(SaveError) as caught:
        reader.walk()
    assert caught.value.offset == len(data) - 4


def test_skipped_structs_end_at_once():
    data = tag("m", "StructProperty", ITEM, extras=fstring("S") + bytes(16)) + NONE
    reader = reader_over(data)
    reader.begin_list(len(data))
    reader.walk()
    enter = reader.walk()
    assert reader.skip(enter)
    leave = reader.walk()
    assert isinstance(leave, StructExit)
    assert (leave.offset, leave.size) == (enter.offset + enter.size, 0)
    assert reader.walk() is None


# --- in saves ---


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
