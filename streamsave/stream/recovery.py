"""What the stream remembers to survive a fault: which nestings are open, and up to where its events have claimed the bytes.

A reader says in a `Damage` what it had to give up, and how many nestings stay open around that. The rest is the stream's: the
`Damage` claims only what no event has claimed before, and everything that was open in what was lost gets its exit.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from streamsave.claims import claimed_spans
from streamsave.errors import SaveError
from streamsave.events import ChunkStart, Damage, Event, ObjectEnd, ObjectHeader, SaveEnd, StructEnter, StructExit

__all__ = ["Recovery"]


#: What a reader has given up that does not know where the claims before it end.
PROPERTY: Final = "property"
#: What has a class, if it was announced.
OBJECT: Final = "object"


class Recovery:
    """The stream's memory, where faults are survived."""

    def __init__(self) -> None:
        #: The events that opened what is open.
        self._open: list[Event] = []
        #: The last event that claims bytes, if it is not the stream's last one.
        self._claimed: Event | None = None
        #: A verb has met this fault, which the stream tells of when it goes on.
        self.fault: SaveError | None = None
        #: The fault is in the value of the leaf that was announced last.
        self.in_leaf = False
        #: The last `Damage` that was settled.
        self._settled: Damage | None = None

    # --- what is open ---

    def enter(self, event: Event) -> None:
        """Note a nesting that opens."""
        self._open.append(event)

    def leave(self) -> None:
        """Note a nesting that ends."""
        self._open.pop()

    def depth(self) -> int:
        """Tell how many nestings are open."""
        return len(self._open)

    # --- what is claimed ---

    def note(self, event: Event | None) -> None:
        """Note the last event before something that claims no bytes."""
        if event is not None and not isinstance(event, ChunkStart):
            self._claimed = event

    def is_settled(self, damage: Damage) -> bool:
        """Whether a `Damage` has its place already."""
        return damage is self._settled

    def settle(self, damage: Damage, depth: int, end: int, last: Event | None) -> list[Event]:
        """Cut a `Damage` down to what nobody has claimed; give it with the exits of what is lost, down to `depth` nestings.

        Args:
            damage: the reader's.
            depth: how many nestings stay open.
            end: where what is lost ends.
            last: the stream's last event.
        """
        claimed = self._claimed_end(last)
        start = claimed if damage.offset < claimed <= end else damage.offset
        lost = damage.lost
        if lost.size < 0 and lost.kind == PROPERTY:
            lost = evolve(lost, size=end - start)
        for event in self._open:
            if lost.kind == OBJECT and isinstance(event, ObjectHeader) and event.instance_name == lost.name:
                lost = evolve(lost, class_name=event.class_name)
        damage = Damage(start, end - start, damage.error, lost)
        self.in_leaf = False
        self._settled = damage
        return [damage, *self._close(depth, end)]

    def give_up(self, error: SaveError, stream_end: int, claimed: int, last: Event | None) -> list[Event]:
        """Make the last events of a save of which all is lost behind what the last event claims, and behind `claimed`."""
        from streamsave.values import Loss  # noqa: PLC0415 - takes long, and few saves are damaged

        start = max(self._claimed_end(last), claimed)
        size = max(stream_end - start, 0) if stream_end >= 0 else -1
        end = start + max(size, 0)
        damage = Damage(start, size, error, Loss("rest of the save", "", (), size))
        self._settled = damage
        return [damage, *self._close(0, end), SaveEnd(end)]

    def _claimed_end(self, last: Event | None) -> int:
        """Tell where the claims of the stream's events end."""
        if last is None or isinstance(last, ChunkStart):
            last = self._claimed
        return 0 if last is None else claimed_spans(last, with_value=not self.in_leaf)[-1][1]

    def _close(self, depth: int, offset: int) -> list[Event]:
        """Make the exits of all but the outermost `depth` nestings; each takes its nesting away when it is given."""
        return [exit_of(event, offset) for event in reversed(self._open[depth:])]


def exit_of(event: Event, offset: int) -> Event:
    """Make the exit of a nesting, which claims nothing."""
    if isinstance(event, ObjectHeader):
        return ObjectEnd(offset, event.instance_name, 0)
    return StructExit(offset, event.name if isinstance(event, StructEnter) else "", 0)
