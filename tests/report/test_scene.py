"""Points, lines and items of a scene."""

from math import inf, nan, sqrt

import pytest
from scenes import Written, header

from streamsave.report import scene as scene_module
from streamsave.report.scene import BLOCK
from streamsave.values import InventoryItem, ObjectReference, Vector

HALF = sqrt(0.5)


def test_points():
    written = Written()
    written.scene.place(header(class_name="A", name="World.A_7", place=(100.0, -250.0, 3.0), rotation=(0.0, 0.0, HALF, HALF)))
    written.scene.place(header(class_name="B", name="World.A_8", place=None))
    written.scene.place(header(class_name="B", name="World.B", place=(nan, 0.0, 0.0)))
    written.scene.place(header(class_name="B", name="World.B", place=(1e300, 0.0, 0.0)))
    written.scene.place(header(class_name="B", name="World.B", place=(0.0, inf, 0.0)))
    written.scene.place(header(class_name="B", name="World.B_007", place=(0.0, 50.0, 0.0), rotation=(nan, 0.0, nan, 1.0)))
    data = written.end()
    assert (data.x, data.y) == ([1.0, 0.0], [-2.5, 0.5])
    assert data.classes == [0, 1]
    assert list(written.scene.classes) == [("actor", "A"), ("actor", "B")]
    assert list(written.scene.class_counts) == [1, 1]
    assert data.turns == [64, 0]
    assert data.names == ["World.A_7", "World.B_007"]


def test_blocks_are_written_as_they_fill():
    written = Written()
    for number in range(BLOCK + 1):
        written.scene.place(header(name=f"A_{number}", place=(float(number), 0.0, 0.0)))
    assert written.end().names == [f"A_{number}" for number in range(BLOCK + 1)]
    assert written.scene.point_count == BLOCK + 1


def test_tables_have_limits(monkeypatch):
    if scene_module.__file__.endswith((".so", ".pyd")):
        pytest.skip("the compiled module has the numbers in its instructions")
    monkeypatch.setattr(scene_module, "MOST_CLASSES", 2)
    monkeypatch.setattr(scene_module, "MOST_ITEMS", 1)
    written = Written("satisfactory")
    for letter in "ABC":
        written.scene.place(header(class_name=letter, name=f"{letter}_1"))
        written.scene.value(header(), "mInventoryStacks", [{"Item": item(letter), "NumItems": 2}])
    assert written.end().classes == [0, 1, 1]
    assert written.scene.items == {"A": 2}


def item(name: str) -> InventoryItem:
    return InventoryItem(ObjectReference("", f"/Game/{name}.{name}"), None)


def test_lines_belong_to_their_points():
    written = Written("satisfactory")
    scene = written.scene
    belt = header(name="Belt_1", place=(100.0, 0.0, 0.0))
    spline = [{"Location": Vector(0.0, 0.0, 0.0)}, {"Location": Vector(300.0, 100.0, 0.0)}]
    scene.place(header(name="Other_1"))
    scene.place(belt)
    assert scene.wants(belt, "mSplineData")
    scene.value(belt, "mSplineData", spline)
    wire = header(name="Wire_1")
    scene.place(wire)
    scene.value(wire, "mWireInstances", [{"Locations": Vector(0.0, 0.0, 0.0), "Locations[1]": Vector(100.0, 100.0, 0.0)}])
    nowhere = header(name="Nowhere_1", place=None)
    scene.place(nowhere)
    assert not scene.wants(nowhere, "mSplineData")
    assert scene.wants(nowhere, "mInventoryStacks")
    scene.value(nowhere, "mSplineData", spline)
    data = written.end()
    assert (data.owners, data.lengths) == ([1, 2], [2, 2])
    assert data.corners == [1.0, 0.0, 4.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    assert scene.line_count == 2


def test_items():
    written = Written("satisfactory")
    written.scene.value(header(), "mInventoryStacks", [{"Item": item("Wire"), "NumItems": count} for count in (3, 4)])
    assert (written.scene.items, written.scene.stacks) == ({"Wire": 7}, {"Wire": 2})
    written = Written("palworld")
    counts = {"Wood": 4, "None": 1, "": 2, "Stone": None}
    slots = [{"ItemId": {"StaticId": name}, "StackCount": count} for name, count in counts.items()]
    assert written.scene.wants(header(kind="container"), "Slots")
    assert not written.scene.wants(header(kind="pal"), "Slots")
    written.scene.value(header(kind="container"), "Slots", [*slots, 7])
    written.scene.value(header(kind="container"), "Slots", None)
    assert written.scene.items == {"Wood": 4}


def test_tiles():
    written = Written("shapez2")
    written.scene.place(header(kind="island", place=(1.0, 0.0, 0.0), flags=3))
    written.scene.place(header(kind="building", outer="elsewhere"))
    data = written.end()
    assert (data.x, data.y, data.turns) == ([29.5], [9.5], [192])


def test_details_of_machines_and_stores():
    """Of each machine and each inventory with something in it a row, in the order of the save."""
    written = Written("satisfactory")
    scene = written.scene
    smelter = header(class_name="/Game/X.Build_SmelterMk1_C", name="L.Smelter_1")
    scene.place(smelter)
    for name, value in (("mCurrentRecipe", ObjectReference("", "/Game/R.Recipe_Ingot_C")), ("mIsProducing", True)):
        assert scene.wants(smelter, name)
        scene.value(smelter, name, value)
    scene.value(smelter, "mCurrentPotential", 2.5)
    scene.value(smelter, "mCurrentProductivityMeasurementDuration", 8.0)
    scene.value(smelter, "mCurrentProductivityMeasurementProduceDuration", 2.0)
    inventory = header(kind="object", class_name="FGInventoryComponent", name="L.Smelter_1.Output", place=None)
    scene.place(inventory)
    stacks = (("Wire", 3), ("Wire", 4), ("Desc_Water_C", 500))
    scene.value(inventory, "mInventoryStacks", [{"Item": item(name), "NumItems": count} for name, count in stacks])
    scene.value(inventory, "mInventoryStacks", [])
    scene.place(header(class_name="Build_Lamp_C", name="L.Lamp_1"))
    scene.place(header(class_name="Build_MinerMk1_C", name="L.Miner_1"))
    assert written.end().details == [
        ["L.Smelter_1", -1, 2.5, 1, 0.25],
        ["L.Smelter_1", 0, "Wire", 7, "Desc_Water_C", 0.5],
        ["L.Miner_1", -2, 1.0, 0, None],
    ]
    assert [*scene.recipes] == ["Recipe_Ingot_C", ""]
    assert [*scene.parts] == ["Output"]
