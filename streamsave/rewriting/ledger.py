"""The open nestings of a save that is edited, and what the edits in them change: sizes and counts around each edit.

At the first edit in a nesting, a row is reserved for each of its length fields, those of the outermost nesting first; it is
filled when the nesting closes, or taken back if the field stays as it is. So rows come in the order of the bytes. A field that is
somewhere before its nesting, with other edits between them, has a row apart from all others.

A Satisfactory level has all headers of its objects before all their data: edits among the headers are a run of rows of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

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

    __slots__ = ("counts", "old", "place", "rows")

    def __init__(self, rows: Rows, field: Length, old: int) -> None:
        self.rows = rows
        self.place = rows.reserve(field.offset, field.width)
        #: What the field says in the save that is read.
        self.old = old
        self.counts = field.counts


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

    __slots__ = ("event", "has_header_apart", "is_dropped", "marks", "sections", "start", "tag")

    def __init__(self, event: Event, tag: PropertyTag | None, marks: tuple[Mark, ...]) -> None:
        self.event = event
        self.tag = tag
        self.start = event.offset if tag is None else tag.offset
        #: The header of an object is somewhere else than before its data.
        self.has_header_apart = False
        if isinstance(event, ObjectHeader):
            start = event.data_offset - event.prefix_size
            self.has_header_apart = event.header_size > 0 and start != event.offset + event.header_size
            if self.has_header_apart or event.header_size == 0:
                self.start = start
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
        span: returns which bytes go with those that are left out, given how far there are edits; see `Family.span`.
    """

    def __init__(
        self,
        lengths: Callable[[Event], list[Length]],
        read: Callable[[Length], int],
        span: Callable[[Event, int, int, int], tuple[int, int]],
    ) -> None:
        self._lengths = lengths
        self._read = read
        self._span = span
        self._rows = Rows()
        #: Rows among the headers of objects.
        self._header_rows = Rows()
        #: Rows of fields before their nestings, in any order.
        self._early_rows = Rows()
        self.nestings: list[Nesting] = []

    def __len__(self) -> int:
        return len(self._rows) + len(self._header_rows) + len(self._early_rows)

    def rows(self) -> Iterator[Row]:
        """Yield all edits in the order of the bytes. All nestings are closed."""
        return merged(self._rows, self._header_rows, sorted(self._early_rows, key=attrgetter("start")))

    # --- nestings ---

    def open(self, event: Event, tag: PropertyTag | None = None) -> None:
        """Enter a nesting; `tag` is the one whose value it is."""
        marks = tuple(rows.mark() for rows in (self._rows, self._header_rows, self._early_rows))
        self.nestings.append(Nesting(event, tag, marks))

    def split(self, offset: int) -> None:
        """From an offset on, other fields count what is in the innermost nesting."""
        nesting = self.nestings[-1]
        if nesting.sections is not None:
            nesting.sections[-1].end = offset
            nesting.sections.append(Section(offset, FAR, self._lengths(nesting.event), self._rows))

    def close(self, end: int) -> None:
        """Leave the innermost nesting, which ends at `end` with its terminator.

        Raises:
            EditError: something has become too large.
        """
        nesting = self.nestings.pop()
        event = nesting.event
        if nesting.is_dropped:
            if isinstance(event, ObjectHeader) and nesting.has_header_apart:
                self.edit(event.offset, event.offset + event.header_size, b"", -1)
            self.leave_out(event, nesting.start, end, 0 if nesting.tag is not None else -1)
            return
        for section in nesting.sections or ():
            for slot in section.slots or ():
                change = section.count if slot.counts else section.size
                if change:
                    slot.rows.fill(slot.place, slot.old + change)
                else:
                    slot.rows.forget(slot.place)
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
        runs = (self._rows, self._header_rows, self._early_rows)
        for rows, mark in zip(runs, nesting.marks, strict=True):
            rows.cut(mark)
        nesting.is_dropped = True
        for open_nesting in self.nestings:
            for section in open_nesting.sections or ():
                if section.slots and section.slots[0].place >= nesting.marks[runs.index(section.slots[0].rows)].row_count:
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

    def leave_out(self, event: Event, start: int, end: int, elements: int) -> None:
        """Replace a range by nothing, with the bytes that go with it.

        Args:
            event: what is left out.
            start: as for `edit`.
            end: as for `edit`.
            elements: as for `edit`.

        Raises:
            EditError: see `check`.
        """
        start, end = self._span(event, start, end, self._run(start).edited_to)
        self.edit(start, end, b"", elements)

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
        if data or end > start:
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
                rows = section.rows if field.offset >= section.start else self._early_rows
                section.slots.append(Slot(rows, field, old))

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
