"""A damaged level of Satisfactory and its records: headers, entries and levels, where each may start, and where it ends.

A search looks for the pattern that a record starts with; what confirms a place is a chain from there to an end.

The module is long because it has the patterns and the checks of three kinds of records.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor, is_torn
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import REFERENCES, LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import EMPTY_LIST
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.formats.satisfactory.versions import SAVE_VERSION_NEWEST
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.recovery.chains import FAULT, Budget, Records

__all__ = [
    "LEAST_OBJECT",
    "EntryRecords",
    "HeaderRecords",
    "LevelBytes",
    "LevelRecords",
    "ends_level",
    "may_start",
    "starts_objects",
]

#: The fewest bytes of an object: a property list ends with a name and says whether a GUID follows.
LEAST_OBJECT: Final = len(EMPTY_LIST)
#: No name of a level has as many characters.
LONGEST_NAME: Final = 1024
#: The fewest bytes of a level: its name, and the sizes and numbers of both blobs.
LEAST_LEVEL: Final = 22

# How a record starts, as a look ahead.
#: `i32 save_version; bool32 migrate_references; i32 size`
VERSIONED_ENTRY: Final = re.compile(rb"(?s)(?=[\x01-\xff]\0{3}[\0\x01]\0{3}.{3}[\0-\x7f])")
#: `i32 size`, then a string of any characters, perhaps after a byte or an empty string; or two empty strings
BARE_ENTRY: Final = re.compile(
    rb"(?s)(?=(?:[\x0d-\xff]..|.[^\0].|..[^\0])\0"
    rb"(?:(?:.?|\0{4})(?:\x02\0{3}[\x01-\x7f]\0|[\x03-\xff]\0{3}[\x01-\x7f][^\0]|..\xff\xff)|\0{8}))"
)
#: `bool32 is_actor; str class`, which is a path from the root
HEADER: Final = re.compile(rb"(?s)(?=[\0\x01]\0{3}.[\0-\x7f]\0\0/)")
#: `str name` of fewer than 1024 characters, or the persistent level, which has none: `size; i32 count`, then a header
LEVEL_WIDE: Final = re.compile(rb"(?s)(?=[\x02-\xff][\0-\3]\0\0[!-~]|.{5}\0{3}.{3}\0[\0\x01]\0{3}.[\0-\x7f]\0\0/)")
LEVEL_NARROW: Final = re.compile(rb"(?s)(?=[\x02-\xff][\0-\3]\0\0[!-~]|.{3}\0.{3}\0[\0\x01]\0{3}.[\0-\x7f]\0\0/)")


class LevelBytes:
    """What is known of one level before its records are paired.

    Args:
        reader: of the save.
        budget: of all searches in it.
        version, ue5_version: of the level.
        tail: what follows its objects.
        content: where its first header starts, or the search for headers if the start of the level is lost.
        limit: where the level ends, with its tail; `NO_LIMIT` if nothing says that.
    """

    def __init__(
        self, reader: BodyReader, budget: Budget, version: int, ue5_version: int, tail: Struct, content: i64, limit: i64
    ) -> None:
        self.reader = reader
        self.layout = reader.layout
        self.budget = budget
        self.version = version
        self.ue5_version = ue5_version
        self.tail = tail
        self.content: i64 = content
        self.limit: i64 = limit
        self.is_last = tail is reader.layout.persistent_tail
        #: No object has a newer SaveVersion; it may have a newer one than its level, and even than the save.
        self.newest_version: i64 = max(reader.save_version, SAVE_VERSION_NEWEST)
        #: How many headers and entries there are, as the level says; -1 if that is lost.
        self.count: i64 = -1
        self.data_count: i64 = -1
        #: Where the headers end and the blob of the objects starts; -1: what follows the headers shows it.
        self.toc_end: i64 = -1
        #: Where the entries end; -1: what follows them shows it.
        self.data_end: i64 = -1
        #: Where the entries end as a size says that does not lead to what follows them; -1 if there is none.
        self.stated_end: i64 = -1
        #: How many bytes the save has less than it says; negative: more.
        self.missing: i64 = 0
        #: What is wrong with its start, if all of it can be read without.
        self.fault: SaveError | None = None
        #: Nothing shows where the entries end: other levels may start before `limit`.
        self.is_open = False
        #: Its first headers are lost.
        self.is_orphaned = False

    def cursor(self) -> Cursor:
        """Return a cursor over the level."""
        cursor = self.reader.cursor.fork()
        cursor.set_limit(self.limit)
        return cursor


class HeaderRecords(Records):
    """The headers of a level, up to its objects, or to a copy of its destroyed actors before these."""

    def __init__(self, level: LevelBytes, *, strict: bool = True) -> None:
        super().__init__(level.cursor(), HEADER, level.budget)
        self._level = level
        self._is_strict = strict
        if level.toc_end >= 0:
            self.cursor.set_limit(level.toc_end)
        #: Has the header that was passed over last.
        self.headers = ObjectHeaderCodec(level.version)
        self._destroyed = destroyed_actors(level.tail)
        #: Where the blob of the objects starts that the last true `ends` has found.
        self.blob: i64 = level.toc_end

    def read(self) -> bool:
        headers = self.headers
        headers.decode(self.cursor)
        # A text with a NUL inside takes in others: none of 437,362 headers of real saves has one.
        texts = headers.class_name + headers.level + headers.instance_name + headers.outer
        return not self._is_strict or (headers.class_name.startswith("/") and "\0" not in texts)

    def ends(self) -> bool:
        cursor = self.cursor
        start = cursor.tell()
        if self._is_blob(start):
            return True
        if self._destroyed is None or cursor.i32() > cursor.remaining() // REFERENCE.least:
            return False
        cursor.seek(start)
        self._destroyed.measure(cursor, self._level.reader)
        return self._is_blob(cursor.tell())

    def _is_blob(self, at: i64) -> bool:
        """Return whether the blob of the objects starts at an offset."""
        if self._level.toc_end < 0 and starts_objects(self._level, at):
            self.blob = at
        return at == self.blob


class EntryRecords(Records):
    """The entries of a level. `level.data_end` is where they end; -1: where the tail takes what is left of the level."""

    def __init__(self, level: LevelBytes, *, strict: bool = True) -> None:
        layout = level.layout
        super().__init__(level.cursor(), VERSIONED_ENTRY if layout.entry_versions else BARE_ENTRY, level.budget)
        if level.data_end >= 0:
            self.cursor.set_limit(level.data_end)
        self._level = level
        self._least: i64 = LEAST_OBJECT if strict else 0
        self._entries = layout.entries(level.version)

    def read(self) -> bool:
        entries = self._entries
        cursor = self.cursor
        if not may_start(self._level, cursor) or not entries.read(cursor) or entries.size < self._least:
            return False
        try:
            entries.skip_data(cursor)
        except SaveError as error:
            if not is_torn(cursor, error):
                raise
            cursor.fault = None
            cursor.seek(entries.data_offset + entries.size)  # its data are known; nothing follows what cannot be read
        return True

    def starts_at(self, at: i64) -> bool:
        """Return whether an entry starts at an offset, whatever size it has; one without versions looks like any other bytes."""
        return self._level.layout.entry_versions and self._holds(at, self._starts)

    def _starts(self) -> bool:
        return 0 < self.cursor.i32() <= self._level.newest_version and 0 <= self.cursor.i32() <= 1

    def ends(self) -> bool:
        level = self._level
        if level.data_end >= 0:
            return self.cursor.tell() == level.data_end
        return level.limit < NO_LIMIT and not level.is_open and ends_level(level, self.cursor)


def may_start(level: LevelBytes, cursor: Cursor) -> bool:
    """Return whether an entry may start at the cursor, which stays: its SaveVersion is one that a game writes, or it has none.

    Raises:
        SaveError: what follows the SaveVersion is no bool, or cannot be read.
    """
    if not level.layout.entry_versions:
        return True
    start = cursor.tell()
    if not 0 < cursor.i32() <= level.newest_version:
        return False
    cursor.bool32()
    cursor.seek(start)
    return True


class LevelRecords(Records):
    """Streaming levels, up to the persistent level, which has no name."""

    def __init__(self, cursor: Cursor, layout: LevelLayout, context: BuildContext, budget: Budget) -> None:
        super().__init__(cursor, LEVEL_WIDE if layout.entry_versions else LEVEL_NARROW, budget)
        self._layout = layout
        self._context = context

    def read(self) -> bool:
        cursor = self.cursor
        start = cursor.tell()
        length = cursor.i32() if cursor.remaining() >= LEAST_LEVEL else 0
        if not 1 < length < min(cursor.remaining(), LONGEST_NAME):
            return False
        cursor.skip(length - 1)
        if cursor.u8() != 0 or not self._pass_blobs():
            return False
        self._layout.tail.measure(cursor, self._context)
        end = cursor.tell()
        cursor.seek(start)
        is_name = cursor.string().isprintable()
        cursor.seek(end)
        return is_name

    def ends(self) -> bool:
        return self._pass_blobs() and ends_save(self._layout.persistent_tail, self.cursor, self._context)

    def _pass_blobs(self) -> bool:
        """Pass over the blobs of headers and of as many objects; return False if these are none."""
        cursor = self.cursor
        layout = self._layout
        toc_end = layout.blob_end(cursor)
        count = layout.header_count(cursor, toc_end)
        if count and (not 0 <= cursor.i32() <= 1 or not cursor.name().startswith("/")):
            return False
        cursor.seek(toc_end)
        data_end = layout.blob_end(cursor)
        if cursor.i32() != count or (count == 0 and cursor.tell() != data_end):
            return False
        cursor.seek(data_end)
        return True


def ends_save(tail: Struct, cursor: Cursor, context: BuildContext) -> bool:
    """Return whether a tail, and perhaps the list of unresolved destroyed actors, take all that is left."""
    tail.measure(cursor, context)
    if cursor.remaining() > 0:
        REFERENCES.measure(cursor, context)
    return cursor.remaining() == 0


def ends_level(level: LevelBytes, cursor: Cursor) -> bool:
    """Return whether the tail of a level takes all of it that is left; the persistent level may have one more list after it."""
    layout = level.layout
    reader = level.reader
    if level.is_last and layout.blob_size is not None and layout.tail.names:
        return ends_save(level.tail, cursor, reader)
    level.tail.measure(cursor, reader)
    return cursor.remaining() == 0


def starts_objects(level: LevelBytes, at: i64) -> bool:
    """Return whether the blob of a level's objects starts at an offset: its number, its first entry or its end confirm it."""
    layout = level.layout
    cursor = level.cursor()
    cursor.seek(at + layout.blob.size - 4)
    try:
        count = cursor.i32()
        entries = EntryRecords(level)
        if count <= 0:
            return False
        first = cursor.tell()
        if count == level.count and (entries.step(first) >= 0 or entries.torn):
            return True  # the size of all entries may be wrong
        if level.limit >= NO_LIMIT:
            return False
        if layout.blob_size is None:  # nothing but the entries themselves confirms it
            return entries.forward(first, count, least=count)[2]
        cursor.seek(at)
        cursor.seek(layout.blob_end(cursor))
        return ends_level(level, cursor)
    except SaveError:
        level.budget.spend(FAULT)
        return False
