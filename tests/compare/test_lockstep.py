"""Where two saves are side by side, nothing waits; where they are not, they soon are again."""

from __future__ import annotations

import pytest
from cli_runs import thing, write
from writer.tags import INT, STR, Prop

import streamsave
from streamsave.compare import lockstep
from streamsave.compare.lockstep import Lockstep
from streamsave.compare.unmatched import Unmatched


class Counting(Unmatched):
    """Counts what was added."""

    def __init__(self):
        super().__init__()
        self.added = 0

    def add(self, *row):
        self.added += 1
        super().add(*row)


def walk(old, new):
    """Return what waited at any time, and the paths of differences."""
    unmatched = Counting()
    paths = []
    with streamsave.open(old) as first, streamsave.open(new) as second:
        Lockstep(first, second, lambda _pair, path, *_: paths.append(path), unmatched, objects_only=True).run()
    return unmatched.added, paths


def chests(folder, name, numbers, first=0):
    return write(folder, name, *(thing(f"Chest_{at}", Prop("mCount", INT, first + at % 3)) for at in numbers))


@pytest.mark.parametrize(
    ("olds", "news", "most"),
    [
        (range(50), range(50), 0),
        (range(50), [*range(10), *range(11, 50)], 3),
        ([*range(10), *range(11, 50)], range(50), 3),
        (range(50), [*range(10), 90, 91, 92, *range(10, 50)], 9),
    ],
)
def test_few_wait(tmp_path, olds, news, most):
    waited, paths = walk(chests(tmp_path, "old.sav", olds), chests(tmp_path, "new.sav", news))
    assert waited <= most
    assert paths == []


def test_changed_ones_do_not_wait(tmp_path):
    waited, paths = walk(chests(tmp_path, "old.sav", range(20)), chests(tmp_path, "new.sav", range(20), first=1))
    assert (waited, paths) == (0, ["mCount"] * 20)


def test_large_objects_are_compared_by_what_is_in_them(tmp_path):
    def save(name, count):
        labels = [Prop("mLabel", STR, "x" * 1000, index=at) for at in range(150)]
        return write(tmp_path, name, thing("Large", *labels, Prop("mCount", INT, count)))

    assert lockstep.LARGEST < 150_000
    assert walk(save("old.sav", 1), save("new.sav", 2)) == (0, ["mCount"])
    assert walk(save("old.sav", 1), save("new.sav", 1)) == (0, [])
