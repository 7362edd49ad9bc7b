"""Hypothesis: saves and blueprints of shapez 2, as the writer takes them.

Values follow the writer's own tables of layouts, so a layout that is added there is drawn here, too.
"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from strategies import integers
from writer.shapez2 import Building, Island, Save, State
from writer.shapez2_codes import Blueprint
from writer.shapez2_samples import CONFIGURED_BUILDINGS, CONFIGURED_ISLANDS
from writer.shapez2_values import LAYOUTS, OPAQUE_STATES, STATES

Configuration = tuple[str, Any] | None

#: Strings have a length before them, so they may hold anything but lone surrogates.
strings = st.text(st.characters(codec="utf-8"), max_size=12)
texts = st.none() | strings
bytes_of_mods = st.binary(min_size=1, max_size=12)
longs = integers(64, signed=True)
ints = integers(32, signed=True)
shorts = integers(16, signed=True)
bytes_ = integers(8, signed=False)
floats = st.floats(width=32, allow_nan=False)

# --- small values ---

shapes = st.none() | st.tuples(st.just("Shape"), texts)
fluids = st.none() | st.tuples(st.just("Fluid"), bytes_.map(chr))


def packages(name: str, values: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Packages on the rails: of no amount there is nothing in one."""
    return shorts.flatmap(lambda amount: st.tuples(st.just(name), st.just(amount), values if amount else st.none()))


fluids_on_track = packages("FluidOnTrack", fluids)
shapes_on_track = packages("ShapeOnTrack", shapes)
items = st.one_of(shapes, st.tuples(st.just("FluidPackage"), fluids, longs), fluids_on_track, shapes_on_track)
signals = st.one_of(
    st.none(),
    st.sampled_from([("Signal", "Null", None), ("Signal", "Conflict", None), ("Signal", "Integer", 0), ("Signal", "Integer", 1)]),
    st.tuples(st.just("Signal"), st.just("Integer"), ints),
    st.tuples(st.just("Signal"), st.just("Item"), items),
    st.tuples(st.just("Signal"), st.just("Fluid"), fluids),
)
lanes = st.none() | st.tuples(st.just("LaneItem"), items, longs)
parts = st.fixed_dictionaries({"shape": texts, "layer": bytes_, "is_crystal": st.booleans()})
collapses = st.none() | st.fixed_dictionaries({"result": shapes, "parts": st.lists(parts, min_size=1, max_size=3)})
conduits = st.fixed_dictionaries(
    {"signals": st.lists(signals, max_size=4), "time": longs, "signal_time": longs, "is_dirty": st.booleans()}
)
coordinates = st.tuples(st.just("Coordinate"), ints, ints, shorts)
places = st.tuples(ints, ints, shorts)

#: By the words of the writer's layouts.
WORDS: dict[str, SearchStrategy[Any]] = {
    "u8": bytes_,
    "i16": shorts,
    "i32": ints,
    "i64": longs,
    "bool": st.booleans(),
    "f32": floats,
    "text": texts,
    "shape": shapes,
    "fluid": fluids,
    "item": items,
    "signal": signals,
    "lane": lanes,
    "collapse": collapses,
    "conduit": conduits,
    "gcc": coordinates,
    "fluids": fluids_on_track,
    "shapes": shapes_on_track,
}

#: Of so many fixed lanes, these are drawn; the others are the same again.
DRAWN_LANES = 2


@st.composite
def layouts(draw: st.DrawFn, layout: str, outer: dict[str, Any] | None = None) -> dict[str, Any]:
    """A value of a layout; its counts are small."""
    value: dict[str, Any] = {}
    for entry in layout.split():
        if not entry.startswith("!"):
            name, kind = entry.split(":", 1)
            value[name] = draw(st.integers(0, 2) if name.endswith("_count") else kinds(kind, {**(outer or {}), **value}))
    return value


def kinds(kind: str, fields: dict[str, Any]) -> SearchStrategy[Any]:
    """A value of a field, which may refer to those before it."""
    element, star, count = kind.rpartition("*")
    if star:
        number = int(count) if count.isdigit() else fields[count]
        drawn = min(number, DRAWN_LANES)
        return st.lists(kinds(element, fields), min_size=drawn, max_size=drawn).map(
            lambda some: list(itertools.islice(itertools.cycle(some), number))
        )
    if kind.startswith("{"):
        return kinds(kind[1:-1], fields)
    return layouts(LAYOUTS[kind], fields) if kind in LAYOUTS else WORDS[kind]


# --- what is in the world ---

#: By name.
CONFIGURATIONS: dict[str, SearchStrategy[Any]] = {
    "LabelConfig": texts,
    "SignalProducerConfig": signals,
    "ItemProducerConfig": items,
    "FluidProducerConfig": fluids,
    "ButtonConfig": st.booleans(),
    "CompareGateConfig": st.sampled_from(["Equal", "GreaterEqual", "Greater", "Less", "LessEqual", "NotEqual"]),
    "GlobalSignalReceiverConfig": st.tuples(st.just("Channel"), st.integers(0, 127), st.integers(0, (1 << 24) - 1)),
    "RailConfig": st.lists(integers(32, signed=False), max_size=3),
    # The writer has it as a signed number; it is a mask.
    "TrainUnloaderConfig": st.integers(0, (1 << 31) - 1),
}


def known(ids: dict[str, str]) -> SearchStrategy[tuple[str, Configuration]]:
    """An id that has a configuration, with or without one."""

    def configured(name: str) -> SearchStrategy[tuple[str, Configuration]]:
        configuration = st.tuples(st.just(ids[name]), CONFIGURATIONS[ids[name]])
        return st.tuples(st.just(name), st.none() | configuration)

    return st.sampled_from(sorted(ids)).flatmap(configured)


def unknown(ids: dict[str, str]) -> SearchStrategy[tuple[str, Configuration]]:
    """An unknown id, with bytes for a configuration."""
    names = strings.filter(lambda name: name not in ids)
    return st.tuples(names, st.none() | st.tuples(st.just("FutureConfig"), bytes_of_mods))


@st.composite
def buildings(draw: st.DrawFn) -> Building:
    """A building on an island."""
    name, configuration = draw(known(CONFIGURED_BUILDINGS) | unknown(CONFIGURED_BUILDINGS))
    return Building(name, draw(st.tuples(shorts, shorts, bytes_)), draw(bytes_), configuration)


@st.composite
def islands(draw: st.DrawFn) -> Island:
    """An island and what is on it."""
    name, configuration = draw(known(CONFIGURED_ISLANDS) | unknown(CONFIGURED_ISLANDS))
    return Island(name, draw(places), draw(bytes_), configuration, draw(st.lists(buildings(), max_size=3)))


@st.composite
def states(draw: st.DrawFn) -> State:
    """The state of an island or building: none, one of the known ones, or bytes."""
    kind = draw(st.none() | st.sampled_from(sorted(STATES)) | st.sampled_from([*OPAQUE_STATES, "FutureState"]))
    value: Any = None
    if kind is not None:
        value = draw(layouts(STATES[kind]) if kind in STATES else bytes_of_mods)
    return State(draw(strings), draw(places), kind, value)


# --- tables ---


def rows(values: dict[str, SearchStrategy[Any]], most: int = 2) -> SearchStrategy[list[dict[str, Any]]]:
    """So many rows at most."""
    return st.lists(st.fixed_dictionaries(values), max_size=most)


def counted(name: str, values: SearchStrategy[list[Any]]) -> SearchStrategy[dict[str, Any]]:
    """Rows after their number, by name: `{name}_count`, `{name}s`."""
    return values.map(lambda found: {f"{name}_count": len(found), f"{name}s": found})


def simulations() -> SearchStrategy[dict[str, Any]]:
    """The history of signals."""
    channels = st.tuples(st.just("Channel"), st.integers(0, 127), st.integers(0, (1 << 24) - 1))
    history = rows({"signal": signals, "time": longs}).map(lambda changes: {"value": changes})
    table = counted("channel", rows({"channel_id": channels, "history": history}))
    return st.tuples(longs, table).map(lambda both: {"now": both[0], **both[1]})


def cargos() -> SearchStrategy[dict[str, Any]]:
    """The stations of trains."""

    def stations(kind: str) -> SearchStrategy[dict[str, Any]]:
        # One has 21 belts: two are enough.
        found = rows({"position": coordinates, "state": layouts(LAYOUTS[kind])}, 1)
        return found.map(lambda some: {"count": len(some), "elements": some})

    kinds_of = {"loaders": "station", "unloaders": "station", "transfers": "transfer"}
    named = {
        f"{what}_{name}": stations("transfer" if kind == "transfer" else f"{what}station")
        for name, kind in kinds_of.items()
        for what in ("shape", "fluid")
    }
    return st.fixed_dictionaries(named).map(lambda all_of_them: {"cargo": all_of_them})


def resource_chunks() -> SearchStrategy[dict[str, Any]]:
    """Where shapes and fluids can be mined."""

    @st.composite
    def shape_rows(draw: st.DrawFn) -> dict[str, Any]:
        tiles = draw(rows({"x": ints, "y": ints}))
        some = [draw(texts) for _ in tiles]
        return {
            "type": draw(bytes_),
            "position": draw(coordinates),
            "tile_count": len(tiles),
            "shapes": some,
            "tiles": tiles,
        }

    tiles = rows({"x": ints, "y": ints})
    fluid_rows = rows({"type": bytes_, "position": coordinates, "fluid": fluids, "tiles": tiles})
    both = st.tuples(counted("shape", st.lists(shape_rows(), max_size=2)), counted("fluid", fluid_rows))
    resources = both.map(lambda two: two[0] | two[1])
    return counted("chunk", rows({"x": ints, "y": ints, "resources": resources}))


def trains() -> SearchStrategy[dict[str, Any]]:
    """Where trains are going, and what they carry."""
    wagon = {
        "entry": coordinates,
        "exit": coordinates,
        "entry_direction": bytes_,
        "exit_direction": bytes_,
        "is_upside_down": st.booleans(),
        "state": bytes_,
        "progress": floats,
        "wait": floats,
    }
    navigation = st.fixed_dictionaries(
        {
            "color": texts,
            "progress": floats,
            "state": bytes_,
            "is_upside_down": st.booleans(),
            "wagons": rows(wagon),
            "velocity": floats,
            "maximum_speed_ahead": floats,
            "acceleration": floats,
            "chunks_until_stop": floats,
            "is_stopped": st.booleans(),
            "was_stopped": st.booleans(),
            "stop_time": longs,
            "reserved": rows({"position": coordinates, "is_under": st.booleans()}),
        }
    )

    def holds(packed: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
        hold = rows({"capacity": shorts, "packages": st.lists(packed, max_size=2)})
        return rows({"wagon": ints, "holds": hold}).map(lambda found: {"value": found})

    data = st.fixed_dictionaries(
        {
            "navigation": navigation,
            "parent": coordinates,
            "fluids": holds(fluids_on_track),
            "shapes": holds(shapes_on_track),
        }
    )
    return counted("train", rows({"data": data}))


def statistics() -> SearchStrategy[dict[str, Any]]:
    """What was delivered: lately, in five spans of time, in all; and three gauges."""

    def half(keys: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
        bucket = st.lists(st.tuples(keys, longs), max_size=2)
        spans = st.tuples(st.lists(bucket, max_size=2), ints, ints, longs).map(
            lambda four: {
                "last_bucket": four[1],
                "capacity": four[2],
                "interval": four[3],
                "bucket_count": len(four[0]),
                "buckets": {"buckets": four[0]},
            }
        )
        gauge = st.fixed_dictionaries({"version": ints, "start": ints, "count": ints})
        totals = bucket.map(lambda pairs: {"value": pairs})
        trackers = st.tuples(*[spans] * 5, totals, *[gauge] * 3).map(list)
        entries = st.lists(st.tuples(keys, rows({"time": longs, "amount": bytes_})), max_size=2)
        return st.fixed_dictionaries({"stream": st.fixed_dictionaries({"total": ints, "entries": entries}), "trackers": trackers})

    return st.fixed_dictionaries({"shapes": half(shapes), "rockets": half(texts)})


# --- whole saves and codes ---

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(strings, json_values, max_size=3)
#: What the save itself is read by.
SUMMARY_KEYS = frozenset(Save().savegame())


@st.composite
def saves(draw: st.DrawFn) -> Save:
    """A whole save: bundles of islands and states, each table or none, members of mods."""
    bundles = draw(st.lists(st.lists(islands(), max_size=3), max_size=2))
    doing = draw(st.lists(st.tuples(st.lists(states(), max_size=2), st.lists(states(), max_size=3)), max_size=2))
    summary = draw(json_objects)
    tables = [table() for table in (simulations, cargos, resource_chunks, trains, statistics)]
    simulation, cargo, chunks, train, delivered = (draw(st.none() | table) for table in tables)
    return Save(
        version=draw(st.integers(1125, 1138)),
        checkpoints=draw(st.booleans()),
        padded=draw(st.booleans()),
        name=draw(strings),
        summary={key: value for key, value in summary.items() if key not in SUMMARY_KEYS},
        research=draw(json_objects),
        player=draw(json_objects),
        islands=[(len(bundle), bundle) for bundle in bundles],
        states=[(of_islands, len(of_buildings), of_buildings) for of_islands, of_buildings in doing],
        simulation=simulation,
        cargo=cargo,
        resource_chunks=chunks,
        trains=train,
        statistics=delivered,
        extra=draw(st.dictionaries(st.sampled_from(["mod.json", "maps/main/notes.bin"]), st.binary(max_size=20))),
    )


@st.composite
def blueprints(draw: st.DrawFn) -> Blueprint:
    """A blueprint of islands or of buildings, in any envelope."""
    entries: list[Any] = draw(st.lists(islands(), min_size=1, max_size=3) | st.lists(buildings(), max_size=4))
    return Blueprint(
        entries,
        draw(st.integers(1, 5)),
        draw(st.none() | st.integers(1, 1138)),
        draw(st.just([]) | st.lists(texts, min_size=4, max_size=4)),
        backwards=draw(st.booleans()),
        indent=draw(st.none() | st.integers(0, 3)),
    )
