"""Does a reader of another package do what `streamsave.formats` asks of it? It is asked by reading the save a few times more.

| rule | how a breach is found |
|---|---|
| all that comes is an event: of a generator, `yield from` gives them | it has no offset |
| a nesting is left by its own exit event, the innermost first; `SaveEnd` is the last event | it is not |
| `SaveStart` comes first | something else does, such as the `ChunkStart` of what was read before |
| `holds_objects`, `leads_to_objects` are True of all that is around an object | it came where one had said False |
| `skip()` goes to the end of what the last event opened | the events that follow are not those that follow in a whole walk |
| `SaveEnd` is where the stream ends | bytes follow, or it ends before |
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Final

from streamsave.check.finding import FINDING, Finding
from streamsave.claims import claims_value
from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.reader import Reader
from streamsave.errors import PathStep, SaveError
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats import Format
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["OPENED", "Seen", "Survey", "fault_text", "foreign_findings", "is_foreign", "name_of", "without_chunks"]

#: How the modules of our readers start.
OURS: Final = "streamsave."
#: What messages call what an event opened.
OPENED: Final[dict[type[Event], str]] = {
    ObjectHeader: "object",
    PropertyTag: "property",
    Field: "field",
    StructEnter: "nesting",
}
#: What is skipped in each further walk.
SKIPPED: Final[tuple[tuple[type[Event], ...], ...]] = ((PropertyTag, Field), (ObjectHeader,), (StructEnter,))


def is_foreign(row: Format) -> bool:
    """Return whether the reader of a format is of another package."""
    module = row.reader if isinstance(row.reader, str) else row.reader.__module__
    return not module.startswith(OURS)


class Seen:
    """What was seen of a save so far.

    Attributes:
        last: the last event.
        opened: the events that opened what is open, the outermost first.
        chunks: those that were entered, by their index.
    """

    def __init__(self) -> None:
        self.last: Event | None = None
        self.opened: list[StructEnter | ObjectHeader] = []
        self.chunks: dict[int, ChunkStart] = {}

    @property
    def names(self) -> list[str]:
        """The names of the nestings that are open around what the last event opened. The one object of a save game has none."""
        inner = self.opened[:-1] if isinstance(self.last, (StructEnter, ObjectHeader)) else self.opened
        return [name for name in map(name_of, inner) if name]

    def note(self, event: Event) -> str:
        """Take the next event; return what is wrong with its place, "" if nothing is."""
        last, self.last = self.last, event
        around = self.opened[-1] if self.opened else None
        if not hasattr(event, "offset"):
            raise TypeError(f"Event object expected; got {type(event).__name__}")  # as compiled code does
        if isinstance(last, SaveEnd):
            return f"{type(event).__name__} comes after SaveEnd"
        if isinstance(event, ChunkStart):
            self.chunks[event.index] = event
        elif isinstance(event, (StructEnter, ObjectHeader)):
            self.opened.append(event)
        elif isinstance(event, (StructExit, ObjectEnd)):
            wanted = StructEnter if isinstance(event, StructExit) else ObjectHeader
            if not isinstance(around, wanted) or name_of(around) != name_of(event):
                inner = "nothing" if around is None else _name(around)
                return f"{type(event).__name__} of {name_of(event)!r} comes, but {inner} is open"
            self.opened.pop()
        elif isinstance(event, SaveEnd) and around is not None:
            return f"SaveEnd comes, but {_name(around)} is open"
        return ""


class Survey:
    """What a walk over a whole save shows, up to the first event that does not nest: nothing else can be tried then.

    Attributes:
        faults: rule -> the first breach of it.
        size: of the inflated stream, in bytes.
        depth: the most nestings that are open where one is in another of its kind; 0 if none is.
        has_chunks: something is compressed, or an archive.

    Raises:
        SaveError: the save is damaged.
    """

    def __init__(self, events: EventStream) -> None:
        self.faults: dict[str, Finding] = {}
        self.size = 0
        self.depth = 0
        seen = Seen()
        #: Of all that is open: whether its reader says that there may be objects in it.
        leads: list[bool] = []
        #: Where the value of a property starts whose reader says that no object is in it.
        closed = -1
        for event in events:
            if seen.last is None and not isinstance(event, SaveStart):
                early = "the reader reads the stream before it gives SaveStart"
                self._add("start", f"the first event is {type(event).__name__}, not SaveStart: {early}", event)
            nesting = seen.note(event)
            if nesting:
                self._add("nesting", nesting, event, events.path)
                break
            self.size = event.offset
            if isinstance(event, PropertyTag):
                closed = -1 if events._leads_to_objects(event) else event.value_offset
            elif isinstance(event, (StructEnter, ObjectHeader)):
                if isinstance(event, StructEnter):
                    leads.append(event.offset != closed and events._leads_to_objects(event))
                else:
                    for outer in [outer for outer, may_lead in zip(seen.opened, leads, strict=False) if not may_lead]:
                        asked = "holds_objects" if isinstance(outer, ObjectHeader) else "leads_to_objects"
                        text = f"{asked}() says that no object is in {_name(outer)}, but {_name(event)} is"
                        self._add("objects-inside", text, event, events.path)
                    leads.append(events.holds_objects(event))
                if _kind(event) in map(_kind, seen.opened[:-1]):
                    self.depth = max(self.depth, events.depth)
            elif isinstance(event, (StructExit, ObjectEnd)):
                leads.pop()
            elif isinstance(event, Field) and seen.names and events.path == (event.name,):
                text = f"the path of the field {event.name} does not have {seen.names[-1]}, which is open"
                self._add("path", f"{text}: append its name to Reader.steps", event, events.path)
            elif isinstance(event, SaveEnd) and events.path:
                text = f"Reader.steps has {len(events.path)} names at the end: remove each when its nesting closes"
                self._add("path", text, event, events.path)
        self.has_chunks = bool(seen.chunks)

    def _add(self, kind: str, text: str, event: Event, path: tuple[PathStep, ...] = ()) -> None:
        self.faults.setdefault(kind, Finding(FINDING, kind, text, event.offset, path))


def _kind(event: Event) -> tuple[str, str]:
    """Return what a nesting is: nestings of a kind in each other may be any number."""
    return ("object", event.kind) if isinstance(event, ObjectHeader) else ("nesting", getattr(event, "type_name", ""))


def fault_text(error: BaseException) -> str:
    """Return what was raised, and if it is no `SaveError`, the line of the reader that raised it."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SaveError):
        return text
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__)]
    own = [each for each in frames if not str(each[0].f_globals.get("__name__")).startswith(OURS)] or frames
    if not own:
        return text
    frame, line = own[-1]
    return f"{text} ({Path(frame.f_code.co_filename).name}:{line})"


def foreign_findings(source: Source, limits: Limits, row: Format, survey: Survey) -> Iterator[Finding]:
    """Yield what the reader of a save does that it must not.

    Args:
        source: the save, which was read to its end without an error.
        limits: those of the save.
        row: its format.
        survey: of the save.

    Raises:
        SaveError: the save cannot be read again.
    """
    yield from [survey.faults[kind] for kind in ("start", "objects-inside") if kind in survey.faults]
    for kinds in SKIPPED:
        finding = _skip(EventStream(source, limits, reader=row), EventStream(source, limits, reader=row), kinds)
        if finding is not None:
            yield finding
            break  # others have the same cause
    events = EventStream(source, limits, reader=row)
    next(events)
    yield from _end(events._reader, limits, survey.size)


def without_chunks(events: EventStream) -> Iterator[Event]:
    """Return the events that are no `ChunkStart`: what is skipped enters no chunk."""
    return (event for event in events if not isinstance(event, ChunkStart))


def _pass_inside(events: Iterator[Event], event: Event) -> Event | None:
    """Go to where `skip()` has to lead from an event: return the exit of a nesting, what follows a property; None for a field."""
    if isinstance(event, Field):
        return None
    if not isinstance(event, PropertyTag):
        return _exit(events)
    inner = next(events)
    if not claims_value(event, inner):
        end = event.value_offset + event.size
        while isinstance(inner, (StructEnter, BlobSkip)) and (inner.offset < end or inner.offset == event.value_offset):
            if isinstance(inner, StructEnter):
                _exit(events)
            inner = next(events)
    return inner


def _exit(events: Iterator[Event]) -> Event:
    """Return the exit of the nesting that is open."""
    depth = 1
    while True:
        event = next(events)
        depth += isinstance(event, (StructEnter, ObjectHeader)) - isinstance(event, (StructExit, ObjectEnd))
        if not depth:
            return event


def _skip(whole: EventStream, short: EventStream, kinds: tuple[type[Event], ...]) -> Finding | None:
    """Walk a save twice, with and without what is in events of some kinds; return the first difference."""
    every, some = without_chunks(whole), without_chunks(short)
    skipped: Event | None = None
    #: Where `skip()` has to lead.
    target: Event | None = None
    path = short.path
    while True:
        expected = target or next(every)
        target = None
        fault: Exception | None = None
        event: Event | None = None
        try:
            event = next(some)
        except (SaveError, RuntimeError) as error:
            fault = error
        if event is None or type(event) is not type(expected) or event.offset != expected.offset:
            if skipped is None:  # it is not the same when it is read again
                return None if fault is None else Finding(FINDING, "skip", f"the save cannot be read again: {fault}")
            said = str(fault) if event is None else f"{type(event).__name__} at {event.offset}"
            message = (
                f"skip() of {_name(skipped)} goes elsewhere than to its end: {said} follows, not {type(expected).__name__} at"
                f" {expected.offset}; the reader has to override skip(), or to go on from where the cursor is"
            )
            return Finding(FINDING, "skip", message, skipped.offset, path)
        if isinstance(event, SaveEnd):
            return None
        if isinstance(event, kinds):
            skipped, path = event, short.path
            try:
                short.skip()
            except (SaveError, RuntimeError):
                continue  # the next event raises it again
            target = _pass_inside(every, expected)


def _end(reader: Reader, limits: Limits, end: int) -> Iterator[Finding]:
    """Compare `SaveEnd`, which is at `end`, with where the stream of a reader ends."""
    there, is_all = reader.windows.readable_end(limits)
    if there >= 0 and is_all:
        more = there - end
    else:
        cursor = reader.cursor
        cursor.set_limit(NO_LIMIT)
        cursor.seek(end)
        more = len(cursor.peek(1))
        if not more and end:
            cursor.seek(end - 1)
            more = len(cursor.peek(1)) - 1
    if more < 0:
        yield Finding(FINDING, "end", f"SaveEnd is at {end}, after the end of the stream", end)
    elif more:
        yield Finding(FINDING, "end", f"SaveEnd is at {end}, but {more if is_all else 'more'} bytes of the stream follow", end)


def _name(event: Event) -> str:
    """Return what messages call what an event opened."""
    return f"the {OPENED[type(event)]} {name_of(event)}"


def name_of(event: Event) -> str:
    """Return the name of what an event opened or closed."""
    return event.instance_name if isinstance(event, (ObjectHeader, ObjectEnd)) else str(getattr(event, "name", ""))
