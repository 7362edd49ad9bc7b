"""What the objects of Satisfactory are to a player: selections of them, and functions of the values of their properties.

| what | objects | properties |
|---|---|---|
| store | all with stacks; the Dimensional Depot | `mInventoryStacks`; `mStoredItems` |
| machine | the classes of `MACHINES`, and all with a recipe | `MACHINE_FIELDS` |
| power | circuits and the switches between them; power connections; what a building makes and takes | `POWER_FIELDS` |
| train | trains, their vehicles, timetables, stations | `TRAIN_FIELDS` |
| line | belts, pipes, rails; power lines | `mSplineData`; `mWireInstances` |
| connector | power lines, chains of belts | the trailer, which refers to what they connect |
| mod | all whose class is in a folder or a module that is not the game's | |

Unreal saves no property that has its default value: a machine without a clock runs at 1, one without `mIsProducing` is idle.

The module is long because it has functions for each row of the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from streamsave.values import InventoryItem, ObjectReference, Text

__all__ = [
    "CHAINS",
    "CIRCUIT",
    "CLOSED_SWITCH",
    "CONNECTORS",
    "FIRST_VEHICLE",
    "INPUTS",
    "MACHINE",
    "MACHINE_FIELDS",
    "MODDED",
    "OUTPUTS",
    "POWERED",
    "POWER_FIELDS",
    "POWER_INFO",
    "SPLINE",
    "STACKS",
    "STATION",
    "STORE",
    "STORED",
    "STORES",
    "TIMETABLE",
    "TRAILER",
    "TRAIN",
    "TRAIN_FIELDS",
    "UNCONNECTED",
    "VEHICLE",
    "WIRES",
    "Circuit",
    "circuit_of",
    "connects",
    "folder_of_mod",
    "grids_of",
    "holds_items",
    "is_machine",
    "items_of",
    "listed_mods",
    "machine_of",
    "may_have_lines",
    "mod_of",
    "name_of",
    "owner_of",
    "path_of",
    "power_of",
    "produced_of",
    "share",
    "states_of",
    "stops_of",
    "timetable_of",
    "why_idle",
]

# --- stores ---

STACKS: Final = "mInventoryStacks"
#: The class of the object that is the Dimensional Depot, without its path, and its property: mods call other things so.
DEPOT: Final = "FGCentralStorageSubsystem"
STORED: Final = "mStoredItems"
STORE: Final = f"has({STACKS})"
STORES: Final = f"{STORE} or class_name = {DEPOT}"


def holds_items(class_name: str, name: str) -> bool:
    """Return whether a property of an object has items that are in a store."""
    return name == STACKS or (name == STORED and short_name(class_name) == DEPOT)


def items_of(value: object) -> Iterator[tuple[str, int]]:
    """Yield item and number of each stack, or each entry of the Dimensional Depot, that is not empty."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            # Names have no case for the engine: the depot of one save has `amount`, that of another one `Amount`.
            item = entry.get("Item", entry.get("ItemClass"))
            count = entry.get("NumItems", entry.get("amount", entry.get("Amount")))
            if isinstance(item, InventoryItem):
                item = item.item
            if isinstance(item, ObjectReference) and item.path_name and isinstance(count, int) and count > 0:
                yield short_name(item.path_name), count


def short_name(path: str) -> str:
    """Return the last part of the path of a class or an object."""
    return path[path.rfind(".") + 1 :]


# --- machines ---

RECIPE: Final = "mCurrentRecipe"
CLOCK: Final = "mCurrentPotential"
PRODUCING: Final = "mIsProducing"
PAUSED: Final = "mIsProductionPaused"
#: Buildings that do nothing without a recipe.
MAKERS: Final = (
    "Assembler",
    "Blender",
    "Constructor",
    "Converter",
    "Foundry",
    "HadronCollider",
    "Manufacturer",
    "OilRefinery",
    "Packager",
    "QuantumEncoder",
    "Smelter",
)
#: Buildings that extract or make something without one.
MACHINES: Final = (*MAKERS, "Fracking", "Generator", "Miner", "OilPump", "WaterPump")
MACHINE_CLASS: Final = re.compile(f"Build_({'|'.join(MACHINES)})")
MACHINE: Final = f"class_name ~ '^{MACHINE_CLASS.pattern}' or has({RECIPE})"
#: For how many seconds a machine was watched, and produced: in the last span of five minutes, and since then.
WATCHED: Final = ("mLastProductivityMeasurementDuration", "mCurrentProductivityMeasurementDuration")
PRODUCED: Final = ("mLastProductivityMeasurementProduceDuration", "mCurrentProductivityMeasurementProduceDuration")
MACHINE_FIELDS: Final = (RECIPE, CLOCK, PRODUCING, PAUSED, *WATCHED, *PRODUCED)
NEEDS_RECIPE: Final = re.compile(f"[.]Build_({'|'.join(MAKERS)})")
#: What a machine takes and makes: how the names of its inventories end.
INPUTS: Final = (".InputInventory", ".FuelInventory")
OUTPUTS: Final = (".OutputInventory",)


@lru_cache(maxsize=1 << 12)
def is_machine_class(class_name: str) -> bool:
    """Return whether all objects of a class are machines."""
    return MACHINE_CLASS.match(short_name(class_name)) is not None


def is_machine(class_name: str, values: Mapping[str, object]) -> bool:
    """Return whether an object with these `MACHINE_FIELDS` is one that `MACHINE` selects."""
    return RECIPE in values or is_machine_class(class_name)


def machine_of(values: Mapping[str, object]) -> tuple[str, float, bool]:
    """Return recipe ("": none), clock (1 is 100 %), and whether it produces, of the `MACHINE_FIELDS` of a machine."""
    clock = values.get(CLOCK)
    shown = round(clock, 4) if isinstance(clock, float) else 1.0
    return short_name(path_of(values.get(RECIPE))), shown, values.get(PRODUCING) is True


def produced_of(values: Mapping[str, object]) -> tuple[float, float]:
    """Return for how many seconds a machine produced, and how many it was watched, of its `MACHINE_FIELDS`."""
    produced, watched = (
        sum(value for value in map(values.get, names) if isinstance(value, float)) for names in (PRODUCED, WATCHED)
    )
    return produced, watched


def share(produced: float, watched: float) -> float | None:
    """Return which part of the time that it was watched a machine produced; None: it was not."""
    return round(produced / watched, 4) if watched > 0 else None


def why_idle(class_name: str, values: Mapping[str, object], stored: Mapping[str, bool], power: str) -> str:
    """Return why a machine does nothing, as far as the save says; "" if it does not say.

    Args:
        class_name: of the machine.
        values: its `MACHINE_FIELDS`.
        stored: for the end of the name of each of its inventories, whether there is an item in it.
        power: what is wrong with its power; "" if nothing is.
    """
    if values.get(PAUSED) is True:
        return "paused"
    if not path_of(values.get(RECIPE)) and NEEDS_RECIPE.search(class_name):
        return "no recipe"
    if power:
        return power
    if not all(stored.get(name, True) for name in INPUTS):
        return "no input"
    return "output waits" if any(stored.get(name, False) for name in OUTPUTS) else ""


def owner_of(name: str) -> str:
    """Return the name of the object that a component is of: its name without the last part."""
    return name[: name.rfind(".")] if "." in name else ""


def path_of(value: object) -> str:
    """Return the path that a reference leads to; "" of anything else."""
    return value.path_name if isinstance(value, ObjectReference) else ""


# --- power ---

CIRCUIT: Final = "class_name = FGPowerCircuit"
#: All that may have a power connection, and its place: not parts of buildings, and not what a world has most of.
POWERED: Final = (
    "not class_name ~ '^(FG|BP_(Berry|Nut)Bush|BP_(CreatureSpawner|Crystal|Destructible|Resource|Shroom|SporeFlower)"
    "|Build_(Beam|Conveyor(Belt|Lift|Pole)|Foundation|Pillar|Pipeline(MK2)?_|PipelineSupport|PowerLine|Railing|Ramp|Wall_))'"
)
#: Power connections of what a player has built, without a wire.
UNCONNECTED: Final = (
    "class_name = FGPowerConnectionComponent and outer ~ '[.]Build_' and not (has(mWires) or has(mHiddenConnections))"
)
#: Joins the two circuits of its connections.
CLOSED_SWITCH: Final = "class_name ~ '^Build_.*PowerSwitch' and mIsSwitchOn = true"
#: What a building makes and takes, in megawatts.
POWER_INFO: Final = "class_name = FGPowerInfoComponent"
#: Generators that burn something have the one, those that do not the other.
CAPACITIES: Final = ("mDynamicProductionCapacity", "mBaseProduction")
DEMAND: Final = "mTargetConsumption"
POWER_FIELDS: Final = ("mCircuitID", "mComponents", "mIsFuseTriggered", *CAPACITIES, DEMAND)
GENERATOR: Final = re.compile("[.]Build_Generator")
#: What may give power to a circuit.
SOURCE: Final = re.compile("[.]Build_(Generator|PowerStorage)")


class Circuit(NamedTuple):
    """A power circuit."""

    number: int
    #: How many connections it has.
    size: int
    #: The names of the objects that have them.
    owners: frozenset[str]
    fuse_is_out: bool

    def generators(self) -> int:
        """Return how many of the objects are generators."""
        return sum(GENERATOR.search(name) is not None for name in self.owners)

    def has_source(self) -> bool:
        """Return whether one of the objects may give power."""
        return any(SOURCE.search(name) for name in self.owners)

    def landmark(self) -> str:
        """Return the name of the object whose place says where the circuit is: one that may give power, or else any; "": none."""
        return min(self.owners, key=lambda name: (SOURCE.search(name) is None, name), default="")


def circuit_of(values: Mapping[str, object]) -> Circuit:
    """Return the circuit with these `POWER_FIELDS`."""
    parts = values.get("mComponents")
    names = [owner_of(path_of(part)) for part in parts] if isinstance(parts, list) else []
    number = values.get("mCircuitID")
    return Circuit(number if isinstance(number, int) else 0, len(names), frozenset(names), values.get("mIsFuseTriggered") is True)


def grids_of(circuits: Sequence[Circuit], closed: Collection[str]) -> list[int]:
    """Return for each circuit the place of the first one that closed switches join it to; `closed`: the names of the switches."""
    first = list(range(len(circuits)))

    def find(place: int) -> int:
        while first[place] != place:
            first[place] = place = first[first[place]]
        return place

    sides: dict[str, int] = {}
    for place, circuit in enumerate(circuits):
        for name in circuit.owners.intersection(closed):
            one, other = sorted((find(sides.setdefault(name, place)), find(place)))
            first[other] = one
    return [find(place) for place in range(len(circuits))]


def states_of(circuits: Sequence[Circuit], grids: Sequence[int]) -> list[str]:
    """Return what is wrong with each circuit ("": nothing); `grids` as `grids_of` returns them."""
    powered = {grid for grid, circuit in zip(grids, circuits, strict=True) if circuit.has_source()}
    return [
        "fuse out" if circuit.fuse_is_out else "" if grid in powered else "no generator"
        for grid, circuit in zip(grids, circuits, strict=True)
    ]


def power_of(values: Mapping[str, object]) -> tuple[float, float]:
    """Return what a building can make and what it takes, in megawatts, of its `POWER_FIELDS`."""
    capacity = sum(value for value in map(values.get, CAPACITIES) if isinstance(value, float))
    demand = values.get(DEMAND)
    return capacity, demand if isinstance(demand, float) else 0.0


# --- trains ---

TRAIN: Final = "class_name = BP_Train_C"
TIMETABLE: Final = "class_name = FGRailroadTimeTable"
STATION: Final = "class_name = FGTrainStationIdentifier"
#: The reference of a train to its timetable, before and since game 1.0.
TIMETABLES: Final = ("TimeTable", "mTimeTable")
FIRST_VEHICLE: Final = "FirstVehicle"
#: Has the place of a train; the train itself has none.
VEHICLE: Final = "class_name ~ '^BP_(Locomotive|FreightWagon)'"
TRAIN_FIELDS: Final = ("mStationName", "mStops", "mTrainName", *TIMETABLES, FIRST_VEHICLE)


def name_of(values: Mapping[str, object]) -> str:
    """Return the name that a player gave a train or a station, of its `TRAIN_FIELDS`."""
    name = values.get("mTrainName", values.get("mStationName"))
    return name.source or "" if isinstance(name, Text) else str(name or "")


def timetable_of(values: Mapping[str, object]) -> str:
    """Return the path of the timetable of a train, of its `TRAIN_FIELDS`; "" without one."""
    return next(filter(None, [path_of(values.get(name)) for name in TIMETABLES]), "")


def stops_of(values: Mapping[str, object]) -> list[str]:
    """Return the path of the station of each stop of a timetable, of its `TRAIN_FIELDS`."""
    stops = values.get("mStops")
    return [path_of(stop.get("Station")) for stop in (stops if isinstance(stops, list) else ()) if isinstance(stop, dict)]


# --- lines and connectors ---

SPLINE: Final = "mSplineData"
WIRES: Final = "mWireInstances"
LINES: Final = re.compile("Belt|Pipe|Hyper|Rail|Track|Monorail|PowerLine|Wire|Cable|Vine")
#: Classes, without their path, whose trailer refers to both ends.
CONNECTORS: Final = ("Build_PowerLine_C", "Build_XmassLightsLine_C")
#: How the names of classes start, without their path, whose trailer refers to all belts of a chain.
CHAINS: Final = "FGConveyorChainActor"
TRAILER: Final = "trailer"


@lru_cache(maxsize=1 << 12)
def may_have_lines(class_name: str) -> bool:
    """Return whether the objects of a class may have a line: a spline, or wires."""
    return LINES.search(short_name(class_name)) is not None


@lru_cache(maxsize=1 << 12)
def connects(class_name: str) -> bool:
    """Return whether the objects of a class connect others."""
    short = short_name(class_name)
    return short in CONNECTORS or short.startswith(CHAINS)


# --- mods ---

#: Has all objects of mods, and few others.
MODDED: Final = "not class_name = '/Game/*' and not class_name = '/Script/FactoryGame.*'"
#: Folders of classes that no mod has; one of them has a module for each mod.
GAME_FOLDERS: Final = frozenset(("Game", "Script", ""))
SCRIPT: Final = "/Script/"
GAME_MODULES: Final = frozenset(("FactoryGame", "FactoryDedicatedServer", "Engine", "CoreUObject"))


def folder_of_mod(class_name: str) -> str:
    """Return the first folder of the path of a class; "" if that is one of the game."""
    folders = class_name.split("/", 2)
    return "" if len(folders) < 3 or folders[0] or folders[1] in GAME_FOLDERS else folders[1]


def mod_of(class_name: str) -> str:
    """Return the mod that a class comes from, which is the first folder of its path; "" for the game's own.

    A class that is compiled has the name of its module: `/Script/FicsItCam.FICCamera`.
    """
    if class_name.startswith(SCRIPT):
        module = class_name.split("/", 3)[2].partition(".")[0]
        return "" if module in GAME_MODULES else module
    return folder_of_mod(class_name)


def listed_mods(metadata: str) -> Iterator[tuple[str, str]]:
    """Yield reference and version of each mod that the header lists."""
    try:
        listed = json.loads(metadata or "{}")
    except ValueError:
        return
    mods = listed.get("Mods") if isinstance(listed, dict) else None
    for mod in mods if isinstance(mods, list) else ():
        if isinstance(mod, dict) and "Reference" in mod:
            yield str(mod["Reference"]), str(mod.get("Version", ""))
