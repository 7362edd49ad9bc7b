"""The garbage collector, in the processes of the command line."""

from __future__ import annotations

import gc

from streamsave.cli.collector import OBJECTS, collect_rarely


def test_collections_are_rare():
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.get_threshold() == (OBJECTS, *before[1:])
    finally:
        gc.set_threshold(*before)
