"""Walk a level on after damage: what is given up, and where the walk goes on.

| what is damaged | what is lost | where the walk goes on |
|---|---|---|
| the data of an object | the object | after it: its size is known |
| an entry up to its size, or a header | objects up to the first that is certain | there (`resync_scan`) |
| the same, and nothing after it is certain | all other objects of the level | after its objects: their size is known |
| the start of a streaming level | the level | after it: the sizes of its blobs are known |
| the start of the persistent level | objects up to the first that is certain | there |

`body_recovery` has the cases in which whole levels are lost. The objects that were lost are reported one by one, as far as their
headers are sound.

The file is long, since each step of the plain walk has its counterpart here, with the same state.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.guard import Guard
from streamsave.formats.satisfactory.level_end import limit_of_level
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
    likely_version,
)
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["MANY", "LevelRecovery"]

#: Stand-in for a number of levels or objects that cannot be read: more than any save has.
MANY: Final = 1 << 20


class LevelRecovery(LevelWalker):
    """Walks levels that may be damaged: each step of the plain walk, under a guard."""

    def __init__(self, reader: UnrealReader, layout: LevelLayout, build_version: int) -> None:
        super().__init__(reader, layout, build_version)
        self._guard = Guard(reader)
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
        #: The next object is in a stretch of which nothing is certain, but sizes lead to its end.
        self._in_gap = False
        #: How many objects this level has, as is said where they start, if that differs from the number of headers; else -1.
        self._stated: i64 = -1

    # --- the steps of the walk ---

    def streaming_level(self, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        self._reader.claimed = self._reader.cursor.tell()
        return super().streaming_level(version, ue5_version, index)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        fault = self.lost_start
        self._is_torn_start = reader.cursor.fault is not None
        if fault is None:
            with guard:
                yield from super().persistent_level(name, version, ue5_version, index)
            fault = guard.fault
            self._is_torn_start = reader.cursor.fault is not None or self._toc.fault is not None
            if fault is None:
                return
            if reader.steps:
                raise fault
        self._begin(name, index, version, ue5_version, self.layout.persistent_tail)
        start = self._find_headers(fault, reader.claimed + 1)
        reader.cursor.seek(start)
        yield reader.lost(fault, "levels", "", reader.claimed, start, 0, count=-1)
        self._content = start
        self._count = -1
        self._fault = fault
        yield from self._walk(start)

    def _read_versions(self, version: int, ue5_version: int) -> tuple[int, int]:
        cursor = self._reader.cursor
        guard = self._guard
        start = cursor.tell()
        versions = (version, ue5_version)
        with guard:
            versions = super()._read_versions(version, ue5_version)
        fault = guard.fault
        if fault is not None:
            cursor.seek(start)
            level_version = likely_version(cursor, self.layout, version, self._reader)
            if level_version < 0:
                raise fault
            versions = (level_version, ue5_version)
        return versions

    def _level(self, start: i64) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        reader.claimed = start
        toc_offset = reader.cursor.tell()
        with guard:
            self._read_start()
        fault = guard.fault
        if fault is None:
            yield from self._walk(start)
        else:
            end = self._after_level(fault, toc_offset)
            yield reader.lost(fault, "level", self._name, start, end)

    def _find_toc_end(self) -> None:
        guard = self._guard
        with guard:
            super()._find_toc_end()
        fault = guard.fault
        if fault is not None:
            self._find_headers(fault, self._content)

    def _blobs(self) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        reader.claimed = self._content
        self._walked = False
        with guard:
            yield from super()._blobs()
        fault = guard.fault
        if fault is not None:
            if self._data_end < 0:
                raise fault
            yield self._lose_rest(fault)
        reader.claimed = reader.cursor.tell()

    def _read_data_start(self) -> bool:
        guard = self._guard
        data = self._data
        self._stated = -1
        self._proof = None
        self._entry_limit = self._outer_limit
        self._is_end_moved = False
        with guard:
            return super()._read_data_start()
        fault = guard.fault
        # Of a level that is not the last one, nothing else says where it ends.
        if fault is not None and (self._reader.filter is not None or (self._data_end < 0 and self._tail is self.layout.tail)):
            raise fault
        self._fault = fault
        self._left = self._count
        width = 4 + (0 if self.layout.blob_size is None else self.layout.blob_size.size)
        if self._count >= 0 and data.fault is None and data.tell() == self._toc_end + width:
            data.seek(data.tell() - 4)
            self._stated = max(data.i32(), 0)
        data.seek(self._toc_end)
        return False

    def _all_objects(self) -> Iterator[Event]:
        guard = self._guard
        reader = self._reader
        data = self._data
        data_end = self._data_end
        fault = self._fault
        start_fault = fault
        if fault is not None and (yield from self._count_again(fault)):
            self._fault = None
        elif fault is not None:
            self._fault = None
            is_first = self._count >= 0
            self._proof = None
            self._doubts = False
            most = self._left
            # The start of the level is lost, or its objects start in a chunk that cannot be read: the first ones are missing.
            is_torn = self._is_torn_start if self._count < 0 else self._data.fault is not None or self._toc.fault is not None
            self._left = yield from self._lose_objects(fault, self._left, self._toc.tell(), self._data.tell(), is_first=is_first)
            # If fewer entries than headers lead to the end, it need not be the first ones that are missing.
            # Without a size of the headers, nothing says where they end, either.
            is_sized = self.layout.blob_size is not None
            # The objects start after one blob's size and number of objects? Then the headers end before these.
            width = 4 + (self.layout.blob_size.size if self.layout.blob_size is not None else 0)
            self._prove(
                reads_all=self._left < most and not is_torn,
                ends=is_torn or is_sized,
                doubts_end=not is_torn and self._data.tell() != self._toc_end + width,
                sure_start=is_torn or (self._count >= 0 and self._left == most),
            )
        else:
            self._prove(stated=self._left)
            if self._data_end < 0 <= data_end:
                error = data.damaged("size of objects", offset=data.tell(), expected="the end of the objects", actual=data_end)
                yield reader.lost(error, "object data", "", data.tell(), data.tell(), count=0)
        while self._left > 0:
            with guard:
                yield from super()._all_objects()
            fault = guard.fault
            header = self._open
            if fault is None:
                continue
            if header is None and self._in_gap:
                yield from self._pass_gap(fault)
            elif header is None:
                self._left = yield from self._lose_objects(fault, self._left, self._header_offset, self._entry_offset)
                self._prove()
            else:
                yield from self._lose_object(fault, header)
                self._left -= 1
        proof = self._proof
        if start_fault is not None and proof is not None and proof.gap(0) != (0, 0):
            yield from self._pass_gap(start_fault)

    def _count_again(self, fault: SaveError) -> Generator[Event, None, bool]:
        """Go on where the numbers of headers and of objects differ, and one of them or another one is right.

        Returns:
            Whether any object is certain; else both cursors are where they were.
        """
        if self._stated < 0:
            return False
        reader = self._reader
        data = self._data
        start = data.tell()
        data.seek(start + 4 + (0 if self.layout.blob_size is None else self.layout.blob_size.size))
        self._left = self._count
        self._prove(stated=self._stated)
        proof = self._proof
        if proof is not None and not proof.gaps and proof.anchored == 0:
            data.seek(start)
            self._proof = None
            return False
        del reader.steps[1:]
        yield reader.lost(fault, "object data", "", start, data.tell(), count=0)
        return True

    def _prove(
        self,
        *,
        reads_all: bool = False,
        ends: bool = True,
        doubts_end: bool = False,
        sure_start: bool = True,
        stated: i64 = -1,
    ) -> None:
        """Find out which of the objects that are left are certain, before any of them is given.

        Args:
            reads_all: none of them is, unless all can be read.
            ends: where the headers end is known; else none of them is.
            doubts_end: the last header is not.
            sure_start: the first one belongs to its header; else those up to the first that is bound may not.
            stated: as for `LevelProof`.
        """
        self._doubts = False
        proof = self._make_proof(stated)
        if stated >= 0:
            if not proof.is_paired and not proof.is_torn:
                proof = self._prove_to_end(proof, stated)
            self._left = proof.count
        if not ends or (reads_all and not proof.reads_all()):
            proof.is_hopeless = True
        elif doubts_end:
            proof.doubt_end_of_headers()
        if not sure_start:
            proof.doubt_start()
        if self._is_end_moved:
            proof.doubt_end()
        self._proof = None if proof.is_proven and not proof.is_hopeless else proof

    def _prove_to_end(self, proof: LevelProof, stated: i64) -> LevelProof:
        """Return what is certain if the size of all objects is wrong, too, and what follows them says where they end."""
        reader = self._reader
        data = self._data
        limit, may_be_right = limit_of_level(reader, self.layout, self._tail, data, self._data_end)
        if limit >= 0:
            outer = data.limit()
            data_end = self._data_end
            data.set_limit(limit)
            self._data_end = -1
            other = self._make_proof(stated)
            # Sizes that only lead to a few zeros would do without a suffix; a stream of another size speaks against them.
            is_better = other.suffix >= 0 and not other.is_hopeless and not (may_be_right and limit == reader.stream_end)
            if other.is_paired or is_better:
                self._entry_limit = limit
                if self._tail is self.layout.persistent_tail:
                    reader.stream_end = limit
                    self._outer_limit = limit
                self._is_end_moved = True
                return other
            self._data_end = data_end
            data.set_limit(outer)
        if not may_be_right:
            proof.trust_no_sizes()
        return proof

    def _make_proof(self, stated: i64) -> LevelProof:
        return LevelProof(
            self._reader,
            self.layout,
            self._build_version,
            self._version,
            self._ue5_version,
            self._tail,
            self._toc,
            self._data,
            self._left,
            is_sized=self._data_end >= 0,
            stated=stated,
        )

    def _read_header(self) -> ObjectHeader:
        proof = self._proof
        toc = self._toc
        data = self._data
        self._in_gap = False
        if proof is not None and proof.gap(self._left) != (0, 0):
            self._in_gap = True
            self._header_offset = toc.tell()
            self._entry_offset = data.tell()
            raise data.damaged("objects may be in another order than their headers", offset=data.tell())
        if proof is not None and not proof.holds(toc, data, self._left):
            self._doubts = True
            self._header_offset = toc.tell()
            self._entry_offset = data.tell()
            what, offset = ("headers", toc.tell()) if proof.is_in_headers else ("sizes of objects", data.tell())
            raise data.damaged(f"{what} do not lead to the end of the level", offset=offset)
        return super()._read_header()

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

    def _after_headers(self) -> Iterator[Event]:
        self._walked = True
        self._toc_at = self._toc.tell()
        yield from super()._after_headers()

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
            object_end = self._objects.end(data, header)
        except SaveError:
            data.seek(end)
            self._least_entry_offset = end + LEAST_VERSION_DATA
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
            is_first: `toc_offset` is that of the first of them indeed, not of a later one.

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
        is_bad_header = self._doubts and proof is not None and proof.is_in_headers
        is_bad_entry = self._doubts and not is_bad_header
        if is_bad_entry:
            entries.most -= 1
        if is_bad_header or not headers.is_whole_from(toc_offset):
            headers.find(toc_offset + 1 if is_bad_header else toc_offset)
        left: i64 = 0
        if not isinstance(error, TruncatedSave) and (proof is None or not proof.is_hopeless):
            before: i64 = 0
            if is_first and not is_bad_header:
                before = certain_headers(headers, toc_offset)
            left = self._find_object(headers, entries, toc_offset, entry_offset, before, is_bad_entry=is_bad_entry)
        if entries.end >= 0:
            self._data_end = entries.end
            data.set_limit(entries.end)
        if left == 0:
            entries.place = self._data_end
        yield from self._report_lost_objects(error, most, left, toc_offset, headers)
        toc.seek(headers.place)
        if entries.place < 0:
            yield from super()._after_headers()
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
        *,
        is_bad_entry: bool,
    ) -> i64:
        """Find the first object whose header and entry are certain; return how many are left, and move both scanners there.

        Counted from their ends, headers and entries say which belongs to which object; the headers that come `before` the damage
        are counted from their start. Whether the data make sense with the header is seen by reading them. With `is_bad_entry`,
        the first entry is not certain, even if it could be read.
        """
        found_headers = (headers.place, headers.left)
        proof = self._proof
        is_whole = not is_bad_entry and entries.is_whole_from(entry_offset)
        is_found = is_whole
        if is_bad_entry:
            first_sure: i64 = entry_offset + 1
            if proof is not None and proof.suffix > first_sure:
                first_sure = proof.suffix
            is_found = entries.find(first_sure)
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
        header = headers.event(entries.save_version, entries.prefix_size, entries.data_offset, entries.size)
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
        if headers.place > toc_offset:
            count = most - headers.left if self._stated < 0 <= self._count else -1
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
    headers.cursor = scanner_cursor
    return count if count == 0 or fresh.fault is not None else count - 1
