"""What a header and an entry say of each other, and whether the bytes of an entry are the object of a header."""

from __future__ import annotations

from array import array
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor, is_torn
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import BROKEN, UNREADABLE, ObjectReader
from streamsave.formats.satisfactory.objects import WHOLE as WHOLE_OBJECT
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.formats.unreal.pool import NONE
from streamsave.recovery.chains import Budget

__all__ = [
    "BOUND",
    "EXACT",
    "LEAST_OBJECT",
    "LOOSE",
    "MISFIT",
    "NEUTRAL",
    "ODD",
    "STRANGER",
    "UNLIKE",
    "WHOLE",
    "LevelBytes",
    "PairReader",
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

#: The fewest bytes of an object, a property list ends with a name and says whether a GUID follows; and of those that mods write.
LEAST_OBJECT: Final = 13
LEAST_PART: Final = 9
#: What the type of a property ends with.
PROPERTY: Final = "Property"


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
        objects = self._objects
        self._budget.spend(entries.size)
        state = objects.state(
            self._headers.event(
                entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags
            )
        )
        if state == UNREADABLE:
            return TORN
        if state == BROKEN or not objects.fits_class:
            return MISFIT if state == BROKEN else UNLIKE
        return EXACT if objects.is_exact else WHOLE if state == WHOLE_OBJECT else LOOSE

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
            if not entries.read(data, strict=True):
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


def is_list(data: Cursor, start: i64) -> bool:
    """Return whether a property list starts at an offset."""
    data.seek(start)
    try:
        name = data.name()
        return name == NONE or (name != "" and data.name().endswith(PROPERTY))
    except SaveError:
        return False
