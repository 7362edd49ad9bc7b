"""What a damaged save gives in resync mode is what was there: its events are compared with those of the sound save, byte by byte.

Bytes that no change has touched are read as they were: the same event with the same names around it. Or they are told as lost:
a `Damage` or a `BlobSkip` claims them.

| finding | when |
|---|---|
| lie | untouched bytes are given as something else than they were |
| untold | an untouched value is missing, and no `Damage` or `BlobSkip` claims it |

Not known, and so not compared: what is in something whose own header was touched, or that begins with new bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attrs import field, frozen

import streamsave
from attack.contract import Finding, crash
from attack.edited import Edited
from streamsave import (
    BlobSkip,
    ChunkStart,
    Damage,
    Event,
    EventStream,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveError,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.claims import claimed_spans, claims_value

#: Fields that say where something is, or in which place of a container: these move when something before it comes or goes.
PLACES: Final = frozenset({"offset", "value_offset", "data_offset", "size", "index", "count"})
ENTERS: Final = (ObjectHeader, StructEnter)
EXITS: Final = (ObjectEnd, StructExit)
LEAVES: Final = (PropertyTag, Field)

#: So far a reader may look ahead to decide what opens.
PEEK: Final = 64

Spans = tuple[tuple[int, int], ...]


@frozen
class Seen:
    """An event: what it says besides places, the bytes that it claims, and the headers of what it is in, outermost first."""

    said: tuple[object, ...]
    spans: Spans
    around: Spans
    is_leaf: bool
    #: It says that bytes are lost, or passed over.
    tells: bool


@frozen
class Reading:
    """The events of a sound save by where they start."""

    at: dict[int, Seen] = field(repr=False)
    size: int


@frozen
class StreamTruth:
    """What may be given of a stream that was changed."""

    reading: Reading = field(repr=False)
    stream: Edited = field(repr=False)


def seen_of(events: EventStream) -> Iterator[Seen | SaveEnd]:
    """Read a save to its end."""
    around: list[Spans] = []
    last: tuple[Event, tuple[str, ...], Spans] | None = None
    for event in events:
        if isinstance(event, (ChunkStart, SaveStart)):
            continue
        opener: Spans = ()
        if last is not None:
            yield _seen(*last, event)
            if isinstance(last[0], PropertyTag) and not claims_value(last[0], event):
                opener = tuple(claimed_spans(last[0], with_value=False))
        names = tuple(part for part in events.path if isinstance(part, str))
        last = event, names, (*(span for spans in around for span in spans), *opener)
        if isinstance(event, EXITS):
            around.pop()
        if isinstance(event, ENTERS):
            around.append((claimed_spans(event)[0], *opener))
        if isinstance(event, SaveEnd):
            yield event


def _seen(event: Event, names: tuple[str, ...], around: Spans, after: Event) -> Seen:
    has_value = claims_value(event, after)
    said = tuple(value for name, value in zip(event.__match_args__, event._values(), strict=True) if name not in PLACES)  # noqa: SLF001 - the fields of any event
    spans = tuple(span for span in claimed_spans(event, with_value=has_value) if span[0] < span[1])
    return Seen(
        (type(event).__name__, *said, names),
        spans,
        around,
        isinstance(event, LEAVES) and has_value,
        isinstance(event, (Damage, BlobSkip)),
    )


def reading_of(data: bytes, name: str) -> Reading | None:
    """Return the events of a save of the format of that name; None if it is of another, or not sound."""
    at: dict[int, Seen] = {}
    try:
        with streamsave.open(data, on_damage="resync") as events:
            start = next(events)
            if not isinstance(start, SaveStart) or start.format != name:
                return None
            for seen in seen_of(events):
                if isinstance(seen, SaveEnd):
                    return Reading(at, seen.offset)
                if seen.said[0] == "Damage":
                    return None
                if seen.spans:
                    at[seen.spans[0][0]] = seen
    except SaveError:
        pass
    return None


def lies_of_stream(data: bytes, truth: StreamTruth) -> list[Finding]:
    """Read a damaged save in resync mode, and compare what is given of untouched bytes."""
    given: list[Seen] = []
    try:
        with streamsave.open(data, on_damage="resync") as events:
            given += [seen for seen in seen_of(events) if isinstance(seen, Seen)]
    except SaveError:
        return []  # a limit, or a start that is no save's: nothing more is given, and that is told
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        return [crash(error, "stream truth")]
    return [*_misread(given, truth), *_missing(given, truth)][:1]


def _misread(given: Iterable[Seen], truth: StreamTruth) -> Iterator[Finding]:
    """Find what is given of untouched bytes, but is not as it was."""
    stream = truth.stream
    for seen in given:
        if (
            not seen.spans
            or seen.tells
            or not _is_untouched_now(stream, (*seen.around, *seen.spans, _context(seen, len(stream))))
        ):
            continue
        start = seen.spans[0][0]
        was = truth.reading.at.get(stream.before(start))
        if was is None:
            yield Finding("lie", f"{start:#x}: {seen.said} was nothing that starts there", f"lie stream {seen.said[0]}")
        elif not was.tells and not _is_same(seen, was) and _is_untouched(stream, (*was.around, *was.spans)):
            yield Finding("lie", f"{start:#x}: {seen.said} was {was.said}", f"lie stream {seen.said[0]}")


def _context(seen: Seen, size: int) -> tuple[int, int]:
    """Return the bytes besides that decide how an event is read.

    A value without a tag is where those before it in its nesting end. What opens a nesting may depend on the bytes after it.
    """
    start, end = seen.spans[0]
    if seen.said[0] == "Field":
        return seen.around[-1][0] if seen.around else 0, start
    return (start, end) if seen.is_leaf else (start, min(end + PEEK, size))


def _is_same(seen: Seen, was: Seen) -> bool:
    return seen.said == was.said and [end - at for at, end in seen.spans] == [end - at for at, end in was.spans]


def _missing(given: Iterable[Seen], truth: StreamTruth) -> Iterator[Finding]:
    """Find values that are missing, and nothing tells it."""
    stream = truth.stream
    starts = {start for seen in given for start, _ in seen.spans}
    told = [span for seen in given if seen.tells for span in seen.spans]
    for at, was in truth.reading.at.items():
        end = was.spans[0][1]
        now = stream.now(at, end)
        if not was.is_leaf or now < 0 or now in starts or not _is_untouched(stream, was.around):
            continue
        if not any(start < now + end - at and now < stop for start, stop in told):
            yield Finding("untold", f"{now:#x}: {was.said} is missing", "untold stream")


def _is_untouched_now(stream: Edited, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether all of these bytes are old ones, and each span in one piece."""
    for start, end in spans:
        if start < end:
            before = stream.before(start)
            if before < 0 or stream.now(before, before + end - start) != start:
                return False
    return True


def _is_untouched(stream: Edited, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether all of these bytes, as they were, are still there, each span in one piece."""
    return all(stream.now(*span) >= 0 for span in spans if span[0] < span[1])
