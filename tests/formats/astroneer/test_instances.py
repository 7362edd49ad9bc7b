"""Object records, and the names that their indexes mean."""

from __future__ import annotations

import pytest
from cursors import cursor_over
from writer.primitives import fstring, i32, u8, u32

from streamsave import DamagedSave, Limits
from streamsave.formats.astroneer.instances import LEAST_RECORD, InstanceTable, kind_of, read_record
from streamsave.formats.unreal.pool import PoolCursor

NAMES = ["None", "Rover", "Slot", "Gravity"]

KINDS = [
    (0x00, "object"),
    (0x01, "object"),
    (0x02, "actor"),
    (0x04, "object"),
    (0x08, "object"),
    (0x10, "native"),
    (0x12, "native"),
    (0x20, "manager"),
    (0x22, "actor"),
    (0x30, "native"),
]


@pytest.mark.parametrize(("flags", "kind"), KINDS)
def test_kinds(flags, kind):
    assert kind_of(flags) == kind


def record(name: int = 1, outer: int = -1, *, flags: int = 0, size: int = 3, total: int | None = None) -> bytes:
    sizes = u32(size) + (b"" if total is None else u32(total))
    return fstring("C") + i32(name) + u32(9) + u8(flags) + i32(outer) + sizes + bytes(size if total is None else total)


def pool_cursor(data: bytes) -> PoolCursor:
    cursor = PoolCursor(cursor_over(data).windows, Limits())
    cursor.set_limit(len(data))
    cursor.names = NAMES
    return cursor


@pytest.mark.parametrize(("flags", "total"), [(0x00, None), (0x04, 3), (0x04, 8), (0x06, 8)])
def test_records(flags, total):
    data = record(2, 0, flags=flags, total=total)
    read = read_record(pool_cursor(data), 1)
    assert (read.class_name, read.name, read.object_flags, read.save_flags, read.outer) == ("C", 2, 9, flags, 0)
    assert (read.property_size, read.total_size) == (3, 3 if total is None else total)
    assert read.data_offset + read.total_size == len(data)


def test_the_smallest_record():
    data = i32(0) + i32(1) + u32(0) + u8(0) + i32(-1) + u32(0)
    assert len(data) == LEAST_RECORD
    assert read_record(pool_cursor(data), 0).data_offset == LEAST_RECORD


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


# --- names ---

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
    ("index", "path"),
    [(0, "Rover"), (1, "Rover.Slot"), (2, "Rover.Slot.Gravity"), (4, "Rover"), (5, "#5"), (-1, "#-1")],
)
def test_paths(seen, index, path):
    """A name that has not come yet is found by a cursor that runs ahead."""
    assert table(seen).path(index) == path


@pytest.mark.parametrize(("depth", "path"), [(1, "Gravity"), (2, "Slot.Gravity"), (3, "Rover.Slot.Gravity")])
def test_paths_have_a_limit(depth, path):
    assert table(5, Limits(depth=depth)).path(2) == path


@pytest.mark.parametrize(("actor", "path"), [(0, "Rover.Slot"), (1, "Rover"), (2, "#2"), (-1, "#-1")])
def test_actors(actor, path):
    made = table(5)
    actors = b"".join(i32(index) + i32(1) + bytes(8) + i32(0) + bytes(40) for index in (1, 4))
    made.begin_actors(2, lambda: pool_cursor(actors))
    assert made.actor_path(actor) == path


def test_a_fault_ahead_is_left_to_the_walk():
    made = InstanceTable("Level", NAMES, Limits())
    made.begin(2, lambda: pool_cursor(record(1) + record(9)))
    assert (made.path(1), made.path(0)) == ("#1", "Rover")
