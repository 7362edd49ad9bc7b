"""What a family lets be left out unless it says otherwise."""

from __future__ import annotations

import pytest
from cursors import cursor_over

from streamsave import Field, Limits, ObjectHeader, StructEnter
from streamsave.decode.reader import Length, Reader
from streamsave.input.source import open_source
from streamsave.rewriting.family import Family, find_family


class CountingFamily(Family[Reader]):
    """Knows a count of what is in any nesting of one type, as levels have it."""

    def lengths(self, event):
        return [Length(0, 4, counts=True)] if event.type_name == "Level" else [Length(0, 4, counts=False)]


FAMILY = CountingFamily(open_source(b""), Reader(cursor_over(b"")), Limits())


def enter(type_name="", count=-1):
    return StructEnter(0, "Things", type_name, 0, 10, -1, count)


def field(index):
    return Field(0, "thing", "i32", 4, index)


HEADER = ObjectHeader(0, "actor", "Build_C", "Build_C_1", "Level", "", None, 0, 0, 0, 0, 0, 4)


@pytest.mark.parametrize(
    ("around", "event", "holds"),
    [
        (enter(count=3), field(1), True),
        (enter(count=3), field(-1), False),
        (enter(), field(1), False),
        (enter("Level"), HEADER, True),
        (enter("Level"), enter(), False),
        (enter(), HEADER, False),
        (HEADER, field(1), False),
    ],
)
def test_what_can_be_left_out(around, event, holds):
    assert FAMILY.holds(around, event) is holds


def test_all_else_stays_as_it_is():
    assert FAMILY.part(HEADER) == -1
    assert FAMILY.span(HEADER, 3, 7, 0) == (3, 7)
    assert FAMILY.before_value(field(1)) == 0


def test_bytes_are_read_again():
    data = bytes(range(20))
    reader = Reader(cursor_over(data))
    reader.cursor.seek(len(data))
    reader.cursor.set_limit(len(data))
    family = find_family(open_source(data), reader, Limits())
    assert family.bytes_at(4, 8) == data[4:12]
    assert family.bytes_at(len(data) - 3, 8) == data[-3:]
