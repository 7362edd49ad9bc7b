"""What the objects of Palworld are to a player: files, selections, paths of properties, and functions of their values.

| what | objects | where |
|---|---|---|
| player, pal | characters of a world; slots of a storage | below `CHARACTER` and in the key; below `STORED` |
| guild | groups with a name | `value.RawData` |
| guild chest | `guild-extra`, with the id of the guild and of the container | `CHEST` |
| item | slots of containers | `SLOTS`: in a blob, or before game 0.4 as properties |

Unreal saves no property that has its default value: a character without a level has the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple

__all__ = [
    "CHARACTER",
    "CHEST",
    "DIMENSIONAL_STORAGE",
    "EXP",
    "FIRST_LEVEL",
    "GAME_CLASSES",
    "GLOBAL_STORAGE",
    "GUILD_FIELDS",
    "GUILD_ID",
    "LEVEL",
    "MEMBERS",
    "NAMES",
    "OTHER_FILES",
    "PAL_FIELDS",
    "PLAYER_ID",
    "SLOTS",
    "SLOT_LIST",
    "STORAGES",
    "WORLD",
    "Pal",
    "guild_of",
    "items_of",
    "level_of",
    "members_of",
    "number_of",
    "pal_of",
]

#: How the classes of the game's files start; that of a world, and those of the storages of pals beside it.
GAME_CLASSES: Final = "/Script/Pal."
WORLD: Final = "/Script/Pal.PalWorldSaveGame"
DIMENSIONAL_STORAGE: Final = "/Script/Pal.PalDimensionPalStorageSaveGame"
GLOBAL_STORAGE: Final = "/Script/Pal.PalGlobalPalStorageSaveGame"
#: What the files of the game are that are no world, by their class.
STORAGES: Final = {
    DIMENSIONAL_STORAGE: "a player's dimensional storage (..._dps.sav)",
    GLOBAL_STORAGE: "the storage that all worlds share (GlobalPalStorage.sav)",
}
OTHER_FILES: Final = {
    **STORAGES,
    "/Script/Pal.PalWorldPlayerSaveGame": "a player's file (Players/ID.sav)",
    "/Script/Pal.PalWorldBaseInfoSaveGame": "the description of a world (LevelMeta.sav)",
    "/Script/Pal.PalWorldOptionSaveGame": "the settings of a world (WorldOption.sav)",
    "/Script/Pal.PalLocalWorldSaveGame": "the map of one player (LocalData.sav)",
}

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
)
PAL_PLACES: Final = (
    *((f"{CHARACTER}.{name}", f"{STORED}.{name}") for name in PAL_VALUES),
    ("key.InstanceId", "InstanceId.InstanceId"),
)
GUILD_ID: Final = "value.RawData.group_id"
PAL_FIELDS: Final = (GUILD_ID, *chain.from_iterable(PAL_PLACES))
#: The owner of a wild pal.
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


def pal_of(values: Mapping[str, object]) -> Pal:
    """Return the pal with these `PAL_FIELDS`."""
    found = [values.get(world, values.get(storage)) for world, storage in PAL_PLACES]
    nick, level, owner, rank, gender, health, attack, defense, passives, number = found
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
    )


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
    admin, bases = str(values.get(ADMIN, "")), values.get(BASES)
    members = sorted(members_of(values.get(MEMBERS)), key=lambda member: member[0] != admin)
    count = len(bases) if isinstance(bases, list) else 0
    return values.get(BASE_LEVEL, ""), count, [name for _, name in members], str(values.get(GUILD_ID, ""))


# --- items ---

SLOT_LIST: Final = "Slots"
SLOTS: Final = f"value.{SLOT_LIST}"


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
