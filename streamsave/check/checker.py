"""One walk over a save: which bytes are claimed, which references have a target, what is of unknown layout.

`Claims`: the spans that events claim have to tile the inflated stream, each byte once. `UnknownBytes`: bytes of unknown layout,
counted by the reason why they are that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

from streamsave._native import i64
from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.check.references import NameFilter, NamesOnly, References, has_references, targets_in
from streamsave.claims import claimed_span, claims_value, prefix_span
from streamsave.consume.stream import EventStream
from streamsave.errors import PathStep
from streamsave.events import PADDING, BlobSkip, ChunkStart, Event, Field, ObjectHeader, PropertyTag, SaveEnd, SaveStart
from streamsave.formats.unreal.frames import LEFT_OVER
from streamsave.output.json_text import value_bytes

__all__ = ["LAST_LIST", "MOST_READ", "NO_REFERENCES", "Checker", "Claims", "UnknownBytes", "names_of"]

#: Names of the game's own classes start so; all their layouts are known.
GAME_CLASSES: Final = ("/Script/FactoryGame.", "/Game/FactoryGame/")
#: How the reason of a `BlobSkip` starts whose bytes are left over in an object.
UNKNOWN_TRAILER: Final = "unknown trailing data of "
#: What some editors write after any object of the game, as if it were a component: an empty list.
EMPTY_LIST: Final = bytes(4)
#: The most bytes of a `BlobSkip` that are looked at.
MOST_READ: Final = len(EMPTY_LIST)


class UnknownBytes:
    """Counts them."""

    def __init__(self) -> None:
        #: Reason -> how often; offset and path of the first ones.
        self._counts: Counter[str] = Counter()
        self._first: dict[str, tuple[int, tuple[PathStep, ...]]] = {}

    def add(self, event: BlobSkip, path: tuple[PathStep, ...], data: bytes) -> None:
        """Count one event, unless its bytes mean nothing; `data` are these bytes if there are no more than `MOST_READ`."""
        reason = event.reason
        if data == EMPTY_LIST and is_own(reason):
            reason = f"an empty list, as only other tools write it, after {reason.removeprefix(UNKNOWN_TRAILER)}"
        if reason != PADDING:
            self._counts[reason] += 1
            self._first.setdefault(reason, (event.offset, path))

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for each reason: a note, unless no game writes such bytes."""
        for reason, count in sorted(self._counts.items()):
            offset, path = self._first[reason]
            severity = FINDING if is_wrong(reason) else NOTE
            yield Finding(severity, "unknown-bytes", f"{reason} ({count} times, here first)", offset, path)


def is_wrong(reason: str) -> bool:
    """Return whether no known game writes such bytes: something in them, or before them, is not what it seems."""
    return reason in LEFT_OVER or is_own(reason)


def is_own(reason: str) -> bool:
    """Return whether bytes are left over in an object of one of the game's own classes."""
    return reason.startswith(UNKNOWN_TRAILER) and reason.removeprefix(UNKNOWN_TRAILER).startswith(GAME_CLASSES)


#: Runs that grow are compared with so many others at most: a sound save has two or three at a time.
FEW: Final = 8


class Run:
    """Joined spans that grow at their end."""

    def __init__(self) -> None:
        self.start: i64 = 0
        #: -1: there is no such run.
        self.end: i64 = -1
        #: No other run starts or ends between `end` and here.
        self.free: i64 = 0


class Claims:
    """The spans that events claim. Spans that touch are joined, so that a sound save of any size takes constant memory."""

    def __init__(self) -> None:
        #: Joined spans, but for those that grow: start -> end, and end -> start.
        self._ends: dict[int, int] = {}
        self._starts: dict[int, int] = {}
        #: Spans that were claimed again, at the same start or end.
        self.doubled: list[tuple[int, int]] = []
        #: The two runs that grew last, where nearly all spans start: the headers of objects are one, their data are the other.
        self._last = Run()
        self._other = Run()

    def add(self, start: i64, end: i64) -> None:
        """Claim `[start, end)`."""
        if end <= start:
            return
        run = self._last
        if start != run.end:
            run = self._other
        if start == run.end and end < run.free:
            run.end = end
        else:
            self._add(start, end)

    def _add(self, start: i64, end: i64) -> None:
        """Claim a span that may touch any other."""
        last: i64 = self._last.start
        self._put_back()
        if start in self._ends or end in self._starts:
            self.doubled.append((start, end))
            return
        right = self._ends.pop(end, None)
        if right is not None:
            del self._starts[right]
            end = right
        left = self._starts.pop(start, None)
        if left is not None:
            del self._ends[left]
            start = left
        self._ends[start] = end
        self._starts[end] = start
        if len(self._ends) > FEW:
            return
        # A run that this one overlaps may not grow: its end could pass that of this one.
        last_end: i64 = self._ends.get(last, -1)
        if last_end >= 0 and (last_end < start or end < last):
            self._prepare(self._other, last, last_end)
        self._prepare(self._last, start, end)
        self._take_out(self._other)
        self._take_out(self._last)

    def _prepare(self, run: Run, start: i64, end: i64) -> None:
        run.start = start
        run.end = end
        run.free = min([place for place in (*self._ends, *self._starts) if place > end], default=1 << 62)

    def _take_out(self, run: Run) -> None:
        if run.end >= 0:
            del self._ends[run.start]
            del self._starts[run.end]

    def _put_back(self) -> None:
        """Put the runs that grow to the others."""
        for run in (self._last, self._other):
            if run.end >= 0:
                self._ends[run.start] = run.end
                self._starts[run.end] = run.start
                run.end = -1

    def runs(self) -> list[tuple[int, int]]:
        """Return the joined spans in their order."""
        self._put_back()
        return sorted(self._ends.items())

    def faults(self, size: int) -> Iterator[tuple[int, str]]:
        """Yield `(offset, message)` for each place where the claims do not tile `[0, size)`."""
        for start, end in self.doubled:
            yield start, f"{end - start} bytes that two events claim"
        at = 0
        for start, end in self.runs():
            if start > at:
                yield at, f"{start - at} bytes that no event claims"
            elif start < at:
                yield start, f"{min(at, end) - start} bytes that two events claim"
            at = max(at, end)
        if at != size:
            yield at, f"events claim {at} bytes of {size}"


#: The types of most properties with references, the owner and the components of an actor of Satisfactory, and the most bytes that
#: are looked up as they are stored.
OBJECT: Final = "ObjectProperty"
ARRAY: Final = "ArrayProperty"
ACTOR: Final = "actor"
MOST_STORED: Final = 4096

#: The last list of a save.
LAST_LIST: Final = "unresolved_destroyed_actors"
#: The lists of destroyed actors, in the data of a level and as a copy among its headers. They refer to nothing in the save.
DESTROYED: Final = "destroyed_actors"
STALE_LIST: Final = "toc_destroyed_actors"
#: All these lists: of what is not in the save.
NO_REFERENCES: Final = frozenset((LAST_LIST, DESTROYED, STALE_LIST))


def names_of(events: EventStream, file_size: int | None = None) -> NameFilter:
    """Return the names of all objects from here on, whose data are skipped.

    Args:
        events: the events of the save.
        file_size: bytes of its file; None if they are unknown.

    Raises:
        SaveError: the bytes are damaged.
    """
    names = NameFilter(file_size)
    events._ask(NamesOnly(names))
    for event in events:
        if isinstance(event, ObjectHeader):
            events.skip()
    return names


def digest_of_list(events: EventStream) -> bytes:
    """Return a hash of the list of references that the last event opened, which may be of any length.

    Raises:
        SaveError: the list is damaged.
    """
    digest = blake2b()
    slices = events.slices()
    if slices is None:  # another layout, which has few elements
        digest.update(value_bytes(events.build()))
        return digest.digest()
    for _, elements in slices:
        # The same text for each element, whatever slice it is in.
        digest.update(value_bytes(elements)[1:-1])
        digest.update(b",")
    return digest.digest()


class Checker:
    """Walks a save once.

    Args:
        references: has the names of all objects of the save.
    """

    def __init__(self, references: References) -> None:
        self.references = references
        self.claims = Claims()
        self.unknown = UnknownBytes()
        #: SaveVersion -> objects of that version, if it is not the save's.
        self.old_objects: Counter[int] = Counter()
        self.version = 0
        #: The hash of the last copy of a list of destroyed actors that was not compared yet.
        self.toc_destroyed: bytes | None = None
        self.has_last_list = False
        #: The last event: what it claims is known when the next one comes.
        self._last: Event | None = None
        #: Where the inflated stream ends; -1 before its end.
        self._end: i64 = -1

    def walk(self, events: EventStream) -> Iterator[Finding]:
        """Yield the findings of all events in their order, then the sums.

        Raises:
            SaveError: the bytes are damaged.
            LimitExceeded: a property with references is more than `Limits` allows to build.
        """
        finding = self._next(events)
        while finding is not None:
            yield finding
            finding = self._next(events)
        if self._end >= 0:
            for offset, message in self.claims.faults(self._end):
                yield Finding(FINDING, "tiling", message, offset)
        yield from self._sums()

    def _next(self, events: EventStream) -> Finding | None:
        """Read on up to the next finding; None at the end."""
        for event in events:
            kind = type(event)
            if kind is ChunkStart:
                continue
            self._claim(event)
            if isinstance(event, PropertyTag):
                if event.type == OBJECT:
                    if not self.references.add_stored(events._peek(MOST_STORED)):
                        self._look_up(event, events)
                elif event.type == ARRAY and event.inner_type == OBJECT:
                    if not self.references.add_stored_list(events._peek(MOST_STORED), 0):
                        self._look_up(event, events)
                elif has_references(event):
                    self._look_up(event, events)
            elif isinstance(event, Field):
                finding = self._field(event, events)
                if finding is not None:
                    return finding
            elif isinstance(event, ObjectHeader):
                if event.save_version != self.version:
                    self.old_objects[event.save_version] += 1
            elif isinstance(event, BlobSkip):
                self.unknown.add(event, events.path, events._peek(MOST_READ))
            elif isinstance(event, SaveStart):
                self.version = event.version
            elif isinstance(event, SaveEnd):
                self._end = event.offset
        return None

    def _claim(self, event: Event) -> None:
        """Claim the bytes of the event before this one: only now it is known whether that one was a leaf."""
        last = self._last
        self._last = event
        if last is not None:
            start, end = claimed_span(last, claims_value(last, event))
            self.claims.add(start, end)
            if isinstance(last, ObjectHeader):
                start, end = prefix_span(last)
                self.claims.add(start, end)

    def _field(self, event: Field, events: EventStream) -> Finding | None:
        name = event.name
        if name == ACTOR and self.references.add_stored_list(events._peek(MOST_STORED), 1):
            return None
        if name != LAST_LIST and name != STALE_LIST and name != DESTROYED:
            if not events._is_textless():
                self._look_up(event, events)
            return None
        path = events.path
        digest = digest_of_list(events)
        if name == LAST_LIST:
            self.has_last_list = True
        elif name == STALE_LIST:
            self.toc_destroyed = digest
        else:
            is_stale = self.toc_destroyed is not None and self.toc_destroyed != digest
            self.toc_destroyed = None
            if is_stale:
                return Finding(NOTE, "stale-list", "the copy of this list among the headers is stale", event.offset, path)
        return None

    def _look_up(self, event: PropertyTag | Field, events: EventStream) -> None:
        """Look up all references in the leaf of the last event."""
        references = self.references
        missing: str | None = None
        for targets in targets_in(event, events):
            first = references.add(targets)
            missing = first if missing is None else missing
        if missing is not None and references.first is None:
            references.first = (missing, event.offset, events._path_of(event))

    def _sums(self) -> Iterator[Finding]:
        yield from self.unknown.findings()
        for version, count in sorted(self.old_objects.items()):
            yield Finding(NOTE, "old-objects", f"{count} objects were written by version {version}, the save by {self.version}")
        yield from self.references.findings()
