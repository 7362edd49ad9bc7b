"""`streamsave palworld`: what the owner of a Palworld server asks, as queries over the objects of a world.

| command | joins |
|---|---|
| `players` | players with their guilds, its bases, and the pals that they own |
| `pals` | pals with the players who own them, and with the guilds of these |
| `guilds` | guilds with their members and pals, and the slots of their containers |
| `bases` | bases with their guilds and the pals that work there |
| `items` | the slots of containers with the guilds that these belong to; the containers of a player are in the player's file |

A world is read twice: first to join players, guilds and bases (`read_world`), then for the rows. A storage of pals is a file of
its own, without guilds: `pals` lists it, too.

The module is long because it has a command for each question.
"""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Final

import click

from streamsave.cli.answers import Answer, OtherFile, Row, Where, answer_options, read_answers, visit_worlds
from streamsave.cli.options import Saves, both, refuse, shown_names_options
from streamsave.cli.save import Save, open_input, selecting
from streamsave.cli.save_names import is_read_once
from streamsave.cli.text import clean, quoted
from streamsave.consume.conditions import Selection
from streamsave.consume.values import named_values
from streamsave.formats.palworld.game import (
    BASE_ID,
    CLOCK,
    GUILD_ID,
    INVENTORIES,
    OTHER_FILES,
    PAL_FIELDS,
    PLAYER_ID,
    SECOND,
    SLOTS,
    STORAGES,
    STORE_FIELDS,
    WORLD,
    WORLD_DATA,
    WORLD_FIELDS,
    WORLD_OBJECTS,
    World,
    bare_id,
    clock_of,
    inventories_of,
    items_of,
    number_of,
    pal_of,
    player_file,
    read_world,
    store_of,
)

__all__ = ["BASES", "GUILDS", "PLAYERS", "command", "open_world"]

#: An id without hyphens.
ID: Final = re.compile("[0-9A-F]{32}")


def open_world(name: str, *, storages: bool) -> World:
    """Read who and what belongs together in a world; a storage of pals is an empty one.

    Args:
        name: of the save.
        storages: the command reads storages of pals, too.

    Raises:
        SaveError: it is no save.
        OSError: it cannot be read, or is another file, which the text names.
    """
    with open_input(name) as save:
        kind = str(getattr(save.start().header, "save_game_class", ""))
        if kind != WORLD and not (storages and kind in STORAGES):
            shown = OTHER_FILES.get(kind) or f"no world of Palworld: {save.events.format.name} {kind}".rstrip()
            wanted = f"the world, Level.sav, is wanted{', or a storage of pals' if storages else ''}"
            raise (OtherFile if kind in OTHER_FILES else OSError)(errno.EINVAL, f"this is {shown}; {wanted}")
        return read_world(save.events.select(*WORLD_OBJECTS, fields=WORLD_FIELDS, sizes=False) if kind == WORLD else ())


def find_player(world: World, text: str, *, storages: bool) -> str:
    """Return the id of the player with a name or an id.

    Raises:
        OSError: there is none, or more than one.
    """
    ids = world.players_called(text)
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise OSError(errno.EINVAL, f"{len(ids)} players are called {quoted(text)}; give the id of one: {', '.join(ids)}")
    if storages and not world.players and ID.fullmatch(bare_id(text)):
        return "-".join(wrap(bare_id(text), 8))
    names = ", ".join(clean(player.name) for player in world.players.values())
    raise OSError(errno.EINVAL, f"no player is called {quoted(text)}: {names or 'a storage has only ids of players'}")


# --- rows ---


def player_rows(name: str, world: World, ids: list[str]) -> Iterator[Row]:
    """Yield a row of `players` for each player."""
    with open_input(name) as save:
        clock = clock_of(named_values(save.events, {CLOCK}, {WORLD_DATA}).get(CLOCK))
    for player in (world.players[each] for each in ids):
        guild = world.guilds.get(player.guild)
        bases = [] if guild is None else guild.bases
        ago = "" if clock is None or player.seen is None else (clock[1] - player.seen) // SECOND
        about = player.name, player.level, world.guild_name(player.guild), player.id
        yield *about, ago, player.pals, len(bases), world.bases[bases[0]].place if bases else None, player.place


PLAYERS: Final = Answer(
    ("name", "level", "guild", "id", "last_seen", "pals", "bases", "base", "place"),
    {"kind = player": lambda found: str(found.fields.get(PLAYER_ID, ""))},
    (PLAYER_ID,),
    player_rows,
)


def pal_rows(save: Save, world: World, where: Selection | None) -> Iterator[Row]:
    """Yield a row of `pals` for each pal."""
    for _, found in save.events.select(both("kind = pal", where), fields=PAL_FIELDS, sizes=False):
        pal = pal_of(found.fields)
        guild = world.guild_name(world.guild_with(pal.owner, pal.guild))
        about = found.class_name, pal.name, pal.level, world.name_of(pal.owner), guild, pal.id
        yield *about, pal.rank, pal.gender, *pal.talents, pal.passives, pal.work, pal.owner


def guild_rows(
    _: str, world: World, ids: list[str], containers: list[tuple[str, int]], stores: list[tuple[str, str]]
) -> Iterator[Row]:
    """Yield a row of `guilds` for each guild."""
    counts, stored = Counter(dict(containers)), Counter[str]()
    for container, owner in owners_of(world, stores).items():
        stored[owner] += counts[container]
    for guild in (world.guilds[each] for each in ids):
        members = ", ".join(world.name_of(member) for member in guild.members)
        about = guild.name, guild.level, len(guild.bases), members, guild.id, guild.pals
        yield *about, counts[guild.chest] if guild.chest else "", stored[guild.id]


GUILDS: Final = Answer(
    ("name", "level", "bases", "members", "id", "pals", "chest", "stored"),
    {
        "kind = guild": lambda found: str(found.fields.get(GUILD_ID, "")),
        "kind = container": lambda found: (
            found.instance_name,
            sum(number_of(count) for _, count, _ in items_of(found.fields.get(SLOTS))),
        ),
        "kind = map-object": lambda found: store_of(found.fields),
    },
    (GUILD_ID, SLOTS, *STORE_FIELDS),
    guild_rows,
)


def base_rows(_: str, world: World, ids: list[str]) -> Iterator[Row]:
    """Yield a row of `bases` for each base camp."""
    for base in (world.bases[each] for each in ids):
        yield world.guild_name(base.guild), base.workers, base.place, base.name, base.id, base.guild


BASES: Final = Answer(
    ("guild", "workers", "place", "name", "id", "guild_id"),
    {"kind = base": lambda found: str(found.fields.get(BASE_ID, found.instance_name))},
    (BASE_ID,),
    base_rows,
)


def item_rows(save: Save, world: World, where: Selection | None) -> Iterator[Row]:
    """Yield a row of `items` for each item of each guild, and of none: the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for item, count, _, _, _, guild in slot_rows(save, world, where):
        counts[str(item), str(guild)] += number_of(count)
    for (item, guild), count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield item, count, world.guild_name(guild), guild


def slot_rows(save: Save, world: World, where: Selection | None) -> Iterator[Row]:
    """Yield a row of `items --slots` for each slot that is not empty."""
    with open_input(save.label) as again:
        stores = again.events.select("kind = map-object", fields=STORE_FIELDS, sizes=False)
        owners = owners_of(world, (store_of(each.fields) for _, each in stores))
    for _, found in save.events.select(both("kind = container", where), fields=[SLOTS], sizes=False):
        guild = owners.get(found.instance_name, "")
        for item, count, index in items_of(found.fields.get(SLOTS)):
            yield item, count, world.guild_name(guild), found.instance_name, index, guild


def owners_of(world: World, stores: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the id of the guild of each chest of a guild, and of each of these containers that is in a building of one."""
    owners = {guild.chest: guild.id for guild in world.guilds.values() if guild.chest}
    return owners | {container: guild for container, guild in stores if container and guild in world.guilds}


def containers(ids: Iterable[str]) -> str:
    """Return the selection of the containers with these ids."""
    names = [f'instance_name = "{each}"' for each in ids]
    return f"kind = container and ({' or '.join(names) or 'kind = none'})"


# --- commands ---


@click.group("palworld", short_help="Players, pals, guilds, bases and items of Palworld worlds.")
def command() -> None:
    """Answer what the owner of a server asks of a world (Level.sav): in a pipe a row a line, with --json a JSON object.

    Other files of the game are refused, and passed over in a folder; but pals are also listed of storages: a player's dimensional
    storage (..._dps.sav), and GlobalPalStorage.sav.

    Pals by species: streamsave ls --by-class Level.sav --where "kind = pal".
    """


def show(
    saves: Saves,
    where: Where,
    rows: Callable[[Save, World, Selection | None], Iterable[Row]],
    *,
    as_json: bool,
    storages: bool = False,
    player: str = "",
    wanted: Callable[[str, World, str], str] | None = None,
) -> int:
    """Write the rows of each world.

    Args:
        saves: the worlds.
        where: what `--where` says.
        rows: makes the rows.
        as_json: write JSON.
        storages: storages of pals are read like worlds.
        player: name or id of the only player that is wanted.
        wanted: returns the selection of what is wanted, from the name of the save, its world and the id of that player.
    """

    def visit(name: str) -> int:
        refuse(is_read_once(name), "A world is read twice, which a pipe cannot be.")
        world = open_world(name, storages=storages)
        number = find_player(world, player, storages=storages) if player else ""
        objects = where.objects if wanted is None else both(wanted(name, world, number), where.objects)
        with selecting(name), open_input(name) as save:
            where.write(save, rows(save, world, objects), several=saves.several, as_json=as_json)
        return 0

    return visit_worlds(saves, visit)


def show_answer(saves: Saves, where: tuple[str, ...], answer: Answer, *, as_json: bool) -> int:
    """Write the rows of an answer about each world."""
    return show(
        saves,
        Where(where, answer.columns),
        lambda save, world, only: read_answers(save, [answer], only, save.label, world)[0],
        as_json=as_json,
    )


@command.command("players", short_help="Players with guild, last time online, pals and place.")
@answer_options
def players(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the players: name, level, guild, id, last_seen, pals, bases, base, place.

    last_seen is how long ago a player was online, in seconds that the world has run: 0 is a player who was there when it was
    saved. pals is how many pals the player owns; since game 0.5, those that work at a base belong to the guild. bases is how
    many bases the guild has, base the place of the first one. place is where the player jumped last: a world has no other.

    Columns in --where: all: 'last_seen > 86400 and pals = 0'.
    """
    return show_answer(saves, where, PLAYERS, as_json=as_json)


player_option: Final = click.option(
    "--player", default="", metavar="NAME|ID", help="Only those of this player. If two have one name, give the id."
)


@command.command("pals", short_help="Pals with species, level, owner, talents and work.")
@answer_options
@player_option
@shown_names_options
def pals(saves: Saves, where: tuple[str, ...], player: str, as_json: bool) -> int:
    """List the pals: species, name, level, owner, guild, id, rank, gender, hp, attack, defense, passives, work, owner_id.

    hp, attack and defense are its talents, 0 to 100. work is what it can do, and the rank; since game 0.5, a save has only the
    ranks that were added to those of the species: 'Mining +1'. owner is the player's id where the world has no name, as in
    storages. A pal that works at a base has no owner since game 0.5, but a guild.

    SAVE is a world, or a storage of pals.

    Columns in --where: all: 'owner = Anna and level > 15', 'passives ~ Legend'. For other commands, the pal with an id is
    'key.InstanceId = ID', in a storage 'InstanceId.InstanceId = ID': `instance_name` is the id only of a pal without a name.
    """
    about = ("species", "name", "level", "owner", "guild", "id")
    columns = (*about, "rank", "gender", "hp", "attack", "defense", "passives", "work", "owner_id")
    wanted = (lambda _name, _world, number: f'outer = "{number}"') if player else None
    return show(saves, Where(where, columns), pal_rows, as_json=as_json, storages=True, player=player, wanted=wanted)


@command.command("guilds", short_help="Guilds with their members, bases and chests.")
@answer_options
def guilds(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the guilds: name, level, bases, members (the admin first), id, pals, chest, stored.

    bases is how many it has, pals how many it and its members own. chest is how many items are in its guild chest, stored how
    many are in all containers at its bases, the guild chest included: `items` lists both.

    Columns in --where: all.
    """
    return show_answer(saves, where, GUILDS, as_json=as_json)


@command.command("bases", short_help="Bases with their guild and place.")
@answer_options
def bases(saves: Saves, where: tuple[str, ...], as_json: bool) -> int:
    """List the bases: guild, workers, place, name, id, guild_id.

    workers is how many pals work there. Each base has a name, which the game does not show.

    Columns in --where: all.
    """
    return show_answer(saves, where, BASES, as_json=as_json)


@command.command("items", short_help="Items in containers, guild chests, or with a player.")
@answer_options
@click.option("--guild-chests", is_flag=True, help="Only what is in the chests of guilds.")
@player_option
@click.option("--slots", is_flag=True, help="List each slot: item, count, guild, container, slot, guild_id.")
@shown_names_options
def items(saves: Saves, where: tuple[str, ...], *, guild_chests: bool, player: str, slots: bool, as_json: bool) -> int:
    """Sum the items in all containers: item, count, guild, guild_id.

    The guild is that whose guild chest or building they are in. With --player, what a player carries: the player's file,
    Players/ID.sav, has to be beside the world.

    Columns in --where: item, count, guild, guild_id, compared after the sum; with --slots also container, slot.
    """
    refuse(guild_chests and player, "A player has no guild chest: give --guild-chests or --player.")

    def wanted(name: str, world: World, number: str) -> str:
        return containers(carried(name, number) if player else [each.chest for each in world.guilds.values() if each.chest])

    columns = ("item", "count", "guild", *(("container", "slot") if slots else ()), "guild_id")
    rows, only = slot_rows if slots else item_rows, wanted if guild_chests or player else None
    return show(saves, Where(where, columns), rows, as_json=as_json, player=player, wanted=only)


def carried(name: str, player: str) -> list[str]:
    """Return the ids of the containers that a player of a world carries.

    Raises:
        SaveError: the player's file is damaged.
        OSError: it is not there.
    """
    with open_input(str(Path(name).parent / player_file(player))) as save:
        found = save.events.select(None, fields=INVENTORIES, sizes=False)
        return [container for _, each in found for container in inventories_of(each.fields)]
