"""A save of shapez 2, `.spz2`: a zip archive.

| member | content |
|---|---|
| savegame.json | version, whether there are checkpoints, what the list of saves shows |
| strings.bin | i32 count, then i32 size and UTF-8 each: the table that all other .bin refer to |
| research.json, local-player.json | JSON |
| maps/main/islands/<n>.bin, maps/main/buildings/<n>.bin | see `objects` |
| maps/main/simulation/state.bin, trains.bin, resource-chunks.bin, cargo.bin, meta/, statistics.bin | see `members` |
| any other | opaque: mods add their own |

The inflated stream is the members one after the other, each a chunk: first `savegame.json`, then `strings.bin`, then the others
in the order of the archive's directory. The table of strings is the only thing held.

| `savegame.json` | |
|---|---|
| Version | int |
| BinaryDataCheckpoints | bool, or a number: any but 0 is true |
| SavegameName, InternalUuid, LastSaved | str |
| TotalPlaytime, StructureCount, ResearchProgress | number |
| Parameters | GameModeId, Seed, ScenarioParameters.ScenarioId |

| part | what it does |
|---|---|
| `JsonWalker` | JSON members -> events |
| `ObjectWalker` | islands, buildings and their states -> events |
| `LayoutWalker`, a part of it | layouts of `members` -> events |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.codecs import UTF8_STRING, Repeat
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import FINAL_LIMITS, EventAllowance
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import PADDING, BlobSkip, Event, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.header import SaveHeader
from streamsave.formats.shapez2.jsontext import JsonTokens, JsonWalker, Summary
from streamsave.formats.shapez2.members import MEMBERS
from streamsave.formats.shapez2.objects import BUILDINGS, ISLAND_DATA, ObjectWalker
from streamsave.formats.shapez2.sniff import SAVEGAME
from streamsave.formats.shapez2.versions import SAVE_LAYOUTS, SAVE_NEWEST
from streamsave.input.members import Chunk
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.input.zip_archive import Archive
from streamsave.limits import Limits

__all__ = ["FIRST", "JSON", "OPAQUE", "STRINGS", "SaveReader", "kind_of", "read_summary"]

FORMAT: Final = "shapez2"
STRINGS: Final = "strings.bin"
#: Members that come before the others: one says how to read them, the other is the table that they refer to.
FIRST: Final = (SAVEGAME, STRINGS)
ISLANDS: Final = re.compile(r"maps/[^/]+/islands/[^/]+\.bin")
STATES: Final = re.compile(r"maps/[^/]+/buildings/[^/]+\.bin")

#: Kinds of member, the type names of their events.
JSON: Final = "Json"
TABLE: Final = "Strings"
ISLAND_BUNDLE: Final = "Islands"
STATE_BUNDLE: Final = "States"
OPAQUE: Final = "Member"
#: Kinds of the members that are the same in all versions.
TEXT_MEMBERS: Final = {SAVEGAME: JSON, "research.json": JSON, "local-player.json": JSON, STRINGS: TABLE}
WITH_OBJECTS: Final = frozenset({ISLAND_BUNDLE, STATE_BUNDLE})
#: The types of all nestings with objects in them.
AROUND_OBJECTS: Final = WITH_OBJECTS | {ISLAND_DATA, BUILDINGS}

#: Bytes of padding that are looked at at a time, and what padding is made of.
PIECE_SIZE: Final[i64] = 65536
FILLER: Final = b"\0 \t\r\n"


#: What a list of saves shows: the fields of the header, the place of each in the JSON, and what it has to be.
SAVE_FIELDS: Final[dict[str, tuple[str, type[Any]]]] = {
    "savegame_name": ("SavegameName", str),
    "game_mode_id": ("Parameters/GameModeId", str),
    "scenario_id": ("Parameters/ScenarioParameters/ScenarioId", str),
    "seed": ("Parameters/Seed", int),
    "total_playtime": ("TotalPlaytime", float),
    "structure_count": ("StructureCount", int),
    "research_progress": ("ResearchProgress", float),
    "last_saved": ("LastSaved", str),
    "internal_uuid": ("InternalUuid", str),
}
SAVE_KEYS: Final = frozenset({"Version", "BinaryDataCheckpoints", *(place for place, _ in SAVE_FIELDS.values())})


class SaveReader(GameReader):
    """Read a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(FileWindows(source), limits)
        self.source = source
        self.header: SaveHeader
        self.archive: Archive
        #: The member that is walked, and its place among the chunks.
        self.member: StructEnter | None = None
        self.member_index = -1
        #: Counts the events of members that are walked without giving them.
        self.trials = EventAllowance(limits, source)

    def events(self) -> Iterator[Event]:
        archive = Archive(self.source, self.limits, FIRST)
        start = self.start(archive)
        yield start
        objects = ObjectWalker(self, start.version)
        for index in range(len(archive.chunks)):
            yield from self.scope(index, objects)
        yield SaveEnd(archive.size())

    def start(self, archive: Archive) -> SaveStart:
        """Begin with the members of an archive; return the first event."""
        self.archive = archive
        first = archive.find(SAVEGAME)
        if first < 0:
            raise self.cursor.unsupported("zip archive is no save", expected=f"a member {SAVEGAME}", actual="none")
        self.open_stream(archive)
        header = read_summary(self.game, archive.chunks[first].size, self.limits)
        header.member_count = len(archive.chunks)
        self.header = header
        self.game.has_checkpoints = header.binary_data_checkpoints
        if header.version < SAVE_LAYOUTS:
            self.source.warn(
                "save is older than the known layouts, binary members are passed over unless checkpoints prove them",
                version=header.version,
                oldest=SAVE_LAYOUTS,
            )
        elif header.version > SAVE_NEWEST:
            self.source.warn("save is newer than known, read like the newest", version=header.version, newest=SAVE_NEWEST)
        self.stream_end = archive.size()
        return SaveStart(0, FORMAT, header.version, header)

    def leads_to_objects(self, event: Event) -> bool:
        return isinstance(event, StructEnter) and event.type_name in AROUND_OBJECTS

    # --- members ---

    def scope(self, index: int, objects: ObjectWalker) -> Iterator[Event]:
        """Yield the events of a member; none of a member without objects where only objects are wanted."""
        cursor = self.cursor
        chunk = self.archive.chunks[index]
        end: i64 = chunk.offset + chunk.size
        kind = self.kind(chunk)
        cursor.seek(chunk.offset)
        cursor.set_limit(end)
        self.was_skipped = False
        self.member = StructEnter(chunk.offset, chunk.name, kind, 0, chunk.size, -1, -1)
        self.member_index = index
        self.counted.clear()
        if kind == TABLE:
            self.steps.append(chunk.name)
            self.game.table = self._read_table(chunk.offset)  # before anything refers to it
            self.steps.pop()
        if kind not in WITH_OBJECTS and self.selecting is not None and not self.selecting.needs_rest:
            return
        yield self.member
        if not self.was_skipped and chunk.size > 0:
            self.steps.append(chunk.name)
            if kind != OPAQUE:
                cursor.peek(1)  # enters the chunk before the first event in it
            yield from self.content(self.member, objects)
            self.steps.pop()
        elif not self.was_skipped:
            self.archive.check(index)  # an entry of zeros, or a size of 0 in both headers, would hide a member
        cursor.seek(end)
        yield StructExit(end, chunk.name, 0)

    def kind(self, chunk: Chunk) -> str:
        """Return the kind of a member; in a save older than the known layouts, checkpoints show whether it has one."""
        kind = kind_of(chunk.name, has_layouts=self.header.version >= SAVE_LAYOUTS)
        if kind == OPAQUE and self.header.binary_data_checkpoints and ISLANDS.fullmatch(chunk.name) and self._has_islands(chunk):
            return ISLAND_BUNDLE
        return kind

    def _has_islands(self, chunk: Chunk) -> bool:
        """Walk a member as one of islands; return whether it has that layout, to its last byte."""
        cursor = self.cursor
        cursor.seek(chunk.offset)
        cursor.set_limit(chunk.offset + chunk.size)
        objects = ObjectWalker(self, 0)
        depth = len(self.steps)
        try:
            member = StructEnter(chunk.offset, chunk.name, ISLAND_BUNDLE, 0, chunk.size, -1, -1)
            for _ in self._content(member, objects):
                self.pass_leaf()
            return objects.layouts.surplus == 0 and self._is_padding(chunk.offset + chunk.size)
        except SaveError as error:
            if isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS:
                raise
            return False
        finally:
            del self.steps[depth:]
            self.leave_leaf()

    def pass_leaf(self) -> None:
        """Count an event that is not given, and go past its value."""
        self.trials.spend(self.cursor)
        if self.is_pending:
            self.cursor.pass_to(self.leaf.end)
            self.leave_leaf()

    def content(self, member: StructEnter, objects: ObjectWalker) -> Iterator[Event]:
        """Yield the events of what is in a member, and of what follows that.

        That is zeros up to the size of the game's buffer, or bytes of unknown meaning.
        """
        yield from self._content(member, objects)
        start = self.cursor.tell()
        end = member.offset + member.size
        if start < end and member.type_name != OPAQUE:
            is_padding = self._is_padding(end)
            yield BlobSkip(start, end - start, PADDING if is_padding else "bytes after the member")

    def _content(self, member: StructEnter, objects: ObjectWalker) -> Iterator[Event]:
        kind = member.type_name
        name = member.name
        if kind == JSON:
            tokens = JsonTokens(self.windows, self.limits, member.offset, member.offset + member.size)
            yield from JsonWalker(self).value(tokens, tokens.next(), "value")
            tokens.check_filler()
            self.cursor.seek(tokens.last.end)
        elif kind == TABLE:
            count = yield from self.count_field("string_count", 4)
            yield self.field("strings", Repeat(UTF8_STRING, count))
        elif kind == OPAQUE:
            yield from self.blob(self.cursor.limit(), f"member of unknown layout {name}")
        elif self.game.table is None:
            raise self.cursor.damaged(
                f"{name} refers to strings, and there are none", expected=f"a member {STRINGS}", actual="none"
            )
        elif kind == ISLAND_BUNDLE:
            yield from objects.islands(name)
        elif kind == STATE_BUNDLE:
            yield from objects.states(name)
        else:
            yield from objects.layouts.members(MEMBERS[name])

    def _is_padding(self, end: i64) -> bool:
        """Go over the rest of a member up to its first byte that is no padding; return whether there is none."""
        cursor = self.cursor
        while cursor.tell() < end:
            piece = cursor.peek(1) and cursor.take(min(end - cursor.tell(), PIECE_SIZE))
            if piece.strip(FILLER):
                return False
        return True

    # --- strings.bin ---

    def _read_table(self, start: i64) -> list[str]:
        """Read the whole table, and go back to its start.

        Raises:
            DamagedSave: a count or a size does not fit.
            LimitExceeded: more strings than `Limits.table_entries`, a string above `Limits.string_size`, or more bytes than
                `Limits.build_size`.
        """
        cursor = self.cursor
        count = cursor.count(4)
        if count > i64(self.limits.table_entries):
            raise cursor.exceeded("table_entries", count)
        table: list[str] = []
        total: i64 = 0
        for _ in range(count):
            size = cursor.count(1)
            total += size
            if size > i64(self.limits.string_size):
                raise cursor.exceeded("string_size", size)
            if total > i64(self.limits.build_size):
                raise cursor.exceeded("build_size", total)
            table.append(cursor.take(size).decode("utf-8", "surrogateescape"))
        cursor.seek(start)
        return table


def kind_of(name: str, *, has_layouts: bool) -> str:
    """Return the kind of a member; without layouts, binary members are opaque."""
    if name in TEXT_MEMBERS:
        return TEXT_MEMBERS[name]
    if not has_layouts:
        return OPAQUE
    if ISLANDS.fullmatch(name):
        return ISLAND_BUNDLE
    if STATES.fullmatch(name):
        return STATE_BUNDLE
    return MEMBERS[name].name if name in MEMBERS else OPAQUE


def read_summary(cursor: Cursor, size: int, limits: Limits) -> SaveHeader:
    """Read `savegame.json`, which starts the stream.

    Raises:
        UnsupportedSave: there is no version in it, or one below 1.
    """
    summary = Summary(JsonTokens(cursor.windows, limits, 0, size), SAVE_KEYS)
    fields: dict[str, Any] = {field: summary.value(place, kind) for field, (place, kind) in SAVE_FIELDS.items()}
    return SaveHeader(
        version=summary.version(cursor, "Version"),
        binary_data_checkpoints=summary.flag("BinaryDataCheckpoints"),
        **fields,
    )
