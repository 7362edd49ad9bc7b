"""Objects and values that did not come at the same place in both saves: they wait for their twins.

Few of them wait in memory, with their values. Of the others, 24 bytes are kept, beyond a limit in a temporary file:

| bytes | of a record |
|---|---|
| 8 | the hash of what it is known by |
| 10 | the hash of its content |
| 6 | where it is: `place_of_object` or `place_of_value` |
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from heapq import merge
from itertools import groupby, repeat
from typing import Final, NamedTuple

from streamsave.compare.identity import DIGEST_SIZE, KEY_SIZE, key_of_object
from streamsave.compare.object_values import Seen
from streamsave.compare.sorted_records import SortedRecords
from streamsave.events import ObjectHeader

__all__ = ["NEW", "OLD", "Leftover", "Unmatched", "Waiting"]

#: The two saves, as indices.
OLD: Final = 0
NEW: Final = 1

PLACE_SIZE: Final = 6
RECORD_SIZE: Final = KEY_SIZE + DIGEST_SIZE + PLACE_SIZE
#: Most objects and values that wait in memory; each takes some 500 bytes there.
MOST_WAITING: Final = 8192
#: Most of them whose values are kept as well, so that nothing has to be read again.
MOST_KEPT: Final = 256


class Leftover(NamedTuple):
    """Places of what is left when equal ones have found each other."""

    #: Sorted.
    removed: array[int]
    added: array[int]
    #: Those that belong together and differ, sorted by their place in the new save.
    changed_new: array[int]
    changed_old: array[int]


class Waiting(NamedTuple):
    """What is left, if all of it is in memory with all that has to be known of it."""

    removed: list[Seen]
    added: list[Seen]
    #: Old and new.
    changed: list[tuple[Seen, Seen]]


class Unmatched:
    """What one of the saves has and that was not found in the other yet.

    Raises:
        OSError, from all methods: the temporary files cannot be used.
    """

    def __init__(self, most_waiting: int = MOST_WAITING, most_kept: int = MOST_KEPT) -> None:
        self._most = most_waiting
        self._most_kept = most_kept
        #: For each save: key and digest -> what waits.
        self._waiting: tuple[dict[bytes, list[Seen]], dict[bytes, list[Seen]]] = ({}, {})
        #: For each save: key -> how many wait.
        self._keys: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self._count = 0
        #: Some have waited too long, and are among the records.
        self._has_put_away = False
        self._records = SortedRecords(RECORD_SIZE), SortedRecords(RECORD_SIZE)

    def waits(self, side: int, key: bytes) -> bool:
        """Return whether something with this key waits in one of the saves."""
        return key in self._keys[side]

    def waits_anywhere(self, header: ObjectHeader) -> bool:
        """Return whether an object with the same key waits in any of the saves."""
        if not self._count:
            return False
        key = key_of_object(header)
        return key in self._keys[OLD] or key in self._keys[NEW]

    def may_keep(self) -> bool:
        """Return whether values of what is added next should be kept."""
        return self._count < self._most_kept and not self._has_put_away

    def add(self, side: int, key: bytes, digest: bytes, seen: Seen) -> None:
        """Add what one save has, unless its twin waits in the other: then both are forgotten."""
        both = key + digest
        other = self._waiting[1 - side]
        twins = other.get(both)
        if twins:
            twins.pop(0)
            if not twins:
                del other[both]
            keys = self._keys[1 - side]
            keys[key] -= 1
            if not keys[key]:
                del keys[key]
            self._count -= 1
            return
        self._waiting[side].setdefault(both, []).append(seen)
        keys = self._keys[side]
        keys[key] = keys.get(key, 0) + 1
        self._count += 1
        if self._count > self._most:
            self._put_away()

    def _put_away(self) -> None:
        """Let none wait any longer."""
        for side in (OLD, NEW):
            records = self._records[side]
            for both, waiting in self._waiting[side].items():
                for seen in waiting:
                    records.add(both + seen.place.to_bytes(PLACE_SIZE, "big"))
            self._waiting[side].clear()
            self._keys[side].clear()
        self._count = 0
        self._has_put_away = True

    def waiting(self) -> Waiting | None:
        """Return what is left, in the order of the saves; None if something of it has to be read again."""
        if self._has_put_away:
            return None
        left: tuple[dict[bytes, list[Seen]], dict[bytes, list[Seen]]] = ({}, {})
        for side in (OLD, NEW):
            for both, waiting in self._waiting[side].items():
                left[side].setdefault(both[:KEY_SIZE], []).extend(waiting)
            for waiting in left[side].values():
                waiting.sort(key=_place_of)
        changed: list[tuple[Seen, Seen]] = []
        alone: tuple[list[Seen], list[Seen]] = ([], [])
        for key in left[OLD].keys() | left[NEW].keys():
            olds, news = left[OLD].get(key, []), left[NEW].get(key, [])
            changed.extend(zip(olds, news, strict=False))
            alone[OLD].extend(olds[len(news) :])
            alone[NEW].extend(news[len(olds) :])
        if any(old.values is None or new.values is None for old, new in changed):
            return None
        if any(seen.header is None and seen.values is None for side in alone for seen in side):
            return None
        removed, added = (
            sorted((seen for seen in alone[side] if seen.holder not in left[side]), key=_place_of) for side in (OLD, NEW)
        )
        return Waiting(removed, added, sorted(changed, key=lambda pair: pair[1].place))

    def leftover(self) -> Leftover:
        """Return the places of what is left, and forget all."""
        self._put_away()
        removed, added = SortedRecords(PLACE_SIZE), SortedRecords(PLACE_SIZE)
        changed = SortedRecords(2 * PLACE_SIZE)
        try:
            both = merge(zip(self._records[OLD], repeat(OLD)), zip(self._records[NEW], repeat(NEW)))
            for _, group in groupby(both, lambda item: item[0][:KEY_SIZE]):
                olds, news = _without_twins(group)
                pairs = min(len(olds), len(news))
                for old, new in zip(olds[:pairs], news[:pairs], strict=True):
                    changed.add(new + old)
                for old in olds[pairs:]:
                    removed.add(old)
                for new in news[pairs:]:
                    added.add(new)
            places = array("q")
            for record in changed:
                places.extend((_number(record[:PLACE_SIZE]), _number(record[PLACE_SIZE:])))
            return Leftover(array("q", map(_number, removed)), array("q", map(_number, added)), places[::2], places[1::2])
        finally:
            for records in (removed, added, changed):
                records.close()
            self.close()

    def close(self) -> None:
        """Forget all."""
        for side in (OLD, NEW):
            self._waiting[side].clear()
            self._keys[side].clear()
            self._records[side].close()


def _place_of(seen: Seen) -> int:
    return seen.place


def _number(place: bytes) -> int:
    return int.from_bytes(place, "big")


def _without_twins(group: Iterator[tuple[bytes, int]]) -> tuple[list[bytes], list[bytes]]:
    """Return the places of records of one key that are left when those of one digest have found each other, in their order."""
    left: tuple[list[bytes], list[bytes]] = ([], [])
    for _, equal in groupby(group, lambda item: item[0][KEY_SIZE : KEY_SIZE + DIGEST_SIZE]):
        places: tuple[list[bytes], list[bytes]] = ([], [])
        for record, side in equal:
            places[side].append(record[KEY_SIZE + DIGEST_SIZE :])
        pairs = min(map(len, places))
        for side in (OLD, NEW):
            left[side].extend(places[side][pairs:])
    return sorted(left[OLD]), sorted(left[NEW])
