"""Twins find each other, wherever they wait; the others belong together by key, in their order."""

from __future__ import annotations

import pytest

from streamsave.compare.object_values import Seen
from streamsave.compare.unmatched import NEW, OLD, Unmatched


def key(number):
    return number.to_bytes(8, "big")


def digest(number):
    return number.to_bytes(10, "big")


def fill(unmatched, olds, news):
    """Rows of key, digest and place."""
    for side, rows in ((OLD, olds), (NEW, news)):
        for a, b, place in rows:
            unmatched.add(side, key(a), digest(b), Seen(place, None, None))
    return unmatched.leftover()


@pytest.mark.parametrize("most", [1, 3, 100])
def test_leftover(most):
    olds = [(1, 1, 10), (2, 5, 20), (3, 3, 30), (4, 1, 40), (4, 2, 41), (4, 3, 42), (5, 1, 50)]
    news = [(1, 1, 11), (2, 6, 21), (4, 3, 43), (4, 9, 44), (6, 1, 60), (5, 1, 51), (5, 1, 52)]
    left = fill(Unmatched(most), olds, news)
    assert list(left.removed) == [30, 41]
    assert list(left.added) == [52, 60]
    assert list(zip(left.changed_new, left.changed_old, strict=True)) == [(21, 20), (44, 40)]


def test_equal_ones_without_a_name_find_each_other_in_their_order():
    left = fill(Unmatched(), [(1, 1, at) for at in range(5)], [(1, 1, at) for at in range(100, 103)])
    assert (list(left.removed), list(left.added), list(left.changed_new)) == ([3, 4], [], [])


def test_waits():
    unmatched = Unmatched()
    unmatched.add(OLD, key(1), digest(1), Seen(1, None, None))
    unmatched.add(OLD, key(1), digest(2), Seen(2, None, None))
    assert unmatched.waits(OLD, key(1))
    assert not unmatched.waits(NEW, key(1))
    unmatched.add(NEW, key(1), digest(2), Seen(3, None, None))
    assert unmatched.waits(OLD, key(1))
    unmatched.add(NEW, key(1), digest(1), Seen(4, None, None))
    assert not unmatched.waits(OLD, key(1))
    assert unmatched._count == 0
