"""Innermost values, and the texts of values; `test_pasted.py` compares them with those of whole saves."""

from __future__ import annotations

import math

import pytest

from streamsave.decode.leaves import is_key, key_of, leaves, split_name, text_of
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath, Text, Vector

IRON = ObjectReference("", "/Game/Iron.Iron_C")

TEXTS = [
    ("x", "x"),
    (True, "true"),
    (False, "false"),
    (5, "5"),
    (0.5, "0.5"),
    (math.inf, "inf"),
    (IRON, "/Game/Iron.Iron_C"),
    (Text(0, "base", "Hi", {}), "Hi"),
    (SoftObjectPath("/Game/A", "B", ""), "/Game/A:B"),
    (SoftObjectPath("/Game/A", "B", "c"), "/Game/A:B:c"),
    (Guid(bytes(16)), "00000000-00000000-00000000-00000000"),
    (DateTime(0), "0001-01-01 00:00:00"),
    (None, None),
    (b"x", None),
    ([1], None),
    ({"a": 1}, None),
    (Opaque(b"x", "unknown"), None),
    (Vector(1.0, 2.0, 3.0), None),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=[str(number) for number in range(len(TEXTS))])
def test_text_of(value, text):
    assert text_of(value) == text


LEAVES = [
    (5, [5]),
    (None, [None]),
    ([], [[]]),
    (b"ab", [b"ab"]),
    ([1, [None, "x"], (True,)], [1, None, "x", True]),
    ({"a": 1, "b": {"c": IRON}}, [1, IRON]),
    (Vector(1.0, 2.0, 3.0), [1.0, 2.0, 3.0]),
    (DynamicStruct(IRON, {"mCharge": 0.5}), [IRON, 0.5]),
    (Opaque(b"x", "unknown"), [1]),
    ([(IRON, 5)], [IRON, 5]),
    (DateTime(0), ["0001-01-01T00:00:00", "0001-01-01 00:00:00"]),
    (SoftObjectPath("/Game/A", "B", "c"), ["/Game/A", "B", "c", "/Game/A:B:c"]),
]


@pytest.mark.parametrize(("value", "innermost"), LEAVES, ids=[str(number) for number in range(len(LEAVES))])
def test_leaves(value, innermost):
    assert list(leaves(value)) == innermost


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Iron", "Iron"),
        (True, "true"),
        (5, "5"),
        (0.5, "0.5"),
        (IRON, "/Game/Iron.Iron_C"),
        (Guid(bytes(16)), "00000000-00000000-00000000-00000000"),
        (DateTime(0), "0001-01-01T00:00:00"),
        ({"a": 1}, None),
        (Vector(1.0, 2.0, 3.0), None),
        (SoftObjectPath("/Game/A", "B", ""), None),
        (None, None),
    ],
)
def test_key_of(key, text):
    assert key_of(key) == text
    assert text is None or is_key(key, text)


def test_a_key_has_its_own_text_too():
    assert is_key(DateTime(0), "0001-01-01 00:00:00")
    assert is_key(SoftObjectPath("/Game/A", "B", ""), "/Game/A:B")
    assert not is_key(5, "6")


@pytest.mark.parametrize(
    ("name", "steps"), [("a", ("a",)), ("a[1]", ("a", 1)), ("a[x]", ("a[x]",)), ("[1]", ("[1]",)), ("a[1]#2", ("a[1]#2",))]
)
def test_split_name(name, steps):
    assert split_name(name) == steps
