"""`streamsave satisfactory`: what players ask of a world, each a selection and a sum.

What stores, machines, circuits, trains and mods are is in `streamsave.formats.satisfactory.game`.

The module is long because it has a command for each question.
"""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Final, TypeAlias

import click

from streamsave.cli.answers import Answer, OtherFile, Row, Where, answer_options, read_answers, sums_by_key, visit_worlds
from streamsave.cli.options import Saves, both, refuse, shown_name, shown_names_options
from streamsave.cli.output import report
from streamsave.cli.save import Save, open_input, selecting
from streamsave.cli.save_names import is_read_once
from streamsave.cli.text import quoted, short_class
from streamsave.consume.conditions import Selection
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import value_matches
from streamsave.consume.selected_object import SelectedObject
from streamsave.formats.satisfactory.game import (
    CIRCUIT,
    CLOSED_SWITCH,
    FIRST_VEHICLE,
    INPUTS,
    MACHINE,
    MACHINE_FIELDS,
    MODDED,
    OUTPUTS,
    POWER_FIELDS,
    POWER_INFO,
    POWERED,
    STACKS,
    STATION,
    STORE,
    STORED,
    STORES,
    TIMETABLE,
    TRAIN,
    TRAIN_FIELDS,
    UNCONNECTED,
    VEHICLE,
    Circuit,
    circuit_of,
    grids_of,
    holds_items,
    items_of,
    listed_mods,
    machine_of,
    mod_of,
    name_of,
    owner_of,
    path_of,
    power_of,
    produced_of,
    share,
    states_of,
    stops_of,
    timetable_of,
    why_idle,
)
from streamsave.report.names import amount

__all__ = ["CIRCUITS", "IDLE", "TRAINS", "UNWIRED", "command"]

#: The formats that have objects.
FORMATS: Final = ("Satisfactory save", "Satisfactory blueprint")
#: Columns of items in stores.
BY_STORE: Final = ("item", "count", "store", "name", "place")
#: x, y and z in centimetres; None: it has no place.
Position: TypeAlias = tuple[float, float, float] | None
#: Name, class and place of an actor.
Actor: TypeAlias = tuple[str, str, Position]


# --- rows ---


def stacks_of(save: Save, where: Selection | None) -> Iterator[tuple[SelectedObject, str, int]]:
    """Yield store, item and number of each stack."""
    for _, found in save.events.select(both(STORES, where), fields=[STACKS, STORED], sizes=False):
        for name, value in found.fields.items():
            for item, count in items_of(value) if holds_items(found.class_name, name) else ():
                yield found, item, count


def inventory_rows(save: Save, where: Selection | None, item: str = "") -> Iterator[Row]:
    """Yield item, number, stacks and stores of each item, or of those that are called so, the most frequent first."""
    last: dict[str, int] = {}

    def stacks() -> Iterator[tuple[str, tuple[float, ...]]]:
        for found, each, count in stacks_of(save, where):
            yield each, (count, 1, int(last.get(each) != found.offset))
            last[each] = found.offset

    sums = sums_by_key(stacks())
    rows = [(each, amount(each, count), *numbers) for each, (count, *numbers) in sums.items() if is_called(each, item)]
    report_absent(save, item, rows)
    yield from sorted(rows, key=lambda row: (-row[1], row[0]))


def store_rows(save: Save, where: Selection | None, item: str = "") -> Iterator[Row]:
    """Yield item, number, and class, name and place of the store, of each item in each store: the most frequent item first."""
    counts: Counter[tuple[str, str]] = Counter()
    for found, each, count in stacks_of(save, where):
        if is_called(each, item):
            # A component has no place; the Dimensional Depot, which is no component, has no building.
            counts[each, owner_of(found.instance_name) if found.position is None else found.instance_name] += count
    report_absent(save, item, counts)
    owners = positions(save, {name for _, name in counts})
    sums: Counter[str] = Counter()
    for (each, _), count in counts.items():
        sums[each] += count
    sizes = {each: amount(each, count) for each, count in sums.items()}
    for (each, name), count in sorted(counts.items(), key=lambda pair: (-sizes[pair[0][0]], pair[0][0], -pair[1], pair[0][1])):
        class_name, place = owners.get(name, ("", None))
        yield each, amount(each, count), class_name, name, place


def report_absent(save: Save, item: str, found: Collection[object]) -> None:
    """Say so if nothing was found of what the user calls an item."""
    if item and not found:
        report(save.label, f"no store has an item called {quoted(item)}")


def positions(save: Save, names: Collection[str]) -> dict[str, tuple[str, Position]]:
    """Return class and place of the actors with these names. The save is read again, but of most of it only headers."""
    with open_input(save.label) as again:
        found = again.events.select("kind = actor", sizes=False)
        return {
            each.instance_name: (short_class(each.class_name), each.position) for _, each in found if each.instance_name in names
        }


def is_called(class_name: str, text: str) -> bool:
    """Return whether the name of a class, or what people call it, has a text in it: in any case, spaces and `_` left out."""
    wanted, *names = (re.sub("[ _]", "", name).lower() for name in (text, class_name, shown_name(class_name)))
    return any(wanted in name for name in names)


def machine_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield class, recipe, clock, number, how many of them produce, and productivity, of all machines that are alike."""

    def machines() -> Iterator[tuple[tuple[str, str, float], tuple[float, ...]]]:
        for _, found in save.events.select(both(MACHINE, where), fields=MACHINE_FIELDS, sizes=False):
            recipe, clock, produces = machine_of(found.fields)
            yield (short_class(found.class_name), recipe, clock), (1, int(produces), *produced_of(found.fields))

    for kind, (count, producing, *seconds) in sorted(sums_by_key(machines()).items(), key=lambda each: (-each[1][0], each[0])):
        yield *kind, count, producing, share(*seconds)


def stored_in(found: SelectedObject) -> tuple[str, str, bool] | None:
    """Return owner, end of the name, and whether an item is in it, of an inventory of a machine; None of another one."""
    name = found.instance_name
    if not name.endswith((*INPUTS, *OUTPUTS)):
        return None
    owner = owner_of(name)
    return owner, name[len(owner) :], any(items_of(found.fields.get(STACKS)))


def actor_of(found: SelectedObject) -> Actor:
    """Return what is shown of a building: of a world of 400 MB, 60,000 are held."""
    return found.instance_name, found.class_name, found.position


def owner_name(found: SelectedObject) -> str:
    """Return the name of the actor that a component is of."""
    return owner_of(found.instance_name)


def circuit_in(found: SelectedObject) -> Circuit:
    """Return a circuit."""
    return circuit_of(found.fields)


#: Several answers take it.
instance_name: Final = attrgetter("instance_name")


def idle_rows(
    machines: list[SelectedObject],
    stores: list[tuple[str, str, bool]],
    unwired: list[str],
    circuits: list[Circuit],
    closed: list[str],
) -> Iterator[Row]:
    """Yield class, recipe, clock, productivity, why, name and place of each machine that was not producing."""
    stored: dict[str, dict[str, bool]] = {}
    for owner, end, has_items in stores:
        stored.setdefault(owner, {})[end] = has_items
    power = dict.fromkeys(unwired, "no wire")
    for circuit, state in zip(circuits, states_of(circuits, grids_of(circuits, set(closed))), strict=True):
        if state:
            power |= dict.fromkeys(circuit.owners, state)
    for found in machines:
        name = found.instance_name
        why = why_idle(found.class_name, found.fields, stored.get(name, {}), power.get(name, ""))
        recipe, clock, _ = machine_of(found.fields)
        yield short_class(found.class_name), recipe, clock, share(*produced_of(found.fields)), why, name, found.position


IDLE: Final = Answer(
    ("class", "recipe", "clock", "productivity", "why", "name", "place"),
    {
        MACHINE: lambda found: None if machine_of(found.fields)[2] else found,
        STORE: stored_in,
        UNCONNECTED: owner_name,
        CIRCUIT: circuit_in,
        CLOSED_SWITCH: instance_name,
    },
    (*MACHINE_FIELDS, STACKS, *POWER_FIELDS),
    idle_rows,
)


def circuit_rows(
    circuits: list[Circuit],
    infos: list[tuple[str, tuple[float, float]]],
    closed: list[str],
    actors: list[Actor],
) -> Iterator[Row]:
    """Yield the rows of `power`, the circuit with the most connections first."""
    powers = dict(infos)
    circuits = sorted(circuits, key=lambda circuit: (-circuit.size, str(circuit.number)))
    landmarks = [circuit.landmark() for circuit in circuits]
    places: dict[str, Position] = dict.fromkeys(landmarks)
    places.update((name, place) for name, _, place in actors if name in places)
    grids = grids_of(circuits, set(closed))
    for circuit, landmark, grid, state in zip(circuits, landmarks, grids, states_of(circuits, grids), strict=True):
        used = [powers[name] for name in circuit.owners if name in powers]
        capacity, demand = (round(sum(numbers), 2) for numbers in zip((0.0, 0.0), *used, strict=True))
        consumers = sum(demand > 0 for _, demand in used)
        about = circuit.number, circuit.size, circuit.generators(), capacity, consumers, demand
        yield *about, circuits[grid].number, state, places[landmark]


CIRCUITS: Final = Answer(
    ("circuit", "connections", "generators", "capacity", "consumers", "demand", "grid", "state", "place"),
    {
        CIRCUIT: circuit_in,
        POWER_INFO: lambda found: (owner_of(found.instance_name), power_of(found.fields)),
        CLOSED_SWITCH: instance_name,
        POWERED: actor_of,
    },
    POWER_FIELDS,
    circuit_rows,
)


def unconnected_rows(names: list[str], actors: list[Actor]) -> Iterator[Row]:
    """Yield class, name and place of each building with a power connection that has no wire."""
    rows: dict[str, Row] = {name: ("", name, None) for name in names}
    rows.update((name, (short_class(class_name), name, place)) for name, class_name, place in actors if name in rows)
    yield from rows.values()


UNWIRED: Final = Answer(
    ("class", "name", "place"),
    {
        UNCONNECTED: owner_name,
        POWERED: actor_of,
    },
    (),
    unconnected_rows,
)


def mod_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield mod, version, objects, bytes of their data, of each mod of the header or of a class; the most bytes first."""
    versions = dict(listed_mods(getattr(save.start().header, "mod_metadata", "")))
    objects = ((mod_of(found.class_name), (1, max(found.size, 0))) for _, found in save.events.select(both(MODDED, where)))
    sums = sums_by_key(chain(((mod, (0, 0)) for mod in versions), objects))
    for mod, (count, size) in sorted(sums.items(), key=lambda each: (-each[1][1], -each[1][0], each[0])):
        if mod:
            yield mod, versions.get(mod, ""), count, size


def mention_rows(save: Save, where: Selection | None) -> Iterator[Row]:
    """Yield mod, path, number, and class, name and place of the object, of what values in objects of others say of mods."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    if where is not None:
        save.events.only(where)
    for match in value_matches(save.events, None, mod_of, NeededText("^/")):
        of = match.header
        path = path_of(match.value) or str(match.value)
        mod = mod_of(path)
        if mod != mod_of(of.class_name):
            counts[mod, path, short_class(of.class_name), of.instance_name] += 1
    owners = positions(save, {owner for *_, name in counts for owner in (name, owner_of(name))})
    for (mod, path, class_name, name), count in sorted(counts.items()):
        place = owners.get(name, ("", None))[1] or owners.get(owner_of(name), ("", None))[1]
        yield mod, path, count, class_name, name, place


def train_rows(
    trains: list[tuple[str, str, str]],
    timetables: list[tuple[str, list[str]]],
    named: list[tuple[str, str]],
    placed: list[tuple[str, Position]],
) -> Iterator[Row]:
    """Yield name, number of stops, the stations of the stops in their order, and place of each train."""
    stops, stations, vehicles = dict(timetables), dict(named), dict(placed)
    for name, timetable, vehicle in sorted(trains):
        names = [stations.get(station, station) for station in stops.get(timetable, ())]
        yield name, len(names), " -> ".join(names), vehicles.get(vehicle)


TRAINS: Final = Answer(
    ("train", "stops", "stations", "place"),
    {
        TRAIN: lambda found: (name_of(found.fields), timetable_of(found.fields), path_of(found.fields.get(FIRST_VEHICLE))),
        TIMETABLE: lambda found: (found.instance_name, stops_of(found.fields)),
        STATION: lambda found: (found.instance_name, name_of(found.fields)),
        VEHICLE: lambda found: (found.instance_name, found.position),
    },
    TRAIN_FIELDS,
    train_rows,
)


# --- commands ---


@click.group("satisfactory", short_help="Items, machines, power, mods and trains of Satisfactory.")
def command() -> None:
    """Answer what players of Satisfactory ask of a world: in a pipe a row a line, with --json a JSON object.

    What the save does not say is not shown: a station without a name, the rate of a machine.
    """


def show(
    saves: Saves,
    where: Where,
    rows: Callable[[Save, Selection | None], Iterable[Row]],
    *,
    as_json: bool,
    twice: bool = False,
) -> int:
    """Write the rows of each world; `twice`: it is read again for the places of what was found."""
    refuse(twice and any(map(is_read_once, saves.arguments)), "A world is read twice, which a pipe cannot be.")

    def visit(name: str) -> int:
        with selecting(name), open_input(name) as save:
            kind = save.events.format.name
            if kind not in FORMATS:
                text = f"this command is for worlds and blueprints of Satisfactory; the file is of the format {kind}"
                raise (OtherFile if kind.startswith("Satisfactory") else OSError)(errno.EINVAL, text)
            where.write(save, rows(save, where.objects), several=saves.several, as_json=as_json)
        return 0

    return visit_worlds(saves, visit)


def show_answer(saves: Saves, where: tuple[str, ...], answer: Answer, *, as_json: bool) -> int:
    """Write the rows of an answer about each world."""
    return show(saves, Where(where, answer.columns), lambda save, only: read_answers(save, [answer], only)[0], as_json=as_json)


@command.command("find", short_help="Where an item is.")
@click.argument("item")
@answer_options
@shown_names_options
def find(saves: Saves, item: str, where: tuple[str, ...], as_json: bool) -> int:
    """List the stores with an ITEM: item, number, and class, name and place of the building, vehicle or player; the most first.

    ITEM is a part of the item's class or of what people call it, in any case: cement, "iron plate". Its sum: `inventory --item`.

    Columns in --where: item, count, store, name.
    """
    return show(saves, Where(where, BY_STORE), partial(store_rows, item=item), as_json=as_json, twice=True)


@command.command("inventory", short_help="All items in stores.")
@answer_options
@click.option("--item", default="", metavar="TEXT", help="Only items whose class, or what people call it, has TEXT in it.")
@click.option(
    "--by-store",
    "by_store_too",
    is_flag=True,
    help="List each item of each store: item, number, class, name and place of the store.",
)
@shown_names_options
def inventory(saves: Saves, where: tuple[str, ...], item: str, *, by_store_too: bool, as_json: bool) -> int:
    """Sum the items in all stores, or those that match: item, number, stacks, stores.

    A store is an inventory of a building, a vehicle, a player or a crate: --where 'outer ~ StorageContainer' takes those of
    containers. The Dimensional Depot is one store, with a stack for each item: --where 'class_name = FGCentralStorageSubsystem'
    takes it alone. Fluids count in cubic metres, as in the game; those of mods in litres, as in the save.

    Columns in --where: item, count, stacks, stores. They are compared after the sum. With --by-store item, count, store, name.

    Not counted: items on belts and lifts, items that lie on the ground, fluids in pipes and fluid buffers.
    """
    if by_store_too:
        return show(saves, Where(where, BY_STORE), partial(store_rows, item=item), as_json=as_json, twice=True)
    return show(saves, Where(where, ("item", "count", "stacks", "stores")), partial(inventory_rows, item=item), as_json=as_json)


@command.command("machines", short_help="Machines by class, recipe and clock.")
@answer_options
@click.option("--idle", is_flag=True, help="List those that were not producing, each with its place.")
@shown_names_options
def machines(saves: Saves, where: tuple[str, ...], *, idle: bool, as_json: bool) -> int:
    """Count the machines: class, recipe, clock, number, how many of them were producing when the game saved, productivity.

    The productivity is the part of the last five to ten minutes in which they produced; old games do not save it. Clock and
    productivity are numbers where 1 is 100 %.

    With --idle: class, recipe, clock, productivity, why, name, place of each machine that was not producing. Why, as far as the
    save says:

    \b
    paused        a player has switched it off
    no recipe     it needs one, and has none
    no wire       no power line leads to it
    no generator  its grid has none, and no power storage
    fuse out      that of its circuit
    no input      nothing is in it of what it takes
    output waits  it is full of output, or lacks another input

    Columns in --where: class, recipe, clock, count, producing, productivity; with --idle class, recipe, clock, productivity, why,
    name.
    """  # noqa: D301 - the mark is click's: it keeps these lines as they are
    if idle:
        return show_answer(saves, where, IDLE, as_json=as_json)
    about = ("class", "recipe", "clock", "count", "producing", "productivity")
    return show(saves, Where(where, about), machine_rows, as_json=as_json)


@command.command("power", short_help="Power circuits, or what is not connected.")
@answer_options
@click.option(
    "--unconnected", is_flag=True, help="List the buildings with a power connection that has no wire: class, name, place."
)
@shown_names_options
def power(saves: Saves, unconnected: bool, where: tuple[str, ...], as_json: bool) -> int:
    """List the power circuits: number, connections, generators, capacity, consumers, demand, grid, state, place.

    The capacity is what the generators could make when the game saved (one without fuel: nothing), the demand what the consumers
    took; both in megawatts. The grid is the largest circuit that closed switches join it to. The state is empty, "fuse out", or
    "no generator": its grid has none, and no power storage. The place is that of a generator, or else of another building in it.
    Machines without power: `machines --idle`.

    Columns in --where: those; with --unconnected class, name.
    """
    if unconnected:
        return show_answer(saves, where, UNWIRED, as_json=as_json)
    return show_answer(saves, where, CIRCUITS, as_json=as_json)


@command.command("mods", short_help="Mods, with the objects and bytes of each.")
@answer_options
@click.option("--mentions", is_flag=True, help="List what other objects say of mods: unlocked recipes, items in stores.")
def mods(saves: Saves, where: tuple[str, ...], *, mentions: bool, as_json: bool) -> int:
    """List the mods: name, version, objects of its classes, bytes of their data; the largest first.

    The version is that of the header, which lists the mods that were there when the game saved. A mod without one is not listed
    there: it may have been removed, and left objects; or it is a part of a mod, a module with a name of its own.

    With --mentions: what remains of mods in objects of the game or of other mods: mod, path, number, and class, name and place of
    the object whose values have the path.

    Columns in --where: mod, version, objects, bytes; with --mentions mod, path, mentions, class, name.
    """
    if mentions:
        columns = ("mod", "path", "mentions", "class", "name", "place")
        return show(saves, Where(where, columns), mention_rows, as_json=as_json, twice=True)
    return show(saves, Where(where, ("mod", "version", "objects", "bytes")), mod_rows, as_json=as_json)


@command.command("trains", short_help="Trains with their timetables.")
@answer_options
def trains(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the trains: name, number of stops, their stations in the order of the timetable, place of the first vehicle.

    Columns in --where: train, stops, stations.
    """
    return show_answer(saves, where, TRAINS, as_json=as_json)
