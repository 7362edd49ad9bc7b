"""Give up what is damaged in a level: report what is lost, and find the first thing after it that is certain.

| what is given up | where the walk goes on |
|---|---|
| an object | after it: its size is known |
| objects from one on | at the first that is certain, as `resync_scan` finds it; if there is none, after all of them |
| a stretch whose sizes lead to its end | there |
| all that is left of a level's headers and objects | after them |

`level_recovery` decides what is given up.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.guard import Guard
from streamsave.formats.satisfactory.level_layout import LevelLayout
from streamsave.formats.satisfactory.level_proof import LevelProof
from streamsave.formats.satisfactory.levels import LevelWalker
from streamsave.formats.satisfactory.object_entry import LARGEST_PREFIX, LEAST_VERSION_DATA
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.object_matching import OTHER_KIND, PairReader
from streamsave.formats.satisfactory.objects import SOUND, WHOLE, ObjectReader
from streamsave.formats.satisfactory.record_scanners import (
    LEAST_OBJECT,
    EntryScanner,
    HeaderScanner,
    OrphanedHeaderScanner,
)
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["MANY", "LevelLosses"]

#: Stand-in for a number of levels or objects that cannot be read: more than any save has.
MANY: Final = 1 << 20


class LevelLosses(LevelWalker):
    """Walks levels, and gives up what is damaged in them."""

    def __init__(self, reader: UnrealReader, layout: LevelLayout, build_version: int) -> None:
        super().__init__(reader, layout, build_version)
        self._guard = Guard(reader)
        #: How many streaming levels the save has, as it says.
        self.level_count: i64 = 0
        #: Nothing that is found starts before this, as events have claimed that; -1: it starts after `Reader.claimed`.
        self.least_start: i64 = -1
        #: What has cost the start of the persistent level.
        self.lost_start: SaveError | None = None
        #: What has cost the start of the objects of this level.
        self._fault: SaveError | None = None
        #: All objects of this level were walked, and its headers up to this offset.
        self._walked = False
        self._toc_at: i64 = 0
        #: Lower bound for the start of the next entry; the version data before it are unreadable.
        self._least_entry_offset: i64 = 0
        #: What is certain of this level, if not all of it is.
        self._proof: LevelProof | None = None
        #: The next object is not certain, though it could be read.
        self._doubts = False
        #: The start of the persistent level is in a chunk that cannot be read.
        self._is_torn_start = False
        #: Where the level ends at the latest, if nothing says where its objects do.
        self._entry_limit: i64 = 0
        #: What follows its objects says where they end, not their size.
        self._is_end_moved = False
        #: What should follow its objects does not follow them.
        self._is_loose_end = False
        #: The next object is in a stretch of which nothing is certain, but sizes lead to its end.
        self._in_gap = False
        #: How many objects this level has, as is said where they start, if that differs from the number of headers; else -1.
        self._stated: i64 = -1

    def first_offset(self) -> i64:
        """Return where a level that is searched for may start at the earliest."""
        return self.least_start if self.least_start >= 0 else self._reader.claimed + 1

    # --- a stretch ---

    def _pass_gap(self, error: SaveError) -> Iterator[Event]:
        """Give up a stretch of objects that may not belong to their headers, and go on after it: sizes lead there."""
        reader = self._reader
        toc = self._toc
        data = self._data
        proof = self._proof
        if proof is None:
            return
        header_count, entry_count = proof.gap(self._left)
        start = data.tell()
        del reader.steps[1:]
        headers = ObjectHeaderCodec(self._version)
        for _ in range(header_count):
            headers.decode(toc)
            end = toc.tell()
            yield reader.lost(error, "object", headers.instance_name, headers.offset, end, size=-1, class_name=headers.class_name)
        if entry_count > header_count:
            yield reader.lost(error, "headers", "", toc.tell(), toc.tell(), count=entry_count - header_count)
        entries = self.layout.entries(self._version)
        data.seek(start)
        for _ in range(entry_count):
            entries.measure(data)
        end = data.tell()
        if end > start:
            yield reader.lost(error, "object data", "", start, end, count=entry_count)
        data.seek(end)
        proof.close_gap(self._left)
        self._left -= header_count

    # --- an object ---

    def _lose_object(self, error: SaveError, header: ObjectHeader) -> Iterator[Event]:
        """Give up an object, and go on after it: its size is known."""
        reader = self._reader
        data = reader.cursor
        reader.abandon()
        reader.list_end = -1
        reader.steps[1:] = [header.instance_name]
        end: i64 = header.data_offset + header.size
        data.set_limit(self._data_end if self._data_end >= 0 else self._entry_limit)
        data.seek(end)
        yield reader.lost(error, "object", header.instance_name, header.data_offset, end)
        reader.steps.pop()
        try:
            object_end = self.objects.end(data, header)
        except SaveError:
            data.seek(end)
            self._least_entry_offset = end + LEAST_VERSION_DATA
            object_end = ObjectEnd(end, header.instance_name, 0)
        yield object_end

    # --- objects ---

    def _lose_objects(
        self, error: SaveError, most: i64, toc_offset: i64, entry_offset: i64, *, is_first: bool = True, searches: bool = True
    ) -> Generator[Event, None, i64]:
        """Give up objects from the one whose header or entry is damaged up to the first that is certain.

        Args:
            error: what is wrong.
            most: how many objects are left, that one included.
            toc_offset: where its header starts.
            entry_offset: where its entry starts.
            is_first: `toc_offset` is that of the first of them indeed, not of a later one.
            searches: one of them may be certain.

        Returns:
            How many are left; both cursors are at the first of them.
        """
        reader = self._reader
        toc = self._toc
        data = self._data
        del reader.steps[1:]
        headers = HeaderScanner(toc.fork(), most, self._version, self._tail, reader)
        entries = EntryScanner(data.fork(), most, self._version, self.layout, reader)
        if self._data_end < 0:
            entries.tail = self._tail
        proof = self._proof
        is_known = proof is not None and self._doubts and proof.is_known
        if is_known:
            headers.most = MANY
        if not headers.is_whole_from(toc_offset):
            headers.find(toc_offset)
        left: i64 = 0
        if proof is not None and is_known:
            left = proof.resume.left
            if left > 0 and headers.left < left:
                headers.set_place(proof.resume.toc_offset, left)
            entries.place = proof.resume.data_offset
            entries.end = proof.data_end
        elif searches and not isinstance(error, TruncatedSave) and (proof is None or not proof.is_hopeless):
            before = certain_headers(headers, toc_offset) if is_first else 0
            left = self._find_object(headers, entries, toc_offset, entry_offset, before)
        if entries.end >= 0:
            self._data_end = entries.end
            data.set_limit(entries.end)
        if left == 0:
            entries.place = self._data_end
        yield from self._report_lost_objects(error, most, left, toc_offset, headers)
        toc.seek(headers.place)
        if entries.place < 0:
            yield from super()._after_headers()
            reader.headers_end = -1
            reader.claimed = entry_offset
            raise error  # nothing says where the objects end
        data.seek(entries.place)
        if entries.place > entry_offset:
            yield reader.lost(error, "object data", "", entry_offset, entries.place, count=most - left)
        return left

    def _find_object(
        self,
        headers: HeaderScanner,
        entries: EntryScanner,
        toc_offset: i64,
        entry_offset: i64,
        before: i64,
    ) -> i64:
        """Find the first object whose header and entry are certain; return how many are left, and move both scanners there.

        Counted from their ends, headers and entries say which belongs to which object; the headers that come `before` the damage
        are counted from their start. Whether the data make sense with the header is seen by reading them. Of an object that
        may not be certain, the entry is damaged, even if it could be read.
        """
        found_headers = (headers.place, headers.left)
        is_whole = not self._doubts and entries.is_whole_from(entry_offset)
        is_found = is_whole
        if self._doubts:
            entries.most -= 1
            is_found = entries.find(entry_offset + 1)
        elif not is_whole:
            is_entry = entry_offset > self._toc_end  # and not the size and number of all objects
            first: i64 = max(entry_offset, self._least_entry_offset)
            if is_entry and not is_readable(self._reader.windows, first, first + LARGEST_PREFIX):
                entries.most -= 1  # the first of them starts in what is damaged
            is_found = entries.find(entry_offset)
        while is_found:
            found = entries.place
            if headers.most - entries.left < before:
                headers.set_place(toc_offset, headers.most)
            else:
                headers.set_place(*found_headers)
            left = min(headers.left, entries.left)
            if left <= 0:
                return 0
            entries.pass_records(entries.left - left)
            toc = headers.cursor.fork()
            toc.seek(headers.place_of(left))
            if (left < headers.most and is_whole and found == entry_offset) or self._makes_sense(toc, entries.place):
                return left
            is_found = entries.find(found + 1)
        return 0

    def _makes_sense(self, toc: Cursor, place: i64) -> bool:
        """Return whether an object can be read whole whose header `toc` is at, and whose entry starts at `place`."""
        reader = self._reader
        data = reader.cursor.fork()
        data.seek(place)
        headers = ObjectHeaderCodec(self._version)
        entries = self.layout.entries(self._version)
        headers.decode(toc)
        entries.decode(data, headers.instance_name)
        if entries.size < LEAST_OBJECT:
            return False
        header = headers.event(entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags)
        objects = ObjectReader(data, reader.limits, self._build_version, entries, self._ue5_version)
        if PairReader(data.fork()).evidence(headers, entries) == OTHER_KIND:
            return False
        state = objects.state(header)
        reader.windows.search_cost += data.tell() - place
        return state in {SOUND, WHOLE}

    def _report_lost_objects(
        self, error: SaveError, most: i64, left: i64, toc_offset: i64, headers: HeaderScanner
    ) -> Iterator[Event]:
        """Report all objects but the last `left`: those without a header together, the others by name."""
        reader = self._reader
        if headers.left < 0:
            headers.set_place(self._toc_end, 0)
        # Where no size says where the headers end, and their number may be wrong, there may be more than are read.
        is_open = self.layout.blob_size is None and (self._stated >= 0 or (self._doubts and left == 0))
        if headers.place > toc_offset or is_open:
            count = most - headers.left if self._stated < 0 <= self._count and not is_open else -1
            yield reader.lost(error, "headers", "", toc_offset, headers.place, count=count)
        while headers.left > left:
            start = headers.place
            headers.pass_records(1)
            found = headers.headers
            yield reader.lost(error, "object", found.instance_name, start, headers.place, size=-1, class_name=found.class_name)

    # --- a level ---

    def _after_level(self, fault: SaveError, toc_offset: i64) -> i64:
        """Go to the end of a level whose start is damaged, by the sizes of its blobs; return where that is.

        Raises:
            SaveError: `fault`, if the sizes are damaged themselves.
        """
        cursor = self._reader.cursor
        try:
            cursor.seek(toc_offset)
            if not self.layout.skip_blobs(cursor):
                raise fault
            self._tail.measure(cursor, self._reader)
        except SaveError:
            raise fault from None
        return cursor.tell()

    def _lose_rest(self, error: SaveError) -> Event:
        """Give up what of a level's blobs no event has claimed, and go on after them."""
        reader = self._reader
        reader.abandon()
        del reader.steps[1:]
        data = reader.cursor
        data.set_limit(self._outer_limit)
        data.seek(self._data_end)
        if self._walked:
            # All objects were walked: it is what follows the headers.
            return reader.lost(error, "level", self._name, self._toc_at, self._toc_end)
        return reader.lost(error, "level", self._name, self._content, self._data_end)

    def _find_headers(self, error: SaveError, start: i64) -> i64:
        """Find, from `start` on, the first certain header of the last level, and where its headers end; return its offset.

        Raises:
            SaveError: `error`, if no header is certain.
        """
        if isinstance(error, TruncatedSave):
            raise error
        reader = self._reader
        cursor = reader.cursor
        if reader.stream_end >= 0:
            cursor.set_limit(reader.stream_end)
        entries = EntryScanner(cursor.fork(), MANY, self._version, self.layout, reader)
        entries.tail = self._tail
        headers = OrphanedHeaderScanner(cursor.fork(), self._version, self._tail, reader, entries)
        if not headers.find(start):
            raise error
        self._toc_end = headers.blob
        return headers.place


def certain_headers(headers: HeaderScanner, start: i64) -> i64:
    """Count the headers from `start` on whose end is certain: the last one that can be read may end somewhere else.

    Before a chunk that cannot be read, it is certain, too.
    """
    fresh = headers.cursor.fork()  # has met no fault
    scanner_cursor = headers.cursor
    headers.cursor = fresh
    count = headers.readable(start)
    if count == headers.most and fresh.fault is None:
        headers.is_end()  # what follows all of them may be what cannot be read
    headers.cursor = scanner_cursor
    return count if count == 0 or fresh.fault is not None else count - 1
