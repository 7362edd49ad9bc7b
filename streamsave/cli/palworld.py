"""`streamsave palworld`: what the owner of a Palworld server asks, as queries over the objects of a world.

| command | joins |
|---|---|
| `players` | players with the guilds that they are members of |
| `pals` | pals with the players who own them, and with the guilds of these |
| `guilds` | nothing |
| `items` | the slots of containers with the guilds whose chests these are |

A world is read twice where the answer joins: first for the names of players and guilds, then for the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click
from attrs import Factory, define

from streamsave.cli.answers import Row, write_answers
from streamsave.cli.inputs import Saves, json_option, saves_argument, where_option
from streamsave.cli.limits import limit_option
from streamsave.cli.run import visit_saves
from streamsave.cli.save import Save, open_input, selecting
from streamsave.cli.save_names import STDIN
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
    owner = f"{CHARACTER}.OwnerPlayerUId"
    fields = [LEVEL, owner, NICK_NAME, INSTANCE_ID, GUILD_ID]
    for _, found in save.events.select(both("kind = pal", where), fields=fields, sizes=False):
        values = found.fields
        player = str(values.get(owner, ""))
        guild = names.guild_of.get(player) or names.guilds.get(str(values.get(GUILD_ID, "")), "")
        named = found.class_name, values.get(NICK_NAME, ""), values.get(LEVEL, 1)
        yield *named, names.players.get(player, player), guild, str(values.get(INSTANCE_ID, ""))


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

    Where the bases are: streamsave ls Level.sav --where 'kind = base'. Pals by species: streamsave ls --by-class Level.sav
    --where 'kind = pal'. A player's dimensional storage (..._dps.sav): streamsave ls FILE --where 'kind = pal'.
    """


def show(
    saves: Saves,
    columns: tuple[str, ...],
    rows: Callable[[Save, Names, Selection | None], Iterable[Row]],
    where: Selection | None,
    *,
    as_json: bool,
    chests: bool | None = None,
) -> int:
    """Write the rows of each world; `chests`: only those of guild chests, or of all containers (False)."""

    def visit(name: str) -> None:
        if name == STDIN:
            raise click.UsageError("A world is read twice, which standard input cannot be.")
        names = read_names(name, with_chests=chests is not None)
        wanted = where
        if chests:
            only = " or ".join(f'name = "{container}"' for container in names.chests) or "kind = none"
            wanted = both(only, where)
        with selecting(name), open_input(name) as save:
            found = rows(save, names, wanted)
            write_answers(save, columns, found, numbers=NUMBERS, several=saves.several, as_json=as_json)

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

    The owner is the player's id where no guild has such a member. `--where 'name = ...'` finds one pal by its name or id.
    """
    return show(saves, ("species", "name", "level", "owner", "guild", "id"), pal_rows, where, as_json=as_json)


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
