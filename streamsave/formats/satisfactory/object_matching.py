"""Which header an entry belongs to, as far as it says so itself.

Headers and entries of a level are paired by their order. A pair is

| | if |
|---|---|
| bound | the entry lists components, and the names of all of them start with the header's instance name |
| foreign | it lists components of another object of the level; or it is that of an actor and the header is not, or the reverse |
| neutral | it says nothing |

Between two bound pairs, and without a foreign one in between, the order was kept. Around a foreign one, up to the next bound
pair on both sides, any entry may have moved. An entry that lists components of an object that is not there is itself doubtful,
but no other one is. Games write neither, so nothing of a sound save is doubted: in 21 real saves and 20 blueprints, all 47,284
actors that list components are bound, and no entry is that of another kind.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.unreal.codecs import REFERENCE

__all__ = ["BOUND", "FOREIGN", "MOST_CLAIMS", "NEUTRAL", "OTHER_KIND", "Matching", "PairReader"]

NEUTRAL: Final = 0
BOUND: Final = 1
#: It lists components of `PairReader.claimed`, which may be no object of the level: then it is damaged itself.
FOREIGN: Final = 2
OTHER_KIND: Final = 3

#: The fewest bytes of an actor: three empty strings and lists, and a property list; of another object.
LEAST_ACTOR: Final = 12
LEAST_PART: Final = 9
NONE: Final = "None"
#: What the type of a property ends with.
PROPERTY: Final = "Property"
#: How many names of other objects are looked for in a level.
MOST_CLAIMS: Final = 1 << 14


class PairReader:
    """Reads what entries say of their headers.

    Args:
        data: any place among the entries of the level, with their limit.
    """

    def __init__(self, data: Cursor) -> None:
        self._data = data
        self._limit: i64 = data.limit()
        #: The instance name that the last entry wants its header to have.
        self.claimed = ""

    def evidence(self, headers: ObjectHeaderCodec, entries: ObjectEntryCodec) -> int:
        """Return what the entry that was read last says of the header that was read last."""
        size = entries.size
        if size < LEAST_PART:
            return NEUTRAL
        data = self._data
        start = entries.data_offset
        data.fault = None
        data.set_limit(start + size)
        data.seek(start)
        if headers.is_actor:
            try:
                return self._of_actor(headers.instance_name, data)
            except SaveError:
                return OTHER_KIND if is_list(data, start) or is_list(data, start + 1) else NEUTRAL
        if not is_list(data, start) and not is_list(data, start + 1) and is_actor(data, start):
            return OTHER_KIND
        return NEUTRAL

    def _of_actor(self, name: str, data: Cursor) -> int:
        start = data.tell()
        level = data.name()
        path = data.string_once()
        if (level == "") != (path == ""):
            return OTHER_KIND if is_list(data, start) or is_list(data, start + 1) else NEUTRAL
        count = data.count(REFERENCE.least)
        prefix = name + "."
        own = False
        self.claimed = ""
        for _ in range(count):
            data.name()
            path = data.string_once()
            if path.startswith(prefix):
                own = True
            elif self.claimed == "":
                self.claimed = path.rpartition(".")[0]
        if own:
            return BOUND  # a name that is none of its own is damaged
        return FOREIGN if self.claimed != "" else NEUTRAL


def folder_of(name: str) -> str:
    """Return what comes before the last part of an instance name."""
    return name.rpartition(".")[0]


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


class Matching:
    """Collects the evidence of pairs, one after the other, and says which of them are doubtful.

    Args:
        pairs: reads what an entry says.
        sure_start: the first pair is one for certain.
        known: of the names that entries claim, those of other objects; all are taken for such, if left out.
        displaced: pairs, by their number, whose header another entry claims.
    """

    def __init__(
        self,
        pairs: PairReader,
        *,
        sure_start: bool = True,
        known: frozenset[str] | None = None,
        displaced: frozenset[int] = frozenset(),
    ) -> None:
        self._pairs = pairs
        self._known = known
        self._displaced = displaced
        self.count: i64 = 0
        #: The first and the last bound pair; -1 if there was none.
        self.first_bound: i64 = -1
        self.last_bound: i64 = -1
        #: Where the first doubtful stretch starts; -1 if there is none.
        self.first_doubt: i64 = -1
        #: The first bound pair after the last doubtful stretch.
        self.first_sure: i64 = 0 if sure_start else -1
        #: Doubtful stretches: the first pair, and the first one after it; the last one may be open.
        self._stretches: list[tuple[int, int]] = []
        self._open: i64 = -1
        #: Pairs whose entry claims a name that no object has, but might have: it is damaged, or the header is gone.
        self._strangers: list[int] = []
        #: The names that entries claim; there may be more.
        self.claims: set[str] = set()

    def add(self, headers: ObjectHeaderCodec, entries: ObjectEntryCodec) -> None:
        """Take the pair whose header and entry were read last."""
        found = self._pairs.evidence(headers, entries)
        if found == BOUND:
            if self._open >= 0:
                self._stretches.append((int(self._open), int(self.count)))
                self._open = -1
            self.last_bound = self.count
            if self.first_bound < 0:
                self.first_bound = self.count
            if self.first_sure < 0:
                self.first_sure = self.count
        elif self._is_doubtful(found):
            self.first_sure = -1
            if self._open < 0:
                self._open = self.last_bound + 1
            if self.first_doubt < 0:
                self.first_doubt = self._open
        elif found == FOREIGN and folder_of(self._pairs.claimed) == folder_of(headers.instance_name) != "":
            self._strangers.append(int(self.count))
        self.count += 1

    def _is_doubtful(self, found: int) -> bool:
        if found == OTHER_KIND or (self._displaced and self.count in self._displaced):
            return True
        if found != FOREIGN:
            return False
        claimed = self._pairs.claimed
        if self._known is not None:
            return claimed in self._known
        if len(self.claims) < MOST_CLAIMS:
            self.claims.add(claimed)
        return True

    def certain(self) -> i64:
        """Return how many pairs from the first one on are certain, whatever comes after the last bound one."""
        return self.first_doubt if self.first_doubt >= 0 else self.last_bound + 1

    def stretches(self) -> list[tuple[int, int]]:
        """Return the doubtful stretches: the first pair of each, and the first one after it."""
        found = self._stretches if self._open < 0 else [*self._stretches, (int(self._open), int(self.count))]
        alone = [(at, at + 1) for at in self._strangers if not any(start <= at < end for start, end in found)]
        return sorted([*found, *alone])
