"""Whether the records after the save game lead to the end of the stream: they follow each other without marks.

A second cursor finds that out before any of them is given with `on_damage="resync"`. If they do not, only the first objects are
certain: those that two more records follow.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.errors import SaveError, TruncatedSave
from streamsave.formats.astroneer.instances import ACTOR_TRANSFORM_SIZE, LEAST_RECORD, read_record
from streamsave.formats.astroneer.layout import LEAST_ACTOR
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.input.forward import ForwardWindows, has_bytes_after

__all__ = ["LevelChain"]

#: Bytes of an empty level and of the number after it; of a player controller; of an index.
LEAST_LEVEL: Final = 40
CONTROLLER_SIZE: Final = 16
INDEX_SIZE: Final = 4
LINK_SIZE: Final = 8
#: Bytes at the end of a place.
SCALE_SIZE: Final = 12
#: The index of no object or actor.
NOTHING: Final = -1
#: Records after an object that show that its size is right.
FOLLOWING: Final = 2
#: Bytes after the save that are looked at.
MOST_AFTER: Final = 4096


class LevelChain:
    """What is certain of the records from the cursor on.

    Args:
        cursor: a second one, after the names of the first level start.
        stream_end: where the stream ends, as its wrapper says; -1 if it does not.
    """

    def __init__(self, cursor: PoolCursor, stream_end: i64) -> None:
        #: Why not all is; None if it is.
        self.fault: SaveError | None = None
        #: How many objects of the first level are then.
        self.sound: i64 = 0
        self._read: i64 = 0
        # Of the level that was passed last.
        self._objects: i64 = 0
        self._actors: i64 = 0
        self._cursor = cursor
        try:
            self._follow()
        except SaveError as error:
            is_cut = isinstance(error, TruncatedSave) and stream_end < 0
            if not is_cut and (isinstance(error, TruncatedSave) or has_bytes_after(error, cursor.windows)):
                error.__traceback__ = None
                self.fault = error
                self.sound = max(self._read - FOLLOWING, 0)
        self._cursor.names = []

    def check(self, index: i64) -> None:
        """Raise the fault if the object of the first level that comes next, or what follows the last one, is not certain."""
        if self.fault is not None and index >= self.sound:
            raise self.fault

    def _follow(self) -> None:
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

    def _pass_level(self, *, is_first: bool) -> None:
        cursor = self._cursor
        cursor.names = []
        cursor.skip(4)
        cursor.names = cursor.read_pool()
        count = cursor.count(LEAST_RECORD)
        for _ in range(count):
            record = read_record(cursor, count)
            cursor.seek(record.data_offset + record.total_size)
            self._read += 1 if is_first else 0
        self._objects = count
        count = cursor.count(LEAST_ACTOR)
        self._actors = count
        for _ in range(count):
            self._pass_index(self._objects, NOTHING)
            self._pass_links(self._actors)
            self._pass_links(self._objects)
            cursor.skip(ACTOR_TRANSFORM_SIZE - SCALE_SIZE)
            self._pass_scale()
        for _ in range(cursor.count(INDEX_SIZE)):
            self._pass_index(self._actors, NOTHING)
        cursor.skip(4)

    def _pass_links(self, count: i64) -> None:
        cursor = self._cursor
        for _ in range(cursor.count(LINK_SIZE)):
            cursor.name()
            self._pass_index(count, NOTHING)

    def _pass_scale(self) -> None:
        """Pass over the scale of a place: indexes and counts there are no numbers, or ones that are nearly zero."""
        cursor = self._cursor
        for _ in range(SCALE_SIZE // 4):
            bits: i64 = cursor.u32()
            exponent = bits >> 23 & 0xFF
            if (exponent == 0 or exponent == 0xFF) and bits & 0x7FFFFF != 0:
                raise cursor.damaged("scale of an actor", offset=cursor.tell() - 4, actual=int(bits))

    def _pass_index(self, count: i64, least: i64) -> None:
        """Pass over the index of an object or actor, of which there are `count`."""
        cursor = self._cursor
        index: i64 = cursor.i32()
        if index < least or (index >= count and index > 0):
            raise cursor.damaged("no such index", offset=cursor.tell() - 4, expected=f"{least} to {count - 1}", actual=int(index))
