"""What is given up of a level where its bytes are at fault, and where the walk goes on.

| what is damaged | is lost | the walk goes on |
|---|---|---|
| the data of an object | the object | behind it: its size is known |
| what stands in front of its size, or its header | objects up to the first that is certain | there (`realign`) |
| the same, and nothing is certain behind it | all other objects of the level | behind its objects: their size is known |
| the start or the end of a level | levels up to the first that is certain | there |

Which objects were lost is told one by one, as far as their headers are sound.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT
from streamsave.formats.satisfactory.objects import ObjectReader
from streamsave.formats.satisfactory.record_scanners import (
    LEAST_OBJECT,
    EntryScanner,
    HeaderScanner,
    LevelScanner,
    OrphanedHeaderScanner,
)
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.satisfactory.versions import SAVE_VERSION_OBJECT_FLAGS
from streamsave.limits import Limits

__all__ = ["MANY", "LevelRecovery"]

#: What stands in front of an object's data.
LONGEST_ENTRY: Final = 12
#: What stands behind it at least, where objects have versions of their own: whether version data follow.
VERSION_FLAG_SIZE: Final = 4
#: More levels, or objects of one, than any save has: nothing tells how many there are.
MANY: Final = 1 << 20


class LevelRecovery(ObjectReader):
    """Knows how far a level has been walked, and what of it is lost."""

    def __init__(self, cursor: Cursor, limits: Limits) -> None:
        super().__init__(cursor, limits)
        #: The second cursor: `cursor` and `data` change places at each level.
        self.data = cursor
        self.layout = BLUEPRINT_LAYOUT
        #: Of the level that is being walked: where its headers end, and what stands behind its data.
        self._toc_end: i64 = 0
        self._tail = BLUEPRINT_LAYOUT.tail
        #: The SaveVersion and UE5 version that it was written with.
        self._level_version = 0
        self._level_ue5_version = 0
        #: Where its objects end (-1: nothing tells), the limit around it, whether all its objects were walked, and up to where
        #: its headers were.
        self._data_end: i64 = -1
        self._level_limit: i64 = 0
        self._walked = False
        self._toc_at: i64 = 0
        #: No entry starts in front of that: there, version data of the object before it could not be read.
        self._least_entry_offset: i64 = 0
        #: What has cost the start of the persistent level.
        self.lost_start: SaveError | None = None

    def _set_level(self, version: int, ue5_version: int, tail: Struct) -> None:
        """Begin a level."""
        self._level_version = version
        self._level_ue5_version = ue5_version
        self._tail = tail

    def _object_header(self, toc: Cursor, data: Cursor, level_version: int) -> ObjectHeader:
        """Read one header and the entry in front of the object's data."""
        raise NotImplementedError

    def _behind_headers(self, toc: Cursor) -> Iterator[Event]:
        """Walk what stands behind the headers of a level: perhaps a copy of the list that stands behind its objects."""
        end = self._toc_end
        if toc.tell() >= end:
            return
        data = self.cursor
        self.cursor = toc
        try:
            if "destroyed_actors" in self._tail.names:
                # It may be stale: the other list is the one to trust.
                yield self.field("toc_destroyed_actors", self._tail.members[self._tail.names.index("destroyed_actors")])
            if toc.tell() < end:
                yield BlobSkip(toc.tell(), end - toc.tell(), "bytes behind the headers")
        finally:
            self.cursor = data

    # --- an object ---

    def _lose_object(self, error: SaveError, header: ObjectHeader) -> Iterator[Event]:
        """Give up an object, and go behind it: its size is known."""
        data = self.cursor
        self.abandon()
        self.list_end = -1
        self.steps[1:] = [header.instance_name]
        end: i64 = header.data_offset + header.size
        data.set_limit(self._data_end if self._data_end >= 0 else self._level_limit)
        data.seek(end)
        yield self.lost(error, "object", header.instance_name, header.data_offset, end)
        self.steps.pop()
        try:
            object_end = self.object_end(header)
        except SaveError:
            data.seek(end)
            self._least_entry_offset = end + VERSION_FLAG_SIZE
            object_end = ObjectEnd(end, header.instance_name, 0)
        yield object_end

    # --- objects ---

    def _lose_objects(
        self, error: SaveError, most: i64, toc_offset: i64, entry_offset: i64, *, is_first: bool = True
    ) -> Generator[Event, None, i64]:
        """Give up objects from the one whose header or entry is damaged up to the first that is certain.

        Args:
            error: what is wrong.
            most: how many objects are left, that one included.
            toc_offset: where its header starts.
            entry_offset: where its entry starts.
            is_first: `toc_offset` is that of the first of them indeed, not of one behind it.

        Returns:
            How many are left; both cursors stand at the first of them.
        """
        toc = self.data
        data = self.cursor
        del self.steps[1:]
        headers = HeaderScanner(toc.fork(), most, self._level_version, self._tail, self)
        entries = self._entries(data.fork(), most)
        if self._data_end < 0:
            entries.tail = self._tail
        if not headers.stands_at(toc_offset):
            headers.find(toc_offset)
        left: i64 = 0
        if not isinstance(error, TruncatedSave):
            before = headers.readable(toc_offset) if is_first else 0
            left = self._find_object(headers, entries, toc_offset, entry_offset, before)
        if entries.end >= 0:
            self._data_end = entries.end
            data.set_limit(entries.end)
        if left == 0:
            entries.place = self._data_end
        yield from self._tell_lost_objects(error, most, left, toc_offset, headers)
        toc.seek(headers.place)
        if entries.place < 0:
            yield from self._behind_headers(toc)
            self.claimed = entry_offset
            raise error  # nothing tells where the objects end
        data.seek(entries.place)
        if entries.place > entry_offset:
            yield self.lost(error, "object data", "", entry_offset, entries.place, count=most - left)
        return left

    def _entries(self, cursor: Cursor, most: i64) -> EntryScanner:
        """Make the row of objects that ends at the limit of a cursor."""
        return EntryScanner(cursor, most, self._level_version, self.layout, self, own_versions=self.object_versions)

    def _find_object(self, headers: HeaderScanner, entries: EntryScanner, toc_offset: i64, entry_offset: i64, before: i64) -> i64:
        """Find the first object whose header and data are certain; give how many are left, and let both rows stand there.

        The rows tell by their ends which object is which; of those headers that stand `before` what is damaged, their start tells
        it. That the data make sense with that header is seen by reading them.
        """
        behind = (headers.place, headers.left)
        is_found = entries.stands_at(entry_offset)
        if not is_found:
            is_entry = entry_offset > self._toc_end  # and not the size and number of all objects
            first: i64 = max(entry_offset, self._least_entry_offset)
            if is_entry and not is_readable(self.windows, first, first + LONGEST_ENTRY):
                entries.most -= 1  # the first of them starts in what is damaged
            is_found = entries.find(entry_offset)
        while is_found:
            found = entries.place
            if headers.most - entries.left < before:
                headers.set_place(toc_offset, headers.most)
            else:
                headers.set_place(*behind)
            left = min(headers.left, entries.left)
            if left <= 0:
                return 0
            entries.pass_links(entries.left - left)
            toc = headers.cursor.fork()
            toc.seek(headers.place_of(left))
            if (left < headers.most and found == entry_offset) or self._makes_sense(toc, entries.place):
                return left
            is_found = entries.find(found + 1)
        return 0

    def _makes_sense(self, toc: Cursor, place: i64) -> bool:
        """Tell whether an object can be read whole that starts at `place`."""
        cursor = self.cursor
        data = cursor.fork()
        data.seek(place)
        try:
            header = self._object_header(toc, data, self._level_version)
        finally:
            self.cursor = cursor
        if header.size < LEAST_OBJECT:
            return False
        reader = ObjectReader(data, self.limits)
        reader.build_version = self.build_version
        reader.object_versions = self.object_versions
        return reader.can_read(header, self._level_ue5_version)

    def _tell_lost_objects(
        self, error: SaveError, most: i64, left: i64, toc_offset: i64, headers: HeaderScanner
    ) -> Iterator[Event]:
        """Tell of all objects but the last `left`: of those without a header at once, of the others by name."""
        if headers.left < 0:
            headers.set_place(self._toc_end, 0)
        if headers.place > toc_offset:
            yield self.lost(error, "headers", "", toc_offset, headers.place, count=most - headers.left)
        while headers.left > left:
            start = headers.place
            headers.pass_links(1)
            yield self.lost(error, "object", headers.instance_name, start, headers.place, size=-1, class_name=headers.class_name)

    # --- levels ---

    def _likely_version(self, error: SaveError, version: int) -> int:
        """Tell the SaveVersion of a level, behind whose name the cursor stands, as its end cannot be read.

        Its headers tell: only one change of them is as new as levels that have a version. Objects have versions of their own.

        Raises:
            SaveError: `error`, where they cannot be read either.
        """
        for likely in (version, SAVE_VERSION_OBJECT_FLAGS - 1):
            cursor = self.cursor.fork()
            try:
                end = self.layout.blob_end(cursor)
                count = cursor.i32()
                cursor.set_limit(end)
                if HeaderScanner(cursor, count, likely, self.layout.tail, self).stands_at(cursor.tell()):
                    return likely
            except SaveError:
                break
        raise error

    def _behind_level(self, fault: SaveError, toc_offset: i64) -> i64:
        """Go behind a level whose start is damaged, by the sizes of its blobs.

        Raises:
            SaveError: `fault`, where they are damaged themselves.
        """
        cursor = self.cursor
        try:
            cursor.seek(toc_offset)
            for _ in range(2):
                end = self.layout.blob_end(cursor)
                if end < 0:
                    raise fault
                cursor.seek(end)
            self._tail.measure(cursor, self)
        except SaveError:
            raise fault from None
        return cursor.tell()

    def _lose_content(self, error: SaveError, name: str, content: i64) -> Event:
        """Give up what of a level's blobs no event has claimed, and go behind them."""
        self.abandon()
        del self.steps[1:]
        data = self.cursor
        data.set_limit(self._level_limit)
        data.seek(self._data_end)
        if self._walked:
            # All objects were walked: it is what stands behind the headers.
            return self.lost(error, "level", name, self._toc_at, self._toc_end)
        return self.lost(error, "level", name, content, self._data_end)

    def lose_levels(self, error: SaveError, most: i64) -> Generator[Event, None, i64]:
        """Give up what no event has claimed of a level, and the levels behind it up to the first that is certain.

        Args:
            error: what is wrong.
            most: how many streaming levels are left, that one included.

        Returns:
            How many are left; the cursor stands at the first of them, or at the persistent level.

        Raises:
            SaveError: `error`, where nothing behind it is certain.
        """
        self.abandon()
        self.list_end = -1
        del self.steps[:]
        if isinstance(error, TruncatedSave):
            raise error
        cursor = self.cursor
        cursor.set_limit(self.stream_end)
        levels = LevelScanner(cursor.fork(), most, self.layout, self)
        if not levels.find(self.claimed + 1, 0):
            self.lost_start = error
            return 0
        cursor.seek(levels.place)
        yield self.lost(error, "levels", "", self.claimed, levels.place, count=most - levels.left if most < MANY else -1)
        return levels.left

    def _find_headers(self, error: SaveError, start: i64) -> i64:
        """Find, from `start` on, the first certain header of the last level, and where its headers end.

        Raises:
            SaveError: `error`, where nothing is certain.
        """
        if isinstance(error, TruncatedSave):
            raise error
        cursor = self.cursor
        if self.stream_end >= 0:
            cursor.set_limit(self.stream_end)
        entries = self._entries(cursor.fork(), MANY)
        entries.tail = self._tail
        headers = OrphanedHeaderScanner(cursor.fork(), self._level_version, self._tail, self, entries)
        if not headers.find(start):
            raise error
        self._toc_end = headers.blob
        return headers.place
