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

The entries are in `blueprint_entry`. Keys come in any order, so an entry is read to its end before its header can be made; of its
buildings only the place is kept, and they are walked after the header. A member's bytes are claimed with its key and the comma
before it.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave.decode.codecs import Codec
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, StructExit
from streamsave.formats.shapez2.blueprint_entry import CONFIGURATION_KEYS, EntryMember, entry_header, read_entry
from streamsave.formats.shapez2.configs import (
    BUILDING_CONFIGURATIONS,
    ISLAND_CONFIGURATIONS,
    DecodedConfiguration,
    configuration_cursor,
)
from streamsave.formats.shapez2.game_reader import ISLAND, GameReader
from streamsave.formats.shapez2.json_walker import JsonWalker, join
from streamsave.formats.shapez2.jsontext import STARTS, JsonTokens, Token
from streamsave.formats.shapez2.layout import BySize
from streamsave.formats.shapez2.places import place_of

__all__ = ["BlueprintWalker"]

#: What a JSON value is: it decides what its members are.
ROOT: Final = 0
BLUEPRINT: Final = 1
ENTRIES: Final = 2
OTHER: Final = 3
#: The role of a member, by the role of what it is in, and its key.
ROLES: Final[dict[tuple[int, str], int]] = {
    (ROOT, "BP"): BLUEPRINT,
    (BLUEPRINT, "Entries"): ENTRIES,
    (ENTRIES, "$values"): ENTRIES,
}

BUILDING: Final = "building"
#: Keys of an entry that hold a configuration, and the layouts for it.
CONFIGURATIONS: Final[dict[tuple[str, str], dict[str, Codec]]] = {
    (BUILDING, "C"): BUILDING_CONFIGURATIONS,
    (ISLAND, "S"): ISLAND_CONFIGURATIONS,
}


# That of the recovery is not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class BlueprintWalker:
    """Make events of a blueprint."""

    def __init__(self, reader: GameReader, version: int) -> None:
        self.reader = reader
        self._json = JsonWalker(reader)
        self._version = version
        #: Name of the island that was entered last: buildings are on it.
        self._island = ""

    def root(self, tokens: JsonTokens, kind: str) -> Iterator[Event]:
        """Yield the events of the whole text.

        Args:
            tokens: its tokens, from the first on.
            kind: `"building"` or `"island"`, what the outer entries are.
        """
        yield from self._value(tokens, tokens.next(), "blueprint", -1, ROOT, kind)

    def _value(self, tokens: JsonTokens, first: Token, name: str, index: int, role: int, kind: str) -> Iterator[Event]:
        """Yield the events of a value that has a role."""
        if role == OTHER or first.kind not in STARTS:
            yield from self._json.value(tokens, first, name, index)
            return
        steps = self.reader.steps
        yield self._json.enter(first, name, index)
        steps.append(name if index < 0 else index)
        if first.kind == "start_map":
            yield from self._members(tokens, role, kind)
        else:
            position = 0
            while (token := tokens.next()).kind != "end_array":
                if role == ENTRIES and token.kind == "start_map":
                    yield from self._entry(tokens, token, kind)
                else:
                    yield from self._json.value(tokens, token, "", position)
                position += 1
        steps.pop()
        yield StructExit(tokens.start, name, tokens.end - tokens.start)

    def _members(self, tokens: JsonTokens, role: int, kind: str) -> Iterator[Event]:
        while (key := tokens.next()).kind != "end_map":
            name = str(key.value)
            first = join(key, tokens.next())
            yield from self._value(tokens, first, name, -1, ROLES.get((role, name), OTHER), kind)

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
            yield from self._inner(member, BLUEPRINT, BUILDING)
        elif member.key in CONFIGURATION_KEYS and member.text is not None:
            yield self._configuration(member, member.text, kind, header.class_name)
        elif member.is_scalar:
            token = Token(member.first.kind, member.first.value, member.first.start, member.end)
            yield self._json.field(token, member.key)
        else:
            yield from self._inner(member, OTHER, kind)

    def _inner(self, member: EntryMember, role: int, kind: str) -> Iterator[Event]:
        """Yield the events of a member that was passed over: read it again, from its bracket, which ends its first token."""
        tokens = JsonTokens(self.reader.windows, self.reader.limits, member.first.end - 1, member.end)
        bracket = tokens.next()
        first = Token(bracket.kind, None, member.first.start, bracket.end)
        yield from self._value(tokens, first, member.key, -1, role, kind)

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
