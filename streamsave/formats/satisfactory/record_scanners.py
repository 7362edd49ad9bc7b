"""Scanners for headers, for entries and for levels: what each of these records looks like, and where their sequence ends."""

from __future__ import annotations

import re
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import REFERENCES, LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.object_header import LEAST_HEADER, ObjectHeaderCodec
from streamsave.formats.satisfactory.resync_scan import RecordScanner, is_readable, spend_on_fault, spend_on_strings
from streamsave.formats.satisfactory.versions import SAVE_VERSION_OBJECT_FLAGS

__all__ = [
    "LARGEST_REFERENCE",
    "LEAST_OBJECT",
    "EntryScanner",
    "HeaderScanner",
    "LevelScanner",
    "OrphanedHeaderScanner",
    "ends_save",
    "is_plausible",
    "likely_version",
]

#: A property list has a terminator, and says whether a GUID follows. Some mods' objects have less, and would fit anywhere.
LEAST_OBJECT: Final = 13

#: Bytes of a reference: two strings, empty or of the length of the longest names, several times over.
LEAST_REFERENCE: Final = 8
LARGEST_REFERENCE: Final = 8192
#: The members of a tail that is nothing but a list of references.
DESTROYED_ONLY: Final = ["destroyed_actors"]
#: What looking costs whether records end here, in the unit of `resync_scan`.
CHECK_COST: Final = 32

# The first bytes of a record, as a look ahead.
#: `i32 save_version; bool32 migrate_references; i32 size`
ENTRY_WITH_VERSION: Final = re.compile(rb"(?s)(?=[\x01-\xff]\0{3}[\0\x01]\0{3}.{3}[\0-\x7f])")
#: `i32 size`, then a string of any characters, perhaps after a byte or an empty string; or two empty strings
ENTRY: Final = re.compile(
    rb"(?s)(?=(?:[\x0d-\xff]..|.[^\0].|..[^\0])\0"
    rb"(?:(?:.?|\0{4})(?:\x02\0{3}[\x01-\x7f]\0|[\x03-\xff]\0{3}[\x01-\x7f][^\0]|..\xff\xff)|\0{8}))"
)
#: `bool32 is_actor; str class`, which is a path from the root
HEADER: Final = re.compile(rb"(?s)(?=[\0\x01]\0{3}.[\0-\x7f]\0\0/)")
#: `str name`, or the persistent level, which has none: `size; i32 count`, then a header
LEVEL_OR_64_BIT_BLOB: Final = re.compile(rb"(?s)(?=[\x02-\xff]..\0[!-~]|.{5}\0{3}.{3}\0[\0\x01]\0{3}.[\0-\x7f]\0\0/)")
LEVEL_OR_32_BIT_BLOB: Final = re.compile(rb"(?s)(?=[\x02-\xff]..\0[!-~]|.{3}\0.{3}\0[\0\x01]\0{3}.[\0-\x7f]\0\0/)")


def may_fill(cursor: Cursor) -> bool:
    """Return whether a list of references that starts here may take all bytes left, by its count; the cursor stays here.

    Most places that are tried are ruled out by that, without reading what only looks like references.
    """
    start = cursor.tell()
    left: i64 = cursor.remaining() - 4
    if left < 0:
        return False
    count: i64 = cursor.i32()
    cursor.seek(start)
    if count <= 0:
        return count == 0 and left == 0
    return count <= left // LEAST_REFERENCE and left // count <= LARGEST_REFERENCE


def ends_save(cursor: Cursor, tail: Struct, layout: LevelLayout, context: BuildContext) -> bool:
    """Return whether the tail of the last level takes all bytes left, perhaps with the list of unresolved references."""
    strings = cursor.skipped_strings
    cursor.windows.search_cost += CHECK_COST
    try:
        if layout.blob_size is None and tail.names == DESTROYED_ONLY and not may_fill(cursor):
            return False
        tail.measure(cursor, context)
        if cursor.remaining() > 0 and layout.blob_size is not None and layout.tail.names:
            REFERENCES.measure(cursor, context)
    except SaveError:
        spend_on_fault(cursor)
        return False
    finally:
        spend_on_strings(cursor, strings)
    return cursor.remaining() == 0


class HeaderScanner(RecordScanner):
    """Scans the headers of a level, up to the end of their blob or to the copy of the destroyed actors there."""

    def __init__(self, cursor: Cursor, most: i64, level_version: int, tail: Struct, context: BuildContext) -> None:
        super().__init__(cursor, most, HEADER)
        #: Has the header that was passed over last.
        self.headers = ObjectHeaderCodec(level_version)
        self._destroyed = destroyed_actors(tail)
        self._context = context

    def step(self) -> bool:
        self.headers.decode(self.cursor)
        return is_plausible(self.headers)

    def is_end(self) -> bool:
        cursor = self.cursor
        if cursor.remaining() == 0:
            return True
        return self._destroyed is not None and fits(self._destroyed, cursor, self._context)


class EntryScanner(RecordScanner):
    """Scans the entries of a level's objects.

    Without a size of all of them, they end where what follows them takes all that is left of the save.
    """

    def __init__(self, cursor: Cursor, most: i64, level_version: int, layout: LevelLayout, context: BuildContext) -> None:
        super().__init__(cursor, most, ENTRY_WITH_VERSION if layout.entry_versions else ENTRY)
        self.layout = layout
        self._entries = layout.entries(level_version)
        self._context = context
        #: Where they have no size: what follows them and ends the save.
        self.tail: Struct | None = None

    def step(self) -> bool:
        if not self._entries.read(self.cursor, strict=True):
            return False
        start = self.cursor.tell()
        self._entries.skip_data(self.cursor)
        self.jumped = self.cursor.tell() - start
        return True

    def is_end(self) -> bool:
        tail = self.tail
        if tail is None:
            return self.cursor.remaining() == 0
        start = self.cursor.tell()
        is_end = ends_save(self.cursor, tail, self.layout, self._context)
        self.cursor.seek(start)
        return is_end


class LevelScanner(RecordScanner):
    """Scans streaming levels, up to the persistent level, which has no name."""

    def __init__(self, cursor: Cursor, most: i64, layout: LevelLayout, context: BuildContext) -> None:
        super().__init__(cursor, most, LEVEL_OR_64_BIT_BLOB if layout.entry_versions else LEVEL_OR_32_BIT_BLOB)
        self._layout = layout
        self._context = context

    def step(self) -> bool:
        name = self.cursor.string()
        if not name or not name.isprintable() or not self._pass_blobs():
            return False
        start = self.cursor.tell()
        self._layout.tail.measure(self.cursor, self._context)
        self.jumped += self.cursor.tell() - start
        return True

    def is_end(self) -> bool:
        """Return whether the persistent level starts here: nothing follows it."""
        cursor = self.cursor
        start = cursor.tell()
        cursor.windows.search_cost += CHECK_COST
        try:
            if not self._pass_blobs():
                return False
            end = cursor.tell()
            if not is_readable(cursor.windows, end, cursor.limit()):
                return True
            return ends_save(cursor, self._layout.persistent_tail, self._layout, self._context)
        except SaveError:
            spend_on_fault(cursor)
            return False
        finally:
            cursor.seek(start)

    def _pass_blobs(self) -> bool:
        """Pass over the blobs of headers and of as many objects; return False if these are none."""
        cursor = self.cursor
        toc_end = self._layout.blob_end(cursor)
        count = cursor.count(LEAST_HEADER)
        if cursor.tell() > toc_end or count > (toc_end - cursor.tell()) // LEAST_HEADER:
            return False
        if count:
            cursor.bool32()
            if not cursor.name().startswith("/"):
                return False
        self.jumped += toc_end - cursor.tell()
        cursor.seek(toc_end)
        data_end = self._layout.blob_end(cursor)
        if cursor.i32() != count:
            return False
        if count == 0 and cursor.tell() != data_end:
            return False
        self.jumped += data_end - cursor.tell()
        cursor.seek(data_end)
        return True


class OrphanedHeaderScanner(HeaderScanner):
    """Scans the headers of the last level without a known size: they end where its objects start, and those end the save."""

    def __init__(self, cursor: Cursor, level_version: int, tail: Struct, context: BuildContext, entries: EntryScanner) -> None:
        super().__init__(cursor, entries.most, level_version, tail, context)
        self._entries = entries
        #: Where the blob of the objects starts, and where the last header ends, once that was found.
        self.blob: i64 = -1
        self._last: i64 = -1

    def is_end(self) -> bool:
        cursor = self.cursor
        start = cursor.tell()
        if self.blob >= 0:
            return start == self._last
        end: i64 = -1
        try:
            if self._starts_objects(start):
                end = start
            elif self._destroyed is not None:
                self._destroyed.measure(cursor, self._context)
                if self._starts_objects(cursor.tell()):
                    end = cursor.tell()
        except SaveError:
            spend_on_fault(cursor)
            return False
        finally:
            cursor.seek(start)
        if end >= 0:
            self._last = start
            self.blob = end
        return end >= 0

    def _starts_objects(self, place: i64) -> bool:
        """Return whether the objects of a level start here: as many as it says, in as many bytes."""
        entries = self._entries
        cursor = entries.cursor
        cursor.seek(place)
        cursor.windows.search_cost += CHECK_COST
        try:
            entries.layout.blob_end(cursor)
            count: i64 = cursor.i32()
        except SaveError:
            spend_on_fault(cursor)
            return False
        if count <= 0 or count > entries.most:
            return False
        # Not one more is counted: what is no list of objects may go on for long.
        most = entries.most
        entries.most = count
        found = entries.count(cursor.tell())
        entries.most = most
        return found == count


def is_plausible(headers: ObjectHeaderCodec) -> bool:
    """Return whether the header that was decoded last has names that a game writes."""
    return headers.class_name.startswith("/") and "\0" not in headers.instance_name


def fits(codec: Codec, cursor: Cursor, context: BuildContext) -> bool:
    """Return whether a value takes all bytes up to the limit; the cursor stays where it is."""
    start = cursor.tell()
    strings = cursor.skipped_strings
    try:
        codec.measure(cursor, context)
        return cursor.remaining() == 0
    except SaveError:
        spend_on_fault(cursor)
        return False
    finally:
        spend_on_strings(cursor, strings)
        cursor.seek(start)


def likely_version(cursor: Cursor, layout: LevelLayout, version: int, context: BuildContext) -> int:
    """Guess the SaveVersion of a streaming level whose tail cannot be read; `cursor` is after its name and stays there.

    Its headers have changed only once since levels have versions, so either form may fit. Objects have versions of their own.

    Returns:
        `version`, that of the save, or an older one; -1 if the headers cannot be read either.
    """
    for likely in (version, SAVE_VERSION_OBJECT_FLAGS - 1):
        toc = cursor.fork()
        try:
            end = layout.blob_end(toc)
            count = toc.i32()
            toc.set_limit(end)
            if HeaderScanner(toc, count, likely, layout.tail, context).is_whole_from(toc.tell()):
                return likely
        except SaveError:
            return -1
    return -1
