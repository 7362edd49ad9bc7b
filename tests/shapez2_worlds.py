"""Saves of shapez 2 from the writer, and what its values look like when a reader has built them."""

import io
import zipfile
from typing import Any

from attrs import fields, has
from saves import VALID
from writer.shapez2 import Building, Island, Save, State

import streamsave
from streamsave import Field, ObjectEnd, ObjectHeader, StructEnter
from streamsave.values import Opaque

SAMPLES = VALID / "shapez2"


def plain(value: Any) -> Any:
    """A built value in the writer's terms: small values are tuples that start with their name."""
    if isinstance(value, Opaque):
        return value.data
    if has(type(value)):
        return (type(value).__name__, *(plain(getattr(value, field.name)) for field in fields(type(value))))
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def without_rest(value: Any) -> Any:
    """A built member without what fills its buffer, and a dict without the counts that lists show too."""
    if not isinstance(value, dict):
        return [without_rest(each) for each in value] if isinstance(value, list) else value
    return {
        name: without_rest(each)
        for name, each in value.items()
        if name not in {"padding", "count"} and not name.startswith("bytes after")
    }


def island_value(island: Island) -> dict[str, Any]:
    """What a reader builds of an island."""
    data: dict[str, Any] = {"has_configuration": island.configuration is not None}
    if island.configuration is not None:
        data["configuration"] = configuration_value(island.id, island.configuration)
    buildings: dict[str, Any] = {"building_count": len(island.buildings)}
    if island.buildings:
        buildings["objects"] = [
            {"kind": "building", "id": each.id, "place": str(each.place), "rotation": each.rotation}
            | ({} if each.configuration is None else {"configuration": configuration_value(each.id, each.configuration)})
            for each in island.buildings
        ]
    data["buildings"] = buildings
    return {"kind": "island", "id": island.id, "place": str(island.place), "rotation": island.rotation, "data": data}


def configuration_value(owner: str, configuration: tuple[str, Any]) -> dict[str, Any]:
    """What a reader builds of a configuration."""
    name, value = configuration
    if name != "FutureConfig":
        return {"value": value}
    return {f"configuration of unknown id {owner}": value} if value else {}


def state_value(kind: str, state: State) -> dict[str, Any]:
    """What a reader builds of a state; of an unknown one, bytes under some name."""
    inner: dict[str, Any] = {"serialization_id": state.kind}
    if state.kind is not None:
        inner["content"] = state.value
    return {"kind": kind, "id": state.id, "place": str(state.place), "rotation": 0, "state": inner}


def objects_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a built member, in the terms above, without what the reader adds for every format."""
    found = []
    for built in [*value.get("objects", []), *value.get("objects#2", [])]:
        place = built["instance_name"].rpartition(":")[2]
        row = {"kind": built["kind"], "id": built["class_name"], "place": place, "rotation": built["flags"]}
        for name in ("data", "configuration", "state"):
            if name in built:
                row[name] = plain(built[name])
        if "data" in row:
            buildings = row["data"]["buildings"]
            if "objects" in buildings:
                buildings["objects"] = objects_of(built["data"]["buildings"])
        if "state" in row:
            content = row["state"].get("content")
            if isinstance(content, dict) and len(content) == 1 and isinstance(next(iter(content.values())), bytes):
                row["state"]["content"] = next(iter(content.values()))
        found.append(row)
    return found


def without_known_part(row: dict[str, Any]) -> dict[str, Any]:
    """States without a known end: the writer's value has only the known part."""
    content = row["state"].get("content")
    if isinstance(content, dict):
        row["state"]["content"] = {name: value for name, value in content.items() if not isinstance(value, bytes)}
    return row


def statistics(value: dict[str, Any]) -> Any:
    """Counts of rows are in the lists already; plain blobs with one leaf hold it as `value`."""
    for half in ("shapes", "rockets"):
        stream = value[half]["stream"]
        value[half]["stream"] = stream.get("value", stream)
        trackers = value[half]["trackers"]
        value[half]["trackers"] = [
            each["value"] if set(each) == {"value"} and isinstance(each["value"], dict) else each for each in trackers
        ]
    return without_rest(value)


def built(data: bytes) -> dict[str, Any]:
    """All members of a save, built."""
    with streamsave.open(data) as events:
        return {event.name: events.build() for event in events if isinstance(event, StructEnter)}


def assert_built(values: dict[str, Any], save: Save) -> None:
    """All members of a save are what was written, but for those of mods."""
    for bundle, (_, islands) in enumerate(save.islands):
        assert [island_value(island) for island in islands] == objects_of(values[f"maps/main/islands/{bundle}.bin"])
    for bundle, (of_islands, _, of_buildings) in enumerate(save.states):
        written = [state_value("island state", state) for state in of_islands]
        written += [state_value("building state", state) for state in of_buildings]
        assert written == [without_known_part(row) for row in objects_of(values[f"maps/main/buildings/{bundle}.bin"])]
    for name, value in (
        ("maps/main/simulation/state.bin", save.simulation),
        ("maps/main/resource-chunks.bin", save.resource_chunks),
        ("maps/main/trains.bin", save.trains),
        ("maps/main/cargo.bin", save.cargo),
    ):
        assert (value is None) == (name not in values)
        if value is not None:
            assert without_rest(value) == without_rest(plain(values[name]))
    if save.statistics is not None:
        assert without_rest(save.statistics) == statistics(plain(values["statistics.bin"]))
    assert values["savegame.json"] == {"value": save.savegame()}
    assert values["research.json"] == {"value": save.research}
    assert values["local-player.json"] == {"value": save.player}


def members_of(data: bytes) -> dict[str, bytes]:
    """All members, as the standard library reads them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def entries_of(code: bytes | str) -> list[tuple[str, str, str, str, int, object]]:
    """Kind, id, place, place of the island, rotation, and configuration (of an unknown id: None) of all entries."""
    found: list[tuple[str, str, str, str, int, object]] = []
    opened: list[int] = []
    with streamsave.open(code.encode() if isinstance(code, str) else code) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                opened.append(len(found))
                found.append((event.kind, event.class_name, event.instance_name, event.outer, event.flags, None))
            elif isinstance(event, ObjectEnd):
                opened.pop()
            elif isinstance(event, Field) and event.type.endswith("Config"):
                found[opened[-1]] = (*found[opened[-1]][:-1], plain(events.build()))
    return found


def written_entries(entries: list[Building | Island], outer: str = "") -> list[tuple[str, str, str, str, int, object]]:
    """The same of the writer's entries."""
    rows: list[tuple[str, str, str, str, int, object]] = []
    for entry in entries:
        known = entry.configuration is not None and entry.configuration[0] != "FutureConfig"
        value = entry.configuration[1] if known else None
        kind = "island" if isinstance(entry, Island) else "building"
        rows.append((kind, entry.id, f"{outer}:{entry.place}" if outer else str(entry.place), outer, entry.rotation, value))
        rows += written_entries(getattr(entry, "buildings", []), str(entry.place))
    return rows
