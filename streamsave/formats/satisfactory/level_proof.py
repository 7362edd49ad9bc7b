"""Which objects of a level are certain: found out before any of them is given, as one wrong size moves all that follow it.

Headers and entries follow each other without marks. Only if both lead to their end, and are as many as the level says, do they
belong to each other. Where they do not, this is certain:

| objects | if |
|---|---|
| from the start of the level | all before it are; it can be read whole, with nothing left over; the next entry is one |
| from the end of the level | all entries from it on lead to the end: `resync_scan` |

Where entries lead to the end and are more or fewer than headers, any of them may be the one too many. Then nothing is certain,
unless the object can be found whose size covers the next ones, or falls short.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import LevelLayout
from streamsave.formats.satisfactory.level_pairs import LevelPairs
from streamsave.formats.satisfactory.miscounted_objects import find_miscounted
from streamsave.formats.satisfactory.object_matching import Matching
from streamsave.formats.satisfactory.objects import BROKEN, SOUND, UNREADABLE, WHOLE, is_torn
from streamsave.formats.satisfactory.record_scanners import LEAST_OBJECT, EntryScanner, HeaderScanner, is_plausible
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LevelProof"]

#: More records than any level has.
MANY: Final = 1 << 20
#: How many names are looked for one by one.
MOST_LOOKUPS: Final = 64


class LevelProof:
    """What is certain of one level.

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
        #: So many headers are certain from the start; the next one cannot be read, because of a chunk.
        self._sure_headers: i64 = count
        self._is_torn_header = False
        #: So many entries can be read from the start; the next one cannot, because of a chunk, or is damaged itself. If neither,
        #: the one before it is damaged.
        self._entries_read: i64 = count
        self._is_torn_entry = False
        self._is_cut = False
        self._is_bad_entry = False
        #: No more than one object can have a wrong size. So an object with unknown data at its end is certain if the next one can
        #: be read, too.
        self._is_counted = False
        #: Nothing is certain but the first ones, up to the last one that is bound.
        self.is_hopeless = False
        self.anchored: i64 = 0
        #: Stretches of which nothing is certain, though sizes lead to the ends: the first header; how many headers, and entries.
        self.gaps: list[tuple[int, int, int]] = []
        #: What `holds` has found wrong is a header.
        self.is_in_headers = False
        #: From here on, entries lead to their end; -1 if that is not known.
        self.suffix: i64 = -1
        self._headers_hold = self._try_headers()
        self._entries_hold = stated in {-1, count} and self._try_entries()
        if self._headers_hold and self._entries_hold:
            self._find_stretches()
        else:
            self._examine()
        #: All is certain.
        self.is_proven = self._headers_hold and self._entries_hold and not self.gaps

    def holds(self, toc: Cursor, data: Cursor, left: i64) -> bool:
        """Return whether the next object is certain, if all before it are; also if the walk meets its fault anyway.

        Args:
            toc: at its header.
            data: at its entry.
            left: how many objects are left, that one included.
        """
        index = self.count - left
        self.is_in_headers = False
        if index < self.anchored:
            return True
        if self.is_hopeless:
            return False
        if index >= self._sure_headers:
            self.is_in_headers = not self._is_torn_header
            return self._is_torn_header
        if self._entries_hold:
            return True
        if index >= self._entries_read:
            return self._is_torn_entry
        headers = toc.fork()
        entries = data.fork()
        state = self._level.state(headers, entries)
        if state == UNREADABLE:
            return True
        if self._is_torn_entry:
            return state != BROKEN  # no size is wrong, as far as chunks can be read
        if index + 1 >= self._entries_read:
            return self._is_bad_entry and self._level.objects.is_exact
        if state == WHOLE and self._layout.entry_versions and not self._level.objects.has_trailer:
            return not self._level.is_small(entries)
        # Where any bytes may be an entry, or the end of an object, the next object has to be one, too.
        if self._level.is_small(entries) or not (state == WHOLE or (state == SOUND and self._is_counted)):
            return False
        return self._level.state(headers, entries) != BROKEN

    def gap(self, left: i64) -> tuple[int, int]:
        """Return how many headers and entries are passed over before the next object that is certain, if sizes lead there."""
        index = self.count - left
        for first, headers, entries in self.gaps:
            if first == index:
                return headers, entries
        return 0, 0

    def close_gap(self, left: i64) -> None:
        """Note that the next stretch was passed over, of which nothing is certain."""
        index = self.count - left
        self.gaps = [gap for gap in self.gaps if gap[0] != index]

    @property
    def is_paired(self) -> bool:
        """Whether all sizes lead to the ends."""
        return self._headers_hold and self._entries_hold

    @property
    def is_torn(self) -> bool:
        """Whether a chunk cannot be read; not if the stream ends too early, though no chunk is missing."""
        return self._is_torn_header or (self._is_torn_entry and not (self._is_cut and self._reader.windows.ends_short()))

    def trust_no_sizes(self) -> None:
        """Assume that bytes are missing, or too many, that no size counts: only what is bound is certain."""
        self.is_hopeless = True
        self.anchored = self._level.anchored()

    def reads_all(self, least: int = WHOLE) -> bool:
        """Return whether each of the objects can be read, as far as chunks can: whole, or at least `SOUND`.

        What comes before an entry too small for an object has to be whole: its size may be wrong, and lead to a few zeros.
        """
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        data = self._data.fork()
        data.seek(self._data_start)
        before = WHOLE
        for _ in range(self.count):
            state = self._level.state(toc, data)
            if state == UNREADABLE:
                return True
            if state < least or (before != WHOLE and self._level.entries.size < LEAST_OBJECT):
                return False
            before = state
        return True

    def doubt_end_of_headers(self) -> None:
        """Assume that the headers need not end where they do: the last one is not certain."""
        self.is_proven = False
        if self._headers_hold:
            self._headers_hold = False
            self._sure_headers = self.count - 1

    def doubt_start(self) -> None:
        """Assume that the first object need not belong to its header: those up to the first that is bound are not certain."""
        if not self.is_paired:
            self.is_hopeless = True
            return
        first = self._matching.first_bound if self._matching.first_bound >= 0 else self.count
        self.gaps = [(0, int(first), int(first)), *[gap for gap in self.gaps if gap[0] >= first]] if first else self.gaps
        self.is_proven = not self.gaps

    def doubt_end(self) -> None:
        """Assume that the entries need not end where they do: the last object is not certain, unless no other size fits it."""
        entry_count = self.count
        for first, headers, entries in self.gaps:
            entry_count += entries - headers
            if first + headers >= self.count:
                return
        if self.is_paired and self.count and not self._level.is_exact_at(self.count - 1, entry_count - 1):
            self.gaps.append((int(self.count) - 1, 1, 1))
            self.is_proven = False

    # --- the proof ---

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

    def _find_stretches(self) -> None:
        """Find what is doubtful where all sizes lead to the ends."""
        matching = self._matching
        if matching.first_doubt >= 0:
            matching = self._level.settle(matching, self._toc_start, self._data_start, self.count)
        self.gaps = [(start, end - start, end - start) for start, end in matching.stretches()]

    # --- numbers that differ ---

    def _examine(self) -> None:
        """Find out what is certain where sizes or numbers are wrong."""
        header_count = self.count
        if not self._headers_hold:
            header_count = self._header_scanner(MANY).count(self._toc_start)
        entry_count = self.count
        if not self._entries_hold:
            entry_count = self._entry_scanner(MANY).count(self._data_start)
        if self._stated >= 0 and header_count >= 0 and entry_count >= 0:
            self._compare(header_count, entry_count)
            return
        if not self._headers_hold:
            self._examine_headers(header_count)
        if self._stated not in {-1, self.count}:
            self.is_hopeless = True
        elif not self._entries_hold and not self.is_hopeless:
            self._examine_entries(entry_count)
        if self.is_hopeless and self._stated >= 0:
            self.anchored = self._level.anchored()

    def _compare(self, header_count: i64, entry_count: i64) -> None:
        """Find out what is certain where headers and entries lead to their ends, and there are so many."""
        is_as_stated = header_count == self.count == self._stated
        self._level.count = header_count
        if header_count == entry_count:
            self.count = header_count
            self._headers_hold = True
            self._matching = Matching(self._level.pairs)
            self._data.seek(self._data_start)
            self._entries_hold = self._try_entries()
            if self._entries_hold:
                self._find_stretches()
            else:
                self.is_hopeless = True
        elif not is_as_stated or not self._find_miscounted(entry_count - header_count):
            self.count = header_count
            first, last = self._level.pair_ends(header_count, entry_count)
            self.gaps = [(first, int(header_count) - first - last, int(entry_count) - first - last)]
            self._headers_hold = True
            self._entries_hold = True

    # --- sizes that are wrong ---

    def _examine_headers(self, whole: i64) -> None:
        """Find out how many headers are certain from the start."""
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        headers = self._level.headers
        read: i64 = 0
        start: i64 = self._toc_start
        try:
            while read < self.count:
                at = toc.tell()
                headers.decode(toc)
                if not is_plausible(headers):
                    break
                start = at
                read += 1
            if read == self.count and not is_readable(toc.windows, toc.tell(), toc.limit()):
                self._is_torn_header = True
                return
        except SaveError as error:
            if is_torn(toc, error):
                self._sure_headers = read
                self._is_torn_header = True
                return
        if whole >= 0:
            self.is_hopeless = True  # there are more, or fewer
            return
        scanner = self._header_scanner(self.count)
        left: i64 = 0
        if scanner.find(start + 1):
            left = scanner.left
        # If the next one is the only one that is missing, it is damaged itself; else the one before it may end somewhere else.
        self._sure_headers = read if left and read + 1 + left == self.count else max(read - 1, 0)

    def _examine_entries(self, whole: i64) -> None:
        """Find out how many entries can be read from the start, and from where on they lead to their end."""
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
        if self._is_torn_entry:
            self._is_counted = True
            return
        if whole >= 0:
            self.is_hopeless = not self._find_miscounted(whole - self.count)
            return
        scanner = self._entry_scanner(self.count)
        if scanner.find(start + 1):
            self.suffix = scanner.place
            self._is_bad_entry = read + 1 + scanner.left == self.count
            self._is_counted = self._is_bad_entry or read + scanner.left == self.count
            self._trim_suffix(scanner.left, SOUND if self._is_counted else WHOLE)

    def _trim_suffix(self, left: i64, least: int) -> None:
        """Shorten the entries that lead to their end to those that no other wrong size can have moved: `left` may be too many.

        Args:
            left: how many entries lead to their end.
            least: what each of their objects has to be.
        """
        if not self._headers_hold or left > self.count:
            return
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        for _ in range(self.count - left):
            self._level.headers.measure(toc)
        data = self._data.fork()
        data.seek(self.suffix)
        for _ in range(left):
            state = self._level.state(toc, data)
            if state == UNREADABLE:
                return
            if state < least:
                self.suffix = data.tell()

    def _find_miscounted(self, surplus: i64) -> bool:
        """Find the object whose size makes for so many more entries than headers; return whether it was found."""
        index, end = find_miscounted(self._level, surplus)
        if index < 0:
            return False
        self.suffix = end
        self._entries_read = index
        self._is_bad_entry = True
        return True
