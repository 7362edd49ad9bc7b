"""An open nesting of a save that is edited: its sections, and the fields that say how many bytes and elements each has."""

from __future__ import annotations

from typing import TypeAlias

from streamsave.decode.length import Length
from streamsave.events import Event, ObjectHeader, PropertyTag
from streamsave.rewriting.rows import Mark, Rows

__all__ = ["FAR", "Marks", "Nesting", "Section", "Slot"]

#: Further than any stream reaches.
FAR = 1 << 62
#: Of each run of rows.
Marks: TypeAlias = tuple[Mark, ...]


class Slot:
    """A row for a length field."""

    __slots__ = ("counts", "ends", "old", "place", "rows")

    def __init__(self, rows: Rows, field: Length, old: int) -> None:
        self.rows = rows
        self.place = rows.reserve(field.offset, field.width)
        #: What the field says in the save that is read.
        self.old = old
        self.counts = field.counts
        #: It counts only what is before `Section.late_start`.
        self.ends = field.end >= 0


class Section:
    """A stretch of a nesting, and the fields that say how many bytes and elements it has."""

    __slots__ = ("count", "end", "fields", "late_size", "late_start", "rows", "size", "slots", "start")

    def __init__(self, start: int, end: int, fields: list[Length], rows: Rows) -> None:
        self.start = start
        self.end = end
        self.fields = fields
        self.rows = rows
        #: How many bytes and elements there are more than before.
        self.size = 0
        self.count = 0
        #: Where one of the fields ends before the others, and how many of `size` are from there on.
        self.late_start = min((field.end for field in fields if field.end >= 0), default=FAR)
        self.late_size = 0
        #: Of each field, once there was an edit.
        self.slots: list[Slot] | None = None

    def grow(self, start: int, size: int) -> None:
        """Note that what starts at `start` has so many bytes more than before."""
        self.size += size
        if start >= self.late_start:
            self.late_size += size

    def change(self, slot: Slot) -> int:
        """Return how much more a field says than before."""
        if slot.counts:
            return self.count
        return self.size - self.late_size if slot.ends else self.size


class Nesting:
    """An open nesting: that of an event, and of the tag whose value it is."""

    __slots__ = ("event", "is_dropped", "marks", "sections", "tag")

    def __init__(self, event: Event, tag: PropertyTag | None, marks: Marks) -> None:
        self.event = event
        self.tag = tag
        #: What there was of the rows when it opened.
        self.marks = marks
        #: Made at the first edit.
        self.sections: list[Section] | None = None
        self.is_dropped = False

    @property
    def start(self) -> int:
        """Where it starts; of an object, that is its data where they have a header, or none."""
        if self.tag is not None:
            return self.tag.offset
        event = self.event
        if isinstance(event, ObjectHeader) and (event.header_size == 0 or self.has_header_apart):
            return event.data_offset - event.prefix_size
        return event.offset

    @property
    def has_header_apart(self) -> bool:
        """Whether the header of an object is somewhere else than before its data."""
        event = self.event
        if not isinstance(event, ObjectHeader) or event.header_size <= 0:
            return False
        return event.data_offset - event.prefix_size != event.offset + event.header_size

    @property
    def size(self) -> int:
        """How many bytes more it has than before."""
        return sum(section.size for section in self.sections or ())
