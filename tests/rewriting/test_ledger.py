"""Numbers that do not fit, and rows of edits."""

import sqlite3

import pytest
from cursors import cursor_over

from streamsave import Limits, SaveEnd
from streamsave.decode.reader import Length, Reader
from streamsave.errors import EditError
from streamsave.input.source import open_source
from streamsave.rewriting.family import find_family
from streamsave.rewriting.ledger import as_bytes
from streamsave.rewriting.rows import Rows


@pytest.mark.parametrize("number", [-1, 1 << 15])
def test_a_number_that_does_not_fit(number):
    assert as_bytes((1 << 15) - 1, Length(0, 2, counts=True)) == b"\xff\x7f"
    with pytest.raises(EditError, match="expected 0 to 32767"):
        as_bytes(number, Length(0, 2, counts=True))


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


def test_bytes_are_read_again_also_of_a_format_that_cannot_be_written():
    data = bytes(range(20))
    reader = Reader(cursor_over(data))
    reader.cursor.seek(len(data))
    reader.cursor.set_limit(len(data))
    family = find_family(open_source(data), reader, Limits())
    assert family.bytes_at(4, 8) == data[4:12]
    assert family.bytes_at(len(data) - 3, 8) == data[-3:]
    assert family.part(SaveEnd(20)) == -1
