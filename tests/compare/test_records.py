"""Twins find each other, wherever they wait; the others belong together by what they are known by, in their order."""

from __future__ import annotations

import pytest

from streamsave.compare.records import NEW, OLD, Waiting


def key(number):
    return number.to_bytes(8, "big")


def fill(waiting, olds, news):
    """Rows of key, digest and number."""
    for side, rows in ((OLD, olds), (NEW, news)):
        for a, b, number in rows:
            waiting.add(side, key(a), key(b), number)
    return waiting.leftover()


@pytest.mark.parametrize("most", [1, 3, 100])
def test_leftover(most):
    olds = [(1, 1, 10), (2, 5, 20), (3, 3, 30), (4, 1, 40), (4, 2, 41), (4, 3, 42), (5, 1, 50)]
    news = [(1, 1, 11), (2, 6, 21), (4, 3, 43), (4, 9, 44), (6, 1, 60), (5, 1, 51), (5, 1, 52)]
    left = fill(Waiting(most), olds, news)
    assert list(left.removed) == [30, 41]
    assert list(left.added) == [52, 60]
    assert list(zip(left.changed_new, left.changed_old, strict=True)) == [(21, 20), (44, 40)]


def test_equal_ones_without_a_name_find_each_other_in_their_order():
    left = fill(Waiting(), [(1, 1, at) for at in range(5)], [(1, 1, at) for at in range(100, 103)])
    assert (list(left.removed), list(left.added), list(left.changed_new)) == ([3, 4], [], [])


def test_what_waits():
    waiting = Waiting()
    assert waiting.is_empty()
    waiting.add(OLD, key(1), key(1), 1)
    waiting.add(OLD, key(1), key(2), 2)
    assert waiting.has(OLD, key(1))
    assert not waiting.has(NEW, key(1))
    waiting.add(NEW, key(1), key(2), 3)
    assert waiting.has(OLD, key(1))
    waiting.add(NEW, key(1), key(1), 4)
    assert not waiting.has(OLD, key(1))
    assert waiting.is_empty()
