"""Names that the made-up worlds share: items, recipes, classes, structs."""

from __future__ import annotations

from typing import Any

from writer.primitives import Ref
from writer.satisfactory import PERSISTENT
from writer.tags import Fields, Prop

AnyProp = Prop[Any]

STACK = Fields("InventoryStack")
SPLINE = Fields("SplinePointData")
WIRE = Fields("WireInstance")
REMOVED = Fields("FoliageRemovalSaveDataForFoliageType")
CELL = Fields("FoliageRemovalSaveDataPerCell")
SPAWN = Fields("SpawnData")
BUILT = Fields("ActorBuiltData")


def item(part: str) -> Ref:
    """The class of an item."""
    return Ref("", f"/Game/FactoryGame/Resource/Parts/{part}/Desc_{part}.Desc_{part}_C")


def recipe(folder: str, name: str) -> Ref:
    """The class of a recipe."""
    return Ref("", f"/Game/FactoryGame/Recipes/{folder}/Recipe_{name}.Recipe_{name}_C")


def actor(path: str) -> Ref:
    """A reference into the persistent level."""
    return Ref(PERSISTENT, f"{PERSISTENT}:PersistentLevel.{path}")


def buildable(folder: str, name: str) -> str:
    """The class name of a buildable."""
    return f"/Game/FactoryGame/Buildable/{folder}/{name}.{name}_C"


SWATCH = Ref("", "/Game/FactoryGame/Buildable/-Shared/Customization/Swatches/SwatchDesc_Slot0.SwatchDesc_Slot0_C")
IRON = item("IronPlate")
COPPER = item("CopperSheet")
FOUNDATION = Ref("", buildable("Building/Foundation", "Build_Foundation_8x2_01"))
