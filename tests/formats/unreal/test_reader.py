"""The base of readers for Unreal saves: what a family's reader uses of it."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from one_object import built, encoded, object_events, property_save
from tag_bytes import tag
from unreal_walks import NONE, reader_over
from writer import structs
from writer.primitives import Ref, fstring, i32
from writer.tags import INT, Prop

from streamsave import DamagedSave, Event, LimitExceeded, Limits, PropertyTag, StructEnter, StructExit
from streamsave.decode.codecs import I32, U8, Struct
from streamsave.formats.unreal.reader import UnrealReader

GUID = bytes(16)
PROP = tag("n", "IntProperty", i32(5))


def struct_of(inner: bytes, name: str = "m") -> bytes:
    return tag(name, "StructProperty", inner + NONE, extras=fstring("S") + GUID)


def test_a_list():
    data = PROP + NONE
    reader = reader_over(data + b"rest")
    assert reader.list_end == -1
    reader.begin_list(len(data))
    assert reader.cursor.limit() == len(data)
    event = reader.walk()
    assert isinstance(event, PropertyTag)
    assert reader.path() == ("n",)
    assert reader.value(event) == 5
    assert reader.walk() is None
    assert (reader.list_end, reader.cursor.tell(), reader.cursor.limit()) == (len(PROP), len(data), len(data) + 4)
    reader.list_end = -1
    assert reader.list_end == -1


def test_members():
    reader = reader_over(b"\7" + i32(8))
    reader.begin_members(Struct("", None, a=U8, b=I32), 5)
    assert [(event.name, reader.value(event)) for event in iter(reader.walk, None)] == [("a", 7), ("b", 8)]


def test_abandon():
    reader = reader_over(struct_of(PROP) + NONE)
    limit = reader.cursor.limit()
    reader.begin_list(limit - 1)
    assert isinstance(reader.walk(), PropertyTag)
    assert isinstance(reader.walk(), StructEnter)
    reader.abandon()
    assert (reader.path(), reader.cursor.limit(), reader.is_pending) == ((), limit, False)
    assert reader.walk() is None


# --- a generator whose events pass no other ---


def inside(reader: UnrealReader) -> Iterator[Event]:
    yield reader.field("a", I32)
    yield reader.field("b", I32)


def around(reader: UnrealReader) -> Iterator[Event]:
    yield StructEnter(0, "all", "", 0, -1, -1, -1)
    yield from reader.detour(inside(reader))
    yield StructExit(reader.cursor.tell(), "all", 0)


def test_events_of_a_detour_come_where_it_is():
    reader = reader_over(i32(7) + i32(8))
    reader.drive(around(reader))
    names = [type(event).__name__ for event in iter(reader.next_event, None)]
    assert names == ["StructEnter", "Field", "Field", "StructExit"]


def test_a_detour_without_events():
    reader = reader_over(i32(7) + i32(8))
    assert list(reader.detour(iter(()))) == []
    reader.drive(around(reader))
    assert [type(event).__name__ for event in iter(reader.next_event, None)][:2] == ["StructEnter", "Field"]


def maps(depth: int) -> bytes:
    """Maps whose values are property lists with maps."""
    if depth == 0:
        return PROP
    pairs = i32(0) + i32(2) + 2 * (i32(1) + maps(depth - 1) + NONE)
    return tag("m", "MapProperty", pairs, extras=fstring("IntProperty") + fstring("StructProperty"))


def test_a_list_after_a_fault_starts_anew():
    """The reader of lists inside of values is used again; what a fault left in it is gone."""
    reader = reader_over(struct_of(PROP[:-1]) + PROP + NONE)
    cursor = reader.cursor
    with pytest.raises(DamagedSave):
        reader.properties(cursor)
    cursor.set_limit(len(struct_of(PROP[:-1]) + PROP + NONE))
    cursor.seek(len(struct_of(PROP[:-1])))
    assert reader.properties(cursor) == {"n": 5}


def test_nothing_refers_back_to_a_reader():
    """What a save took is free when its reader is, without a garbage collection."""

    def readers():
        return sum(type(one) is UnrealReader for one in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = readers()  # other tests may keep some
        reader = reader_over(maps(2) + NONE)
        assert reader.properties(reader.cursor)
        reader.cursor.seek(0)
        reader.skip_properties(reader.cursor)
        del reader
        assert readers() == before
    finally:
        gc.enable()


def test_dynamic_structs_count_for_depth():
    """Items in states of items: the walk in the walk has what the outer one leaves it."""
    value: list[Prop[Any]] = [Prop("leaf", INT, 7)]
    for _ in range(30):
        state = structs.DynamicStruct(Ref("", "/Script/X.State"), value)
        value = [Prop("m", structs.INVENTORY_ITEM, structs.Item(Ref("", "I"), state))]
    save = property_save(encoded(*value))
    assert object_events(save)[1] is None
    limits = Limits(depth=20)
    assert isinstance(object_events(save, limits)[1], LimitExceeded)
    with pytest.raises(LimitExceeded):
        built(save, limits)
