"""Sums over all events of a save: their number, and which bytes belong to what."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Final

from attrs import Factory, define

from streamsave.events import ChunkStart, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, StructExit
from streamsave.stream.stream import EventStream

__all__ = ["Totals", "collect"]

MEGA: Final = 1_000_000


@define
class Totals:
    """Sums over all events of a save."""

    events: Counter[type[Event]] = Factory(Counter)
    #: Bytes of the data of objects, by class; number of objects, by class.
    class_bytes: Counter[str] = Factory(Counter)
    class_counts: Counter[str] = Factory(Counter)
    #: Of these bytes, those of objects inside objects of the class, with their headers.
    inner_bytes: Counter[str] = Factory(Counter)
    #: Bytes of the members of an object itself, by class and name: properties (tag and value), fields and structs, but no
    #: objects; number of members, by name alone.
    member_bytes: dict[str, Counter[str]] = Factory(dict)
    member_counts: Counter[str] = Factory(Counter)
    #: Bytes of the headers of objects, by class.
    header_bytes: Counter[str] = Factory(Counter)
    chunks: int = 0
    compressed_size: int = 0
    inflated_size: int = 0
    seconds: float = 0.0

    def add(self, other: Totals) -> None:
        """Add the sums of another save."""
        self.events.update(other.events)
        self.class_bytes.update(other.class_bytes)
        self.class_counts.update(other.class_counts)
        self.inner_bytes.update(other.inner_bytes)
        for class_name, members in other.member_bytes.items():
            self.member_bytes.setdefault(class_name, Counter()).update(members)
        self.member_counts.update(other.member_counts)
        self.header_bytes.update(other.header_bytes)
        self.chunks += other.chunks
        self.compressed_size += other.compressed_size
        self.inflated_size += other.inflated_size
        self.seconds += other.seconds

    @property
    def property_bytes(self) -> Counter[str]:
        """Bytes of the members of objects, by name alone."""
        sums: Counter[str] = Counter()
        for members in self.member_bytes.values():
            sums.update(members)
        return sums

    @property
    def ratio(self) -> float | None:
        """Inflated bytes for each compressed byte; None if nothing is compressed."""
        return self.inflated_size / self.compressed_size if self.compressed_size else None

    @property
    def speed(self) -> float:
        """Inflated megabytes (millions of bytes) per second."""
        return self.inflated_size / MEGA / self.seconds if self.seconds else 0.0


@define
class Opened:
    """An object that is open."""

    header: ObjectHeader
    #: It is wanted.
    counts: bool
    members: Counter[str]
    #: Bytes of the objects in it.
    inner: int = 0
    #: How many nestings are open in it; where the outermost of them starts, and `inner` at that point.
    nested: int = 0
    start: int = 0
    inner_before: int = 0
    #: Where the last of its properties ends: a struct before that is the property's value.
    end: int = 0


def collect(events: EventStream) -> Totals:
    """Read all events and return their sums; only the wanted objects count (`EventStream.only`)."""
    totals = Totals()
    kinds, counts = totals.events, totals.member_counts
    started = perf_counter()
    around: list[Opened] = []
    opened: Opened | None = None
    for event in events:
        kind = type(event)
        kinds[kind] += 1
        if isinstance(event, PropertyTag):
            if opened is not None and opened.nested == 0:
                opened.end = event.value_offset + event.size
                opened.members[event.name] += opened.end - event.offset
                counts[event.name] += 1
        elif isinstance(event, Field):
            if opened is not None and opened.nested == 0:
                opened.members[event.name] += event.size
                counts[event.name] += 1
        elif isinstance(event, StructEnter):
            if opened is not None:
                if opened.nested == 0:
                    opened.start = event.offset
                    opened.inner_before = opened.inner
                opened.nested += 1
        elif isinstance(event, StructExit):
            if opened is not None:
                opened.nested -= 1
                if opened.nested == 0 and opened.start >= opened.end:
                    size = event.offset + event.size - opened.start
                    opened.members[event.name] += size - (opened.inner - opened.inner_before)
                    counts[event.name] += 1
        elif isinstance(event, ObjectHeader):
            if opened is not None:
                around.append(opened)
            takes = events.takes(event)
            members = totals.member_bytes.setdefault(event.class_name, Counter()) if takes else Counter()
            opened = Opened(event, takes, members)
        elif isinstance(event, ObjectEnd):
            if opened is not None:
                opened = _close(totals, opened, event, around)
        elif isinstance(event, ChunkStart):
            totals.chunks += 1
            # Some wrappers do not have their sizes.
            totals.compressed_size += max(event.compressed_size, 0)
            totals.inflated_size += max(event.size, 0)
        elif isinstance(event, SaveEnd):
            totals.inflated_size = max(totals.inflated_size, event.offset)
    totals.seconds = perf_counter() - started
    return totals


def _close(totals: Totals, opened: Opened, end: ObjectEnd, around: list[Opened]) -> Opened | None:
    """Add the bytes of an object that has ended; return the object around it, None if there is none."""
    header = opened.header
    header_size = header.header_size + header.prefix_size
    # If the header does not have the size, it is known only now.
    size = header.size if header.size >= 0 else end.offset - header.data_offset
    if opened.counts:
        totals.class_counts[header.class_name] += 1
        totals.header_bytes[header.class_name] += header_size
        totals.class_bytes[header.class_name] += size
        totals.inner_bytes[header.class_name] += opened.inner
    if not around:
        return None
    outer = around.pop()
    outer.inner += header_size + size
    return outer
