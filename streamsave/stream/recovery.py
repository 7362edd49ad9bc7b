"""What the stream keeps to go on after a fault: the open nestings, and where the claims of its events end.

A reader says in a `Damage` what it has lost, and how many nestings stay open around that. The stream does the rest: it cuts the
`Damage` down to bytes that no event has claimed, and makes an exit for each nesting that was lost.
"""

from __future__ import annotations

from typing import Final

from streamsave.claims import claimed_spans, claims_value
from streamsave.errors import SaveError
from streamsave.events import ChunkStart, Damage, Event, ObjectEnd, ObjectHeader, SaveEnd, StructEnter, StructExit

__all__ = ["Recovery"]


#: `Loss.kind` of a loss whose size depends on where the claims before it end.
PROPERTY: Final = "property"
#: `Loss.kind` of a loss that has a class, if its `ObjectHeader` came.
OBJECT: Final = "object"


class Recovery:
    """Open nestings and claims of a stream that goes on after faults."""

    def __init__(self) -> None:
        #: The events of the open nestings, outermost first.
        self._open: list[Event] = []
        #: The last event that claims bytes, if another came after it.
        self._claimed: Event | None = None
        #: A fault that the stream has met: its `Damage` is the next event.
        self.fault: SaveError | None = None
        #: The fault is in the value of the last leaf.
        self.in_leaf = False
        #: The last `Damage` that was cut down, or those that end the save.
        self._settled: tuple[Damage, ...] = ()
        #: Where the headers of the open level end, if they are apart from the data of its objects (else -1), and up to where they
        #: are claimed.
        self._headers_end: int = -1
        self._headers_claimed: int = 0

    # --- what is open ---

    def enter(self, event: Event, headers_end: int) -> None:
        """Note that a nesting opens; `headers_end` as `Reader.headers_end`."""
        self._open.append(event)
        self._headers_end = headers_end
        if isinstance(event, (ObjectHeader, StructEnter)):
            self._claim_headers(event.offset + event.header_size)

    def _claim_headers(self, end: int) -> None:
        """Note that an event claims headers of the open level up to `end`, if it claims headers at all."""
        if self._headers_claimed < end <= self._headers_end:
            self._headers_claimed = end

    def leave(self) -> None:
        """Note that the innermost nesting ends."""
        self._open.pop()

    def depth(self) -> int:
        """Return how many nestings are open."""
        return len(self._open)

    # --- what is claimed ---

    def note(self, event: Event | None) -> None:
        """Note the last event before one that claims no bytes."""
        if event is not None and not isinstance(event, ChunkStart):
            self._claimed = event

    def is_settled(self, damage: Damage) -> bool:
        """Return whether a `Damage` was cut down already."""
        return any(damage is each for each in self._settled)

    def settle(self, damage: Damage, depth: int, end: int, last: Event | None) -> list[Event]:
        """Cut a `Damage` down to bytes that no event has claimed.

        Args:
            damage: as the reader made it.
            depth: how many nestings stay open.
            end: where the lost bytes end, an offset in the inflated stream.
            last: the last event of the stream.

        Returns:
            The `Damage`, and the exits of the nestings that were lost.
        """
        from streamsave.values import Loss  # noqa: PLC0415 - takes long, and few saves are damaged

        claimed = self._claimed_end(last)
        if claimed > end and end < damage.offset + damage.size:
            # The last value ends after all that is there: the damage, which was cut off, claims it.
            self.in_leaf = True
            claimed = self._claimed_end(last)
        start = claimed if damage.offset < claimed <= end else damage.offset
        if start > end:
            start = end  # all of it is after the end of what is there
        lost = damage.lost
        if lost.size < 0 and lost.kind == PROPERTY:
            lost = Loss(lost.kind, lost.name, lost.path, end - start, lost.class_name, lost.count)
        for event in self._open:
            if lost.kind == OBJECT and isinstance(event, ObjectHeader) and event.instance_name == lost.name:
                lost = Loss(lost.kind, lost.name, lost.path, lost.size, event.class_name, lost.count)
        damage = Damage(start, end - start, damage.error, lost)
        if start == end and not self.in_leaf and not self._keeps_value(last, damage):
            damage = Damage(claimed, 0, damage.error, lost)  # where it was, it would seem to claim the value of a leaf
        self.in_leaf = False
        self._settled = (damage,)
        self._claim_headers(end)
        return [damage, *self._close(depth, end)]

    def give_up(
        self,
        error: SaveError,
        stated_end: int,
        readable: tuple[int, bool],
        claimed: int,
        last: Event | None,
        headers_end: int,
    ) -> list[Event]:
        """End a save of which the rest is lost: return its `Damage`, the exits of all nestings, and `SaveEnd`.

        Headers of objects that are lost may be before what was claimed last: they have a `Damage` of their own.

        Args:
            error: the fault.
            stated_end: where the save says that the inflated stream ends; -1 if it does not.
            readable: where it ends as far as it can be read (-1 if unknown), and whether nothing follows that.
            claimed: up to where earlier events have claimed the stream, if further than the last one.
            last: the last event of the stream.
            headers_end: as `Reader.headers_end`.
        """
        from streamsave.values import Loss  # noqa: PLC0415 - takes long, and few saves are damaged

        there, is_all = readable
        start = self._claimed_end(last)
        if 0 <= there < start:
            # The last value ends after all that is there: the damage claims it.
            self.in_leaf = True
            start = min(self._claimed_end(last), there)
        if claimed > start:
            start = claimed if there < 0 or claimed < there else there
        end = stated_end
        if there >= 0 and (is_all or end < 0 or there < end):
            end = there  # bytes after the stated end are lost, too
        size = max(end - start, 0) if end >= 0 else -1
        lost = max(stated_end - start, size) if stated_end >= 0 else size if is_all else -1
        damage = Damage(start, size, error, Loss("rest of the save", "", (), lost))
        self._settled = (damage,)
        if self._open and self._headers_claimed < headers_end <= start:
            headers_size = headers_end - self._headers_claimed
            headers = Damage(self._headers_claimed, headers_size, error, Loss("headers", "", (), headers_size, "", -1))
            self._settled = (damage, headers)
        end = start + max(size, 0)
        return [*self._settled, *self._close(0, end), SaveEnd(end)]

    def _keeps_value(self, last: Event | None, damage: Damage) -> bool:
        """Return whether a `Damage` leaves its value to the last event that claims bytes."""
        if last is None or isinstance(last, ChunkStart):
            last = self._claimed
        return last is None or claims_value(last, damage)

    def _claimed_end(self, last: Event | None) -> int:
        """Return where the claims of the stream's events end."""
        if last is None or isinstance(last, ChunkStart):
            last = self._claimed
        return 0 if last is None else claimed_spans(last, with_value=not self.in_leaf)[-1][1]

    def _close(self, depth: int, offset: int) -> list[Event]:
        """Return the exits of all but the outermost `depth` nestings, innermost first; `leave` follows when each is delivered."""
        return [exit_of(event, offset) for event in reversed(self._open[depth:])]


def exit_of(event: Event, offset: int) -> Event:
    """Return an exit of a nesting that claims no bytes."""
    if isinstance(event, ObjectHeader):
        return ObjectEnd(offset, event.instance_name, 0)
    return StructExit(offset, event.name if isinstance(event, StructEnter) else "", 0)
