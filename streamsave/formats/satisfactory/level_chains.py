"""The headers and the entries of a level: whether both lead to their ends, and where they break off if they do not.

Headers and entries follow each other without marks: only their sizes lead from one to the next.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.both_ends import Break, Resume
from streamsave.formats.satisfactory.level_layout import LevelLayout
from streamsave.formats.satisfactory.level_pairs import LevelPairs
from streamsave.formats.satisfactory.miscounted_objects import find_miscounted
from streamsave.formats.satisfactory.object_matching import Matching
from streamsave.formats.satisfactory.objects import BROKEN, SOUND, UNREADABLE, WHOLE, is_torn
from streamsave.formats.satisfactory.record_scanners import LEAST_OBJECT, EntryScanner, HeaderScanner, is_plausible
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LevelChains"]

#: More records than any level has.
MANY: Final = 1 << 20


class LevelChains:
    """The headers and entries of one level, and what breaks their sequence.

    Args:
        reader: of the save.
        layout: of its levels.
        build_version: build number of the game that wrote the save.
        version: the SaveVersion of the level.
        ue5_version: its UE5 object version.
        tail: what follows its objects.
        toc: at its first header; the limit is where the headers end.
        data: at its first entry; the limit is where the entries end, if `is_sized`.
        count: how many headers it has, as it says.
        stated: how many entries it has, as it says, if no object comes before these; else -1, and there are as many.
        is_sized: a size says where the entries end; else they end where `tail` takes the rest of the save.
    """

    def __init__(
        self,
        reader: UnrealReader,
        layout: LevelLayout,
        build_version: int,
        version: int,
        ue5_version: int,
        tail: Struct,
        toc: Cursor,
        data: Cursor,
        count: i64,
        *,
        is_sized: bool,
        stated: i64 = -1,
    ) -> None:
        self._reader = reader
        self._layout = layout
        self._version = version
        self._tail = tail
        self._toc = toc.fork()
        self._data = data.fork()
        self._toc_start: i64 = toc.tell()
        self._data_start: i64 = data.tell()
        #: How many headers there are.
        self.count: i64 = count
        self._stated: i64 = stated
        self._is_sized = is_sized
        self._level = LevelPairs(toc, data, layout.entries(version), version, count, reader.limits, build_version, ue5_version)
        self._matching = Matching(self._level.pairs)
        #: So many headers can be read from the start; the next one cannot, because of a chunk.
        self._sure_headers: i64 = count
        self._is_torn_header = False
        #: So many entries can be read from the start; perhaps the next one cannot because of a chunk.
        self._entries_read: i64 = count
        self._is_torn_entry = False
        self._is_cut = False
        #: Nothing is certain but the first ones, up to the last one that is bound.
        self.is_hopeless = False
        self.anchored: i64 = 0
        #: Stretches of which nothing is certain, though sizes lead to the ends: the first header; how many headers, and entries.
        self.gaps: list[tuple[int, int, int]] = []
        #: What `holds` has found wrong is a header.
        self.is_in_headers = False
        #: Where no chunk is missing: so many objects are certain from the start, and where objects are certain again after that.
        self.front: i64 = 0
        self.resume = Resume()
        #: Where entries end, if no size says that; -1 if it is not known.
        self.data_end: i64 = -1
        self._headers_hold = self._try_headers()
        self._entries_hold = stated in {-1, count} and self._try_entries()

    def reads_all(self, least: int = WHOLE) -> bool:
        """Return whether each of the objects can be read, as far as chunks can: whole, or at least `SOUND`.

        What comes before an entry too small for an object has to be whole: its size may be wrong, and lead to a few zeros.
        """
        toc, data = self._level.at_start()
        before = WHOLE
        for _ in range(self.count):
            state = self._level.state(toc, data)
            if state == UNREADABLE:
                return True
            if state < least or (before != WHOLE and self._level.entries.size < LEAST_OBJECT):
                return False
            before = state
        return True

    # --- do they lead to their ends? ---

    def _try_headers(self) -> bool:
        """Return whether all headers lead to their end."""
        toc = self._toc
        headers = self._level.headers
        try:
            for _ in range(self.count):
                headers.measure(toc)
        except SaveError:
            return False
        return HeaderScanner(toc, MANY, self._version, self._tail, self._reader).is_end()

    def _try_entries(self) -> bool:
        """Return whether all entries lead to their end."""
        data = self._data
        entries = self._level.entries
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        is_paired = self._headers_hold
        matching = self._matching
        smallest: i64 = LEAST_OBJECT
        try:
            for _ in range(self.count):
                if not entries.read(data, strict=True):
                    return False
                if is_paired and self._level.decodes(toc):
                    matching.add(self._level.headers, entries)
                if entries.size < smallest:
                    smallest = entries.size
                entries.skip_data(data)
        except SaveError:
            return False
        scanner = self._entry_scanner(self.count)
        scanner.cursor.seek(data.tell())
        if not scanner.is_end():
            return False
        # Without versions, a few zeros look like empty objects, and make up for others that a wrong size covers.
        return self._layout.entry_versions or smallest >= LEAST_OBJECT or self.reads_all(SOUND)

    def _header_scanner(self, most: i64) -> HeaderScanner:
        return HeaderScanner(self._toc.fork(), most, self._version, self._tail, self._reader)

    def _entry_scanner(self, most: i64) -> EntryScanner:
        scanner = EntryScanner(self._data.fork(), most, self._version, self._layout, self._reader)
        if not self._is_sized:
            scanner.tail = self._tail
        return scanner

    def _shifted(self) -> list[tuple[int, int]]:
        """Return where an object that cannot be read follows one that does not end well: a wrong size may lead to its entry.

        Entries without a version look like any other bytes.
        """
        found: list[tuple[int, int]] = []
        toc, data = self._level.at_start()
        before = WHOLE
        for index in range(self.count):
            state = self._level.state(toc, data)
            if state == UNREADABLE:
                break
            if state == BROKEN and before != WHOLE:
                found.append((index - 1, index + 1))
            before = state
        return found

    def _misfits(self) -> frozenset[int]:
        """Return which objects do not end as their classes do."""
        toc, data = self._level.at_start()
        return frozenset(index for index in range(self.count) if not self._level.fits(toc, data))

    # --- sizes that are wrong ---

    def _break_of_headers(self, whole: i64) -> Break:
        """Find out where headers break off; `whole` of them can be read from the start to the end, if that is not negative."""
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        headers = self._level.headers
        read: i64 = 0
        end = self._toc_start
        try:
            while read < self.count:
                headers.decode(toc)
                if not is_plausible(headers):
                    break
                end = toc.tell()
                read += 1
            self._is_torn_header = read == self.count and not is_readable(toc.windows, toc.tell(), toc.limit())
        except SaveError as error:
            self._is_torn_header = is_torn(toc, error)
            self._sure_headers = read
        if whole >= 0:  # there are more than the level says, or fewer
            return Break(whole, self._toc_start, whole, is_through=True)
        scanner = self._header_scanner(MANY)
        if self._is_torn_header or not scanner.find(end):
            return Break(read)
        return Break(read, scanner.place, scanner.left)

    def _break_of_entries(self, whole: i64) -> Break:
        """Find out where entries break off; `whole` as for headers."""
        data = self._data.fork()
        data.seek(self._data_start)
        entries = self._level.entries
        read: i64 = 0
        start: i64 = self._data_start
        try:
            while read < self.count:
                at = data.tell()
                if not entries.read(data, strict=True):
                    break
                entries.skip_data(data)
                start = at
                read += 1
        except SaveError as error:
            self._is_torn_entry = is_torn(data, error)
            self._is_cut = self._is_torn_entry and data.fault is None
        if read == self.count and not is_readable(data.windows, data.tell(), data.limit()):
            self._is_torn_entry = True
            there, is_all = data.windows.readable_end(self._reader.limits)
            self._is_cut = is_all and is_readable(data.windows, data.tell(), min(data.limit(), there))
        self._entries_read = read
        if whole >= 0:
            return Break(whole, self._data_start, whole, is_through=True)
        if self._is_torn_entry:
            return Break(read)
        if not self._layout.entry_versions and self._headers_hold:
            start = self._first_bad()
        scanner = self._entry_scanner(MANY)
        if not scanner.find(start + 1):
            return Break(read)
        self.data_end = scanner.end
        return Break(read, scanner.place, scanner.left)

    def _first_bad(self) -> i64:
        """Return where the entry of the first object starts that does not end well, or is not followed by another one."""
        toc, data = self._level.at_start()
        start = data.tell()
        for _ in range(self.count):
            start = data.tell()
            if self._level.state(toc, data) != WHOLE or self._level.is_small(data):
                break
        return start

    def _find_miscounted(self, surplus: i64) -> bool:
        """Find the object whose size makes for so many more entries than headers; return whether it was found."""
        index, end = find_miscounted(self._level, surplus)
        if index < 0:
            return False
        scanner = self._entry_scanner(MANY)
        left = scanner.count(end)
        if left < 0 or index + left >= self.count:
            return False
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        for _ in range(self.count - left):
            self._level.headers.measure(toc)
        data = self._data.fork()
        data.seek(end)
        toc_offset = toc.tell()
        for _ in range(left):
            if not self._level.fits(toc, data):
                return False
        self.front = index
        self.resume = Resume(toc_offset, end, left)
        self.data_end = scanner.end
        return True
