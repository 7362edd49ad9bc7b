"""The iterator of events between a plain reader and the stream: the only place that catches faults.

A generator that raised is dead, so what may be lost alone is an iterator of its own: a `Part`, with the end of its bytes. The
generator around it waits at the `yield` that gave the `Part`, and goes on after it. In a part, `Family.mend` may know more: then
less is lost. If neither helps, the rest of the save is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from mypy_extensions import mypyc_attr

from streamsave.decode.reader import FINAL_LIMITS, Reader
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import (
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    StructEnter,
    StructExit,
)
from streamsave.input.windows import Windows
from streamsave.recovery.losses import Losses, Part

__all__ = ["Driver", "Family", "reaches"]


@mypyc_attr(allow_interpreted_subclasses=True)  # those of Arx and shapez 2 are plain Python
class Family:
    """What a family of formats knows of damage; this one knows nothing, so a fault costs the rest of the save.

    A family overrides what it needs. None of these methods catches a `SaveError` of the walk itself.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.losses = Losses()

    def events(self) -> Iterator[Event | Part]:
        """Yield the events of the save, in place of the reader's own generator, and parts for what may be lost alone."""
        return self.reader.events()

    def check(self, event: Event) -> Event:
        """Look at an event before it is given; return it, or another one.

        Raises:
            SaveError: it is not what it seems; the fault is where the event starts, and nothing of it is given.
        """
        return event

    def prove(self, event: Event) -> None:
        """Look at all that an event, the last one, has opened before it is built.

        Raises:
            SaveError: something in it is not what it seems.
        """

    def mend(self, error: SaveError) -> Part | None:
        """Find where to go on after a fault inside of a part, and move the reader there.

        Returns:
            What was lost; None: nothing is known, and the part is lost.
        """
        return None

    def is_stored(self) -> bool:
        """Return whether the stream is in the file as it is: it ends where the file does, whatever size is stated."""
        return False


class Parts:
    """The events of the innermost part, then those of the one around it. A fault passes through: only that part is dead."""

    def __init__(self, reader: Reader, events: Iterator[Event | Part]) -> None:
        self._reader = reader
        self._outer = events
        self.inner: list[Part] = []
        #: How many nestings are open, those whose events a verb has taken included.
        self.depth = 0

    def __iter__(self) -> Parts:
        return self

    def __next__(self) -> Event:
        while True:
            events = self.inner[-1].events if self.inner else self._outer
            event = next(events, None)
            if event is None:
                if not self.inner:
                    raise StopIteration
                self.inner.pop()
            elif isinstance(event, Part):
                event.depth = self.depth
                event.steps = len(self._reader.steps)
                event.limit = self._reader.cursor.limit()
                self.inner.append(event)
            else:
                self.depth += isinstance(event, (StructEnter, ObjectHeader))
                self.depth -= isinstance(event, (StructExit, ObjectEnd))
                return event


class Driver:
    """The events of a save, a `Damage` among them for each loss. It raises no `SaveError` after the first event."""

    def __init__(self, reader: Reader, family: Family) -> None:
        self._reader = reader
        self.family = family
        self.losses = family.losses
        self._parts = Parts(reader, family.events())
        reader.drive(self._parts)
        #: Events that were made already: what follows a `Damage`.
        self._held: list[Event] = []
        #: A fault that a verb has met: its `Damage` is the next event.
        self._fault: SaveError | None = None

    def close(self) -> None:
        """Drop the generators: they refer to the reader, and would keep it until the collector runs."""
        self._parts.inner.clear()
        self._parts = Parts(self._reader, iter(()))

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        """Return the next event; None after the last one.

        Raises:
            SaveError: not even `SaveStart` can be read.
        """
        if self._held:
            return self.losses.note(self._held.pop(0))
        last = self.losses.last
        if isinstance(last, SaveEnd):
            return None
        error = self._fault
        in_leaf = error is not None
        # What a verb was to read is lost as a whole, but for the outermost nesting.
        is_inner = isinstance(last, (StructEnter, ObjectHeader)) and len(self.losses.open) > 1
        self.losses.most = len(self.losses.open) - (error is not None and is_inner)
        self._fault = None
        if error is None:
            is_made = False
            self._parts.depth = len(self.losses.open)
            try:
                event = self._reader.next_event()
                if event is None:
                    return None
                is_made = True
                if isinstance(event, Damage):
                    self.losses.note_damage(event)
                self._reader.allowance.spend(self._reader.cursor)
                event = self.family.check(event)
            except SaveError as fault:
                error = fault
                in_leaf = not is_made and self._reader.is_pending and isinstance(last, (PropertyTag, Field))
            else:
                return self.losses.note(event)
        if last is None:
            raise error
        self._held = self._survive(error, in_leaf)
        return self.losses.note(self._held.pop(0))

    def fail(self, error: SaveError) -> bool:
        """Take a fault that a verb has met on the last event; return False if nothing goes on after it."""
        self._fault = error
        return self.losses.last is not None

    # --- after a fault ---

    def _survive(self, error: SaveError, in_leaf: bool) -> list[Event]:
        """Return what is lost through a fault, and move the reader past it."""
        if not error.path:
            error.path = self._reader.path()
        error.__traceback__ = None  # it would keep the bytes that the fault was found in
        if not (isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS):
            lost = self.family.mend(error) or self._leave_part()
            if lost is not None:
                return self.losses.lose(lost, error, in_leaf=in_leaf)
        self._reader.leave_leaf()
        windows = self._reader.windows
        there, is_all = windows.readable_end(self._reader.limits)
        if error is self._reader.cursor.fault and isinstance(windows.end_fault, LimitExceeded):
            error = windows.end_fault  # more would be read after the hole if the limit were higher
            error.path = error.path or self._reader.path()
        stated = int(self._reader.stream_end)
        if self.family.is_stored() and not isinstance(error, LimitExceeded) and 0 <= there < stated:
            stated = there
        return self.losses.give_up(error, stated, there, is_all=is_all, in_leaf=in_leaf)

    def _leave_part(self) -> Part | None:
        """Go past the innermost part whose end can be read; return what is lost, None if there is none."""
        reader = self._reader
        while self._parts.inner:
            part = self._parts.inner.pop()
            part.is_lost = True
            if part.end < 0 or part.depth > len(self.losses.open):
                continue  # a verb has walked into it, out of what it was to read: that is lost as a whole
            if part.find_end is not None:
                part.end, part.size = part.find_end()
            elif not reaches(reader.windows, part.end):
                continue
            self._parts.depth = part.depth
            path = reader.path()[: part.steps]
            if part.name and path[-1:] != (part.name,):
                path = (*path, part.name)
            part.path = path
            reader.abandon()
            reader.leave_leaf()
            del reader.steps[part.steps :]
            reader.cursor.set_limit(part.limit)
            reader.cursor.seek(part.end)
            return part
        return None


def reaches(windows: Windows, offset: int) -> bool:
    """Return whether all before an offset can be read, or is a hole of known size."""
    try:
        return windows.reaches(offset)
    except SaveError:  # the fault that is survived was reported, and nothing follows this one
        return False
