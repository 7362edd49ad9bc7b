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

The module is long because headers and entries can only be found and paired together.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from streamsave._native import i64
from streamsave.decode.cursor import Cursor, is_torn
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, StructEnter
from streamsave.formats.satisfactory.lightweight import holds_instances
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import LEAST_HEADER, NAMES, ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import COMPONENT_LIST_SIZE, ObjectWalker, unknown_trailer
from streamsave.formats.satisfactory.trailers import find_trailer, has_component_list
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.pool import NONE
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.recovery.chains import MANY, Records
from streamsave.recovery.satisfactory_records import LEAST_OBJECT, EntryRecords, HeaderRecords, LevelBytes, may_start

__all__ = [
    "Plan",
    "find_headers",
    "leads_through",
]

#: How well an entry fits a header: not; as an object that does not end as others of its class; as far as it can be read; but for
#: bytes that nothing explains; from start to end; and it would not with another size.
MISFIT: Final = 0
UNLIKE: Final = 1
TORN: Final = 2
LOOSE: Final = 3
WHOLE: Final = 4
EXACT: Final = 9

#: What the start of an entry says of its header, beside `MISFIT` and `TORN`: nothing; it names this one; it names one that is not
#: there (either of them is damaged, or the header is gone); it is not how an object starts.
NEUTRAL: Final = 5
BOUND: Final = 6
STRANGER: Final = 7
ODD: Final = 8

#: The fewest bytes of an object that mods write.
LEAST_PART: Final = 9
#: What the type of a property ends with.
PROPERTY: Final = "Property"


class Run(NamedTuple):
    """Pairs that follow each other."""

    #: The number of the first one; -1 if that is not known.
    number: int
    #: Where its header starts.
    toc: int
    #: Where their entries start, and where the last one ends.
    entries: array[int]


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
        #: The chunk, or the end of the stream, that cannot be read where those from the start end.
        self.torn = None if self.is_whole else records.torn
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


class ObjectReader(UnrealReader):
    """Reads objects of one level and gives no events, to find out whether bytes are an object.

    Args:
        cursor: any place in the stream.
        build_version: as for `ObjectWalker`.
        entries, ue5_version: of the level, as for `ObjectWalker.begin_level`.
    """

    def __init__(self, cursor: Cursor, build_version: int, entries: ObjectEntryCodec, ue5_version: int) -> None:
        super().__init__(cursor, Dialect())
        self.options.as_values = True
        self._header: ObjectHeader | None = None
        self._objects = ObjectWalker(build_version)
        self._objects.begin_level(entries, ue5_version)
        self._limit: i64 = cursor.limit()
        #: Where the bytes start that the class of the last object does not explain; -1 if there are none.
        self.left_over: i64 = -1

    def events(self) -> Iterator[Event]:
        header = self._header
        return iter(()) if header is None else self._objects.content(self, header)

    def grade(self, header: ObjectHeader) -> int:
        """Walk an object from its start to its end; return how well its bytes fit: `MISFIT` to `WHOLE`, or `EXACT`."""
        self.abandon()
        self.list_end = -1
        self._outer = None
        self._inner = None
        self._header = header
        self.left_over = -1
        objects = self._objects
        objects.left = 0
        cursor = self.cursor
        cursor.fault = None
        cursor.set_limit(self._limit)
        cursor.seek(header.data_offset)
        has_trailer = False  # it may be any bytes
        try:
            for event in iter(self.next_event, None):
                if isinstance(event, BlobSkip) and event.reason == unknown_trailer(header):
                    self.left_over = event.offset
                has_trailer = has_trailer or (isinstance(event, (Field, StructEnter)) and event.name == "trailer")
        except SaveError as error:
            return TORN if is_torn(cursor, error) else MISFIT
        finally:
            self.close()
        is_whole = self.left_over < 0 and (has_trailer or self.list_end >= 0)
        needed = COMPONENT_LIST_SIZE if has_component_list(header.class_name, header.save_version) else 0
        if holds_instances(header.class_name) or find_trailer(header.save_version, header.class_name) is not None:
            return WHOLE if is_whole and has_trailer else UNLIKE
        if needed and not (is_whole and objects.left == needed):
            return UNLIKE
        return LOOSE if not is_whole else WHOLE if has_trailer or objects.left != needed else EXACT


class PairReader:
    """Reads pairs of one level.

    Args:
        level: what is known of it.
        headers: where headers of it start.
        knows_all: these are all.
    """

    def __init__(self, level: LevelBytes, headers: array[int], *, knows_all: bool) -> None:
        cursor = level.cursor()
        reader = level.reader
        self._level = level
        self._budget = level.budget
        self._toc = cursor
        self._data = cursor.fork()
        self._inside = cursor.fork()
        self._limit: i64 = cursor.limit()
        self._version = level.version
        self._headers = ObjectHeaderCodec(level.version)
        self._entries = level.layout.entries(level.version)
        self._objects = ObjectReader(cursor.fork(), reader.build_version, self._entries, level.ue5_version)
        self._places = headers
        self._knows_all = knows_all
        #: Hashes of the names of the level's objects, once they are asked for.
        self._names: set[int] = set()

    def header(self, toc_at: i64) -> ObjectHeaderCodec:
        """Return what has the header at an offset, until the next one is read."""
        self._toc.seek(toc_at)
        self._headers.decode(self._toc)
        return self._headers

    def leftovers(self, toc_at: i64, data_at: i64) -> i64:
        """Return where what an object leaves of the size of its own entry starts, after its version data; -1 for none."""
        objects = self._objects
        objects.left_over = -1
        self.grade(toc_at, data_at)
        if objects.left_over < 0:
            return -1
        self._data.seek(objects.left_over)
        try:
            self._entries.read_ue5_version(self._data, self._entries.save_version)
        except SaveError:
            return -1
        return self._data.tell()

    def grade(self, toc_at: i64, data_at: i64) -> int:
        """Return how well the entry at one offset fits the header at another."""
        said = self.evidence(toc_at, data_at)
        entries = self._entries
        if said == TORN:
            return TORN
        if said == MISFIT or entries.size < LEAST_OBJECT:
            return MISFIT
        self._budget.spend(entries.size)
        return self._objects.grade(
            self._headers.event(
                entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags
            )
        )

    def evidence(self, toc_at: i64, data_at: i64) -> int:
        """Return what the start of an entry says of a header: `MISFIT`, `TORN`, `NEUTRAL`, `BOUND`, `STRANGER` or `ODD`."""
        toc = self._toc
        data = self._data
        headers = self._headers
        entries = self._entries
        toc.fault = None
        data.fault = None
        toc.seek(toc_at)
        data.seek(data_at)
        try:
            headers.decode(toc)
            if not may_start(self._level, data) or not entries.read(data):
                return MISFIT
        except SaveError as error:
            return TORN if is_torn(toc, error) or is_torn(data, error) else MISFIT
        if entries.size < LEAST_PART:
            return ODD
        inside = self._inside
        start = entries.data_offset
        inside.set_limit(min(start + entries.size, self._limit))
        inside.seek(start)
        try:
            if headers.is_actor:
                return self._of_actor(headers.instance_name, inside)
            if is_list(inside, start) or is_list(inside, start + 1):
                return NEUTRAL
            inside.seek(start)
            self._of_actor("", inside)
            end = inside.tell()
            return MISFIT if is_list(inside, end) or is_list(inside, end + 1) else ODD
        except SaveError:
            return MISFIT if headers.is_actor and (is_list(inside, start) or is_list(inside, start + 1)) else ODD

    def _of_actor(self, name: str, data: Cursor) -> int:
        """Return what the references before the properties of an actor say of a name.

        Raises:
            SaveError: they are none.
        """
        level = data.name()
        if (level == "") != (data.string_once() == ""):
            raise data.damaged("half a reference")
        prefix = name + "."
        claimed = ""
        is_own = False
        for _ in range(data.count(REFERENCE.least)):
            data.name()
            path = data.string_once()
            if path.startswith(prefix):
                is_own = True
            elif claimed == "":
                claimed = path.rpartition(".")[0]
        if is_own:
            return BOUND
        if claimed == "":
            return NEUTRAL
        if self._has_object(claimed):
            return MISFIT
        return STRANGER if claimed.rpartition(".")[0] == name.rpartition(".")[0] != "" else NEUTRAL

    def _has_object(self, name: str) -> bool:
        """Return whether the level has an object of that name."""
        if not self._knows_all:
            return True
        if not self._names:
            cursor = self._toc.fork()
            headers = ObjectHeaderCodec(self._version)
            for at in self._places:
                cursor.seek(at)
                headers.decode(cursor)
                self._names.add(hash(headers.instance_name))
        return hash(name) in self._names


class Pairing:
    """Pairs the headers of a level with its entries, by their numbers.

    Args:
        level: what is known of it.
        headers: its headers.
        start: where its first entry starts.
    """

    def __init__(self, level: LevelBytes, headers: Sequence, start: i64) -> None:
        self._level = level
        self._has_versions = level.layout.entry_versions
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
            self._has_hole = entries.torn is not None
            entries.search(start, self._accepts)
            both = len(entries.front) + len(entries.back) - self._count
            if both > 0 and not entries.is_whole:
                entries.back = entries.back[both:]  # a number that both ends claim is certain of neither
        self._records = records
        self.entries = entries
        if entries.is_whole and self._count != len(entries.front):
            is_paired = headers.is_whole and len(headers.front) == len(entries.front) in {level.count, level.data_count}
            self._count = len(entries.front) if is_paired and not level.missing else MANY
        if headers.is_whole and entries.is_whole and level.missing > 0 > level.data_end and level.layout.blob_size is not None:
            self._count = MANY  # the level, by its sizes, and the save lack bytes: those of whole headers and entries, perhaps
        #: Numbers or sizes contradict each other: pairs that do not fit may be those of other numbers.
        self._is_suspect = self._count >= MANY or level.missing != 0 or not (entries.is_whole or entries.torn)

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
        if not headers.is_whole and not headers.torn and not level.is_orphaned:
            both = len(headers.back) > 0 and headers.back[0] < headers.front_end + LEAST_HEADER
        if front and not headers.is_whole and not headers.torn:
            # Its length may be what is wrong; others than those of actors end with a text. And if too little for a header is
            # between both ends, or they overlap, the header before that place or the one after it has other bytes.
            front -= both or self._pairs.header(headers.front[-1]).is_actor
        header_spans = [(0, min(front, count - len(headers.back))), (count - len(headers.back) + both, count)]
        front = min(len(entries.front), count)
        back = min(len(entries.back), count)
        is_broken = not entries.is_whole and not entries.torn
        if is_broken:
            least = LOOSE if self._has_versions else WHOLE
            if not self._has_versions:  # any bytes look like a size
                front = min([index for index in range(front) if self._grade(index) <= UNLIKE], default=front)
            while front > 0 and self._grade(front - 1) < least:
                front -= 1
        # If the save lacks bytes, one of two lost headers may be missing elsewhere: only one of them need be where they break.
        # The same holds for any, if the first ones are lost with the start of the level; then bytes that were put in may make up
        # for it. And where there are too many, both ends have to say the same of a number.
        lost = count - len(headers.front) - len(headers.back)
        is_short = level.missing != 0 if level.is_orphaned else level.missing > 0 and lost == 2
        if lost < 0 < len(headers.back) <= count:
            name = self._pairs.header(headers.front[count - len(headers.back)]).instance_name
            is_short = name != self._pairs.header(headers.back[0]).instance_name
        is_doubtful = (
            count >= MANY or level.is_open or (is_short and not headers.is_whole) or (is_broken and self._is_of_several())
        )
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
        ends = [*entries[1:], self.entries.front_end]
        first = len(entries) - 1
        while first > 0 and self._pairs.evidence(headers[first], entries[first]) != BOUND:
            first -= 1
        for index in range(max(first, 0), len(entries)):
            at = self._pairs.leftovers(headers[index], entries[index])
            for _ in range(missing):
                at = self._records.step(at) if at >= 0 else -1
            if at == ends[index]:
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
            if self._said(index) == ODD and self._grade(index) <= UNLIKE and self._grade(index - 1) < WHOLE
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
                run = starts[at : at + high - low + 1]
                if len(run) == high - low:
                    run.append(end)
                runs.append(Run(index, self._headers.at(low, self._count), run))
        return runs


class Plan:
    """Which pairs of a level are certain.

    Args:
        level: what is known of it.
    """

    def __init__(self, level: LevelBytes) -> None:
        self.headers = headers = find_headers(level)
        records = headers.records
        assert isinstance(records, HeaderRecords)  # noqa: S101 - they are
        self.runs: list[Run] = []
        #: Where its objects start, with their size and number; -1 if that is not known, and so no pair is certain.
        self.toc_end = int(records.blob)
        #: Where the last header ends.
        self.headers_end = headers.end if headers.end >= 0 else self.toc_end
        #: Where the first entry starts, and the last one ends; -1 if it is not known.
        self.data_start = self.toc_end + int(level.layout.blob.size)
        self.data_end = int(level.data_end)
        #: Its entries, as far as they are known.
        self.entries: Sequence | None = None
        #: How many objects the level has; -1 if that is not certain.
        self.count = -1
        if self.toc_end >= 0:
            if level.data_count < 0:
                level.data_count = stated_count(level, self.data_start)
            pairing = Pairing(level, headers, self.data_start)
            self.entries = pairing.entries
            self.runs, self.count = pairing.runs()
            if self.data_end < 0:
                self.data_end = pairing.entries.end

    def header_starts(self, begin: int, end: int) -> list[int]:
        """Return where headers start between two offsets, as far as these are known."""
        found: list[int] = []
        for starts in (self.headers.front, self.headers.back):
            found += starts[bisect_left(starts, begin) : bisect_left(starts, end)]
        return sorted(set(found))


def find_headers(level: LevelBytes) -> Sequence:
    """Find the headers of a level; a streaming level may be older than the save if its tail cannot be read."""
    if level.is_orphaned:
        headers = Sequence(HeaderRecords(level), level.content, 0)
    else:
        version = level.version
        headers = Sequence(HeaderRecords(level, strict=level.count < 0), level.content, level.count)
        for row in reversed(NAMES):  # before each version that changed headers
            if 0 < row.first <= version and not headers.is_whole and not level.is_last and level.data_end < 0:
                level.version = row.first - 1
                headers = Sequence(HeaderRecords(level, strict=level.count < 0), level.content, level.count)
        if not headers.is_whole:
            level.version = version
            headers = Sequence(HeaderRecords(level), level.content)
    headers.search(level.content, lambda _at, _left: True)
    # More than one: the header of an actor ends with a bool, so a 1 before the last header is no number of headers.
    if level.is_orphaned and 1 < len(headers.back) == stated_count(level, headers.back[0]):
        level.count = len(headers.back)  # its start is there, but says another number than its objects have
    return headers


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
        and EntryRecords(level, strict=False).forward(level.toc_end + level.layout.blob.size, level.count, least=level.count)[2]
    )


def is_list(data: Cursor, start: i64) -> bool:
    """Return whether a property list starts at an offset."""
    data.seek(start)
    try:
        name = data.name()
        return name == NONE or (name != "" and data.name().endswith(PROPERTY))
    except SaveError:
        return False
