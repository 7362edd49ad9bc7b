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
from streamsave.formats.satisfactory.object_entry import LEAST_VERSION_DATA, ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import BROKEN, SOUND, UNREADABLE, WHOLE, ObjectReader, is_torn
from streamsave.formats.satisfactory.record_scanners import LEAST_OBJECT, EntryScanner, HeaderScanner, is_plausible
from streamsave.formats.satisfactory.resync_scan import is_readable
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LevelProof"]

#: More records than any level has.
MANY: Final = 1 << 20


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
        count: how many objects it has.
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
    ) -> None:
        self._reader = reader
        self._layout = layout
        self._version = version
        self._tail = tail
        self._toc = toc.fork()
        self._data = data.fork()
        self._toc_start: i64 = toc.tell()
        self._data_start: i64 = data.tell()
        self._count: i64 = count
        self._is_sized = is_sized
        self._headers = ObjectHeaderCodec(version)
        self._entries: ObjectEntryCodec = layout.entries(version)
        self._objects = ObjectReader(data.fork(), reader.limits, build_version, self._entries, ue5_version)
        #: So many headers are certain from the start; the next one cannot be read, because of a chunk.
        self._sure_headers: i64 = count
        self._is_torn_header = False
        #: So many entries can be read from the start; the next one cannot, because of a chunk, or is damaged itself. If neither,
        #: the one before it is damaged.
        self._entries_read: i64 = count
        self._is_torn_entry = False
        self._is_bad_entry = False
        #: No more than one object can have a wrong size. So an object with unknown data at its end is certain if the next one can
        #: be read, too.
        self._is_counted = False
        #: Nothing is certain.
        self.is_hopeless = False
        #: What `holds` has found wrong is a header.
        self.is_in_headers = False
        #: From here on, entries lead to their end; -1 if that is not known.
        self.suffix: i64 = -1
        self._headers_hold = self._try_headers()
        self._entries_hold = self._try_entries()
        #: All is certain.
        self.is_proven = self._headers_hold and self._entries_hold
        if not self._headers_hold:
            self._examine_headers()
        if not self._entries_hold and not self.is_hopeless:
            self._examine_entries()

    def holds(self, toc: Cursor, data: Cursor, left: i64) -> bool:
        """Return whether the next object is certain, if all before it are; also if the walk meets its fault anyway.

        Args:
            toc: at its header.
            data: at its entry.
            left: how many objects are left, that one included.
        """
        index = self._count - left
        self.is_in_headers = False
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
        state = self._state(headers, entries)
        if state == UNREADABLE:
            return True
        if self._is_torn_entry:
            return state != BROKEN  # no size is wrong, as far as chunks can be read
        if index + 1 >= self._entries_read:
            return state == WHOLE and self._is_bad_entry and not self._objects.has_trailer
        if state == WHOLE and self._layout.entry_versions and not self._objects.has_trailer:
            return not self._is_small(entries)
        # Where any bytes may be an entry, or the end of an object, the next object has to be one, too.
        if self._is_small(entries) or not (state == WHOLE or (state == SOUND and self._is_counted)):
            return False
        return self._state(headers, entries) != BROKEN

    def reads_all(self, least: int = WHOLE) -> bool:
        """Return whether each of the objects can be read, as far as chunks can: whole, or at least `SOUND`.

        What comes before an entry too small for an object has to be whole: its size may be wrong, and lead to a few zeros.
        """
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        data = self._data.fork()
        data.seek(self._data_start)
        before = WHOLE
        for _ in range(self._count):
            state = self._state(toc, data)
            if state == UNREADABLE:
                return True
            if state < least or (before != WHOLE and self._entries.size < LEAST_OBJECT):
                return False
            before = state
        return True

    def doubt_end_of_headers(self) -> None:
        """Assume that the headers need not end where they do: the last one is not certain."""
        self.is_proven = False
        if self._headers_hold:
            self._headers_hold = False
            self._sure_headers = self._count - 1

    # --- the proof ---

    def _try_headers(self) -> bool:
        """Return whether all headers lead to their end."""
        toc = self._toc
        headers = self._headers
        try:
            for _ in range(self._count):
                headers.measure(toc)
        except SaveError:
            return False
        return HeaderScanner(toc, MANY, self._version, self._tail, self._reader).is_end()

    def _try_entries(self) -> bool:
        """Return whether all entries lead to their end."""
        data = self._data
        entries = self._entries
        smallest: i64 = LEAST_OBJECT
        try:
            for _ in range(self._count):
                if not entries.read(data, strict=True):
                    return False
                if entries.size < smallest:
                    smallest = entries.size
                entries.skip_data(data)
        except SaveError:
            return False
        scanner = self._entry_scanner(self._count)
        scanner.cursor.seek(data.tell())
        if not scanner.is_end():
            return False
        # Without versions, a few zeros look like empty objects, and make up for others that a wrong size covers.
        return self._layout.entry_versions or smallest >= LEAST_OBJECT or self.reads_all(SOUND)

    def _entry_scanner(self, most: i64) -> EntryScanner:
        scanner = EntryScanner(self._data.fork(), most, self._version, self._layout, self._reader)
        if not self._is_sized:
            scanner.tail = self._tail
        return scanner

    # --- what is certain without it ---

    def _examine_headers(self) -> None:
        """Find out how many headers are certain from the start."""
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        headers = self._headers
        read: i64 = 0
        start: i64 = self._toc_start
        try:
            while read < self._count:
                at = toc.tell()
                headers.decode(toc)
                if not is_plausible(headers):
                    break
                start = at
                read += 1
            if read == self._count and not is_readable(toc.windows, toc.tell(), toc.limit()):
                self._is_torn_header = True
                return
        except SaveError as error:
            if is_torn(toc, error):
                self._sure_headers = read
                self._is_torn_header = True
                return
        if HeaderScanner(toc.fork(), MANY, self._version, self._tail, self._reader).count(self._toc_start) >= 0:
            self.is_hopeless = True  # there are more, or fewer
            return
        scanner = HeaderScanner(toc.fork(), self._count, self._version, self._tail, self._reader)
        left: i64 = 0
        if scanner.find(start + 1):
            left = scanner.left
        # If the next one is the only one that is missing, it is damaged itself; else the one before it may end somewhere else.
        self._sure_headers = read if left and read + 1 + left == self._count else max(read - 1, 0)

    def _examine_entries(self) -> None:
        """Find out how many entries can be read from the start, and from where on they lead to their end."""
        data = self._data.fork()
        data.seek(self._data_start)
        entries = self._entries
        read: i64 = 0
        start: i64 = self._data_start
        try:
            while read < self._count:
                at = data.tell()
                if not entries.read(data, strict=True):
                    break
                entries.skip_data(data)
                start = at
                read += 1
        except SaveError as error:
            self._is_torn_entry = is_torn(data, error)
        if read == self._count and not is_readable(data.windows, data.tell(), data.limit()):
            self._is_torn_entry = True
        self._entries_read = read
        if self._is_torn_entry:
            self._is_counted = True
            return
        whole = self._entry_scanner(MANY).count(self._data_start)
        if whole >= 0:
            self.is_hopeless = not self._find_miscounted(whole - self._count)
            return
        scanner = self._entry_scanner(self._count)
        if scanner.find(start + 1):
            self.suffix = scanner.place
            self._is_bad_entry = read + 1 + scanner.left == self._count
            self._is_counted = self._is_bad_entry or read + scanner.left == self._count
            self._trim_suffix(scanner.left, SOUND if self._is_counted else WHOLE)

    def _trim_suffix(self, left: i64, least: int) -> None:
        """Shorten the entries that lead to their end to those that no other wrong size can have moved: `left` may be too many.

        Args:
            left: how many entries lead to their end.
            least: what each of their objects has to be.
        """
        if not self._headers_hold or left > self._count:
            return
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        for _ in range(self._count - left):
            self._headers.measure(toc)
        data = self._data.fork()
        data.seek(self.suffix)
        for _ in range(left):
            state = self._state(toc, data)
            if state == UNREADABLE:
                return
            if state < least:
                self.suffix = data.tell()

    def _find_miscounted(self, surplus: i64) -> bool:
        """Find the object whose size takes in the next ones, or leaves some of it out: entries lead to their end by chance.

        Args:
            surplus: how many entries there are more than headers.

        Returns:
            Whether it was found. The entries after it lead to their end, and those before it are certain.
        """
        toc = self._toc.fork()
        toc.seek(self._toc_start)
        data = self._data.fork()
        data.seek(self._data_start)
        for index in range(self._count):
            start = data.tell()
            at = toc.tell()
            state = self._state(toc, data)
            if state == UNREADABLE:
                return False
            if state == WHOLE and not self._is_small(data):
                continue
            end = self._end_of_merged(at, start, surplus) if surplus > 0 else self._end_of_covered(data.tell(), -surplus)
            if end < 0:
                return False
            self.suffix = end
            self._entries_read = index
            self._is_bad_entry = True
            return True
        return False

    def _end_of_merged(self, header_at: i64, start: i64, count: i64) -> i64:
        """Return where an object ends whose size leaves out what looks like `count` entries; -1 if it does not."""
        toc = self._toc.fork()
        toc.seek(header_at)
        data = self._data.fork()
        data.seek(start)
        entries = self._entries
        try:
            for _ in range(count + 1):
                entries.measure(data)
            end = data.tell()
            self._headers.decode(toc)
            data.seek(start)
            entries.decode(data)
            tail = self._size_after_data(end)
            if tail < 0:
                return -1
            entries.size = end - tail - entries.data_offset
        except SaveError:
            return -1
        return end if self._read_object() == WHOLE else -1

    def _size_after_data(self, end: i64) -> i64:
        """Return how many bytes follow the data of an object whose entry ends at `end`, if it has no version data of its own."""
        if not self._entries.has_version_data(self._entries.save_version):
            return 0
        data = self._data.fork()
        data.seek(end - LEAST_VERSION_DATA)
        return LEAST_VERSION_DATA if data.i32() == 0 else -1

    def _end_of_covered(self, end: i64, count: i64) -> i64:
        """Return `end`, of the entry that was read last, if `count` whole entries follow the object in its data; else -1."""
        data = self._data.fork()
        entries = self._entries
        at = self._objects.left_over
        if at < 0:
            return -1
        data.seek(at)
        try:
            entries.read_ue5_version(data, entries.save_version)
            for _ in range(count):
                if not entries.read(data, strict=True):
                    return -1
                entries.skip_data(data)
        except SaveError:
            return -1
        return end if data.tell() == end else -1

    # --- an object ---

    def _state(self, toc: Cursor, data: Cursor) -> int:
        """Read an object; return what it is. Both cursors are moved to the next one, if the sizes can be read."""
        headers = self._headers
        entries = self._entries
        try:
            headers.decode(toc)
            if not entries.read(data, strict=True):
                return BROKEN
            state = self._read_object()
            entries.skip_data(data)
        except SaveError as error:
            return UNREADABLE if is_torn(toc, error) or is_torn(data, error) else BROKEN
        return state

    def _read_object(self) -> int:
        """Read the object whose header and entry were read last; return what it is."""
        entries = self._entries
        size = entries.size
        if size == 0:
            return SOUND
        header = self._headers.event(entries.save_version, entries.prefix_size, entries.data_offset, size)
        state = self._objects.state(header)
        # Few bytes are no proof.
        return SOUND if state == WHOLE and size < LEAST_OBJECT else state

    def _is_small(self, data: Cursor) -> bool:
        """Return whether an entry is none, or too small to be told from other bytes. The cursor stays where it is."""
        start = data.tell()
        try:
            return data.remaining() == 0 or not self._entries.read(data, strict=True) or self._entries.size < LEAST_OBJECT
        except SaveError as error:
            return not is_torn(data, error)
        finally:
            data.seek(start)
