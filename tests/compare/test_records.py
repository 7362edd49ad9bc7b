"""Twins find each other, wherever they wait; the others belong together by what they are known by, in their order."""

import sqlite3
from contextlib import ExitStack, closing

import pytest

from streamsave.compare.records import NEW, OLD, Waiting


@pytest.fixture
def opened():
    with ExitStack() as stack:
        yield lambda *most: stack.enter_context(closing(Waiting(*most)))


def fill(waiting, olds, news):
    """Rows of key, digest and number. Return the numbers of pairs that differ, and of what only one side has."""
    for side, rows in ((OLD, olds), (NEW, news)):
        for row in rows:
            waiting.add(side, *row)
    waiting.match()
    old, new = [*waiting.left(OLD)], [*waiting.left(NEW)]
    pairs = [(number, twin) for number, twin in new if twin is not None]
    assert sorted(pairs) == sorted((twin, number) for number, twin in old if twin is not None)
    return pairs, *([number for number, twin in side if twin is None] for side in (old, new))


@pytest.mark.parametrize("most", [1, 3, 100])
def test_leftover(opened, most):
    olds = [(1, 1, 10), (2, 5, 20), (3, 3, 30), (4, 1, 40), (4, 2, 41), (4, 3, 42), (5, 1, 50)]
    news = [(1, 1, 11), (2, 6, 21), (4, 3, 43), (4, 9, 44), (6, 1, 60), (5, 1, 51), (5, 1, 52)]
    assert fill(opened(most), olds, news) == ([(21, 20), (44, 40)], [30, 41], [52, 60])


def test_equal_ones_without_a_name_find_each_other_in_their_order(opened):
    assert fill(opened(), [(1, 1, at) for at in range(5)], [(1, 1, at) for at in range(100, 103)]) == ([], [3, 4], [])


def test_what_waits(opened):
    waiting = opened()
    assert waiting.is_empty()
    waiting.add(OLD, 1, 1, 1)
    waiting.add(OLD, 1, 2, 2)
    assert waiting.has(OLD, 1)
    assert not waiting.has(NEW, 1)
    waiting.add(NEW, 1, 2, 3)
    assert waiting.has(OLD, 1)
    waiting.add(NEW, 1, 1, 4)
    assert not waiting.has(OLD, 1)
    assert waiting.is_empty()


def test_what_is_held(opened):
    waiting = opened()
    waiting.hold(3, b"c")
    waiting.hold(1, b"a")
    assert (waiting.held(1), waiting.held(3)) == (b"a", b"c")
    waiting.close()
    with pytest.raises(sqlite3.Error):
        waiting.held(1)
