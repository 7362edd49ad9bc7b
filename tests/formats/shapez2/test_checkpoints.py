"""The hashes of names."""

from __future__ import annotations

import pytest
from writer.shapez2_values import hash_name

from streamsave.formats.shapez2.checkpoints import CHECKPOINTS, checkpoint_hash


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_hash_of_a_name(name):
    assert CHECKPOINTS[name] == checkpoint_hash(name) == hash_name(name)


def test_there_are_thirteen():
    assert len(CHECKPOINTS) == len(set(CHECKPOINTS.values())) == 13
