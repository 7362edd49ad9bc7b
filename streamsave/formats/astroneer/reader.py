"""A save: a save game of class `AstroSave` with no properties, then a world, in the same stream.

| field | type | from |
|---|---|---|
| astro_save_version | u32 | |
| unverified_flag | u8 | later layout |
| level_name | str | |
| unverified_value | u32 | later layout |
| level | see below | |
| player_controllers | i32 n, n records | |
| remote_players | i32 n, n times: a level, u64 network_uuid | |

A level:

| field | type | |
|---|---|---|
| version | u32 | |
| names | i64 n, n - 1 times str | the string pool: index 0 is `None`, and not stored |
| objects | u32 n, n object records | the instance pool, see `instances` |
| actor_records | u32 n, n actor records | see `layout` |
| root_actors | u32 n, n times i32 | indexes of actor records |
| first_import_index | u32 | objects from here on are the engine's own components, and tables of the game |

The bytes after the first version show which layout it is: the name of a level starts with `/`, and one byte later in the later
layout. That layout is known only from other people's readers; no save of it was seen here.

The module is long because it is the page above, from top to bottom; what has a layout of its own is in modules of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import STRING, U8, U32, U64, Codec
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import TruncatedSave
from streamsave.events import ChunkStart, Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats.astroneer.header import LATER_LAYOUT, VERIFIED_LAYOUT, AstroneerHeader, extend_header
from streamsave.formats.astroneer.instances import InstanceTable, Record, kind_of, read_record
from streamsave.formats.astroneer.layout import PROPERTIES_END, LevelLayout, PoolCodec, is_terrain, walk_terrain
from streamsave.formats.astroneer.wrappers import CLASS, Wrapping
from streamsave.formats.gvas.header import read_header
from streamsave.formats.gvas.structs import make_dialect
from streamsave.formats.unreal.containers import fits
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.pool import STORED_NONE, PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.value_openers import LARGEST_BLOB
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["ACTOR_RECORD", "REMOTE_PLAYER", "AstroneerReader"]

FORMAT: Final = "astroneer"
SAVE_GAME: Final = "save_game"
LEVEL: Final = "Level"
ACTOR_RECORD: Final = "ActorRecord"
REMOTE_PLAYER: Final = "RemotePlayer"
#: The types of all nestings with objects in them.
AROUND_OBJECTS: Final = frozenset({LEVEL, REMOTE_PLAYER})

#: An empty property list, and no GUID after it.
NO_PROPERTIES: Final = STORED_NONE + bytes(4)
NO_GUID: Final = b"\0\0\0\0"
HAS_GUID: Final = b"\1\0\0\0"
#: Bytes of a level's name that are compared to find the layout.
PEEK_SIZE: Final = 1024
#: Bytes that are needed for that: one more at the start, a length, `/`, an end.
LEAST_LEVEL_NAME: Final = 7


class AstroneerReader(UnrealReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.wrapping = Wrapping(source, limits)
        self.pool_cursor = PoolCursor(self.wrapping.windows(), limits)
        super().__init__(self.pool_cursor, Dialect())
        self.header: AstroneerHeader
        #: The level that is open, or was: its version, its objects and their number, its layouts.
        self.level_name = ""
        self.level_version: i64 = 0
        self.object_count: i64 = 0
        self.table = InstanceTable("", [], limits)
        self.layout: LevelLayout
        self._first_chunks: list[ChunkStart] = []

    def events(self) -> Iterator[Event]:
        yield self.start()
        yield from self.save_game()
        yield from self.head()
        yield from self.open_level(self.level_name)
        for index in range(self.object_count):
            yield from self.next_object(index)
        yield from self.rest(self.next_object)

    def start(self) -> SaveStart:
        """Read the header; return the first event."""
        cursor = self.pool_cursor
        header = extend_header(read_header(cursor, self))
        if header.save_game_class != CLASS:
            raise cursor.unsupported("class of the save game", expected=CLASS, actual=header.save_game_class)
        self.header = header
        header.wrapper = self.wrapping.name
        if self.wrapping.saves:
            header.container_save = self.wrapping.save
            header.container_saves = self.wrapping.saves
        self._look_ahead(header)
        version = -1 if header.astro_save_version is None else header.astro_save_version
        # The first event is the save's; the chunk that its header was in comes after it.
        self._first_chunks = list(self.windows.entered)
        self.windows.entered.clear()
        return SaveStart(0, FORMAT, version, header)

    def save_game(self) -> Iterator[Event]:
        """Yield the events of the save game, up to the end of its properties."""
        self.windows.entered.extend(self._first_chunks)
        self.stream_end = self.windows.size if isinstance(self.windows, ForwardWindows) else -1
        yield StructEnter(0, SAVE_GAME, CLASS, self.header.size, -1, -1, -1)
        self.steps.append(SAVE_GAME)
        self.dialect = make_dialect(self.header)
        self.dialect.add_hints(self.options.type_hints)
        self.begin_list(NO_LIMIT)
        yield from self.walk_on()

    def head(self) -> Iterator[Event]:
        """Yield the events from the end of those properties up to the level."""
        cursor = self.pool_cursor
        end = self.list_end
        self.list_end = -1
        if cursor.bool32():
            cursor.take(16)  # not `skip`: the stream may end before
        self.steps.pop()
        yield StructExit(end, SAVE_GAME, cursor.tell() - end)

        yield self.field("astro_save_version", U32)
        later = self.is_later()
        if later:
            yield self.field("unverified_flag", U8)
        self.level_name = yield from self.read_field("level_name", STRING, cursor.string)
        if later:
            yield self.field("unverified_value", U32)

    def rest(self, next_object: Callable[[int], Iterator[Event]]) -> Iterator[Event]:
        """Yield the events after the objects of the first level; `next_object` yields those of the object at the cursor."""
        cursor = self.pool_cursor
        yield from self.close_level()
        yield self.field("player_controllers", self.layout.player_controllers)
        start = cursor.tell()
        count = cursor.count(U64.size)
        yield StructEnter(start, "remote_players", REMOTE_PLAYER, 4, -1, -1, count)
        self.steps.append("remote_players")
        for player in range(count):
            yield from self.player(player, next_object)
        self.steps.pop()
        yield StructExit(cursor.tell(), "remote_players", 0)
        at = cursor.tell()
        windows = self.windows
        end: i64 = windows.end(at) if isinstance(windows, ForwardWindows) else at
        if end < at:
            raise cursor.located(
                TruncatedSave(f"the stream ends at {end:#x}", at, expected="the end of the save", actual=int(end))
            )
        yield from self.blob(end, "bytes after the save")
        yield SaveEnd(end)

    def cursor_ahead(self) -> Cursor:
        return cursor_ahead(self.wrapping, self.limits, self.pool_cursor.names, 0)

    def leads_to_objects(self, event: Event) -> bool:
        return isinstance(event, StructEnter) and event.type_name in AROUND_OBJECTS

    # --- the start ---

    def _look_ahead(self, header: AstroneerHeader) -> None:
        """Find the version, the layout and the level if the property list before them is empty, without moving.

        Raises:
            SaveError: the save ends before them, or they are at fault.
        """
        cursor = self.pool_cursor
        start = cursor.tell()
        ahead = cursor.peek(len(NO_PROPERTIES))
        if NO_PROPERTIES.startswith(ahead):
            cursor.skip(len(NO_PROPERTIES))
            header.astro_save_version = cursor.u32()
            later = self.is_later()
            header.layout = LATER_LAYOUT if later else VERIFIED_LAYOUT
            cursor.skip(1 if later else 0)
            header.level_name = cursor.string()
        cursor.seek(start)

    def is_later(self) -> bool:
        """Return whether this is the later layout: the level's name starts one byte further on."""
        if self._starts_level(0):
            return False
        if self._starts_level(1):
            return True
        if len(self.cursor.peek(LEAST_LEVEL_NAME)) < LEAST_LEVEL_NAME:
            raise self.cursor.truncated(LEAST_LEVEL_NAME)
        raise self.cursor.unsupported("the name of a level", expected="/...", actual=self.cursor.peek(8))

    def _starts_level(self, offset: int) -> bool:
        """Return whether a string that starts `offset` bytes further on looks like the name of a level."""
        ahead = self.cursor.peek(PEEK_SIZE)
        size = int.from_bytes(ahead[offset : offset + 4], "little", signed=True)
        text = ahead[offset + 4 : offset + 4 + max(size, 0)]
        return size > 1 and text.startswith(b"/") and (len(text) < size or not text[-1])

    # --- a level ---

    def open_level(self, name: str) -> Iterator[Event]:
        """Yield the events of a level up to its first object."""
        cursor = self.pool_cursor
        yield StructEnter(cursor.tell(), name, LEVEL, 0, -1, -1, -1)
        self.steps.append(name)
        self.level_version = yield from self.read_field("version", U32, cursor.u32)

        start = cursor.tell()
        names = cursor.read_pool()
        yield self.passed("names", PoolCodec(names), start)
        cursor.names = names
        self.table = InstanceTable(name, names, self.limits)
        self.layout = LevelLayout(self.header, self.table)
        self.dialect = self.layout.dialect
        self.dialect.add_hints(self.options.type_hints)

        start = cursor.tell()
        self.object_count = self._count_objects()
        yield self.passed("object_count", U32, start)
        self.table.begin(self.object_count, partial(cursor_ahead, self.wrapping, self.limits, names, cursor.tell()))

    def close_level(self) -> Iterator[Event]:
        """Yield the events of a level after its last object."""
        cursor = self.pool_cursor
        start = cursor.tell()
        count = self._count_objects()
        yield StructEnter(start, "actor_records", ACTOR_RECORD, 4, -1, -1, count)
        self.steps.append("actor_records")
        self.table.begin_actors(count, partial(cursor_ahead, self.wrapping, self.limits, cursor.names, cursor.tell()))
        for index in range(count):
            yield StructEnter(cursor.tell(), "actor_records", ACTOR_RECORD, 0, -1, index, -1)
            self.steps.append(int(index))
            for member_name, member in self.layout.actor_members:
                yield self.field(member_name, member)
            self.steps.pop()
            yield StructExit(cursor.tell(), "actor_records", 0)
        self.steps.pop()
        yield StructExit(cursor.tell(), "actor_records", 0)
        yield self.field("root_actors", self.layout.root_actors)
        yield self.field("first_import_index", U32)

        self.steps.pop()
        yield StructExit(cursor.tell(), self.table.level_name, 0)
        cursor.names = []

    def _count_objects(self) -> i64:
        """Read how many records follow; something is kept in memory of each."""
        count = self.cursor.count(1)
        if count > i64(self.limits.object_entries):
            raise self.cursor.exceeded("object_entries", count)
        return count

    def player(self, index: int, next_object: Callable[[int], Iterator[Event]]) -> Iterator[Event]:
        """Yield the events of the world of another player; `next_object` is as for `rest`."""
        yield StructEnter(self.pool_cursor.tell(), "remote_players", REMOTE_PLAYER, 0, -1, index, -1)
        self.steps.append(index)
        yield from self.open_level(f"remote player {index}")
        for number in range(self.object_count):
            yield from next_object(number)
        yield from self.close_level()
        yield self.field("network_uuid", U64)
        self.steps.pop()
        yield StructExit(self.pool_cursor.tell(), "remote_players", 0)

    # --- an object ---

    def next_object(self, index: int) -> Iterator[Event]:
        """Return the events of the object whose record starts at the cursor."""
        return self.object(index, read_record(self.pool_cursor, self.object_count))

    def object(self, index: i64, record: Record) -> Iterator[Event]:
        """Yield the events of an object of the open level, whose record was just read."""
        cursor = self.cursor
        table = self.table
        table.add(index, record)
        name = table.path(index)
        start: i64 = record.data_offset
        end: i64 = start + record.total_size
        claim: i64 = end
        outer = cursor.limit()
        yield ObjectHeader(
            record.offset,
            kind_of(record.save_flags),
            record.class_name,
            name,
            table.level_name,
            table.path(record.outer) if record.outer >= 0 else "",
            None,
            record.object_flags | record.save_flags << 32,
            self.level_version,
            start - record.offset,
            0,
            start,
            record.total_size,
        )
        self.steps.append(name)
        if cursor.tell() == start and start < end:
            cursor.set_limit(end)
            yield from self._data(record)
            if self.list_end >= 0:
                claim = self.list_end
        self.list_end = -1
        cursor.set_limit(outer)
        cursor.seek(end)
        self.steps.pop()
        yield ObjectEnd(claim, name, end - claim)

    def _data(self, record: Record) -> Iterator[Event]:
        """Walk an object's data; leave `list_end` as it is if nothing follows its properties."""
        cursor = self.cursor
        end: i64 = record.data_offset + record.property_size
        custom_size = record.total_size - record.property_size
        cursor.set_limit(end)
        if looks_like_list(cursor):
            self.begin_list(end)
            yield from self.walk_on()
            start = self.list_end
            self._pass_guid()
            if cursor.tell() == end and custom_size == 0:
                return
            self.list_end = -1
            yield self.passed("object_guid", PROPERTIES_END, start)
            if is_terrain(record.class_name, cursor):
                yield from walk_terrain(self)
            yield from self.blob(end, f"unknown trailing data of {record.class_name}")
        else:
            yield from self._known("table", self.layout.values_of(record.class_name), end)
            yield from self.blob(end, f"no properties: data of {record.class_name}")
        cursor.set_limit(end + custom_size)
        cursor.seek(end)
        yield from self._known("slots", self.layout.custom_data_of(record.class_name), end + custom_size)
        yield from self.blob(end + custom_size, f"custom data of {record.class_name}")

    def _known(self, name: str, codec: Codec | None, end: i64) -> Iterator[Event]:
        """Walk the bytes up to `end`, if they have this layout and no more than `LARGEST_BLOB` bytes."""
        start = self.cursor.tell()
        if codec is not None and start < end and end - start <= LARGEST_BLOB and fits(self, codec, 1, start, end):
            yield from self.walk_value(name, codec)

    def _pass_guid(self) -> None:
        """Pass over `bool32`, and a GUID if it is set; over nothing if neither is there."""
        cursor = self.cursor
        if cursor.remaining() < 4:
            return
        cursor.need(4)
        ahead = cursor.peek(4)
        if ahead == NO_GUID:
            cursor.skip(4)
        elif ahead == HAS_GUID and cursor.remaining() >= 20:
            cursor.skip(20)


def cursor_ahead(wrapping: Wrapping, limits: Limits, names: list[str], offset: int) -> PoolCursor:
    """Make a cursor on windows of its own."""
    cursor = PoolCursor(wrapping.windows(), limits)
    cursor.names = names
    cursor.seek(offset)
    return cursor
