"""What a world of Palworld says, read by `palworld-save-tools` and a few lines of `struct`: a second way to each number.

The package reads the properties. Of each `RawData`, only what no version of the game has moved is taken; where fields of some
versions are before it, the place is the one that makes sense. So neither layouts nor versions are shared with ours. Rows are
those of `streamsave palworld COMMAND --json`, without labels.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

Json = dict[str, Any]
#: Parts of a world that no command shows. They are passed over: the package takes long, and does not know all of them.
UNWANTED: Final = (
    *("BossSpawnerSaveData", "CharacterParameterStorageSaveData", "DungeonPointMarkerSaveData", "DungeonSaveData"),
    *("DynamicItemSaveData", "EnemyCampSaveData", "FoliageGridSaveDataMap", "InLockerCharacterInstanceIDArray"),
    *("InvaderSaveData", "LevelObjectRecoverPartySaveData", "LockGimmickSaveData", "MapObjectSpawnerInStageSaveData"),
    *("OilrigSaveData", "SupplySaveData", "WorkSaveData"),
)
#: Types of keys and values that the package does not know.
HINTS: Final = {
    ".worldSaveData.GuildExtraSaveDataMap.Key": "Guid",
    ".worldSaveData.GuildExtraSaveDataMap.Value": "StructProperty",
}
NO_ONE: Final = "00000000-00000000-00000000-00000000"
SECOND: Final = 10_000_000
#: A new base has a name that begins so, until a player gives it another.
NOT_NAMED: Final = "新規生成拠点テンプレート名"


class Refused(Exception):
    """The package does not read such a world."""


def passed_over(reader: Any, type_name: str, size: int, _path: str) -> Json:  # noqa: ANN401 - of the package
    """Go to the end of a map, an array or a struct."""
    for _ in range({"MapProperty": 2}.get(type_name, 1)):
        reader.fstring()
    if type_name == "StructProperty":
        reader.guid()
    reader.optional_guid()
    reader.read(size)
    return {"value": []}


def plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a value without what the package says of its type."""
    while isinstance(value, dict) and "value" in value:
        value = value["value"]
    return value["values"] if isinstance(value, dict) and "values" in value else value


def of(properties: Any, *names: str) -> Any:  # noqa: ANN401 - JSON
    """Return a value inside of properties; None if it is not there."""
    for name in names:
        properties = plain(properties.get(name)) if isinstance(properties, dict) else None
    return properties


def raw(properties: Any, *names: str) -> bytes:  # noqa: ANN401 - JSON
    """Return the bytes of a `RawData`."""
    return bytes(of(properties, *names, "RawData") or b"")


def id_of(value: Any) -> str:  # noqa: ANN401 - of the package
    """Return an id that the package has read; "" if there is none."""
    return guid(value.raw_bytes) if hasattr(value, "raw_bytes") else ""


def enum(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return the last part of the name of an enum."""
    return str(value or "").rpartition("::")[2]


def guid(data: bytes, at: int = 0) -> str:
    """Return an id as `streamsave` writes it; "" if the bytes end before."""
    return "{:08X}-{:08X}-{:08X}-{:08X}".format(*struct.unpack_from("<4I", data, at)) if len(data) >= at + 16 else ""


def text(data: bytes, at: int) -> tuple[str, int]:
    """Return a string of Unreal, and the offset after it."""
    (size,) = struct.unpack_from("<i", data, at)
    end = at + 4 + size if size >= 0 else at + 4 - 2 * size
    if end > len(data):
        raise struct.error("a string without end")
    return data[at + 4 : end].decode("ascii" if size >= 0 else "utf-16-le").removesuffix("\0"), end


def metres(data: bytes, at: int) -> list[float]:
    """Return a place in metres."""
    return [side / 100 for side in struct.unpack_from("<3d", data, at)]


def guild_start(blob: bytes) -> tuple[list[str], int, str, int]:
    """Return the ids of the characters of a guild, its level, its name, and the offset after it.

    After the characters, some versions have four zeros, and again after the bases. A guild without a name is called by its id.
    """
    _, at = text(blob, 16)
    (characters,) = struct.unpack_from("<I", blob, at)
    for more, is_named in ((4, True), (0, True), (0, False)):
        try:
            place = at + 4 + 32 * characters + more + 1
            place += 4 + 16 * struct.unpack_from("<I", blob, place)[0] + more
            level, points = struct.unpack_from("<iI", blob, place)
            name, end = text(blob, place + 8 + 16 * points)
        except (struct.error, UnicodeDecodeError):
            continue
        if level < 100 and (name or not is_named):
            return [guid(blob, at + 20 + 32 * index) for index in range(characters)], level, name or guid(blob), end
    raise ValueError("no name of a guild")


class SecondWorld:
    """A world as the package and `struct` read it, with the rows of each command.

    Args:
        data: the save game, not packed.

    Raises:
        ImportError: the package is not installed.
        Refused: it does not read such a world.
    """

    def __init__(self, data: bytes) -> None:
        types = import_module("palworld_save_tools.paltypes").PALWORLD_TYPE_HINTS
        skipped = {f".worldSaveData.{name}": (passed_over, None) for name in UNWANTED}
        package = import_module("palworld_save_tools.gvas")
        try:
            read = package.GvasFile.read(data, {**types, **HINTS}, skipped, allow_nan=True)
        except Exception as error:  # it raises no other class
            raise Refused(f"palworld-save-tools refuses it: {error}"[:100]) from error
        self._world = of(read.properties, "worldSaveData")
        #: Players and pals, by their ids, with their parameters; the id of the guild of each pal.
        self._players: dict[str, Json] = {}
        self._pals: dict[str, Json] = {}
        self._guild_of_pal: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for entry in self._entries("CharacterSaveParameterMap"):
            blob, instance = raw(entry["value"]), id_of(of(entry["key"], "InstanceId"))
            reader = import_module("palworld_save_tools.archive").FArchiveReader(blob, debug=False, allow_nan=True)
            parameters = of(reader.properties_until_end(), "SaveParameter")
            if of(parameters, "IsPlayer"):
                player = id_of(of(entry["key"], "PlayerUId"))
                self._players[player] = parameters
                self._names[player] = of(parameters, "NickName") or instance
            else:
                self._pals[instance] = parameters
                self._guild_of_pal[instance] = guid(blob, reader.data.tell() + 4)
        self._guilds = {
            id_of(plain(entry["key"])): raw(entry["value"])
            for entry in self._entries("GroupSaveDataMap")
            if enum(of(entry["value"], "GroupType")) == "Guild"
        }
        #: Of each guild: its characters, level, name, the offset after it.
        self._starts = {number: guild_start(blob) for number, blob in self._guilds.items()}
        #: Of each guild: the id of the admin, and name and last time of each member.
        self._members = {number: self._members_of(blob, self._starts[number][3]) for number, blob in self._guilds.items()}
        self._guild_of = {member: number for number, (_, members) in self._members.items() for member in members}
        self._names = {each: name for _, found in self._members.values() for each, (name, _) in found.items()} | self._names
        self._chests = {
            id_of(plain(entry["key"])): guid(raw(entry["value"], "GuildItemStorage"))
            for entry in self._entries("GuildExtraSaveDataMap")
        }
        #: The guild of each container.
        self._stores = {chest: number for number, chest in self._chests.items()}
        for thing in self._entries("MapObjectSaveData"):
            owner = guid(raw(thing, "Model"), 48)
            for module in of(thing, "ConcreteModel", "ModuleMap") or ():
                if enum(plain(module["key"])) == "ItemContainer" and owner in self._guilds:
                    self._stores[guid(raw(module["value"]))] = owner

    def _entries(self, name: str) -> list[Json]:
        """Return the entries of a map or an array of the world."""
        return of(self._world, name) or []

    def _members_of(self, blob: bytes, after: int) -> tuple[str, dict[str, tuple[str, int]]]:
        """Return the admin, and name and last time of each member: at most 64 bytes after the name of a guild."""
        for first in range(after + 20, min(after + 84, len(blob))):
            (count,) = struct.unpack_from("<i", blob, first - 4)
            for role in (1, 0):  # since game 1.0, a byte after each
                members, at = {}, first
                try:
                    for _ in range(count if 0 < count < 100 else 0):
                        name, end = text(blob, at + 24)
                        members[guid(blob, at)] = name, struct.unpack_from("<q", blob, at + 16)[0]
                        at = end + role
                except (struct.error, UnicodeDecodeError):
                    continue
                if members and (members.keys() & self._players.keys() or at == len(blob)):
                    return guid(blob, first - 20), members
        return "", {}

    def players(self) -> Iterator[Json]:
        """Yield the rows of `players`."""
        now = of(self._world, "GameTimeSaveData", "RealDateTimeTicks")
        every = list(self.bases())
        for player, parameters in self._players.items():
            guild = self._guild_of.get(player, "")
            bases = [base for base in every if base["guild_id"] == guild]
            jump = of(parameters, "LastJumpedLocation")
            yield {
                "name": self._names[player],
                "level": of(parameters, "Level") or 1,
                "guild": self._guild_name(guild),
                "id": player,
                "last_seen": (now - self._members[guild][1][player][1]) // SECOND if guild else "",
                "pals": sum(id_of(of(pal, "OwnerPlayerUId")) == player for pal in self._pals.values()),
                "bases": len(bases),
                "base_metres": bases[0]["position_metres"] if bases else None,
                "position_metres": None if jump is None else [jump[side] / 100 for side in "xyz"],
            }

    def _guild_name(self, guild: str) -> str:
        return self._starts[guild][2] if guild in self._starts else ""

    def pals(self) -> Iterator[Json]:
        """Yield the rows of `pals`."""
        for number, parameters in self._pals.items():
            owner = id_of(of(parameters, "OwnerPlayerUId"))
            owner = "" if owner == NO_ONE else owner
            ranks = {
                sign: [(enum(of(each, "WorkSuitability")), of(each, "Rank") or 0) for each in of(parameters, name) or ()]
                for name, sign in (("CraftSpeeds", ""), ("GotWorkSuitabilityAddRankList", "+"))
            }
            yield {
                "species": of(parameters, "CharacterID"),
                "name": of(parameters, "NickName") or "",
                "level": of(parameters, "Level") or 1,
                "owner": self._names.get(owner, owner),
                "guild": self._guild_name(self._guild_of.get(owner, self._guild_of_pal[number])),
                "id": number,
                "rank": of(parameters, "Rank") or 1,
                "gender": enum(of(parameters, "Gender")),
                "hp": of(parameters, "Talent_HP") or 0,
                "attack": of(parameters, "Talent_Shot") or 0,
                "defense": of(parameters, "Talent_Defense") or 0,
                "passives": ", ".join(of(parameters, "PassiveSkillList") or ()),
                "work": ", ".join(f"{work} {sign}{rank}" for sign, each in ranks.items() for work, rank in each if rank),
                "owner_id": owner,
            }

    def guilds(self) -> Iterator[Json]:
        """Yield the rows of `guilds`; its pals are those that it lists. It may list some that the world no longer has."""
        stored: Counter[str] = Counter()
        for row in self.items():
            stored[row["container"]] += row["count"]
        bases = Counter(base["guild_id"] for base in self.bases())
        for number, (characters, level, name, _) in self._starts.items():
            admin, members = self._members[number]
            yield {
                "name": name,
                "level": level,
                "bases": bases[number],
                "members": ", ".join(self._names[each] for each in sorted(members, key=admin.__ne__)),
                "id": number,
                "pals": sum(each in self._pals for each in characters),
                "chest": stored[self._chests[number]] if number in self._chests else "",
                "stored": sum(count for store, count in stored.items() if self._stores.get(store) == number),
            }

    def bases(self) -> Iterator[Json]:
        """Yield the rows of `bases`; its workers are the slots of its container of pals that are not empty."""
        slots = {
            id_of(of(entry["key"], "ID")): of(entry["value"], "Slots") or ()
            for entry in self._entries("CharacterContainerSaveData")
        }
        for entry in self._entries("BaseCampSaveData"):
            blob = raw(entry["value"])
            name, end = text(blob, 16)
            owner = guid(blob, end + 85)  # after a byte, a place of ten numbers, and a range
            working = slots[guid(raw(entry["value"], "WorkerDirector"), 98)]
            yield {
                "guild": self._guild_name(owner),
                "workers": sum(guid(raw(slot), 16) not in {"", NO_ONE} for slot in working),
                "position_metres": metres(blob, end + 33),
                "name": "" if name.startswith(NOT_NAMED) else name,
                "id": guid(blob),
                "guild_id": owner,
            }

    def items(self) -> Iterator[Json]:
        """Yield the rows of `items --slots`."""
        for entry in self._entries("ItemContainerSaveData"):
            container = id_of(of(entry["key"], "ID"))
            for slot in of(entry["value"], "Slots") or ():
                item, count, index = (of(slot, *names) for names in (("ItemId", "StaticId"), ("StackCount",), ("SlotIndex",)))
                if item is None:
                    blob = raw(slot)
                    index, count = struct.unpack_from("<ii", blob)
                    item, _ = text(blob, 8)
                if item and item != "None":
                    guild = self._stores.get(container, "")
                    about = {"item": item, "count": count, "guild": self._guild_name(guild), "container": container}
                    yield {**about, "slot": index, "guild_id": guild}
