"""What a reader asks before it makes the event of an object, if objects are selected. None: no selection, no cost."""

from __future__ import annotations

from streamsave.events import ObjectHeader

__all__ = ["Selecting"]


class Selecting:
    """Say which objects may match, as early as possible, so that a reader need not make events for the others.

    A reader may ask less than it could: `takes` is asked for each `ObjectHeader` that comes.
    """

    def __init__(self) -> None:
        #: The selection, or the caller, needs the data of objects, or at least its size.
        self.needs_data = True
        #: The caller needs what is in a level, but in no object.
        self.needs_rest = True

    def wants_kind(self, kind: str) -> bool:
        """Return whether an object of this kind may match."""
        return True

    def wants_class(self, class_name: str) -> bool:
        """Return whether an object of this class may match. This is asked for each object, so answers are cached."""
        return True

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Return whether an object with these names may match; it is asked after `wants_class`."""
        return True

    def wants_header(self, header: ObjectHeader) -> bool:
        """Return whether an object may match; if not, the reader makes no event for it."""
        return self.takes(header)

    def takes(self, header: ObjectHeader) -> bool:
        """Return whether an object matches whose header comes as an event."""
        raise NotImplementedError
