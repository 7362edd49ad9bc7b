"""The open nestings of a save that is edited, and what the edits in them change: sizes and counts around each edit.

At the first edit in a nesting, a row is reserved for each of its length fields, those of the outermost nesting first; it is
filled when the nesting closes, or taken back if the field stays as it is. So rows come in the order of the bytes.

A Satisfactory level has all headers of its objects before all their data: edits among the headers are a run of rows of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from streamsave.decode.length import Length
from streamsave.errors import EditError
from streamsave.events import Event, ObjectHeader, PropertyTag, StructEnter
from streamsave.rewriting.rows import Mark, Row, Rows, merged

__all__ = ["Ledger", "Nesting"]

#: Further than any stream reaches.
FAR = 1 << 62
LEVEL = "Level"


class Slot:
    """A row for a length field."""

    __slots__ = ("counts", "old", "place")

    def __init__(self, place: int, old: int, *, counts: bool) -> None:
        self.place = place
        #: What the field says in the save that is read.
        self.old = old
        self.counts = counts


class Section:
    """A stretch of a nesting, and the fields that say how many bytes and elements it has."""

    __slots__ = ("count", "end", "fields", "rows", "size", "slots", "start")

    def __init__(self, start: int, end: int, fields: list[Length], rows: Rows) -> None:
        self.start = start
        self.end = end
        self.fields = fields
        self.rows = rows
        #: How many bytes and elements there are more than before.
        self.size = 0
        self.count = 0
        #: Of each field, once there was an edit.
        self.slots: list[Slot] | None = None


class Nesting:
    """An open nesting: that of an event, and of the tag whose value it is."""

    __slots__ = ("event", "is_dropped", "marks", "sections", "start", "tag")

    def __init__(self, event: Event, tag: PropertyTag | None, marks: tuple[Mark, Mark]) -> None:
        self.event = event
        self.tag = tag
        self.start = event.offset if tag is None else tag.offset
        if isinstance(event, ObjectHeader):
            self.start = event.data_offset - event.prefix_size
        #: What there was of the rows when it opened.
        self.marks = marks
        #: Made at the first edit.
        self.sections: list[Section] | None = None
        self.is_dropped = False

    @property
    def size(self) -> int:
        """How many bytes more it has than before."""
        return sum(section.size for section in self.sections or ())


class Ledger:
    """Rows of edits, in the order of the bytes.

    Args:
        lengths: returns the length fields of what an event opened, see `Reader.lengths`.
        read: returns what a length field says.
    """

    def __init__(self, lengths: Callable[[Event], list[Length]], read: Callable[[Length], int]) -> None:
        self._lengths = lengths
        self._read = read
        self._rows = Rows()
        #: Rows among the headers of objects.
        self._header_rows = Rows()
        self.nestings: list[Nesting] = []

    def __len__(self) -> int:
        return len(self._rows) + len(self._header_rows)

    def rows(self) -> Iterator[Row]:
        """Yield all edits in the order of the bytes. All nestings are closed."""
        return merged(self._rows, self._header_rows)

    # --- nestings ---

    def open(self, event: Event, tag: PropertyTag | None = None) -> None:
        """Enter a nesting; `tag` is the one whose value it is."""
        self.nestings.append(Nesting(event, tag, (self._rows.mark(), self._header_rows.mark())))

    def close(self, end: int) -> None:
        """Leave the innermost nesting, which ends at `end` with its terminator.

        Raises:
            EditError: something has become too large.
        """
        nesting = self.nestings.pop()
        event = nesting.event
        if nesting.is_dropped:
            if isinstance(event, ObjectHeader) and event.header_size > 0:
                self.edit(event.offset, event.offset + event.header_size, b"", -1)
            self.edit(nesting.start, end, b"", 0 if nesting.tag is not None else -1)
            return
        for section in nesting.sections or ():
            for slot in section.slots or ():
                change = section.count if slot.counts else section.size
                if change:
                    section.rows.fill(slot.place, slot.old + change)
                else:
                    section.rows.forget(slot.place)
        if self.nestings and nesting.sections:
            self._section(self.nestings[-1], nesting.start).size += nesting.size

    def find(self, event: Event) -> Nesting | None:
        """Return the open nesting that an event, or the tag of its value, has opened; None if there is none."""
        return next((nesting for nesting in self.nestings if nesting.event is event or nesting.tag is event), None)

    @property
    def is_dropping(self) -> bool:
        """Whether one of the open nestings is dropped."""
        return any(nesting.is_dropped for nesting in self.nestings)

    def drop(self, nesting: Nesting) -> None:
        """Drop an open nesting: the edits in it are forgotten."""
        self._rows.cut(nesting.marks[0])
        self._header_rows.cut(nesting.marks[1])
        nesting.is_dropped = True
        for open_nesting in self.nestings:
            for section in open_nesting.sections or ():
                mark = nesting.marks[0 if section.rows is self._rows else 1]
                if section.slots and section.slots[0].place >= mark.row_count:
                    section.slots = None
        for inner in self.nestings[self.nestings.index(nesting) :]:
            inner.sections = None

    # --- edits ---

    def check(self, start: int) -> None:
        """Raise an `EditError` if bytes from `start` on cannot be edited: they were edited already, or are dropped."""
        if self.is_dropping:
            raise EditError("it is inside of what is dropped")
        if start < self._run(start).edited_to:
            raise EditError("it was edited already")

    def edit(self, start: int, end: int, data: bytes, elements: int = 0) -> None:
        """Replace a range in the innermost nesting.

        Args:
            start: where it starts.
            end: where it ends.
            data: what replaces it.
            elements: how many elements of the nesting there are more than before.

        Raises:
            EditError: see `check`.
        """
        self.check(start)
        for nesting in self.nestings:
            self._reserve(self._section(nesting, start))
        section = self._section(self.nestings[-1], start)
        section.size += len(data) - (end - start)
        section.count += elements
        self._run(start).add(start, end, data)

    def _run(self, offset: int) -> Rows:
        """Return the rows for edits at an offset."""
        for nesting in self.nestings:
            if isinstance(nesting.event, StructEnter) and nesting.event.type_name == LEVEL:
                return self._section(nesting, offset).rows
        return self._rows

    def _reserve(self, section: Section) -> None:
        """Reserve rows for the fields of a section."""
        if section.slots is None:
            section.slots = []
            for field in section.fields:
                old = self._read(field)
                section.slots.append(Slot(section.rows.reserve(field.offset, field.width), old, counts=field.counts))

    def _section(self, nesting: Nesting, offset: int) -> Section:
        """Return the section of a nesting that an offset is in."""
        if nesting.sections is None:
            nesting.sections = self._sections(nesting)
        return next(section for section in nesting.sections if offset < section.end)

    def _sections(self, nesting: Nesting) -> list[Section]:
        event = nesting.event
        fields = self._lengths(event)
        if nesting.tag is not None:
            fields = [*self._lengths(nesting.tag), *fields]
        if not isinstance(event, StructEnter) or event.type_name != LEVEL:
            return [Section(nesting.start, FAR, fields, self._rows)]
        # The headers, the objects, and what follows them, which no size bounds.
        half = len(fields) // 2
        headers, objects = fields[:half], fields[half:]
        size = objects[0]
        end = FAR if size.counts else size.offset + size.width + self._read(size)
        return [
            Section(nesting.start, size.offset, headers, self._header_rows),
            Section(size.offset, end, objects, self._rows),
            Section(end, FAR, [], self._rows),
        ]
