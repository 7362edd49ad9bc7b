"""How wide and long buildings are, seen from above: so that a page draws them as they stand once there is room for that."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["footprint"]

#: Patterns of short class names of Satisfactory -> metres; the first that matches counts.
SIZES: Final[tuple[tuple[re.Pattern[str], float, float], ...]] = tuple(
    (re.compile(pattern), wide, long)
    for pattern, wide, long in (
        (r"Build_\w*(Wall|Fence|Railing|Door|Gate|Window)", 0.6, 8),
        (r"Build_\w*(Foundation|Ramp|Roof|Floor|MetalF_|Ceiling|Stair|Road|Concrete_Block|Frame|Dome|Ground)", 8, 8),
        (r"Build_(Catwalk|Walkway)", 4, 4),
        (r"Build_\w*(Beam|Pillar|Pole|Sign)", 1, 1),
        (r"Build_Constructor", 8, 10),
        (r"Build_Assembler", 10, 15),
        (r"Build_Manufacturer", 18, 20),
        (r"Build_Smelter", 6, 9),
        (r"Build_Foundry", 10, 9),
        (r"Build_OilRefinery", 10, 20),
        (r"Build_Blender", 18, 16),
        (r"Build_Packager", 8, 8),
        (r"Build_HadronCollider", 24, 38),
        (r"Build_(Converter|QuantumEncoder)", 16, 20),
        (r"Build_Miner", 6, 14),
        (r"Build_OilPump", 8, 14),
        (r"Build_WaterPump", 20, 20),
        (r"Build_Generator(Coal|Fuel)", 10, 26),
        (r"Build_GeneratorNuclear", 36, 43),
        (r"Build_GeneratorBiomass", 8, 8),
        (r"Build_GeneratorGeo", 20, 20),
        (r"Build_StorageContainer", 5, 10),
        (r"Build_StoragePlayer", 2, 2),
        (r"Build_Industrial", 14, 14),
        (r"Build_PowerStorage", 6, 6),
        (r"Build_ConveyorAttachment|Build_PipelineJunction", 4, 4),
        (r"Build_(TrainDocking|TrainStation|TrainPlatform)", 16, 34),
        (r"Build_(TruckStation|DroneStation)", 11, 20),
        (r"Build_SpaceElevator", 54, 54),
        (r"Build_TradingPost", 14, 26),
        (r"Build_ResourceSink", 16, 13),
        (r"BP_(Locomotive|FreightWagon)", 5, 16),
    )
)
#: Tiles of an island of shapez 2, of one square, and of a building.
ISLAND: Final = (20.0, 20.0)
BUILDING: Final = (1.0, 1.0)
NONE: Final = (0.0, 0.0)


def footprint(kind: str, class_name: str) -> tuple[float, float]:
    """Return width and length of an object, in the unit of the map; (0, 0) where it is a dot."""
    if kind == "island":
        return ISLAND
    if kind == "building":
        return BUILDING
    name = class_name[class_name.rfind(".") + 1 :]
    for pattern, wide, long in SIZES:
        if pattern.match(name):
            return wide, long
    return NONE
