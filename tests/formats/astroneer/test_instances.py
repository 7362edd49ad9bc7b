"""Object records, where their sizes are, the names that their indexes mean, and indexes of references."""

import pytest
from cursors import Uncounted, cursor_over
from writer.primitives import fstring, i32, u8, u32

from streamsave import DamagedSave, Limits, ObjectHeader
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length
from streamsave.errors import EditError
from streamsave.formats.astroneer.instances import (
    CUSTOM_RECORD,
    RECORD,
    ActorReference,
    InstanceReference,
    InstanceTable,
    has_custom_data,
    read_record,
    record_lengths,
)
from streamsave.formats.astroneer.layout import IndexCodec
from streamsave.formats.unreal.pool import PoolCursor, PoolEncoder
from streamsave.input.windows import BytesWindows
from streamsave.values import ObjectReference

NAMES = ["None", "Rover", "Slot", "Gravity"]


def record(
    name: int = 1, outer: int = -1, *, flags: int = 0, size: int = 3, total: int | None = None, object_flags: int = 9
) -> bytes:
    sizes = u32(size) + (b"" if total is None else u32(total))
    start = fstring("C") + i32(name) + u32(object_flags) + u8(flags) + i32(outer)
    return start + sizes + bytes(size if total is None else total)


def pool_cursor(data: bytes) -> PoolCursor:
    cursor = PoolCursor(cursor_over(data).windows, Limits())
    cursor.set_limit(len(data))
    cursor.names = NAMES
    return cursor


BROKEN = [
    (record(name=-1), "name of an object"),
    (record(name=4), "name of an object"),
    (record(outer=-2), "outer of an object"),
    (record(outer=5), "outer of an object"),
    (record(flags=4, total=2), "total size of an object"),
]


@pytest.mark.parametrize(("data", "message"), BROKEN)
def test_records_that_cannot_be(data, message):
    with pytest.raises(DamagedSave, match=message) as caught:
        read_record(pool_cursor(data), 5)
    assert caught.value.offset == 0


@pytest.mark.parametrize("data", [record(name=0), record(name=3), record(outer=-1), record(outer=4), record(flags=4, total=3)])
def test_records_at_the_border(data):
    assert read_record(pool_cursor(data), 5).class_name == "C"


def test_flags_have_no_sign():
    one = read_record(pool_cursor(record(flags=0x80, object_flags=0xFFFF_FFFF)), 5)
    assert (one.save_flags, one.object_flags) == (0x80, 0xFFFF_FFFF)


@pytest.mark.parametrize(("data", "rows"), [(record(2, 3, flags=0x12), RECORD), (record(2, 3, flags=4, total=5), CUSTOM_RECORD)])
def test_the_rows_are_what_is_read(data, rows):
    cursor = pool_cursor(data)
    fields = rows.decode(cursor, Uncounted())
    one = read_record(pool_cursor(data), 5)
    assert fields == {name: getattr(one, name) for name in rows.names}
    assert cursor.tell() == one.data_offset


RECORDS = [record(1), record(2, 0), record(3, 1), record(2, 4), record(1, -1)]


def table(seen: int, limits: Limits | None = None) -> InstanceTable:
    """A table of five records, of which the walk has seen some."""
    data = b"".join(RECORDS)
    made = InstanceTable("Level", NAMES, Limits() if limits is None else limits)
    made.begin(len(RECORDS), lambda: pool_cursor(data))
    cursor = pool_cursor(data)
    for index in range(seen):
        one = read_record(cursor, len(RECORDS))
        cursor.seek(one.data_offset + one.total_size)
        made.add(index, one)
    return made


@pytest.mark.parametrize("seen", [0, 1, 3, 5])
@pytest.mark.parametrize(
    ("index", "path"), [(0, "Rover"), (1, "Rover.Slot"), (2, "Rover.Slot.Gravity"), (4, "Rover"), (5, "#5"), (-1, "#-1")]
)
def test_paths(seen, index, path):
    """A name that has not come yet is found by a cursor that runs ahead."""
    assert table(seen).path(index) == path


@pytest.mark.parametrize(("depth", "path"), [(1, "Gravity"), (2, "Slot.Gravity"), (3, "Rover.Slot.Gravity")])
def test_paths_have_a_limit(depth, path):
    assert table(5, Limits(depth=depth)).path(2) == path


def test_a_fault_ahead_is_left_to_the_walk():
    made = InstanceTable("Level", NAMES, Limits())
    made.begin(2, lambda: pool_cursor(record(1) + record(9)))
    assert (made.path(1), made.path(0)) == ("#1", "Rover")


@pytest.mark.parametrize(
    ("save_flags", "lengths"),
    [
        (0x02, [Length(16, 4, counts=False)]),
        (0x04, [Length(12, 4, counts=False, end=25), Length(16, 4, counts=False)]),
        (0x3F, [Length(12, 4, counts=False, end=25), Length(16, 4, counts=False)]),
    ],
)
def test_an_object(save_flags, lengths):
    header = ObjectHeader(0, "object", "C", "c", "", "", None, 0xFFFFFFFF | save_flags << 32, 41, 20, 0, 20, 9)
    cursor = Cursor(BytesWindows(bytes(12) + b"\5\0\0\0" + b"\x09\0\0\0" + bytes(9)), Limits())
    assert record_lengths(header, cursor) == lengths
    assert has_custom_data(header) == (len(lengths) == 2)


POOL = ["None", "/Game/Item", "plain", "a", "b", "twin"]


def level() -> InstanceTable:
    """A level whose objects are called a, b, twin, twin, and others that are not known."""
    made = InstanceTable("level", POOL, Limits())
    made.begin(10, None)
    for index, name in enumerate(("a", "b", "twin", "twin")):
        made.name(index, POOL.index(name), -1)
    return made


def found(value):
    return level().index_of(value, actors=False)


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (InstanceReference("", "", -1), -1),
        (InstanceReference("level", "b", 1), 1),
        (InstanceReference("level", "twin", 3), 3),
        (InstanceReference("level", "#9", 9), 9),
        (InstanceReference("level", "b", 0), 1),
        (ActorReference("level", "b", 0), 1),
        (ObjectReference("level", "a"), 0),
        (ObjectReference("", ""), -1),
    ],
)
def test_indexes(value, index):
    assert found(value) == index


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (ObjectReference("level", "twin"), "several objects"),
        (ActorReference("level", "twin", 3), "several objects"),
        (ObjectReference("level", "c"), "no object has this name"),
        (InstanceReference("other", "b", 1), "another level"),
        ("b", "no reference"),
    ],
)
def test_refused(value, message):
    with pytest.raises(EditError, match=message):
        found(value)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (InstanceReference("", "/Game/Item", -3), b"\xfd\xff\xff\xff\1\0\0\0"),
        (InstanceReference("", "plain", -3), b"\xfd\xff\xff\xff\2\0\0\0"),
        (ObjectReference("level", "/Game/Item"), b"\xfd\xff\xff\xff\1\0\0\0"),
        (ObjectReference("level", "b"), b"\1\0\0\0"),
    ],
)
def test_what_a_property_refers_to(value, data):
    encoder = PoolEncoder({name: index for index, name in enumerate(POOL)})
    IndexCodec(level(), has_assets=True).encode(value, encoder)
    assert bytes(encoder.data) == data
