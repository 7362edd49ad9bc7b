"""A blueprint code of shapez 2: JSON inside of an envelope, with the icons after it.

| part | value | |
|---|---|---|
| `SHAPEZ2-` | | |
| envelope | decimal, `-` | 1 to 5 |
| payload | strict base64 of one gzip member | JSON; it is the inflated stream |
| icons | JSON array, `_`, its length in UTF-16 units | from `ENVELOPE_ICONS` on |
| `$` | | |

White space and back-ticks may be around it, and a byte order mark before it. The JSON:

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

The module is long because it has the envelope, the walk of a blueprint and its summary.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave.decode.codecs import Codec
from streamsave.decode.cursor import Cursor
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import PADDING, BlobSkip, Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart
from streamsave.formats.shapez2.configs import (
    BUILDING_CONFIGURATIONS,
    ISLAND_CONFIGURATIONS,
    DecodedConfiguration,
    configuration_cursor,
)
from streamsave.formats.shapez2.game_reader import BUILDING, ISLAND, GameReader, make_transform, place_of
from streamsave.formats.shapez2.header import BlueprintHeader
from streamsave.formats.shapez2.jsontext import OTHER, STARTS, JsonTokens, JsonWalker, Role, Summary, Token, join
from streamsave.formats.shapez2.layout import BySize
from streamsave.formats.shapez2.sniff import AROUND_CODE, CODE_PREFIX
from streamsave.formats.shapez2.versions import BLUEPRINT_NEWEST, ENVELOPE_ICONS, ENVELOPE_NEWEST
from streamsave.input.base64_gzip import PIECE_SIZE, Base64GzipWindows, code_fault, code_without_end
from streamsave.input.source import Source
from streamsave.input.windows import BytesWindows, FileWindows
from streamsave.limits import Limits, check_limit

__all__ = ["MOST_MEMBERS", "BlueprintWalker", "CodeReader", "EntryMember", "Envelope", "read_entry"]

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
            end = tokens.last.end
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


# A subclass is not compiled.
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
        yield from self.entry(members, first, tokens.last.start, tokens.last.end, kind)

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
        """Return the header of an entry; the arguments are those of `entry`.

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
                    raise self.reader.cursor.damaged(
                        f"{member.key} of an entry",
                        offset=member.first.start,
                        expected="an integer of 32 bits",
                        actual=member.first.kind if value is None else value,
                    )
                numbers[member.key] = value
        x, y, z = numbers["X"], numbers["Y"], numbers["L" if kind == BUILDING else "Z"]
        place = f"({x}, {y}, {z})"
        outer = self._island if kind == BUILDING else ""
        return ObjectHeader(
            first.start,
            kind,
            name,
            f"{outer}:{place}" if outer else place,
            "",
            outer,
            make_transform(x, y, z, numbers["R"]),
            numbers["R"],
            self._version,
            first.end - first.start,
            0,
            first.end,
            end - first.end,
        )

    def _entry_member(self, member: EntryMember, header: ObjectHeader) -> Iterator[Event]:
        is_scalar = member.first.kind not in STARTS
        codec = CONFIGURATIONS.get((header.kind, member.key), {}).get(header.class_name)
        if member.key == "B" and header.kind == ISLAND and not is_scalar:
            yield from self._inner(member, (BLUEPRINT, BUILDING))
        elif member.key in CONFIGURATION_KEYS and member.text is not None and (member.text or codec is not None):
            # Old codes have an empty text where there is no configuration.
            yield self._configuration(member, member.text, codec, header.class_name)
        elif is_scalar:
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

    def _configuration(self, member: EntryMember, text: str, codec: Codec | None, name: str) -> Event:
        """Return the event of a configuration: one leaf, if its layout is known."""
        reader = self.reader
        start = member.first.start
        reader.cursor.seek(member.end)
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


# --- the envelope ---

FORMAT: Final = "shapez2-blueprint"
#: Bytes that are searched for the start of the code, as many as a sniffer gets; and bytes of the start.
HEAD_SIZE: Final = 64
START_SIZE: Final = 16
START: Final = re.compile(CODE_PREFIX + rb"([0-9]{1,4})-")
CUT_START: Final = re.compile(CODE_PREFIX + rb"[0-9]{0,4}")
NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/=]")
ICONS_END: Final = re.compile(rb"_([0-9]{1,9})\$[ \t\r\n`]*\Z")
BARE_END: Final = re.compile(rb"\A\$[ \t\r\n`]*\Z")


class Envelope:
    """A blueprint code, opened.

    Raises, when it is made:
        TruncatedSave: the code has no end.
        DamagedSave: it does not follow the table above.
        LimitExceeded: it is too long, or inflates to too much.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        head = source.read_at(0, HEAD_SIZE)
        code_offset = len(head) - len(head.lstrip(AROUND_CODE))
        head = head[code_offset : code_offset + START_SIZE]
        match = START.match(head)
        if match is None:
            if CUT_START.fullmatch(head):
                raise code_without_end(code_offset + len(head))
            raise code_fault(code_offset, "no envelope of a blueprint code", expected="SHAPEZ2-<number>-", actual=head)
        self.version = int(match[1])
        if self.version < 1:
            raise code_fault(
                code_offset + len(CODE_PREFIX), "envelope of a blueprint code", expected="1 or later", actual=self.version
            )
        if self.version > ENVELOPE_NEWEST:
            source.warn("blueprint code is newer than known, read like the newest", envelope=self.version, newest=ENVELOPE_NEWEST)
        #: Where the payload starts and ends in the file.
        self.payload_offset = code_offset + match.end()
        self.payload_end = self._find_end(self.payload_offset)
        #: JSON of the icons after the payload; empty where the envelope has none.
        self.icons = self._read_icons(self.payload_end)
        size = self.payload_end - self.payload_offset
        #: The JSON of the blueprint.
        self.windows = Base64GzipWindows(source, limits, self.payload_offset, size, "blueprint")

    def _find_end(self, at: int) -> int:
        """Return where the payload ends: at the first character that is none of base64."""
        start = at
        while True:
            piece = self._source.read_at(at, PIECE_SIZE)
            found = NOT_BASE64.search(piece)
            if found is not None:
                return at + found.start()
            at += len(piece)
            if len(piece) < PIECE_SIZE:
                raise code_without_end(at)
            check_limit(self._limits, "total_inflated_size", at - start, at, subject="code")

    def _read_icons(self, at: int) -> bytes:
        """Read what follows the payload; return the JSON of the icons."""
        allowed = self._limits.string_size
        rest = self._source.read_at(at, allowed + 1)
        check_limit(self._limits, "string_size", len(rest), at, subject="text after the payload")
        has_icons = self.version >= ENVELOPE_ICONS
        end = (ICONS_END if has_icons else BARE_END).search(rest)
        if end is None:
            if b"$" not in rest and (not rest.strip() or (has_icons and rest[:1] in b"[_")):
                raise code_without_end(at + len(rest))
            raise code_fault(at, "end of the code", expected="icons, _, their length, $" if has_icons else "$", actual=rest[:64])
        if not has_icons:
            return b""
        icons = rest[: end.start()]
        try:
            units = len(icons.decode("utf-8").encode("utf-16-le")) // 2
        except UnicodeError:
            raise code_fault(at, "icons are no UTF-8", actual=icons[:64]) from None
        if units != int(end[1]):
            raise code_fault(at, "length of the icons", expected=int(end[1]), actual=units)
        return icons


BLUEPRINT_KEYS: Final = frozenset({"V", "BP/$type", "BP/BinaryVersion", *(f"BP/Icon/Data/{place}" for place in range(4))})
BLUEPRINT_ENTRIES: Final = "BP/Entries"
VERSION_KEYS: Final = frozenset({"V", "BP/$type"})


class CodeReader(GameReader):
    """Read a blueprint code."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(FileWindows(source), limits)
        self.source = source
        self.header: BlueprintHeader

    def events(self) -> Iterator[Event]:
        start = self.start()
        yield start
        yield from self.content(BlueprintWalker(self, start.version))

    def start(self) -> SaveStart:
        """Open the envelope; return the first event."""
        envelope = Envelope(self.source, self.limits)
        windows = envelope.windows
        self.open_stream(windows)
        size = windows.size()
        self.cursor.set_limit(size)
        header = read_blueprint_summary(self.game, size, envelope.version, self.limits)
        if envelope.icons:
            header.icons = self._icons(envelope.icons)
        if header.version > BLUEPRINT_NEWEST:
            self.source.warn(
                "blueprint is newer than known, read like the newest", version=header.version, newest=BLUEPRINT_NEWEST
            )
        self.header = header
        self.stream_end = size
        return SaveStart(0, FORMAT, header.version, header)

    def content(self, blueprint: BlueprintWalker) -> Iterator[Event]:
        """Yield the other events."""
        size = self.stream_end
        tokens = JsonTokens(self.windows, self.limits, 0, size)
        yield from blueprint.root(tokens, self.header.type.lower())
        if tokens.check_filler() > tokens.last.end:
            yield BlobSkip(tokens.last.end, size - tokens.last.end, PADDING)
        # Reading the last byte checks the end of the gzip member.
        self.windows.window(size - 1)
        yield SaveEnd(int(size))

    def _icons(self, data: bytes) -> tuple[str | None, ...]:
        """Read the icons that follow the payload: JSON inside of JSON."""
        try:
            content = read_strings(data, self.limits, ["0/Content"])[0]
            if content is None:
                return ()
            icons = read_strings(content.encode("utf-8", "surrogatepass"), self.limits, [f"Data/{place}" for place in range(4)])
            return tuple(icons) if any(icons) else ()
        except SaveError as error:
            error.message = f"icons after the payload: {error.message}"
            raise


def read_blueprint_summary(cursor: Cursor, size: int, envelope: int, limits: Limits) -> BlueprintHeader:
    """Read the start of a blueprint's JSON: up to the entries, or further where the version comes after them.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), BLUEPRINT_KEYS, BLUEPRINT_ENTRIES, VERSION_KEYS)
    icons = [summary.value(f"BP/Icon/Data/{place}", str) for place in range(4)]
    return BlueprintHeader(
        envelope=envelope,
        version=summary.version(cursor, "V"),
        type=summary.value("BP/$type", str) or "Building",
        binary_version=summary.value("BP/BinaryVersion", int),
        icons=tuple(icons) if any(icons) else (),
    )


def read_strings(data: bytes, limits: Limits, places: list[str]) -> list[str | None]:
    """Read the strings at some places of a JSON text, and check that it ends; None where there is none."""
    tokens = JsonTokens(BytesWindows(data), limits, 0, len(data))
    summary = Summary(tokens, frozenset(places))
    tokens.check_filler()
    return [summary.value(place, str) for place in places]
