"""What a header and an entry say of each other, and whether the bytes of an entry are the object of a header."""

from __future__ import annotations

from array import array
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import BROKEN, UNREADABLE, ObjectReader, is_torn
from streamsave.formats.satisfactory.objects import WHOLE as WHOLE_OBJECT
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.limits import Limits
from streamsave.recovery.chains import Budget

__all__ = ["BOUND", "EXACT", "LOOSE", "MISFIT", "NEUTRAL", "STRANGER", "TORN", "WHOLE", "Grade", "PairReader"]

#: How well an entry fits a header: not; as far as it can be read; but for bytes that nothing explains; from start to end; and it
#: would not with another size.
MISFIT: Final = 0
TORN: Final = 1
LOOSE: Final = 2
WHOLE: Final = 3
EXACT: Final = 4

#: What the start of an entry says of its header, beside `MISFIT`: nothing; it names this one; it cannot be read; it names one
#: that is not there: either of them is damaged, or the header is gone.
NEUTRAL: Final = 1
BOUND: Final = 2
TORN_PAIR: Final = 3
STRANGER: Final = 4

#: The fewest bytes of an object that is no actor.
LEAST_PART: Final = 9
NONE: Final = "None"
#: What the type of a property ends with.
PROPERTY: Final = "Property"


class Grade:
    """How well an entry fits a header, and what its start says of that."""

    def __init__(self, value: int, said: int = NEUTRAL, *, is_odd: bool = False) -> None:
        self.value = value
        self.said = said
        #: A misfit only because it does not end as its class does, though its own size takes in no other entry.
        self.is_odd = is_odd
        self.is_bound = said == BOUND


class PairReader:
    """Reads pairs of one level.

    Args:
        cursor: any place in it, with its limit.
        limits: those of the save.
        build_version: build number of the game that wrote the save.
        entries: reads its entries.
        version, ue5_version: of the level.
        least: the fewest bytes of an object.
        budget: of all searches of the save.
    """

    def __init__(
        self,
        cursor: Cursor,
        limits: Limits,
        build_version: int,
        entries: ObjectEntryCodec,
        version: int,
        ue5_version: int,
        least: int,
        budget: Budget,
    ) -> None:
        self._budget = budget
        self._toc = cursor.fork()
        self._data = cursor.fork()
        self._inside = cursor.fork()
        self._limit: i64 = cursor.limit()
        self._headers = ObjectHeaderCodec(version)
        self._version = version
        self._entries = entries
        self._least: i64 = least
        self._objects = ObjectReader(cursor.fork(), limits, build_version, entries, ue5_version)
        self._places: tuple[array[int], array[int]] = (array("q"), array("q"))
        self._knows_all = False
        #: Hashes of the names of the level's objects, once they are asked for.
        self._names: set[int] = set()

    def know_names(self, front: array[int], back: array[int], *, all_of_them: bool) -> None:
        """Note where the headers of the level start: an entry that names an object which is not there names nothing."""
        self._places = (front, back)
        self._knows_all = all_of_them
        self._names.clear()

    def is_small(self, data_at: i64) -> bool:
        """Return whether an entry has too few bytes for an object."""
        self._data.seek(data_at)
        return not self._entries.read(self._data) or self._entries.size < self._least

    def is_actor_at(self, toc_at: i64) -> bool:
        """Return whether the header at an offset is that of an actor."""
        self._toc.seek(toc_at)
        return self._toc.bool32()

    def covers(self, toc_at: i64, data_at: i64, count: i64) -> bool:
        """Return whether an object is followed, in the size of its own entry, by so many whole entries."""
        self.grade(toc_at, data_at)
        return self._objects.left_over >= 0 and self._covers(data_at, self._objects.left_over, count)

    def _covers(self, data_at: i64, left_over: i64, count: i64) -> bool:
        """Return whether the last bytes of an entry, from an offset on, are so many entries; -1: any number."""
        entries = self._entries
        data = self._data
        data.seek(data_at)
        seen = 0
        try:
            if not entries.read(data, strict=True):
                return False
            version = entries.save_version
            entries.skip_data(data)
            end = data.tell()
            data.seek(left_over)
            entries.read_ue5_version(data, version)
            while data.tell() < end and seen != count:
                if not entries.read(data, strict=True) or entries.size < self._least:
                    return False
                entries.skip_data(data)
                seen += 1
        except SaveError:
            return False
        return data.tell() == end and seen > 0

    def grade(self, toc_at: i64, data_at: i64) -> Grade:
        """Return how well the entry at one offset fits the header at another."""
        said = self.evidence(toc_at, data_at)
        entries = self._entries
        if said == MISFIT or said == TORN_PAIR or entries.size < self._least:
            return Grade(TORN if said == TORN_PAIR else MISFIT)
        header = self._headers.event(
            entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags
        )
        objects = self._objects
        state = objects.state(header)
        self._budget.spend(entries.size)
        if state == UNREADABLE:
            return Grade(TORN, said)
        if state == BROKEN or (objects.left_over >= 0 and self._covers(data_at, objects.left_over, -1)):
            return Grade(MISFIT)
        if not objects.fits_class:
            return Grade(MISFIT, is_odd=True)
        value = EXACT if objects.is_exact else WHOLE if state == WHOLE_OBJECT else LOOSE
        return Grade(value, said)

    def evidence(self, toc_at: i64, data_at: i64) -> int:
        """Return what the start of an entry says of a header: `MISFIT`, `NEUTRAL`, `BOUND`, or that it cannot be read."""
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
            if not entries.read(data, strict=True):
                return MISFIT
        except SaveError as error:
            return TORN_PAIR if is_torn(toc, error) or is_torn(data, error) else MISFIT
        if entries.size < LEAST_PART:
            return NEUTRAL
        inside = self._inside
        start = entries.data_offset
        inside.set_limit(min(start + entries.size, self._limit))
        inside.seek(start)
        if not headers.is_actor:
            is_other = is_actor(inside, start) and not is_list(inside, start) and not is_list(inside, start + 1)
            return MISFIT if is_other else NEUTRAL
        try:
            return self._of_actor(headers.instance_name, inside)
        except SaveError:
            return MISFIT if is_list(inside, start) or is_list(inside, start + 1) else NEUTRAL

    def _of_actor(self, name: str, data: Cursor) -> int:
        start = data.tell()
        level = data.name()
        path = data.string_once()
        if (level == "") != (path == ""):
            return MISFIT if is_list(data, start) or is_list(data, start + 1) else NEUTRAL
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
            for places in self._places:
                for at in places:
                    cursor.seek(at)
                    try:
                        headers.decode(cursor)
                    except SaveError:
                        continue
                    self._names.add(hash(headers.instance_name))
        return hash(name) in self._names


def is_list(data: Cursor, start: i64) -> bool:
    """Return whether a property list starts at an offset."""
    data.seek(start)
    try:
        name = data.name()
        return name == NONE or (name != "" and data.name().endswith(PROPERTY))
    except SaveError:
        return False


def is_actor(data: Cursor, start: i64) -> bool:
    """Return whether what comes before the properties of an actor starts at an offset, and then those."""
    data.seek(start)
    try:
        level = data.name()
        path = data.string_once()
        if (level == "") != (path == ""):
            return False
        data.skip_strings(2 * data.count(REFERENCE.least))
        end = data.tell()
    except SaveError:
        return False
    return is_list(data, end) or is_list(data, end + 1)
