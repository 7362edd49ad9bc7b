"""A blueprint code of shapez 2: JSON inside of an envelope.

| key | | |
|---|---|---|
| V | version | |
| BP | a blueprint | |

| blueprint | | |
|---|---|---|
| $type | `Building` or `Island` | not in the oldest |
| Icon | Data: four icons | envelope 5 has them behind the payload |
| Entries | array, or `$values` of an object | |
| BinaryVersion | version that the entries were written with | |

| entry | | |
|---|---|---|
| T | id | |
| X, Y, Z or L | place; L is a building's layer | left out where 0 |
| R | rotation, 0 to 3 | left out where 0 |
| C | configuration of a building, base64; `$value` of an object; null | |
| S | configuration of an island, likewise | |
| B | blueprint of an island's buildings | |

Keys come in any order, so an entry is read to its end before it is announced; of its buildings only their place is kept, and they
are walked afterwards. Bytes are claimed by the key that they belong to, the comma in front of it included.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Final

from streamsave._log import warn
from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructExit
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS, ISLAND_CONFIGURATIONS
from streamsave.formats.shapez2.envelope import Envelope
from streamsave.formats.shapez2.header import BlueprintHeader
from streamsave.formats.shapez2.jsontext import STARTS, JsonTokens, Token
from streamsave.formats.shapez2.objects import make_transform, place_of
from streamsave.formats.shapez2.primitives import BytesWindows, GameCursor
from streamsave.formats.shapez2.summary import read_blueprint_summary, read_icons
from streamsave.formats.shapez2.versions import BLUEPRINT_NEWEST
from streamsave.formats.shapez2.walker import GameWalker
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["CodeReader"]

FORMAT: Final = "shapez2-blueprint"

#: What a JSON value is: it decides what its members are.
ROOT: Final = 0
BLUEPRINT: Final = 1
ENTRIES: Final = 2
OTHER: Final = 3
#: What is inside of what, by key.
ROLES: Final[dict[tuple[int, str], int]] = {
    (ROOT, "BP"): BLUEPRINT,
    (BLUEPRINT, "Entries"): ENTRIES,
    (ENTRIES, "$values"): ENTRIES,
}

#: Keys of an entry that hold a configuration, and the layouts for it.
CONFIGURATIONS: Final[dict[tuple[str, str], dict[str, Codec]]] = {
    ("building", "C"): BUILDING_CONFIGURATIONS,
    ("island", "S"): ISLAND_CONFIGURATIONS,
}
CONFIGURATION_KEYS: Final = frozenset({"C", "S"})
#: Keys of one entry; the game writes nine.
MOST_MEMBERS: Final = 256


class Member:
    """One member of an entry: its key, where it is, and its value if that is a scalar."""

    def __init__(self, key: str, first: Token, end: int) -> None:
        self.key = key
        self.first = first
        self.end = end
        self.is_scalar = first.kind not in STARTS
        #: base64 of a configuration.
        self.text: str | None = first.value if isinstance(first.value, str) else None


class Decoded(Codec):
    """A configuration out of its base64."""

    def __init__(self, codec: Codec, data: bytes, size: i64) -> None:
        super().__init__(codec.name, size, 0)
        self._codec = codec
        self._data = data

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        inner = configuration_cursor(self._data, cursor.limits)
        return self._codec.decode(inner, context)


class CodeReader(GameWalker):
    """Walks a blueprint code."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(GameCursor(FileWindows(source), limits), limits)
        self.source = source
        self.header: BlueprintHeader | None = None
        #: Name of the island that was entered last: buildings are on it.
        self._island = ""

    def events(self) -> Iterator[Event]:
        envelope = Envelope(self.source, self.limits)
        self.game = GameCursor(envelope, self.limits)
        self.cursor = self.game
        self.windows = envelope
        size = envelope.size()
        self.cursor.set_limit(size)
        header = read_blueprint_summary(self.game, size, envelope.version, self.limits)
        if envelope.icons:
            header.icons = self._icons(envelope.icons)
        if header.version > BLUEPRINT_NEWEST:
            warn("blueprint is newer than known, read like the newest", version=header.version, newest=BLUEPRINT_NEWEST)
        self.header = header
        yield SaveStart(0, FORMAT, header.version, header)

        self.stream_end = size
        tokens = JsonTokens(envelope, self.limits, 0, size)
        kind = header.type.lower()
        yield from self._value(tokens, tokens.next(), "blueprint", -1, ROOT, kind)
        if tokens.check_filler() > tokens.end:
            yield BlobSkip(tokens.end, size - tokens.end, "padding")
        # The end of the gzip member is looked at when its last byte is.
        envelope.window(size - 1)
        yield SaveEnd(size)

    def _icons(self, data: bytes) -> tuple[str | None, ...]:
        """Read the icons behind the payload: JSON inside of JSON."""
        try:
            content = read_icons(BytesWindows(data), len(data), self.limits, "0/Content", 1)[0]
            if content is None:
                return ()
            inner = content.encode("utf-8", "surrogatepass")
            icons = read_icons(BytesWindows(inner), len(inner), self.limits, "Data/#", 4)
            return tuple(icons) if any(icons) else ()
        except SaveError as error:
            error.message = f"icons behind the payload: {error.message}"
            raise

    # --- JSON ---

    def _value(self, tokens: JsonTokens, first: Token, name: str, index: int, role: int, kind: str) -> Iterator[Event]:
        """Walk a value that has a role."""
        if role == OTHER or first.kind not in STARTS:
            yield from self.walk_json(tokens, first, name, index)
            return
        yield self.json_enter(first, name, index)
        self.steps.append(name if index < 0 else index)
        if first.kind == "start_map":
            yield from self._members(tokens, role, kind)
        else:
            position = 0
            while (token := tokens.next()).kind != "end_array":
                if role == ENTRIES and token.kind == "start_map":
                    yield from self._entry(tokens, token, kind)
                else:
                    yield from self.walk_json(tokens, token, "", position)
                position += 1
        self.steps.pop()
        yield StructExit(tokens.start, name, tokens.end - tokens.start)

    def _members(self, tokens: JsonTokens, role: int, kind: str) -> Iterator[Event]:
        while (key := tokens.next()).kind != "end_map":
            name = str(key.value)
            first = self.join(key, tokens.next())
            yield from self._value(tokens, first, name, -1, ROLES.get((role, name), OTHER), kind)

    # --- entries ---

    def _entry(self, tokens: JsonTokens, first: Token, kind: str) -> Iterator[Event]:
        """Walk an entry: to its end, then what was found."""
        members = self._read_entry(tokens)
        end = tokens.start
        numbers = dict.fromkeys(("X", "Y", "Z", "L", "R"), 0)
        name = ""
        for member in members:
            value = member.first.value
            if member.key == "T" and isinstance(value, str):
                name = value
            elif member.key in numbers and isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
                numbers[member.key] = value
        x, y, z = numbers["X"], numbers["Y"], numbers["L" if kind == "building" else "Z"]
        outer = self._island if kind == "building" else ""
        self.cursor.seek(first.end)
        header = ObjectHeader(
            first.start,
            kind,
            name,
            f"{outer}:({x}, {y}, {z})" if outer else f"({x}, {y}, {z})",
            "",
            outer,
            make_transform(x, y, z, numbers["R"]),
            numbers["R"],
            0 if self.header is None else self.header.version,
            first.end - first.start,
            0,
            first.end,
            end - first.end,
        )
        self.was_skipped = False
        around = len(self.steps)
        fault: SaveError | None = None
        try:
            yield header
            if not self.was_skipped:
                if kind == "island":
                    self._island = header.instance_name
                self.steps.append(place_of(header))
                for member in members:
                    yield from self._entry_member(member, kind, name)
                self.steps.pop()
        except SaveError as error:
            if not self.survives(error):
                raise
            fault = error
        if fault is not None:
            del self.steps[around:]
            self.steps.append(place_of(header))
            yield self.lost(fault, "object", header.instance_name, first.end, end)
            self.steps.pop()
        self.cursor.seek(tokens.end)
        yield ObjectEnd(end, header.instance_name, tokens.end - end)

    def _read_entry(self, tokens: JsonTokens) -> list[Member]:
        """Read an entry that is open to its end; keep where its members are."""
        members: list[Member] = []
        while (key := tokens.next()).kind != "end_map":
            first = self.join(key, tokens.next())
            name = str(key.value)
            text: str | None = None
            if name in CONFIGURATION_KEYS and first.kind == "start_map":
                text = self._read_wrapped(tokens)
            end = tokens.skip_value(first) if text is None else tokens.end
            member = Member(name, first, end)
            if text is not None:
                member.text = text
            members.append(member)
            if len(members) > MOST_MEMBERS:
                raise self.cursor.damaged("too many keys in an entry", offset=first.start, expected=MOST_MEMBERS, actual="more")
        return members

    def _read_wrapped(self, tokens: JsonTokens) -> str:
        """Read an object around base64 that is open: `$value` of a `System.Byte[]`."""
        text = ""
        while (key := tokens.next()).kind != "end_map":
            value = tokens.next()
            tokens.skip_value(value)
            if key.value == "$value" and isinstance(value.value, str):
                text = value.value
        return text

    def _entry_member(self, member: Member, kind: str, name: str) -> Iterator[Event]:
        if member.key == "B" and kind == "island" and not member.is_scalar:
            yield from self._inner(member, BLUEPRINT, "building")
        elif member.key in CONFIGURATION_KEYS and member.text is not None:
            yield self._configuration(member, kind, name)
        elif member.is_scalar:
            yield self.json_field(Token(member.first.kind, member.first.value, member.first.start, member.end), member.key)
        else:
            yield from self._inner(member, OTHER, kind)

    def _inner(self, member: Member, role: int, kind: str) -> Iterator[Event]:
        """Walk a member of an entry that was read over: from its bracket on, which its first token ends with."""
        tokens = JsonTokens(self.windows, self.limits, member.first.end - 1, member.end)
        bracket = tokens.next()
        first = Token(bracket.kind, None, member.first.start, bracket.end)
        yield from self._value(tokens, first, member.key, -1, role, kind)

    def _configuration(self, member: Member, kind: str, name: str) -> Event:
        """Announce a configuration: one leaf, if its layout is known."""
        start = member.first.start
        self.cursor.seek(member.end)
        codec = CONFIGURATIONS.get((kind, member.key), {}).get(name)
        if codec is None:
            return BlobSkip(start, member.end - start, f"configuration of unknown id {name}")
        try:
            data = binascii.a2b_base64(member.text or "", strict_mode=True)
        except (binascii.Error, ValueError):
            raise self.cursor.damaged("configuration is no base64", offset=start, actual=(member.text or "")[:64]) from None
        inner = configuration_cursor(data, self.limits)
        try:
            codec.measure(inner, self)
        except LimitExceeded as error:
            self.cursor.seek(start)
            raise self.cursor.exceeded(error.limit, error.value) from None
        except SaveError as error:
            raise self.cursor.damaged(f"{codec.name} of {name}: {error.message}", offset=start, actual=data[:64]) from None
        if inner.remaining() > 0:
            return BlobSkip(start, member.end - start, f"{codec.name} of another layout")
        return self.passed(member.key, Decoded(codec, data, member.end - start), start)


def configuration_cursor(data: bytes, limits: Limits) -> GameCursor:
    """Make a cursor over a configuration: strings in line, no checkpoints."""
    cursor = GameCursor(BytesWindows(data), limits)
    cursor.set_limit(len(data))
    return cursor
