"""What the objects of Satisfactory are to a player: selections of them, and functions of the values of their properties.

| what | objects | properties |
|---|---|---|
| store | all with stacks; the Dimensional Depot | `mInventoryStacks`; `mStoredItems` |
| machine | the classes of `MACHINES`, and all with a recipe | `mCurrentRecipe`, `mCurrentPotential` (the clock), `mIsProducing` |
| power | circuits; power connections of what is built | `mCircuitID`, `mComponents`; `mWires`, `mHiddenConnections` |
| train | trains, timetables, stations | `mTrainName`, `mTimeTable`; `mStops`; `mStationName` |
| line | belts, pipes, rails; power lines | `mSplineData`; `mWireInstances` |
| connector | power lines, chains of belts | the trailer, which refers to what they connect |
| mod | all whose class is in a folder or a module that is not the game's | |

Unreal saves no property that has its default value: a machine without a clock runs at 1, one without `mIsProducing` is idle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from streamsave.values import InventoryItem, ObjectReference, Text

__all__ = [
    "CHAINS",
    "CIRCUIT",
    "CIRCUIT_FIELDS",
    "CONNECTORS",
    "MACHINE",
    "MACHINE_FIELDS",
    "MODDED",
    "SPLINE",
    "STACKS",
    "STATION",
    "STORED",
    "STORES",
    "TIMETABLE",
    "TRAILER",
    "TRAIN",
    "TRAIN_FIELDS",
    "UNCONNECTED",
    "WIRES",
    "circuit_of",
    "connects",
    "folder_of_mod",
    "holds_items",
    "items_of",
    "listed_mods",
    "machine_of",
    "may_have_lines",
    "mod_of",
    "name_of",
    "stops_of",
    "timetable_of",
]

# --- stores ---

STACKS: Final = "mInventoryStacks"
#: The class of the object that is the Dimensional Depot, without its path, and its property: mods call other things so.
DEPOT: Final = "FGCentralStorageSubsystem"
STORED: Final = "mStoredItems"
STORES: Final = f"has({STACKS}) or class = {DEPOT}"


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
            if isinstance(item, ObjectReference) and isinstance(count, int) and count > 0:
                yield short_name(item.path_name), count


def short_name(path: str) -> str:
    """Return the last part of the path of a class or an object."""
    return path[path.rfind(".") + 1 :]


# --- machines ---

RECIPE: Final = "mCurrentRecipe"
CLOCK: Final = "mCurrentPotential"
PRODUCING: Final = "mIsProducing"
#: Buildings that extract or make something without a recipe, or that have had none yet.
MACHINES: Final = (
    "Assembler",
    "Blender",
    "Constructor",
    "Converter",
    "Foundry",
    "Fracking",
    "Generator",
    "HadronCollider",
    "Manufacturer",
    "Miner",
    "OilPump",
    "OilRefinery",
    "Packager",
    "QuantumEncoder",
    "Smelter",
    "WaterPump",
)
MACHINE: Final = f"class ~ '^Build_({'|'.join(MACHINES)})' or has({RECIPE})"
MACHINE_FIELDS: Final = (RECIPE, CLOCK, PRODUCING)


def machine_of(values: Mapping[str, object]) -> tuple[str, float, bool]:
    """Return recipe ("": none), clock (1 is 100 %), and whether it produces, of the `MACHINE_FIELDS` of a machine."""
    clock = values.get(CLOCK)
    shown = round(clock, 4) if isinstance(clock, float) else 1.0
    return short_name(path_of(values.get(RECIPE))), shown, values.get(PRODUCING) is True


def path_of(value: object) -> str:
    """Return the path that a reference leads to; "" of anything else."""
    return value.path_name if isinstance(value, ObjectReference) else ""


# --- power ---

CIRCUIT: Final = "class = FGPowerCircuit"
CIRCUIT_FIELDS: Final = ("mCircuitID", "mComponents")
#: Power connections of what a player has built, without a wire.
UNCONNECTED: Final = "class = FGPowerConnectionComponent and outer ~ '[.]Build_' and not (has(mWires) or has(mHiddenConnections))"


def circuit_of(values: Mapping[str, object]) -> tuple[object, int]:
    """Return the number of a circuit, and how many connections it has, of its `CIRCUIT_FIELDS`."""
    parts = values.get("mComponents")
    return values.get("mCircuitID", 0), len(parts) if isinstance(parts, list) else 0


# --- trains ---

TRAIN: Final = "class = BP_Train_C"
TIMETABLE: Final = "class = FGRailroadTimeTable"
STATION: Final = "class = FGTrainStationIdentifier"
#: The reference of a train to its timetable, before and since game 1.0.
TIMETABLES: Final = ("TimeTable", "mTimeTable")
TRAIN_FIELDS: Final = ("mStationName", "mStops", "mTrainName", *TIMETABLES)


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
MODDED: Final = "not class = '/Game/*' and not class = '/Script/FactoryGame.*'"
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
