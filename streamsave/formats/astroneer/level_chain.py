"""Whether the records after the save game lead to the end of the stream: they follow each other without marks.

A second cursor finds that out before any of them is given with `on_damage="resync"`. If they do not, only the first objects are
certain: those that two more records follow.

If the stream does not end where they do, they have to look like what the game writes, too: a class starts with a slash, a
rotation has the length 1, an index is that of an object, and where no actors follow, the last object is as long as its content.

A name holds no NUL: with a wrong length it takes along what follows it.

Where a save is cut, the actor record at the cut is not certain, nor is what follows the actor records of the last level: a few
numbers, which look alike. The names of the next level show that they are right. Nor are these numbers certain if an actor other
than the first is no root and in no other actor, or is so twice; nor those after the roots, if bytes follow the save.
"""

from __future__ import annotations

from array import array
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import SaveError, TruncatedSave
from streamsave.formats.astroneer.instances import LEAST_RECORD, Record, read_record
from streamsave.formats.astroneer.layout import LEAST_ACTOR
from streamsave.formats.unreal.list_chain import TYPE_NAME
from streamsave.formats.unreal.pool import NO_NAME, PoolCursor
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.input.forward import ForwardWindows, has_bytes_after

__all__ = ["LevelChain"]

#: Bytes of an empty level and of the number after it; of a player controller; of an index.
LEAST_LEVEL: Final = 40
CONTROLLER_SIZE: Final = 16
INDEX_SIZE: Final = 4
LINK_SIZE: Final = 8
#: Numbers of a place: the last three are a scale; bytes between them and the rotation.
SCALE_NUMBERS: Final = 3
TRANSLATION_SIZE: Final = 12
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
        self._cursor = cursor
        self._prove(stream_end)
        cursor.names = []

    def _prove(self, stream_end: i64) -> None:
        """Find the fault."""
        cursor = self._cursor
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

    def check_actor(self, level: i64, index: i64) -> None:
        """Raise the fault if an actor record is one that is not there to its end: nothing shows that it is one."""
        if self._cut is not None and (level > self._level or (level == self._level and index >= self._passed)):
            raise self._cut

    def check_tail(self, level: i64) -> None:
        """Raise the fault if what follows the actor records of a level is at a cut: nothing shows which numbers those are."""
        if self._cut is not None and level >= self._level:
            raise self._cut
        if self._stray is not None and level >= self._stray_level:
            raise self._stray

    def check_end(self, level: i64) -> None:
        """Raise the fault if what follows the roots of a level may be at another place."""
        if self._after is not None and level >= self._level:
            raise self._after

    def _note_stray(self, error: SaveError) -> None:
        if self._stray is None:
            error.__traceback__ = None
            self._stray = error
            self._stray_level = self._level

    def _follow(self) -> bool:
        """Pass over all records; return whether the stream ends after them."""
        cursor = self._cursor
        self._pass_level(is_first=True)
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
        cursor = self._cursor
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
        cursor = self._cursor
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
        cursor = self._cursor
        for _ in range(cursor.count(LINK_SIZE)):
            cursor.name()
            index = self._pass_index(count, NOTHING)
            if are_children:
                self._links.append(index)

    def _pass_rotation(self) -> None:
        cursor = self._cursor
        at = cursor.tell()
        length = sum([number * number for number in (cursor.f32(), cursor.f32(), cursor.f32(), cursor.f32())])
        if not abs(length - 1) < MOST_OFF:
            self._note(cursor.damaged("rotation of an actor", offset=at, actual=length), self._before_tail())

    def _pass_scale(self) -> None:
        """Pass over the scale of a place: indexes and counts there are no numbers, or ones that are nearly zero."""
        cursor = self._cursor
        for _ in range(SCALE_NUMBERS):
            bits: i64 = cursor.u32()
            exponent = bits >> 23 & 0xFF
            if (exponent == 0 or exponent == 0xFF) and bits & 0x7FFFFF != 0:
                raise cursor.damaged("scale of an actor", offset=cursor.tell() - 4, actual=int(bits))

    def _pass_index(self, count: i64, least: i64) -> i64:
        """Pass over the index of an object or actor, of which there are `count`; return it."""
        cursor = self._cursor
        index: i64 = cursor.i32()
        if index < least or (index >= count and index > 0):
            raise cursor.damaged("no such index", offset=cursor.tell() - 4, expected=f"{least} to {count - 1}", actual=int(index))
        return index


def may_be_cut(cursor: PoolCursor, start: i64) -> bool:
    """Return whether a record that the end of the stream cuts may start at an offset: what is there of its class is of a name."""
    cursor.seek(start)
    ahead = cursor.peek(MOST_NAME)
    size = int.from_bytes(ahead[:4], "little", signed=True)
    name = ahead[4 : 4 + size] if size > 0 else b""
    return len(ahead) < 4 or size <= 0 or len(name) == size or (b"/".startswith(name[:1]) and b"\0" not in name)


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
