"""One entry of a blueprint.

| key | value | |
|---|---|---|
| T | id | |
| X, Y, Z or L | place; L is a building's layer | left out where 0 |
| R | rotation, 0 to 3 | left out where 0 |
| C | configuration of a building, base64; `$value` of an object; null | |
| S | configuration of an island, likewise | |
| B | blueprint of an island's buildings | |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.events import ObjectHeader
from streamsave.formats.shapez2.json_walker import join
from streamsave.formats.shapez2.jsontext import STARTS, JsonTokens, Token
from streamsave.formats.shapez2.places import make_transform

__all__ = ["CONFIGURATION_KEYS", "MOST_MEMBERS", "EntryMember", "entry_header", "read_entry"]

CONFIGURATION_KEYS: Final = frozenset({"C", "S"})
#: Keys of one entry; the game writes nine.
MOST_MEMBERS: Final = 256


class EntryMember:
    """One member of an entry: its key, where it is, and its value if that is a scalar."""

    def __init__(self, key: str, first: Token, end: int, text: str | None) -> None:
        self.key = key
        #: The first token of the value; it claims the key too.
        self.first = first
        self.end = end
        self.is_scalar = first.kind not in STARTS
        #: The text of a configuration, base64.
        self.text = text


def read_entry(tokens: JsonTokens, cursor: Cursor) -> list[EntryMember]:
    """Read an open entry to its end; return where its members are.

    Raises:
        DamagedSave: it is no sound JSON, or has more than `MOST_MEMBERS` members.
        LimitExceeded: a string or a nesting is above a limit.
    """
    members: list[EntryMember] = []
    while (key := tokens.next()).kind != "end_map":
        first = join(key, tokens.next())
        name = str(key.value)
        if name in CONFIGURATION_KEYS and first.kind == "start_map":
            text: str | None = _read_wrapped(tokens)
            end = tokens.end
        else:
            text = first.value if isinstance(first.value, str) else None
            end = tokens.skip_value(first)
        members.append(EntryMember(name, first, end, text))
        if len(members) > MOST_MEMBERS:
            raise cursor.damaged("too many keys in an entry", offset=first.start, expected=MOST_MEMBERS, actual="more")
    return members


def _read_wrapped(tokens: JsonTokens) -> str:
    """Read an open object around base64 to its end: `$value` of a `System.Byte[]`."""
    text = ""
    while (key := tokens.next()).kind != "end_map":
        value = tokens.next()
        tokens.skip_value(value)
        if key.value == "$value" and isinstance(value.value, str):
            text = value.value
    return text


def entry_header(
    members: list[EntryMember], first: Token, end: int, kind: str, outer: str, version: int, cursor: Cursor
) -> ObjectHeader:
    """Return the header of an entry.

    Args:
        members: all its members.
        first: its opening bracket.
        end: where its closing bracket starts.
        kind: `"building"` or `"island"`.
        outer: name of the island that a building is on; empty where there is none.
        version: version of the blueprint.
        cursor: makes the errors.

    Raises:
        DamagedSave: a coordinate or the rotation is no integer of 32 bits.
    """
    numbers = dict.fromkeys(("X", "Y", "Z", "L", "R"), 0)
    name = ""
    for member in members:
        value = member.first.value
        if member.key == "T" and isinstance(value, str):
            name = value
        elif member.key in numbers:
            # A bool is an int, and compiled code would take it for one.
            if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 31) <= value < 1 << 31:
                raise cursor.damaged(
                    f"{member.key} of an entry",
                    offset=member.first.start,
                    expected="an integer of 32 bits",
                    actual=member.first.kind if value is None else value,
                )
            numbers[member.key] = value
    x, y, z = numbers["X"], numbers["Y"], numbers["L" if kind == "building" else "Z"]
    place = f"({x}, {y}, {z})"
    return ObjectHeader(
        first.start,
        kind,
        name,
        f"{outer}:{place}" if outer else place,
        "",
        outer,
        make_transform(x, y, z, numbers["R"]),
        numbers["R"],
        version,
        first.end - first.start,
        0,
        first.end,
        end - first.end,
    )
