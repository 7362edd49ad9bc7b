"""The verbs that the events of a rewritten save have in common with those of one that is only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from streamsave.consume.stream import EventStream
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, ObjectHeader, PropertyTag, StructEnter
from streamsave.values import ObjectReference, Opaque

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["EventVerbs"]


class EventVerbs:
    """Does what `EventStream` does, and notes that a verb has gone past what the last event opened."""

    def __init__(self, events: EventStream) -> None:
        self._events = events
        #: A verb has gone past what the last event opened.
        self._passed = False

    def only(self, where: str | Selection | Callable[[ObjectHeader], bool]) -> None:
        """Do as `EventStream.only`: objects that do not match make no events, and stay as they are."""
        self._events.only(where)

    def skip(self) -> BlobSkip:
        """Do as `EventStream.skip`."""
        skipped = self._events.skip()
        self._passed = True
        return skipped

    def build(self) -> object:
        """Do as `EventStream.build`. The value may be replaced afterwards."""
        value = self._events.build()
        self._passed = True
        return value

    def raw(self) -> bytes:
        """Do as `EventStream.raw`. The bytes may be replaced afterwards."""
        data = self._events.raw()
        self._passed = True
        return data

    def slices(self) -> Iterator[tuple[int, list[object] | bytes]] | None:
        """Do as `EventStream.slices`. Once all slices were taken, the value may be replaced."""
        slices = self._events.slices()
        self._passed = slices is not None or self._passed
        return slices

    def references(self) -> list[str]:
        """Do as `EventStream.references`."""
        found = self._events.references()
        self._passed = True
        return found

    def takes(self, header: ObjectHeader) -> bool:
        """Do as `EventStream.takes`."""
        return self._events.takes(header)

    def _peek(self, most: int) -> bytes:
        """Do as `EventStream._peek`."""
        return self._events._peek(most)

    def opaque(self, event: BlobSkip) -> Opaque:
        """Do as `EventStream.opaque`."""
        return self._events.opaque(event)

    def _script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Do as `EventStream._script_struct`."""
        return self._events._script_struct(enter)

    def is_leaf(self) -> bool:
        """Do as `EventStream.is_leaf`."""
        return self._events.is_leaf()

    @property
    def path(self) -> tuple[PathStep, ...]:
        """Names and indices from the outermost nesting to the last event."""
        return self._events.path

    @property
    def depth(self) -> int:
        """How many nestings are open, the one that the last event opened included."""
        return self._events.depth

    def location(self, event: Event) -> tuple[int, int, int] | None:
        """Do as `EventStream.location`."""
        return self._events.location(event)

    def _key_of(self, offset: int) -> int:
        """Do as `EventStream._key_of`."""
        return self._events._key_of(offset)

    def holds_objects(self, header: ObjectHeader) -> bool:
        """Do as `EventStream.holds_objects`."""
        return self._events.holds_objects(header)

    def _leads_to_objects(self, event: PropertyTag | StructEnter) -> bool:
        """Do as `EventStream._leads_to_objects`."""
        return self._events._leads_to_objects(event)
