"""How wide and long buildings are."""

from __future__ import annotations

import pytest

from streamsave.report.footprints import footprint


@pytest.mark.parametrize(
    ("kind", "class_name", "size"),
    [
        ("lightweight", "/Game/A.Build_Foundation_8x4_01_C", (8, 8)),
        ("lightweight", "Build_Wall_8x4_01_C", (0.6, 8)),
        ("actor", "Build_ManufacturerMk1_C", (18, 20)),
        ("actor", "Build_ConveyorPole_C", (1, 1)),
        ("actor", "BP_BerryBush_C", (0, 0)),
        ("island", "Foundation_1x1", (20, 20)),
        ("building", "BeltDefaultForwardInternalVariant", (1, 1)),
    ],
)
def test_sizes(kind, class_name, size):
    assert footprint(kind, class_name) == size
