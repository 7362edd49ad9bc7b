"""What a world of Satisfactory says, by the rules of the game in a few lines: a second way to each number.

The objects come from JSON, or from `satisfactory-save`, which reads saves since version 41. What is of a circuit is found by its
wires, and what a machine needs by its references. Rows are those of `streamsave satisfactory COMMAND --json`, without labels.

The module is long because it has functions for each command.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

Json = dict[str, Any]
FLUIDS: Final = re.compile(
    "Desc_(Water|(Heavy)?(LiquidOil|OilResidue)|Liquid(Bio|Turbo)?[Ff]uel|TurboFuel|RocketFuel|IonizedFuel|AluminaSolution"
    "|SulfuricAcid|NitrogenGas|NitricAcid|DissolvedSilica|QuantumEnergy|DarkEnergy|LiquidTurboFuel)_C"
)
#: Machines that make something by a recipe, and others.
MAKER: Final = re.compile(
    "Build_(Assembler|Blender|Constructor|Converter|Foundry|HadronCollider|Manufacturer|OilRefinery|Packager|QuantumEncoder|Smelter)"
)
MACHINE: Final = re.compile(f"{MAKER.pattern}|Build_(Fracking|Generator|Miner|OilPump|WaterPump)")
#: Modules of the game, which no mod has.
MODULES: Final = frozenset(("FactoryGame", "FactoryDedicatedServer", "Engine", "CoreUObject"))
#: Of which time a machine was watched.
SPANS: Final = ("Last", "Current")
#: Properties that the rules need.
WANTED: Final = frozenset(
    (
        *("mInventoryStacks", "mStoredItems", "mInputInventory", "mFuelInventory", "mOutputInventory"),
        *("mCurrentRecipe", "mCurrentPotential", "mIsProducing", "mIsProductionPaused"),
        *("mWires", "mHiddenConnections", "mIsSwitchOn", "mCircuitID", "mComponents", "mIsFuseTriggered"),
        *("mTargetConsumption", "mDynamicProductionCapacity", "mBaseProduction"),
        *("TimeTable", "mTimeTable", "mStops", "mStationName", "mTrainName", "FirstVehicle"),
        *(f"m{span}ProductivityMeasurement{what}Duration" for span in SPANS for what in ("", "Produce")),
    )
)
WIRED: Final = ("mWires", "mHiddenConnections")
SOURCE: Final = re.compile("[.]Build_(Generator|PowerStorage)")
SWITCH: Final = re.compile("Build_.*PowerSwitch")


class Refused(Exception):
    """The package does not read such a world."""


class Thing(NamedTuple):
    """An object: references are paths, items are the paths of their classes."""

    class_name: str
    name: str
    #: The object that it is a part of.
    outer: str
    metres: list[float] | None
    values: Json

    @property
    def short(self) -> str:
        """Its class without folders."""
        return last(self.class_name)


def last(path: str | None) -> str:
    """Return the last part of a path."""
    return (path or "").rpartition(".")[2]


# --- objects from two readers ---


def plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return JSON of `streamsave` with references, items and texts as strings."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    for name in ("path_name", "item", "source"):
        if name in value:
            return plain(value[name])
    return {name: plain(each) for name, each in value.items()}


def from_json(rows: Iterable[Json]) -> Iterator[Thing]:
    """Yield the objects of the rows of `json --ndjson`."""
    for row in rows:
        metres = [side / 100 for side in row["transform"]["translation"]] if row["transform"] else None
        yield Thing(row["class_name"], row["instance_name"], row["outer"], metres, plain(row["properties"]))


def told(value: Any) -> Any:  # noqa: ANN401 - of the package
    """Return a value of the package as JSON."""
    for name in ("PathName", "ItemClass", "string", "Data", "Values", "Value"):
        if hasattr(value, name):
            return told(getattr(value, name))
    if isinstance(value, (str, int, float)) or not hasattr(value, "__iter__"):
        return value
    parts = list(value)
    return {part.Name.toString(): told(part) for part in parts} if hasattr(value, "get") else [told(part) for part in parts]


def from_package(path: Path) -> Iterator[Thing]:
    """Yield the objects of a save as `satisfactory-save` reads them.

    Raises:
        ImportError: the package is not installed.
        Refused: it does not read such a save.
    """
    package = import_module("satisfactory_save")
    output = os.dup(1)
    os.dup2(2, 1)  # the package writes warnings there
    try:
        found = package.SaveGame(str(path)).allSaveObjects()
    except (RuntimeError, ValueError) as error:
        raise Refused(f"satisfactory-save refuses it: {error}"[:100]) from error
    finally:
        os.dup2(output, 1)
        os.close(output)
    for one in found:
        header, metres, outer = one.Header, None, ""
        values = {part.Name.toString(): told(part) for part in one.Object.Properties if part.Name.toString() in WANTED}
        if one.isActor():
            place = header.Transform.Translation
            metres = [place.X / 100, place.Y / 100, place.Z / 100]
        else:
            outer = header.OuterPathName
        name = one.BaseHeader.Reference.PathName
        yield Thing(one.BaseHeader.ClassName, name, outer, metres, values)


# --- the rules ---


def mod_of(path: str) -> str:
    """Return the mod that a class is of; "" for the game's own, and for what is no class."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] or parts[1] in {"Game", ""}:
        return ""
    module = parts[2].partition(".")[0]
    return parts[1] if parts[1] != "Script" else "" if module in MODULES else module


def stacks_of(thing: Thing) -> Iterator[tuple[str, int]]:
    """Yield item and number of each stack that is not empty."""
    stacks = thing.values.get("mInventoryStacks") or []
    if thing.short == "FGCentralStorageSubsystem":
        stacks = thing.values.get("mStoredItems") or []
    for stack in stacks:
        of = {name.lower(): value for name, value in stack.items()} if isinstance(stack, dict) else {}
        item, count = of.get("item", of.get("itemclass")), of.get("numitems", of.get("amount", 0))
        if item and count > 0:
            yield last(item), count


def amount(item: str, count: int) -> float:
    """Return how much there is of an item: fluids are stored in litres."""
    return count / 1000 if FLUIDS.fullmatch(item) else count


class SecondFactory:
    """A world of Satisfactory, with the rows of each command.

    Args:
        things: its objects.
    """

    def __init__(self, things: Iterable[Thing]) -> None:
        self.things = list(things)
        self.by_name = {thing.name: thing for thing in self.things}
        self._machines = [each for each in self.things if MACHINE.match(each.short) or "mCurrentRecipe" in each.values]
        connections = [each for each in self.things if each.short == "FGPowerConnectionComponent"]
        self._loose = [each for each in connections if ".Build_" in each.outer and not any(name in each.values for name in WIRED)]
        self._wires: defaultdict[str, set[str]] = defaultdict(set)
        for thing in self.things:
            for wire in [wire for name in WIRED for wire in thing.values.get(name, ())]:
                self._wires[wire].add(thing.name)
                self._wires[thing.name].add(wire)
        self._switches: defaultdict[str, set[str]] = defaultdict(set)
        for each in connections:
            switch = self.by_name.get(each.outer)
            if switch is not None and SWITCH.match(switch.short) and switch.values.get("mIsSwitchOn") is True:
                self._switches[each.outer].add(each.name)
                self._switches[each.name].add(each.outer)

    def place(self, name: str) -> list[float] | None:
        """Return where an object is, if it is there, and is a thing with a place."""
        return self.by_name[name].metres if name in self.by_name else None

    def _joined(self, start: str, *links: Mapping[str, set[str]]) -> set[str]:
        """Return all that these links lead to."""
        found, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            new = {each for link in links for each in link.get(here, ())} - found
            found |= new
            waiting += new
        return found

    def inventory(self) -> Iterator[Json]:
        """Yield the rows of `inventory`."""
        stacks = [(item, count, thing.name) for thing in self.things for item, count in stacks_of(thing)]
        for item in {item for item, _, _ in stacks}:
            counts = [(count, store) for each, count, store in stacks if each == item]
            count = amount(item, sum(count for count, _ in counts))
            yield {"item": item, "count": count, "stacks": len(counts), "stores": len({store for _, store in counts})}

    def stores(self) -> Iterator[Json]:
        """Yield the rows of `inventory --by-store`, and of `find` for any item. A component has no place; its building has."""
        sums: Counter[tuple[str, str]] = Counter()
        for thing in self.things:
            for item, count in stacks_of(thing):
                sums[item, thing.outer if thing.metres is None else thing.name] += count
        for (item, name), count in sums.items():
            store = self.by_name.get(name) if self.place(name) is not None else None
            about = {"item": item, "count": amount(item, count), "store": store.short if store else ""}
            yield {**about, "name": name, "position_metres": store.metres if store else None}

    def _about(self, machine: Thing) -> tuple[str, str, float]:
        clock = round(machine.values.get("mCurrentPotential", 1.0), 4)
        return machine.short, last(machine.values.get("mCurrentRecipe")), clock

    def _productivity(self, machines: Iterable[Thing]) -> float | None:
        produced, watched = (
            sum(each.values.get(f"m{span}ProductivityMeasurement{what}Duration", 0) for each in machines for span in SPANS)
            for what in ("Produce", "")
        )
        return round(produced / watched, 4) if watched else None

    def machines(self) -> Iterator[Json]:
        """Yield the rows of `machines`."""
        alike: defaultdict[tuple[str, str, float], list[Thing]] = defaultdict(list)
        for each in self._machines:
            alike[self._about(each)].append(each)
        for about, found in alike.items():
            producing = sum(each.values.get("mIsProducing") is True for each in found)
            counts = {"count": len(found), "producing": producing, "productivity": self._productivity(found)}
            yield {**dict(zip(("class", "recipe", "clock"), about, strict=True)), **counts}

    def idle(self) -> Iterator[Json]:
        """Yield the rows of `machines --idle`."""
        power = {each.outer: "no wire" for each in self._loose}
        for parts, row in self._circuits():
            power |= {self._owner(part): row["state"] for part in parts if row["state"]}
        for each in self._machines:
            if each.values.get("mIsProducing") is not True:
                about = dict(zip(("class", "recipe", "clock"), self._about(each), strict=True))
                why = {"productivity": self._productivity([each]), "why": self._why(each, power.get(each.name, ""))}
                yield {**about, **why, "name": each.name, "position_metres": each.metres}

    def _why(self, machine: Thing, power: str) -> str:
        """Return why a machine does nothing: the first reason of the list in the command's help."""
        if machine.values.get("mIsProductionPaused") is True:
            return "paused"
        if MAKER.match(machine.short) and not machine.values.get("mCurrentRecipe"):
            return "no recipe"
        if power:
            return power
        holds = {
            name: any(stacks_of(self.by_name[path]))
            for name in ("mInputInventory", "mFuelInventory", "mOutputInventory")
            for path in [machine.values.get(name)]
            if path in self.by_name
        }
        waits = holds.pop("mOutputInventory", False)
        return "no input" if not all(holds.values()) else "output waits" if waits else ""

    def _owner(self, part: str) -> str:
        return self.by_name[part].outer if part in self.by_name else part.rpartition(".")[0]

    def _circuits(self) -> list[tuple[set[str], Json]]:
        """Return the connections of each circuit, which are what wires join, and its row without its place."""
        circuits: list[tuple[Thing, set[str]]] = []
        for each in self.things:
            if each.short == "FGPowerCircuit":
                listed = each.values.get("mComponents", [])
                joined = self._joined(listed[0], self._wires) if listed else set()
                parts = {part for part in joined if part in listed or self.by_name[part].short.endswith("ConnectionComponent")}
                circuits.append((each, parts))
        infos = {each.outer: each.values for each in self.things if each.short == "FGPowerInfoComponent"}
        numbers = {each.name: each.values.get("mCircuitID", 0) for each, _ in circuits}
        found = []
        for circuit, parts in circuits:
            grid = self._joined(min(parts), self._wires, self._switches) if parts else set()
            in_grid = [(-len(some), str(numbers[each.name])) for each, some in circuits if some & grid or each is circuit]
            has_source = any(SOURCE.search(self._owner(part)) for part in grid)
            owners = {self._owner(part) for part in parts}
            used = [infos[owner] for owner in owners if owner in infos]
            demands = [info.get("mTargetConsumption", 0) for info in used]
            capacities = [info.get(name, 0) for info in used for name in ("mDynamicProductionCapacity", "mBaseProduction")]
            fuse = circuit.values.get("mIsFuseTriggered") is True
            row = {
                "circuit": numbers[circuit.name],
                "connections": len(parts),
                "generators": sum(".Build_Generator" in owner for owner in owners),
                "capacity": round(sum(capacities, 0.0), 2),
                "consumers": sum(demand > 0 for demand in demands),
                "demand": round(sum(demands, 0.0), 2),
                "grid": int(min(in_grid)[1]),
                "state": "fuse out" if fuse else "" if has_source else "no generator",
            }
            found.append((parts, row))
        return found

    def power(self) -> Iterator[Json]:
        """Yield the rows of `power`: each at a building that may give power, or else another one, the first by name."""
        for parts, row in self._circuits():
            owners = {self._owner(part) for part in parts}
            first = min(filter(SOURCE.search, owners), default=min(owners, default=""))
            yield {**row, "position_metres": self.place(first)}

    def unconnected(self) -> Iterator[Json]:
        """Yield the rows of `power --unconnected`."""
        for name in dict.fromkeys(each.outer for each in self._loose):
            short = self.by_name[name].short if name in self.by_name else ""
            yield {"class": short, "name": name, "position_metres": self.place(name)}

    def trains(self) -> Iterator[Json]:
        """Yield the rows of `trains`."""
        for each in self.things:
            if each.short == "BP_Train_C":
                table = self.by_name.get(each.values.get("TimeTable") or each.values.get("mTimeTable") or "")
                paths = [stop["Station"] for stop in (table.values.get("mStops", ()) if table else ())]
                names = [self.by_name[path].values.get("mStationName", "") if path in self.by_name else path for path in paths]
                first = each.values.get("FirstVehicle") or ""
                about = {"train": each.values.get("mTrainName") or "", "stops": len(names), "stations": " -> ".join(names)}
                yield {**about, "position_metres": self.place(first)}


def mods(listed: Json, rows: Iterable[Json]) -> Iterator[Json]:
    """Yield the rows of `mods`, of the mods that the header lists, and of the rows of `ls`."""
    objects: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for row in rows:
        objects[mod_of(row["class_name"])] += 1
        sizes[mod_of(row["class_name"])] += row["size"]
    versions = {mod["Reference"]: mod["Version"] for mod in listed.get("Mods", ())}
    for mod in {*versions, *objects} - {""}:
        yield {"mod": mod, "version": versions.get(mod, ""), "objects": objects[mod], "bytes": sizes[mod]}


def mentions(rows: Iterable[Json], world: SecondFactory) -> Iterator[Json]:
    """Yield the rows of `mods --mentions`, of the rows of `json --ndjson`."""
    for row in rows:
        thing = world.by_name[row["instance_name"]]
        values = [value for name, value in row.items() if name not in ABOUT]
        for path, count in Counter(paths_in(values, mod_of(row["class_name"]))).items():
            place = thing.metres or world.place(thing.outer)
            about = {"mod": mod_of(path), "path": path, "mentions": count, "class": thing.short, "name": thing.name}
            yield {**about, "position_metres": place}


#: What says where an object is, and whose it is, not what its values are.
ABOUT: Final = ("kind", "class_name", "instance_name", "path", "level", "outer")


def paths_in(value: object, own: str) -> Iterator[str]:
    """Yield the paths of mods in a value; `own`: the mod of the object that it is in."""
    if isinstance(value, str):
        if value.startswith("/") and mod_of(value) not in {"", own}:
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from paths_in(each, own)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key == "instances" and "buildable_class" in value:  # objects, of which JSON has the class once
                yield from paths_in(each, mod_of(value["buildable_class"]["path_name"]))
            elif key != "level_name":
                yield from paths_in(each, own)
