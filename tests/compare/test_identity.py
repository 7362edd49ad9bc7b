"""Which object is which."""

from __future__ import annotations

import pytest

from streamsave.compare.identity import header_members, is_certain, is_like, is_numbered, is_same_object, known_by
from streamsave.events import ObjectHeader
from streamsave.frequent_values import Transform

HERE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
THERE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 4.0), (1.0, 1.0, 1.0))


def header(name="N", kind="actor", class_name="C", level="L", place=None, outer="", flags=0, version=1):
    return ObjectHeader(0, kind, class_name, name, level, outer, place, flags, version, 0, 0, 0, 5)


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
    assert is_certain(header())
    assert is_certain(header("L[1]", place=HERE))
    assert not is_certain(header("L[1]"))


@pytest.mark.parametrize(
    "other", [header(outer="o"), header(flags=1), header(version=2), header(place=HERE), header(kind="prop")]
)
def test_what_a_header_says_besides(other):
    assert header_members(header()) == header_members(header("other name"))
    assert header_members(header()) != header_members(other)
    assert is_like(header(), header("other name"))
    assert not is_like(header(), other)
