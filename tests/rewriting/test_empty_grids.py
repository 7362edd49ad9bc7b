"""Grids as the game writes them, without cells."""

from __future__ import annotations

import pytest

from streamsave.rewriting.sound_body import empty_grids

FIRST = b"\5\0\0\0None\0" + bytes(8) + b"\1\0\0\0" + b"\5\0\0\0None\0" + bytes(4)
NAMES = [b"MainGrid", b"LandscapeGrid", b"ExplorationGrid", b"FoliageGrid", b"HLOD0_256m_1023m"]


def stored(name, cell_size):
    return (len(name) + 1).to_bytes(4, "little") + name + b"\0" + cell_size.to_bytes(4, "little") + bytes(8)


@pytest.mark.parametrize(
    ("version", "sizes"),
    [
        (41, [12800, 51200, 20480, 12798, 25600]),
        (42, [12800, 51200, 20480, 12798, 25600]),
        (43, [12800, 51200, 20480, 26500, 25600]),
        (53, [12800, 51200, 20480, 26500, 25600]),
        (54, [12800, 51200, 20480, 26500, 20480, 25600]),
    ],
)
def test_grids_of_each_version(version, sizes):
    names = [*NAMES[:-1], b"ExplorationGridFar", NAMES[-1]] if len(sizes) > len(NAMES) else NAMES
    expected = b"".join(stored(name, size) for name, size in zip(names, sizes, strict=True))
    assert empty_grids(version) == (len(sizes) + 1).to_bytes(4, "little") + FIRST + expected
