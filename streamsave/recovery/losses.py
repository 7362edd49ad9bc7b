"""What may be lost alone, and what was: parts, open nestings, where claims end, and the `Damage` cut to what nothing claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from streamsave.claims import claimed_spans, claims_value
from streamsave.decode.cursor import NO_LIMIT
from streamsave.errors import SaveError
from streamsave.events import Damage, Event, ObjectEnd, ObjectHeader, SaveEnd, StructEnter, StructExit
from streamsave.values import Loss

__all__ = ["OBJECT", "PROPERTY", "REST", "Losses", "Part", "lost_part"]

#: `Loss.kind`.
PROPERTY: Final = "property"
OBJECT: Final = "object"
REST: Final = "rest of the save"


class Part:
    """Events of an object, an entry, a member of an archive: what a fault in them costs at most.

    Args:
        events: makes them; they start where the cursor is when the first one is asked for.
        kind: `Loss.kind`.
        name: `Loss.name`.
        end: where its bytes end; -1: unknown, and a fault costs the part around it.
        find_end: finds that out, and `size`, after a fault.
        start: where they start, if events after it may have claimed more; `Loss.size`, `Loss.class_name`, `Loss.count`.
            Without `size`, it is that of the bytes which nothing else claims.
        path: `Loss.path`, if it is lost already.
        depth: how many nestings are open around it, likewise.
    """

    def __init__(
        self,
        events: Iterator[Event | Part],
        kind: str,
        name: str,
        end: int,
        *,
        start: int = 0,
        size: int | None = None,
        class_name: str = "",
        count: int = 1,
        find_end: Callable[[], tuple[int, int]] | None = None,
        path: tuple[str | int, ...] = (),
        depth: int = 0,
    ) -> None:
        self.events = events
        self.kind = kind
        self.name = name
        self.end = end
        self.start = start
        self.size = size
        self.class_name = class_name
        self.count = count
        self.find_end = find_end
        #: A fault has ended it.
        self.is_lost = False
        self.path = path
        # What is open around it, noted when it begins: nestings, steps of the path, the limit of the cursor.
        self.depth = depth
        self.steps = 0
        self.limit = NO_LIMIT


def lost_part(error: SaveError, kind: str, name: str, end: int, size: int | None = None, count: int = 1) -> Part:
    """Return a part that only says what is lost: `error` is its fault."""
    return Part(_raising(error), kind, name, end, size=size, count=count)


def _raising(error: SaveError) -> Iterator[Event]:
    raise error
    yield


class Losses:
    """Open nestings and claims of the events that were given."""

    def __init__(self) -> None:
        #: The events of the open nestings, outermost first.
        self.open: list[Event] = []
        #: How many nestings may stay open around the next one.
        self.most = 0
        #: How many nestings stay open around the last `Damage`.
        self.depth = 0
        #: The last event that claims bytes; a `ChunkStart`, which claims none, does not come here. None before `SaveStart`.
        self.last: Event | None = None
        #: Where the headers of the open level end, if they are apart from the data of its objects (else -1), and up to where they
        #: are claimed.
        self.headers_end = -1
        self._headers_claimed = 0
        #: Up to where the stream is claimed, if further than by the last event.
        self.claimed = 0

    def note(self, event: Event) -> Event:
        """Note an event that is given next, and return it; verbs make some, too."""
        self.last = event
        if isinstance(event, (StructEnter, ObjectHeader)):
            self.open.append(event)
            self._claim_headers(event.offset + event.header_size)
        elif isinstance(event, (StructExit, ObjectEnd)):
            self.open.pop()
        return event

    def note_damage(self, damage: Damage) -> None:
        """Note a `Damage` that a family, or who takes the events, has made: all that is open stays open."""
        self.depth = len(self.open)
        self._claim_headers(damage.offset + damage.size)

    def _claim_headers(self, end: int) -> None:
        if self._headers_claimed < end <= self.headers_end:
            self._headers_claimed = end

    def claimed_end(self, *, in_leaf: bool) -> int:
        """Return where the claims end; the value of the last leaf is not among them if the fault is `in_leaf`."""
        return 0 if self.last is None else claimed_spans(self.last, with_value=not in_leaf)[-1][1]

    def lose(self, lost: Part, error: SaveError, *, in_leaf: bool) -> list[Event]:
        """Return the `Damage`, and the exits of the nestings that were lost.

        Args:
            lost: what was lost.
            error: the fault.
            in_leaf: it is in the value of the last leaf.
        """
        end = lost.end
        claimed = self.claimed_end(in_leaf=in_leaf)
        if claimed > end and not in_leaf:
            # The last value ends after all that is there: the damage claims it.
            in_leaf = True
            claimed = self.claimed_end(in_leaf=True)
        start = min(max(claimed, lost.start), end)
        class_name = lost.class_name
        for event in self.open:
            if lost.kind == OBJECT and isinstance(event, ObjectHeader) and event.instance_name == lost.name:
                class_name = event.class_name
        loss = Loss(lost.kind, lost.name, lost.path, end - start if lost.size is None else lost.size, class_name, lost.count)
        damage = Damage(start, end - start, error, loss)
        if start == end and not in_leaf and self.last is not None and not claims_value(self.last, damage):
            damage = Damage(claimed, 0, error, loss)  # where it was, it would seem to claim the value of a leaf
        self._claim_headers(end)
        self.depth = lost.depth
        return [damage, *self._close(lost.depth, end)]

    def give_up(self, error: SaveError, stated_end: int, there: int, *, is_all: bool, in_leaf: bool) -> list[Event]:
        """End a save of which the rest is lost: return its `Damage`, the exits of all nestings, and `SaveEnd`.

        Headers of objects that are lost may be before what was claimed last: they have a `Damage` of their own.

        Args:
            error: the fault.
            stated_end: where the save says that the inflated stream ends; -1 if it does not.
            there: where it ends as far as it can be read; -1 if unknown.
            is_all: nothing follows that.
            in_leaf: the fault is in the value of the last leaf.
        """
        start = self.claimed_end(in_leaf=in_leaf)
        if 0 <= there < start:
            start = min(self.claimed_end(in_leaf=True), there)
        if self.claimed > start:
            start = self.claimed if there < 0 or self.claimed < there else there
        end = stated_end
        if there >= 0 and (is_all or end < 0 or there < end):
            end = there  # bytes after the stated end are lost, too
        size = max(end - start, 0) if end >= 0 else -1
        lost = max(stated_end - start, size) if stated_end >= 0 else size if is_all else -1
        made: list[Event] = [Damage(start, size, error, Loss(REST, "", (), lost))]
        if self.open and self._headers_claimed < self.headers_end <= start:
            headers = self.headers_end - self._headers_claimed
            made.append(Damage(self._headers_claimed, headers, error, Loss("headers", "", (), headers, "", -1)))
        end = start + max(size, 0)
        self.depth = 0
        return [*made, *self._close(0, end), SaveEnd(end)]

    def _close(self, depth: int, offset: int) -> list[Event]:
        """Return the exits of all but the outermost `depth` nestings, innermost first. They claim no bytes."""
        return [exit_of(event, offset) for event in reversed(self.open[depth:])]


def exit_of(event: Event, offset: int) -> Event:
    """Return an exit of a nesting that claims no bytes."""
    if isinstance(event, ObjectHeader):
        return ObjectEnd(offset, event.instance_name, 0)
    return StructExit(offset, event.name if isinstance(event, StructEnter) else "", 0)
