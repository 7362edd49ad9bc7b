"""What a selection gives: it is what an attrs class is, and costs less."""

from __future__ import annotations

import copy
import pickle

import attrs
import pytest

from streamsave import SelectedObject
from streamsave.decode.known_bytes import COMPILED

LAMP = SelectedObject("actor", "Lamp", "Lamp_1", "Level", (1.0, -2.0, 0.5), 30, 20, {"a": 1}, "a.sav", ("Level",))
OTHERS = {
    "kind": "component",
    "class_name": "Part",
    "instance_name": "Lamp_2",
    "level": "",
    "position": None,
    "size": -1,
    "offset": 21,
    "fields": {},
    "source": "b.sav",
    "path": (),
}


def test_fields():
    assert [field.name for field in attrs.fields(SelectedObject)] == list(OTHERS) == list(SelectedObject.__match_args__)
    assert attrs.asdict(LAMP) == {
        "kind": "actor",
        "class_name": "Lamp",
        "instance_name": "Lamp_1",
        "level": "Level",
        "position": (1.0, -2.0, 0.5),
        "size": 30,
        "offset": 20,
        "fields": {"a": 1},
        "source": "a.sav",
        "path": ("Level",),
    }


@pytest.mark.parametrize("name", OTHERS)
def test_each_field_counts_when_they_are_compared(name):
    other = attrs.evolve(LAMP, **{name: OTHERS[name]})
    assert getattr(other, name) == OTHERS[name]
    assert other != LAMP
    assert attrs.evolve(other, **{name: getattr(LAMP, name)}) == LAMP


def test_copies_are_equal():
    assert LAMP == copy.deepcopy(LAMP) == pickle.loads(pickle.dumps(LAMP))  # noqa: S301 - our own


def test_printed():
    assert repr(LAMP) == (
        "SelectedObject(kind='actor', class_name='Lamp', instance_name='Lamp_1', level='Level', position=(1.0, -2.0, 0.5),"
        " size=30, offset=20, fields={'a': 1}, source='a.sav', path=('Level',))"
    )


@pytest.mark.skipif(not COMPILED, reason="in plain Python, only type checkers refuse it")
@pytest.mark.parametrize("name", OTHERS)
def test_compiled_no_field_can_be_assigned(name):
    with pytest.raises(AttributeError):
        setattr(LAMP, name, OTHERS[name])
