"""Reads a save to its end and sums up its events: one pass, in which each event costs little."""

from __future__ import annotations

from collections import Counter
from time import perf_counter

from streamsave._native import i64
from streamsave.cli.totals import Totals
from streamsave.consume.stream import EventStream
from streamsave.events import ChunkStart, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, StructExit

__all__ = ["collect"]


class Opened:
    """An object that is open.

    Args:
        header: its header.
        counts: it is wanted.
        members: bytes of the members of objects of its class, by name.
    """

    def __init__(self, header: ObjectHeader, counts: bool, members: dict[str, int]) -> None:
        self.header = header
        self.counts = counts
        self.members = members
        #: Bytes of the objects in it.
        self.inner: i64 = 0
        #: How many nestings are open in it; where the outermost of them starts, and `inner` at that point.
        self.nested: i64 = 0
        self.start: i64 = 0
        self.inner_before: i64 = 0
        #: Where the last of its properties ends: a struct before that is the property's value.
        self.end: i64 = 0


def collect(events: EventStream) -> Totals:
    """Read all events and return their sums; only the wanted objects count (`EventStream.only`)."""
    totals = Totals()
    kinds: dict[type[Event], int] = {}
    counts: dict[str, int] = {}
    classes: dict[str, dict[str, int]] = {}
    chunks: i64 = 0
    compressed_size: i64 = 0
    inflated_size: i64 = 0
    started = perf_counter()
    around: list[Opened] = []
    opened: Opened | None = None
    for event in events:
        kind = type(event)
        kinds[kind] = kinds.get(kind, 0) + 1
        if isinstance(event, PropertyTag):
            if opened is not None and opened.nested == 0:
                opened.end = event.value_offset + event.size
                _add(opened.members, counts, event.name, opened.end - event.offset)
        elif isinstance(event, Field):
            if opened is not None and opened.nested == 0:
                _add(opened.members, counts, event.name, event.size)
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
                    _add(opened.members, counts, event.name, size - (opened.inner - opened.inner_before))
        elif isinstance(event, ObjectHeader):
            if opened is not None:
                around.append(opened)
            takes = events.takes(event)
            opened = Opened(event, takes, classes.setdefault(event.class_name, {}) if takes else {})
        elif isinstance(event, ObjectEnd):
            if opened is not None:
                opened = _close(totals, opened, event, around)
        elif isinstance(event, ChunkStart):
            chunks += 1
            # Some wrappers do not have their sizes.
            compressed_size += max(event.compressed_size, 0)
            inflated_size += max(event.size, 0)
        elif isinstance(event, SaveEnd):
            inflated_size = max(inflated_size, event.offset)
    totals.events.update(kinds)
    totals.member_counts.update(counts)
    totals.member_bytes = {class_name: Counter(members) for class_name, members in classes.items()}
    totals.chunks, totals.compressed_size, totals.inflated_size = chunks, compressed_size, inflated_size
    totals.seconds = perf_counter() - started
    return totals


def _add(members: dict[str, int], counts: dict[str, int], name: str, size: i64) -> None:
    """Add a member of an object."""
    members[name] = members.get(name, 0) + size
    counts[name] = counts.get(name, 0) + 1


def _close(totals: Totals, opened: Opened, end: ObjectEnd, around: list[Opened]) -> Opened | None:
    """Add the bytes of an object that has ended; return the object around it, None if there is none."""
    header = opened.header
    header_size: i64 = header.header_size + header.prefix_size
    # If the header does not have the size, it is known only now.
    size: i64 = header.size if header.size >= 0 else end.offset - header.data_offset
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
