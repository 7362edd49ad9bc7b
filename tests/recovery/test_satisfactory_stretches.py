"""How many objects one wrong size costs; `test_truth` has that none of the others is given in its place."""

from __future__ import annotations

import pytest
from truth import given_by
from truth_worlds import SOUND
from writer.primitives import i32


@pytest.mark.parametrize(("make", "version"), SOUND)
def test_one_wrong_size_costs_one_object(make, version):
    """The objects before it and after it are certain, counted from both ends."""
    sound = make(version)
    place = sound.objects[5]
    given, _, names = given_by(sound.damaged([(place.size, 4, i32(place.end - place.data + 1))]))
    assert len(given) >= len(sound.objects) - 2  # an entry without a version looks like any other bytes
    assert sound.order[5][1] in names
