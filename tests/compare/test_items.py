"""A save as a row of items; which object is which; where two saves are side by side or soon are again, little waits."""

from contextlib import closing

import pytest
from cli_runs import ROOT, small_world, thing, write
from compared import HERE, header
from lightweight_worlds import world
from saves import headers_of
from writer.tags import INT, Prop

import streamsave
from streamsave import DamagedSave
from streamsave.compare.compare import Comparison
from streamsave.compare.items import Items, bytes_of, is_certain, is_like, is_numbered, is_same_object, known_by
from streamsave.compare.pair import header_members
from streamsave.compare.records import Waiting
from streamsave.consume.conditions import EVERYTHING
from streamsave.consume.values import Part
from streamsave.frequent_values import Transform

SAMPLES = [path for path in sorted((ROOT / "corpora" / "valid").glob("*/*.s[ap]*")) if path.suffix != ".sbpcfg"]


def items_of(source):
    """Name of the object or path of the value of each item, and whether it is an object as a whole."""
    with streamsave.open(source) as events:
        items = Items(events, objects_only=False)
        while items.next():
            yield items.part.path if items.header is None else items.header.instance_name, items.is_whole


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_each_object_is_an_item(path):
    names = [event.instance_name for event in headers_of(path)]
    assert [name for name, _ in items_of(path) if isinstance(name, str)] == names


def test_what_is_in_a_subsystem_are_items_of_their_own():
    items = list(items_of(world(52)))
    names = [name for name, whole in items if whole]
    assert any(name.endswith("Build_Foundation_8x1_01_C_0") for name in names)
    assert any(name.endswith("LightweightBuildableSubsystem") for name, whole in items if not whole and isinstance(name, str))


def test_items_of_events_that_end_too_soon(tmp_path):
    with streamsave.open(small_world(tmp_path)) as events:
        list(events)
        items = Items(events, objects_only=False)
        with pytest.raises(DamagedSave, match="before the save does"):
            while items.next():
                pass


def test_values_as_bytes():
    def of(*parts):
        return bytes_of(list(parts))

    a, b = Part(("O",), ("a",), 1, 1), Part(("O",), ("b",), 1, 1)
    assert of(a) == of(Part(("P", "O"), ("a",), 2, 1))
    assert len({of(a), of(b), of(a, b), of(b, a), of(), of(Part(("O",), ("a",), 1, 1.0)), of(Part(("O",), ("a",), 1, 1, 5))}) == 7


class Counting(Waiting):
    def __init__(self):
        super().__init__()
        self.added = 0

    def add(self, *row):
        self.added += 1
        super().add(*row)


def walk(old, new):
    """Return how many items waited at any time, and the paths of differences."""
    paths = []
    with streamsave.open(old) as first, streamsave.open(new) as second:
        openers = (lambda: first), (lambda: second)
        comparison = Comparison(openers, lambda _pair, path, *_: paths.append(path), EVERYTHING)
        comparison.waiting.close()
        with closing(Counting()) as comparison.waiting:
            comparison.look()
    return comparison.waiting.added, paths


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
    assert walk(*(chests(tmp_path, f"{first}.sav", range(20), first) for first in (0, 1))) == (0, ["mCount"] * 20)


THERE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 4.0), (1.0, 1.0, 1.0))


NUMBERED = [("N", "actor", False), ("", "actor", True), ("C_3", "lightweight", True), ("L[3]", "prop", True)]
NUMBERED += [("L[x]", "prop", False), ("L[3", "prop", False), ("M[3]", "prop", False), ("L[]", "prop", False)]


@pytest.mark.parametrize(("name", "kind", "expected"), NUMBERED)
def test_numbered(name, kind, expected):
    assert is_numbered(header(name, kind)) is expected


#: Whether two objects are one.
PAIRS = [
    (header(), header(place=HERE), True),
    (header(), header("M"), False),
    (header(), header(class_name="D"), False),
    (header(), header(level="K"), False),
    (header("L[1]", place=HERE), header("L[7]", place=HERE), True),
    (header("L[1]", place=HERE), header("L[1]", place=THERE), False),
    (header("L[1]"), header("L[2]"), True),
    (header("L[1]"), header("N"), False),
    (header("C_1", "lightweight", place=HERE), header("C_9", "lightweight", place=HERE), True),
]


@pytest.mark.parametrize(("old", "new", "expected"), PAIRS)
def test_same_object(old, new, expected):
    assert is_same_object(old, new) is expected
    assert is_same_object(new, old) is expected
    assert (known_by(old) == known_by(new)) is expected


def test_certain():
    assert [is_certain(each) for each in (header(), header("L[1]", place=HERE), header("L[1]"))] == [True, True, False]


@pytest.mark.parametrize(
    "other", [header(outer="o"), header(flags=1), header(version=2), header(place=HERE), header(kind="prop")]
)
def test_what_a_header_says_besides(other):
    assert header_members(header()) == header_members(header("other name"))
    assert header_members(header()) != header_members(other)
    assert is_like(header(), header("other name"))
    assert not is_like(header(), other)
