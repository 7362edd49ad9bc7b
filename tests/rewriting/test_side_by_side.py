"""Work in threads."""

from __future__ import annotations

import threading

import pytest

from streamsave.rewriting.packing import AHEAD, in_threads


@pytest.mark.parametrize("count", [None, 1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 2, 5, 50])
def test_results_come_in_order(count, size):
    given = [b"%d" % number for number in range(size)]
    assert list(in_threads(lambda data: data * 2, given, count)) == [data * 2 for data in given]


def test_little_is_held():
    taken = []
    made = in_threads(bytes, (taken.append(number) or bytes([number]) for number in range(100)), 3)
    assert next(made) == b"\0"
    assert len(taken) == 3 * AHEAD
    made.close()


def test_an_error_is_raised_where_the_results_are():
    def work(data):
        if data == b"3":
            raise MemoryError(data)
        return data

    found = []
    with pytest.raises(MemoryError):
        found.extend(in_threads(work, [b"%d" % number for number in range(10)], 2))


def test_they_work_side_by_side():
    """Each waits for the other."""
    barrier = threading.Barrier(2, timeout=20)

    def work(data):
        barrier.wait()
        return data

    assert list(in_threads(work, [b"a", b"b"], 2)) == [b"a", b"b"]


@pytest.mark.slow
def test_threads_end():
    before = threading.active_count()
    list(in_threads(bytes, [b"a"] * 20, 4))
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(1)
    assert threading.active_count() <= before
