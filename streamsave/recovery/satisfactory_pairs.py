"""The headers and entries of a damaged level of Satisfactory, and which of them belong to each other.

| idea | here |
|---|---|
| chain | headers, and entries, follow each other without marks, up to an end that what follows them confirms |
| from both ends | what is before the damage is counted from the start, what is after it from the end |
| anchor | the entry of an actor names its components, and so its header |

A pair is certain if it has one reading: where headers and entries lead to their ends but are not as many, one entry is missing,
is there twice, or has taken in others. Pairs that would fit before and after that place are lost.

The module is long because headers, entries and their pairs are judged together: which of them are certain follows from all
three.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec, Map, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import REFERENCES, LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.object_header import LEAST_HEADER, ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import is_torn
from streamsave.formats.satisfactory.versions import SAVE_VERSION_OBJECT_FLAGS
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.input.windows import Windows
from streamsave.recovery.chains import STEP, Budget
from streamsave.recovery.satisfactory_objects import (
    BOUND,
    EXACT,
    LOOSE,
    MISFIT,
    NEUTRAL,
    STRANGER,
    TORN,
    WHOLE,
    Grade,
    PairReader,
)

__all__ = ["EntryRecords", "HeaderRecords", "LevelBytes", "LevelRecords", "Plan", "Run", "make_plan"]

#: The fewest bytes of an object: a property list ends with a name, and says whether a GUID follows.
LEAST_OBJECT: Final = 13
#: Bytes of a reference: two strings, empty, or of the length of the longest names several times over.
LEAST_REFERENCE: Final = 8
LARGEST_REFERENCE: Final = 8192
#: A number that is hardly found by chance where another one like it should be.
UNLIKELY: Final = 16
#: More records than any level has.
MANY: Final = 1 << 20
#: What searches cost, in bytes: a byte in which a pattern is looked for, a string that is skipped, a fault.
SCAN: Final = 2
STRING: Final = 8
FAULT: Final = 1024
#: No name of a level has as many characters.
LONGEST_NAME: Final = 1024
#: The bytes of an i64.
LONG: Final = 8
#: Bytes. No pattern looks further ahead.
WIDEST: Final = 32
#: Pairs of a stretch from the end that are looked at, and one in so many of them may be broken.
SAMPLES: Final = 40
BROKEN_SHARE: Final = 4

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
        layout: of its levels.
        build_version: build number of the game that wrote the save.
        version, ue5_version: of the level.
        tail: what follows its objects.
        content: where its first header starts; -1 if it is not known.
        limit: where the level ends, with its tail; `NO_LIMIT` if nothing says that.
        budget: of all searches of the save.
    """

    def __init__(
        self,
        reader: UnrealReader,
        layout: LevelLayout,
        build_version: int,
        version: int,
        ue5_version: int,
        tail: Struct,
        content: i64,
        limit: i64,
        budget: Budget,
    ) -> None:
        self.reader = reader
        self.budget = budget
        self.layout = layout
        self.build_version = build_version
        self.version = version
        self.ue5_version = ue5_version
        self.tail = tail
        self.content: i64 = content
        self.limit: i64 = limit
        #: How many headers there are, as the level says; -1 if that is lost.
        self.count: i64 = -1
        #: Where the headers end and the blob of the objects starts; -1: what follows the headers shows it.
        self.toc_end: i64 = -1
        #: Where the entries end; -1: what follows them shows it.
        self.data_end: i64 = -1
        #: What is wrong with its start, if all of it can be read without.
        self.fault: SaveError | None = None
        #: Nothing shows where the entries end: other levels may start before `limit`.
        self.is_open = False
        #: More levels follow than the save says: it ends like one that was there before.
        self.is_doubled = False
        #: Bytes of it are missing, or too many: zeros need not be small entries.
        self.is_doubtful = False
        #: How many bytes the save has less than it says; negative: more.
        self.missing: i64 = 0
        #: Its first headers are lost: `content` is where the search for others starts.
        self.is_orphaned = False

    def without_ends(self) -> LevelBytes:
        """Return the same level, of which only what follows its records shows where these end."""
        return LevelBytes(
            self.reader,
            self.layout,
            self.build_version,
            self.version,
            self.ue5_version,
            self.tail,
            self.content,
            self.limit,
            self.budget,
        )

    def cursor(self) -> Cursor:
        """Return a cursor over the level."""
        cursor = self.reader.cursor.fork()
        cursor.set_limit(self.limit)
        return cursor


class Records:
    """A sequence of records: one step of it, where one may start, and where it ends."""

    def __init__(self, cursor: Cursor, pattern: re.Pattern[bytes], budget: Budget) -> None:
        self.cursor = cursor
        self._budget = budget
        self._pattern = pattern
        #: The last step, or the last look for an end, has met a chunk, or an end of the stream, that cannot be read.
        self.is_torn = False
        self._dead: set[int] = set()
        self._left: dict[int, int] = {}

    def read(self) -> bool:
        """Pass over the record at the cursor; return False if it is none. Raises `SaveError` likewise."""
        raise NotImplementedError

    def ends(self) -> bool:
        """Return whether the records end at the cursor, which may move. Raises `SaveError` if they do not."""
        raise NotImplementedError

    def step(self, at: i64) -> i64:
        """Return where the record at an offset ends; -1 if there is none."""
        cursor = self.cursor
        cursor.fault = None
        cursor.seek(at)
        self.is_torn = False
        strings = cursor.skipped_strings
        try:
            return cursor.tell() if self.read() else -1
        except SaveError as error:
            self.is_torn = is_torn(cursor, error)
            self._budget.spend(FAULT)
            return -1
        finally:
            self._budget.spend(STEP + STRING * (cursor.skipped_strings - strings))

    def is_end(self, at: i64) -> bool:
        """Return whether the records end at an offset."""
        cursor = self.cursor
        cursor.fault = None
        cursor.seek(at)
        self.is_torn = False
        try:
            return self.ends()
        except SaveError as error:
            self.is_torn = is_torn(cursor, error)
            self._budget.spend(FAULT)
            return False

    def forward(self, at: i64, most: i64, *, least: i64 = 0) -> tuple[array[int], int, bool]:
        """Return where records start from an offset on, where the last one ends, and whether they end there indeed.

        There are `least` to `most`. Other bytes may look like an end: it is the last one that can be reached.
        """
        starts = array("q")
        ends = -1
        end_at = -1
        while True:
            if len(starts) >= least and self.is_end(at):
                ends = len(starts)
                end_at = int(at)
            following = self.step(at) if len(starts) < most else -1
            if following < 0:
                break
            starts.append(int(at))
            at = following
        if ends >= 0:
            return starts[:ends], end_at, True
        return starts, int(at), False

    def first(self, begin: i64, accepts: Callable[[int, int], bool]) -> int:
        """Find the first offset from `begin` on from which records lead to the end, and that is accepted; -1 if there is none.

        Args:
            begin: where the search starts.
            accepts: called with an offset and how many records are left there.
        """
        budget = self._budget
        scanned = begin
        for place in places(self.cursor.windows, self._pattern, begin, self.cursor.limit()):
            if not budget.spend(SCAN * (place - scanned)):
                break
            scanned = place
            left = self.count(place)
            if left >= 0 and accepts(place, int(left)):
                return place
        return -1

    def suffix(self, begin: i64, accepts: Callable[[int, int], bool]) -> array[int]:
        """Return where the records start from the first offset on that `first` finds."""
        place = self.first(begin, lambda at, left: left > 0 and accepts(at, left))
        return self.forward(place, MANY)[0] if place >= 0 else array("q")

    def count(self, at: i64) -> i64:
        """Count the records from an offset to the end; -1 if they break off."""
        passed: list[int] = []
        ends = -1
        left = 0
        while True:
            known = self._left.get(int(at), -1)
            if known >= 0:
                ends = len(passed)
                left = known
                break
            if at in self._dead or not self._budget.spend(0):
                break
            if self.is_end(at):
                ends = len(passed)
            passed.append(int(at))
            at = self.step(at)
            if at < 0:
                break
        for index, place in enumerate(passed):
            if index <= ends:
                self._left[place] = left + ends - index
            else:
                self._dead.add(place)
        return ends + left if ends >= 0 else -1


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
        level = self._level
        start = cursor.tell()
        if level.toc_end >= 0:
            return start == level.toc_end or (self._destroyed is not None and fills(self._destroyed, cursor, level.reader))
        try:
            if starts_objects(level, cursor):
                self.blob = start
                return True
        except SaveError:
            self._budget.spend(FAULT)
        cursor.seek(start)
        if self._destroyed is None or cursor.i32() > cursor.remaining() // LEAST_REFERENCE:
            return False
        cursor.seek(start)
        self._destroyed.measure(cursor, level.reader)
        end = cursor.tell()
        if starts_objects(level, cursor):
            self.blob = end
            return True
        return False


class EntryRecords(Records):
    """The entries of a level. `level.data_end` is where they end; -1: where the tail takes what is left of the level."""

    def __init__(self, level: LevelBytes, *, strict: bool = True) -> None:
        super().__init__(level.cursor(), VERSIONED_ENTRY if level.layout.entry_versions else BARE_ENTRY, level.budget)
        if level.data_end >= 0:
            self.cursor.set_limit(level.data_end)
        self._level = level
        self._least: i64 = LEAST_OBJECT if strict else 0
        self._entries = level.layout.entries(level.version)
        #: Where the data of the last entry end, if what follows them cannot be read; else -1.
        self.torn_end: i64 = -1

    def read(self) -> bool:
        entries = self._entries
        self.torn_end = -1
        if not entries.read(self.cursor, strict=True) or entries.size < self._least:
            return False
        self.torn_end = entries.data_offset + entries.size
        entries.skip_data(self.cursor)
        self.torn_end = -1
        return True

    def ends(self) -> bool:
        level = self._level
        if level.data_end >= 0:
            return self.cursor.tell() == level.data_end
        return level.limit < NO_LIMIT and not level.is_open and ends_level(level, self.cursor)


class LevelRecords(Records):
    """Streaming levels, up to the persistent level, which has no name."""

    def __init__(self, cursor: Cursor, layout: LevelLayout, context: BuildContext, budget: Budget) -> None:
        super().__init__(cursor, LEVEL_WIDE if layout.entry_versions else LEVEL_NARROW, budget)
        self._layout = layout
        self._context = context

    def read(self) -> bool:
        cursor = self.cursor
        start = cursor.tell()
        if cursor.remaining() < LONGEST_NAME:  # the persistent level is larger, and what is tried often should raise no error
            return self._read_all()
        length = cursor.i32()
        if 0 <= length < LONGEST_NAME:
            cursor.skip(length - 1 if length else 0)
            if length < 2 or cursor.u8() != 0:
                return False
        elif length >= LONGEST_NAME:
            return False
        cursor.seek(start)
        return self._read_all()

    def _read_all(self) -> bool:
        name = self.cursor.string()
        if not name or not name.isprintable() or not self._pass_blobs():
            return False
        self._layout.tail.measure(self.cursor, self._context)
        return True

    def ends(self) -> bool:
        cursor = self.cursor
        if not self._pass_blobs():
            return False
        self._layout.persistent_tail.measure(cursor, self._context)
        if cursor.remaining() > 0:
            REFERENCES.measure(cursor, self._context)
        return cursor.remaining() == 0

    def _pass_blobs(self) -> bool:
        """Pass over the blobs of headers and of as many objects; return False if these are none."""
        cursor = self.cursor
        toc_end = self._blob_end()
        if toc_end < 0:
            return False
        count = cursor.i32()
        if count < 0 or count > (toc_end - cursor.tell()) // LEAST_HEADER:
            return False
        if count and (not 0 <= cursor.i32() <= 1 or not cursor.name().startswith("/")):
            return False
        cursor.seek(toc_end)
        data_end = self._blob_end()
        if data_end < 0 or cursor.i32() != count or (count == 0 and cursor.tell() != data_end):
            return False
        cursor.seek(data_end)
        return True

    def _blob_end(self) -> i64:
        """Return where the blob at the cursor ends, whose size is passed over; -1 if there is none. It raises no error."""
        cursor = self.cursor
        width = self._layout.blob.size - 4
        if cursor.remaining() < width + 4:
            return -1
        size = cursor.i64() if width == LONG else cursor.i32()
        if size < 4 or size > cursor.remaining():
            return -1
        return cursor.tell() + size


def anything(_place: int, _left: int) -> bool:
    """Accept any place from which records lead to the end."""
    return True


def places(windows: Windows, pattern: re.Pattern[bytes], start: i64, end: i64) -> Iterator[int]:
    """Yield the offsets from `start` to `end` where a pattern matches, without those in windows that cannot be read."""
    at = start
    carried = b""
    last: i64 = -1
    while at < end:
        try:
            window = windows.window(at)
        except SaveError:
            carried = b""
            at = windows.window_end(at)
            if at < 0:
                return
            continue
        if not window or windows.window_offset > at or windows.window_offset + len(window) <= at:
            return  # a window without the byte that was asked for is no progress
        window = window[at - windows.window_offset : end - windows.window_offset]
        text = carried + window
        base = at - len(carried)
        at += len(window)
        for match in pattern.finditer(text):
            place = base + match.start()
            if place > last:
                last = place
                yield place
        carried = text[-WIDEST:]


def fills(codec: Codec, cursor: Cursor, context: BuildContext) -> bool:
    """Return whether a list of references, or a map of such, takes all bytes up to the limit.

    Most offsets that are tried are ruled out by its count.
    """
    start = cursor.tell()
    left = cursor.remaining() - 4
    if left < 0:
        return False
    count = cursor.i32()
    if count <= 0 or count > left // LEAST_REFERENCE:
        return count == 0 and left == 0
    if not isinstance(codec, Map) and left // count > LARGEST_REFERENCE:
        return False
    cursor.seek(start)
    codec.measure(cursor, context)
    return cursor.remaining() == 0


def ends_level(level: LevelBytes, cursor: Cursor) -> bool:
    """Return whether the tail of a level takes all of it that is left; the persistent level may have one more list after it."""
    tail = level.tail
    if tail is not level.layout.persistent_tail or level.layout.blob_size is None:
        if tail.names == ["destroyed_actors"]:
            return fills(tail.members[0], cursor, level.reader)
        tail.measure(cursor, level.reader)
        return cursor.remaining() == 0
    tail.measure(cursor, level.reader)
    if cursor.remaining() > 0 and level.layout.tail.names:
        REFERENCES.measure(cursor, level.reader)
    return cursor.remaining() == 0


def starts_objects(level: LevelBytes, cursor: Cursor) -> bool:
    """Return whether the blob of a level's objects starts at the cursor: its end is confirmed by what follows it."""
    layout = level.layout
    start = cursor.tell()
    width = layout.blob.size - 4
    cursor.skip(width)
    count = cursor.i32()
    first = cursor.tell()
    if count <= 0:
        return False
    if width == 0 and count != level.count:
        # Nothing but the entries themselves confirms it.
        return level.limit < NO_LIMIT and EntryRecords(level.without_ends()).forward(first, count, least=count)[2]
    if count == level.count:
        # The size of all entries may be wrong, and that of one of them.
        entries = EntryRecords(level.without_ends())
        if count >= UNLIKELY or entries.step(first) >= 0 or entries.is_torn:
            return True
    if width == 0 or level.limit >= NO_LIMIT:
        return False
    cursor.seek(start)
    cursor.seek(layout.blob_end(cursor))
    return ends_level(level, cursor)


# --- pairs ---


class Run:
    """Pairs that follow each other.

    Args:
        index: the number of the first one.
        toc: where its header starts.
        entries, first: where entries start, the first one of these among them.
        end: where the last of `entries` ends.
        count: how many pairs there are.
    """

    def __init__(self, index: int, toc: int, entries: array[int], first: int, end: int, count: int) -> None:
        self.index = index
        self.toc = toc
        self.count = count
        self._entries = entries
        self._first = first
        self._end = end

    def entry(self, number: int) -> int:
        """Return where an entry starts, by its number in the run; that after the last one is where it ends."""
        at = self._first + number
        return self._entries[at] if at < len(self._entries) else self._end


class Sequence:
    """The records of a level as far as they are known: from its start, and up to its end."""

    def __init__(self, records: Records, start: i64, count: i64 = -1) -> None:
        self.records = records
        most = count if count >= 0 else MANY
        self.front, self.front_end, self.is_whole = records.forward(start, most, least=count)
        self.is_torn = records.is_torn and not self.is_whole
        self.back = self.front if self.is_whole else array("q")
        #: Where the last record ends; -1 if it is not known.
        self.end = self.front_end if self.is_whole else -1

    def search(self, start: i64, accepts: Callable[[int, int], bool]) -> None:
        """Look for the records up to the end, after the last one from the start, whose size may be wrong."""
        if not self.is_whole:
            begin = self.front[-1] + 1 if self.front else start
            self.back = self.records.suffix(begin, accepts)
            if self.back:
                self.end = int(self.records.step(self.back[-1]))


class Plan:
    """Which pairs of a level are certain."""

    def __init__(self, headers: Sequence) -> None:
        self.headers = headers
        self.runs: list[Run] = []
        #: Where its entries break off: an offset, and whether that is in a chunk that cannot be read.
        self.entries_break = -1
        self.is_torn = False
        #: How many objects the level has, as far as that is known.
        self.count = len(headers.front)
        #: Where the last header ends, and where the objects start after that; -1 if it is not known.
        self.headers_end = headers.end
        self.toc_end = -1
        #: Where the first entry starts, and the last one ends; -1 if it is not known.
        self.data_start = -1
        self.data_end = -1

    @property
    def is_whole(self) -> bool:
        """Whether all headers are given with all entries."""
        return self.headers.is_whole and len(self.runs) == (self.count > 0) and sum(run.count for run in self.runs) == self.count

    def header_starts(self, begin: int, end: int) -> list[int]:
        """Return where headers start between two offsets, as far as these are known."""
        found: list[int] = []
        for starts in (self.headers.front, self.headers.back):
            found += starts[bisect_left(starts, begin) : bisect_left(starts, end)]
        return sorted(set(found))


class Planner:
    """Pairs the headers and entries of one level."""

    def __init__(self, level: LevelBytes) -> None:
        self._level = level
        self._pairs: PairReader | None = None
        self._headers: Sequence
        self._entries: Sequence
        #: The headers from the start of the level.
        self._front = array("q")
        self._count = 0
        self._data_start = -1
        #: The level says that it has another number of headers or of entries; pairs that do not fit are doubtful with others.
        self._is_miscounted = False
        #: The grades that were found, of pairs that are counted from the start, and from the end.
        self._known = (bytearray(), bytearray())
        self._is_damaged = False
        #: A chunk that cannot be read ends the entries from the start.
        self._has_hole = False
        #: Nothing but chunks that cannot be read: no size is known to be wrong.
        self._has_only_holes = False

    def plan(self, data_start: i64) -> Plan:
        """Return which pairs are certain; `data_start` is where the first entry starts, -1 if the headers show it."""
        level = self._level
        records = HeaderRecords(level, strict=level.count < 0)
        headers = Sequence(records, level.content, 0 if level.is_orphaned else level.count)
        if not headers.is_whole and level.count >= 0:
            records = HeaderRecords(level)
            headers = Sequence(records, level.content, 0 if level.is_orphaned else level.count)
        if not headers.is_whole and not headers.is_torn and not level.is_orphaned and level.count >= 0:
            headers = Sequence(records, level.content)  # their number may be wrong
        headers.search(level.content, anything)
        self._headers = headers
        self._drop_doubled()
        plan = Plan(headers)
        plan.toc_end = int(records.blob)
        if plan.toc_end < 0:
            return plan
        if plan.headers_end < 0:
            plan.headers_end = plan.toc_end
        plan.data_start = int(data_start) if data_start >= 0 else int(plan.toc_end + level.layout.blob.size)
        headers.is_torn |= level.is_orphaned
        self._front = headers.front
        stated = self._stated_count(plan.data_start)
        if not headers.is_whole and 0 <= level.count != stated > 0:
            # What is missing reaches into another level: these are its last headers, and its objects.
            self._front = array("q")
            level.count = stated
        self._data_start = plan.data_start
        entries = self._read_entries(plan.data_start)
        self._entries = entries
        plan.count = self._count
        front, back = self._both_ends()
        plan.runs = self._runs(front, back)
        plan.data_end = int(level.data_end) if level.data_end >= 0 else entries.end
        plan.entries_break = entries.front_end
        plan.is_torn = entries.is_torn
        return plan

    @property
    def pairs(self) -> PairReader:
        """Reads its pairs; most levels of a save have none."""
        if self._pairs is None:
            level = self._level
            headers = self._headers
            self._pairs = PairReader(
                level.cursor(),
                level.reader.limits,
                level.build_version,
                level.layout.entries(level.version),
                level.version,
                level.ue5_version,
                LEAST_OBJECT,
                level.budget,
            )
            self._pairs.know_names(headers.front, headers.back, all_of_them=headers.is_whole)
        return self._pairs

    # --- chains ---

    def _drop_doubled(self) -> None:
        """Drop headers up to the end that are there from the start, too, where these are more than the level says."""
        headers = self._headers
        more = len(headers.front) + len(headers.back) - self._level.count
        if headers.is_whole or self._level.count < 0 or not headers.front or not 0 < more <= len(headers.back):
            return
        codec = ObjectHeaderCodec(self._level.version)
        cursor = self._level.cursor()
        names: list[str] = []
        for at in (headers.front[-1], headers.back[more - 1]):
            cursor.seek(at)
            codec.decode(cursor)
            names.append(codec.instance_name)
        if names[0] == names[1]:
            headers.back = headers.back[more:]

    def _read_entries(self, start: i64) -> Sequence:
        """Read the entries; note how many objects there are."""
        level = self._level
        headers = self._headers
        known = len(self._front) + (0 if headers.is_whole else len(headers.back))
        count = known if headers.is_whole else int(level.count)
        if count < known:
            count = max(self._stated_count(start), known)
        self._count = count
        self._is_miscounted = count != level.count >= 0 or count != self._stated_count(start) > 0
        loose = Sequence(EntryRecords(level, strict=level.is_doubtful), start, count)
        if loose.is_whole and len(loose.front) == count:
            return loose  # mods may write smaller objects
        entries = Sequence(EntryRecords(level), start)
        if loose.is_torn and (len(loose.front) == count or len(loose.front) > len(entries.front)):
            return self._with_torn(loose)
        self._has_hole = entries.is_torn
        entries.search(start, self._accepts)
        return self._with_torn(entries)

    def _with_torn(self, entries: Sequence) -> Sequence:
        """Add the entry of which only the start can be read, if there is one, to those from the start of a level."""
        if entries.is_torn and len(entries.front) < self._count:
            records = EntryRecords(self._level)
            records.step(entries.front_end)
            if records.torn_end >= 0:
                entries.front.append(entries.front_end)
                entries.front_end = int(records.torn_end)
        return entries

    def _stated_count(self, data_start: int) -> int:
        """Return how many entries a level says that it has; 0 if that cannot be read."""
        cursor = self._level.cursor()
        cursor.seek(data_start - 4)
        try:
            return int(cursor.i32())
        except SaveError:
            return 0

    def _accepts(self, place: int, left: int) -> bool:
        """Return whether entries from an offset to the end belong to the last headers, as far as their content says so."""
        at = self._header_at(self._count - left)
        if at < 0:
            return self._level.layout.entry_versions and left <= self._count
        first = self.pairs.grade(at, place)
        if not (first.is_odd and self._has_hole) and (
            first.value == MISFIT
            or (not self._level.layout.entry_versions and first.value < (LOOSE if self._has_hole else WHOLE))
        ):
            return False
        starts = EntryRecords(self._level).forward(place, MANY)[0]
        step = max(left // SAMPLES, 1)
        broken = 0
        seen = 0
        for index in range(0, left, step):
            at = self._header_at(self._count - left + index)
            if at >= 0:
                seen += 1
                broken += self.pairs.grade(at, starts[index]).value == MISFIT
        return broken * BROKEN_SHARE < max(seen, 1)

    def _header_at(self, index: int) -> int:
        """Return where the header of a number starts; -1 if it cannot be read."""
        headers = self._headers
        if 0 <= index < len(self._front):
            return self._front[index]
        index -= self._count - len(headers.back)
        return headers.back[index] if 0 <= index < len(headers.back) else -1

    def _entry_at(self, index: int, *, from_end: bool) -> int:
        entries = self._entries
        if not from_end:
            return entries.front[index] if 0 <= index < len(entries.front) else -1
        index -= self._count - len(entries.back)
        return entries.back[index] if 0 <= index < len(entries.back) else -1

    # --- from both ends ---

    def _grade(self, index: int, *, from_end: bool) -> Grade:
        toc = self._header_at(index)
        data = self._entry_at(index, from_end=from_end)
        if toc < 0 or data < 0:
            return Grade(TORN)
        # As many as there are: the number that a damaged level says may be any.
        starts = self._entries.back if from_end else self._entries.front
        known = self._known[from_end]
        if not known:
            known += bytes(len(starts))
        at = index - self._count + len(starts) if from_end else index
        if known[at] == 0:
            grade = self.pairs.grade(toc, data)
            known[at] = 1 + grade.value + 8 * grade.said + 64 * grade.is_odd
        packed = known[at] - 1
        return Grade(packed % 8, packed // 8 % 8, is_odd=packed >= 64)

    def _both_ends(self) -> tuple[int, int]:
        """Return how many entries are certain from the start, and how many up to the end."""
        entries = self._entries
        count = self._count
        front = min(len(entries.front), count)
        back = min(len(entries.back), count)
        if entries.is_whole and len(entries.front) == count:
            return count, 0
        if entries.is_whole:
            return self._change(front, back)
        if not entries.is_torn:
            least = LOOSE if self._level.layout.entry_versions else WHOLE
            while front > 0 and self._grade(front - 1, from_end=False).value < least:
                front -= 1
            if front > 0 and self._grade(front - 1, from_end=False).value < EXACT:
                front -= 1  # its size may be what is wrong
        return front, back

    def _change(self, front: int, back: int) -> tuple[int, int]:
        """Find where entries are missing, too many, or taken in by the size of another: one place explains all.

        Before it, entries are counted from the start, after it from the end. It is after the last pair that does not fit if it is
        counted from the end, and before the first one that does not if it is counted from the start.
        """
        count = self._count
        missing = count - len(self._entries.front)
        first = 0
        while first < front and self._grade(first, from_end=False).value != MISFIT:
            first += 1
        last = count - 1
        while last >= count - back and self._grade(last, from_end=True).value != MISFIT:
            last -= 1
        for index in range(max(last - missing, 0), min(first + 1, front)):
            if missing > 0 and self.pairs.covers(self._header_at(index), self._entry_at(index, from_end=False), missing):
                return index, count - index - missing - 1
        low = max(last + 1 - max(missing, 0), 0)
        high = first
        for index in range(count):  # what is bound belongs together
            if index < front and self._grade(index, from_end=False).is_bound:
                low = max(low, index + 1)
            if index >= count - back and self._grade(index, from_end=True).is_bound:
                high = min(high, index - max(missing, 0))
        if low <= high:
            if missing < 0:
                # Or the size of one leaves out what looks like entries.
                low -= low > 0 and self._grade(low - 1, from_end=False).value < EXACT
                high += high == first < front and self._said(first, from_end=False) != MISFIT
            return low, max(count - high - max(missing, 0), 0)
        # More than one fault: only what is between anchors, and as far as these reach.
        front = min(first, low)
        while front > 0 and not self._grade(front - 1, from_end=False).is_bound:
            front -= 1
        if front > 0 and self._grade(front - 1, from_end=False).value < EXACT:
            front -= 1  # it names its header, but its size may be what is wrong
        start = max(max(high, front - 1) + max(missing, 0), last) + 1  # no entry is given to two headers
        while start < count and not self._grade(start, from_end=True).is_bound:
            start += 1
        return front, max(count - start, 0)

    def _doubts(self) -> set[int]:
        """Return which pairs are doubtful though all sizes lead to the ends, and as many records as there should be.

        Where an entry is a bare size, a few zeros look like one, and make up for another that a wrong size covers. So what does
        not fit, and is followed by another one that does not, may not end where it seems to. If bytes of the level are missing,
        or too many, the last one need not end where it does.
        """
        level = self._level
        count = self._count
        if level.is_doubtful:
            return {count - 1} if count and self._grade(count - 1, from_end=False).value < EXACT else set()
        if level.layout.entry_versions:
            return set()
        misfits = {index for index in range(count) if self._grade(index, from_end=False).value == MISFIT}
        loose = {index - 1 for index in misfits if index and self._grade(index - 1, from_end=False).value in {MISFIT, LOOSE}}
        doubts = {index for index in misfits if index - 1 in loose or index + 1 in misfits}
        doubts |= {index for index in loose if index + 1 in doubts}
        if any(self.pairs.is_small(self._entries.front[index]) for index in doubts):
            doubts = set(range(min(doubts), max(misfits) + 1))
        return doubts

    # --- pairs of both ---

    def _runs(self, front: int, back: int) -> list[Run]:
        """Return the pairs of which header and entry are known, without those that anchors doubt."""
        count = self._count
        headers = self._headers
        if headers.is_whole:
            spans = [(0, count)]
        else:
            known = len(self._front)
            after = max(count - len(headers.back), known)
            if known and not headers.is_torn:
                after += after == known  # the damage is in the last one from the start, or the first one up to the end
                # Its length may be what is wrong; others than those of actors end with a text.
                takes_next = len(headers.back) > 0 and headers.front_end > headers.back[0]
                known -= takes_next or self.pairs.is_actor_at(self._front[-1])
            spans = [(0, known), (after, count)]
        is_paired = self._entries.is_whole and len(self._entries.front) == count
        is_broken = not (headers.is_whole or headers.is_torn) or self._level.is_doubtful or self._is_miscounted
        self._is_damaged = not is_paired or is_broken
        self._has_only_holes = not is_broken and (is_paired or self._entries.is_torn)
        doubts = self._doubts() if is_paired else set()
        if self._level.missing and self._is_of_several(is_paired=is_paired):
            doubts = {index for index in range(count) if not self._is_bound(index, count - back)}
        runs: list[Run] = []
        for low, high in spans:
            for start, end, from_end in ((0, front, False), (max(count - back, front), count, True)):
                first, last = max(low, start), min(high, end)
                while first < last:
                    end = min([index for index in doubts if first <= index < last], default=last)
                    runs += self._anchored(first, end, from_end=from_end)
                    first = end + 1
        return runs

    def _is_of_several(self, *, is_paired: bool) -> bool:
        """Return whether the sizes of the objects and of the save are wrong by numbers that no single change explains.

        One that adds bytes, or takes some away, changes both by as many, and leaves another number of entries.
        """
        entries = self._entries
        cursor = self._level.cursor()
        cursor.set_limit(NO_LIMIT)
        cursor.seek(self._data_start - self._level.layout.blob.size)
        if entries.end < 0 or self._level.layout.blob_size is None:
            return False
        try:
            missing = self._level.layout.blob_end(cursor) - entries.end
        except SaveError:
            return False
        return missing != 0 and (is_paired or missing != self._level.missing)

    def _is_bound(self, index: int, back: int) -> bool:
        """Return whether a pair, counted from the end from `back` on, names itself."""
        return self._grade(index, from_end=index >= back).is_bound

    def _said(self, index: int, *, from_end: bool) -> int:
        """Return what a pair says of itself: by the start of its entry or, if the level is damaged anyway, by all of it."""
        if not self._is_damaged:
            return self.pairs.evidence(self._header_at(index), self._entry_at(index, from_end=from_end))
        grade = self._grade(index, from_end=from_end)
        if grade.is_odd and self._has_only_holes:
            return NEUTRAL
        return MISFIT if grade.value == MISFIT else grade.said

    def _anchored(self, first: int, last: int, *, from_end: bool) -> list[Run]:
        """Return a run of pairs, without those around one that another header claims: up to the anchors on both sides."""
        kept: list[tuple[int, int]] = []
        start = first
        bound = first
        is_open = False
        for index in range(first, last):
            said = self._said(index, from_end=from_end)
            if said == BOUND:
                if is_open:
                    start = index
                    is_open = False
                bound = index + 1
            elif said == MISFIT and not is_open:
                if bound > start:
                    kept.append((start, bound))
                is_open = True
            elif said == STRANGER and not is_open:
                kept.append((start, index))
                start = bound = index + 1
        if not is_open:
            kept.append((start, last))
        entries = self._entries
        starts = entries.back if from_end else entries.front
        before = self._count - len(starts) if from_end else 0
        end = entries.end if from_end else entries.front_end
        return [Run(low, self._header_at(low), starts, low - before, end, high - low) for low, high in kept if low < high]


def make_plan(level: LevelBytes, data_start: i64 = -1) -> Plan:
    """Find out which headers and entries of a level are certain, and belong to each other.

    Args:
        level: what is known of it.
        data_start: where its first entry starts, if that is known without its headers.
    """
    return Planner(level).plan(data_start)


def likely_version(level: LevelBytes) -> int:
    """Guess the SaveVersion of a streaming level whose tail cannot be read: its headers have changed only once.

    Returns:
        That of the save, or an older one.
    """
    version = level.version
    for likely in (version, SAVE_VERSION_OBJECT_FLAGS - 1):
        level.version = likely
        headers = HeaderRecords(level)
        is_whole = headers.forward(level.content, level.count, least=level.count)[2]
        level.version = version
        if is_whole or headers.is_torn:
            return likely
        if version < SAVE_VERSION_OBJECT_FLAGS:
            break
    return version
