"""References by number: those of Unreal, and an index."""

from __future__ import annotations

import copy
import pickle

import attrs
import pytest

from streamsave.formats.astroneer.instances import ActorReference, InstanceReference
from streamsave.values import ObjectReference


@pytest.mark.parametrize("kind", [InstanceReference, ActorReference])
def test_references_are_those_of_unreal_and_an_index(kind):
    made = kind("L", "P", 3)
    assert isinstance(made, ObjectReference)
    assert (made.level_name, made.path_name, made.index) == ("L", "P", 3)
    assert [field.name for field in attrs.fields(kind)] == ["level_name", "path_name", "index"]
    assert repr(made) == f"{kind.__name__}(level_name='L', path_name='P', index=3)"
    assert kind("L", "P", 3) == copy.copy(made) == pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own
    assert kind("L", "P", 4) != made


def test_they_are_not_each_other():
    assert InstanceReference("L", "P", 3) != ActorReference("L", "P", 3)
    assert ObjectReference("L", "P") != InstanceReference("L", "P", -1)
