"""What a reader asks before it makes the events of an object, if somebody selects: `None` in place of a filter costs nothing."""

from __future__ import annotations

from streamsave.events import ObjectHeader

__all__ = ["ObjectFilter"]


class ObjectFilter:
    """Tells which objects may be wanted, as soon as something is known of them.

    A reader may ask less than it could: for an object that it makes the header of, nothing has to be asked at all.
    """

    def __init__(self) -> None:
        #: The data of objects is looked at, or at least its size.
        self.needs_data = True
        #: What stands in a level, but in no object, is looked at.
        self.needs_rest = True

    def wants_class(self, class_name: str) -> bool:
        """Whether an object of this class may be wanted. Asked for each object, so an answer is kept."""
        raise NotImplementedError

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Whether an object with these names may be wanted."""
        raise NotImplementedError

    def wants_header(self, header: ObjectHeader) -> bool:
        """Whether an object may be wanted; if not, no event is made of it."""
        raise NotImplementedError

    def takes(self, header: ObjectHeader) -> bool:
        """Whether an object is wanted whose header comes as an event: asked where a reader did not ask, or not enough."""
        raise NotImplementedError
