"""Worlds of Satisfactory that commands are asked about: a factory, its power, its trains, and mods."""

import json

from attrs import evolve
from cli_runs import LEVEL
from writer.primitives import Ref
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.structs import INVENTORY_ITEM, Item
from writer.tags import BOOL, FLOAT, INT, OBJECT, TEXT, Array, Fields, Prop
from writer.text import PlainText

FACTORY = "/Game/FactoryGame/Buildable/Factory/"
TRAINS = "/Game/FactoryGame/Buildable/Vehicle/Train/"
MODS = {"Mods": [{"Reference": "BigMod", "Name": "Big", "Version": "1.2.3"}, {"Reference": "Unused", "Version": "9"}, "x"]}


def to(name: str) -> Ref:
    return Ref("Persistent_Level", LEVEL + name)


def item(name: str, count: int) -> list[Prop]:
    path = f"/Game/FactoryGame/Resource/{name}.{name}_C" if name else ""
    return [Prop("Item", INVENTORY_ITEM, Item(Ref("", path))), Prop("NumItems", INT, count)]


def store(owner: str, *stacks: list[Prop], name: str = "StorageInventory") -> Object:
    listed = Prop("mInventoryStacks", Array(Fields("InventoryStack")), list(stacks))
    return Object("/Script/FactoryGame.FGInventoryComponent", f"{LEVEL}{owner}.{name}", [listed], outer=LEVEL + owner)


def building(kind: str, number: int, *props: Prop, folder: str = FACTORY) -> Object:
    return Object(f"{folder}{kind}.Build_{kind}_C", f"{LEVEL}Build_{kind}_C_{number}", list(props))


def recipe(name: str) -> Prop:
    return Prop("mCurrentRecipe", OBJECT, Ref("", f"/Game/FactoryGame/Recipes/{name}.{name}_C"))


def watched(last: float, last_produced: float, now: float, now_produced: float) -> list[Prop]:
    """For how long a machine was watched, and how long it produced; Unreal saves no zeros."""
    seconds = {"Last": (last, last_produced), "Current": (now, now_produced)}
    return [
        Prop(f"m{span}ProductivityMeasurement{what}Duration", FLOAT, number)
        for span, numbers in seconds.items()
        for what, number in zip(("", "Produce"), numbers, strict=True)
        if number
    ]


def connection(owner: str, *props: Prop) -> Object:
    name = f"{owner}.PowerConnection"
    return Object("/Script/FactoryGame.FGPowerConnectionComponent", LEVEL + name, list(props), outer=LEVEL + owner)


def circuit(number: int, *parts: str, fuse: bool = False) -> Object:
    props = [Prop("mCircuitID", INT, number), Prop("mComponents", Array(OBJECT), [to(part) for part in parts])]
    out = [Prop("mIsFuseTriggered", BOOL, True)] if fuse else []
    return Object("/Script/FactoryGame.FGPowerCircuit", f"{LEVEL}Circuit_{number}", [*props, *out])


def power_info(owner: str, name: str, megawatts: float) -> Object:
    listed = [Prop(name, FLOAT, megawatts)]
    return Object("/Script/FactoryGame.FGPowerInfoComponent", f"{LEVEL}{owner}.powerInfo", listed, outer=LEVEL + owner)


def station(number: int, name: str) -> Object:
    named = Prop("mStationName", TEXT, PlainText(name))
    return Object("/Script/FactoryGame.FGTrainStationIdentifier", f"{LEVEL}Station_{number}", [named])


def train(number: int, name: str, *props: Prop) -> Object:
    return Object(
        f"{TRAINS}BP_Train.BP_Train_C", f"{LEVEL}BP_Train_C_{number}", [Prop("mTrainName", TEXT, PlainText(name)), *props]
    )


def timetable(number: int, *stops: int) -> Object:
    listed = [[Prop("Station", OBJECT, to(f"Station_{stop}"))] for stop in stops]
    stops_property = Prop("mStops", Array(Fields("TimeTableStop")), listed)
    return Object("/Script/FactoryGame.FGRailroadTimeTable", f"{LEVEL}Table_{number}", [stops_property])


OBJECTS = (
    store("Build_StorageContainerMk1_C_1", item("Desc_Iron", 100), item("Desc_Iron", 50), item("", 0)),
    store("Char_Player_C_2", item("Desc_Iron", 1), item("Desc_Rod", 7)),
    building("ConstructorMk1", 3, recipe("Recipe_Rod"), Prop("mIsProducing", BOOL, True), *watched(300, 240, 60, 30)),
    building("ConstructorMk1", 4, recipe("Recipe_Rod"), *watched(300, 60, 60, 0)),
    building("ConstructorMk1", 5, recipe("Recipe_Rod"), Prop("mCurrentPotential", FLOAT, 2.5)),
    building("ConstructorMk1", 6),
    building("MinerMk2", 7, Prop("mIsProducing", BOOL, True)),
    building("StorageContainerMk1", 1, Prop("mIsProducing", BOOL, True)),  # no machine
    building("Press", 8, recipe("Recipe_Plate"), folder="/BigMod/"),
    building("Gone", 9, folder="/RemovedMod/Things/"),
    connection("Build_MinerMk2_C_7", Prop("mWires", Array(OBJECT), [to("Wire")])),
    connection("Build_ConstructorMk1_C_3", Prop("mHiddenConnections", Array(OBJECT), [to("Wire")])),
    connection("Build_ConstructorMk1_C_4"),
    connection("BP_DropPod_C_1"),
    circuit(2, "a"),
    circuit(11, "a", "b"),
    station(1, "Nord"),
    station(2, "Süd"),
    train(1, "Zug", Prop("TimeTable", OBJECT, to("Table_1")), Prop("FirstVehicle", OBJECT, to("BP_Locomotive_C_1"))),
    Object(f"{TRAINS}BP_Locomotive.BP_Locomotive_C", f"{LEVEL}BP_Locomotive_C_1", transform=(0, 0, 0, 1, 100, 200, 0, 1, 1, 1)),
    train(2, "Alt", Prop("mTimeTable", OBJECT, to("Table_2"))),
    train(3, "Idle", Prop("mIsProducing", BOOL, True)),
    timetable(1, 1, 2, 1),
    timetable(2, 2, 3),
)


DEPOT = [("Desc_Iron", 41), ("Desc_Rod", 0), ("Desc_Wire", 6)]


POWERED = (
    # Circuits 1 and 2 are joined by a switch that is closed, and 2 and 3 by one that is open.
    circuit(
        1, "Build_GeneratorCoal_C_1.PowerConnection", "Build_GeneratorCoal_C_1.Other", "Build_PowerSwitch_C_1.PowerConnection1"
    ),
    circuit(
        2, "Build_PowerSwitch_C_1.PowerConnection2", "Build_Smelter_C_1.PowerInput", "Build_PowerSwitch_C_2.PowerConnection1"
    ),
    circuit(3, "Build_PowerSwitch_C_2.PowerConnection2", "Build_Smelter_C_2.PowerInput"),
    circuit(4, "Build_PowerStorageMk1_C_1.PowerInput", "Build_Smelter_C_3.PowerInput"),
    circuit(5, "Build_GeneratorCoal_C_2.PowerConnection", "Build_Smelter_C_4.PowerInput", fuse=True),
    building("PowerSwitch", 1, Prop("mIsSwitchOn", BOOL, True)),
    building("PowerSwitch", 2),
    evolve(building("GeneratorCoal", 1, Prop("mIsProducing", BOOL, True)), transform=(0, 0, 0, 1, 100, 200, 0, 1, 1, 1)),
    power_info("Build_GeneratorCoal_C_1", "mDynamicProductionCapacity", 75.0),
    power_info("Build_GeneratorCoal_C_2", "mBaseProduction", 12.5),
    *(power_info(f"Build_Smelter_C_{number}", "mTargetConsumption", 4.0 * number) for number in (1, 2, 3, 4)),
    *(building("Smelter", number, recipe("Recipe_Ingot")) for number in (1, 2, 3, 4, 6, 7)),
    building("Smelter", 5),
    building("Smelter", 8, recipe("Recipe_Ingot"), Prop("mIsProductionPaused", BOOL, True)),
    building("Smelter", 9, recipe("Recipe_Ingot"), Prop("mIsProducing", BOOL, True)),
    connection("Build_Smelter_C_7"),
    store("Build_Smelter_C_1", item("Desc_Iron", 5), name="InputInventory"),
    store("Build_Smelter_C_1", item("Desc_Iron", 100), name="OutputInventory"),
    store("Build_Smelter_C_2", item("Desc_Iron", 100), name="OutputInventory"),
    store("Build_Smelter_C_3", item("Desc_Iron", 0), name="InputInventory"),
    building("GeneratorFuel", 1),
    store("Build_GeneratorFuel_C_1", item("Desc_Iron", 0), name="FuelInventory"),
)


def worlds() -> dict[str, bytes]:
    """The saves of all of them, by name."""
    entries = [
        [Prop("ItemClass", OBJECT, Ref("", f"/Game/{name}.{name}_C")), Prop("amount", INT, count)] for name, count in DEPOT
    ]
    stored = Prop("mStoredItems", Array(Fields("ItemAmount")), entries)
    depot = Object("/Script/FactoryGame.FGCentralStorageSubsystem", f"{LEVEL}CentralStorageSubsystem", [stored])
    plate = Prop("mCurrentRecipe", OBJECT, Ref("", "/BigMod/Plate.Plate_C"))
    stack = [Prop("Item", INVENTORY_ITEM, Item(Ref("", "/Gone/Thing.Thing_C"))), Prop("NumItems", INT, 5)]
    container = evolve(building("StorageContainerMk1", 1), transform=(0, 0, 0, 1, 100, 200, 0, 1, 1, 1))
    full = store("Build_StorageContainerMk1_C_1", stack, item("Desc_Iron", 3), stack)
    tank = store("Build_Tank_C_1", item("Desc_Cement", 1234), item("Desc_Water", 5678), item("Desc_Water", 322))
    objects = {
        "depot": (*OBJECTS, depot, building("Pod", 77, stored)),
        "powered": POWERED,
        "mentions": (building("Press", 8, plate, folder="/BigMod/"), building("ConstructorMk1", 3, plate), container, full),
        "tank": (tank, building("Tank", 1)),
    }
    made = {f"{name}.sav": save_bytes(World(release_header(46), (), each)) for name, each in objects.items()}
    modded = evolve(release_header(46), mod_metadata=json.dumps(MODS), modded=True)
    return made | {"factory.sav": save_bytes(World(modded, (), OBJECTS))}
