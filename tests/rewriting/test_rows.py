"""Rows of edits."""

from __future__ import annotations

import pytest

from streamsave.errors import EditError
from streamsave.rewriting.rows import Rows, merged


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
