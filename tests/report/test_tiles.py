"""Tiles of islands and buildings."""

from __future__ import annotations

import pytest
from scenes import header

from streamsave.report.tiles import tile_of


@pytest.mark.parametrize(
    ("kind", "outer", "place", "tile"),
    [
        ("island", "", (-50.0, 2.0, 1.0), (-50 * 20 + 9.5, 2 * 20 + 9.5)),
        ("building", "(3, -4, 0)", (5.0, 6.0, 0.0), (65.0, -74.0)),
        ("building", "", (5.0, 6.0, 0.0), (5.0, 6.0)),
        ("building", "elsewhere", (5.0, 6.0, 0.0), None),
        ("building", "(3, -4, 0)", None, None),
    ],
)
def test_tiles(kind, outer, place, tile):
    assert tile_of(header(kind=kind, outer=outer, place=place)) == tile
