"""One walk over a save: which bytes are claimed, which references have a target, what is of unknown layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

from streamsave._native import i64
from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.check.references import NameFilter, NamesOnly, References, has_references, targets_in
from streamsave.check.tiling import Claims
from streamsave.check.unknown_bytes import MOST_READ, UnknownBytes
from streamsave.claims import claimed_span, claims_value, prefix_span
from streamsave.consume.stream import EventStream
from streamsave.events import BlobSkip, ChunkStart, Event, Field, ObjectHeader, PropertyTag, SaveEnd, SaveStart
from streamsave.output.json_text import value_bytes

__all__ = ["LAST_LIST", "NO_REFERENCES", "Checker", "names_of"]

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
