"""`streamsave palworld`: what the owner of a Palworld server asks, as queries over the objects of a world.

| command | joins |
|---|---|
| `players` | players with the guilds that they are members of |
| `pals` | pals with the players who own them, and with the guilds of these |
| `guilds` | nothing |
| `items` | the slots of containers with the guilds whose chests these are |

A world is read twice where the answer joins: first for the names of players and guilds, then for the rows. A storage of pals is a
file of its own, without guilds: `pals` lists it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import click
from attrs import Factory, define

from streamsave.cli.answers import Row, write_answers
from streamsave.cli.inputs import Saves, json_option, saves_argument, where_option
from streamsave.cli.limits import limit_option
from streamsave.cli.output import FAILED, report
from streamsave.cli.run import visit_saves
from streamsave.cli.save import Save, open_input, selecting
from streamsave.cli.save_names import STDIN, label_of
from streamsave.events import SaveStart
from streamsave.formats.gvas.profiles import DIMENSIONAL_STORAGE, GLOBAL_STORAGE, PALWORLD
from streamsave.query.parser import parse_selection
from streamsave.report.items import slot_of

if TYPE_CHECKING:
    from streamsave.query.tests import Selection

__all__ = ["command"]

CHARACTER: Final = "value.RawData.object.SaveParameter"
LEVEL: Final = f"{CHARACTER}.Level"
PLAYER_ID: Final = "key.PlayerUId"
INSTANCE_ID: Final = "key.InstanceId"
NICK_NAME: Final = f"{CHARACTER}.NickName"
MEMBERS: Final = "value.RawData.players"
GUILD_ID: Final = "value.RawData.group_id"
ADMIN: Final = "value.RawData.admin_player_uid"
BASES: Final = "value.RawData.base_ids"
BASE_LEVEL: Final = "value.RawData.base_camp_level"
CHEST: Final = "value.GuildItemStorage.RawData.container_id"
SLOTS: Final = "value.Slots"
#: Where a storage of pals has what a world has below `CHARACTER` and in the key.
STORED: Final = "SaveParameter"
STORED_ID: Final = "InstanceId.InstanceId"
#: The owner of a pal that nobody owns.
NO_ONE: Final = "00000000-00000000-00000000-00000000"

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

#: Columns with numbers.
NUMBERS: Final = ("level", "bases", "count", "slot")


@define
class Names:
    """The players and guilds of a world."""

    #: Id of a player -> name.
    players: dict[str, str] = Factory(dict)
    #: Id of a player -> the name of the guild.
    guild_of: dict[str, str] = Factory(dict)
    #: Id of a guild -> name.
    guilds: dict[str, str] = Factory(dict)
    #: Id of a container -> the name of the guild whose chest it is.
    chests: dict[str, str] = Factory(dict)


def what_is_wrong(name: str, *, storages: bool) -> str:
    """Return why a file is not for a command; "" if it is. `storages`: the command reads storages of pals, too.

    Raises:
        SaveError: it is no save.
        OSError: it cannot be read.
    """
    with open_input(name) as save:
        start = next(save.events)
        assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event
        kind = str(getattr(start.header, "save_game_class", ""))
        if kind == PALWORLD or (storages and kind in STORAGES):
            return ""
        shown = OTHER_FILES.get(kind) or f"no world of Palworld: {save.events.format.name} {kind}".rstrip()
        return f"this is {shown}; the world, Level.sav, is wanted{', or a storage of pals' if storages else ''}"


def read_names(name: str, *, with_chests: bool = False) -> Names:
    """Read the names of guilds and their members and, if wanted, which containers are their chests."""
    names = Names()
    chests: dict[str, str] = {}
    with open_input(name) as save:
        wanted = ["kind = guild", "kind = guild-extra"] if with_chests else ["kind = guild"]
        for number, found in save.events.select(*wanted, fields=[GUILD_ID, MEMBERS, CHEST]):
            if number == 1:
                chests[str(found.fields.get(CHEST, ""))] = found.instance_name
                continue
            guild = str(found.fields.get(GUILD_ID, ""))
            names.guilds[guild] = found.instance_name
            for member in parts(found.fields.get(MEMBERS)):
                player = str(member.get("player_uid", ""))
                names.players[player] = str(member.get("player_name", ""))
                names.guild_of[player] = found.instance_name
    names.chests = {container: names.guilds.get(guild, guild) for container, guild in chests.items()}
    return names


def parts(value: object) -> Iterator[dict[str, object]]:
    """Yield the dicts in a list."""
    for part in value if isinstance(value, list) else ():
        if isinstance(part, dict):
            yield part


def both(selection: str, where: Selection | None) -> Selection:
    """Return the selection of a command, and what `--where` adds."""
    parsed = parse_selection(selection)
    return parsed if where is None else parsed & where


# --- rows ---


def player_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield name, level, guild and id of each player."""
    for _, found in save.events.select(both("kind = player", where), fields=[LEVEL, PLAYER_ID], sizes=False):
        player = str(found.fields.get(PLAYER_ID, ""))
        yield found.instance_name, found.fields.get(LEVEL, 1), names.guild_of.get(player, ""), player


def pal_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield species, name, level, owner, guild and id of each pal."""
    places = [(f"{CHARACTER}.{name}", f"{STORED}.{name}") for name in ("NickName", "Level", "OwnerPlayerUId")]
    places.append((INSTANCE_ID, STORED_ID))
    fields = [GUILD_ID, *chain.from_iterable(places)]
    for _, found in save.events.select(both("kind = pal", where), fields=fields, sizes=False):
        values = found.fields
        nick, level, owner, number = (values.get(world, values.get(storage)) for world, storage in places)
        player = "" if owner is None or str(owner) == NO_ONE else str(owner)
        guild = names.guild_of.get(player) or names.guilds.get(str(values.get(GUILD_ID, "")), "")
        shown = found.class_name, nick or "", 1 if level is None else level
        yield *shown, names.players.get(player, player), guild, str(number or "")


def guild_rows(save: Save, _: Names, where: Selection | None) -> Iterator[Row]:
    """Yield name, level, number of bases, members (the admin first) and id of each guild."""
    fields = [GUILD_ID, MEMBERS, ADMIN, BASES, BASE_LEVEL]
    for _number, found in save.events.select(both("kind = guild", where), fields=fields, sizes=False):
        values = found.fields
        admin = str(values.get(ADMIN, ""))
        members = sorted(parts(values.get(MEMBERS)), key=lambda member: str(member.get("player_uid", "")) != admin)
        bases = values.get(BASES)
        count = len(bases) if isinstance(bases, list) else 0
        shown = ", ".join(str(member.get("player_name", "")) for member in members)
        yield found.instance_name, values.get(BASE_LEVEL, ""), count, shown, str(values.get(GUILD_ID, ""))


def item_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield item, number, guild whose chest it is in, container and slot of each slot that is not empty."""
    for _, found in save.events.select(both("kind = container", where), fields=[SLOTS], sizes=False):
        guild = names.chests.get(found.instance_name, "")
        for slot in parts(found.fields.get(SLOTS)):
            item, count, index = slot_of(slot)
            if item and item != "None":
                yield item, count, guild, found.instance_name, index


# --- commands ---


@click.group("palworld", short_help="Players, pals, guilds and items of Palworld worlds.")
def command() -> None:
    """Answer what the owner of a server asks of a world (Level.sav): in a pipe a row a line, with --json a JSON object.

    Other files of the game are refused; but pals are also listed of storages: a player's dimensional storage (..._dps.sav), and
    GlobalPalStorage.sav.

    Where the bases are: streamsave ls Level.sav --where 'kind = base'. Pals by species: streamsave ls --by-class Level.sav
    --where 'kind = pal'.
    """


def show(
    saves: Saves,
    columns: tuple[str, ...],
    rows: Callable[[Save, Names, Selection | None], Iterable[Row]],
    where: Selection | None,
    *,
    as_json: bool,
    chests: bool | None = None,
    storages: bool = False,
) -> int:
    """Write the rows of each world; `chests`: only those of guild chests, or of all containers (False).

    With `storages`, storages of pals are read like worlds.
    """

    def visit(name: str) -> int:
        if name == STDIN:
            raise click.UsageError("A world is read twice, which standard input cannot be.")
        fault = what_is_wrong(name, storages=storages)
        if fault:
            report(label_of(name), fault)
            return FAILED
        names = read_names(name, with_chests=chests is not None)
        wanted = where
        if chests:
            only = " or ".join(f'name = "{container}"' for container in names.chests) or "kind = none"
            wanted = both(only, where)
        with selecting(name), open_input(name) as save:
            found = rows(save, names, wanted)
            write_answers(save, columns, found, numbers=NUMBERS, several=saves.several, as_json=as_json)
        return 0

    return visit_saves(saves, visit)


@command.command("players", short_help="Players with level and guild.")
@saves_argument
@where_option
@json_option
@limit_option
def players(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """List the players: name, level, guild, id."""
    return show(saves, ("name", "level", "guild", "id"), player_rows, where, as_json=as_json)


@command.command("pals", short_help="Pals with species, level and owner.")
@saves_argument
@where_option
@json_option
@limit_option
def pals(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """List the pals: species, name, level, owner, guild, id.

    SAVE is a world, or a storage of pals. The owner is the player's id where no guild has such a member, as in storages.
    `--where 'name = ...'` finds one pal by its name or id.
    """
    return show(saves, ("species", "name", "level", "owner", "guild", "id"), pal_rows, where, as_json=as_json, storages=True)


@command.command("guilds", short_help="Guilds with their members.")
@saves_argument
@where_option
@json_option
@limit_option
def guilds(saves: Saves, where: Selection | None, as_json: bool) -> int:
    """List the guilds: name, level, number of bases, members (the admin first), id."""
    return show(saves, ("name", "level", "bases", "members", "id"), guild_rows, where, as_json=as_json)


@command.command("items", short_help="Items in containers, or in guild chests.")
@saves_argument
@click.option("--guild-chests", is_flag=True, help="Only what is in the chests of guilds.")
@where_option
@json_option
@limit_option
def items(saves: Saves, guild_chests: bool, where: Selection | None, as_json: bool) -> int:
    """List the items in all containers: item, number, guild whose chest it is, container, slot."""
    columns = ("item", "count", "guild", "container", "slot")
    return show(saves, columns, item_rows, where, as_json=as_json, chests=guild_chests)
