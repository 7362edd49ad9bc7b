"""Lists of destroyed objects."""

from __future__ import annotations

import pytest

from streamsave import Field
from streamsave.rewriting.actors import is_copy, with_destroyed, without
from streamsave.values import ObjectReference

OLD = ObjectReference("A", "old")
NEW = ObjectReference("A", "new")
OTHER = ObjectReference("B", "other")
LIST = "ObjectReference[]"
BY_LEVEL = "{str: ObjectReference[]}"


@pytest.mark.parametrize(
    ("kind", "old", "expected"),
    [
        (LIST, [], [NEW, OTHER]),
        (LIST, [OLD], [OLD, NEW, OTHER]),
        (BY_LEVEL, [], None),
        (BY_LEVEL, [("A", [OLD])], [("A", [OLD, NEW]), ("B", [OTHER])]),
        (BY_LEVEL, [("C", [])], [("C", []), ("A", [NEW]), ("B", [OTHER])]),
    ],
)
def test_what_is_noted(kind, old, expected):
    assert with_destroyed(old, Field(0, "destroyed_actors", kind, 4, -1), [NEW, OTHER]) == expected


def test_which_is_the_copy():
    assert is_copy(Field(0, "toc_destroyed_actors", LIST, 4, -1))
    assert not is_copy(Field(0, "destroyed_actors", LIST, 4, -1))


def test_what_is_there_again():
    one, other = ObjectReference("L", "one"), ObjectReference("L", "other")
    gone = frozenset([("L", "one")])
    assert without([one, other], gone) == [other]
    assert without([("L", [one]), ("M", [other])], gone) == [("L", []), ("M", [other])]
