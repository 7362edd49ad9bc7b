"""The spans that events claim: gaps, overlaps, and memory."""

from __future__ import annotations

import pytest

from streamsave.check.tiling import Claims


@pytest.mark.parametrize(
    ("claimed", "faults"),
    [
        ([(0, 4), (4, 10)], []),
        ([(4, 10), (0, 4)], []),
        ([(0, 2), (6, 10), (4, 6), (2, 4)], []),
        ([(0, 10), (3, 3), (10, 10)], []),
        ([], [(0, "events claim 0 bytes of 10")]),
        ([(0, 9)], [(9, "events claim 9 bytes of 10")]),
        ([(0, 11)], [(11, "events claim 11 bytes of 10")]),
        ([(0, 4), (6, 10)], [(4, "2 bytes that no event claims")]),
        ([(1, 10)], [(0, "1 bytes that no event claims")]),
        ([(0, 6), (4, 10)], [(4, "2 bytes that two events claim")]),
        ([(0, 10), (2, 4)], [(2, "2 bytes that two events claim")]),
        ([(0, 10), (0, 10)], [(0, "10 bytes that two events claim")]),
        ([(0, 10), (0, 4)], [(0, "4 bytes that two events claim")]),
        ([(0, 10), (6, 10)], [(6, "4 bytes that two events claim")]),
        ([(0, 3), (0, 3), (3, 10), (7, 10)], [(0, "3 bytes that two events claim"), (7, "3 bytes that two events claim")]),
    ],
)
def test_claims(claimed, faults):
    claims = Claims()
    for start, end in claimed:
        claims.add(start, end)
    assert list(claims.faults(10)) == faults


def test_claims_that_touch_are_one():
    claims = Claims()
    for start in range(0, 2000, 2):
        claims.add(start, start + 1)
        claims.add(start + 1, start + 2)
    assert len(claims._ends) == len(claims._starts) == 1
