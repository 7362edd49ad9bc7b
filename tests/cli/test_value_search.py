"""The search through the values of an object."""

from __future__ import annotations

import pytest
from cli_runs import small_world
from shapez2_worlds import SAMPLES

import streamsave
from streamsave import ObjectHeader
from streamsave.cli.value_search import Found, find_objects, find_values


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_world(tmp_path_factory.mktemp("search"))


def found_in(path, name, named=None, says=None):
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.instance_name.endswith(name):
                return list(find_values(events, named, says))
    raise AssertionError(name)


def test_by_name(small):
    assert found_in(small, "Chest_C_1", "mLabel".__eq__) == [Found(("mLabel",), "iron, mostly")]
    assert [each.path for each in found_in(small, "Chest_C_1", "mStatic".__eq__)] == [("mStatic",), ("mStatic", 1)]


def test_by_text(small):
    assert found_in(small, "Chest_C_1", None, "gold".__eq__) == [Found(("mStacks", 1, "Name"), "gold")]


def test_by_name_and_text(small):
    assert found_in(small, "Chest_C_1", "mStacks".__eq__, "gold".__eq__) == [Found(("mStacks", 1, "Name"), "gold")]
    assert found_in(small, "Chest_C_1", "Name".__eq__, "gold".__eq__) == [Found(("mStacks", 1, "Name"), "gold")]
    assert found_in(small, "Chest_C_1", "mLabel".__eq__, "gold".__eq__) == []


def test_objects_in_an_object_are_left_to_the_caller():
    """It goes through each, and the search continues with the object around it."""
    with streamsave.open(SAMPLES / "islands-4.spz2bp") as events:
        island = next(event for event in events if isinstance(event, ObjectHeader))
        inner, paths = [], []
        for found in find_values(events, None, "1137".__eq__):
            if isinstance(found, ObjectHeader):
                inner.append(found.outer)
                assert list(find_objects(events)) == []
            else:
                paths.append(found.path)
    assert len(inner) > 1
    assert set(inner) == {island.instance_name}
    assert paths == [("B", "BinaryVersion")]
