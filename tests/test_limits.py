"""The limits: what they are by default, and how they are set."""

from __future__ import annotations

import attrs
import pytest

from streamsave import Limits

#: Each with its precedent, beside it in the source.
DEFAULTS = {
    "chunk_inflated_size": 1 << 20,
    "chunk_compressed_size": (1 << 20) + 1024,
    "total_inflated_size": 8 << 30,
    "inflate_ratio": 200,
    "inflate_ratio_after": 64 << 20,
    "depth": 128,
    "string_size": 1 << 20,
    "zero_size_count": 1_000_000,
    "build_nodes": 1_000_000,
    "build_size": 64 << 20,
    "table_entries": 65_536,
    "object_entries": 1_000_000,
}


def test_defaults():
    assert attrs.asdict(Limits()) == DEFAULTS


def test_only_by_name():
    with pytest.raises(TypeError):
        Limits(1)
    with pytest.raises(TypeError):
        Limits(unknown=1)
    assert Limits(depth=5).depth == 5


def test_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Limits().depth = 1000
