"""The JSON of a blueprint code -> events.

| key | value | |
|---|---|---|
| V | version | |
| BP | a blueprint | |

| blueprint | value | |
|---|---|---|
| $type | `Building` or `Island` | not in the oldest |
| Icon | Data: four icons | from `ENVELOPE_ICONS` on, they follow the payload |
| Entries | array, or `$values` of an object | |
| BinaryVersion | version that the entries were written with | |

| entry | value | |
|---|---|---|
| T | id | |
| X, Y, Z or L | place; L is a building's layer | left out where 0 |
| R | rotation, 0 to 3 | left out where 0 |
| C | configuration of a building, base64; `$value` of an object; null | |
| S | configuration of an island, likewise | |
| B | blueprint of an island's buildings | |

Keys come in any order, so an entry is read to its end before its header can be made; of its buildings only the place is kept, and
they are walked after the header. A member's bytes are claimed with its key and the comma before it.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave.decode.codecs import Codec
from streamsave.decode.cursor import Cursor
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader
from streamsave.formats.shapez2.configs import (
    BUILDING_CONFIGURATIONS,
    ISLAND_CONFIGURATIONS,
    DecodedConfiguration,
    configuration_cursor,
)
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.jsontext import OTHER, STARTS, JsonTokens, JsonWalker, Role, Token, join
from streamsave.formats.shapez2.layout import BySize
from streamsave.formats.shapez2.places import ISLAND, make_transform, place_of

__all__ = ["MOST_MEMBERS", "BlueprintWalker", "EntryMember", "entry_header", "read_entry"]

#: What a JSON value is: it decides what its members are.
ROOT: Final = "root"
BLUEPRINT: Final = "blueprint"
ENTRIES: Final = "entries"
#: The role of a member, by the role of what it is in, and its key.
ROLES: Final[dict[tuple[str, str], str]] = {
    (ROOT, "BP"): BLUEPRINT,
    (BLUEPRINT, "Entries"): ENTRIES,
    (ENTRIES, "$values"): ENTRIES,
}

BUILDING: Final = "building"
CONFIGURATION_KEYS: Final = frozenset({"C", "S"})
#: Keys of an entry that hold a configuration, and the layouts for it.
CONFIGURATIONS: Final[dict[tuple[str, str], dict[str, Codec]]] = {
    (BUILDING, "C"): BUILDING_CONFIGURATIONS,
    (ISLAND, "S"): ISLAND_CONFIGURATIONS,
}
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


# That of the recovery is not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class BlueprintWalker(JsonWalker):
    """Make events of a blueprint. The role of a value is what it is, and what its entries are: `"building"` or `"island"`."""

    def __init__(self, reader: GameReader, version: int) -> None:
        super().__init__(reader)
        self.reader = reader
        self._version = version
        #: Name of the island that was entered last: buildings are on it.
        self._island = ""

    def root(self, tokens: JsonTokens, kind: str) -> Iterator[Event]:
        """Yield the events of the whole text.

        Args:
            tokens: its tokens, from the first on.
            kind: `"building"` or `"island"`, what the outer entries are.
        """
        yield from self.value(tokens, tokens.next(), "blueprint", -1, (ROOT, kind))

    def part(self, tokens: JsonTokens, first: Token, name: str, index: int, role: Role) -> Iterator[Event]:
        place, kind = role
        if place == ENTRIES and index >= 0 and first.kind == "start_map":
            return self._entry(tokens, first, kind)
        return self.value(tokens, first, name, index, (ROLES.get((place, name), ""), kind))

    # --- entries ---

    def _entry(self, tokens: JsonTokens, first: Token, kind: str) -> Iterator[Event]:
        """Read an entry to its end, then yield its events."""
        members = read_entry(tokens, self.reader.cursor)
        yield from self.entry(members, first, tokens.start, tokens.end, kind)

    def entry(self, members: list[EntryMember], first: Token, end: int, after: int, kind: str) -> Iterator[Event]:
        """Yield the events of an entry that was read.

        Args:
            members: its members.
            first: its opening bracket.
            end: where its closing bracket starts.
            after: where that ends.
            kind: as for `root`.
        """
        reader = self.reader
        reader.cursor.seek(first.end)
        header = self.header(members, first, end, kind)
        reader.was_skipped = False
        yield header
        if not reader.was_skipped:
            if kind == ISLAND:
                self._island = header.instance_name
            reader.steps.append(place_of(header))
            for member in members:
                yield from self._entry_member(member, header)
            reader.steps.pop()
        reader.cursor.seek(after)
        yield ObjectEnd(end, header.instance_name, after - end)

    def header(self, members: list[EntryMember], first: Token, end: int, kind: str) -> ObjectHeader:
        """Return the header of an entry; the arguments are those of `entry`. It raises as `entry_header` does."""
        outer = self._island if kind == BUILDING else ""
        return entry_header(members, first, end, kind, outer, self._version, self.reader.cursor)

    def _entry_member(self, member: EntryMember, header: ObjectHeader) -> Iterator[Event]:
        kind = header.kind
        if member.key == "B" and kind == ISLAND and not member.is_scalar:
            yield from self._inner(member, (BLUEPRINT, BUILDING))
        elif member.key in CONFIGURATION_KEYS and member.text is not None:
            yield self._configuration(member, member.text, kind, header.class_name)
        elif member.is_scalar:
            token = Token(member.first.kind, member.first.value, member.first.start, member.end)
            yield self.field(token, member.key)
        else:
            yield from self._inner(member, OTHER)

    def _inner(self, member: EntryMember, role: Role) -> Iterator[Event]:
        """Yield the events of a member that was passed over: read it again, from its bracket, which ends its first token."""
        tokens = JsonTokens(self.reader.windows, self.reader.limits, member.first.end - 1, member.end)
        bracket = tokens.next()
        first = Token(bracket.kind, None, member.first.start, bracket.end)
        yield from self.value(tokens, first, member.key, -1, role)

    def _configuration(self, member: EntryMember, text: str, kind: str, name: str) -> Event:
        """Return the event of a configuration: one leaf, if its layout is known."""
        reader = self.reader
        start = member.first.start
        reader.cursor.seek(member.end)
        codec = CONFIGURATIONS.get((kind, member.key), {}).get(name)
        if codec is None:
            return BlobSkip(start, member.end - start, f"configuration of unknown id {name}")
        try:
            data = binascii.a2b_base64(text, strict_mode=True)
        except (binascii.Error, ValueError):
            raise reader.cursor.damaged("configuration is no base64", offset=start, actual=text[:64]) from None
        inner = configuration_cursor(data, reader.limits)
        if isinstance(codec, BySize):
            codec = codec.choose(inner)
        try:
            codec.measure(inner, reader)
        except LimitExceeded as error:
            reader.cursor.seek(start)
            raise reader.cursor.exceeded(error.limit, error.value) from None
        except SaveError as error:
            raise reader.cursor.damaged(f"{codec.name} of {name}: {error.message}", offset=start, actual=data[:64]) from None
        if inner.remaining() > 0:
            return BlobSkip(start, member.end - start, f"{codec.name} of another layout")
        return reader.passed(member.key, DecodedConfiguration(codec, data, member.end - start), start)
