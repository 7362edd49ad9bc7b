"""What the objects of Palworld are to a player: files, selections, paths of properties, and functions of their values.

| what | objects | where |
|---|---|---|
| player, pal | characters of a world; slots of a storage | below `CHARACTER` and in the key; below `STORED` |
| guild | groups with a name | `value.RawData` |
| base | base camps, with a container for the pals that work there | `WORKERS`; the place is that of the object |
| guild chest | `guild-extra`, with the id of the guild and of the container | `CHEST` |
| item | slots of containers | `SLOTS`: in a blob, or before game 0.4 as properties |

Unreal saves no property that has its default value: a character without a level has the first one.

`read_world` joins them, of what `select(*WORLD_OBJECTS, fields=WORLD_FIELDS)` gives: players, guilds and bases by their ids.

The module is long because it has selections, paths and functions for each row of the table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple, Protocol, TypeAlias

from streamsave.frequent_values import Vector

__all__ = [
    "BASE_ID",
    "CHARACTER",
    "CHEST",
    "CLOCK",
    "DIMENSIONAL_STORAGE",
    "EXP",
    "FACTS",
    "FIRST_LEVEL",
    "GAME_CLASSES",
    "GLOBAL_STORAGE",
    "GUILD_FIELDS",
    "GUILD_ID",
    "INVENTORIES",
    "LEVEL",
    "LEVEL_META",
    "MEMBERS",
    "META_FILE",
    "NAMES",
    "OTHER_FILES",
    "PAL_FIELDS",
    "PLAYER_ID",
    "SECOND",
    "SLOTS",
    "SLOT_LIST",
    "STORAGES",
    "STORE_FIELDS",
    "WORLD",
    "WORLD_DATA",
    "WORLD_FIELDS",
    "WORLD_OBJECTS",
    "Base",
    "Guild",
    "Pal",
    "Player",
    "World",
    "bare_id",
    "clock_of",
    "guild_of",
    "ids_called",
    "inventories_of",
    "items_of",
    "level_of",
    "members_of",
    "number_of",
    "pal_of",
    "player_file",
    "read_world",
    "store_of",
]

#: How the classes of the game's files start; that of a world, and those of the storages of pals beside it.
GAME_CLASSES: Final = "/Script/Pal."
WORLD: Final = "/Script/Pal.PalWorldSaveGame"
DIMENSIONAL_STORAGE: Final = "/Script/Pal.PalDimensionPalStorageSaveGame"
GLOBAL_STORAGE: Final = "/Script/Pal.PalGlobalPalStorageSaveGame"
#: The classes of the other files.
PLAYER_FILE: Final = "/Script/Pal.PalWorldPlayerSaveGame"
LEVEL_META: Final = "/Script/Pal.PalWorldBaseInfoSaveGame"
OPTIONS: Final = "/Script/Pal.PalWorldOptionSaveGame"
LOCAL_DATA: Final = "/Script/Pal.PalLocalWorldSaveGame"
#: What the files of the game are that are no world, by their class.
STORAGES: Final = {
    DIMENSIONAL_STORAGE: "a player's dimensional storage (..._dps.sav)",
    GLOBAL_STORAGE: "the storage that all worlds share (GlobalPalStorage.sav)",
}
OTHER_FILES: Final = {
    **STORAGES,
    PLAYER_FILE: "a player's file (Players/ID.sav)",
    LEVEL_META: "the description of a world (LevelMeta.sav)",
    OPTIONS: "the settings of a world (WorldOption.sav)",
    LOCAL_DATA: "the map of one player (LocalData.sav)",
}

#: What a file says of itself that a player asks for: its class -> what it is called -> where it is.
FACTS: Final[dict[str, dict[str, str]]] = {
    LEVEL_META: {
        "world": "SaveData.WorldName",
        "day": "SaveData.InGameDay",
        "host": "SaveData.HostPlayerName",
        "host level": "SaveData.HostPlayerLevel",
        "saved": "Timestamp",
    },
    PLAYER_FILE: {
        "player": "SaveData.PlayerUId",
        "species caught": "SaveData.RecordData.TribeCaptureCount",
        "technology points": "SaveData.TechnologyPoint",
        "last online": "SaveData.LastOnlineDateTime",
        "saved": "Timestamp",
    },
    OPTIONS: {"difficulty": "OptionWorldData.Settings.Difficulty", "saved": "Timestamp"},
}
#: The file beside a world that has its name.
META_FILE: Final = "LevelMeta.sav"

# --- players and pals ---

CHARACTER: Final = "value.RawData.object.SaveParameter"
#: The name of a player; the second since game 0.5.
NAMES: Final = (f"{CHARACTER}.NickName", f"{CHARACTER}.FilteredNickName")
LEVEL: Final = f"{CHARACTER}.Level"
EXP: Final = f"{CHARACTER}.Exp"
PLAYER_ID: Final = "key.PlayerUId"
#: The level of a character whose level is not stored.
FIRST_LEVEL: Final = 1
#: Where a storage has what a world has below `CHARACTER`.
STORED: Final = "SaveParameter"
#: What is shown of a pal, and where its id is: in a world, and in a storage.
PAL_VALUES: Final = (
    "NickName",
    "Level",
    "OwnerPlayerUId",
    "Rank",
    "Gender",
    "Talent_HP",
    "Talent_Shot",
    "Talent_Defense",
    "PassiveSkillList",
    "GotWorkSuitabilityAddRankList",
    "CraftSpeeds",
)
PAL_PLACES: Final = (
    *((f"{CHARACTER}.{name}", f"{STORED}.{name}") for name in PAL_VALUES),
    ("key.InstanceId", "InstanceId.InstanceId"),
)
GUILD_ID: Final = "value.RawData.group_id"
PAL_FIELDS: Final = (GUILD_ID, *chain.from_iterable(PAL_PLACES))
#: The owner of what has no owner.
NO_ONE: Final = "00000000-00000000-00000000-00000000"


def level_of(value: object) -> int:
    """Return a level; the first one if none is stored."""
    return value if isinstance(value, int) else FIRST_LEVEL


class Pal(NamedTuple):
    """A pal: "" for a text that it has not."""

    name: str
    level: int
    #: Ids of owner, guild, and its own.
    owner: str
    guild: str
    id: str
    #: How often it was condensed, plus one.
    rank: int
    gender: str
    #: 0 to 100: of health, attack and defense.
    talents: tuple[int, int, int]
    passives: str
    #: Ranks of work: `Mining 2`; since game 0.5 only those added to what its species has: `Mining +1`.
    work: str


def pal_of(values: Mapping[str, object]) -> Pal:
    """Return the pal with these `PAL_FIELDS`."""
    found = [values.get(world, values.get(storage)) for world, storage in PAL_PLACES]
    nick, level, owner, rank, gender, health, attack, defense, passives, added, ranks, number = found
    return Pal(
        str(nick or ""),
        level_of(level),
        "" if owner is None or str(owner) == NO_ONE else str(owner),
        str(values.get(GUILD_ID, "")),
        str(number or ""),
        level_of(rank),
        str(gender or "").rpartition("::")[2],
        (number_of(health), number_of(attack), number_of(defense)),
        ", ".join(map(str, passives)) if isinstance(passives, list) else "",
        ", ".join([*_works(ranks, ""), *_works(added, "+")]),
    )


def _works(value: object, sign: str) -> Iterator[str]:
    """Yield name and rank of each work that a pal can do."""
    for each in dicts(value):
        rank = number_of(each.get("Rank"))
        if rank:
            yield f"{str(each.get('WorkSuitability', '')).rpartition('::')[2]} {sign}{rank}"


def number_of(value: object) -> int:
    """Return a number; 0 if none is stored."""
    return value if isinstance(value, int) else 0


# --- guilds ---

MEMBERS: Final = "value.RawData.players"
ADMIN: Final = "value.RawData.admin_player_uid"
BASES: Final = "value.RawData.base_ids"
BASE_LEVEL: Final = "value.RawData.base_camp_level"
GUILD_FIELDS: Final = (GUILD_ID, MEMBERS, ADMIN, BASES, BASE_LEVEL)
#: The container that is a guild's chest.
CHEST: Final = "value.GuildItemStorage.RawData.container_id"


def members_of(value: object) -> list[tuple[str, str]]:
    """Return id and name of each member of a guild, of its `MEMBERS`."""
    return [(str(member.get("player_uid", "")), str(member.get("player_name", ""))) for member in dicts(value)]


def guild_of(values: Mapping[str, object]) -> tuple[object, int, list[str], str]:
    """Return level (""; none), number of bases, names of members (the admin first) and id, of the `GUILD_FIELDS` of a guild."""
    bases = values.get(BASES)
    count = len(bases) if isinstance(bases, list) else 0
    return values.get(BASE_LEVEL, ""), count, [name for _, name in _admin_first(values)], str(values.get(GUILD_ID, ""))


def _admin_first(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return id and name of each member of a guild, the admin first."""
    admin = str(values.get(ADMIN, ""))
    return sorted(members_of(values.get(MEMBERS)), key=lambda member: member[0] != admin)


# --- items ---

SLOT_LIST: Final = "Slots"
SLOTS: Final = f"value.{SLOT_LIST}"


#: Of a map object: the container in it, and the guild that it belongs to.
STORED_IN: Final = 'ConcreteModel.ModuleMap["EPalMapObjectConcreteModelModuleType::ItemContainer"].RawData.target_container_id'
BUILDING_GUILD: Final = "Model.RawData.group_id_belong_to"
STORE_FIELDS: Final = (STORED_IN, BUILDING_GUILD)


def store_of(values: Mapping[str, object]) -> tuple[str, str]:
    """Return the ids of the container in a map object, and of its guild, of its `STORE_FIELDS`; "": none."""
    guild = str(values.get(BUILDING_GUILD, ""))
    return str(values.get(STORED_IN, "")), "" if guild == NO_ONE else guild


def items_of(value: object) -> Iterator[tuple[str, object, object]]:
    """Yield item, number and index of each slot of a container that is not empty."""
    for slot in dicts(value):
        data = slot.get("RawData")
        if isinstance(data, dict) and "item_id" in data:
            item, count, index = data["item_id"], data.get("stack_count"), data.get("slot_index")
            name = item.get("static_id") if isinstance(item, dict) else None
        else:
            item, count, index = slot.get("ItemId"), slot.get("StackCount"), slot.get("SlotIndex")
            name = item.get("StaticId") if isinstance(item, dict) else None
        if name and name != "None":
            yield str(name), count, index


def dicts(value: object) -> Iterator[dict[str, object]]:
    """Yield the dicts in a list."""
    for part in value if isinstance(value, list) else ():
        if isinstance(part, dict):
            yield part


# --- the world: who and what belongs together ---

#: Where a player jumped last: a world has no other place of a player.
LAST_JUMP: Final = f"{CHARACTER}.LastJumpedLocation"
OWNER: Final = f"{CHARACTER}.OwnerPlayerUId"
#: The container that a pal is in, in the two spellings of the game.
SLOT_CONTAINERS: Final = (f"{CHARACTER}.SlotId.ContainerId.ID", f"{CHARACTER}.SlotID.ContainerId.ID")
#: The container of the pals that work at a base; the guild of a base.
WORKERS: Final = "value.WorkerDirector.RawData.container_id"
BASE_GUILD: Final = "value.RawData.group_id_belong_to"
BASE_NAME: Final = "value.RawData.name"
BASE_ID: Final = "value.RawData.id"
#: What the game calls a base that nobody has named: "name of a new base, template 3 (provisional)".
NOT_NAMED: Final = re.compile(r"^新規生成拠点テンプレート名\d*\(仮\)$")
#: In a player's file: the containers that the player carries, in the two spellings of the game.
INVENTORIES: Final = ("SaveData.InventoryInfo", "SaveData.inventoryInfo")
#: The struct that has the clock of a world, in the struct that has all else; ticks of a second and of a day.
CLOCK: Final = "GameTimeSaveData"
WORLD_DATA: Final = "worldSaveData"
SECOND: Final = 10_000_000
DAY: Final = 24 * 60 * 60 * SECOND
WORLD_OBJECTS: Final = ("kind = player", "kind = pal", "kind = guild", "kind = guild-extra", "kind = base")
WORLD_FIELDS: Final = (
    *(LEVEL, PLAYER_ID, LAST_JUMP, OWNER, *SLOT_CONTAINERS),
    *(*GUILD_FIELDS, CHEST, WORKERS, BASE_GUILD, BASE_NAME, BASE_ID),
)
#: x, y and z in centimetres; None: the save has none.
Place: TypeAlias = tuple[float, float, float] | None


class Player(NamedTuple):
    """A player of a world."""

    id: str
    name: str
    level: int
    #: The id of the player's guild; "": none.
    guild: str
    #: When the player was last online, in the ticks of the real time of the world's clock; None: unknown.
    seen: int | None
    #: How many pals the player owns: those that work at a base belong to its guild since game 0.5.
    pals: int
    #: Where the player jumped last.
    place: Place


class Guild(NamedTuple):
    """A guild of a world."""

    id: str
    name: str
    #: Level of its bases; "": the save has none.
    level: int | str
    #: Ids of its members, the admin first.
    members: list[str]
    #: Ids of its bases that the world has.
    bases: list[str]
    #: The id of the container that is its chest; "": none.
    chest: str
    #: How many pals belong to it and to its members.
    pals: int


class Base(NamedTuple):
    """A base camp."""

    id: str
    #: "": nobody has named it.
    name: str
    #: The id of its guild.
    guild: str
    place: Place
    #: How many pals work there.
    workers: int


class World(NamedTuple):
    """Players, guilds and bases of a world, by id, in the order of the save."""

    players: dict[str, Player]
    guilds: dict[str, Guild]
    bases: dict[str, Base]
    #: Id of each member of a guild that the world has no character of -> name, and id of the guild.
    others: dict[str, tuple[str, str]]
    #: How many pals of each species there are.
    species: Counter[str]

    def name_of(self, player: str) -> str:
        """Return the name of a player with an id; the id if there is no such player."""
        return self.players[player].name if player in self.players else self.others.get(player, (player, ""))[0]

    def players_called(self, text: str) -> list[str]:
        """Return the ids of the players with a name or an id."""
        return ids_called(text, {each: self.name_of(each) for each in (*self.players, *self.others)})

    def guild_with(self, player: str, guild: str = "") -> str:
        """Return the id of the guild of a player; else the one with this id; "" if the world has neither."""
        own = self.players[player].guild if player in self.players else self.others.get(player, ("", ""))[1]
        return next((each for each in (own, guild) if each in self.guilds), "")

    def guild_name(self, guild: str) -> str:
        """Return the name of the guild with an id; "" if there is none."""
        return self.guilds[guild].name if guild in self.guilds else ""


class FoundObject(Protocol):
    """What a selection gives for an object."""

    @property
    def class_name(self) -> str:
        """Its class: of a pal, the species."""

    @property
    def instance_name(self) -> str:
        """Its name."""

    @property
    def position(self) -> Place:
        """Its place."""

    @property
    def fields(self) -> Mapping[str, object]:
        """The values that were asked for, by path."""


def bare_id(number: str) -> str:
    """Return an id as the names of files have it: without hyphens, in capitals."""
    return number.replace("-", "").upper()


def ids_called(text: str, names: Mapping[str, str]) -> list[str]:
    """Return the one with an id, or those with a name, of players: id -> name. In any case; the id also without hyphens."""
    wanted = bare_id(text)
    return [each for each in names if bare_id(each) == wanted] or [
        each for each, name in names.items() if name.casefold() == text.casefold()
    ]


def player_file(player: str) -> str:
    """Return the name of the file of a player with an id, from the folder of the world."""
    return f"Players/{bare_id(player)}.sav"


def inventories_of(values: Mapping[str, object]) -> list[str]:
    """Return the ids of the containers that a player carries, of the `INVENTORIES` in the player's file."""
    parts = [part for path in INVENTORIES for part in dicts([values.get(path)])]
    return [str(each["ID"]) for part in parts for each in dicts(list(part.values())) if "ID" in each]


def clock_of(value: object) -> tuple[int, int] | None:
    """Return the day in the game (the first is 1), and the ticks of real time that the world has run, of its `CLOCK`."""
    if not isinstance(value, dict):
        return None
    return number_of(value.get("GameDateTimeTicks")) // DAY + 1, number_of(value.get("RealDateTimeTicks"))


def read_world(found: Iterable[tuple[int, FoundObject]]) -> World:
    """Join the objects of a world: what `select(*WORLD_OBJECTS, fields=WORLD_FIELDS)` gives."""
    kinds: list[list[FoundObject]] = [[] for _ in WORLD_OBJECTS]
    species: Counter[str] = Counter()
    owned: Counter[str] = Counter()
    of_guild: Counter[str] = Counter()
    at: Counter[str] = Counter()
    for number, each in found:
        if number == 1:  # there may be many thousand pals
            values = each.fields
            species[each.class_name] += 1
            owned[str(values.get(OWNER, ""))] += 1
            of_guild[str(values.get(GUILD_ID, ""))] += 1
            at[next((str(values[path]) for path in SLOT_CONTAINERS if path in values), "")] += 1
        else:
            kinds[number].append(each)
    characters, _, groups, extras, camps = kinds
    bases: dict[str, Base] = {}
    for each in camps:
        values = each.fields
        base = str(values.get(BASE_ID, each.instance_name))
        workers = at[str(values.get(WORKERS, "-"))]
        name = NOT_NAMED.sub("", str(values.get(BASE_NAME, "")))
        bases[base] = Base(base, name, str(values.get(BASE_GUILD, "")), each.position, workers)
    chests = {each.instance_name: str(each.fields.get(CHEST, "")) for each in extras}
    guilds: dict[str, Guild] = {}
    members: dict[str, tuple[str, str, int | None]] = {}
    for each in groups:
        stored, _, _, guild = guild_of(each.fields)
        level = stored if isinstance(stored, int) else ""
        ids = [member for member, _ in _admin_first(each.fields)]
        of = [base.id for base in bases.values() if base.guild == guild]
        guilds[guild] = Guild(guild, each.instance_name, level, ids, of, chests.get(guild, ""), of_guild[guild])
        for member in dicts(each.fields.get(MEMBERS)):
            seen = member.get("last_online_real_time")
            about = guild, str(member.get("player_name", "")), seen if isinstance(seen, int) else None
            members[str(member.get("player_uid", ""))] = about
    players: dict[str, Player] = {}
    for each in characters:
        values = each.fields
        player = str(values.get(PLAYER_ID, ""))
        guild, _, last = members.get(player, (str(values.get(GUILD_ID, "")), "", None))
        jump = values.get(LAST_JUMP)
        place = (jump.x, jump.y, jump.z) if isinstance(jump, Vector) else None
        players[player] = Player(player, each.instance_name, level_of(values.get(LEVEL)), guild, last, owned[player], place)
    others = {member: (name, guild) for member, (guild, name, _) in members.items() if member not in players}
    return World(players, guilds, bases, others, species)
