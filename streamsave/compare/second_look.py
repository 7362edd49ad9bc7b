"""Report what was not at the same place in both saves: from memory, or by reading the saves again."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Iterator

from streamsave.compare.identity import place_of_object, place_of_value
from streamsave.compare.object_values import Seen, Values, object_values, one_value
from streamsave.compare.pair import Pair, Report, header_differences
from streamsave.compare.unmatched import Leftover, Waiting
from streamsave.compare.value_differences import by_key, text_of, value_differences
from streamsave.errors import format_path
from streamsave.events import BlobSkip, Field, ObjectEnd, ObjectHeader, PropertyTag
from streamsave.stream.stream import EventStream

__all__ = ["Kept", "report_added", "report_removed", "report_waiting"]


def report_waiting(waiting: Waiting, report: Report) -> None:
    """Report what is left in memory."""
    for old, new in waiting.changed:
        _report_changed(old, new, report)
    for seen in waiting.removed:
        _report_removed(seen, report)
    for seen in waiting.added:
        _report_added(seen, report)


def report_removed(events: EventStream, leftover: Leftover, kept: Kept, report: Report) -> None:
    """Report what the old save has alone; keep what the new one has otherwise.

    Args:
        events: those of the old save; nothing was read yet.
        leftover: the places.
        kept: gets the values of what has changed.
        report: gets the differences.

    Raises:
        SaveError: the save is damaged.
        OSError: the temporary file cannot be written.
    """
    for seen in _look(events, leftover.removed, leftover.changed_old):
        if _has(leftover.removed, seen.place):
            _report_removed(seen, report)
        else:
            kept.add(seen)


def report_added(events: EventStream, leftover: Leftover, kept: Kept, report: Report) -> None:
    """Report what the new save has alone, or otherwise than the old one. Arguments and errors are those of `report_removed`."""
    for seen in _look(events, leftover.added, leftover.changed_new):
        if _has(leftover.added, seen.place):
            _report_added(seen, report)
        else:
            _report_changed(kept.twin(seen.place), seen, report)


def _report_removed(seen: Seen, report: Report) -> None:
    if seen.header is not None:
        report(Pair(seen.header, None), "", None, None)
        return
    for path, (value, _) in (seen.values or {}).items():
        report(Pair(None, None), format_path(path), text_of(value), None)


def _report_added(seen: Seen, report: Report) -> None:
    if seen.header is not None:
        report(Pair(None, seen.header), "", None, None)
        return
    for path, (value, _) in (seen.values or {}).items():
        report(Pair(None, None), format_path(path), None, text_of(value))


def _report_changed(old: Seen, new: Seen, report: Report) -> None:
    pair = Pair(old.header, new.header)
    count = 0
    if old.header is not None and new.header is not None:
        for text, before, after in header_differences(old.header, new.header):
            report(pair, text, before, after)
            count += 1
    old_values = dict(old.values or {})
    for path, (value, type_name) in (new.values or {}).items():
        twin = old_values.pop(path, None)
        if twin is None:
            report(pair, format_path(path), None, text_of(value))
            count += 1
            continue
        for where, before, after in value_differences(path, by_key(twin[0], type_name), by_key(value, type_name)):
            report(pair, format_path(where), before, after)
            count += 1
    for path, (value, _) in old_values.items():
        report(pair, format_path(path), text_of(value), None)
        count += 1
    if not count and old.header is not None and new.header is not None:
        report(pair, "@data", text_of(f"{old.header.size} bytes"), text_of(f"{new.header.size} other bytes"))


def _has(places: array[int], place: int) -> bool:
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place


class Kept:
    """Objects and values of the old save, in a temporary file."""

    def __init__(self, leftover: Leftover) -> None:
        #: The places of these, sorted, and where they are in the file.
        self._places = array("q", sorted(leftover.changed_old))
        self._offsets = array("q", bytes(8 * len(self._places)))
        self._new = leftover.changed_new
        self._old = leftover.changed_old
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()

    def add(self, seen: Seen) -> None:
        """Keep one of them."""
        self._offsets[bisect_left(self._places, seen.place)] = self._file.seek(0, 2)
        pickle.dump((seen.header, seen.values), self._file)

    def twin(self, new_place: int) -> Seen:
        """Return what belongs to what is at a place of the new save."""
        old_place = self._old[bisect_left(self._new, new_place)]
        self._file.seek(self._offsets[bisect_left(self._places, old_place)])
        header, values = pickle.load(self._file)  # noqa: S301 - nobody else can write to this file
        return Seen(old_place, header, values)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


def _look(events: EventStream, alone: array[int], changed: array[int]) -> Iterator[Seen]:
    """Yield what is at these places, with values where they are needed."""
    every = array("q", sorted([*alone, *changed]))
    if not every:
        return
    # Values of an object that holds others are found by themselves, so such an object comes in any case.
    events.only(lambda header: events.holds_objects(header) or _has(every, place_of_object(events._key_of(header.offset))))
    #: Depth of an object that has others in it, and that is in one of the saves alone.
    alone_depth = -1
    for event in events:
        if isinstance(event, ObjectHeader):
            place = place_of_object(events._key_of(event.offset))
            if not _has(every, place):
                continue
            holds = events.holds_objects(event)
            is_alone = _has(alone, place)
            if holds and is_alone and alone_depth < 0:
                alone_depth = events.depth
            # What is in an object that holds others is found by itself.
            values: Values | None = None if holds or is_alone else object_values(events, event, len(events.path))
            yield Seen(place, event, values)
        elif isinstance(event, ObjectEnd):
            if events.depth < alone_depth:
                alone_depth = -1
        elif isinstance(event, (PropertyTag, Field, BlobSkip)) and alone_depth < 0:
            place = place_of_value(event.offset)
            if _has(every, place):
                yield Seen(place, None, one_value(events, event))
