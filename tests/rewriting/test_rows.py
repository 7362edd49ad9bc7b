"""Rows of edits."""

from __future__ import annotations

import pytest

from streamsave.errors import EditError
from streamsave.rewriting.rows import Mark, Rows, merged


def test_rows_come_as_they_were_added():
    rows = Rows()
    rows.add(3, 5, b"abc")
    place = rows.reserve(6, 2)
    unused = rows.reserve(8, 4)
    rows.add(12, 12, b"")
    rows.fill(place, 0x102)
    rows.forget(unused)
    assert list(rows) == [(3, 5, b"abc"), (6, 8, b"\2\1"), (12, 12, b"")]
    assert [row.shifts for row in rows] == [True, False, False]
    assert rows.edited_to == 12


def test_rows_after_a_mark_are_cut_off():
    rows = Rows()
    rows.add(1, 2, b"x")
    mark = rows.mark()
    rows.cut(mark)
    rows.add(5, 9, b"longer")
    rows.reserve(10, 4)
    rows.cut(mark)
    assert rows.edited_to == 2
    rows.add(3, 4, b"y")
    assert list(rows) == [(1, 2, b"x"), (3, 4, b"y")]


@pytest.mark.parametrize("number", [-1, 1 << 15])
def test_a_number_that_does_not_fit(number):
    rows = Rows()
    place = rows.reserve(0, 2)
    rows.fill(place, (1 << 15) - 1)
    with pytest.raises(EditError, match="expected 0 to 32767"):
        rows.fill(place, number)


def test_runs_are_merged_by_offset():
    one, other = Rows(), Rows()
    for start in (1, 4, 9):
        one.add(start, start, b"a")
    for start in (2, 4, 5):
        other.add(start, start, b"b")
    assert [row.start for row in merged(one, other)] == [1, 2, 4, 4, 5, 9]


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


def test_a_number_does_not_grow():
    rows = Rows()
    rows.reserve(0, 4)
    rows.add(4, 6, b"", 0)
    assert list(rows) == [(0, 4, bytes(4)), (4, 6, b"")]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 1000])
def test_rows_beyond_memory(most):
    rows = Rows(most)
    numbers = {}
    for at in range(0, 300, 3):
        if at % 4 == 0:
            numbers[at] = rows.reserve(at, 2)
        else:
            rows.add(at, at + 1, b"data"[: at % 5])
    marked = rows.mark()
    rows.add(300, 301, b"")
    rows.reserve(302, 1)
    rows.cut(marked)
    for at, place in numbers.items():
        if at % 8:
            rows.forget(place)
        else:
            rows.fill(place, at)
    expected = []
    for at in range(0, 300, 3):
        if at % 4:
            expected.append((at, at + 1, b"data"[: at % 5]))
        elif at % 8 == 0:
            expected.append((at, at + 2, at.to_bytes(2, "little")))
    assert list(rows) == expected
    assert list(rows) == expected
    rows.cut(Mark(7, 18))
    rows.add(20, 21, b"z")
    assert len(rows) == 8
    assert list(rows) == [row for row in expected if row[0] < 21] + [(20, 21, b"z")]
    assert (rows._spill is not None) == (most < 100)
    rows.close()


def test_much_data_is_spilled():
    rows = Rows(most_data=10)
    for at in range(5):
        rows.add(at, at + 1, bytes([at]) * 9)
    assert rows._spilled == 4
    assert [row.data for row in rows] == [bytes([at]) * 9 for at in range(5)]
    rows.close()
