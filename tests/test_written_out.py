"""Classes that are written by hand: events, values, what a selection gives. They are what attrs classes are, and cost less."""

import copy
import math
import pickle

import attrs
import pytest

from streamsave import SelectedObject, events, frequent_values, values
from streamsave.decode.known_bytes import COMPILED
from streamsave.frequent_values import Guid, InventoryItem, LinearColor, ObjectReference, Quat, Rotator, Transform, Vector

IRON = ObjectReference("", "/Game/Iron.Iron_C")
PLACE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))

#: An example, its fields, and another value for each field.
VALUES = [
    (IRON, "level_name path_name", ("a", "b")),
    (PLACE, "rotation translation scale", ((0.0,) * 4, (0.0,) * 3, (0.0,) * 3)),
    (Vector(1.0, 2.0, 3.0), "x y z", (0.5, 0.5, 0.5)),
    (Quat(1.0, 2.0, 3.0, 4.0), "x y z w", (0.5, 0.5, 0.5, 0.5)),
    (Rotator(1.0, 2.0, 3.0), "pitch yaw roll", (0.5, 0.5, 0.5)),
    (LinearColor(1.0, 2.0, 3.0, 4.0), "r g b a", (0.5, 0.5, 0.5, 0.5)),
    (Guid(bytes(range(16))), "data", (bytes(16),)),
    (frequent_values.DynamicStruct(IRON, "state"), "script_struct value", (ObjectReference("", ""), {})),
    (InventoryItem(IRON, None), "item state", (ObjectReference("", ""), IRON)),
]
EVENTS = [
    events.SaveEnd(9),
    events.StructEnter(1, "a", "A", 4, -1, -1, -1),
    events.StructExit(1, "a", 9),
    events.ObjectHeader(0, "actor", "A", "a", "Persistent_Level", "", None, 0, 52, 30, 12, 99, 8),
    events.ObjectEnd(107, "a", 0),
    events.ObjectEnd(107, "a", 0, 0),
    events.ObjectHeader(0, "actor", "A", "a", "Persistent_Level", "", None, 0, 52, 30, 12, 99, 8, 27),
    events.PropertyTag(1, "mInt", "IntProperty", 4, 0, 9, "", "", "", False, None, None),
    events.Field(1, "count", "i32", 4, -1),
    events.BlobSkip(1, 2, "skipped"),
]
LAMP = SelectedObject("actor", "Lamp", "Lamp_1", "Level", (1.0, -2.0, 0.5), 30, 20, {"a": 1}, "a.sav", ("Level",))
SELECTED = (
    LAMP,
    "kind class_name instance_name level position size offset fields source path",
    ("component", "Part", "Lamp_2", "", None, -1, 21, {}, "b.sav", ()),
)
ROWS = [*VALUES, SELECTED, *((one, " ".join(type(one).__match_args__), ()) for one in EVENTS)]
EXAMPLES = [one for one, *_ in ROWS]


def name_of(value):
    return type(value).__name__ if any(value is each for each in EXAMPLES) else ""


def test_all_frequent_values_are_here_and_among_the_values():
    names = {type(one).__name__ for one, *_ in VALUES}
    assert names | {"FrequentValue", "guid_text"} == set(frequent_values.__all__)
    assert names <= set(values.__all__)
    for one, *_ in VALUES:
        assert getattr(values, type(one).__name__) is type(one)


@pytest.mark.parametrize(("one", "names", "others"), ROWS, ids=name_of)
def test_they_are_attrs_classes_equal_by_their_fields(one, names, others):
    kind = type(one)
    assert kind.__doc__
    assert kind.__match_args__ == tuple(names.split()) == tuple(field.name for field in attrs.fields(kind))
    fields = attrs.astuple(one, recurse=False)
    assert fields == tuple(getattr(one, name) for name in names.split()) != one
    shown = ", ".join(f"{name}={value!r}" for name, value in zip(names.split(), fields, strict=True))
    assert repr(one) == (f"<Guid {one}>" if kind is Guid else f"{kind.__name__}({shown})")
    pickled = pickle.loads(pickle.dumps(one))  # noqa: S301 - our own
    made = [kind(*fields), kind(**dict(zip(names.split(), fields, strict=True)))]
    for again in (*made, copy.copy(one), copy.deepcopy(one), pickled):
        assert again == one
    for name, other in zip(names.split(), others, strict=False):
        changed = attrs.evolve(one, **{name: other})
        assert getattr(changed, name) == other
        assert changed != one
        assert attrs.evolve(changed, **{name: getattr(one, name)}) == one


def test_what_is_equal_has_the_same_class_and_no_nan():
    assert Quat(1.0, 2.0, 3.0, 4.0) != LinearColor(1.0, 2.0, 3.0, 4.0)
    assert Vector(math.nan, 2.0, 3.0) != Vector(math.nan, 2.0, 3.0)
    assert events.StructExit(1, "a", 9) not in (events.StructExit(1, "a", 0), events.ObjectEnd(1, "a", 9))


def test_a_guid_is_four_words():
    assert str(Guid(bytes(16))) == "00000000-00000000-00000000-00000000"
    assert str(Guid(bytes(range(16)))) == "03020100-07060504-0B0A0908-0F0E0D0C"
    assert str(Guid(bytes([0, 0, 0, 0xFA] * 4))) == "FA000000-FA000000-FA000000-FA000000"


@pytest.mark.parametrize("one", [one for one, *_ in VALUES if isinstance(one, (Vector, Quat, Rotator, LinearColor))], ids=name_of)
def test_numbers_unpack(one):
    assert tuple(one) == tuple(one[at] for at in range(len(one))) == attrs.astuple(one)
    assert one[-1] == float(len(one))
    with pytest.raises(IndexError):
        one[len(one)]


@pytest.mark.parametrize("one", [one for one, *_ in VALUES], ids=name_of)
def test_frequent_values_can_be_keys(one):
    assert hash(copy.deepcopy(one)) == hash(one)
    assert {copy.deepcopy(one), one} == {one}


@pytest.mark.parametrize("one", EXAMPLES, ids=name_of)
def test_no_dict(one):
    """A save has millions: slots keep them small."""
    assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        one.surprise = 1


@pytest.mark.skipif(not COMPILED, reason="plain Python leaves it to type checkers")
@pytest.mark.parametrize("one", EXAMPLES, ids=name_of)
def test_read_only(one):
    for name in type(one).__match_args__:
        with pytest.raises(AttributeError):
            setattr(one, name, None)
