"""What differs between two headers."""

import pytest
from compared import HERE, header

from streamsave.compare.pair import header_differences, value_differences
from streamsave.frequent_values import Transform
from streamsave.output.flat_text import path_text
from streamsave.values import ObjectReference, Vector

TURNED = Transform((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0), (2.0, 1.0, 1.0))
HEADERS = [
    (header(), header("other"), []),
    (header(outer="a"), header(outer="b"), [("@outer", '"a"', '"b"')]),
    (header(flags=1), header(flags=2), [("@flags", "1", "2")]),
    (header(version=46), header(version=52), [("@save_version", "46", "52")]),
    (header(stored=24), header(stored=25), [("@need_transform", "false", "true")]),
    (header(stored=24), header(stored=26), [("@was_placed_in_level", "false", "true")]),
    (header(stored=24), header(stored=28), [("@migrate_references", "false", "true")]),
    (header(stored=8), header(stored=24), []),  # an old save stores no bool: that is false
    (header(kind="actor"), header(kind="object"), [("@kind", '"actor"', '"object"')]),
    (header(place=HERE), header(), [("@position", "[1.0,2.0,3.0]", None)]),
    (
        header(place=HERE),
        header(place=TURNED),
        [("@rotation[2]", "0.0", "1.0"), ("@rotation[3]", "1.0", "0.0"), ("@scale[0]", "1.0", "2.0")],
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), HEADERS)
def test_header_differences(old, new, expected):
    assert header_differences(old, new) == expected
    assert header_differences(new, old) == [(path, after, before) for path, before, after in expected]


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
    ([("a", 1), ("a", 2)], [("a", 1), ("a", 3)], [("v[1]/value", "2", "3")]),
    ([({"x": 1}, 1)], [({"x": 1}, 2)], [("v[0]/value", "1", "2")]),
    ([({"x": 1}, 1), ({"x": 2}, 2)], [({"x": 2}, 2), ({"x": 1}, 1)], []),
    (
        [({"x": 1}, 1), ({"x": 2}, 2)],
        [({"x": 3}, 0), ({"x": 2}, 4)],
        [("v[0]", '[{"x":1},1]', None), ("v[1]/value", "2", "4"), ("v[0]", None, '[{"x":3},0]')],
    ),
    ([({"x": 1}, 1), ({"x": 2}, 2)], [({"x": 0}, 9), ({"x": 1}, 1), ({"x": 2}, 2)], [("v[0]", None, '[{"x":0},9]')]),
    ([({"x": 1}, 1)], [({"x": 2}, 1)], [("v[0]/key/x", "1", "2")]),
    ([({"x": 1}, 1)] * 2, [({"x": 1}, 1), ({"x": 1}, 2)], [("v[1]/value", "1", "2")]),
    ({"m[1]": 1}, {"m[1]": 2}, [("v/m[1]", "1", "2")]),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_differences(old, new, expected):
    assert [(path_text(path), before, after) for path, before, after in value_differences(("v",), old, new)] == expected
    back = [(path_text(path), after, before) for path, before, after in value_differences(("v",), new, old)]
    assert sorted((row[1:] for row in back), key=repr) == sorted((row[1:] for row in expected), key=repr)


def test_no_more_than_what_is_listed_is_looked_for():
    assert [len(value_differences((), [0] * 5, [1] * 5, 0, most)) for most in (0, 2, 4, 5, None)] == [1, 3, 5, 5, 5]


@pytest.mark.parametrize(("count", "differences"), [(512, 1537), (513, 2048)])
def test_long_lists_are_compared_by_their_ends(count, differences):
    """Up to 512 times 2,048 elements, the runs that both have in common are found."""
    old = [*range(count)]
    assert len(value_differences((), old, [-1, *old[:-1], *[-2] * (2048 - count)])) == differences
