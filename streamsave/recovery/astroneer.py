"""Astroneer: records without sizes around them, which have to lead to the end of the stream.

A second reader finds that out before any object is given: what follows the objects has to be read to the end of the save, without
a fault and without bytes left. If it cannot, objects go on at the first place from which records lead to where it can.

An object is its number, so the numbers of those that are given have to be certain:

| what is seen | numbers |
|---|---|
| a place that leads nowhere | before it from the first object on, after it up to the last one |
| fewer or more records than objects | up to the last and from the first of those that are what actors name, if these are |

The last record before a fault may have a wrong size: it is lost, as is what is in an object that is lost. If nothing leads to the
end, what follows the objects is lost, too.

The module is long because two readers have to agree on where records end.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any, Final

from streamsave.decode.build import references_in
from streamsave.decode.codecs import U64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, SaveEnd, StructEnter
from streamsave.formats.astroneer.instances import Record, read_record
from streamsave.formats.astroneer.layout import TERRAIN, TERRAIN_END, is_terrain
from streamsave.formats.astroneer.reader import ACTOR_RECORD, AstroneerReader
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import GUID_SIZE
from streamsave.recovery.chains import Budget, Records
from streamsave.recovery.losses import Part, lost_part
from streamsave.recovery.unreal import LEAST, TIMES, UnrealFamily, check_header

__all__ = ["AstroneerFamily"]

#: How a record starts, as a look ahead: the length of a class, and its slash.
RECORD_START: Final = re.compile(rb"(?s)(?=[\x02-\xff][\0-\3]\0\0/)")
#: More records than this come from no single fault.
MOST_MORE: Final = 64
#: The least number of a scale but 0: indexes and counts are less, or none.
LEAST_SCALE: Final = 1.17e-38
#: References to what is not there, but may be referred to: the first object or actor of none, an actor of no object.
NONE: Final = frozenset({"#0", "#-1"})
#: If more actors than this are neither root nor child, or both, that is no rule in this save.
MOST_STRAY: Final = 16
#: Values after the objects that refer to objects and actors, and places of these.
LOOKED_AT: Final = frozenset({"object", "children", "components", "transform", "root_actors", "player_controllers"})


class AstroneerFamily(UnrealFamily):
    """Objects of the levels of a save."""

    def __init__(self, reader: AstroneerReader) -> None:
        super().__init__(reader)
        self._reader = reader

    def is_stored(self) -> bool:
        return self._reader.wrapping.is_stored

    def events(self) -> Iterator[Event | Part]:
        reader = self._reader
        yield reader.start()
        header = reader.header
        check_header(reader.cursor, header)
        if header.class_header is not None:
            raise reader.cursor.damaged("bytes before the properties", offset=header.size, expected="none")
        yield from reader.save_game()
        objects = Objects(reader)
        yield from reader.head()
        yield from reader.open_level(reader.level_name)
        yield from self._objects(objects)
        rest: Iterator[Event | Part] = reader.rest(self._next_object)  # type: ignore[arg-type]  # for the driver
        for event in rest:
            if isinstance(event, SaveEnd):
                end = event.offset
                for left in reader.wrapping.left_out():
                    if left.is_lost:
                        yield lost_part(DamagedSave(left.message, end), "member", left.name, end, left.size)
            yield event

    def mend(self, error: SaveError) -> Part | None:
        return None  # a fault costs the rest of its object

    def _ahead(self, at: int) -> UnrealReader:
        scout = super()._ahead(at)
        cursor = scout.cursor
        assert isinstance(cursor, PoolCursor)  # noqa: S101 - the reader has made it
        # Each level has names and layouts of its own.
        cursor.names, scout.dialect = self._reader.pool_cursor.names, self._reader.dialect
        return scout

    def _objects(self, objects: Objects) -> Iterator[Event | Part]:
        """Yield the objects of the first level, and what is lost between them."""
        reader = self._reader
        cursor = reader.cursor
        count = int(reader.object_count)
        error = objects.doubt
        if error is None:
            for index in range(count):
                yield from self._next_object(index)
            return
        cursor.seek(objects.start)
        reader.table.begin(count, None)
        for index, record in objects.places:
            reader.table.add(index, record)
        due = 0
        for index, record in objects.places:
            if (record.offset, index) != (cursor.tell(), due):
                yield lost_part(error, "object", "", int(record.offset), count=index - due)
            yield from self._next_object(index)
            due = index + 1
        if objects.end < 0:
            raise error
        if due < count or cursor.tell() < objects.end:
            yield lost_part(error, "object", "", objects.end, count=count - due)

    def _next_object(self, index: int) -> Iterator[Event | Part]:
        """Yield the object whose record starts at the cursor."""
        reader = self._reader
        record = read_record(reader.pool_cursor, reader.object_count)
        reader.table.add(index, record)
        end = int(record.data_offset + record.total_size)
        yield Part(self._content(index, record), "object", reader.table.path(index), end)

    def _content(self, index: int, record: Record) -> Iterator[Event]:
        """Yield the events of an object; its terrain starts and ends where it seems to."""
        for event in self._reader.object(index, record):
            if isinstance(event, Field) and event.name == "object_guid" and event.size > GUID_SIZE:
                check_guid(self._reader.cursor, event, record.class_name)
            elif isinstance(event, Field) and event.name == "terrain_version":
                check_terrain(self._reader, int(record.data_offset + record.property_size))
            yield event


class Objects(Records):
    """The objects of the first level, as a sequence of records. A second reader finds out which of them are certain.

    Args:
        reader: of the save.

    Raises:
        SaveError: none are.
    """

    def __init__(self, reader: AstroneerReader) -> None:
        ahead = AstroneerReader(reader.wrapping.source, reader.limits)
        for event in iter(ahead.next_event, None):
            if isinstance(event, Field) and event.name == "object_count":
                break
        super().__init__(ahead.pool_cursor, RECORD_START, Budget(NO_LIMIT))
        self._ahead = ahead
        self._names = ahead.pool_cursor.names
        self._layout = ahead.layout
        self._table = ahead.table
        self._count = int(ahead.object_count)
        self._table.begin(self._count, None)
        for index in range(self._count):
            self._table.name(index, 0, -1)
        #: Where the first one starts; where the last one ends, -1 if nothing shows that.
        self.start = int(ahead.leaf.end)
        self.end = -1
        #: Why not all are certain, None if they are; and the numbers and records of those that are.
        self.doubt: SaveError | None = None
        self.places: list[tuple[int, Record]] = []
        starts, end, is_whole = self.forward(self.start, self._count + MOST_MORE, least=self._count)
        fault = self.error
        if not is_whole and len(starts) <= self._count:
            is_whole = self.is_end(end)  # if they are as many as there should be, it is what follows them that is damaged
            fault = self.error if len(starts) == self._count else fault
        if is_whole:
            self.end, fault = end, None
        if not is_whole or len(starts) != self._count:
            self.doubt = fault or DamagedSave("objects that are not where their numbers say", self.start)
            if any("\0" in name for name in self._names):
                raise self.doubt  # a name that goes on after its end may have taken the number of objects
            self._find(starts)
        ahead.close()

    def _find(self, starts: array[int]) -> None:
        """Find those that are certain, if the records from the first one on are not all of them.

        Raises:
            SaveError: none are.
        """
        count = self._count
        before, after = starts[: max(min(len(starts), count) - 1, 0)], array("q")
        if self.end >= 0:
            before, after = self._around(starts)
        else:
            there, is_all = self.cursor.windows.readable_end(self.cursor.limits)
            self._budget = Budget(LEAST + TIMES * there)
            begin = (starts[-1] if starts else self.start) + 1
            place = self.first(begin, lambda _at, left: 0 < left <= count - len(before)) if is_all else -1
            if place >= 0:
                left = self.count(place)
                after, self.end, _ = self.forward(place, left, least=left)
        known: set[int] = set()
        for first, run in ((0, before), (count - len(after), after)):
            for index, start in enumerate(run, first):
                record = self.record(start)
                if record.outer < 0 or record.outer in known:
                    known.add(index)
                    self.places.append((index, record))
        if not self.places:
            assert self.doubt is not None  # noqa: S101 - something is wrong
            raise self.doubt

    def _around(self, starts: array[int]) -> tuple[array[int], array[int]]:
        """Return the records before and after the place where some are missing or too many.

        One may be there twice. Else actors show it, which name their components: up to one of these, and from another one on,
        numbers are certain.
        """
        missing = self._count - len(starts)
        if missing == -1:
            twins = [at for at in range(1, len(starts)) if self._are_same(starts[at - 1], starts[at])]
            if len(twins) == 1:
                return starts[: twins[0]], starts[twins[0] + 1 :]
        named: dict[int, tuple[object, int]] = {}
        self._walk_rest(self.end, named)
        last, first = 0, len(starts)
        for at, start in enumerate(starts):
            record = self.record(start)
            one = (self._names[record.name], record.outer)
            is_own, is_other = named.get(at) == one, named.get(at + missing) == one
            if is_other and not is_own:
                first = at
                break
            if is_own and not is_other:
                last = at
        return starts[:last], starts[max(first, last + 1 - missing) :]

    def _are_same(self, start: int, at: int) -> bool:
        """Return whether a record is the same, byte for byte, as the one after it."""
        size = at - start
        self.cursor.seek(start)
        data = bytes(self.cursor.peek(2 * size))
        return data[:size] == data[size:]

    def _walk_rest(self, at: int, named: dict[int, tuple[object, int]] | None) -> None:
        """Walk what follows the objects to the end of the save.

        Args:
            at: where it starts.
            named: takes what actors of the first level name: the number of the object, its name, the number of what it is in.

        Raises:
            SaveError: that is not what is there.
        """
        ahead = self._ahead
        self.cursor.seek(at)
        ahead.pool_cursor.names, ahead.table, ahead.layout = self._names, self._table, self._layout
        ahead.steps[:] = [ahead.level_name]
        ahead.leave_leaf()
        ahead.drive(ahead.rest(ahead.next_object))
        actor = -1
        linked: list[int] = []
        for event in iter(ahead.next_event, None):
            if isinstance(event, ObjectHeader):
                ahead.skip(event)
            elif isinstance(event, StructEnter) and event.type_name == ACTOR_RECORD and event.count >= 0:
                count, linked = event.count, []
            elif isinstance(event, BlobSkip):
                raise self.cursor.damaged("bytes after the save", offset=event.offset, actual=event.size)
            elif isinstance(event, Field) and event.name in LOOKED_AT:
                value: Any = ahead.value(event)
                if any(path.startswith("#") and path not in NONE for path in references_in(value)):
                    raise self.cursor.damaged("no such object or actor", offset=event.offset)
                if event.name == "transform" and not all(number == 0 or abs(number) > LEAST_SCALE for number in value.scale):
                    raise self.cursor.damaged("scale of an actor", offset=event.offset)
                if event.name == "object":
                    actor = value.index
                elif event.name == "children":
                    linked += [one["actor"].index for one in value]
                elif event.name == "root_actors":
                    linked = [index for index in (*linked, *[one.index for one in value]) if index >= 0]
                    stray = count + len(linked) - len(set(linked)) - len({0, *linked})
                    if 0 < stray <= MOST_STRAY:
                        raise self.cursor.damaged("actors that are no roots, and in no other", offset=event.offset, actual=stray)
                elif event.name == "components" and named is not None and ahead.table is self._table:
                    named.update({one["object"].index: (one["name"], actor) for one in value})

    def record(self, at: int) -> Record:
        """Read the record that starts at an offset.

        Raises:
            SaveError: none does.
        """
        cursor = self._ahead.pool_cursor
        cursor.seek(at)
        cursor.names = self._names
        record = read_record(cursor, self._count)
        if not record.class_name.startswith("/") or "\0" in record.class_name:
            raise cursor.damaged("not the record of an object", offset=at)
        return record

    def read(self) -> bool:
        record = self.record(int(self.cursor.tell()))
        self.cursor.seek(record.data_offset + record.total_size)
        return True

    def ends(self) -> bool:
        self._walk_rest(int(self.cursor.tell()), None)
        return True


def check_guid(cursor: Cursor, event: Field, class_name: str) -> None:
    """Look at the GUID that ends with a value, which starts at the cursor; the cursor stays.

    Raises:
        DamagedSave: it is none, but the start of terrain: what says that there is a GUID is wrong.
    """
    cursor.seek(event.offset + event.size - GUID_SIZE)
    if is_terrain(class_name, cursor):
        raise cursor.damaged("a GUID", actual="terrain")
    cursor.seek(event.offset)


def check_terrain(reader: Reader, end: int) -> None:
    """Look at the terrain that starts at the cursor; the cursor stays.

    Raises:
        SaveError: it ends neither at `end` nor with what all end with: nothing in it is certain.
    """
    cursor = reader.cursor
    start = cursor.tell()
    TERRAIN.measure(cursor, reader)
    cursor.seek(cursor.tell() - U64.size)
    mark = cursor.u64()
    if cursor.tell() != end and mark != TERRAIN_END:
        raise cursor.damaged("terrain of another size", actual=int(end - cursor.tell()))
    cursor.seek(start)
