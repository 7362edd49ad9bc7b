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

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

import click
from attrs import Factory, define

from streamsave.cli.answers import Row, Where, answer_options
from streamsave.cli.options import Saves, both
from streamsave.cli.output import FAILED, report
from streamsave.cli.save import Save, open_input, selecting, visit_saves
from streamsave.cli.save_names import STDIN, label_of
from streamsave.consume.conditions import Selection
from streamsave.formats.palworld.game import (
    CHEST,
    GUILD_FIELDS,
    GUILD_ID,
    LEVEL,
    MEMBERS,
    OTHER_FILES,
    PAL_FIELDS,
    PLAYER_ID,
    SLOTS,
    STORAGES,
    WORLD,
    guild_of,
    items_of,
    level_of,
    members_of,
    number_of,
    pal_of,
)

__all__ = ["command"]

#: Columns with numbers.
NUMBERS: Final = ("level", "bases", "count", "slot", "rank", "hp", "attack", "defense")


@define
class Names:
    """The players and guilds of a world."""

    #: Id of a player -> name, and the name of the guild.
    players: dict[str, tuple[str, str]] = Factory(dict)
    #: Id of a guild -> name.
    guilds: dict[str, str] = Factory(dict)
    #: Id of a container -> the name of the guild whose chest it is.
    chests: dict[str, str] = Factory(dict)


def read_names(name: str, *, storages: bool) -> Names | str:
    """Read the names of guilds and their members, and which containers are chests of guilds.

    Args:
        name: of the save.
        storages: the command reads storages of pals, too.

    Returns:
        The names; or what the file is, if the command cannot read it.

    Raises:
        SaveError: it is no save.
        OSError: it cannot be read.
    """
    names = Names()
    chests: dict[str, str] = {}
    with open_input(name) as save:
        start = save.start()
        kind = str(getattr(start.header, "save_game_class", ""))
        if kind != WORLD and not (storages and kind in STORAGES):
            shown = OTHER_FILES.get(kind) or f"no world of Palworld: {save.events.format.name} {kind}".rstrip()
            return f"this is {shown}; the world, Level.sav, is wanted{', or a storage of pals' if storages else ''}"
        for number, found in save.events.select("kind = guild", "kind = guild-extra", fields=[GUILD_ID, MEMBERS, CHEST]):
            if number == 1:
                chests[str(found.fields.get(CHEST, ""))] = found.instance_name
                continue
            names.guilds[str(found.fields.get(GUILD_ID, ""))] = found.instance_name
            for player, player_name in members_of(found.fields.get(MEMBERS)):
                names.players[player] = player_name, found.instance_name
    names.chests = {container: names.guilds.get(guild, guild) for container, guild in chests.items()}
    return names


# --- rows ---


def player_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield name, level, guild and id of each player."""
    for _, found in save.events.select(both("kind = player", where), fields=[LEVEL, PLAYER_ID], sizes=False):
        player = str(found.fields.get(PLAYER_ID, ""))
        yield found.instance_name, level_of(found.fields.get(LEVEL)), names.players.get(player, ("", ""))[1], player


def pal_rows(save: Save, names: Names, where: Selection | None, player: str = "") -> Iterator[Row]:
    """Yield a row of `pals` for each pal, or each one of a player with this name or id."""
    for _, found in save.events.select(both("kind = pal", where), fields=PAL_FIELDS, sizes=False):
        pal = pal_of(found.fields)
        owner, guild = names.players.get(pal.owner, (pal.owner, ""))
        if not player or player in {owner, pal.owner}:
            guild = guild or names.guilds.get(pal.guild, "")
            about = found.class_name, pal.name, pal.level, owner, guild, pal.id
            yield *about, pal.rank, pal.gender, *pal.talents, pal.passives


def guild_rows(save: Save, _: Names, where: Selection | None) -> Iterator[Row]:
    """Yield name, level, number of bases, members (the admin first) and id of each guild."""
    for _number, found in save.events.select(both("kind = guild", where), fields=GUILD_FIELDS, sizes=False):
        level, bases, members, guild = guild_of(found.fields)
        yield found.instance_name, level, bases, ", ".join(members), guild


def item_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield item, number and guild whose chests it is in, of each item: the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for item, count, guild, *_ in slot_rows(save, names, where):
        counts[str(item), str(guild)] += number_of(count)
    for (item, guild), count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield item, count, guild


def slot_rows(save: Save, names: Names, where: Selection | None) -> Iterator[Row]:
    """Yield item, number, guild whose chest it is in, container and slot of each slot that is not empty."""
    for _, found in save.events.select(both("kind = container", where), fields=[SLOTS], sizes=False):
        guild = names.chests.get(found.instance_name, "")
        for item, count, index in items_of(found.fields.get(SLOTS)):
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
    where: Where,
    rows: Callable[[Save, Names, Selection | None], Iterable[Row]],
    *,
    as_json: bool,
    chests: bool = False,
    storages: bool = False,
) -> int:
    """Write the rows of each world; `chests`: only those of guild chests.

    With `storages`, storages of pals are read like worlds.
    """

    def visit(name: str) -> int:
        if name == STDIN:
            raise click.UsageError("A world is read twice, which standard input cannot be.")
        names = read_names(name, storages=storages)
        if isinstance(names, str):
            report(label_of(name), names)
            return FAILED
        wanted: Selection | None = where.objects
        if chests:
            only = " or ".join(f'instance_name = "{container}"' for container in names.chests) or "kind = none"
            wanted = both(only, wanted)
        with selecting(name), open_input(name) as save:
            where.write(save, rows(save, names, wanted), numbers=NUMBERS, several=saves.several, as_json=as_json)
        return 0

    return visit_saves(saves, visit)


@command.command("players", short_help="Players with level and guild.")
@answer_options
def players(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the players: name, level, guild, id.

    Columns in --where: name, level, guild, id.
    """
    return show(saves, Where(where, ("name", "level", "guild", "id")), player_rows, as_json=as_json)


@command.command("pals", short_help="Pals with species, level and owner.")
@answer_options
@click.option("--player", default="", metavar="NAME|ID", help="Only the pals of this player.")
def pals(saves: Saves, where: tuple[str, ...], player: str, as_json: bool) -> int:
    """List the pals: species, name, level, owner, guild, id, rank, gender, hp, attack, defense, passives.

    hp, attack and defense are its talents, 0 to 100. Two players of one name are told apart by their ids, which `players` lists.

    SAVE is a world, or a storage of pals. The owner is the player's id where no guild has such a member, as in storages; a wild
    pal has none.

    Columns in --where: all: 'owner = Anna and level > 15', 'passives ~ Legend'. `instance_name = ...` finds a pal by name or id.
    """
    columns = ("species", "name", "level", "owner", "guild", "id", "rank", "gender", "hp", "attack", "defense", "passives")
    return show(saves, Where(where, columns), partial(pal_rows, player=player), as_json=as_json, storages=True)


@command.command("guilds", short_help="Guilds with their members.")
@answer_options
def guilds(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the guilds: name, level, number of bases, members (the admin first), id.

    Columns in --where: name, level, bases, members, id.
    """
    return show(saves, Where(where, ("name", "level", "bases", "members", "id")), guild_rows, as_json=as_json)


@command.command("items", short_help="Items in containers, or in guild chests.")
@answer_options
@click.option("--guild-chests", is_flag=True, help="Only what is in the chests of guilds.")
@click.option("--slots", is_flag=True, help="List each slot: item, number, guild, container, slot.")
def items(saves: Saves, where: tuple[str, ...], *, guild_chests: bool, slots: bool, as_json: bool) -> int:
    """Sum the items in all containers: item, number, guild whose chests they are in.

    Columns in --where: item, count, guild, compared after the sum; with --slots item, count, guild, container, slot.
    """
    columns = ("item", "count", "guild", "container", "slot") if slots else ("item", "count", "guild")
    return show(saves, Where(where, columns), slot_rows if slots else item_rows, as_json=as_json, chests=guild_chests)
