"""Which bytes each event claims, as the table in `streamsave.events` says. Together the claims tile the inflated stream."""

from __future__ import annotations

from streamsave._native import i64
from streamsave.events import (
    BlobSkip,
    Checkpoint,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    StructEnter,
    StructExit,
)

__all__ = ["claimed_span", "claimed_spans", "claims_value", "content_start", "prefix_span"]


def claimed_spans(event: Event, *, with_value: bool = True) -> list[tuple[int, int]]:
    """Return the spans `(start, end)` that an event claims, in offsets of the inflated stream and in their order.

    Args:
        event: any event. One that claims no bytes (`SaveStart`, `ChunkStart`, `SaveEnd`) has one empty span, where it is.
        with_value: whether a `PropertyTag` or `Field` claims its value: False if what follows claims it (`claims_value`).

    Returns:
        One span; two for an `ObjectHeader`, whose data may be far from its header. A `Damage` of unknown size has an empty span.
    """
    spans = [claimed_span(event, with_value)]
    if isinstance(event, ObjectHeader):
        spans.append(prefix_span(event))
    return spans


def claimed_span(event: Event, with_value: bool) -> tuple[i64, i64]:
    """Return the first span of an event, as `claimed_spans` does; many callers need no list."""
    start: i64 = event.offset
    if isinstance(event, PropertyTag):
        end: i64 = event.value_offset
        return start, end + event.size if with_value else end
    if isinstance(event, Field):
        return start, start + event.size if with_value else start
    if isinstance(event, (StructEnter, ObjectHeader)):
        return start, start + event.header_size
    if isinstance(event, (StructExit, ObjectEnd, Checkpoint, BlobSkip, Damage)):
        size: i64 = event.size
        return start, start + size if size > 0 else start
    return start, start


def prefix_span(header: ObjectHeader) -> tuple[i64, i64]:
    """Return the second span of an `ObjectHeader`: the bytes before its data."""
    start: i64 = header.data_offset
    return start - header.prefix_size, start


def claims_value(event: Event, after: Event | None) -> bool:
    """Return whether a `PropertyTag` or `Field` claims its value, which the event after it shows; True for all others."""
    if isinstance(event, PropertyTag):
        return not (isinstance(after, (StructEnter, BlobSkip, Damage)) and after.offset == event.value_offset)
    return not (isinstance(event, Field) and isinstance(after, Damage) and after.offset == event.offset)


def content_start(event: Event) -> int:
    """Return where the content of what an event opened starts: a value, what is in a nesting, the data of an object."""
    if isinstance(event, ObjectHeader):
        return event.data_offset
    if isinstance(event, PropertyTag):
        return event.value_offset
    if isinstance(event, StructEnter):
        return event.offset + event.header_size
    return event.offset
