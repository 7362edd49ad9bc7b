"""Codecs that only Unreal saves have."""

import pytest
from tag_bytes import tag
from unreal_walks import NONE, reader_over
from writer.primitives import fstring, i32, i64

from streamsave import DamagedSave, LimitExceeded, Limits
from streamsave.formats.unreal.codecs import (
    DATE_TIME,
    GUID,
    REFERENCE,
    SIZED_PROPERTIES,
    SOFT_OBJECT_PATH,
    SOFT_OBJECT_PATH_UE4,
    Dynamic,
    PropertyList,
    soft_object,
)
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath

ITEM = tag("n", "IntProperty", i32(5)) + NONE
TYPE = fstring("L") + fstring("P")

ROWS = [
    (GUID, bytes(range(16)), Guid(bytes(range(16)))),
    (DATE_TIME, i64(-5), DateTime(-5)),
    (REFERENCE, TYPE, ObjectReference("L", "P")),
    (SOFT_OBJECT_PATH, fstring("p") + fstring("a") + fstring("s"), SoftObjectPath("p", "a", "s")),
    (SOFT_OBJECT_PATH_UE4, fstring("a") + fstring("s"), SoftObjectPath("", "a", "s")),
    (soft_object(1), fstring("a"), SoftObjectPath("", "a", "")),
    (PropertyList(), ITEM, {"n": 5}),
    (PropertyList(), NONE, {}),
    (Dynamic(), i32(0), None),
    (Dynamic(), i32(1) + TYPE + i32(len(ITEM)) + ITEM, DynamicStruct(ObjectReference("L", "P"), {"n": 5})),
    (Dynamic(), i32(1) + TYPE + i32(3) + b"odd", DynamicStruct(ObjectReference("L", "P"), Opaque(b"odd", "no property list"))),
    (SIZED_PROPERTIES, i32(len(ITEM)) + ITEM, {"n": 5}),
    (SIZED_PROPERTIES, i32(0), Opaque(b"", "no property list")),
]


@pytest.mark.parametrize(("codec", "data", "value"), ROWS)
def test_values(codec, data, value):
    reader = reader_over(data)
    assert codec.decode(reader.cursor, reader) == value
    assert reader.cursor.remaining() == 0
    reader.cursor.seek(0)
    codec.measure(reader.cursor, reader)
    assert reader.cursor.remaining() == 0
    assert codec.least <= len(data)
    assert codec.size in (-1, len(data))


@pytest.mark.parametrize(("data", "found"), [(i32(0), False), (i32(1) + TYPE + i32(0), True)])
def test_a_struct_with_a_type_may_have_a_list(data, found):
    reader = reader_over(data)
    Dynamic().measure(reader.cursor, reader)
    assert reader.build.lists == found


@pytest.mark.parametrize("rest", [1, 4])
def test_bytes_after_a_list_of_known_size(rest):
    reader = reader_over(i32(len(ITEM) + rest) + ITEM + bytes(rest))
    limit = reader.cursor.limit()
    with pytest.raises(DamagedSave, match="bytes left after the value") as caught:
        SIZED_PROPERTIES.decode(reader.cursor, reader)
    assert (caught.value.offset, caught.value.actual) == (4 + len(ITEM), rest)
    assert reader.cursor.limit() == limit


@pytest.mark.parametrize("size", [-1, 4])
def test_sizes_that_do_not_fit(size):
    for codec, head in ((SIZED_PROPERTIES, b""), (Dynamic(), i32(1) + TYPE)):
        reader = reader_over(head + i32(size) + bytes(3))
        with pytest.raises(DamagedSave):
            codec.decode(reader.cursor, reader)


def test_bytes_of_unknown_layout_are_counted():
    reader = reader_over(i32(3) + b"odd", limits=Limits(build_size=2))
    with pytest.raises(LimitExceeded, match="build_size"):
        SIZED_PROPERTIES.decode(reader.cursor, reader)
