"""`streamsave satisfactory`: what players ask of a world, each a selection and a sum.

What stores, machines, circuits, trains and mods are is in `streamsave.formats.satisfactory.game`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import click

from streamsave.cli.answers import Row, Where, answer_options
from streamsave.cli.options import Saves, both, shown_names_options
from streamsave.cli.output import FAILED, report
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import short_class
from streamsave.consume.conditions import Selection
from streamsave.formats.satisfactory.game import (
    CIRCUIT,
    CIRCUIT_FIELDS,
    MACHINE,
    MACHINE_FIELDS,
    MODDED,
    STACKS,
    STATION,
    STORED,
    STORES,
    TIMETABLE,
    TRAIN,
    TRAIN_FIELDS,
    UNCONNECTED,
    circuit_of,
    holds_items,
    items_of,
    listed_mods,
    machine_of,
    mod_of,
    name_of,
    stops_of,
    timetable_of,
)

__all__ = ["command"]

#: The formats that have objects.
FORMATS: Final = ("Satisfactory save", "Satisfactory blueprint")
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
        for name, value in found.fields.items():
            for item, count in items_of(value) if holds_items(found.class_name, name) else ():
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
    for _, found in save.events.select(both(MACHINE, where), fields=MACHINE_FIELDS, sizes=False):
        recipe, clock, produces = machine_of(found.fields)
        kind = short_class(found.class_name), recipe, clock
        counts[kind] += 1
        producing[kind] += produces
    for kind, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield *kind, count, producing[kind]


def circuit_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield number and connections of each circuit, the largest first."""
    found = save.events.select(both(CIRCUIT, where), fields=CIRCUIT_FIELDS, sizes=False)
    yield from sorted([circuit_of(each.fields) for _, each in found], key=lambda row: (-row[1], str(row[0])))


def unconnected_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield class and name of each building with a power connection that has no wire."""
    found = save.events.select(both(UNCONNECTED, where), sizes=False)
    for name in dict.fromkeys(each.instance_name.rpartition(".")[0] for _, each in found):
        yield name.rpartition(".")[2].rpartition("_")[0], name


def mod_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield mod, version, objects, bytes of their data, of each mod of the header or of a class; the most bytes first."""
    start = save.start()
    versions = dict(listed_mods(getattr(start.header, "mod_metadata", "")))
    counts: Counter[str] = Counter(dict.fromkeys(versions, 0))
    sizes: Counter[str] = Counter()
    for _, found in save.events.select(both(MODDED, where)):
        mod = mod_of(found.class_name)
        if mod:
            counts[mod] += 1
            sizes[mod] += max(found.size, 0)
    for mod, count in sorted(counts.items(), key=lambda each: (-sizes[each[0]], -each[1], each[0])):
        yield mod, versions.get(mod, ""), count, sizes[mod]


def train_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield name, number of stops, and the stations of the stops in their order, of each train."""
    stations: dict[str, str] = {}
    stops: dict[str, list[str]] = {}
    trains: list[tuple[str, str]] = []
    for number, found in save.events.select(STATION, TIMETABLE, both(TRAIN, where), fields=TRAIN_FIELDS, sizes=False):
        if number == 0:
            stations[found.instance_name] = name_of(found.fields)
        elif number == 1:
            stops[found.instance_name] = stops_of(found.fields)
        else:
            trains.append((name_of(found.fields), timetable_of(found.fields)))
    for name, timetable in sorted(trains):
        names = [stations.get(station, station) for station in stops.get(timetable, ())]
        yield name, len(names), " -> ".join(names)


# --- commands ---


@click.group("satisfactory", short_help="Items, machines, power, mods and trains of Satisfactory.")
def command() -> None:
    """Answer what players of Satisfactory ask of a world: in a pipe a row a line, with --json a JSON object.

    What the save does not say is not shown: a station without a name, the rate of a machine.
    """


def show(saves: Saves, where: Where, rows: Callable[[Save, Selection | None], Iterable[Row]], *, as_json: bool) -> int:
    """Write the rows of each world."""

    def work(save: Save) -> int:
        name = save.events.format.name
        if name not in FORMATS:
            report(save.label, f"this command is for worlds and blueprints of Satisfactory; the file is of the format {name}")
            return FAILED
        where.write(save, rows(save, where.objects), numbers=NUMBERS, several=saves.several, as_json=as_json)
        return 0

    return read_saves(saves, work, summary=True)


@command.command("inventory", short_help="All items in stores.")
@answer_options
@shown_names_options
def inventory(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """Sum the items in all stores, or those that match: item, number, stacks, stores.

    A store is an inventory of a building, a vehicle, a player or a crate: --where 'outer ~ StorageContainer' takes those of
    containers. The Dimensional Depot is one store, with a stack for each item: --where 'class = FGCentralStorageSubsystem' takes
    it alone. Fluids count in litres, as in the save: a thousand of them are a cubic metre.

    Columns in --where: item, count, stacks, stores. They are compared after the sum.

    Not counted: items on belts and lifts, items that lie on the ground, fluids in pipes and fluid buffers.
    """
    return show(saves, Where(where, ("item", "count", "stacks", "stores")), inventory_rows, as_json=as_json)


@command.command("machines", short_help="Machines by class, recipe and clock.")
@answer_options
@shown_names_options
def machines(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """Count the machines: class, recipe, clock (1 is 100 %), number, how many of them were producing when the game saved.

    Columns in --where: recipe, clock, count, producing.
    """
    return show(saves, Where(where, ("class", "recipe", "clock", "count", "producing")), machine_rows, as_json=as_json)


@command.command("power", short_help="Power circuits, or what is not connected.")
@answer_options
@click.option("--unconnected", is_flag=True, help="List the buildings with a power connection that has no wire: class, name.")
def power(saves: Saves, unconnected: bool, where: tuple[str, ...], as_json: bool) -> int:
    """List the power circuits: number, connections.

    Columns in --where: circuit, connections; with --unconnected class, name.
    """
    if unconnected:
        columns = ("class", "name")
        return show(saves, Where(where, columns, own=columns), unconnected_rows, as_json=as_json)
    return show(saves, Where(where, ("circuit", "connections")), circuit_rows, as_json=as_json)


@command.command("mods", short_help="Mods, with the objects and bytes of each.")
@answer_options
def mods(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the mods: name, version, objects of its classes, bytes of their data; the largest first.

    The version is that of the header, which lists the mods that were there when the game saved. A mod without one is not listed
    there: it may have been removed, and left objects; or it is a part of a mod, a module with a name of its own.

    Columns in --where: mod, version, objects, bytes.
    """
    return show(saves, Where(where, ("mod", "version", "objects", "bytes")), mod_rows, as_json=as_json)


@command.command("trains", short_help="Trains with their timetables.")
@answer_options
def trains(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the trains: name, number of stops, their stations in the order of the timetable.

    Columns in --where: train, stops, stations.
    """
    return show(saves, Where(where, ("train", "stops", "stations")), train_rows, as_json=as_json)
