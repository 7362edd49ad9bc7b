"""Rename a player of a Palworld world, or set the level, everywhere in the world.

| value | where it is stored |
|---|---|
| name | `NickName` and, since game 0.5, `FilteredNickName` of the character; `player_name` of the member in the player's guild |
| level | `Level` and `Exp` of the character |

The game computes the level from `Exp` when the player gains some, and the numbers differ between game versions. So both
are set, and must fit those of the other players of the world.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from streamsave.consume.conditions import Selection
from streamsave.consume.parser import parse_selection
from streamsave.consume.stream import EventStream
from streamsave.decode.paths import Step, parse_path
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import SaveStart
from streamsave.formats.palworld.game import (
    EXP,
    GUILD_ID,
    LEVEL,
    MEMBERS,
    NAMES,
    PLAYER_ID,
    WORLD,
    ids_called,
    level_of,
    members_of,
)
from streamsave.rewriting.assignments import Assignment

__all__ = ["player_edits"]


@frozen
class Player:
    """A player of the world."""

    name: str
    number: str
    level: int
    exp: int
    #: The paths of the values that are stored.
    stored: frozenset[str]


class MemberName(Assignment):
    """Set the name of the member of a guild.

    Args:
        number: the id of the member.
        name: the new name.
    """

    def __init__(self, number: str, name: str) -> None:
        super().__init__(f"{MEMBERS}[*].player_name", parse_path(MEMBERS).steps, name)
        self._number = number

    def applied(self, old: object, rest: tuple[Step, ...]) -> tuple[object, int]:
        """Return the list of members with the new name, and how many have it."""
        members = old if isinstance(old, list) else []
        renamed = [str(member.get("player_uid")) == self._number for member in members]
        new = [
            {**member, "player_name": self.value} if is_renamed else member
            for member, is_renamed in zip(members, renamed, strict=True)
        ]
        return new, sum(renamed)


def player_edits(
    events: EventStream, player: str, name: str | None, level: int | None, exp: int | None
) -> list[tuple[Selection, Sequence[Assignment]]]:
    """Return the assignments that rename a player or set the level, each list with a selection of objects.

    Args:
        events: the world, at its start.
        player: the name or the id of the player.
        name: the new name; None: keep it.
        level: the new level; None: keep it.
        exp: the experience points of that level; None: the smallest number of another player of that level.

    Raises:
        UnsupportedSave: it is no world of Palworld.
        EditError: there is no such player, or there are several; the level cannot be set.
        SaveError: the world is damaged.
    """
    start = next(events)
    if not isinstance(start, SaveStart) or getattr(start.header, "save_game_class", "") != WORLD:
        raise UnsupportedSave("this is no world of Palworld (Level.sav): only that has the names and levels of players")
    players, guilds, names = read_players(events)
    ids = ids_called(player, names | {each.number: each.name for each in players})
    if len(ids) > 1:
        raise EditError(f"several players are called {player!r}: name one by its id: {', '.join(ids)}")
    chosen = next((each for each in players if each.number in ids), None)
    if chosen is None:
        named = ", ".join(sorted(each.name or each.number for each in players))
        raise EditError(f"the world has no player {player!r}; it has: {named or 'none'}")
    values: dict[str, object] = {}
    members: list[MemberName] = []
    if name is not None:
        if NAMES[0] not in chosen.stored:
            raise EditError(f"the world has no name of {chosen.number}, and a value that is not stored cannot be added")
        values |= {path: name for path in NAMES if path in chosen.stored}
        members.append(MemberName(chosen.number, name))
    if level is not None:
        values |= {LEVEL: level, EXP: exp_of(level, exp, [each for each in players if each is not chosen])}
        if not chosen.stored >= {LEVEL, EXP}:
            lacks = "experience points" if LEVEL in chosen.stored else "level"
            raise EditError(f"the world has no {lacks} of {player}: what is not stored cannot be added")
    wanted = [Assignment(path, parse_path(path).steps, value) for path, value in values.items()]
    # A guild may still list a member who has left: change all guilds.
    listing = guilds.get(chosen.number, ()) if members else ()
    return [
        (parse_selection(f'kind = player and {PLAYER_ID} = "{chosen.number}"'), wanted),
        *((parse_selection(f'kind = guild and {GUILD_ID} = "{guild}"'), members) for guild in listing),
    ]


def read_players(events: EventStream) -> tuple[list[Player], dict[str, list[str]], dict[str, str]]:
    """Return the players of a world; and id -> ids of the guilds that list the player, and the name there: also of others."""
    players: list[Player] = []
    names: dict[str, str] = {}
    guilds: dict[str, list[str]] = {}
    fields = [*NAMES, LEVEL, EXP, PLAYER_ID, MEMBERS, GUILD_ID]
    for number, found in events.select("kind = player", "kind = guild", fields=fields, sizes=False):
        values = found.fields
        if number == 1:
            for member, name in members_of(values.get(MEMBERS)):
                guilds.setdefault(member, []).append(str(values.get(GUILD_ID)))
                names[member] = name
            continue
        exp = values.get(EXP)
        players.append(
            Player(
                str(values.get(NAMES[0]) or ""),
                str(values.get(PLAYER_ID)),
                level_of(values.get(LEVEL)),
                exp if isinstance(exp, int) else 0,
                frozenset(values),
            )
        )
    return players, guilds, names


def exp_of(level: int, exp: int | None, others: Sequence[Player]) -> int:
    """Return the experience points for a level.

    Raises:
        EditError: `exp` is None, and no other player has this level; or `exp` does not fit the other players.
    """
    if exp is None:
        same = [each.exp for each in others if each.level == level]
        if not same:
            raise EditError(f"no other player has level {level}, which would show its experience points: give them, too (--exp)")
        return min(same)
    for each in others:
        if (each.level < level and each.exp >= exp) or (each.level > level and each.exp <= exp):
            there = f"{each.name} has level {each.level} with {each.exp}"
            raise EditError(f"level {level} with {exp} experience points does not fit: {there}")
    return exp
