"""The limits: what they are by default, and how they are set."""

from __future__ import annotations

import attrs
import pytest
from saves import VALID, read

from streamsave import LimitExceeded, Limits

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


@pytest.mark.parametrize(
    "name",
    [
        "satisfactory/sv58.sav",
        "gvas/wrapper-plz-31.sav",
        "gvas/wrapper-archive.sav",
        "astroneer/full.savegame",
        "shapez2/small.spz2",
        "shapez2/no-icons.spz2bp",
        "arx/v2.1-duplicates.sav",
    ],
)
def test_half_of_what_may_be_inflated_is_told_once(name, capsys):
    events = read(VALID / name)
    size = events[-1].offset
    assert "more than half" not in capsys.readouterr().err
    read(VALID / name, Limits(total_inflated_size=2 * size + 1))
    assert "more than half" not in capsys.readouterr().err
    read(VALID / name, Limits(total_inflated_size=size))
    assert capsys.readouterr().err.count("more than half") == 1
    with pytest.raises(LimitExceeded, match="total_inflated_size"):
        read(VALID / name, Limits(total_inflated_size=size - 1))
