"""What properties of Satisfactory mean to a player."""

import pytest

from streamsave.formats.satisfactory.game import folder_of_mod, holds_items, items_of, machine_of, mod_of, name_of, stops_of
from streamsave.values import InventoryItem, ObjectReference, Text

WIRE = InventoryItem(ObjectReference("", "/Game/Desc_Wire.Desc_Wire_C"), None)


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (
            [{"Item": WIRE, "NumItems": 3}, {"Item": WIRE, "NumItems": 0}, {"Item": WIRE}, {"NumItems": 7}, 5],
            [("Desc_Wire_C", 3)],
        ),
        (
            [
                {"ItemClass": WIRE.item, "amount": 1},
                {"ItemClass": WIRE.item, "Amount": 2},
                {"ItemClass": WIRE.item, "amount": 0},
                {"ItemClass": WIRE.item},
                {"amount": 7},
            ],
            [("Desc_Wire_C", 1), ("Desc_Wire_C", 2)],
        ),
        ([{"Item": ObjectReference("", ""), "NumItems": 321}], []),
        (None, []),
        ("text", []),
    ],
)
def test_items(value, items):
    assert list(items_of(value)) == items


@pytest.mark.parametrize(
    ("class_name", "name", "holds"),
    [
        ("/Script/FactoryGame.FGInventoryComponent", "mInventoryStacks", True),
        ("/Script/FactoryGame.FGCentralStorageSubsystem", "mStoredItems", True),
        ("/SomeMod/Pod.Pod_C", "mStoredItems", False),
        ("/SomeMod/Pod.MyFGCentralStorageSubsystem", "mStoredItems", False),
        ("/Script/FactoryGame.FGInventoryComponent", "mSlots", False),
    ],
)
def test_stores(class_name, name, holds):
    assert holds_items(class_name, name) is holds


def test_machines():
    recipe = ObjectReference("", "/Game/Recipe_Rod.Recipe_Rod_C")
    assert machine_of({}) == ("", 1.0, False)
    values = {"mCurrentRecipe": recipe, "mCurrentPotential": 2.50001, "mIsProducing": True}
    assert machine_of(values) == ("Recipe_Rod_C", 2.5, True)


def test_trains():
    assert name_of({"mTrainName": Text(0, "base", "Zug", {})}) == "Zug"
    assert name_of({"mStationName": None}) == name_of({}) == ""
    assert stops_of({"mStops": [{"Station": ObjectReference("", "L.Station_1")}, 5, {}]}) == ["L.Station_1", ""]


@pytest.mark.parametrize(
    ("class_name", "mod", "folder"),
    [
        ("/Game/FactoryGame/Build_Wall.Build_Wall_C", "", ""),
        ("/Script/FactoryGame.FGInventoryComponent", "", ""),
        ("/EWAFence/Build_EWAF.Build_EWAF_C", "EWAFence", "EWAFence"),
        ("/SomeMod/A/B.B_C", "SomeMod", "SomeMod"),
        ("/Script/FicsItCam.FICCamera", "FicsItCam", ""),
        ("IceHorse", "", ""),
        ("", "", ""),
        ("/", "", ""),
        ("/Script", "", ""),
    ],
)
def test_mods(class_name, mod, folder):
    assert mod_of(class_name) == mod
    assert folder_of_mod(class_name) == folder
