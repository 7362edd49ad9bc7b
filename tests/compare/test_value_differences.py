"""Each innermost difference of two values."""

from __future__ import annotations

import pytest

from streamsave.compare.value_differences import value_differences
from streamsave.output.flat_text import path_text
from streamsave.values import ObjectReference, Vector

A, B = ObjectReference("L", "L:A"), ObjectReference("L", "L:B")

CASES = [
    (1, 1, []),
    (1, 1.0, []),  # the same number
    (1, True, [("v", "1", "true")]),
    (0.0, -0.0, []),
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
    ([A, 7], [B, A, 8, 8], [("v[0]", None, '"L:B"'), ("v[2]", "7", "8"), ("v[3]", None, "8")]),
    ((1.0, 2.0), (1.0, 3.0), [("v[1]", "2.0", "3.0")]),
    ([], {}, [("v", "[]", "{}")]),
    ([1, 2, 3, 4, 5, 6], [1, 9, 2, 3, 5, 6, 7], [("v[1]", None, "9"), ("v[3]", "4", None), ("v[6]", None, "7")]),
    ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)], []),
    ([("a", 1), ("b", 2)], [("b", 3), ("c", 1)], [('v["a"]', "1", None), ('v["b"]', "2", "3"), ('v["c"]', None, "1")]),
    ([(A, 1), (3, 2)], [(A, 2), (3, 2)], [('v["L:A"]', "1", "2")]),
    ([("a", 1), ("a", 2)], [("a", 1), ("a", 3)], [("v[1][1]", "2", "3")]),
    ([({"x": 1}, 1)], [({"x": 1}, 2)], [("v[0][1]", "1", "2")]),
    ({"m[1]": 1}, {"m[1]": 2}, [("v/m[1]", "1", "2")]),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_differences(old, new, expected):
    found = [(path_text(path), before, after) for path, before, after in value_differences(("v",), old, new)]
    assert found == expected
    back = [(path_text(path), after, before) for path, before, after in value_differences(("v",), new, old)]
    assert sorted((row[1:] for row in back), key=repr) == sorted((row[1:] for row in expected), key=repr)
