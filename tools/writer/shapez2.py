"""Saves of shapez 2: values -> `.spz2`, member by member, so that a big one needs no memory but for its table of strings.

What a save is made of and how each member of it is written are in one place: they are the same list, read twice.
The module is long because it has all members of a save.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from attrs import define, field

from writer.shapez2_values import STATES, Out, Value, configuration_bytes, put_kind, put_layout

#: Every archive is written at the same moment, so that the same values make the same bytes.
MOMENT = (2026, 1, 1, 0, 0, 0)
LEAST_BUFFER = 256

Place = tuple[int, int, int]


@define
class Building:
    """A building: its place on its island, and its configuration as name and value."""

    id: str
    place: Place = (0, 0, 0)
    rotation: int = 0
    configuration: tuple[str, Value] | None = None


@define
class Island:
    """An island and what is on it."""

    id: str
    place: Place = (0, 0, 0)
    rotation: int = 0
    configuration: tuple[str, Value] | None = None
    buildings: list[Building] = field(factory=list)


@define
class State:
    """What an island or building does: `kind` is a serialization id, or None; an unknown one has bytes for a value."""

    id: str
    place: Place = (0, 0, 0)
    kind: str | None = None
    value: Value = None


@define
class Save:
    """A whole save. Bundles of islands and states may be generators."""

    version: int = 1138
    checkpoints: bool = True
    padded: bool = True
    name: str = "made up"
    summary: dict[str, Any] = field(factory=dict)
    research: dict[str, Any] = field(factory=dict)
    player: dict[str, Any] = field(factory=dict)
    islands: list[tuple[int, Iterable[Island]]] = field(factory=list)
    states: list[tuple[list[State], int, Iterable[State]]] = field(factory=list)
    simulation: Value = None
    cargo: Value = None
    resource_chunks: Value = None
    trains: Value = None
    statistics: Value = None
    extra: dict[str, bytes] = field(factory=dict)
    #: Names of members in the order of the archive, if not the game's.
    order: Callable[[str], Any] | None = None

    def savegame(self) -> dict[str, Any]:
        """What is in `savegame.json`."""
        return {
            "Version": self.version,
            "BinaryDataCheckpoints": self.checkpoints,
            "SavegameName": self.name,
            "TotalPlaytime": 3723.5,
            "StructureCount": 17,
            "ResearchProgress": 0.25,
            "LastSaved": "2026-01-01T00:00:00",
            "InternalUuid": "12345678-0000-0000-0000-000000000000",
            "Parameters": {
                "GameModeId": "RegularGameMode",
                "Seed": 42,
                "ScenarioParameters": {"ScenarioId": "default-scenario", "MapGenerationParameters": {"FluidPatchLikelihood": 7}},
            },
            **self.summary,
        }


# --- islands and states ---


def put_island(out: Out, island: Island) -> None:
    """Append an island."""
    out.mark("island")
    out.put("iih", *island.place)
    out.text(island.id)
    out.put("B", island.rotation)
    data = out.inner()
    put_configuration(data, island.configuration)
    buildings = out.inner()
    buildings.mark("buildings")
    buildings.put("i", len(island.buildings))
    for building in island.buildings:
        buildings.mark("building")
        buildings.put("hhBB", *building.place, building.rotation)
        buildings.text(building.id)
        put_configuration(buildings, building.configuration)
    data.blob(buildings)
    out.blob(data)


def put_configuration(out: Out, configuration: tuple[str, Value] | None) -> None:
    """Append whether there is a configuration, and it."""
    out.put("?", configuration is not None)
    if configuration is not None:
        out.blob(configuration_bytes(out, *configuration))


def put_state(out: Out, state: State) -> None:
    """Append the state of an island or building."""
    out.put("iih", *state.place)
    out.text(state.id)
    content = out.inner()
    content.text(state.kind)
    if state.kind is not None:
        inner = out.inner()
        if isinstance(state.value, bytes):
            inner.data += state.value
        else:
            put_layout(inner, STATES[state.kind], state.value)
        content.blob(inner)
    out.blob(content)


# --- the other members: values as a reader builds them ---


def put_table(out: Out, rows: list[Value], put: Callable[[Out, Value], None]) -> None:
    """Append a count and rows."""
    out.put("i", len(rows))
    for row in rows:
        put(out, row)


def put_blob(out: Out, put: Callable[[Out], None]) -> None:
    """Append a blob that `put` fills."""
    content = out.inner()
    put(content)
    out.blob(content)


def put_simulation(out: Out, value: Value) -> None:
    """Append the history of signals."""

    def put_channel(out: Out, channel: Value) -> None:
        _, kind, number = channel["channel_id"]
        out.put("i", kind << 24 | number)
        put_blob(out, lambda inner: put_table(inner, channel["history"]["value"], put_change))

    def put_change(out: Out, change: Value) -> None:
        put_kind(out, "signal", change["signal"])
        out.put("q", change["time"])

    out.put("q", value["now"])
    put_table(out, value["channels"], put_channel)


CARGO = {
    "shape_loaders": "shapestation",
    "fluid_loaders": "fluidstation",
    "shape_unloaders": "shapestation",
    "fluid_unloaders": "fluidstation",
    "shape_transfers": "transfer",
    "fluid_transfers": "transfer",
}


def put_cargo(out: Out, value: Value) -> None:
    """Append the stations of trains."""

    def put_stations(out: Out) -> None:
        for name, kind in CARGO.items():
            rows = value["cargo"][name]["elements"]
            out.put("i", len(rows))
            for row in rows:
                put_kind(out, "gcc", row["position"])
                put_kind(out, "{" + kind + "}", row["state"])

    put_blob(out, put_stations)


def put_resource_chunks(out: Out, value: Value) -> None:
    """Append where shapes and fluids can be mined."""

    def put_tiles(out: Out, tiles: Value) -> None:
        for tile in tiles:
            out.put("ii", tile["x"], tile["y"])

    def put_shape_resource(out: Out, row: Value) -> None:
        out.put("B", row["type"])
        put_kind(out, "gcc", row["position"])
        out.put("i", len(row["tiles"]))
        for shape in row["shapes"]:
            out.text(shape)
        put_tiles(out, row["tiles"])

    def put_fluid_resource(out: Out, row: Value) -> None:
        out.put("B", row["type"])
        put_kind(out, "gcc", row["position"])
        put_kind(out, "fluid", row["fluid"])
        out.put("i", len(row["tiles"]))
        put_tiles(out, row["tiles"])

    def put_chunk(out: Out, chunk: Value) -> None:
        out.mark("super-chunk")
        out.put("ii", chunk["x"], chunk["y"])
        content = out.inner()
        content.mark("super-chunk:shape-resources")
        put_table(content, chunk["resources"]["shapes"], put_shape_resource)
        content.mark("super-chunk:fluid-resources")
        put_table(content, chunk["resources"]["fluids"], put_fluid_resource)
        out.blob(content)

    put_table(out, value["chunks"], put_chunk)


def put_trains(out: Out, value: Value) -> None:
    """Append trains: where they are going, and what they carry."""

    def put_wagon(out: Out, wagon: Value) -> None:
        put_kind(out, "gcc", wagon["entry"])
        put_kind(out, "gcc", wagon["exit"])
        out.put("BB?B", wagon["entry_direction"], wagon["exit_direction"], wagon["is_upside_down"], wagon["state"])
        out.put("ff", wagon["progress"], wagon["wait"])

    def put_reserved(out: Out, rail: Value) -> None:
        put_kind(out, "gcc", rail["position"])
        out.put("?", rail["is_under"])

    def put_navigation(out: Out, nav: Value) -> None:
        out.text(nav["color"])
        out.put("fB?", nav["progress"], nav["state"], nav["is_upside_down"])
        put_table(out, nav["wagons"], put_wagon)
        out.put("ffff", nav["velocity"], nav["maximum_speed_ahead"], nav["acceleration"], nav["chunks_until_stop"])
        out.put("??q", nav["is_stopped"], nav["was_stopped"], nav["stop_time"])
        put_table(out, nav["reserved"], put_reserved)

    def put_holds(kind: str) -> Callable[[Out, Value], None]:
        def put_it(out: Out, wagon: Value) -> None:
            out.put("iB", wagon["wagon"], len(wagon["holds"]))
            for hold in wagon["holds"]:
                out.put("hh", len(hold["packages"]), hold["capacity"])
                for package in hold["packages"]:
                    put_kind(out, kind, package)

        return put_it

    def put_train(out: Out, train: Value) -> None:
        out.mark("TrainData")
        data = train["data"]
        content = out.inner()
        put_blob(content, lambda inner: put_navigation(inner, data["navigation"]))
        put_kind(content, "gcc", data["parent"])
        put_blob(content, lambda inner: put_table(inner, data["fluids"]["value"], put_holds("fluids")))
        put_blob(content, lambda inner: put_table(inner, data["shapes"]["value"], put_holds("shapes")))
        out.blob(content)

    put_table(out, value["trains"], put_train)


def put_statistics(out: Out, value: Value) -> None:
    """Append what was delivered."""

    def put_bucket(key: str) -> Callable[[Out, Value], None]:
        def put_pair(out: Out, pair: Value) -> None:
            put_kind(out, key, pair[0])
            out.put("q", pair[1])

        return lambda out, bucket: put_table(out, bucket, put_pair)

    def put_entries(key: str) -> Callable[[Out, Value], None]:
        def put_it(out: Out, pair: Value) -> None:
            put_kind(out, key, pair[0])
            put_table(out, pair[1], lambda inner, entry: inner.put("qB", entry["time"], entry["amount"]))

        return put_it

    def put_tracker(out: Out, tracker: Value, key: str) -> None:
        if "buckets" in tracker:
            out.put("iiqi", tracker["last_bucket"], tracker["capacity"], tracker["interval"], tracker["bucket_count"])
            inner = out.inner()
            for bucket in tracker["buckets"]["buckets"]:
                put_bucket(key)(inner, bucket)
            out.blob(inner)
        elif "value" in tracker:
            put_bucket(key)(out, tracker["value"])
        else:
            out.put("iii", tracker["version"], tracker["start"], tracker["count"])

    def put_half(out: Out, half: Value, key: str) -> None:
        stream = out.inner()
        stream.put("i", half["stream"]["total"])
        put_table(stream, half["stream"]["entries"], put_entries(key))
        out.blob(stream)
        out.put("i", len(half["trackers"]))
        for tracker in half["trackers"]:
            inner = out.inner()
            put_tracker(inner, tracker, key)
            out.blob(inner)

    put_blob(out, lambda inner: put_half(inner, value["shapes"], "shape"))
    put_blob(out, lambda inner: put_half(inner, value["rockets"], "text"))


#: Members that are one value.
TABLES: dict[str, tuple[str, Callable[[Out, Value], None]]] = {
    "maps/main/simulation/state.bin": ("simulation", put_simulation),
    "maps/main/cargo.bin": ("cargo", put_cargo),
    "maps/main/resource-chunks.bin": ("resource_chunks", put_resource_chunks),
    "maps/main/trains.bin": ("trains", put_trains),
    "statistics.bin": ("statistics", put_statistics),
}


# --- the archive ---


def buffer_size(size: int) -> int:
    """How large the game's buffer is for so many bytes."""
    return max(LEAST_BUFFER, 1 << max(size - 1, 0).bit_length())


def members(save: Save, table: dict[str, int]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Give the members by name, as pieces; the table of strings grows as the pieces are made, and comes last."""

    def new() -> Out:
        return Out(save.checkpoints, table)

    def islands(count: int, bundle: Iterable[Island]) -> Iterator[bytes]:
        yield struct.pack("<i", count)
        for island in bundle:
            out = new()
            put_island(out, island)
            yield bytes(out.data)

    def states(of_islands: list[State], count: int, of_buildings: Iterable[State]) -> Iterator[bytes]:
        for number, bundle in ((len(of_islands), of_islands), (count, of_buildings)):
            yield struct.pack("<i", number)
            for state in bundle:
                out = new()
                put_state(out, state)
                yield bytes(out.data)

    def whole(put: Callable[[Out, Value], None], value: Value) -> Iterator[bytes]:
        out = new()
        put(out, value)
        yield bytes(out.data)

    def strings() -> Iterator[bytes]:
        yield struct.pack("<i", len(table))
        for text in table:
            raw = text.encode()
            yield struct.pack("<i", len(raw)) + raw

    for name, content in (("savegame", save.savegame()), ("research", save.research), ("local-player", save.player)):
        yield f"{name}.json", iter([json.dumps(content).encode()])
    for index, (count, island_bundle) in enumerate(save.islands):
        yield f"maps/main/islands/{index}.bin", islands(count, island_bundle)
    for index, (of_islands, count, of_buildings) in enumerate(save.states):
        yield f"maps/main/buildings/{index}.bin", states(of_islands, count, of_buildings)
    for name, (attribute, put) in TABLES.items():
        value = getattr(save, attribute)
        if value is not None:
            yield name, whole(put, value)
    for name, data in save.extra.items():
        yield name, iter([data])
    yield "maps/main/meta/", whole(Out.text, "Game.Core.Modding.ResolvedMod[]")
    yield "strings.bin", strings()


def padded(name: str, pieces: Iterator[bytes], *, padding: bool) -> Iterator[bytes]:
    """Fill up what the game writes from a buffer."""
    size = 0
    for piece in pieces:
        size += len(piece)
        yield piece
    if padding and name.endswith((".bin", "/")):
        yield bytes(buffer_size(size) - size)


def write_save(save: Save, target: Path | IO[bytes], *, level: int = 6) -> None:
    """Write a save, a member at a time; with an order of its own it is held in memory once."""
    table: dict[str, int] = {}
    made: Iterable[tuple[str, Iterable[bytes]]] = (
        (name, padded(name, pieces, padding=save.padded)) for name, pieces in members(save, table)
    )
    if save.order is not None:
        order = save.order
        made = sorted(((name, list(pieces)) for name, pieces in made), key=lambda member: order(member[0]))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, pieces in made:
            info = zipfile.ZipInfo(name, MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as member:
                for piece in pieces:
                    member.write(piece)
