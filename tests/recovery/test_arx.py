"""Damage to an entry of Arx costs that entry: all others are given as the sound save gives them."""

from __future__ import annotations

import pytest
from arx_worlds import LOST, raws
from damage import losses, survived
from saves import VALID

import streamsave
from streamsave import ObjectHeader, SaveStart
from streamsave.headers import ArxContainer

SAMPLES = sorted((VALID / "arx").iterdir())


def entries(data: bytes):
    """The rows of the table."""
    with streamsave.open(data) as events:
        start = next(events)
    assert isinstance(start, SaveStart)
    assert isinstance(start.header, ArxContainer)
    return start.header.entries


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_an_entry_that_is_zeros_costs_only_itself(path):
    """The packed bytes of each entry in turn."""
    data = path.read_bytes()
    sound = raws(data)
    for entry in entries(data):
        if not any(size for _, size in entry.chunks) or entry.codec not in {"deflate", "implode"}:
            continue
        bad = bytearray(data)
        for offset, size in entry.chunks:
            bad[offset : offset + size] = bytes(size)
        left = raws(bytes(bad), on_damage="resync")
        assert left.pop(entry.name) is LOST
        assert left == {name: value for name, value in sound.items() if name != entry.name}
        seen = survived(bytes(bad))
        assert losses(seen) == [("member", entry.name)]
        assert [event.instance_name for event in seen if isinstance(event, ObjectHeader)] == [one.name for one in entries(data)]
