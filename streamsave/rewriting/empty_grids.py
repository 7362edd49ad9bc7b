"""Validation grids of a Satisfactory save that has lost them: the grids of the game's world, without cells.

The game writes them into every save of a partitioned world, some of them without cells. Other tools read as many as it writes.
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.encoder import Encoder
from streamsave.formats.satisfactory.reader import VALIDATION_GRIDS
from streamsave.formats.satisfactory.versions import SAVE_VERSION_FAR_GRID, SAVE_VERSION_WIDE_FOLIAGE_GRID

__all__ = ["empty_grids"]

#: The name of the first grid, and of its only cell.
NONE: Final = "None"
#: The size of a cell of the grid of foliage, in centimetres.
FOLIAGE_CELL: Final = 26500
OLD_FOLIAGE_CELL: Final = 12798


def empty_grids(save_version: int) -> bytes:
    """Return the grids as a save of this version has them: how many there are, then each."""
    foliage = FOLIAGE_CELL if save_version >= SAVE_VERSION_WIDE_FOLIAGE_GRID else OLD_FOLIAGE_CELL
    far = [("ExplorationGridFar", 20480)] if save_version >= SAVE_VERSION_FAR_GRID else []
    sizes = [("MainGrid", 12800), ("LandscapeGrid", 51200), ("ExplorationGrid", 20480), ("FoliageGrid", foliage), *far]
    grids: list[object] = [grid(NONE, 0, [(NONE, 0)])]
    grids += [grid(name, size, []) for name, size in (*sizes, ("HLOD0_256m_1023m", 25600))]
    encoder = Encoder()
    VALIDATION_GRIDS.encode(grids, encoder)
    return bytes(encoder.data)


def grid(name: str, cell_size: int, cells: list[tuple[str, int]]) -> dict[str, object]:
    """Return one grid, with the hashes of its cells."""
    return {"grid": name, "cell_size": cell_size, "grid_hash": 0, "cells": cells}
