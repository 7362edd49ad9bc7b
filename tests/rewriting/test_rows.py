"""Rows of edits, in memory and in a temporary file."""

from __future__ import annotations

import pytest

from streamsave.rewriting.rows import Rows


def test_rows_come_in_the_order_of_the_bytes():
    rows = Rows()
    rows.add(3, 5, b"abc")
    rows.add(12, 12, b"")
    rows.write(6, 8, b"\2\1")
    rows.write(12, 13, b"x")
    rows.write(12, 12, b"y")
    assert list(rows) == [(3, 5, b"abc"), (6, 8, b"\2\1"), (12, 12, b""), (12, 12, b"y"), (12, 13, b"x")]
    assert [row.shifts for row in rows] == [True, False, False, True, False]
    assert rows.edited_to == 12


def test_rows_after_a_mark_are_cut_off():
    rows = Rows()
    rows.add(1, 2, b"x")
    mark = rows.mark()
    rows.cut(mark)
    rows.add(5, 9, b"longer")
    rows.write(0, 4, b"size")
    rows.cut(mark)
    assert rows.edited_to == 2
    rows.add(3, 4, b"y")
    assert list(rows) == [(1, 2, b"x"), (3, 4, b"y")]


def test_what_is_left_out_in_one_go_is_one_row():
    rows = Rows()
    rows.add(0, 2, b"", 0)
    rows.add(2, 5, b"", 0)
    rows.add(5, 7, b"", 1)  # a cut may leave one row: that one stays as it is
    rows.add(7, 9, b"x", 0)
    rows.add(9, 11, b"", 0)
    rows.add(12, 13, b"", 0)
    assert list(rows) == [(0, 5, b""), (5, 7, b""), (7, 9, b"x"), (9, 11, b""), (12, 13, b"")]
    assert rows.edited_to == 13


@pytest.mark.parametrize(("most_rows", "most_data"), [(1, 1000), (2, 1000), (3, 1000), (5, 1000), (9000, 10), (9000, 9000)])
def test_rows_beyond_memory(most_rows, most_data):
    rows = Rows(most_rows, most_data)
    marks = {}
    for at in range(0, 3000, 3):
        marks[at] = rows.mark()
        rows.add(at, at + 1, b"data"[: at % 5])
        if at % 4 == 0:
            rows.write(at // 2 + 2, at // 2 + 2, b"late")
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
    assert (rows._file is not None) == (most_rows < 9000 or most_data < 9000)
    rows.close()
