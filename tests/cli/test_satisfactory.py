"""`streamsave satisfactory`: what players ask."""

from __future__ import annotations

import json

import pytest
from attrs import evolve
from cli_runs import LEVEL, SAMPLES, assert_columns_are_tested, json_lines, lines, process, run, terminal
from writer.primitives import Ref
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.structs import INVENTORY_ITEM, Item
from writer.tags import BOOL, FLOAT, INT, OBJECT, TEXT, Array, Fields, Prop
from writer.text import PlainText

import streamsave

FACTORY = "/Game/FactoryGame/Buildable/Factory/"
TRAINS = "/Game/FactoryGame/Buildable/Vehicle/Train/"
MODS = {"Mods": [{"Reference": "BigMod", "Name": "Big", "Version": "1.2.3"}, {"Reference": "Unused", "Version": "9"}, "x"]}


def to(name: str) -> Ref:
    """A reference to an object."""
    return Ref("Persistent_Level", LEVEL + name)


def item(name: str, count: int) -> list[Prop]:
    path = f"/Game/FactoryGame/Resource/{name}.{name}_C" if name else ""
    return [Prop("Item", INVENTORY_ITEM, Item(Ref("", path))), Prop("NumItems", INT, count)]


def store(owner: str, *stacks: list[Prop]) -> Object:
    name = f"{owner}.StorageInventory"
    listed = Prop("mInventoryStacks", Array(Fields("InventoryStack")), list(stacks))
    return Object("/Script/FactoryGame.FGInventoryComponent", LEVEL + name, [listed], outer=LEVEL + owner)


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


def machine_store(owner: str, name: str, count: int) -> Object:
    listed = Prop("mInventoryStacks", Array(Fields("InventoryStack")), [item("Desc_Iron", count)])
    return Object("/Script/FactoryGame.FGInventoryComponent", f"{LEVEL}{owner}.{name}", [listed], outer=LEVEL + owner)


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


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "world.sav"
    header = evolve(release_header(46), mod_metadata=json.dumps(MODS), modded=True)
    target.write_bytes(save_bytes(World(header, (), OBJECTS)))
    return target


def test_inventory(path):
    assert lines("satisfactory", "inventory", path) == [["Desc_Iron_C", "151", "3", "2"], ["Desc_Rod_C", "7", "1", "1"]]
    some = lines("satisfactory", "inventory", path, "--where", "outer ~ StorageContainer")
    assert some == [["Desc_Iron_C", "150", "2", "1"]]
    first, _ = json_lines("satisfactory", "inventory", path)
    assert first == {"file": str(path), "item": "Desc_Iron_C", "item_label": "Iron", "count": 151, "stacks": 3, "stores": 2}


def test_the_dimensional_depot(tmp_path):
    """Its entries are of the class only: mods call other things so. An entry without a number is empty."""
    entries = [
        [Prop("ItemClass", OBJECT, Ref("", f"/Game/{name}.{name}_C")), Prop("amount", INT, count)] for name, count in DEPOT
    ]
    stored = Prop("mStoredItems", Array(Fields("ItemAmount")), entries)
    depot = Object("/Script/FactoryGame.FGCentralStorageSubsystem", f"{LEVEL}CentralStorageSubsystem", [stored])
    target = tmp_path / "world.sav"
    target.write_bytes(save_bytes(World(release_header(46), (), (*OBJECTS, depot, building("Pod", 77, stored)))))
    rows = [["Desc_Iron_C", "192", "4", "3"], ["Desc_Rod_C", "7", "1", "1"], ["Desc_Wire_C", "6", "1", "1"]]
    assert lines("satisfactory", "inventory", target) == rows
    alone = [["Desc_Iron_C", "41", "1", "1"], ["Desc_Wire_C", "6", "1", "1"]]
    assert lines("satisfactory", "inventory", target, "--where", "class_name = FGCentralStorageSubsystem") == alone


def test_machines(path):
    assert lines("satisfactory", "machines", path) == [
        ["Build_ConstructorMk1_C", "Recipe_Rod_C", "1.0", "2", "1", str(round((240 + 30 + 60) / 720, 4))],
        ["Build_ConstructorMk1_C", "", "1.0", "1", "0", ""],
        ["Build_ConstructorMk1_C", "Recipe_Rod_C", "2.5", "1", "0", ""],
        ["Build_MinerMk2_C", "", "1.0", "1", "1", ""],
        ["Build_Press_C", "Recipe_Plate_C", "1.0", "1", "0", ""],
    ]
    little = lines("satisfactory", "machines", "--idle", path, "--where", "productivity < 0.5")
    assert [row[:4] for row in little] == [["Build_ConstructorMk1_C", "Recipe_Rod_C", "1.0", str(round(60 / 360, 4))]]


def test_power(path):
    assert [row[:2] for row in lines("satisfactory", "power", path)] == [["11", "2"], ["2", "1"]]
    unconnected = lines("satisfactory", "power", "--unconnected", path)
    assert unconnected == [["Build_ConstructorMk1_C", f"{LEVEL}Build_ConstructorMk1_C_4", "0.00 0.00 0.00 m"]]
    for option in ((), ("--unconnected",)):
        piped = process("satisfactory", "power", *option, "-", stdin=path.read_bytes())
        assert piped.stdout.decode() == run("satisfactory", "power", *option, path).stdout


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
    machine_store("Build_Smelter_C_1", "InputInventory", 5),
    machine_store("Build_Smelter_C_1", "OutputInventory", 100),
    machine_store("Build_Smelter_C_2", "OutputInventory", 100),
    machine_store("Build_Smelter_C_3", "InputInventory", 0),
    building("GeneratorFuel", 1),
    machine_store("Build_GeneratorFuel_C_1", "FuelInventory", 0),
)
WHY = ["output waits", "no generator", "no input", "fuse out", "", "no wire", "no recipe", "paused", "no input"]


def test_why_machines_are_idle(tmp_path):
    target = tmp_path / "world.sav"
    target.write_bytes(save_bytes(World(release_header(46), (), POWERED)))
    rows = json_lines("satisfactory", "machines", "--idle", target)
    assert [row["why"] for row in rows] == WHY
    assert {tuple(row["position_metres"]) for row in rows} == {(0.0, 0.0, 0.0)}
    assert lines("satisfactory", "machines", "--idle", target, "--where", "why = 'no wire'") == [
        ["Build_Smelter_C", "Recipe_Ingot_C", "1.0", "", "no wire", f"{LEVEL}Build_Smelter_C_7", "0.00 0.00 0.00 m"]
    ]
    assert lines("satisfactory", "power", target) == [
        ["1", "3", "1", "75.0", "0", "0.0", "1", "", "1.00 2.00 0.00 m"],
        ["2", "3", "0", "0.0", "1", "4.0", "1", "", "0.00 0.00 0.00 m"],
        ["3", "2", "0", "0.0", "1", "8.0", "3", "no generator", "0.00 0.00 0.00 m"],
        ["4", "2", "0", "0.0", "1", "12.0", "4", "", "-"],
        ["5", "2", "1", "12.5", "1", "16.0", "5", "fuse out", "-"],
    ]


def test_where_items_are(path):
    """A store has the place of its building; what has none is called so."""
    container, player = f"{LEVEL}Build_StorageContainerMk1_C_1", f"{LEVEL}Char_Player_C_2"
    rows = lines("satisfactory", "inventory", "--by-store", path)
    assert rows == [
        ["Desc_Iron_C", "150", "Build_StorageContainerMk1_C", container, "0.00 0.00 0.00 m"],
        ["Desc_Iron_C", "1", "", player, "-"],
        ["Desc_Rod_C", "7", "", player, "-"],
    ]
    assert lines("satisfactory", "find", "desc iron", path) == rows[:2]
    assert lines("satisfactory", "find", "ROD", path, "--where", "count > 5 and name = *Player*") == rows[2:]
    assert lines("satisfactory", "inventory", "--item", "iron", path) == [["Desc_Iron_C", "151", "3", "2"]]
    result = run("satisfactory", "find", "iron", "-")
    assert (result.exit_code, "read twice" in result.stderr) == (2, True)


def test_mods(path):
    rows = lines("satisfactory", "mods", path)
    assert [row[:3] for row in rows] == [["BigMod", "1.2.3", "1"], ["RemovedMod", "", "1"], ["Unused", "9", "0"]]
    sizes = {found.class_name: found.size for found in streamsave.objects(path)}
    assert [int(row[3]) for row in rows] == [
        sizes["/BigMod/Press.Build_Press_C"],
        sizes["/RemovedMod/Things/Gone.Build_Gone_C"],
        0,
    ]
    assert [row[2] for row in lines("satisfactory", "mods", path, "--where", "class_name ~ Press")] == ["1", "0"]


def test_what_others_say_of_mods(tmp_path):
    """Not what a mod says of itself; an inventory is where its building is."""
    target = tmp_path / "world.sav"
    modded = building("Press", 8, Prop("mCurrentRecipe", OBJECT, Ref("", "/BigMod/Plate.Plate_C")), folder="/BigMod/")
    maker = building("ConstructorMk1", 3, Prop("mCurrentRecipe", OBJECT, Ref("", "/BigMod/Plate.Plate_C")))
    stack = [Prop("Item", INVENTORY_ITEM, Item(Ref("", "/Gone/Thing.Thing_C"))), Prop("NumItems", INT, 5)]
    container = evolve(building("StorageContainerMk1", 1), transform=(0, 0, 0, 1, 100, 200, 0, 1, 1, 1))
    full = store("Build_StorageContainerMk1_C_1", stack, item("Desc_Iron", 3), stack)
    target.write_bytes(save_bytes(World(release_header(46), (), (modded, maker, container, full))))
    rows = lines("satisfactory", "mods", "--mentions", target)
    assert rows == [
        [
            "BigMod",
            "/BigMod/Plate.Plate_C",
            "1",
            "Build_ConstructorMk1_C",
            f"{LEVEL}Build_ConstructorMk1_C_3",
            "0.00 0.00 0.00 m",
        ],
        ["Gone", "/Gone/Thing.Thing_C", "2", "FGInventoryComponent", full.instance_name, "1.00 2.00 0.00 m"],
    ]
    assert lines("satisfactory", "mods", "--mentions", target, "--where", "mod = Gone") == rows[1:]
    assert lines("satisfactory", "mods", "--mentions", target, "--where", "kind = actor") == rows[:1]


def test_names_of_the_game(tmp_path):
    """An item is found by its name in the game, by its class, and by parts of both; a fluid counts in cubic metres."""
    target = tmp_path / "world.sav"
    tank = store("Build_Tank_C_1", item("Desc_Cement", 1234), item("Desc_Water", 5678), item("Desc_Water", 322))
    target.write_bytes(save_bytes(World(release_header(46), (), (tank, building("Tank", 1)))))
    about = ["Build_Tank_C", f"{LEVEL}Build_Tank_C_1", "0.00 0.00 0.00 m"]
    for wanted in ("Concrete", "concr", "Cement", "Desc_Cement_C"):
        assert lines("satisfactory", "find", wanted, target) == [["Desc_Cement_C", "1234", *about]]
    assert lines("satisfactory", "find", "water", target) == [["Desc_Water_C", "6.0", *about]]
    assert lines("satisfactory", "inventory", target) == [["Desc_Cement_C", "1234", "1", "1"], ["Desc_Water_C", "6.0", "2", "1"]]
    _, shown = terminal("satisfactory", "inventory", target, NO_COLOR="1")
    cells = [cell.strip() for row in shown.splitlines() if "│" in row for cell in row.split("│")[1:3]]
    assert cells == ["Concrete", "1,234", "Water", "6.0 m³"]
    _, raw = terminal("satisfactory", "inventory", "--raw-names", target)
    assert "Desc_Cement_C" in raw
    names = tmp_path / "de-DE.json"
    names.write_text(json.dumps([{"Classes": [{"ClassName": "Desc_Cement_C", "mDisplayName": "Beton"}]}]))
    (row,) = json_lines("satisfactory", "find", "beton", target, "--names", names)
    assert (row["item"], row["item_label"], row["store_label"]) == ("Desc_Cement_C", "Beton", "Tank")


@pytest.mark.parametrize("metadata", ["", "no JSON", "[]", '{"Mods": 3}', '{"Mods": [3]}'])
def test_mods_of_other_headers(tmp_path, metadata):
    target = tmp_path / "world.sav"
    target.write_bytes(save_bytes(World(evolve(release_header(46), mod_metadata=metadata), (), OBJECTS)))
    assert [row[0] for row in lines("satisfactory", "mods", target)] == ["BigMod", "RemovedMod"]


def test_trains(path):
    """A station that is no more is called by its path."""
    assert lines("satisfactory", "trains", path) == [
        ["Alt", "2", f"Süd -> {LEVEL}Station_3", "-"],
        ["Idle", "0", "", "-"],
        ["Zug", "3", "Nord -> Süd -> Nord", "1.00 2.00 0.00 m"],
    ]


def test_on_a_terminal(path):
    code, shown = terminal("satisfactory", "trains", path)
    assert code == 0
    assert "stations" in shown
    assert "Nord -> Süd -> Nord" in shown


def test_saves_of_other_games():
    other = SAMPLES[0].parent.parent / "gvas" / "palworld-1.0.sav"
    text = "this command is for worlds and blueprints of Satisfactory; the file is of the format Unreal save game"
    for name in ("inventory", "machines", "power", "mods", "trains", "find x"):
        result = run("satisfactory", *name.split(), other)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"streamsave: {other}: {text}\n")


def test_blueprint_configurations():
    """They are files of the game that have no objects."""
    config = next(iter(sorted((SAMPLES[0].parent).rglob("*.sbpcfg"))))
    result = run("satisfactory", "machines", config)
    assert (result.exit_code, "Satisfactory blueprint configuration" in result.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfactory/u6-hv9-sv29-3.4m.sav", "satisfactory/v11-hv14-sv52-mods-3m.sav"])
def test_places_of_real_circuits(real_save, name):
    """Each circuit has the place of an actor that it names, if one of them has a place."""
    save = real_save(name)
    places = {found.instance_name: found.position for found in streamsave.objects(save, "kind = actor")}
    rows = {row["circuit"]: row["position_metres"] for row in json_lines("satisfactory", "power", save)}
    assert len(rows) > 5
    for found in streamsave.objects(save, "class_name = FGPowerCircuit", fields=["mCircuitID", "mComponents"]):
        named = [part.path_name.rpartition(".")[0] for part in found.fields["mComponents"]]
        near = [[side / 100 for side in places[each]] for each in named if each in places]
        assert rows[found.fields["mCircuitID"]] in (near or [None])


COLUMN_TESTS = [
    ("inventory", "count > 1000 and item ~ Iron", lambda row: row["count"] > 1000 and "Iron" in row["item"]),
    ("inventory", "stacks = 1 or stores >= 3", lambda row: row["stacks"] == 1 or row["stores"] >= 3),
    ("machines", "clock = 1 and recipe = ''", lambda row: row["clock"] == 1 and row["recipe"] == ""),
    ("machines", "class = Build_Con* and producing > 0", lambda row: row["class"].startswith("Build_Con") and row["producing"]),
    ("power", "not connections < 50", lambda row: row["connections"] >= 50),
    ("power --unconnected", "class ~ Mk1", lambda row: "Mk1" in row["class"]),
    ("power --unconnected", "name ~ '[02468]$'", lambda row: row["name"][-1] in "02468"),
    ("power", "capacity > 0 and grid < 12", lambda row: row["capacity"] > 0 and row["grid"] < 12),
    ("machines --idle", "why ~ '^no' and class = *C*", lambda row: row["why"].startswith("no")),
    ("find wire", "count >= 100 and store ~ Storage", lambda row: row["count"] >= 100 and "Storage" in row["store"]),
    ("mods", "objects > 5 and version != ''", lambda row: row["objects"] > 5 and row["version"]),
    ("trains", "stops >= 2 and train = *B*", lambda row: row["stops"] >= 2 and "B" in row["train"]),
]
by_column = pytest.mark.parametrize(
    ("words", "where", "test"), COLUMN_TESTS, ids=lambda each: each if isinstance(each, str) else ""
)


@by_column
def test_columns_in_where(path, words, where, test):
    assert_columns_are_tested(f"satisfactory {words}", path, where, test)


@pytest.mark.slow
@by_column
def test_columns_of_a_real_world(corpus, words, where, test):
    name = "satisfactory/v11-hv14-sv52-mods-3m.sav" if words == "mods" else "satisfactory/u5-hv9-sv28-2.6m.sav"
    if not (corpus / name).is_file():
        pytest.skip(f"not in this corpus: {name}")
    some, every = assert_columns_are_tested(f"satisfactory {words}", corpus / name, where, test)
    assert 0 < some < every


def test_columns_and_objects_in_where(path):
    """Objects are chosen before the sum, rows after it."""
    where = "outer ~ StorageContainer and count > 100"
    assert lines("satisfactory", "inventory", path, "--where", where) == [["Desc_Iron_C", "150", "2", "1"]]
    assert run("satisfactory", "inventory", path, "--where", "outer ~ StorageContainer", "--where", "count > 150").stdout == ""
    result = run("satisfactory", "inventory", path, "--where", "count > 100 or outer ~ StorageContainer")
    text = "join tests of columns (count) and of objects by 'and', not by 'or' or 'not (...)'"
    assert (result.exit_code, text in result.stderr) == (2, True)


def test_no_row_matches(path):
    result = run("satisfactory", "inventory", path, "--where", "count > 1e9")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"streamsave: {path}: no row matches --where\n")
    result = run("satisfactory", "inventory", path, "--where", "count > 1 and class_name = Nothing")
    assert "no object matches --where: no class_name is 'Nothing'" in result.stderr
    assert "no row" not in result.stderr
