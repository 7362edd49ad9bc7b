"""Where islands and buildings of shapez 2 are on the map, in tiles."""

from __future__ import annotations

import re
from typing import Final

from streamsave.events import ObjectHeader

__all__ = ["ISLAND", "SQUARE_TILES", "tile_of"]

ISLAND: Final = "island"
#: An island is counted in squares of so many tiles along each side. Of 230,000 buildings in players' blueprints, those on islands
#: of one square have places from 2 to 17, and those on islands of several squares keep as far from the edges of the squares.
SQUARE_TILES: Final = 20
#: The name of an island, which is its place.
ISLAND_NAME: Final = re.compile(r"\((-?[0-9]+), (-?[0-9]+), -?[0-9]+\)")


def tile_of(header: ObjectHeader) -> tuple[float, float] | None:
    """Return x and y of an island (its middle) or a building on the map, in tiles; y counts to the south.

    None for an object without a place, and for one on an island without a place.
    """
    if header.transform is None:
        return None
    x, y, _ = header.transform.translation
    if header.kind == ISLAND:
        middle = (SQUARE_TILES - 1) / 2
        return x * SQUARE_TILES + middle, y * SQUARE_TILES + middle
    if not header.outer:  # in a blueprint of buildings
        return x, y
    island = ISLAND_NAME.fullmatch(header.outer)
    if island is None:
        return None
    return int(island[1]) * SQUARE_TILES + x, int(island[2]) * SQUARE_TILES + y
