"""The garbage collector while a command reads saves."""

from __future__ import annotations

import gc

import pytest

from streamsave.cli.collector import OBJECTS, rare_collections


def test_collections_are_rare_and_then_as_before():
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() == (OBJECTS, *before[1:])
    assert gc.get_threshold() == before
    with pytest.raises(OSError, match="full"), rare_collections():
        raise OSError("full")
    assert gc.get_threshold() == before
