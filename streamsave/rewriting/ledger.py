"""The open nestings of a save that is edited, and what the edits in them change: sizes and counts around each edit.

At the first edit in a nesting, a row is reserved for each of its length fields, those of the outermost nesting first; it is
filled when the nesting closes, or taken back if the field stays as it is. So rows come in the order of the bytes. A field that is
somewhere before its nesting, with other edits between them, has a row apart from all others.

A nesting may have sections with fields of their own. A Satisfactory level has all headers of its objects before all their data,
and events come from both in turn: edits in the first of several sections are a run of rows of their own.
"""

from __future__ import annotations

from array import array
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TypeAlias

from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import Event, ObjectHeader, PropertyTag
from streamsave.rewriting.rows import Mark, Row, Rows, merged

__all__ = ["FAR", "Ledger", "Marks", "Nesting", "Section", "Slot", "read_length"]


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
        #: Rows in the first section of nestings that have several.
        self._header_rows = Rows()
        #: Rows of fields before their nestings, or after the first edit in them, in any order.
        self._early_rows = Rows()
        #: What there is of the rows; None after they have changed.
        self._marks: Marks | None = None
        self.nestings: list[Nesting] = []
        #: One of the open nestings is dropped.
        self.is_dropping = False
        #: Where the objects with edits inside start, in their order; some of these may be forgotten.
        self.edited_objects = array("q")
        #: Something was inserted.
        self.inserts = False

    def __len__(self) -> int:
        return len(self._rows) + len(self._header_rows) + len(self._early_rows)

    def rows(self) -> Iterator[Row]:
        """Yield all edits in the order of the bytes. All nestings are closed."""
        # What is inserted at the end of the headers comes before the fields of the data, which start there: it has to be first.
        runs: list[Iterable[Row]] = [rows for rows in (self._header_rows, self._rows) if len(rows)]
        if len(self._early_rows):
            runs.append(sorted(self._early_rows, key=attrgetter("start")))
        return merged(*runs) if len(runs) > 1 else iter(*runs or ((),))

    def release(self) -> None:
        """Free what the rows take outside of memory."""
        for rows in (self._rows, self._header_rows, self._early_rows):
            rows.close()

    # --- nestings ---

    def open(self, event: Event, tag: PropertyTag | None = None) -> None:
        """Enter a nesting; `tag` is the one whose value it is."""
        marks = self._marks
        if marks is None:
            marks = self._marks = self._mark()
        self.nestings.append(Nesting(event, tag, marks))

    def _mark(self) -> Marks:
        """Return what there is of the rows: one tuple, while the compiled `open` would make one for each name."""
        return self._rows.mark(), self._header_rows.mark(), self._early_rows.mark()

    def split(self, offset: int) -> None:
        """From an offset on, other fields count what is in the innermost nesting."""
        nesting = self.nestings[-1]
        if nesting.sections is not None:
            nesting.sections[-1].end = offset
            nesting.sections.append(Section(offset, FAR, self._lengths(nesting.event), self._rows))

    def close(self, end: int) -> Event:
        """Leave the innermost nesting, which ends at `end` with its terminator; return what had opened it.

        Raises:
            EditError: something has become too large.
        """
        nesting = self.nestings.pop()
        if nesting.is_dropped:
            self.is_dropping = False
            event = nesting.event
            if isinstance(event, ObjectHeader) and nesting.has_header_apart:
                self.edit(event.offset, event.offset + event.header_size, b"", -1)
            self.leave_out(event, nesting.start, end, 0 if nesting.tag is not None else -1)
            return event
        if nesting.sections is None:
            return nesting.event
        for section in nesting.sections:
            for slot in section.slots or ():
                change = section.change(slot)
                if change:
                    slot.rows.fill(slot.place, slot.old + change)
                else:
                    slot.rows.forget(slot.place)
        if self.nestings:
            self._section(self.nestings[-1], nesting.start).grow(nesting.start, nesting.size)
        return nesting.event

    def close_all(self) -> None:
        """Leave all nestings: no edit follows, and none is dropped.

        Raises:
            EditError: something has become too large.
        """
        while self.nestings:
            self.close(FAR)

    def find(self, event: Event) -> Nesting | None:
        """Return the open nesting that an event, or the tag of its value, has opened; None if there is none."""
        for nesting in reversed(self.nestings):
            if nesting.event is event or nesting.tag is event:
                return nesting
        return None

    def drop(self, nesting: Nesting) -> None:
        """Drop an open nesting: the edits in it are forgotten."""
        nesting.is_dropped = True
        self.is_dropping = True
        if nesting.marks is self._marks:
            return  # there are none
        self._marks = None
        runs = (self._rows, self._header_rows, self._early_rows)
        for rows, mark in zip(runs, nesting.marks, strict=True):
            rows.cut(mark)
        for open_nesting in self.nestings:
            for section in open_nesting.sections or ():
                if section.slots and section.slots[0].place >= nesting.marks[runs.index(section.slots[0].rows)].row_count:
                    section.slots = None
        for inner in self.nestings[self.nestings.index(nesting) :]:
            inner.sections = None

    # --- edits ---

    def check(self, start: int, inside: int = -1) -> None:
        """Raise an `EditError` if bytes from `start` on cannot be edited: they were edited already, or are dropped.

        `inside` is as for `edit`.
        """
        if self.is_dropping:
            raise EditError("it is inside of what is dropped")
        if start < self._run(self._around(inside if inside >= 0 else start)).edited_to:
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
        start, end = self._span(event, start, end, self._run(self._around(start)).edited_to)
        self.edit(start, end, b"", elements)

    def edit(self, start: int, end: int, data: bytes, elements: int = 0, inside: int = -1) -> None:
        """Replace a range in the innermost nesting.

        Args:
            start: where it starts.
            end: where it ends.
            data: what replaces it.
            elements: how many elements of the nesting there are more than before.
            inside: a byte of the section that it belongs to; -1: the first byte.

        Raises:
            EditError: see `check`.
        """
        if self.is_dropping:
            raise EditError("it is inside of what is dropped")
        if inside < 0:
            inside = start
        sections = self._around(inside)
        rows = self._run(sections)
        if start < rows.edited_to:
            raise EditError("it was edited already")
        for section in sections:
            if section.slots is None:
                self._reserve(section, start)
        section = sections[-1]
        section.grow(inside, len(data) - (end - start))
        section.count += elements
        if data or end > start:
            marks = self.nestings[-1].marks
            rows.add(start, end, data, marks[1 if rows is self._header_rows else 0].row_count)
            self._marks = None

    def insert(self, places: Sequence[tuple[int, bytes]], elements: int, opened: Event | None, *, is_after: bool = False) -> None:
        """Insert bytes.

        Args:
            places: where, and which.
            elements: how many elements there are more at each place.
            opened: what has just been entered, if it is to be after the bytes; None: nothing was.
            is_after: they belong to what ends there, else to what starts there.

        Raises:
            EditError: see `check`.
        """
        self.inserts = True
        inner = self.nestings.pop() if opened is not None and self.nestings[-1].event is opened else None
        try:
            for offset, _ in places:
                self.check(offset, offset - 1 if is_after else -1)
            for offset, data in places:
                self.edit(offset, offset, data, elements, offset - 1 if is_after else -1)
        finally:
            if inner is not None:
                self.open(inner.event, inner.tag)

    def _around(self, offset: int) -> list[Section]:
        """Return the section of each open nesting that an offset is in."""
        return [self._section(nesting, offset) for nesting in self.nestings]

    def _run(self, sections: list[Section]) -> Rows:
        """Return the rows for edits in these sections, one in the other."""
        for section in sections:
            if section.rows is not self._rows:
                return section.rows
        return self._rows

    def _reserve(self, section: Section, start: int) -> None:
        """Reserve rows for the fields of a section, whose first edit starts at `start`."""
        section.slots = []
        for field in section.fields:
            old = self._read(field)
            rows = section.rows if section.start <= field.offset <= start else self._early_rows
            section.slots.append(Slot(rows, field, old))
            self._marks = None

    def _section(self, nesting: Nesting, offset: int) -> Section:
        """Return the section of a nesting that an offset is in."""
        sections = nesting.sections
        if sections is None:
            sections = nesting.sections = self._sections(nesting)
            if isinstance(nesting.event, ObjectHeader):
                insort(self.edited_objects, nesting.event.offset)
        for section in sections:
            if offset < section.end:
                break
        return section

    def _sections(self, nesting: Nesting) -> list[Section]:
        fields = self._lengths(nesting.event)
        if nesting.tag is not None:
            fields = [*self._lengths(nesting.tag), *fields]
        if not fields or fields[-1].section == 0:
            return [Section(nesting.start, FAR, fields, self._rows)]
        groups = [list(group) for _, group in groupby(fields, attrgetter("section"))]
        sections = [Section(group[0].offset, FAR, group, self._rows) for group in groups]
        sections[0].start = nesting.start
        sections[0].rows = self._header_rows
        for section, after in pairwise(sections):
            section.end = after.start
        size = groups[-1][0]
        if not size.counts:  # else nothing says where it ends
            end = sections[-1].end = size.offset + size.width + self._read(size)
            sections.append(Section(end, FAR, [], self._rows))
        return sections


def read_length(reader: Reader, length: Length) -> int:
    """Return what a length field says."""
    cursor = reader.cursor_back()
    cursor.set_limit(NO_LIMIT)
    cursor.seek(length.offset)
    return int.from_bytes(cursor.take(length.width), "little")
