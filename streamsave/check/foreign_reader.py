"""Does a reader of another package do what `streamsave.formats` asks of it? It is asked by reading the save a few times more.

| rule | how a breach is found |
|---|---|
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
from streamsave.errors import SaveError
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

__all__ = ["OPENED", "Nestings", "fault_text", "foreign_findings", "is_foreign", "name_of", "order_findings"]

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


class Nestings:
    """What is open.

    Attributes:
        opened: the events that opened it, the outermost first.
    """

    def __init__(self) -> None:
        self.opened: list[StructEnter | ObjectHeader] = []
        self._has_ended = False

    def note(self, event: Event) -> str:
        """Take the next event; return what is wrong with its place, "" if nothing is."""
        if self._has_ended:
            return f"{type(event).__name__} comes after SaveEnd"
        if isinstance(event, (StructEnter, ObjectHeader)):
            self.opened.append(event)
        elif isinstance(event, (StructExit, ObjectEnd)):
            wanted = StructEnter if isinstance(event, StructExit) else ObjectHeader
            if not self.opened or not isinstance(self.opened[-1], wanted) or name_of(self.opened[-1]) != name_of(event):
                inner = _name(self.opened[-1]) if self.opened else "nothing"
                return f"{type(event).__name__} of {name_of(event)!r} comes, but {inner} is open"
            self.opened.pop()
        elif isinstance(event, SaveEnd):
            self._has_ended = True
            if self.opened:
                return f"SaveEnd comes, but {_name(self.opened[-1])} is open"
        return ""


def order_findings(source: Source, limits: Limits, row: Format) -> Iterator[Finding]:
    """Walk a save, and yield the first event that does not nest: nothing else can be tried then.

    Raises:
        SaveError: the save is damaged.
    """
    nestings = Nestings()
    events = EventStream(source, limits, reader=row)
    for event in events:
        fault = nestings.note(event)
        if fault:
            yield Finding(FINDING, "nesting", fault, event.offset, events.path)
            return


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


def foreign_findings(source: Source, limits: Limits, row: Format) -> Iterator[Finding]:
    """Yield what the reader of a save does that it must not, besides `order_findings`.

    Args:
        source: the save, which was read to its end without an error.
        limits: those of the save.
        row: its format.

    Raises:
        SaveError: the save cannot be read again.
    """
    events = EventStream(source, limits, reader=row)
    first = next(events)
    if not isinstance(first, SaveStart):
        message = (
            f"the first event is {type(first).__name__}, not SaveStart: the reader reads the stream before it gives SaveStart"
        )
        yield Finding(FINDING, "start", message, first.offset)
    around, end = _around_objects(events)
    if around is not None:
        yield around
    for kinds in SKIPPED:
        finding = _skip(EventStream(source, limits, reader=row), EventStream(source, limits, reader=row), kinds)
        if finding is not None:
            yield finding
            break  # others have the same cause
    yield from _end(events._reader, limits, end)


def _around_objects(events: EventStream) -> tuple[Finding | None, int]:
    """Find something with objects in it whose reader says that there are none; return where the save ends, too."""
    #: What is open, and whether there may be objects in it.
    around: list[tuple[Event, bool]] = []
    #: Where the value of a property starts whose reader says that no object is in it.
    closed = -1
    end = 0
    found: Finding | None = None
    for event in events:
        if isinstance(event, PropertyTag):
            closed = -1 if events._leads_to_objects(event) else event.value_offset
        elif isinstance(event, StructEnter):
            around.append((event, event.offset != closed and events._leads_to_objects(event)))
        elif isinstance(event, ObjectHeader):
            outer = next((outer for outer, leads in around if not leads), None)
            if outer is not None and found is None:
                asked = "holds_objects" if isinstance(outer, ObjectHeader) else "leads_to_objects"
                message = f"{asked}() says that no object is in {_name(outer)}, but {_name(event)} is"
                found = Finding(FINDING, "objects-inside", message, event.offset, events.path)
            around.append((event, events.holds_objects(event)))
        elif isinstance(event, (StructExit, ObjectEnd)):
            around.pop()
        elif isinstance(event, SaveEnd):
            end = event.offset
    return found, end


class Walk:
    """Events one by one, without chunks; one can be put back."""

    def __init__(self, events: EventStream) -> None:
        self.events = events
        self._held: Event | None = None

    def next(self) -> Event:
        """Return the next event."""
        event, self._held = self._held, None
        while event is None or isinstance(event, ChunkStart):
            event = next(self.events)
        return event

    def pass_inside(self, event: Event) -> None:
        """Go to where `skip()` has to lead from the last event: to the exit of a nesting, to what follows a property."""
        if isinstance(event, Field):
            return
        if not isinstance(event, PropertyTag):
            self._held = self._exit()
            return
        inner = self.next()
        if not claims_value(event, inner):
            end = event.value_offset + event.size
            while isinstance(inner, (StructEnter, BlobSkip)) and (inner.offset < end or inner.offset == event.value_offset):
                if isinstance(inner, StructEnter):
                    self._exit()
                inner = self.next()
        self._held = inner

    def _exit(self) -> Event:
        """Return the exit of the nesting that is open."""
        depth = 1
        while True:
            event = self.next()
            depth += isinstance(event, (StructEnter, ObjectHeader)) - isinstance(event, (StructExit, ObjectEnd))
            if not depth:
                return event


def _skip(whole: EventStream, short: EventStream, kinds: tuple[type[Event], ...]) -> Finding | None:
    """Walk a save twice, with and without what is in events of some kinds; return the first difference."""
    every, some = Walk(whole), Walk(short)
    skipped: Event | None = None
    path = short.path
    while True:
        expected = every.next()
        fault: Exception | None = None
        event: Event | None = None
        try:
            event = some.next()
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
            every.pass_inside(expected)


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
