"""The headers and entries of a damaged level of Satisfactory, and which of them belong to each other.

| idea | here |
|---|---|
| chain | headers, and entries, follow each other without marks, up to an end that what follows them confirms |
| from both ends | what is before the damage is counted from the start, what is after it from the end |
| anchor | the entry of an actor names its components, and so its header |

If all records lead to their ends, and are as many, all are paired. Else those before the damage and after it are, but for the
last one before it, whose length may be what is wrong. If the numbers of headers and of entries differ, in what the level says of
them or in what there is, some are missing or too many, and nothing shows where: only what is before the last anchor from the
start, or after the first one up to the end, is certain. Everything else is lost.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import REFERENCES, LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.object_header import LEAST_HEADER, ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import is_torn
from streamsave.formats.satisfactory.versions import SAVE_VERSION_NEWEST, SAVE_VERSION_OBJECT_FLAGS
from streamsave.input.windows import Windows
from streamsave.recovery.chains import STEP, Budget
from streamsave.recovery.satisfactory_objects import (
    BOUND,
    EXACT,
    LEAST_OBJECT,
    LOOSE,
    MISFIT,
    NEUTRAL,
    ODD,
    STRANGER,
    UNLIKE,
    WHOLE,
    LevelBytes,
    PairReader,
)

__all__ = [
    "LevelRecords",
    "Plan",
    "ends_level",
    "find_headers",
    "leads_through",
    "make_plan",
    "places",
]

#: The fewest bytes of a reference: two empty strings.
LEAST_REFERENCE: Final = 8
#: More records than any level has.
MANY: Final = 1 << 20
#: What searches cost, in bytes: a byte in which a pattern is looked for, a string that is skipped, a fault.
SCAN: Final = 2
STRING: Final = 8
FAULT: Final = 1024
#: No name of a level has as many characters.
LONGEST_NAME: Final = 1024
#: The fewest bytes of a level: its name, and the sizes and numbers of both blobs.
LEAST_LEVEL: Final = 22
#: The bytes of an i64.
LONG: Final = 8
#: Bytes. No pattern looks further ahead.
WIDEST: Final = 32

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
        return self.cursor.tell() if self._holds(at, self.read) else -1

    def is_end(self, at: i64) -> bool:
        """Return whether the records end at an offset."""
        return self._holds(at, self.ends)

    def _holds(self, at: i64, ask: Callable[[], bool]) -> bool:
        cursor = self.cursor
        cursor.fault = None
        cursor.seek(at)
        self.is_torn = False
        strings = cursor.skipped_strings
        try:
            return ask()
        except SaveError as error:
            self.is_torn = is_torn(cursor, error)
            self._budget.spend(FAULT)
            return False
        finally:
            self._budget.spend(STEP + STRING * (cursor.skipped_strings - strings))

    def forward(self, at: i64, most: i64, *, least: i64 = 0) -> tuple[array[int], int, bool]:
        """Return where records start from an offset on, where the last one ends, and whether they end there indeed.

        There are `least` to `most`. Other bytes may look like an end: it is the last one that can be reached.
        """
        starts = array("q")
        ends = -1
        end_at = -1
        while True:
            is_torn_end = False
            if len(starts) >= least:
                if self.is_end(at):
                    ends = len(starts)
                    end_at = int(at)
                is_torn_end = self.is_torn
            following = self.step(at) if len(starts) < most else -1
            if following < 0:
                self.is_torn |= is_torn_end
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

    def count(self, at: i64) -> i64:
        """Count the records from an offset to the end; -1 if they break off."""
        passed: list[int] = []
        ends = -1
        left = 0
        while at >= 0:
            left = self._left.get(int(at), -1)
            if left >= 0:
                ends = len(passed)
                break
            if at in self._dead or not self._budget.spend(0):
                break
            if self.is_end(at):
                ends = len(passed)
            passed.append(int(at))
            at = self.step(at)
        left = max(left, 0)
        for index, place in enumerate(passed):
            if index <= ends:
                self._left[place] = left + ends - index
            else:
                self._dead.add(place)
        return ends + left if ends >= 0 else -1


class HeaderRecords(Records):
    """The headers of a level, up to its objects, or to a copy of its destroyed actors before these."""

    def __init__(self, level: LevelBytes, *, strict: bool = True) -> None:
        super().__init__(level.cursor(), HEADER, level.save.budget)
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
        if level.toc_end < 0 and starts_objects(level, start):
            self.blob = start
            return True
        if start == level.toc_end or self._destroyed is None or cursor.i32() > cursor.remaining() // LEAST_REFERENCE:
            return start == level.toc_end
        cursor.seek(start)
        self._destroyed.measure(cursor, level.save.reader)
        end = cursor.tell()
        if level.toc_end >= 0:
            return end == level.toc_end
        if starts_objects(level, end):
            self.blob = end
            return True
        return False


class EntryRecords(Records):
    """The entries of a level. `level.data_end` is where they end; -1: where the tail takes what is left of the level."""

    def __init__(self, level: LevelBytes, *, strict: bool = True) -> None:
        layout = level.save.layout
        super().__init__(level.cursor(), VERSIONED_ENTRY if layout.entry_versions else BARE_ENTRY, level.save.budget)
        if level.data_end >= 0:
            self.cursor.set_limit(level.data_end)
        self._level = level
        self._least: i64 = LEAST_OBJECT if strict else 0
        self._entries = layout.entries(level.version)

    def read(self) -> bool:
        entries = self._entries
        cursor = self.cursor
        if not entries.read(cursor, strict=True) or entries.size < self._least:
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
        cursor = self._level.cursor()
        cursor.seek(at)
        try:
            return self._level.save.layout.entry_versions and 0 < cursor.i32() <= SAVE_VERSION_NEWEST and 0 <= cursor.i32() <= 1
        except SaveError:
            return False

    def ends(self) -> bool:
        level = self._level
        if level.data_end >= 0:
            return self.cursor.tell() == level.data_end
        return level.limit < NO_LIMIT and not level.is_open and ends_level(level, self.cursor)


class LevelRecords(Records):
    """Streaming levels, up to the persistent level, which has no name. What is tried often raises no error."""

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
        """Return where the blob at the cursor ends, whose size is passed over; -1 if there is none."""
        cursor = self.cursor
        width = self._layout.blob.size - 4
        if cursor.remaining() < width + 4:
            return -1
        size = cursor.i64() if width == LONG else cursor.i32()
        if size < 4 or size > cursor.remaining():
            return -1
        return cursor.tell() + size


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


def ends_save(tail: Struct, cursor: Cursor, context: BuildContext) -> bool:
    """Return whether a tail, and perhaps the list of unresolved destroyed actors, take all that is left."""
    tail.measure(cursor, context)
    if cursor.remaining() > 0:
        REFERENCES.measure(cursor, context)
    return cursor.remaining() == 0


def ends_level(level: LevelBytes, cursor: Cursor) -> bool:
    """Return whether the tail of a level takes all of it that is left; the persistent level may have one more list after it."""
    layout = level.save.layout
    reader = level.save.reader
    if level.is_last and layout.blob_size is not None and layout.tail.names:
        return ends_save(level.tail, cursor, reader)
    level.tail.measure(cursor, reader)
    return cursor.remaining() == 0


def starts_objects(level: LevelBytes, at: i64) -> bool:
    """Return whether the blob of a level's objects starts at an offset: its number, its first entry or its end confirm it."""
    layout = level.save.layout
    cursor = level.cursor()
    cursor.seek(at + layout.blob.size - 4)
    try:
        count = cursor.i32()
        entries = EntryRecords(level)
        if count <= 0:
            return False
        first = cursor.tell()
        if count == level.count and (entries.step(first) >= 0 or entries.is_torn):
            return True  # the size of all entries may be wrong
        if level.limit >= NO_LIMIT:
            return False
        if layout.blob_size is None:  # nothing but the entries themselves confirms it
            return entries.forward(first, count, least=count)[2]
        cursor.seek(at)
        cursor.seek(layout.blob_end(cursor))
        return ends_level(level, cursor)
    except SaveError:
        level.save.budget.spend(FAULT)
        return False


# --- pairs ---


class Run:
    """Pairs that follow each other.

    Args:
        index: the number of the first one; -1 if that is not known.
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
    """The records of a level as far as they are known: from its start, and up to its end.

    Args:
        records: steps through them.
        start: where the first one starts.
        count: how many there are; -1: any number.
    """

    def __init__(self, records: Records, start: i64, count: i64 = -1) -> None:
        self.records = records
        self.front, self.front_end, self.is_whole = records.forward(start, count if count >= 0 else MANY, least=count)
        self.is_torn = records.is_torn and not self.is_whole
        self.back = self.front if self.is_whole else array("q")
        #: Where the last record ends; -1 if it is not known.
        self.end = self.front_end if self.is_whole else -1

    def at(self, index: int, count: int) -> int:
        """Return where the record of a number starts, of so many; -1 if that is not known."""
        at = index - count + len(self.back)
        if at >= 0:
            return self.back[at] if at < len(self.back) else -1
        return self.front[index] if 0 <= index < len(self.front) else -1

    def search(self, start: i64, accepts: Callable[[int, int], bool]) -> None:
        """Look for the records up to the end, after the last one from the start, whose size may be wrong."""
        if self.is_whole:
            return
        begin = self.front[-1] + 1 if self.front else start
        place = self.records.first(begin, lambda at, left: left > 0 and accepts(at, left))
        if place >= 0:
            self.back, self.end, _ = self.records.forward(place, MANY)


class Plan:
    """Which pairs of a level are certain.

    Args:
        level: what is known of it.
        headers: its headers.
        toc_end: where its objects start, with their size and number; -1 if that is not known, and so no pair is certain.
    """

    def __init__(self, level: LevelBytes, headers: Sequence, toc_end: int) -> None:
        self.headers = headers
        self.runs: list[Run] = []
        self.toc_end = toc_end
        #: Where the last header ends.
        self.headers_end = headers.end if headers.end >= 0 else toc_end
        #: Where the first entry starts, and the last one ends; -1 if it is not known.
        self.data_start = toc_end + int(level.save.layout.blob.size)
        self.data_end = -1
        #: Where its entries break off: an offset, and whether that is in a chunk that cannot be read.
        self.entries_break = -1
        self.is_torn = False
        #: How many objects the level has; -1 if that is not certain.
        self.count = -1

    def header_starts(self, begin: int, end: int) -> list[int]:
        """Return where headers start between two offsets, as far as these are known."""
        found: list[int] = []
        for starts in (self.headers.front, self.headers.back):
            found += starts[bisect_left(starts, begin) : bisect_left(starts, end)]
        return sorted(set(found))


class Pairing:
    """Pairs the headers of a level with its entries, by their numbers.

    Args:
        level: what is known of it.
        headers: its headers.
        start: where its first entry starts.
    """

    def __init__(self, level: LevelBytes, headers: Sequence, start: i64) -> None:
        self._level = level
        self._has_versions = level.save.layout.entry_versions
        self._headers = headers
        self._pairs = PairReader(level, headers.front, knows_all=headers.is_whole)
        known = {int(level.count), int(level.data_count), len(headers.front) if headers.is_whole else -1} - {-1}
        #: How many objects there are; `MANY` if that is not certain: then records are counted from both ends, but never meet.
        self._count = known.pop() if len(known) == 1 else MANY
        #: A chunk that cannot be read ends the entries from the start: no size is known to be wrong.
        self._has_hole = False
        is_doubtful = level.stated_end >= 0 or (level.data_end < 0 and level.missing != 0)
        records = EntryRecords(level, strict=is_doubtful)
        entries = Sequence(records, start, len(headers.front) if headers.is_whole else level.data_count)
        if not entries.is_whole:  # mods may write smaller objects, but a few zeros are none
            records = EntryRecords(level)
            entries = Sequence(records, start)
            self._has_hole = entries.is_torn
            entries.search(start, self._accepts)
            both = len(entries.front) + len(entries.back) - self._count
            if both > 0 and not entries.is_whole:
                entries.back = entries.back[both:]  # a number that both ends claim is certain of neither
        self._records = records
        self.entries = entries
        if entries.is_whole and self._count != len(entries.front):
            is_paired = headers.is_whole and len(headers.front) == len(entries.front) in {level.count, level.data_count}
            self._count = len(entries.front) if is_paired and not level.missing else MANY
        if headers.is_whole and entries.is_whole and level.missing > 0 and level.stated_end >= 0:
            self._count = MANY  # the level and the save lack bytes: those of whole entries, perhaps
        #: Numbers or sizes contradict each other: pairs that do not fit may be those of other numbers.
        self._is_suspect = self._count >= MANY or level.missing != 0 or not (entries.is_whole or entries.is_torn)

    def _accepts(self, place: int, left: int) -> bool:
        """Return whether entries from an offset to the end belong to the last headers, as far as the first one says so."""
        header = self._headers.at(self._count - left, self._count)
        if header < 0:
            return self._has_versions and left <= self._count
        if self._has_versions and self._has_hole:
            return self._pairs.evidence(header, place) != MISFIT
        return self._pairs.grade(header, place) >= (UNLIKE if self._has_hole else LOOSE if self._has_versions else WHOLE)

    def runs(self) -> tuple[list[Run], int]:
        """Return the pairs that are certain, in runs, and how many there are of all; -1 if that is not known."""
        level = self._level
        headers = self._headers
        entries = self.entries
        count = self._count
        number = len(headers.front) if headers.is_whole else count if count < MANY else -1
        if headers.is_whole and entries.is_whole and count < MANY:
            return self._anchored(0, count, self._doubts(), number), number
        taker = self._taker()
        if taker >= 0:
            after = count - len(entries.front) + taker + 1
            return self._anchored(0, taker, set(), number) + self._anchored(after, count, set(), number), number
        front = len(headers.front)
        both = False
        if not headers.is_whole and not headers.is_torn and not level.is_orphaned:
            both = len(headers.back) > 0 and headers.back[0] < headers.front_end + LEAST_HEADER
        if front and not headers.is_whole and not headers.is_torn:
            # Its length may be what is wrong; others than those of actors end with a text. And if too little for a header is
            # between both ends, or they overlap, the header before that place or the one after it has other bytes.
            front -= both or self._pairs.is_actor_at(headers.front[-1])
        header_spans = [(0, min(front, count - len(headers.back))), (count - len(headers.back) + both, count)]
        front = min(len(entries.front), count)
        back = min(len(entries.back), count)
        is_broken = not entries.is_whole and not entries.is_torn
        if is_broken:
            least = LOOSE if self._has_versions else WHOLE
            if not self._has_versions:  # any bytes look like a size
                front = min([index for index in range(front) if self._grade(index) <= UNLIKE], default=front)
            while front > 0 and self._grade(front - 1) < least:
                front -= 1
        is_doubtful = count >= MANY or level.is_open or (is_broken and self._is_of_several())
        if is_doubtful:
            front = min(front, len(headers.front))
            while front > 0 and self._said(front - 1) != BOUND:
                front -= 1
        if front and (is_broken or is_doubtful):  # the size of the last one may be what is wrong
            following = entries.front[front] if front < len(entries.front) else entries.front_end
            front -= self._grade(front - 1) < EXACT or (is_broken and not self._records.starts_at(following))
        for sequence in (headers, entries):
            if sequence.is_whole:
                back = min(back, len(sequence.front) - front)
        while is_doubtful and back > 0 and self._said(count - back) != BOUND:
            back -= 1
        runs: list[Run] = []
        for low, high in header_spans:
            for first, last in ((0, min(front, count - back)), (count - back, count)):
                runs += self._anchored(max(low, first), min(high, last), set(), number)
        return runs, number if count < MANY else -1

    def _taker(self) -> int:
        """Return the number of the object whose size takes in all entries that are missing; -1 if there is none."""
        headers = self._headers.front
        entries = self.entries.front
        missing = len(headers) - len(entries)
        if not (self._headers.is_whole and self.entries.is_whole and missing > 0):
            return -1
        if not {len(headers), -1} >= {int(self._level.count), int(self._level.data_count)}:
            return -1
        first = len(entries) - 1
        while first > 0 and self._pairs.evidence(headers[first], entries[first]) != BOUND:
            first -= 1
        for index in range(max(first, 0), len(entries)):
            if self._pairs.covers(headers[index], entries[index], missing):
                return index
        return -1

    def _is_of_several(self) -> bool:
        """Return whether no single change explains what is wrong.

        Some objects are neither before it nor after it, and no bytes are left for them; or the sizes of the last object before
        it, of all objects and of the save are wrong by different numbers.
        """
        level = self._level
        entries = self.entries
        if entries.back:
            more = entries.front_end - entries.back[0]
            if len(entries.front) + len(entries.back) < self._count:
                is_explained = more < 0 and (self._has_versions or not level.missing)
            else:
                is_explained = level.missing in {0, more}
            if not is_explained:
                return True
        return level.stated_end >= 0 <= entries.end and level.stated_end - entries.end not in {0, level.missing}

    def _grade(self, index: int) -> int:
        toc, data = self._headers.at(index, self._count), self.entries.at(index, self._count)
        return self._pairs.grade(toc, data) if toc >= 0 <= data else MISFIT

    def _said(self, index: int) -> int:
        toc, data = self._headers.at(index, self._count), self.entries.at(index, self._count)
        return self._pairs.evidence(toc, data) if toc >= 0 <= data else MISFIT

    def _doubts(self) -> set[int]:
        """Return which pairs are doubtful though all sizes lead to the ends, and as many records as there should be.

        Where an entry is a bare size, a few bytes look like one, and make up for another that a wrong size covers. Such an entry
        does not start like an object, and does not fit; and the one before it does not end where it seems to. If what follows
        the last one is not where it should be, its size may be wrong.
        """
        count = self._count
        bad = [
            index
            for index in range(1, 0 if self._has_versions else count)
            if self._said(index) in {ODD, MISFIT} and self._grade(index) <= UNLIKE and self._grade(index - 1) < WHOLE
        ]
        doubts = set(range(bad[0] - 1, bad[-1] + 1)) if bad else set()
        if bad:  # those up to the size that makes up for it are given the entries of others
            doubts |= set(range(bad[0], 1 + max([index for index in range(bad[0], count) if self._grade(index) <= UNLIKE])))
        if count and (self._level.stated_end >= 0 or self._level.missing) and self._grade(count - 1) < EXACT:
            doubts.add(count - 1)
        return doubts

    def _anchored(self, first: int, last: int, doubts: set[int], number: int) -> list[Run]:
        """Return a run of pairs, without those around one that another header claims: up to the anchors on both sides.

        Args:
            first: the first pair.
            last: the one after the last one.
            doubts: pairs that are lost.
            number: how many objects there are; -1 if that is not known.
        """
        unlike = {index for index in range(first, last) if self._is_suspect and self._grade(index) <= UNLIKE}
        kept: list[tuple[int, int]] = []
        start = bound = first
        is_open = False
        for index in range(first, last):
            said = STRANGER if index in doubts else self._said(index)
            if said == NEUTRAL and len(unlike) > 2 and index in unlike:  # one or two may be damaged, or odd
                said = MISFIT
            if said == BOUND:
                if is_open:
                    start = index
                    is_open = False
                bound = index + 1
            elif said == MISFIT and not is_open:
                kept.append((start, bound))
                is_open = True
            elif said == STRANGER and not is_open:
                kept.append((start, index))
                start = bound = index + 1
        if not is_open:
            kept.append((start, last))
        entries = self.entries
        runs: list[Run] = []
        for low, high in kept:
            if low < high:
                is_front = low < self._count - len(entries.back)
                starts, end = (entries.front, entries.front_end) if is_front else (entries.back, entries.end)
                at = low if is_front else low - self._count + len(entries.back)
                index = low if low < len(self._headers.front) else max(number - self._count + low, -1) if number >= 0 else -1
                runs.append(Run(index, self._headers.at(low, self._count), starts, at, end, high - low))
        return runs


def find_headers(level: LevelBytes) -> Sequence:
    """Find the headers of a level; a streaming level may be older than the save if its tail cannot be read."""
    if level.is_orphaned:
        headers = Sequence(HeaderRecords(level), level.content, 0)
    else:
        version = level.version
        headers = Sequence(HeaderRecords(level, strict=level.count < 0), level.content, level.count)
        if not headers.is_whole and not level.is_last and version > SAVE_VERSION_OBJECT_FLAGS and level.data_end < 0:
            level.version = SAVE_VERSION_OBJECT_FLAGS - 1  # headers have changed only once
            headers = Sequence(HeaderRecords(level, strict=level.count < 0), level.content, level.count)
            if not headers.is_whole:
                level.version = version
        if not headers.is_whole:
            headers = Sequence(HeaderRecords(level), level.content)
    headers.search(level.content, lambda _at, _left: True)
    # More than one: the header of an actor ends with a bool, so a 1 before the last header is no number of headers.
    if level.is_orphaned and 1 < len(headers.back) == stated_count(level, headers.back[0]):
        level.count = len(headers.back)  # its start is there, but says another number than its objects have
    return headers


def make_plan(level: LevelBytes) -> Plan:
    """Find out which headers and entries of a level are certain, and belong to each other."""
    headers = find_headers(level)
    records = headers.records
    assert isinstance(records, HeaderRecords)  # noqa: S101 - they are
    plan = Plan(level, headers, int(records.blob))
    if plan.toc_end >= 0:
        if level.data_count < 0:
            level.data_count = stated_count(level, plan.data_start)
        pairing = Pairing(level, headers, plan.data_start)
        entries = pairing.entries
        plan.runs, plan.count = pairing.runs()
        plan.data_end = int(level.data_end) if level.data_end >= 0 else entries.end
        plan.entries_break = entries.front_end
        plan.is_torn = entries.is_torn
    return plan


def stated_count(level: LevelBytes, data_start: i64) -> i64:
    """Return how many entries a level says that it has; -1 if that cannot be read."""
    cursor = level.cursor()
    cursor.seek(data_start - 4)
    try:
        return max(cursor.i32(), -1)
    except SaveError:
        return -1


def leads_through(level: LevelBytes) -> bool:
    """Return whether all headers and entries of a level lead to the ends that it says."""
    return (
        0 <= level.count == level.data_count
        and HeaderRecords(level, strict=False).forward(level.content, level.count, least=level.count)[2]
        and EntryRecords(level, strict=False).forward(
            level.toc_end + level.save.layout.blob.size, level.count, least=level.count
        )[2]
    )
