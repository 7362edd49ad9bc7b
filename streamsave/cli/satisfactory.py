"""`streamsave satisfactory`: what players ask of a world, as queries over its objects.

| command | reads |
|---|---|
| `inventory` | `mInventoryStacks` of all that stores items, and `mStoredItems` of the Dimensional Depot |
| `machines` | `mCurrentRecipe`, `mCurrentPotential` (the clock) and `mIsProducing` of what makes or extracts something |
| `power` | circuits, and power connections without a wire |
| `mods` | the list of mods in the header, and headers of objects whose class is in a folder of a mod |
| `trains` | trains, their timetables, and the stations in these |

Unreal saves no property that has its default value: a machine without a clock runs at 1, one without `mIsProducing` stands still.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.answers import Row, write_answers
from streamsave.cli.inputs import Saves, json_option, saves_argument, where_option
from streamsave.cli.limits import limit_option
from streamsave.cli.mentions import mod_of
from streamsave.cli.names_option import shown_names_options
from streamsave.cli.output import FAILED, report
from streamsave.cli.run import read_saves
from streamsave.cli.save import Save
from streamsave.cli.text import short_class
from streamsave.events import ObjectHeader, SaveStart
from streamsave.query.parser import parse_selection
from streamsave.report.items import DEPOT, STORED, depot_of, stacks_of
from streamsave.values import ObjectReference, Text

if TYPE_CHECKING:
    from streamsave.query.tests import Selection

__all__ = ["command"]

#: The formats that have objects.
FORMATS: Final = ("Satisfactory save", "Satisfactory blueprint")
STACKS: Final = "mInventoryStacks"
#: All that stores items.
STORES: Final = f"has({STACKS}) or (class = {DEPOT} and has({STORED}))"
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
CIRCUIT: Final = "class = FGPowerCircuit"
#: Of what a player has built.
POWER: Final = "class = FGPowerConnectionComponent and outer ~ '[.]Build_'"
WIRES: Final = ("mWires", "mHiddenConnections")
TRAIN: Final = "class = BP_Train_C"
TIMETABLE: Final = "class = FGRailroadTimeTable"
STATION: Final = "class = FGTrainStationIdentifier"
#: The reference of a train to its timetable, before and since game 1.0.
TIMETABLES: Final = ("TimeTable", "mTimeTable")
#: Columns with numbers.
NUMBERS: Final = ("count", "stacks", "stores", "clock", "producing", "circuit", "connections", "objects", "bytes", "stops")


# --- rows ---


def inventory_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield item, number, stacks and stores of each item, the most frequent first."""
    counts: Counter[str] = Counter()
    stacks: Counter[str] = Counter()
    stores: Counter[str] = Counter()
    for _, found in save.events.select(both(STORES, where), fields=[STACKS, STORED], sizes=False):
        items = set()
        depot = depot_of(found.fields.get(STORED)) if found.class_name.endswith(DEPOT) else ()
        for item, count in chain(stacks_of(found.fields.get(STACKS)), depot):
            counts[item] += count
            stacks[item] += 1
            items.add(item)
        stores.update(items)
    for item, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield item, count, stacks[item], stores[item]


def machine_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield class, recipe, clock, number, and how many of them produce, of all machines that are alike."""
    counts: Counter[tuple[str, str, float]] = Counter()
    producing: Counter[tuple[str, str, float]] = Counter()
    for _, found in save.events.select(both(MACHINE, where), fields=[RECIPE, CLOCK, PRODUCING], sizes=False):
        recipe, clock = found.fields.get(RECIPE), found.fields.get(CLOCK, 1.0)
        made = short_class(recipe.path_name) if isinstance(recipe, ObjectReference) else ""
        kind = short_class(found.class_name), made, round(clock, 4) if isinstance(clock, float) else 1.0
        counts[kind] += 1
        producing[kind] += found.fields.get(PRODUCING) is True
    for kind, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield *kind, count, producing[kind]


def circuit_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield number and connections of each circuit, the largest first."""
    fields = ["mCircuitID", "mComponents"]
    rows: list[tuple[int, object]] = []
    for _, found in save.events.select(both(CIRCUIT, where), fields=fields, sizes=False):
        parts = found.fields.get("mComponents")
        rows.append((len(parts) if isinstance(parts, list) else 0, found.fields.get("mCircuitID", 0)))
    for count, circuit in sorted(rows, key=lambda row: (-row[0], str(row[1]))):
        yield circuit, count


def unconnected_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield class and name of each building with a power connection that has no wire."""
    outers: dict[str, None] = {}
    for _, found in save.events.select(both(f"({POWER}) and not ({has_any(WIRES)})", where), sizes=False):
        outers[found.instance_name.rpartition(".")[0]] = None
    for name in outers:
        yield name.rpartition(".")[2].rpartition("_")[0], name


def mod_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield mod, version, objects, bytes of their data, of each mod of the header or of a class; the most bytes first."""
    start = next(save.events)
    assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event
    versions = dict(listed_mods(getattr(start.header, "mod_metadata", "")))
    if where is not None:
        save.events.only(where)
    counts: Counter[str] = Counter(dict.fromkeys(versions, 0))
    sizes: Counter[str] = Counter()
    for event in save.events:
        if isinstance(event, ObjectHeader):
            folder = mod_of(event.class_name)
            if folder and save.events.takes(event):
                counts[folder] += 1
                sizes[folder] += max(event.size, 0)
            if not save.events.holds_objects(event):
                save.events.skip()
    for mod, count in sorted(counts.items(), key=lambda each: (-sizes[each[0]], -each[1], each[0])):
        yield mod, versions.get(mod, ""), count, sizes[mod]


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


def train_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield name, number of stops, and the stations of the stops in their order, of each train."""
    stations: dict[str, str] = {}
    stops: dict[str, list[str]] = {}
    trains: list[tuple[str, str]] = []
    fields = ["mStationName", "mStops", "mTrainName", *TIMETABLES]
    for number, found in save.events.select(STATION, TIMETABLE, both(TRAIN, where), fields=fields, sizes=False):
        values = found.fields
        if number == 0:
            stations[found.instance_name] = text_of(values.get("mStationName"))
        elif number == 1:
            stops[found.instance_name] = list(stations_of(values.get("mStops")))
        else:
            paths = [path_of(values.get(name)) for name in TIMETABLES]
            trains.append((text_of(values.get("mTrainName")), next(filter(None, paths), "")))
    for name, timetable in sorted(trains):
        names = [stations.get(station, station) for station in stops.get(timetable, ())]
        yield name, len(names), " -> ".join(names)


def stations_of(value: object) -> Iterator[str]:
    """Yield the path of the station of each stop."""
    for stop in value if isinstance(value, list) else ():
        if isinstance(stop, dict):
            yield path_of(stop.get("Station"))


def path_of(value: object) -> str:
    """Return the path that a reference leads to; "" of anything else."""
    return value.path_name if isinstance(value, ObjectReference) else ""


def text_of(value: object) -> str:
    """Return what a player sees of a name."""
    return value.source or "" if isinstance(value, Text) else str(value or "")


def has_any(names: Iterable[str]) -> str:
    """Return a selection of what has one of these properties."""
    return " or ".join(f"has({name})" for name in names)


def both(selection: str, where: Selection | None) -> Selection:
    """Return the selection of a command, and what `--where` adds."""
    parsed = parse_selection(selection)
    return parsed if where is None else parsed & where


# --- commands ---


@click.group("satisfactory", short_help="Items, machines, power, mods and trains of Satisfactory.")
def command() -> None:
    """Answer what players of Satisfactory ask of a world: in a pipe a row a line, with --json a JSON object.

    What the save does not say is not shown: a station without a name, the rate of a machine.
    """


def show(
    saves: Saves,
    columns: tuple[str, ...],
    rows: Callable[[Save, Selection | None], Iterable[Row]],
    where: Selection | None,
    *,
    as_json: bool,
) -> int:
    """Write the rows of each world."""

    def work(save: Save) -> int:
        name = save.events.format.name
        if name not in FORMATS:
            report(save.label, f"this command is for worlds and blueprints of Satisfactory; the file is of the format {name}")
            return FAILED
        write_answers(save, columns, rows(save, where), numbers=NUMBERS, several=saves.several, as_json=as_json)
        return 0

    return read_saves(saves, work, summary=True)


@command.command("inventory", short_help="All items in stores.")
@saves_argument
@where_option
@json_option
@shown_names_options
@limit_option
def inventory(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """Sum the items in all stores, or those that match: item, number, stacks, stores.

    A store is an inventory of a building, a vehicle, a player or a crate: --where 'outer ~ StorageContainer' takes those of
    containers. The Dimensional Depot is one store, with a stack for each item: --where 'class = FGCentralStorageSubsystem' takes
    it alone. Fluids count in litres, as in the save: a thousand of them are a cubic metre.

    Not counted: items on belts and lifts, items that lie on the ground, fluids in pipes and fluid buffers.
    """
    return show(saves, ("item", "count", "stacks", "stores"), inventory_rows, where, as_json=as_json)


@command.command("machines", short_help="Machines by class, recipe and clock.")
@saves_argument
@where_option
@json_option
@shown_names_options
@limit_option
def machines(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """Count the machines: class, recipe, clock (1 is 100 %), number, how many of them were producing when the game saved."""
    return show(saves, ("class", "recipe", "clock", "count", "producing"), machine_rows, where, as_json=as_json)


@command.command("power", short_help="Power circuits, or what is not connected.")
@saves_argument
@click.option("--unconnected", is_flag=True, help="List the buildings with a power connection that has no wire: class, name.")
@where_option
@json_option
@limit_option
def power(saves: Saves, unconnected: bool, where: Selection | None, as_json: bool) -> int:
    """List the power circuits: number, connections."""
    if unconnected:
        return show(saves, ("class", "name"), unconnected_rows, where, as_json=as_json)
    return show(saves, ("circuit", "connections"), circuit_rows, where, as_json=as_json)


@command.command("mods", short_help="Mods, with the objects and bytes of each.")
@saves_argument
@where_option
@json_option
@limit_option
def mods(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """List the mods: name, version, objects of its classes, bytes of their data; the largest first.

    The version is that of the header, which lists the mods that were there when the game saved. A mod without one is not listed
    there: it may have been removed, and left objects.
    """
    return show(saves, ("mod", "version", "objects", "bytes"), mod_rows, where, as_json=as_json)


@command.command("trains", short_help="Trains with their timetables.")
@saves_argument
@where_option
@json_option
@limit_option
def trains(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """List the trains: name, number of stops, their stations in the order of the timetable."""
    return show(saves, ("train", "stops", "stations"), train_rows, where, as_json=as_json)
