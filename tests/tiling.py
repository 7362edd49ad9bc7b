"""Which bytes each event claims, by the table in `streamsave.events`; the claims must tile the inflated stream."""

from collections.abc import Iterable, Iterator

from attrs import define, field

import streamsave
from streamsave import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit


def claims(event: Event, after: Event | None) -> Iterator[tuple[int, int]]:
    """The spans `[start, end)` that an event claims, given the event that follows it."""
    match event:
        case SaveStart() | SaveEnd():
            pass
        case StructEnter():
            yield event.offset, event.offset + event.header_size
        case ObjectHeader():
            yield event.offset, event.offset + event.header_size
            yield event.data_offset - event.prefix_size, event.data_offset
        case streamsave.PropertyTag():
            yield event.offset, event.value_offset
            if not (isinstance(after, (StructEnter, BlobSkip, Damage)) and after.offset == event.value_offset):
                yield event.value_offset, event.value_offset + event.size
        case Field() if isinstance(after, Damage) and after.offset == event.offset:
            pass
        case Damage(size=-1):
            raise AssertionError("how much was lost is not known")
        case StructExit() | ObjectEnd() | Field() | streamsave.Checkpoint() | BlobSkip() | Damage():
            yield event.offset, event.offset + event.size
        case _:
            raise AssertionError(f"no rule says what {type(event).__name__} claims")


@define
class Tiling:
    """The claims of events as they come, joined where they touch, so that a big save needs no memory.

    What `skip()` gives is fed as an event, after the one that it acted on.
    """

    _last: Event | None = None
    #: Joined claims by their end: where they start, and the events that claim the first and the last of them.
    _joined: dict[int, tuple[int, Event, Event]] = field(factory=dict)
    opened: list[Event] = field(factory=list)

    def feed(self, event: Event) -> None:
        if isinstance(event, streamsave.ChunkStart):
            return
        self.nest(event)
        self._claim(event)
        self._last = event

    def nest(self, event: Event) -> None:
        """Each nesting is left by its own exit event, innermost first."""
        if isinstance(event, (StructEnter, ObjectHeader)):
            self.opened.append(event)
        elif isinstance(event, StructExit):
            enter = self.opened.pop()
            assert isinstance(enter, StructEnter), f"{event} leaves {enter}"
            assert enter.name == event.name
        elif isinstance(event, ObjectEnd):
            header = self.opened.pop()
            assert isinstance(header, ObjectHeader), f"{event} leaves {header}"
            assert header.instance_name == event.instance_name

    def _claim(self, after: Event | None) -> None:
        """The event before `after` claims what it claims."""
        owner = self._last
        if owner is None:
            return
        for start, end in claims(owner, after):
            assert start <= end, f"{owner} claims less than nothing"
            if start == end:
                continue
            assert end not in self._joined, f"overlap before {end:#x}: {self._joined[end][2]} and {owner}"
            first_start, first, _ = self._joined.pop(start, (start, owner, owner))
            self._joined[end] = (first_start, first, owner)

    def finish(self, size: int) -> None:
        """Assert that the claims cover `[0, size)` without gap or overlap, and that no nesting was left open."""
        self._claim(None)
        at = 0
        before: Event | None = None
        for end in sorted(self._joined):
            start, first, last = self._joined[end]
            assert start == at, f"{'gap' if start > at else 'overlap'} at {at:#x}: {before}, then {first}"
            at, before = end, last
        assert at == size, f"claims end at {at:#x} of {size:#x}: {before}"
        assert self.opened == []


def assert_tiled(events: Iterable[Event], size: int) -> None:
    """Assert that the claims of all events of a save cover `[0, size)` without gap or overlap."""
    tiling = Tiling()
    for event in events:
        tiling.feed(event)
    tiling.finish(size)
