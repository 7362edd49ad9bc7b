"""What `streamsave info` says of a save, read by `struct` and `json` alone: a second way to each number of a header.

The layouts are those of the format pages. A header is a dict with the names that `info --json` has.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import math
import struct
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

Json = dict[str, Any]
#: Names and bytes of what is inflated of a file.
Parts = Sequence[tuple[str, bytes]]
#: .NET counts ticks of 100 ns from here.
FIRST_DAY: Final = datetime(1, 1, 1)  # noqa: DTZ001 - saves say no zone
SECOND: Final = 10_000_000
#: Tiles along the side of a square of shapez 2.
SQUARE: Final = 20
#: Versions of Arx's containers: the first, and the first with other codecs than one.
LEGACY: Final = 0x00010000
DEFLATE: Final = 0x00020000
#: What `info` calls members of `savegame.json` of shapez 2.
MEMBERS: Final = {
    "version": "Version",
    "savegame_name": "SavegameName",
    "total_playtime": "TotalPlaytime",
    "structure_count": "StructureCount",
    "research_progress": "ResearchProgress",
    "last_saved": "LastSaved",
    "internal_uuid": "InternalUuid",
    "binary_data_checkpoints": "BinaryDataCheckpoints",
}


class Bytes:
    """Reads values one after the other.

    Args:
        data: the bytes.
        at: where the first one is.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def read(self, layout: str) -> Any:  # noqa: ANN401 - of `struct`
        """Read values of a layout of `struct`; one alone if it is one."""
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values[0] if len(values) == 1 else values

    def text(self) -> str:
        """Read a string of Unreal."""
        size = self.read("i")
        raw = self.read(f"{size if size >= 0 else -2 * size}s")
        return str(raw.decode("utf-8" if size >= 0 else "utf-16-le")).removesuffix("\0")

    def ticks(self) -> str:
        """Read a moment, in the form of JSON."""
        ticks = self.read("q")
        moment = FIRST_DAY + timedelta(microseconds=ticks // 10)
        fraction = f".{ticks % SECOND:07}" if ticks % SECOND else ""
        return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}"


def satisfactory(data: bytes, _parts: Parts) -> Json:
    """Read the header of a save of Satisfactory."""
    of = Bytes(data)
    version = of.read("i")
    found: Json = {"save_header_version": version, "save_version": of.read("i"), "build_version": of.read("i")}
    for name, first in (("save_name", 14), ("map_name", 0), ("map_options", 0), ("session_name", 0)):
        found |= {name: of.text()} if version >= first else {}
    found |= {"play_duration": of.read("i"), "save_date_time": of.ticks(), "session_visibility": of.read("b")}
    found |= {"editor_object_version": of.read("i")} if version >= 7 else {}
    if version >= 8:
        metadata = of.text()
        found |= {"mod_metadata": json.loads(metadata) if metadata else "", "is_modded_save": bool(of.read("i"))}
    found |= {"save_identifier": of.text()} if version >= 10 else {}
    found |= {"is_partitioned_world": bool(of.read("i"))} if version >= 11 else {}
    if version >= 12 and of.read("i"):
        found["save_data_hash"] = of.read("16s").hex()
    found |= {"is_creative_mode_enabled": bool(of.read("i"))} if version >= 13 else {}
    return {**found, "size": of.at}


def references(of: Bytes, layout: str) -> list[Any]:
    """Read a list of references, each with a number after it if there is a layout."""
    names = ("level_name", "path_name")
    found = [[{name: of.text() for name in names}, *([of.read(layout)] if layout else [])] for _ in range(of.read("i"))]
    return found if layout else [each for (each,) in found]


def blueprint(data: bytes, _parts: Parts) -> Json:
    """Read the header of a blueprint of Satisfactory."""
    of = Bytes(data)
    found = dict(zip(("header_version", "save_version", "build_version"), of.read("3i"), strict=True))
    found |= {"dimensions": list(of.read("3i")), "cost": references(of, "i"), "recipes": references(of, "")}
    return found


def unreal(_data: bytes, parts: Parts) -> Json:
    """Read the header of a save game of Unreal."""
    return header_of_unreal(Bytes(parts[0][1], 4))


def astroneer(_data: bytes, parts: Parts) -> Json:
    """Read the header of a save of Astroneer, and what is after it: an empty list of properties, and a bool."""
    of = Bytes(parts[0][1], 4)
    found = header_of_unreal(of)
    of.text(), of.read("i")
    found["astro_save_version"] = of.read("I")
    is_later = of.data[of.at + 4 : of.at + 5] != b"/"
    of.at += is_later
    return {**found, "level_name": of.text()}


def header_of_unreal(of: Bytes) -> Json:
    """Read the header of a save game of Unreal, which is not packed."""
    version = of.read("i")
    found: Json = {"save_game_version": version, "package_version_ue4": of.read("i")}
    found |= {"package_version_ue5": of.read("i")} if version >= 3 else {}
    found |= {"engine_version": list(of.read("3H")), "changelist": of.read("I"), "branch": of.text()}
    found["custom_version_format"] = of.read("i")
    found["custom_versions"] = []
    for _ in range(of.read("i")):
        found["custom_versions"].append("{:08X}-{:08X}-{:08X}-{:08X} {}".format(*of.read("4Ii")))
        if found["custom_version_format"] == 1:
            of.text()
    return {**found, "save_game_class": of.text()}


def arx(data: bytes, parts: Parts) -> Json:
    """Read the file table of an Arx save, and its entry `pld`. The first row of the oldest version is none."""
    (table,) = struct.unpack_from("<I", data)
    of = Bytes(data, table + 4)
    version, entries = of.read("II")
    chunks = 0
    for number in range(entries):
        of.at = data.index(0, of.at) + 1
        _, count, _ = of.read("3I")
        count = count or int(version < DEFLATE)
        of.at += 8 * count
        chunks += count if number or version > LEGACY else 0
    pld = Bytes(dict(parts)["pld"])
    found = {"entries": entries - (version == LEGACY), "chunks": chunks, "version": pld.read("f")}
    raw, level, time = pld.read("256siq")
    name = raw.partition(b"\0")[0]
    try:
        found["name"] = name.decode()
    except UnicodeDecodeError:  # of Arx Fatalis
        found["name"] = name.decode("latin-1")
    return {**found, "level": level, "time": time, "play_duration": time // 1000}


def shapez2(data: bytes, _parts: Parts) -> Json:
    """Read `savegame.json` of a save of shapez 2."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        content = json.loads(archive.read("savegame.json"))
    found = {name: content.get(key) for name, key in MEMBERS.items()}
    parameters = content.get("Parameters") or {}
    found |= {"seed": parameters.get("Seed"), "game_mode_id": parameters.get("GameModeId"), "member_count": len(names)}
    return {name: value for name, value in found.items() if value is not None}


def listed(entries: Any) -> list[Json]:  # noqa: ANN401 - JSON
    """Return the entries of a blueprint: of .NET, a list may be an object."""
    return list(entries["$values"] if isinstance(entries, dict) else entries)


def shapez2_code(data: bytes, _parts: Parts) -> Json:
    """Read a blueprint code of shapez 2: also what it places, how large that is, and what it costs.

    An island is at a square of 20 tiles, and turns nothing that is on it. The cost is that of the game's `BuildingBlueprint`
    of alpha 15.2, as tools of players have it.
    """
    _, envelope, packed = data.decode().strip().removesuffix("$").split("-", 2)
    content = json.loads(gzip.decompress(base64.b64decode(packed.partition("[")[0])))  # icons follow
    of = content["BP"]
    islands = listed(of["Entries"]) if of.get("$type") == "Island" else []
    boards = [(island, island.get("B")) for island in islands] if islands else [({}, of)]
    places = [
        (*(island.get(side, 0) * SQUARE + each.get(side, 0) for side in "XY"), each.get("L", 0))
        for island, board in boards
        for each in (listed(board["Entries"]) if board else ())
    ]
    size = [max(sides) - min(sides) + 1 for sides in zip(*places, strict=True)] or None
    cost = math.ceil((len(places) - 1) ** 1.3) if places else 0
    found = {"envelope": int(envelope), "version": content["V"], "islands": len(islands), "buildings": len(places)}
    return {**found, "size_tiles": size, "cost": cost}


#: By the names that the events have for formats.
READERS: Final[dict[str, Callable[[bytes, Parts], Json]]] = {
    "arx": arx,
    "astroneer": astroneer,
    "gvas": unreal,
    "satisfactory": satisfactory,
    "satisfactory-blueprint": blueprint,
    "shapez2": shapez2,
    "shapez2-blueprint": shapez2_code,
}
