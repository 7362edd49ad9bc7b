"""Rows in temporary files."""

from __future__ import annotations

from streamsave.rewriting.rows import BLOCK_SIZE, Spill


def test_more_rows_than_are_read_at_a_time():
    spill = Spill()
    count = BLOCK_SIZE * 2 + 1
    data = bytearray(b"ab" * count)
    spill.add(range(count), range(1, count + 1), range(0, 2 * count, 2), data)
    spill.add([count], [count + 5], [0], bytearray(b"last"))
    found = list(spill)
    assert [row[0] for row in found] == list(range(count + 1))
    assert {row[2] for row in found[:-1]} == {b"ab"}
    assert found[-1] == (count, count + 5, b"last")
    spill.close()


def test_rows_are_filled_forgotten_and_cut_off():
    spill = Spill()
    spill.add([1, 3, 5], [2, 4, 6], [0, 4, 4], bytearray(b"abcdxy"))
    spill.fill(spill.row(0)[2] + 1, b"BC")
    spill.forget(1)
    assert list(spill) == [(1, 2, b"aBCd"), (3, -1, b""), (5, 6, b"xy")]
    spill.cut(3)
    spill.cut(1)
    spill.add([9], [9], [0], bytearray(b"new"))
    assert list(spill) == [(1, 2, b"aBCd"), (9, 9, b"new")]
    spill.close()
