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
from streamsave.check.references import NameFilter, NamesOnly, References, targets_in
from streamsave.claims import claimed_span, claims_value, prefix_span
from streamsave.consume.stream import EventStream
from streamsave.errors import PathStep
from streamsave.events import PADDING, BlobSkip, ChunkStart, Event, Field, ObjectHeader, PropertyTag, SaveEnd, SaveStart
from streamsave.formats.unreal.frames import LEFT_OVER

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


class Claims:
    """The spans that events claim. Edges of spans that touch cancel out: a sound save of any size takes constant memory."""

    def __init__(self) -> None:
        #: The run that grew last.
        self._start: i64 = 0
        self._end: i64 = 0
        #: The last event: what it claims is known when the next one comes.
        self._last: Event | None = None
        #: Of all others: offset -> how many of them start there, less how many end there; not if that is 0.
        self._edges: dict[int, int] = {}

    def note(self, event: Event) -> None:
        """Claim the bytes of the event before this one, no `ChunkStart`: only now it is known whether that was a leaf."""
        last = self._last
        self._last = event
        if last is not None:
            start, end = claimed_span(last, claims_value(last, event))
            self.add(start, end)
            if isinstance(last, ObjectHeader):
                start, end = prefix_span(last)
                self.add(start, end)

    def add(self, start: i64, end: i64) -> None:
        """Claim `[start, end)`."""
        if end <= start:
            return
        if start != self._end:
            _turn(self._edges, self._start, 1)
            _turn(self._edges, self._end, -1)
            self._start = start
        self._end = end

    def faults(self, size: int) -> Iterator[tuple[int, str]]:
        """Yield `(offset, message)` for each place where the claims do not tile `[0, size)`."""
        edges = self._edges.copy()
        _turn(edges, self._start, 1)
        _turn(edges, self._end, -1)
        at = claims = 0
        for edge in sorted(edges):
            before = claims
            claims += edges[edge]
            if before > 1 and claims > 1:
                continue  # more events claim what follows, or fewer: it is one place
            if before != 1 and edge > at:
                yield at, f"{edge - at} bytes that {'two events claim' if before else 'no event claims'}"
            at = edge
        if at != size:
            yield at, f"events claim {at} bytes of {size}"


def _turn(edges: dict[int, int], at: int, by: int) -> None:
    """Count edges of spans at an offset."""
    total = edges.pop(at, 0) + by
    if total:
        edges[at] = total


#: The last list of a save.
LAST_LIST: Final = "unresolved_destroyed_actors"
#: The lists of destroyed actors, in the data of a level and as a copy among its headers. They refer to nothing in the save.
DESTROYED: Final = "destroyed_actors"
STALE_LIST: Final = "toc_destroyed_actors"
#: All these lists: of what is not in the save.
NO_REFERENCES: Final = frozenset((LAST_LIST, DESTROYED, STALE_LIST))


def names_of(events: EventStream) -> NameFilter:
    """Return the names of all objects from here on, whose data are skipped.

    Args:
        events: the events of the save.

    Raises:
        SaveError: the bytes are damaged.
    """
    names = NameFilter()
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
    for _, elements in events.slices() or [(0, [events.build()])]:  # another layout has few elements
        # The same text for each element, whatever slice it is in.
        digest.update(text_of(elements)[1:-1])
        digest.update(b", ")
    return digest.digest()


def text_of(value: object) -> bytes:
    """Return the text of a value."""
    return repr(value).encode("utf-8", "surrogatepass")


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
        #: Where the inflated stream ends; -1 before its end.
        self._end: i64 = -1

    def walk(self, events: EventStream) -> Iterator[Finding]:
        """Yield the findings of all events in their order, then the sums.

        Raises:
            SaveError: the bytes are damaged.
            LimitExceeded: a value is more than `Limits` allows to build.
        """
        for event in events:
            if type(event) is not ChunkStart:
                finding = self._take(event, events)
                if finding is not None:
                    yield finding
        if self._end >= 0:
            for offset, message in self.claims.faults(self._end):
                yield Finding(FINDING, "tiling", message, offset)
        yield from self.unknown.findings()
        for version, count in sorted(self.old_objects.items()):
            yield Finding(NOTE, "old-objects", f"{count} objects were written by version {version}, the save by {self.version}")
        yield from self.references.findings()

    def _take(self, event: Event, events: EventStream) -> Finding | None:
        """Take the last event; return what is wrong with it alone."""
        self.claims.note(event)
        if isinstance(event, PropertyTag):
            if not events._is_textless() and events._is_announced():
                self._look_up(event, events)
        elif isinstance(event, Field):
            return self._field(event, events)
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

    def _field(self, event: Field, events: EventStream) -> Finding | None:
        name = event.name
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
            copied, self.toc_destroyed = self.toc_destroyed, None
            if copied is not None and copied != digest:
                return Finding(NOTE, "stale-list", "the copy of this list among the headers is stale", event.offset, path)
        return None

    def _look_up(self, event: PropertyTag | Field, events: EventStream) -> None:
        """Look up all references in the leaf of the last event."""
        missing = self.references.add(targets_in(event, events))
        if missing is not None and self.references.first is None:
            self.references.first = (missing, event.offset, events._path_of(event))
