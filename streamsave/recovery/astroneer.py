"""Astroneer: records without sizes around them, which have to lead to the end of the stream.

A second cursor finds that out before any record is given. If they do not, objects go on at the first place from which records
lead to that end. An object is its number, so the numbers of those that are given have to be certain:

| what is seen | numbers |
|---|---|
| a place that leads nowhere | before it from the first object on, after it up to the last one |
| fewer records than objects, one of them with whole records in its data | it has swallowed these |
| one record twice in a row | the second one has none |
| fewer or more records, and nothing shows why | where actors name the objects: each names its components |

If nothing leads to the end, only the first objects are certain: those that two more records follow.

Where a save is cut, the actor record at the cut is not certain, nor is what follows the actor records of the last level: a few
numbers, which look alike. The names of the next level show that they are right. Nor are these numbers certain if an actor other
than the first is no root and in no other actor, or is so twice; nor those after the roots, if bytes follow the save.

Records have to look like what the game writes: a class starts with a slash, a name holds no NUL, a rotation has the length 1, an
index is that of an object, and where no actors follow, the last object is as long as its content.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.events import Event, Field, ObjectEnd, SaveEnd, StructEnter
from streamsave.formats.astroneer.instances import LEAST_RECORD, Record, read_record
from streamsave.formats.astroneer.layout import LEAST_ACTOR
from streamsave.formats.astroneer.reader import ACTOR_RECORD, LEVEL, AstroneerReader
from streamsave.formats.astroneer.terrain import LEAST_BLOCK, TERRAIN_END, is_terrain
from streamsave.formats.gvas.header import check_parts
from streamsave.formats.unreal.pool import NO_NAME, PoolCursor
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.input.forward import ForwardWindows, has_bytes_after
from streamsave.recovery.chains import Budget, forward, suffix
from streamsave.recovery.driver import Part, lost_part
from streamsave.recovery.losses import Losses, Lost
from streamsave.recovery.unreal import UnrealFamily

__all__ = ["AstroneerFamily"]

#: What the name of the type of a property ends with.
TYPE_NAME: Final = re.compile("[A-Za-z0-9_]*Property")
#: How a record starts: the length of a class, and its slash.
RECORD_START: Final = re.compile(rb"(?s)[\x02-\xff][\0-\3]\0\0/")
RECORD_START_SIZE: Final = 5
#: Searches may cost so many times what the save has, and so many bytes besides.
TIMES: Final = 6
LEAST: Final = 4 << 20
#: More records than this come from no single fault.
MOST_MORE: Final = 64
#: Bytes that are searched together.
PIECE: Final = 64 * 1024

#: Bytes of an empty level and of the number after it; of a player controller; of an index.
LEAST_LEVEL: Final = 40
CONTROLLER_SIZE: Final = 16
INDEX_SIZE: Final = 4
LINK_SIZE: Final = 8
#: Numbers of a place: the last three are a scale; bytes between them and the rotation.
SCALE_NUMBERS: Final = 3
TRANSLATION_SIZE: Final = 12
TRANSFORM_SIZE: Final = 40
#: How far the square of the length of a rotation may be from 1.
MOST_OFF: Final = 0.01
GUID_SIZE: Final = 16
#: The index of no object or actor.
NOTHING: Final = -1
#: Records after an object that show that its size is right.
FOLLOWING: Final = 2
#: Bytes of the name of a class that are looked at.
MOST_NAME: Final = 1024
#: No actor is counted more often.
TWICE: Final = 2
#: If more actors than this are neither root nor child, or both, that is no rule in this save.
MOST_STRAY: Final = 16
#: Bytes after the save that are looked at; with more than a few that are not all zeros, a record has another size.
MOST_AFTER: Final = 4096
FEW_AFTER: Final = 7


class AstroneerFamily(UnrealFamily):
    """Objects of the levels of a save."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        assert isinstance(reader, AstroneerReader)  # noqa: S101 - the registry says so
        self._reader: AstroneerReader = reader

    def events(self) -> Iterator[Event | Part]:
        reader = self._reader
        cursor = reader.pool_cursor
        yield reader.start()
        header = reader.header
        assert header is not None  # noqa: S101 - `start` has read it
        check_parts(cursor, header)
        if header.class_header is not None:
            raise cursor.damaged("bytes before the properties", offset=header.size, expected="none")
        yield from reader.save_game()
        chain = self._chain()
        yield from reader.head()
        yield from reader.open_level(reader.level_name)
        yield from self._objects(chain)
        yield from proven(reader.close_level(), chain)
        yield reader.controllers()
        yield from reader.open_players()
        for index in range(int(reader.player_count)):
            yield from proven(reader.open_player(index), chain)
            for number in range(int(reader.object_count)):
                yield self._object(number)
            yield from proven(reader.close_player(), chain)
        yield reader.close_players()
        for event in reader.tail():
            if isinstance(event, SaveEnd):
                end = event.offset
                for left in reader.wrapping.left_out():
                    if left.is_lost:
                        yield lost_part(DamagedSave(left.message, end), "member", left.name, end, left.size)
            yield event

    def mend(self, error: SaveError, losses: Losses) -> Lost | None:
        return None  # a fault costs the rest of its object

    def _chain(self) -> LevelChain:
        """Find out how many objects are certain, and what follows them. The cursor is after the properties of the save game."""
        reader = self._reader
        cursor = reader.pool_cursor
        start = cursor.tell()
        if cursor.bool32():
            cursor.skip(GUID_SIZE)
        cursor.skip(4)
        later = reader.is_later()
        cursor.skip(1 if later else 0)
        at = cursor.tell()
        name = cursor.string()
        if "\0" in name:
            raise cursor.damaged("name of a level", offset=at, expected="no NUL", actual=name.index("\0"))
        cursor.skip(4 if later else 0)
        ahead = PoolCursor(reader.wrapping.windows(), reader.limits)
        ahead.seek(cursor.tell())
        cursor.seek(start)
        chain = LevelChain(ahead, reader.stream_end, TagReader(reader.dialect))
        chain.find_objects()
        if chain.fault is not None and chain.sound == 0 and not chain.places:
            raise chain.fault
        return chain

    def _objects(self, chain: LevelChain) -> Iterator[Event | Part]:
        """Yield the objects of the first level, and what is lost between them."""
        reader = self._reader
        cursor = reader.pool_cursor
        count = int(reader.object_count)
        if not chain.places:
            for index in range(count):
                chain.check(index)
                yield self._object(index)
            chain.check(count)
            return
        for index, (name, outer) in sorted(chain.known.items()):
            reader.table.name(index, name, outer)
        reader.table.begin(count, None)
        cursor.seek(chain.objects_at)
        due = 0
        for start, index in [*chain.places, (chain.objects_end, count)]:
            if (start, index) != (cursor.tell(), due):
                yield lost_part(chain.error, "object", "", start, count=index - due)
            if index < count:
                yield self._object(index)
            due = index + 1

    def _object(self, index: int) -> Part:
        """Return the object whose record starts at the cursor."""
        reader = self._reader
        record = read_record(reader.pool_cursor, reader.object_count)
        reader.table.add(index, record)
        end = int(record.data_offset + record.total_size)
        return Part(proven_object(reader, index, record), "object", reader.table.path(index), end)


def proven_object(reader: AstroneerReader, index: int, record: Record) -> Iterator[Event]:
    """Yield the events of an object; what follows its properties has to be what it seems."""
    cursor = reader.cursor
    for event in reader.object(index, record):
        at = cursor.tell()
        if isinstance(event, ObjectEnd) or (isinstance(event, Field) and event.name == "object_guid"):
            cursor.seek(event.offset + event.size)
            check_guid(record.class_name, cursor)
        elif isinstance(event, Field) and event.name == "terrain_version":
            check_terrain(cursor, record.data_offset + record.property_size)
        cursor.seek(at)
        yield event


def proven(events: Iterator[Event], chain: LevelChain) -> Iterator[Event]:
    """Yield the events of what follows the objects of a level, up to where it is not certain."""
    for event in events:
        if isinstance(event, StructEnter) and event.type_name == LEVEL:
            chain.level += 1
        elif isinstance(event, StructEnter) and event.type_name == ACTOR_RECORD and event.index >= 0:
            chain.check_actor(event.index)
        elif isinstance(event, Field) and event.name == "root_actors":
            chain.check_tail()
        elif isinstance(event, Field) and event.name == "first_import_index":
            chain.check_end()
        yield event


class LevelChain:
    """What is certain of the records from the cursor on.

    Args:
        cursor: a second one, after the names of the first level start.
        stream_end: where the stream ends, as its wrapper says; -1 if it does not.
        tags: reads the tags of properties.
    """

    def __init__(self, cursor: PoolCursor, stream_end: i64, tags: TagReader) -> None:
        #: Why not all is; None if it is.
        self.fault: SaveError | None = None
        #: How many objects of the first level are then.
        self.sound: i64 = 0
        self._read: i64 = 0
        self._tags = tags
        #: What does not look like a record, and how many objects of the first level come before it.
        self._odd: SaveError | None = None
        self._before_odd: i64 = 0
        #: Where the save is cut: the last level whose names could be read, and how many of its actor records are whole.
        self._cut: SaveError | None = None
        self._level: i64 = 0
        self._passed: i64 = 0
        #: The first level of which it is not certain what follows its actor records.
        self._stray: SaveError | None = None
        self._stray_level: i64 = 0
        #: There are bytes after the save.
        self._after: SaveError | None = None
        # Of the level that was passed last.
        self._links: Any = array("i")
        self._objects: i64 = 0
        self._actors: i64 = 0
        #: Which level is given.
        self.level: i64 = 0
        #: Where the objects of the first level start, how many there are, and their names.
        self.objects_at: i64 = -1
        self.count: i64 = 0
        self.names: list[str] = []
        #: If the chain of objects is broken: where those start whose number is certain, and this number; where all objects end.
        self.places: list[tuple[int, int]] = []
        self.objects_end: int = -1
        #: Of these objects, and of those that actors name: number -> number of the name, and of what the object is in.
        self.known: dict[int, tuple[int, int]] = {}
        #: Why the others are not given.
        self.error: SaveError = DamagedSave("objects that are not where their numbers say", 0)
        self._budget = Budget(0)
        self.cursor = cursor
        self._prove(stream_end)
        cursor.names = []

    def _prove(self, stream_end: i64) -> None:
        """Find the fault."""
        cursor = self.cursor
        try:
            if self._follow():
                return
            if self._odd is not None:
                self._doubt(self._odd, self._before_odd)
            else:
                self._after = cursor.damaged("bytes after the save")
        except SaveError as error:
            is_cut = isinstance(error, TruncatedSave) and stream_end < 0
            if not is_cut and (isinstance(error, TruncatedSave) or has_bytes_after(error, cursor.windows)):
                self._doubt(error, self._before_tail())
            elif self._odd is not None:
                self._doubt(self._odd, self._before_odd)
            else:
                error.__traceback__ = None
                self._cut = error

    def _doubt(self, error: SaveError, sound: i64) -> None:
        error.__traceback__ = None
        self.fault = error
        self.sound = sound

    def check(self, index: i64) -> None:
        """Raise the fault if the object of the first level that comes next, or what follows the last one, is not certain."""
        if self.fault is not None and index >= self.sound:
            raise self.fault

    def check_actor(self, index: i64) -> None:
        """Raise the fault if an actor record is one that is not there to its end: nothing shows that it is one."""
        if self._cut is not None and (self.level > self._level or (self.level == self._level and index >= self._passed)):
            raise self._cut

    def check_tail(self) -> None:
        """Raise the fault if what follows the actor records of a level is at a cut: nothing shows which numbers those are."""
        if self._cut is not None and self.level >= self._level:
            raise self._cut
        if self._stray is not None and self.level >= self._stray_level:
            raise self._stray

    def check_end(self) -> None:
        """Raise the fault if what follows the roots of a level may be at another place."""
        if self._after is not None and self.level >= self._level:
            raise self._after

    # --- objects after a fault ---

    def ends_at(self, at: int) -> bool:
        """Return whether the objects of the first level may end at an offset: what follows leads to the end of the save."""
        cursor = self.cursor
        cursor.names = self.names
        cursor.seek(at)
        self._odd = self._stray = None
        self._level = self._passed = 0
        self._objects = self.count
        try:
            self._pass_tail(None, is_first=True)
            is_end = self._follow_level() and self._odd is None
        except SaveError:
            is_end = False
        cursor.names = self.names
        return is_end

    def find_objects(self) -> None:
        """Find the objects that are certain, if those at the start are not all; note them in `places`."""
        fault = self.fault
        cursor = self.cursor
        if fault is None or self.objects_at < 0:
            return
        there, is_all = cursor.windows.readable_end(cursor.limits)
        if not is_all:
            return
        self._budget = Budget(LEAST + TIMES * there)
        records = ObjectRecords(self, self._budget)
        cursor.names = self.names
        chain = forward(records, int(self.objects_at), int(self.count) + MOST_MORE, self._budget)
        starts = list(chain.starts)
        places: list[tuple[int, int]] | None = None
        if starts and chain.error is None and records.is_end(chain.end):
            self.objects_end = chain.end
            places = self._numbered(records, starts)
        elif starts:
            after = suffix(records, starts[-1] + 1, there, self._budget)
            if after is not None and len(after.starts) + len(starts) - 1 <= self.count:
                self.objects_end = after.end
                first = int(self.count) - len(after.starts)
                places = [*zip(starts[:-1], range(len(starts) - 1), strict=True)]
                places += zip(after.starts, range(first, int(self.count)), strict=True)
        if places:
            self._keep_named(records, places)
        if self.places:
            self.error = fault
            self.fault = None
            self.ends_at(self.objects_end)  # what follows is as certain as it says
        cursor.names = []

    def _numbered(self, records: ObjectRecords, starts: list[int]) -> list[tuple[int, int]] | None:
        """Return where objects start whose numbers are certain, if there are not as many records as objects."""
        count = int(self.count)
        missing = count - len(starts)
        ends = [*starts[1:], self.objects_end]
        if missing > 0:
            inner = [
                (number, found)
                for number, (start, end) in enumerate(zip(starts, ends, strict=True))
                if (found := suffix(ObjectRecords(self, self._budget, end), start + 1, end, self._budget)) is not None
                and len(found.starts) >= missing
            ]
            if len(inner) == 1:
                number, found = inner[0]
                starts[number : number + 1] = [-1, *found.starts[-missing:]]
                return [(start, at) for at, start in enumerate(starts) if start >= 0]
        twins = [at for at in range(1, len(starts)) if self._are_same(starts[at - 1], starts[at], ends[at])]
        if missing < 0 and len(twins) == -missing:
            return [(start, at) for at, start in enumerate(start for at, start in enumerate(starts) if at not in twins)]
        anchors = self._anchors()
        own = [fits(records.record(start), anchors.get(at)) for at, start in enumerate(starts)]
        other = [fits(records.record(start), anchors.get(at + missing)) for at, start in enumerate(starts)]
        first = next((at for at in range(len(starts)) if other[at] and not own[at]), len(starts))
        last = next((at for at in reversed(range(first)) if own[at] and not other[at]), -1)
        if missing < 0:
            first = max(first, last + 1 - missing)
        if last >= 0 and not self._has_its_size(records.record(starts[last])):
            last -= 1
        before = [(start, at) for at, start in enumerate(starts[: last + 1])]
        return before + [(start, at + missing) for at, start in enumerate(starts) if at >= first]

    def _are_same(self, start: int, end: int, other_end: int) -> bool:
        """Return whether a record is the same, byte for byte, as the next one."""
        cursor = self.cursor
        cursor.seek(start)
        data = cursor.peek(2 * (end - start)) if end - start == other_end - end else b""
        return len(data) == 2 * (end - start) and data[: end - start] == data[end - start :]

    def _anchors(self) -> dict[int, tuple[int, int]]:
        """Return what actors say of their components: number of the object -> number of its name, and of the actor's object."""
        cursor = self.cursor
        cursor.seek(self.objects_end)
        found: dict[int, tuple[int, int]] = {}
        for _ in range(cursor.count(LEAST_ACTOR)):
            actor: int = cursor.i32()
            cursor.skip(LINK_SIZE * cursor.count(LINK_SIZE))
            for _ in range(cursor.count(LINK_SIZE)):
                name: int = cursor.i32()
                found[int(cursor.i32())] = (name, actor)
            cursor.skip(TRANSFORM_SIZE)
        return found

    def _keep_named(self, records: ObjectRecords, places: list[tuple[int, int]]) -> None:
        """Note those objects whose name is certain: it starts with those of all that they are in.

        Actors name their components. If one is called otherwise, no number is certain.
        """
        known = {index: (int(one.name), int(one.outer)) for start, index in places for one in [records.record(start)]}
        anchors = self._anchors()
        if any(known.setdefault(index, anchor) != anchor for index, anchor in anchors.items()):
            return
        for index in sorted(known):
            outer = known[index][1]
            if outer >= 0 and outer not in known:
                del known[index]
        self.known = known
        self.places = [(start, index) for start, index in places if index in known]

    def _note_stray(self, error: SaveError) -> None:
        if self._stray is None:
            error.__traceback__ = None
            self._stray = error
            self._stray_level = self._level

    def _follow(self) -> bool:
        """Pass over all records; return whether the stream ends after them."""
        self._pass_level(is_first=True)
        return self._follow_level()

    def _follow_level(self) -> bool:
        """Pass over all records after the first level; return whether the stream ends after them."""
        cursor = self.cursor
        for _ in range(cursor.count(CONTROLLER_SIZE)):
            self._pass_index(self._actors, 0)
            self._pass_index(self._objects, 0)
            cursor.skip(8)
        for _ in range(cursor.count(LEAST_LEVEL)):
            self._pass_level(is_first=False)
            cursor.skip(8)
        at = cursor.tell()
        windows = cursor.windows
        end: i64 = windows.end(at) if isinstance(windows, ForwardWindows) else at
        if end < at:
            raise cursor.located(TruncatedSave("the stream ends before the save", at, expected=int(at), actual=int(end)))
        if end - at > MOST_AFTER:
            raise cursor.damaged("bytes after the save", offset=at, actual=int(end - at))
        cursor.seek(at)
        after = cursor.peek(MOST_AFTER)
        if len(after) > FEW_AFTER and after.strip(b"\0"):
            self._note(cursor.damaged("bytes after the save", offset=at, actual=len(after)), self._before_tail())
        return not after

    def _pass_level(self, *, is_first: bool) -> None:
        cursor = self.cursor
        cursor.names = []
        cursor.skip(4)
        at = cursor.tell()
        cursor.names = cursor.read_pool()
        if any("\0" in name for name in cursor.names):
            raise cursor.damaged("names of a level", offset=at, expected="no NUL")
        if not is_first:
            self._level += 1
        self._passed = 0
        count = cursor.count(LEAST_RECORD)
        if is_first:
            self.names, self.count, self.objects_at = cursor.names, count, cursor.tell()
        last: Record | None = None
        for _ in range(count):
            at = cursor.tell()
            try:
                record = read_record(cursor, count)
            except TruncatedSave:
                if may_be_cut(cursor, at):
                    raise
                raise cursor.damaged("not the record of an object", offset=at) from None
            last = record
            if "\0" in record.class_name:
                raise cursor.damaged("name of a class", offset=record.offset, expected="no NUL")
            if not record.class_name.startswith("/"):
                self._note(cursor.damaged("not the record of an object", offset=record.offset), self._read)
            cursor.seek(record.data_offset + record.total_size)
            self._read += 1 if is_first else 0
        self._objects = count
        self._pass_tail(last, is_first=is_first)

    def _pass_tail(self, last: Record | None, *, is_first: bool) -> None:
        """Pass over what follows the objects of a level, the last of which is given."""
        cursor = self.cursor
        count = cursor.count(LEAST_ACTOR)
        self._actors = count
        if count == 0 and last is not None and not self._has_its_size(last):
            before = self._read - 1 if is_first else self._before_tail()
            self._note(cursor.damaged("size of an object", offset=last.offset), before)
        links: Any = array("i")
        self._links = links
        for passed in range(count):
            self._passed = passed
            self._pass_index(self._objects, NOTHING)
            self._pass_links(self._actors, are_children=True)
            self._pass_links(self._objects, are_children=False)
            self._pass_rotation()
            cursor.skip(TRANSLATION_SIZE)
            self._pass_scale()
        self._passed = count
        at = cursor.tell()
        for _ in range(cursor.count(INDEX_SIZE)):
            root = self._pass_index(count, NOTHING)
            if root >= count:
                raise cursor.damaged("the root of no actors", offset=cursor.tell() - 4, actual=int(root))
            links.append(root)
        stray = stray_actors(links, count)
        if 0 < stray <= MOST_STRAY:
            self._note_stray(cursor.damaged("actors that are no roots, and in no other", offset=at, actual=int(stray)))
        first_import = cursor.u32()
        if first_import > self._objects:
            self._note(cursor.damaged("number of an object", offset=cursor.tell() - 4, actual=first_import), self._before_tail())

    def _note(self, error: SaveError, before: i64) -> None:
        if self._odd is None:
            self._odd = error
            self._before_odd = before

    def _before_tail(self) -> i64:
        return max(self._read - FOLLOWING, 0)

    def _has_its_size(self, record: Record) -> bool:
        """Return whether the properties of an object, a bool and perhaps a GUID are all of its data."""
        cursor = self.cursor
        start = cursor.tell()
        limit = cursor.limit()
        cursor.seek(record.data_offset)
        cursor.set_limit(record.data_offset + record.total_size)
        try:
            while cursor.name() != NO_NAME:
                kind, size = self._tags.pass_tag(cursor)
                if not TYPE_NAME.fullmatch(kind) or size < 0 or size > cursor.remaining():
                    return False
                cursor.seek(cursor.tell() + size)
            if cursor.remaining() > 0 and cursor.bool32():
                cursor.skip(GUID_SIZE)
            return cursor.remaining() == 0
        except SaveError:
            return False
        finally:
            cursor.set_limit(limit)
            cursor.seek(start)

    def _pass_links(self, count: i64, *, are_children: bool) -> None:
        cursor = self.cursor
        for _ in range(cursor.count(LINK_SIZE)):
            cursor.name()
            index = self._pass_index(count, NOTHING)
            if are_children:
                self._links.append(index)

    def _pass_rotation(self) -> None:
        cursor = self.cursor
        at = cursor.tell()
        length = sum([number * number for number in (cursor.f32(), cursor.f32(), cursor.f32(), cursor.f32())])
        if not abs(length - 1) < MOST_OFF:
            self._note(cursor.damaged("rotation of an actor", offset=at, actual=length), self._before_tail())

    def _pass_scale(self) -> None:
        """Pass over the scale of a place: indexes and counts there are no numbers, or ones that are nearly zero."""
        cursor = self.cursor
        for _ in range(SCALE_NUMBERS):
            bits: i64 = cursor.u32()
            exponent = bits >> 23 & 0xFF
            if (exponent == 0 or exponent == 0xFF) and bits & 0x7FFFFF != 0:
                raise cursor.damaged("scale of an actor", offset=cursor.tell() - 4, actual=int(bits))

    def _pass_index(self, count: i64, least: i64) -> i64:
        """Pass over the index of an object or actor, of which there are `count`; return it."""
        cursor = self.cursor
        index: i64 = cursor.i32()
        if index < least or (index >= count and index > 0):
            raise cursor.damaged("no such index", offset=cursor.tell() - 4, expected=f"{least} to {count - 1}", actual=int(index))
        return index


class ObjectRecords:
    """The objects of the first level, as a sequence of records.

    Args:
        chain: its cursor reads them.
        budget: what searches may cost.
        end: where the sequence ends; -1: where what follows the objects of a level leads to the end of the save.
    """

    def __init__(self, chain: LevelChain, budget: Budget, end: int = -1) -> None:
        self._chain = chain
        self._budget = budget
        self._end = end

    def record(self, at: int) -> Record:
        """Read the record that starts at an offset.

        Raises:
            SaveError: none does.
        """
        cursor = self._chain.cursor
        cursor.seek(at)
        record = read_record(cursor, self._chain.count)
        if not record.class_name.startswith("/") or not record.class_name.isprintable() or not record.class_name.isascii():
            raise cursor.damaged("not the record of an object", offset=at)
        return record

    def step(self, at: int) -> int:
        record = self.record(at)
        return int(record.data_offset + record.total_size)

    def starts(self, begin: int, end: int) -> Iterator[int]:
        cursor = self._chain.cursor
        at = begin
        while at < end and self._budget.spend(PIECE // 4):
            cursor.seek(at)
            try:
                data = bytes(cursor.peek(min(PIECE, end - at)))
            except SaveError:  # nothing can be read there
                return
            for match in RECORD_START.finditer(data):
                yield at + match.start()
            if len(data) < RECORD_START_SIZE:
                return
            at += len(data) - RECORD_START_SIZE + 1

    def is_end(self, at: int) -> bool:
        return at == self._end if self._end >= 0 else self._chain.ends_at(at)


def may_be_cut(cursor: PoolCursor, start: i64) -> bool:
    """Return whether a record that the end of the stream cuts may start at an offset: what is there of its class is of a name."""
    cursor.seek(start)
    ahead = cursor.peek(MOST_NAME)
    size = int.from_bytes(ahead[:4], "little", signed=True)
    name = ahead[4 : 4 + size] if size > 0 else b""
    return len(ahead) < 4 or size <= 0 or len(name) == size or (b"/".startswith(name[:1]) and b"\0" not in name)


def fits(record: Record, anchor: tuple[int, int] | None) -> bool:
    """Return whether an object is the one that an actor names."""
    return anchor is not None and anchor == (record.name, record.outer)


def stray_actors(links: Any, count: i64) -> i64:  # noqa: ANN401 - an array, which mypyc knows no type of
    """Return how many of so many actors are not exactly once a root, or in another one; the first may be neither."""
    times = bytearray(count)
    for actor in links:
        if 0 <= actor < count and times[actor] < TWICE:
            times[actor] += 1
    stray: i64 = count - times.count(1)
    if count > 0 and times[0] == 0:
        stray -= 1
    return stray


def check_guid(class_name: str, cursor: Cursor) -> None:
    """Look at the GUID that ends at the cursor; the cursor stays.

    Raises:
        DamagedSave: it is none, but the start of terrain: what says that there is a GUID is wrong.
    """
    at = cursor.tell()
    if is_terrain(class_name, cursor) or at < GUID_SIZE:
        return
    cursor.seek(at - GUID_SIZE)
    was = is_terrain(class_name, cursor)
    cursor.seek(at)
    if was:
        raise cursor.damaged("a GUID", offset=at - GUID_SIZE, actual="terrain")


def check_terrain(cursor: Cursor, end: i64) -> None:
    """Pass over the terrain that starts at the cursor.

    Raises:
        SaveError: it ends neither at `end` nor with what all end with: nothing in it is certain.
    """
    cursor.skip(8)
    for _ in range(cursor.count(LEAST_BLOCK)):
        cursor.skip(8)
        cursor.skip(cursor.count(1))
    cursor.skip(8 * cursor.count(8))
    cursor.skip(18 * cursor.count(18))
    mark = cursor.u64()
    if cursor.tell() != end and mark != TERRAIN_END:
        raise cursor.damaged("terrain of another size", actual=int(end - cursor.tell()))
