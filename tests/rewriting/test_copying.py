"""A stream with edits."""

from __future__ import annotations

import pytest
from cursors import windows_over

from streamsave.rewriting.packing import edited
from streamsave.rewriting.rows import Row

DATA = bytes(range(50))


@pytest.mark.parametrize("window", [1, 7, 50])
@pytest.mark.parametrize(
    ("rows", "start", "end", "expected"),
    [
        ([], 0, -1, DATA),
        ([], 3, 20, DATA[3:20]),
        ([Row(0, 2, b"abc"), Row(10, 10, b"x"), Row(48, 50, b"")], 0, -1, b"abc" + DATA[2:10] + b"x" + DATA[10:48]),
        ([Row(5, 6, b"-"), Row(6, 12, b"+")], 4, 14, DATA[4:5] + b"-+" + DATA[12:14]),
        ([Row(50, 50, b"end")], 45, -1, DATA[45:] + b"end"),
    ],
)
def test_edits_at_any_place(window, rows, start, end, expected):
    assert b"".join(edited(windows_over(DATA, window), rows, start, end)) == expected


def test_pieces_end_with_the_stream():
    assert b"".join(edited(windows_over(DATA, 9), (), 40, 60)) == DATA[40:]
