"""The values that a save has by the hundred thousand: they are what attrs classes are, and cost less."""

from __future__ import annotations

import copy
import math
import pickle

import attrs
import pytest

from streamsave import frequent_values, values
from streamsave.decode.known_bytes import COMPILED
from streamsave.frequent_values import (
    DynamicStruct,
    Guid,
    InventoryItem,
    LinearColor,
    ObjectReference,
    Quat,
    Rotator,
    Transform,
    Vector,
)

IRON = ObjectReference("", "/Game/Iron.Iron_C")
PLACE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))

#: An example, its fields, and another value for each field.
ROWS = [
    (IRON, "level_name path_name", ("a", "b")),
    (PLACE, "rotation translation scale", ((0.0,) * 4, (0.0,) * 3, (0.0,) * 3)),
    (Vector(1.0, 2.0, 3.0), "x y z", (0.5, 0.5, 0.5)),
    (Quat(1.0, 2.0, 3.0, 4.0), "x y z w", (0.5, 0.5, 0.5, 0.5)),
    (Rotator(1.0, 2.0, 3.0), "pitch yaw roll", (0.5, 0.5, 0.5)),
    (LinearColor(1.0, 2.0, 3.0, 4.0), "r g b a", (0.5, 0.5, 0.5, 0.5)),
    (Guid(bytes(range(16))), "data", (bytes(16),)),
    (DynamicStruct(IRON, "state"), "script_struct value", (ObjectReference("", ""), {})),
    (InventoryItem(IRON, None), "item state", (ObjectReference("", ""), IRON)),
]
EXAMPLES = [example for example, _, _ in ROWS]


def name_of(value):
    """For the names of tests."""
    return type(value).__name__ if type(value) in map(type, EXAMPLES) else ""


def test_all_are_here_and_among_the_values():
    names = {type(example).__name__ for example in EXAMPLES}
    assert names | {"FrequentValue", "guid_text"} == set(frequent_values.__all__)
    assert names <= set(values.__all__)
    for example in EXAMPLES:
        assert getattr(values, type(example).__name__) is type(example)


@pytest.mark.parametrize(("one", "names", "others"), ROWS, ids=name_of)
def test_they_are_attrs_classes_equal_by_their_fields(one, names, others):
    kind = type(one)
    assert kind.__doc__
    assert kind.__match_args__ == tuple(names.split()) == tuple(field.name for field in attrs.fields(kind))
    fields = attrs.astuple(one, recurse=False)
    for again in (kind(*fields), kind(**dict(zip(names.split(), fields, strict=True)))):
        assert again == one
        assert hash(again) == hash(one)
        assert {again, one} == {one}
    for name, other in zip(names.split(), others, strict=True):
        assert attrs.evolve(one, **{name: other}) != one
    assert one != fields


def test_a_vector_is_no_other_class_with_the_same_numbers():
    assert Quat(1.0, 2.0, 3.0, 4.0) != LinearColor(1.0, 2.0, 3.0, 4.0)
    assert Vector(math.nan, 2.0, 3.0) != Vector(math.nan, 2.0, 3.0)


@pytest.mark.parametrize("one", EXAMPLES, ids=name_of)
def test_they_can_be_copied_and_pickled(one):
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own


def test_what_they_print():
    assert repr(Vector(1.0, 2.5, -3.0)) == "Vector(x=1.0, y=2.5, z=-3.0)"
    assert repr(InventoryItem(IRON, None)) == (
        "InventoryItem(item=ObjectReference(level_name='', path_name='/Game/Iron.Iron_C'), state=None)"
    )


def test_a_guid_is_four_words():
    guid = Guid(bytes(range(16)))
    assert str(guid) == "03020100-07060504-0B0A0908-0F0E0D0C"
    assert str(Guid(bytes(16))) == "00000000-00000000-00000000-00000000"
    assert str(Guid(bytes([0, 0, 0, 0xFA] * 4))) == "FA000000-FA000000-FA000000-FA000000"
    assert repr(guid) == "<Guid 03020100-07060504-0B0A0908-0F0E0D0C>"
    assert repr([guid]) == f"[<Guid {guid}>]"


@pytest.mark.parametrize("one", EXAMPLES, ids=name_of)
def test_no_dict(one):
    """A save has hundreds of thousands: slots keep them small."""
    assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        one.surprise = 1


@pytest.mark.skipif(not COMPILED, reason="plain Python leaves it to type checkers")
@pytest.mark.parametrize("one", EXAMPLES, ids=name_of)
def test_they_are_read_only(one):
    with pytest.raises(AttributeError):
        setattr(one, type(one).__match_args__[0], None)


def test_patterns():
    match InventoryItem(IRON, None):
        case InventoryItem(ObjectReference(_, path), None):
            assert path == IRON.path_name
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize(
    "one", [Vector(1.0, 2.0, 3.0), Quat(1.0, 2.0, 3.0, 4.0), Rotator(1.0, 2.0, 3.0), LinearColor(1.0, 2.0, 3.0, 4.0)]
)
def test_numbers_unpack(one):
    first, *_, last = one
    assert (first, last) == (one[0], one[-1]) == (1.0, float(len(one)))
    with pytest.raises(IndexError):
        one[len(one)]
