"""Each innermost difference of two values."""

from __future__ import annotations

import pytest

from streamsave.compare.value_differences import by_key, text_of, value_differences
from streamsave.errors import format_path
from streamsave.values import ObjectReference, Vector

A, B = ObjectReference("L", "L:A"), ObjectReference("L", "L:B")

CASES = [
    (1, 1, []),
    (1, 1.0, [("v", "1", "1.0")]),
    (1, True, [("v", "1", "true")]),
    (0.0, -0.0, [("v", "0.0", "-0.0")]),
    (float("nan"), float("nan"), []),
    ("a", None, [("v", '"a"', "null")]),
    (A, B, [("v", '"L:A"', '"L:B"')]),
    (A, ObjectReference("M", "L:A"), [("v", '{"level_name":"L","path_name":"L:A"}', '{"level_name":"M","path_name":"L:A"}')]),
    (Vector(1.0, 2.0, 3.0), Vector(1.0, 2.5, 3.0), [("v/y", "2.0", "2.5")]),
    ({"a": 1, "b": 2}, {"b": 3, "c": A}, [("v/a", "1", None), ("v/b", "2", "3"), ("v/c", None, '"L:A"')]),
    ([1, 2, 3], [1, 5, 3], [("v[1]", "2", "5")]),
    ([1, 2, 3], [0, 1, 2, 3], [("v[0]", None, "0")]),
    ([1, 2, 3], [1, 3], [("v[1]", "2", None)]),
    ([1, 1], [1], [("v[1]", "1", None)]),
    ([A, 7], [B, A, 8, 8], [("v[0]", '"L:A"', None), ("v[1]", "7", None)]),
    ((1.0, 2.0), (1.0, 3.0), [("v[1]", "2.0", "3.0")]),
    ([], {}, [("v", "[]", "{}")]),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_differences(old, new, expected):
    found = [(format_path(path), before, after) for path, before, after in value_differences(("v",), old, new)]
    if old == [A, 7]:
        expected = [*expected, *((f"v[{at}]", None, text_of(value)) for at, value in enumerate(new))]
    assert found == expected
    back = [(format_path(path), after, before) for path, before, after in value_differences(("v",), new, old)]
    assert sorted(back, key=repr) == sorted(expected, key=repr)


KEYED = [
    ([("a", 1), ("b", 2)], "MapProperty", {"a": 1, "b": 2}),
    ([(A, 1), (3, 2)], "MapProperty", {"L:A": 1, "3": 2}),
    ([("a", 1), ("a", 2)], "MapProperty", [("a", 1), ("a", 2)]),
    (["a", 3], "SetProperty", {"a": "a", "3": 3}),
    (["a", "a"], "SetProperty", ["a", "a"]),
    (["a"], "ArrayProperty", ["a"]),
    ([("a", 1, 2)], "MapProperty", [("a", 1, 2)]),
    (5, "MapProperty", 5),
]


@pytest.mark.parametrize(("value", "kind", "expected"), KEYED)
def test_elements_by_their_key(value, kind, expected):
    assert by_key(value, kind) == expected
