"""What a damaged save gives in resync mode is what was there: its events are compared with those of the sound save, byte by byte.

Bytes that no change has touched are read as they were: the same event with the same names around it. Or they are reported as
lost: a `Damage` or a `BlobSkip` claims them.

| finding | when |
|---|---|
| lie | untouched bytes are given as something else than they were |
| lie | an untouched element of a container is an object with another header than it had |
| untold | an untouched value is missing, and no `Damage` or `BlobSkip` claims it |

Where a change was made is not known: `00` put in before a `00` is the same as put in after it. What is true of the one is no lie.

Not known, and so not compared: what is in something whose own header was touched, or that begins with new bytes; what is in a
blob of Palworld, if the versions after it were touched, which say what of two layouts that fit it has; what was of unknown layout
in a member of shapez 2, if its version was touched; of a format without tags, what comes after a change in the same sized
nesting. There, too, an object with an untouched header comes as it was, or is told as lost.

The module is long because events, containers and claims are compared in one walk.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final

from attrs import evolve, field, frozen

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
from streamsave.claims import claimed_spans, claims_value, content_start

#: Fields that say where something is, or in which place of a container: these move when something before it comes or goes.
PLACES: Final = frozenset({"offset", "value_offset", "data_offset", "size", "index", "count"})
ENTERS: Final = (ObjectHeader, StructEnter)
EXITS: Final = (ObjectEnd, StructExit)
LEAVES: Final = (PropertyTag, Field)
OBJECT: Final = ObjectHeader.__name__
END: Final = ObjectEnd.__name__
STRUCT_END: Final = StructExit.__name__
FIELD: Final = Field.__name__
TAG: Final = PropertyTag.__name__

#: So far a reader may look ahead to decide what opens.
PEEK: Final = 128

#: Formats without tags: what a value is, the bytes before it decide, as far back as the innermost nesting with a size starts.
TAGLESS: Final = ("shapez2", "shapez2-blueprint")
#: Where the names and places of objects are in their data.
NAMELESS: Final = ("shapez2-blueprint", "astroneer")
#: The field with the pool whose indexes are the names after it.
POOL: Final = "names"
#: What an object's header says of it comes before this; then, what the whole save says.
HEADER_END: Final = 7
#: The kind of objects whose class is the key of a pair around them.
CLASS_OUTSIDE: Final = "foliage"
#: Of key profiles: the field with all profiles, and the objects after it, which have their names from it and none of their own.
NAMES_BEFORE: Final = ("profiles", "sub_objects")
#: Names in Palworld that say of what an array of bytes after them is.
NOTED: Final = frozenset({"MapObjectId", "GroupType", "WorkableType"})
#: What comes after such an array, and says which layout it has.
VERSIONS: Final = "CustomVersionData"
#: What an element without a name of its own is called.
NUMBERED: Final = re.compile(r"\[\d+\]$")
#: Members whose bytes decide how those of others are read, or what their strings are.
TABLES: Final = ("savegame.json", "strings.bin")

#: Other changes of which the same bytes come, that are compared.
MOST_OTHERS: Final = 256

Spans = tuple[tuple[int, int], ...]


@frozen
class Seen:
    """An event: what it says besides places, the bytes that it claims, and the headers of what it is in, outermost first."""

    said: tuple[object, ...]
    spans: Spans
    around: Spans
    is_leaf: bool
    #: It reports that bytes are lost, or passed over.
    is_report: bool
    start: int
    #: Where the content of the innermost nesting with a size starts, and where what an object is made of ends.
    frame: int
    end: int
    #: Where the innermost array of bytes that it is in, and that has a layout, starts and ends.
    blob: tuple[int, int] | None


@frozen
class Reading:
    """The events of a sound save by where they start."""

    at: dict[int, Seen] = field(repr=False)
    #: The headers of objects that are elements: they claim no bytes.
    elements: dict[int, Seen] = field(repr=False)
    size: int
    #: Its format has no tags.
    is_tagless: bool
    #: The names of its objects are in their data, or depend on other objects.
    is_nameless: bool

    def pools(self) -> list[tuple[int, int]]:
        """Return the bytes of all pools of names, and of what is before the first; none if there are none."""
        spans = [seen.spans[0] for seen in self.at.values() if seen.said[:2] == (FIELD, POOL)]
        return [(0, spans[0][1]), *spans] if spans else []

    def versions_after(self, blob: tuple[int, int] | None) -> Spans:
        """Return the bytes of the property after an array of bytes with a layout that says which one; none if there is none."""
        after = None if blob is None else self.at.get(blob[1])
        return after.spans if after is not None and after.said[:2] == (TAG, VERSIONS) else ()


@frozen
class StreamTruth:
    """What may be given of a stream that was changed."""

    reading: Reading = field(repr=False)
    stream: Edited = field(repr=False)
    #: What the strings in it are was changed.
    has_other_strings: bool = False
    #: The sound stream: other changes of which the same bytes come are no lies either.
    before: bytes = field(default=b"", repr=False)


def seen_of(events: EventStream, *, builds: bool = False) -> Iterator[Seen | SaveEnd]:
    """Read a save to its end; `builds`: build each value that has no events inside."""
    around: list[Spans] = []
    frames: list[int] = [0]
    blobs: list[tuple[int, int] | None] = [None]
    noted: Spans = ()
    names_before: Spans = ()
    last: tuple[Event, tuple[str, ...], Spans, int, tuple[int, int] | None] | None = None
    for event in events:
        if isinstance(event, (ChunkStart, SaveStart)):
            continue
        opener: Spans = ()
        inside: Spans = ()
        if isinstance(event, PropertyTag) and event.name in NOTED:
            noted = tuple(claimed_spans(event))
        if isinstance(event, Field) and event.name == NAMES_BEFORE[0]:
            names_before = tuple(claimed_spans(event))
        if last is not None:
            inside = _deciding(event, last[0], noted)
            yield _seen(*last, event)
            if isinstance(last[0], PropertyTag) and not claims_value(last[0], event):
                opener = tuple(claimed_spans(last[0], with_value=False))
        names = tuple(part for part in events.path if isinstance(part, str))
        blob = inside[0] if inside else blobs[-1]
        last = event, names, (*(span for spans in around for span in spans), *opener, *inside), frames[-1], blob
        if isinstance(event, EXITS):
            around.pop()
            frames.pop()
            blobs.pop()
        if isinstance(event, ENTERS):
            blobs.append(blob)
            named = names_before if isinstance(event, StructEnter) and event.name == NAMES_BEFORE[1] else ()
            around.append((claimed_spans(event)[0], *opener, *inside, *named))
            frames.append(content_start(event) if event.size >= 0 else frames[-1])
        if isinstance(event, SaveEnd):
            yield event
        if builds and isinstance(event, (PropertyTag, Field)):
            with suppress(SaveError):  # reported by the next event
                if events.is_leaf():
                    events.build()


def _deciding(event: Event, opener: Event, noted: Spans) -> Spans:
    """Return the bytes of an array of bytes with a layout: all of them, and what says of what it is, decide which layout."""
    if isinstance(event, StructEnter) and isinstance(opener, PropertyTag) and opener.inner_type == "ByteProperty":
        return (event.offset, event.offset + event.header_size + event.size), *noted
    return ()


def _seen(event: Event, names: tuple[str, ...], around: Spans, frame: int, blob: tuple[int, int] | None, after: Event) -> Seen:
    has_value = claims_value(event, after)
    said = tuple(value for name, value in zip(event.__match_args__, event._values(), strict=True) if name not in PLACES)  # noqa: SLF001 - the fields of any event
    spans = tuple(span for span in claimed_spans(event, with_value=has_value) if span[0] < span[1])
    return Seen(
        (type(event).__name__, *said, names),
        spans,
        around,
        isinstance(event, LEAVES) and has_value,
        isinstance(event, (Damage, BlobSkip)),
        event.offset,
        frame,
        event.data_offset + event.size if isinstance(event, ObjectHeader) else event.offset,
        blob,
    )


def reading_of(data: bytes, names: Container[str]) -> Reading | None:
    """Return the events of a save of a format of these names; None if it is of another, or not sound."""
    at: dict[int, Seen] = {}
    elements: dict[int, Seen] = {}
    try:
        with streamsave.open(data, on_damage="resync") as events:
            start = next(events)
            if not isinstance(start, SaveStart) or start.format not in names:
                return None
            for seen in seen_of(events):
                if isinstance(seen, SaveEnd):
                    return Reading(at, elements, seen.offset, start.format in TAGLESS, start.format in NAMELESS)
                if seen.said[0] == "Damage":
                    return None
                if seen.spans:
                    at[seen.spans[0][0]] = seen
                elif seen.said[0] == OBJECT:
                    elements[seen.start] = seen
    except SaveError:
        pass
    return None


def lies_of_stream(data: bytes, truth: StreamTruth, *, builds: bool = False) -> list[Finding]:
    """Read a damaged save in resync mode, and compare what is given of untouched bytes; `builds` is as for `seen_of`."""
    given: list[Seen] = []
    try:
        with streamsave.open(data, on_damage="resync") as events:
            given += [seen for seen in seen_of(events, builds=builds) if isinstance(seen, Seen)]
    except SaveError:
        return []  # a limit, or a start that is no save's: nothing more is given, and the error says so
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        return [crash(error, "stream truth")]
    found = _findings(given, truth)
    if found and truth.before:
        # Bytes put in may be the same as others put in elsewhere: nothing in the save shows which.
        others = (evolve(truth, stream=stream) for stream in truth.stream.slid(truth.before))
        if any(not _findings(given, other) for other in islice(others, MOST_OTHERS)):
            return []
    return found


def _findings(given: list[Seen], truth: StreamTruth) -> list[Finding]:
    return [*_misread(given, truth), *_missing(given, truth)][:1]


def _misread(given: Iterable[Seen], truth: StreamTruth) -> Iterator[Finding]:
    """Find what is given of untouched bytes, but is not as it was."""
    stream = truth.stream
    #: Of a format without tags: where nestings start that a change comes before, in the nestings around them.
    moved: set[tuple[int, int]] = set()
    for seen in given:
        if not seen.spans and seen.said[0] == OBJECT and not truth.has_other_strings:
            yield from _misnamed(seen, truth)
        if (
            not seen.spans
            or seen.is_report
            or (truth.has_other_strings and seen.said[0] != OBJECT)  # the string may be the name of its layout
            or not _is_untouched_now(stream, (*seen.around, *seen.spans))
            or not _is_untouched(stream, truth.reading.versions_after(_blob_before(seen, truth)))
        ):
            continue
        if not moved.isdisjoint(seen.around) or not _is_untouched_now(stream, [_context(seen, truth)]):
            if truth.reading.is_tagless:
                moved.add(seen.spans[0])
            continue
        start = seen.spans[0][0]
        was = truth.reading.at.get(stream.before(start))
        if was is None and truth.has_other_strings and _was_passed_over(stream.before(start), truth.reading):
            continue  # of a layout that the version, which was changed, said to be unknown
        if was is None and _has_other_bytes(seen, truth):
            continue
        if was is None:
            yield Finding("lie", f"{start:#x}: {seen.said} was nothing that starts there", f"lie stream {seen.said[0]}")
        elif not was.is_report and not _is_same(seen, was, truth) and _is_untouched(stream, (*was.around, *was.spans)):
            yield Finding("lie", f"{start:#x}: {seen.said} was {was.said}", f"lie stream {seen.said[0]}")


def _has_other_bytes(seen: Seen, truth: StreamTruth) -> bool:
    """Return whether a value without a tag is where one of its kind and size was, whose bytes were removed, with some after them.

    As where the bytes of a number are changed, nothing shows that they are not its own.
    """
    before = truth.stream.before(seen.spans[0][0] - 1)
    was = truth.reading.at.get(before + 1) if before >= 0 else None
    return seen.said[0] == "Field" and was is not None and _is_same(seen, was, truth)


def _was_passed_over(at: int, reading: Reading) -> bool:
    """Return whether a byte was one of those of unknown layout."""
    return any(was.is_report and start <= at < end for was in reading.at.values() for start, end in was.spans)


def _misnamed(seen: Seen, truth: StreamTruth) -> Iterator[Finding]:
    """Find an object that is an element with all of its bytes as they were, and has another header."""
    was = truth.reading.elements.get(truth.stream.before(seen.start))
    if truth.reading.is_nameless or was is None or was.end <= was.start or truth.stream.now(was.start, was.end) != seen.start:
        return
    first = 3 if was.said[1] == CLASS_OUTSIDE else 2
    one, other = ((said[1], *(_unnumbered(value) for value in said[first:HEADER_END])) for said in (seen.said, was.said))
    if one != other:
        yield Finding("lie", f"{seen.start:#x}: {seen.said} was {was.said}", "lie stream element")


def _unnumbered(value: object) -> object:
    """Return a name that is a position in a container without that: it moves when an element before it comes or goes."""
    return NUMBERED.sub("[]", value) if isinstance(value, str) else value


def _blob_before(seen: Seen, truth: StreamTruth) -> tuple[int, int] | None:
    """Return where the array of bytes with a layout was that an event is in now."""
    was = None if seen.blob is None else truth.reading.at.get(truth.stream.before(seen.blob[0]))
    return None if was is None else was.blob


def _context(seen: Seen, truth: StreamTruth) -> tuple[int, int]:
    """Return the bytes besides that decide how an event is read.

    A value without a tag is where those before it in its nesting end. What opens a nesting may depend on the bytes after it.
    """
    start, end = seen.spans[0]
    if truth.reading.is_tagless:
        if seen.said[0] != OBJECT:
            return max(seen.frame - 1, 0), end
        return start, min(seen.end + PEEK, len(truth.stream)) if truth.reading.is_nameless else end
    if seen.said[0] == "Field":
        return seen.around[-1][0] if seen.around else 0, start
    return (start, end) if seen.is_leaf else (start, min(end + PEEK, len(truth.stream)))


def _is_same(seen: Seen, was: Seen, truth: StreamTruth) -> bool:
    one, other = seen.said, was.said
    if truth.has_other_strings:
        one, other = one[:1], other[:1]
    elif truth.reading.is_nameless:
        # What a building is called depends on the objects around it, and on the type of the blueprint.
        one, other = ((said[:3:2] if said[0] == OBJECT else said[:1] if said[0] == END else said[:-1]) for said in (one, other))
    elif one[0] == other[0] == END:
        # An element of a container is called after its members, which may be others now.
        one, other = one[:1], other[:1]
    elif (one[0], other[0]) == (STRUCT_END, END) and not _is_untouched(truth.stream, [(was.around[-1][0], was.end)]):
        # With a member that is lost, it is no object.
        return True
    return one == other and [end - at for at, end in seen.spans] == [end - at for at, end in was.spans]


def _missing(given: Iterable[Seen], truth: StreamTruth) -> Iterator[Finding]:
    """Find values that are missing, and not reported."""
    stream = truth.stream
    starts = {start for seen in given for start, _ in seen.spans}
    reported = [span for seen in given if seen.is_report for span in seen.spans]
    for at, was in truth.reading.at.items():
        end = was.spans[0][1]
        now = stream.now(at, end)
        is_object = truth.reading.is_tagless and was.said[0] == OBJECT
        if not (was.is_leaf or is_object) or now < 0 or now in starts or not _is_untouched(stream, was.around):
            continue
        if not _is_untouched(stream, truth.reading.versions_after(was.blob)):
            continue
        if truth.reading.is_tagless and not is_object and not _is_known(was, end, truth):
            continue
        if not any(start < now + end - at and now < stop for start, stop in reported):
            yield Finding("untold", f"{now:#x}: {was.said} is missing", "untold stream")


def _is_known(was: Seen, end: int, truth: StreamTruth) -> bool:
    """Return whether nothing has changed that decides how a value without a tag is read."""
    return not truth.has_other_strings and _is_untouched(truth.stream, [(max(was.frame - 1, 0), end)])


def _is_untouched_now(stream: Edited, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether all of these bytes are old ones, and each span in one piece."""
    for start, end in spans:
        if start < end:
            before = stream.before(start)
            if before < 0 or stream.now(before, before + end - start) != start:
                return False
    return True


def has_other_names(reading: Reading, stream: Edited) -> bool:
    """Return whether a change has touched the names that others are indexes of."""
    return not _is_untouched(stream, reading.pools())


def _is_untouched(stream: Edited, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether all of these bytes, as they were, are still there, each span in one piece."""
    return all(stream.now(*span) >= 0 for span in spans if span[0] < span[1])
