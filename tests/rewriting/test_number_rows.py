"""Rows of numbers, in memory and in a temporary file."""

from __future__ import annotations

import pytest

from streamsave.rewriting.numbers import NumberRows


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_rows_come_in_their_order_each_time(most):
    rows = NumberRows(most)
    expected = [(number, -number, number << 40) for number in range(50)]
    for row in expected:
        rows.add(row)
    for _ in range(2):
        found = []
        for block in rows.blocks():
            assert len(block) % 3 == 0
            found += zip(*[iter(block)] * 3, strict=True)
        assert found == expected
    assert (rows._file is None) == (most == 1000)
    rows.close()
