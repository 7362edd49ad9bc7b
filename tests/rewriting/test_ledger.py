"""Open nestings, and the sizes and counts around edits."""

from __future__ import annotations

import sqlite3
from itertools import chain

import pytest
from cursors import cursor_over

from streamsave import Field, Limits, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Length, Reader
from streamsave.errors import EditError
from streamsave.input.source import BytesSource, open_source
from streamsave.input.windows import FileWindows
from streamsave.rewriting.family import Family, find_family
from streamsave.rewriting.ledger import Counter, Ledger, Nesting, as_bytes
from streamsave.rewriting.rows import Rows
from streamsave.values import Header

START = SaveStart(0, "", 1, Header())
#: A container of three elements from 14 on, with a count before them; it is the value of a tag with a size.
TAG = PropertyTag(4, "Things", "ArrayProperty", 34, 0, 10, "", "StructProperty", "", False, None, None)
ARRAY = StructEnter(10, "Things", "ArrayProperty", 4, 30, -1, 3)
ELEMENTS = [StructEnter(at, "Things", "Thing", 0, -1, number, -1) for number, at in enumerate((14, 24, 34))]
FIELDS = {0: [Length(0, 4, counts=False)], 4: [Length(6, 4, counts=False)], 10: [Length(10, 4, counts=True)]}
VALUES = {0: 100, 6: 34, 10: 3}


def ledger_of(fields, values):
    """A ledger of a save with these length fields of its events, by their offsets, and these values of the fields."""

    class Fields(Family):
        def lengths(self, event):
            return fields.get(event.offset, [])

    data = bytearray(100)
    for field in chain(*fields.values()):
        data[field.offset : field.offset + field.width] = values[field.offset].to_bytes(field.width, "little")
    source, limits = BytesSource(bytes(data)), Limits()
    return Ledger(Fields(source, Reader(Cursor(FileWindows(source), limits)), limits))


def ledger():
    made = ledger_of(FIELDS, VALUES)
    made.open(START)
    made.open(ARRAY, TAG)
    return made


def rows(made, end=44):
    made.close(end)
    made.close(104)
    return [(row.start, row.end, int.from_bytes(row.data, "little") if len(row.data) == 4 else row.data) for row in made.rows]


def test_an_element_less():
    made = ledger()
    for element in ELEMENTS:
        made.open(element)
        if element.index == 1:
            made.drop(made.nestings[-1])
        made.close(element.offset + 10)
    assert rows(made) == [(0, 4, 90), (6, 10, 24), (10, 14, 2), (24, 34, b"")]


def test_a_change_inside():
    made = ledger()
    made.open(ELEMENTS[0])
    made.edit(16, 17, b"ab")
    made.close(24)
    made.edit(25, 28, b"")
    assert rows(made) == [(0, 4, 98), (6, 10, 32), (16, 17, b"ab"), (25, 28, b"")]


def test_a_change_of_the_same_size_leaves_sizes_alone():
    made = ledger()
    made.edit(16, 17, b"a")
    assert rows(made) == [(16, 17, b"a")]


def test_dropping_what_is_around_forgets_edits_inside():
    made = ledger()
    made.open(ELEMENTS[0])
    made.edit(16, 17, b"ab")
    made.drop(made.find(TAG))
    assert made.dropped is not None
    with pytest.raises(EditError, match="inside of what is dropped"):
        made.edit(18, 19, b"")
    made.close(24)
    made.close(44)
    made.edit(50, 51, b"")
    made.close(104)
    assert [(row.start, row.end, row.data) for row in made.rows] == [
        (0, 4, (59).to_bytes(4, "little")),
        (4, 44, b""),
        (50, 51, b""),
    ]


def test_no_second_edit():
    made = ledger()
    made.edit(16, 18, b"")
    with pytest.raises(EditError, match="edited already"):
        made.edit(17, 18, b"")


#: A level: size and count of its headers, two headers from 22 on, size and count of its objects, these from 50 on.
LEVEL = StructEnter(8, "Level", "Level", 14, -1, 0, -1)
LEVEL_FIELDS = [
    Length(10, 8, counts=False),
    Length(18, 4, counts=True),
    Length(38, 8, counts=False, section=1),
    Length(46, 4, counts=True, section=1),
]
LEVEL_VALUES = {0: 200, 10: 20, 18: 2, 38: 44, 46: 2, 56: 10}


def header(offset: int, data_offset: int) -> ObjectHeader:
    return ObjectHeader(offset, "actor", "C", "N", "L", "", None, 0, 1, 8, 10, data_offset, 10)


def test_an_object_less_in_a_level():
    fields = {0: [Length(0, 4, counts=False)], 8: LEVEL_FIELDS}
    made = ledger_of(fields, LEVEL_VALUES)
    made.open(START)
    made.open(LEVEL)
    for object_header in (header(22, 60), header(30, 80)):
        made.open(object_header)
        if object_header.offset == 30:
            made.drop(made.nestings[-1])
        made.close(object_header.data_offset + 10)
    made.edit(95, 96, b"")  # in the tail, which no size of the level bounds
    made.close(100)
    made.close(204)
    found = [(row.start, row.end, int.from_bytes(row.data, "little") if row.data else None) for row in made.rows]
    assert found == [
        (0, 4, 200 - 8 - 20 - 1),
        (10, 18, 12),
        (18, 22, 1),
        (30, 38, None),
        (38, 46, 24),
        (46, 50, 1),
        (70, 90, None),
        (95, 96, None),
    ]


# --- open nestings: where they start, and what their fields say after edits ---


def test_a_field_may_end_before_its_nesting():
    fields = [Length(2, 4, counts=False, end=50), Length(6, 4, counts=False), Length(10, 4, counts=True)]
    nesting = Nesting(header_of(10, 30, 0))
    nesting.counters = [Counter(field, 0, NO_LIMIT, 0) for field in fields]
    nesting.grow(49, 3, 0)
    nesting.grow(50, 10, 0)
    nesting.grow(1 << 40, -1, -1)
    assert [counter.change for counter in nesting.counters] == [3, 12, -1]
    assert nesting.growth == 12


@pytest.mark.parametrize("number", [-1, 1 << 15])
def test_a_number_that_does_not_fit(number):
    assert as_bytes((1 << 15) - 1, 2) == b"\xff\x7f"
    with pytest.raises(EditError, match="expected 0 to 32767"):
        as_bytes(number, 2)


def header_of(header_size, data_offset, prefix_size):
    return ObjectHeader(20, "object", "C", "c", "", "", None, 0, 1, header_size, prefix_size, data_offset, 8)


def test_where_an_object_starts():
    beside = Nesting(header_of(10, 30, 0))
    assert (beside.start, beside.has_header_apart) == (20, False)
    apart = Nesting(header_of(10, 104, 4))
    assert (apart.start, apart.has_header_apart) == (100, True)


# --- rows of edits, in a temporary database ---


def test_rows_come_in_the_order_of_the_bytes():
    rows = Rows()
    rows.add(3, 5, b"abc")
    rows.add(12, 12, b"")
    rows.add(6, 8, b"\2\1")
    rows.add(12, 13, b"x")
    rows.add(12, 12, b"y")
    assert list(rows) == [(3, 5, b"abc"), (6, 8, b"\2\1"), (12, 12, b""), (12, 12, b"y"), (12, 13, b"x")]
    assert [row.shifts for row in rows] == [True, False, False, True, False]


def test_rows_after_a_mark_are_cut_off():
    rows = Rows()
    rows.add(1, 2, b"x")
    mark = len(rows)
    rows.cut(mark)
    rows.add(5, 9, b"longer")
    rows.add(0, 4, b"size")
    rows.cut(mark)
    rows.add(3, 4, b"y")
    assert list(rows) == [(1, 2, b"x"), (3, 4, b"y")]


def test_many_rows():
    rows = Rows()
    marks = {}
    for at in range(0, 3000, 3):
        marks[at] = len(rows)
        rows.add(at, at + 1, b"data"[: at % 5])
        if at % 4 == 0:
            rows.add(at // 2 + 2, at // 2 + 2, b"late")
    expected = [(at, at + 1, b"data"[: at % 5]) for at in range(0, 3000, 3)]
    expected += [(at // 2 + 2, at // 2 + 2, b"late") for at in range(0, 3000, 12)]
    for _ in range(2):
        assert list(rows) == sorted(expected)
    assert len(rows) == len(expected)
    for cut in (2997, 1500, 30):
        rows.cut(marks[cut])
        rows.add(cut, cut + 1, b"z")
        expected = [row for row in expected if row[0] < cut and (row[2] != b"late" or row[0] * 2 - 4 < cut)]
        expected.append((cut, cut + 1, b"z"))
        assert list(rows) == sorted(expected)
        assert len(rows) == len(expected)
    database = rows._database
    del rows
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_a_database_that_cannot_be_used():
    rows = Rows()
    for at in range(100):
        rows.add(at, at + 1, b"a")
    assert len(list(rows)) == 100
    rows._database.close()
    with pytest.raises(OSError, match="closed"):
        list(rows)


# --- what a family lets be left out unless it says otherwise ---


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
