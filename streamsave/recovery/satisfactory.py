"""Walk the body of a save or blueprint of Satisfactory on after damage.

| what is damaged | what is lost | where the walk goes on |
|---|---|---|
| the data of an object | the object | after it: its size is known |
| headers, sizes, counts, entries | the pairs of which nothing is certain | at the next pair that is (`satisfactory_pairs`) |
| where a level ends | what follows the last pair | at the next level from which levels lead to the end of the save |
| the start of a level, or what comes before the levels | levels | there; or at the first certain header of the persistent level |

The module is long because each kind of fault of a level has its own way on, and all of them read the same level.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import pairwise
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor, is_torn
from streamsave.decode.reader import FINAL_LIMITS
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import BlobSkip, Damage, Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.level_layout import REFERENCES
from streamsave.formats.satisfactory.levels import BLUEPRINT, LEVEL, PERSISTENT_LEVEL, LevelWalker
from streamsave.formats.satisfactory.lightweight import LightweightWalker, holds_instances
from streamsave.formats.satisfactory.object_entry import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import ObjectWalker
from streamsave.formats.satisfactory.reader import VALIDATION_GRIDS, BodyReader
from streamsave.formats.satisfactory.versions import (
    LIGHTWEIGHT_NEWEST,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import UE5_TYPE_TREES
from streamsave.recovery.chains import Budget
from streamsave.recovery.driver import Family
from streamsave.recovery.losses import Losses, Part
from streamsave.recovery.satisfactory_pairs import Plan, find_headers, leads_through
from streamsave.recovery.satisfactory_records import HeaderRecords, LevelBytes, LevelRecords, ends_level
from streamsave.values import Loss

__all__ = ["SatisfactoryFamily"]

#: What all searches of a save may cost, in bytes: so many, and so many for each byte of it. With these, they take up to 20 times
#: as long as reading it, and 0.3 s.
LEAST_COST: Final = 24 << 20
COST_PER_BYTE: Final = 12
#: Bytes that other tools leave after the instances of a subsystem.
FILLER_SIZE: Final = 4


class LightweightRescue(LightweightWalker):
    """Walks the trailer of one subsystem whose sizes lead to its end: an instance that cannot be read is lost alone."""

    def _instances(  # type: ignore[override]
        self, reader: UnrealReader, name: str, instance: Struct, first: i64, last: i64
    ) -> Iterator[Event | Part]:
        cursor = reader.cursor
        for index in range(first, last):
            start = cursor.tell()
            instance.measure(cursor, reader)
            end = int(cursor.tell())
            cursor.seek(start)
            one = super()._instances(reader, name, instance, index, index + 1)
            yield Part(one, "object", f"{self._prefix}{index}", end, size=int(end - start), class_name=self._class_name)
            cursor.seek(end)


class ObjectRescue(ObjectWalker):
    """Walks objects, with instances that may be lost alone."""

    def _instances(self, reader: UnrealReader, header: ObjectHeader, trailer: Struct, end: i64) -> LightweightWalker:
        """Return what walks the instances of a subsystem.

        Raises:
            SaveError: their sizes do not lead to its end. Other tools leave a zero i32 there; newer games may write more.
        """
        cursor = reader.cursor
        start = cursor.tell()
        trailer.measure(cursor, reader)
        at = cursor.tell()
        left = end - at
        if left > 0 and not (left == FILLER_SIZE and cursor.i32() == 0):
            cursor.seek(start)
            trailer.members[0].measure(cursor, reader)  # the GUID; a version follows
            if "lightweight_version" not in trailer.names or cursor.i32() <= LIGHTWEIGHT_NEWEST:
                raise cursor.damaged(
                    "the instances end before their subsystem does", offset=at, expected="0 bytes", actual=int(left)
                )
        cursor.seek(start)
        return LightweightRescue(header, trailer)


class LevelRescue(LevelWalker):
    """Walks one level after the other, each as the pairs of headers and entries that are certain."""

    def __init__(self, reader: BodyReader, losses: Losses) -> None:
        super().__init__(reader, reader.layout, reader.build_version)
        self._body = reader
        self._losses = losses
        self.objects = ObjectRescue(reader.build_version)
        self.open_level.objects = self.objects
        #: Names of the streaming levels of which objects were given.
        self.given: set[str] = set()
        #: Where the stream ends, and whether all of it can be read; else it is where the save says, if that is known.
        self.stream_end, self.is_certain = reader.windows.readable_end(reader.limits)
        self._budget = Budget(LEAST_COST + COST_PER_BYTE * max(self.stream_end, 0))
        #: SaveVersion and UE5 object version of the save.
        self.versions = (reader.save_version, 0)
        #: What the level is called that has no name.
        self._last_name = BLUEPRINT if reader.is_blueprint else PERSISTENT_LEVEL

    def find_end(self) -> None:
        """Note where the stream ends, as far as its chunks were read, and its size."""
        reader = self._reader
        self.stream_end, self.is_certain = reader.windows.readable_end(reader.limits)
        stated = int(reader.stream_end)
        if not self.is_certain and stated >= 0:
            self.stream_end = stated
        elif self.stream_end < 0:
            self.stream_end = NO_LIMIT

    def cursor(self, at: int) -> Cursor:
        """Return a cursor over the stream at an offset."""
        cursor = self._reader.cursor.fork()
        cursor.set_limit(self.stream_end)
        cursor.seek(at)
        return cursor

    def level_records(self) -> LevelRecords | None:
        """Return the streaming levels as records, if they can be looked for."""
        if self.layout.blob_size is None or self.stream_end >= NO_LIMIT:
            return None
        return LevelRecords(self.cursor(0), self.layout, self._reader, self._budget)

    def starts_level(self, at: int) -> bool:
        """Return whether a level may start at an offset, or the stream cannot be read there."""
        for is_named in (True, False):
            cursor = self.cursor(at)
            try:
                if is_named:
                    name = cursor.string()
                    if not name or not name.isprintable():
                        continue
                toc_end = self.layout.blob_end(cursor)
                if self.layout.header_count(cursor, toc_end):
                    cursor.bool32()
                    if cursor.name().startswith("/"):
                        return True
                    continue
                cursor.seek(toc_end)  # zeros look like a level without headers: it has no objects, either
                data_end = self.layout.blob_end(cursor)
                if cursor.i32() == 0 and cursor.tell() == data_end:
                    return True
            except SaveError as error:
                if is_torn(cursor, error) and not self.is_certain:
                    return True
        return False

    # --- a level ---

    def level(self, start: int, index: int, after: int) -> Part:
        """Return the level that starts at an offset.

        Args:
            start: where its name starts; or the level itself, if it is the last one, which has none.
            index: its number.
            after: how many streaming levels follow it, as the save says; -1: it is none itself.

        Raises:
            SaveError: nothing of it can be found, or its start is lost.
        """
        self.find_end()
        cursor = self.cursor(start)
        name = self._last_name if after < 0 else cursor.string()
        tail = self.layout.persistent_tail if after < 0 else self.layout.tail
        level = LevelBytes(self._body, self._budget, *self.versions, tail, cursor.tell() + self.layout.blob.size, self.stream_end)
        self._read_level(level)
        if level.fault is not None and level.is_last and HeaderRecords(self._orphan(start)).step(start) >= 0:
            raise level.fault  # a header starts here, not the level
        level.missing = self._missing()
        if self.layout.blob_size is not None:
            self._find_ends(level, after)
        return self._planned(level, name, start, index, Plan(level))

    def orphan(self, begin: int, index: int, error: SaveError) -> Iterator[Event | Part]:
        """Walk what is certain of the last level, whose start is lost: its headers are looked for from an offset on.

        Raises:
            SaveError: `error`, if there are none.
        """
        level = self._orphan(begin)
        plan = Plan(level)
        if plan.toc_end < 0 or not plan.headers.back:
            raise error
        start = plan.headers.back[0]
        if start > begin:
            yield self.damage(error, "levels", "", begin, start, count=-1)
        self._reader.cursor.seek(start)
        level.content = start
        yield self._planned(level, self._last_name, start, index, plan)

    def _orphan(self, begin: int) -> LevelBytes:
        level = LevelBytes(self._body, self._budget, *self.versions, self.layout.persistent_tail, begin, self.stream_end)
        level.is_orphaned = True
        if self._last_name != BLUEPRINT:  # its first bytes are those that are missing
            level.missing = self._missing()
        return level

    def _missing(self) -> i64:
        """Return how many bytes the save has less than it says; negative: more; 0 if that is not known."""
        stated = self._reader.stream_end
        return stated - self.stream_end if self.is_certain and stated >= 0 else 0

    def _planned(self, level: LevelBytes, name: str, start: int, index: int, plan: Plan) -> Part:
        if plan.toc_end < 0:
            raise self._why(plan)
        self._begin(name, index, level.version, level.ue5_version, level.tail)
        return Part(self._events(level, plan, start), "level", name, self._end_of(level))

    def _end_of(self, level: LevelBytes) -> int:
        """Return where a level ends; -1 if nothing shows that, or nothing follows it."""
        return -1 if level.limit >= NO_LIMIT or level.is_last else int(level.limit)

    def _read_level(self, level: LevelBytes) -> None:
        """Read what a level says of its ends and numbers, and the versions after its objects.

        Raises:
            SaveError: neither its size nor its number of headers can be read.
        """
        layout = self.layout
        cursor = self.cursor(int(level.content - layout.blob.size))
        try:
            level.toc_end = layout.blob_end(cursor)
        except SaveError as error:
            level.fault = error
        cursor.seek(level.content - 4)
        try:
            level.count = layout.header_count(cursor, level.toc_end)
        except SaveError as error:
            if level.fault is not None or cursor.fault is not None:
                raise
            level.fault = error
        if level.toc_end < 0:
            return
        cursor.set_limit(NO_LIMIT)
        cursor.seek(level.toc_end)
        try:
            level.data_end = layout.blob_end(cursor)
            level.data_count = max(cursor.i32(), -1)
        except SaveError as error:
            if cursor.fault is None and (self.is_certain or not is_torn(cursor, error)):
                level.toc_end = -1

    def _find_ends(self, level: LevelBytes, after: int) -> None:
        """Forget sizes of a level that do not lead to what follows; find where that starts: its limit.

        Args:
            level: the level.
            after: how many streaming levels follow it, as the save says. If others do, more is lost than this one.
        """
        tail_end, leads_on = self._tail_end(level) if level.data_end >= 0 else (NO_LIMIT, False)
        if not level.is_last and not (leads_on and tail_end < NO_LIMIT):
            begin = int(level.content) + 1
            records = self.level_records()
            found = -1 if records is None else records.first(begin, lambda _at, _left: True)
            level.is_open = records is None or found < 0 or records.count(found) != after
            if level.is_open and not leads_on and tail_end < NO_LIMIT:
                leads_on = leads_through(level)  # it is what follows that is damaged
            if found < 0 and (not leads_on or tail_end >= NO_LIMIT):
                headers = find_headers(self._orphan(begin))
                found = headers.back[0] if headers.back else NO_LIMIT
            level.limit = tail_end if leads_on and tail_end < NO_LIMIT else found
            if level.toc_end > level.limit:
                level.toc_end = level.data_count = -1
        elif not level.is_last:
            level.limit = tail_end
        if not leads_on:
            if level.data_count not in {-1, level.count}:
                level.toc_end = level.data_count = -1
            level.stated_end, level.data_end = level.data_end, -1
            level.version, level.ue5_version = self.versions

    def _tail_end(self, level: LevelBytes) -> tuple[i64, bool]:
        """Return where the tail of a level ends, and whether the next level, or the end of the save, follows; note its versions.

        The end is `NO_LIMIT` if the tail cannot be read. Damage hides what follows: then nothing contradicts.
        """
        cursor = self.cursor(int(level.content - self.layout.blob.size))
        try:
            if "level_save_version" in level.tail.names:
                version, ue5_version = self.layout.read_ahead(cursor, self._reader)
                if version > self._body.save_version:  # the save was written last
                    return NO_LIMIT, False
                level.version, level.ue5_version = version, ue5_version
            cursor.seek(level.data_end)
            if level.is_last:
                return NO_LIMIT, ends_level(level, cursor)
            level.tail.measure(cursor, self._reader)
        except SaveError as error:
            return NO_LIMIT, is_torn(cursor, error) and not self.is_certain
        return cursor.tell(), self.starts_level(int(cursor.tell()))

    # --- its events ---

    def _events(self, level: LevelBytes, plan: Plan, start: int) -> Iterator[Event | Part]:
        """Walk a level whose name, if it has one, starts at `start`."""
        reader = self._reader
        name = self._name
        cursor = reader.cursor
        self._losses.headers_end = plan.toc_end
        self.open_level.toc_end = plan.toc_end
        cursor.seek(level.content)
        yield StructEnter(start, name, LEVEL, int(level.content) - start, -1, int(self._index), -1)
        if cursor.tell() == level.content:
            reader.steps.append(name)
            number = len(plan.headers.front) if plan.headers.is_whole else plan.count
            if level.fault is None and number >= 0 and level.count not in {-1, number}:
                level.fault = cursor.damaged(
                    "number of headers", offset=int(level.content) - 4, expected=number, actual=int(level.count)
                )
            if level.fault is not None:
                yield self.damage(level.fault, "headers", "", int(level.content), int(level.content), count=0)
            yield from self._blobs_of(level, plan)
            if plan.data_end >= 0:
                self._losses.claimed = plan.data_end
                yield Part(self._after_blobs(), "level", name, self._end_of(level), start=plan.data_end)
            reader.steps.pop()
            cursor = reader.cursor
            if level.limit < NO_LIMIT and cursor.tell() < level.limit and not level.is_last:
                yield BlobSkip(cursor.tell(), level.limit - cursor.tell(), "bytes after the level")
                cursor.seek(level.limit)
        yield StructExit(reader.cursor.tell(), name, 0)

    def _blobs_of(self, level: LevelBytes, plan: Plan) -> Iterator[Event | Part]:
        """Walk the pairs that are certain, and what follows headers and objects."""
        toc, data = self._part_cursors()
        outer = self.stream_end
        toc.set_limit(plan.toc_end)
        data.set_limit(outer)
        error = self._why(plan)
        data_at = plan.toc_end
        if plan.runs or plan.data_end >= 0:
            yield from self._data_start(plan)
            data_at = plan.data_start
        data.set_limit(plan.data_end if plan.data_end >= 0 else NO_LIMIT)
        toc_at = int(level.content)
        index = 0
        if plan.runs:
            self.given.add(self._name)
        for run in plan.runs:
            yield from self._between(plan, toc_at, run.toc, data_at, run.entries[0], index, run.number, error)
            toc.seek(run.toc)
            data.seek(run.entries[0])
            for end in run.entries[1:]:
                yield self._object(end)
            toc_at = int(toc.tell())
            data_at = run.entries[-1]
            index = run.number + len(run.entries) - 1 if run.number >= 0 else -1
        end = plan.data_end if plan.data_end >= 0 else data_at
        yield from self._between(plan, toc_at, plan.headers_end, data_at, end, index, plan.count, error)
        data.set_limit(outer)
        data.seek(end)
        toc.seek(plan.headers_end)
        yield Part(self._after_headers(), "headers", "", end, start=end, count=0)
        self._reader.cursor = data
        self._losses.headers_end = -1
        data.seek(end)
        if plan.data_end < 0:
            if level.limit >= NO_LIMIT or level.is_last:
                self._losses.claimed = end
                raise error
            yield self.damage(error, "level", self._name, end, int(level.limit))
            data.seek(level.limit)

    def _data_start(self, plan: Plan) -> Iterator[Event]:
        """Walk the size and number of objects."""
        reader = self._reader
        data = reader.cursor
        data.seek(plan.toc_end)
        start = plan.data_start
        fault: SaveError | None = None
        try:
            end = self.layout.blob_end(data)
            count = int(data.i32())
            if end >= 0 and end != plan.data_end >= 0:
                fault = data.damaged("size of objects", offset=plan.toc_end, expected=plan.data_end, actual=int(end))
            elif count != plan.count >= 0:
                fault = data.damaged(
                    "number of objects differs from that of headers", offset=start - 4, expected=plan.count, actual=count
                )
        except SaveError as unreadable:
            fault = unreadable
        if fault is not None:
            yield self.damage(fault, "object data", "", plan.toc_end, start, count=0)
        elif reader.selecting is None or reader.selecting.needs_rest:
            yield reader.passed("data_blob", self.layout.blob, plan.toc_end)
        data.seek(start)

    def _object(self, end: int) -> Part:
        """Return the next object, whose entry ends at an offset."""
        start = int(self._data.tell())
        self._headers.decode(self._toc)
        header = self._read_entry()
        return Part(
            self._object_events(header, end),
            "object",
            header.instance_name,
            end,
            start=start,
            size=int(header.size),
            class_name=header.class_name,
        )

    def _object_events(self, header: ObjectHeader, end: int) -> Iterator[Event | Part]:
        """Walk an object whose header was read, unless it is not selected."""
        reader = self._reader
        data = self._data
        wanted = reader.selecting
        name = header.instance_name
        if wanted is not None and not holds_instances(header.class_name):
            kind = header.class_name
            if not (wanted.wants_class(kind) and wanted.wants_names(kind, name, header.level) and wanted.wants_header(header)):
                data.seek(end)
                return
        yield header
        data_end = header.data_offset + header.size
        if header.size and data.tell() == header.data_offset:
            content = Part(self.objects.content(reader, header), "object", name, data_end, size=header.size)
            reader.steps.append(name)
            yield content
            reader.steps.pop()
            if content.is_lost:
                reader.list_end = -1
        ending = Part(self._object_end(header), "object", name, end, start=data_end)
        yield ending
        if ending.is_lost:
            yield ObjectEnd(end, name, 0)

    def _object_end(self, header: ObjectHeader) -> Iterator[Event]:
        yield self.objects.end(self._reader, self._data, header)

    def _why(self, plan: Plan) -> SaveError:
        """Return what is wrong with the records of a level that are lost."""
        headers, entries = plan.headers, plan.entries
        torn = headers.torn or (None if entries is None else entries.torn)
        if torn is not None:
            return torn
        cursor = self._reader.cursor
        if entries is None or not headers.is_whole:
            return cursor.damaged("headers do not lead to the end of the level", offset=headers.front_end)
        return cursor.damaged("sizes of objects do not lead to the end of the level", offset=entries.front_end)

    def _between(
        self, plan: Plan, toc_at: int, toc_end: int, data_at: int, data_end: int, index: int, following: int, error: SaveError
    ) -> Iterator[Event]:
        """Report what is lost between two runs: headers by name, as far as they can be read, and the bytes of entries.

        `index` and `following` are the numbers of the first object that is lost, and of that after the last one; -1: unknown.
        """
        count = following - index if index >= 0 <= following else -1
        reader = self._reader
        headers = ObjectHeaderCodec(self.open_level.version)
        toc = self._toc
        seen = 0
        at = toc_at
        for place, limit in pairwise([*plan.header_starts(toc_at, toc_end), toc_end]):
            if place > at:
                yield self.damage(error, "headers", "", at, place, count=-1)
            toc.seek(place)
            headers.decode(toc)
            at = min(int(toc.tell()), limit)  # a length in it may be wrong
            seen += 1
            yield self.damage(error, "object", headers.instance_name, place, at, size=-1, class_name=headers.class_name)
        if at < toc_end:
            yield self.damage(error, "headers", "", at, toc_end, count=count - seen if count > seen else -1)
        there = reader.windows.readable_end(reader.limits)[0]
        if data_at < there < data_end:
            data_end = int(there)  # the stream ends before the level
        if data_at < data_end:
            yield self.damage(error, "object data", "", data_at, data_end, count=count)

    def damage(
        self, error: SaveError, kind: str, name: str, start: int, end: int, *, size: int = 0, class_name: str = "", count: int = 1
    ) -> Damage:
        """Return the report of lost bytes; `size` is theirs, if left out.

        Raises:
            LimitExceeded: `error`, if nothing goes on after it.
        """
        if isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS:
            raise error
        path = tuple(self._reader.steps)
        if name and path[-1:] != (name,):
            path = (*path, name)
        return Damage(start, end - start, error, Loss(kind, name, path, size or end - start, class_name, count))


class SatisfactoryFamily(Family):
    """What is known of damage in saves and blueprints of Satisfactory: what comes before the levels, then level by level."""

    #: Walks the levels, once the header of the save was read.
    _levels: LevelRescue

    def __init__(self, reader: BodyReader) -> None:
        super().__init__(reader)
        self._reader = reader
        #: Where the version data of the persistent level end, if they can be read.
        self._versions_end = 0
        #: How many streaming levels there are, as far as that is known, and as the save says.
        self._count = 0
        self._stated: i64 = NO_LIMIT

    def events(self) -> Iterator[Event | Part]:
        reader = self._reader
        yield reader.start()
        if reader.chunks is not None:
            reader.chunks.bridges = True
        self._levels = levels = LevelRescue(reader, self.losses)
        reader.open_level = levels.open_level
        #: UE5 object version of the persistent level; the engine of the first game that wrote it had type trees.
        self._ue5_version = reader.ue5_version
        if self._ue5_version == 0 and reader.save_version >= SAVE_VERSION_VERSION_DATA and not reader.is_blueprint:
            self._ue5_version = UE5_TYPE_TREES
        self._has_levels = reader.save_version >= SAVE_VERSION_LEVELS and not reader.is_blueprint
        at, error = yield from self._start()
        levels.versions = (reader.save_version, self._ue5_version)
        records = levels.level_records() if self._has_levels else None
        left = self._left(records, at, self._count)
        begin = at
        seen = index = 0
        while error is not None or left > 0:
            if error is None:
                try:
                    if seen + left > self._stated and levels.cursor(at).string() in levels.given:
                        raise reader.cursor.damaged("a level is there twice", offset=at)
                    yield levels.level(at, index, left - 1)
                    seen += 1
                    index += 1
                    at = int(reader.cursor.tell())
                    left = self._left(records, at, left - 1)
                except SaveError as fault:
                    error = fault
                    begin = at + 1
                continue
            place = -1 if records is None else records.first(begin, lambda _at, _left: True)
            if place < 0:
                break
            found = self._left(records, place, 0)
            yield levels.damage(error, "levels", "", at, place, count=left - found if left > found else -1)
            self._count = max(self._count, found)
            index = max(index, self._count - found)
            at, left, error = place, found, None
        if error is None:
            try:
                yield levels.level(at, self._count, -1)
            except SaveError as fault:
                error = fault
        if error is not None:
            yield from levels.orphan(at, self._count, error)
        yield from self._end()

    def _left(self, records: LevelRecords | None, at: int, stated: int) -> int:
        """Return how many streaming levels follow an offset: as many as lead to the end of the save, or as it says."""
        found = -1 if records is None else int(records.count(at))
        return found if found >= 0 else stated

    def _start(self) -> Generator[Event | Part, None, tuple[int, SaveError | None]]:
        """Walk what comes before the levels; return where these start, and what is wrong if that is not known."""
        reader = self._reader
        levels = self._levels
        cursor = reader.cursor
        error: SaveError | None = None
        start = int(cursor.tell())
        if reader.chunks is not None:
            try:
                reader.body_size()
            except SaveError as fault:
                error = fault
                cursor.fault = None
            if error is None:
                yield reader.passed("body_size", reader.size_codec, start)
            start += int(reader.size_codec.size)
        levels.find_end()
        start = min(start, levels.stream_end)  # no chunk has its bytes
        cursor.set_limit(levels.stream_end)
        cursor.seek(start)
        try:
            first = start if reader.is_blueprint else self._measure(start)
        except SaveError as fault:
            if error is None and start < self._versions_end:
                cursor.seek(self._versions_end)
                yield reader.passed("version_data", VERSION_DATA, start)
                start = self._versions_end
            return (0 if error is not None else start), error or fault
        if error is not None:
            yield levels.damage(error, "levels", "", 0, start, count=0)
        cursor.seek(start)
        yield Part(reader.before_levels(), "levels", "", first, start=start)
        cursor.seek(first)
        return first, None

    def _measure(self, start: int) -> int:
        """Return where the levels start, and note how many there are.

        Raises:
            SaveError: what comes before them is damaged, or they do not start there.
        """
        reader = self._reader
        cursor = reader.cursor.fork()
        cursor.seek(start)
        if reader.save_version >= SAVE_VERSION_VERSION_DATA:
            self._ue5_version = read_ue5_version(cursor)
            self._versions_end = int(cursor.tell())
        if reader.save_version >= SAVE_VERSION_VALIDATION_GRIDS:
            VALIDATION_GRIDS.measure(cursor, reader)
        if self._has_levels:
            self._count = int(cursor.count(4))
            self._stated = self._count
            if not self._levels.starts_level(int(cursor.tell())):
                raise cursor.damaged("no level starts after the number of levels")
        return int(cursor.tell())

    def _end(self) -> Iterator[Event | Part]:
        """Walk what follows the last level."""
        reader = self._reader
        levels = self._levels
        cursor = reader.cursor
        levels.find_end()
        end = levels.stream_end
        cursor.set_limit(end)
        if self._has_levels and cursor.remaining() > 0:
            one = iter([reader.field("unresolved_destroyed_actors", REFERENCES)])
            yield Part(one, "level", "", end, start=int(cursor.tell()))
        if not levels.is_certain or end == reader.stream_end or reader.chunks is None:
            yield from reader.finish()
            return
        at = cursor.tell()
        if at < end:
            yield BlobSkip(at, end - at, "bytes after the save")
        self.losses.claimed = end
        raise cursor.damaged("the save has not as many bytes as it says", offset=end, expected=int(reader.stream_end), actual=end)
