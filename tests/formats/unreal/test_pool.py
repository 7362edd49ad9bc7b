"""Names as indexes into a pool."""

import pytest
from cursors import cursor_over
from writer.primitives import i32

from streamsave import DamagedSave, Limits
from streamsave.errors import EditError
from streamsave.formats.unreal.pool import PoolCursor, PoolEncoder
from streamsave.formats.unreal.tags import looks_like_list

NAMES = ["None", "Count", "IntProperty", "None", "Int"]


def pool_cursor(data: bytes, names: list[str] | None = None) -> PoolCursor:
    cursor = PoolCursor(cursor_over(data).windows, Limits())
    cursor.set_limit(len(data))
    cursor.names = NAMES if names is None else names
    return cursor


@pytest.mark.parametrize("index", [-1, 5])
def test_an_index_that_is_none(index):
    cursor = pool_cursor(i32(0) + i32(index))
    cursor.name()
    with pytest.raises(DamagedSave, match="no such name") as caught:
        cursor.name()
    assert (caught.value.offset, caught.value.actual) == (4, index)


def test_bytes_are_not_remembered():
    cursor = pool_cursor(i32(1))
    cursor.name()
    assert cursor.since(0) == b""


def test_a_name_is_no_text_once_there_is_a_pool():
    """The bytes of the text `None` are the names 5 and so on of a pool, that name 5 first."""
    stored = i32(5) + b"None\0"
    for pool, found in (([], True), (["None"] * 6, False)):
        cursor = pool_cursor(stored, pool)
        cursor.need(len(stored))
        assert cursor.passes(0, stored) == found
        assert cursor.tell() == (len(stored) if found else 0)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (i32(1) + i32(2), True),  # a name and a type
        (i32(1) + i32(4), False),  # what is no type
        (i32(1) + i32(5), False),  # no name
        (i32(1) + i32(0), False),
        (i32(3), True),  # the pool's own None
        (i32(3) + i32(0), True),
        (i32(0), True),  # nothing follows
        (i32(0) + i32(2), False),  # a 0 may be anything
        (i32(-1) + i32(2), False),
        (i32(5) + i32(2), False),
        (i32(1), False),
        (b"\1\0", False),
    ],
)
def test_what_looks_like_a_list(data, found):
    cursor = pool_cursor(data)
    assert looks_like_list(cursor) is found
    assert cursor.tell() == 0


def encoded(names, value):
    encoder = PoolEncoder({name: index for index, name in enumerate(names)})
    encoder.name(value)
    return bytes(encoder.data)


@pytest.mark.parametrize(
    ("names", "value", "data"),
    [
        (["None", "a", "b"], "b", b"\2\0\0\0"),
        (["None"], "None", bytes(4)),
        (["None", "a", "None"], "None", b"\2\0\0\0"),
        ([], "b", b"\2\0\0\0b\0"),
    ],
    ids=["an index", "index 0", "the None that is stored", "no pool yet"],
)
def test_names_are_written_by_index(names, value, data):
    assert encoded(names, value) == data


@pytest.mark.parametrize(("value", "message"), [("c", "no such name in the pool"), (1, "not text")])
def test_refused(value, message):
    with pytest.raises(EditError, match=message):
        encoded(["None", "a"], value)
