"""Track the open nestings of a save while it is edited, and update the sizes and counts around each edit.

The length fields of a nesting are read at the first edit inside of it. When the nesting closes, each field that has changed gets
a row. Its offset is before those of the edits, so rows are sorted at the end.

A nesting may have sections, each with its own length fields. A Satisfactory level stores the headers of all its objects before
all their data, and events alternate between both: so edits follow each other in each section by itself.

The module is long because length fields, nestings and edits depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from streamsave.claims import content_start
from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.reader import Length, Reader
from streamsave.errors import EditError
from streamsave.events import BlobSkip, ChunkStart, Event, Field, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.rewriting.family import Family
from streamsave.rewriting.rows import NumberSet, Rows

__all__ = ["Ledger", "Nesting", "as_bytes"]


class Counter:
    """A length field of an open nesting.

    Args:
        field: the field.
        start: where the bytes or elements that it counts start.
        end: where they end.
        old: its value in the old save.
    """

    def __init__(self, field: Length, start: int, end: int, old: int) -> None:
        self.field = field
        self.start = start
        self.end = end if field.end < 0 else field.end
        self.old = old
        #: New value - old value.
        self.change = 0


class Nesting:
    """An open nesting: the event that opened it, and the tag whose value it is, if any."""

    def __init__(self, event: Event, tag: PropertyTag | None = None, mark: tuple[int, int, int] = (0, 0, 0)) -> None:
        self.event = event
        self.tag = tag
        #: The state when it opened: of the rows, and where the last edit in each section ended.
        self.mark = mark
        #: Made at the first edit.
        self.counters: list[Counter] | None = None
        #: New size - old size, in bytes.
        self.growth = 0
        #: The same for a header that is stored apart from the data of its object: no field of the object counts it.
        self.header_growth = 0
        #: Where the first of several sections ends.
        self.split = -1

    def grow(self, start: int, size: int, elements: int) -> None:
        """Record that the bytes at `start` have grown by `size`, and that this nesting has `elements` more elements."""
        if self.has_header_apart and start < self.start:
            self.header_growth += size
            return
        self.growth += size
        for counter in self.counters or ():
            if counter.start <= start < counter.end:
                counter.change += elements if counter.field.counts else size

    @property
    def start(self) -> int:
        """Where it starts: the tag, or the event; for an object without a header, or with a header elsewhere, its data."""
        if self.tag is not None:
            return self.tag.offset
        event = self.event
        if isinstance(event, ObjectHeader) and (event.header_size == 0 or self.has_header_apart):
            return event.data_offset - event.prefix_size
        return event.offset

    @property
    def has_header_apart(self) -> bool:
        """Whether this is an object whose header is stored apart from its data."""
        event = self.event
        return (
            isinstance(event, ObjectHeader)
            and event.header_size > 0
            and event.data_offset - event.prefix_size != event.offset + event.header_size
        )


class Ledger:
    """Record edits, and keep the length fields around them right. It has no reference to a stream, which is freed when dropped.

    Args:
        family: of the save, with the reader that makes the events.

    Attributes:
        rows: all edits; once all nestings are closed, those of their length fields, too.
        tag: the last event, if it is a tag, or the tag whose bytes it is. `ChunkStart` events do not count.
    """

    def __init__(self, family: Family[Reader]) -> None:
        self.family = family
        self.tag: PropertyTag | None = None
        self.rows = Rows()
        #: Where the last edit ends: elsewhere, and in the first section of a nesting with sections.
        self._edited_to = [0, 0]
        self.nestings: list[Nesting] = []
        #: The open nesting that is dropped.
        self.dropped: Nesting | None = None
        #: Hashes of the names of edited objects, old and new; the edits of some may have been forgotten.
        self.edited_objects = NumberSet()
        #: Whether anything was inserted.
        self.inserts = False

    # --- nestings ---

    def note(self, event: Event) -> None:
        """Take the next event: if it opens a nesting, enter it. Exit events go to `close`."""
        tag = self.tag
        if isinstance(event, ChunkStart):
            return  # it may come between a tag and the event that opens its value
        self.tag = None
        if isinstance(event, PropertyTag):
            self.tag = event
        elif isinstance(event, (StructEnter, ObjectHeader, BlobSkip)):
            if tag is not None and tag.value_offset != event.offset:
                tag = None
            if isinstance(event, BlobSkip):
                self.tag = tag
            else:
                self.open(event, tag)
        elif isinstance(event, SaveStart):
            self.open(event)
        elif isinstance(event, Field) and self.family.is_count(event):
            self.split(event)

    def open(self, event: Event, tag: PropertyTag | None = None) -> None:
        """Enter a nesting; `tag` is the one whose value it is."""
        self.nestings.append(Nesting(event, tag, (len(self.rows), self._edited_to[0], self._edited_to[1])))

    def split(self, count: Field) -> None:
        """From this field on, it counts the elements of the innermost nesting."""
        counters = self._count(self.nestings[-1])
        for counter in counters:
            if counter.field.counts:
                counter.end = count.offset
        field = Length(count.offset, count.size, counts=True)
        counters.append(Counter(field, count.offset, NO_LIMIT, self._read(field)))

    def close(self, end: int) -> Event:
        """Leave the innermost nesting, whose terminator ends at `end`; return the event that opened it.

        Raises:
            EditError: a size or count is too large for its field.
        """
        nesting = self.nestings.pop()
        event = nesting.event
        if nesting is self.dropped:
            self.dropped = None
            if isinstance(event, ObjectHeader) and nesting.has_header_apart:
                self.edit(event.offset, event.offset + event.header_size, b"", -1)
            self.leave_out(event, nesting.start, end, 0 if nesting.tag is not None else -1)
        elif nesting.counters is not None:
            for counter in nesting.counters:
                if counter.change:
                    field = counter.field
                    self.rows.add(field.offset, field.offset + field.width, as_bytes(counter.old + counter.change, field))
            if self.nestings:
                self._count(self.nestings[-1])
                self.nestings[-1].grow(event.offset, nesting.header_growth, 0)
                self.nestings[-1].grow(nesting.start, nesting.growth, 0)
        return event

    def close_all(self) -> None:
        """Leave all nestings: no edit follows. None of them may be dropped.

        Raises:
            EditError: a size or count is too large for its field.
        """
        while self.nestings:
            self.close(NO_LIMIT)

    def find(self, event: Event) -> Nesting | None:
        """Return the open nesting of an event, or of a tag; None if it is not open."""
        return next((nesting for nesting in reversed(self.nestings) if nesting.event is event or nesting.tag is event), None)

    def drop(self, nesting: Nesting) -> None:
        """Drop an open nesting, and forget the edits inside of it.

        Raises:
            EditError: it is inside of what is dropped, or the format does not allow to drop it.
        """
        if self.dropped is not None:
            raise EditError("it is inside of what is dropped")
        part = self.family.part(nesting.event)
        if part >= 0:
            self.family.parts[part] = None
        self.dropped = nesting
        self.forget(nesting)

    def forget(self, nesting: Nesting) -> None:
        """Forget the edits in an open nesting."""
        mark, end, headers_end = nesting.mark
        self._edited_to = [end, headers_end]
        self.rows.cut(mark)
        for inner in self.nestings[self.nestings.index(nesting) :]:
            inner.counters = None
            inner.growth = inner.header_growth = 0

    def settle(self, end: int, count: int = -1) -> None:
        """Set the length fields of the innermost nesting: it ends at `end`, and has `count` elements; -1: as many as before."""
        nesting = self.nestings[-1]
        for counter in self._count(nesting):
            if not counter.field.counts:
                counter.change = end - size_start(nesting, counter.field) + nesting.growth - counter.old
            elif count >= 0 and counter.end > end:  # not that of a section before
                counter.change = count - counter.old

    # --- edits ---

    def check(self, start: int, inside: int = -1) -> bool:
        """Check an edit at `start`, and return whether it is in the first section of a nesting; `inside` is as for `edit`.

        Raises:
            EditError: these bytes were edited already, or are inside of a dropped nesting.
        """
        if self.dropped is not None:
            raise EditError("it is inside of what is dropped")
        is_first = self._is_first(inside if inside >= 0 else start)
        if start < self._edited_to[is_first]:
            raise EditError("it was edited already")
        return is_first

    def leave_out(self, event: Event, start: int, end: int, elements: int) -> None:
        """Delete a range, and the bytes that belong to it, such as a comma.

        Args:
            event: opened the range.
            start: as for `edit`.
            end: as for `edit`.
            elements: as for `edit`.

        Raises:
            EditError: see `check`.
        """
        start, end = self.family.span(event, start, end, self._edited_to[self._is_first(start)])
        self.edit(start, end, b"", elements)

    def edit(self, start: int, end: int, data: bytes, elements: int = 0, inside: int = -1) -> None:
        """Replace a range in the innermost nesting.

        Args:
            start: where it starts.
            end: where it ends.
            data: the new bytes.
            elements: by how many elements the nesting grows; negative if it shrinks.
            inside: an offset in the section that the edit belongs to; -1: `start`.

        Raises:
            EditError: see `check`.
        """
        is_first = self.check(start, inside)
        self.nestings[-1].grow(inside if inside >= 0 else start, len(data) - (end - start), elements)
        if not data and end <= start:
            return
        self.rows.add(start, end, data)
        self._edited_to[is_first] = end

    def insert(self, places: Sequence[tuple[int, bytes]], elements: int, opened: Event | None, *, is_after: bool = False) -> None:
        """Insert bytes.

        Args:
            places: offsets, and the bytes for each.
            elements: by how many elements the nesting grows at each offset.
            opened: the event whose nesting was just entered, and that comes after the new bytes; None: none was.
            is_after: the bytes belong to the section that ends there, not to the one that starts there.

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

    def _is_first(self, offset: int) -> bool:
        """Return whether an offset is in the first section of a nesting; read the length fields of all open nestings."""
        is_first = False
        for nesting in self.nestings:
            self._count(nesting)
            is_first = is_first or offset < nesting.split
        return is_first

    def _count(self, nesting: Nesting) -> list[Counter]:
        """Return the length fields of a nesting, which are read once."""
        if nesting.counters is not None:
            return nesting.counters
        event = nesting.event
        if isinstance(event, ObjectHeader):
            self.edited_objects.add(hash(event.instance_name))
        fields = [*(() if nesting.tag is None else self.family.lengths(nesting.tag)), *self.family.lengths(event)]
        groups = [list(group) for _, group in groupby(fields, attrgetter("section"))]
        # A section starts with its first field; the last of several ends where its size says, if it has one.
        starts = [0, *(group[0].offset for group in groups[1:]), NO_LIMIT]
        if len(groups) > 1:
            nesting.split = starts[1]
            size = groups[-1][0]
            if not size.counts:
                starts[-1] = size.offset + size.width + self._read(size)
        nesting.counters = [
            Counter(field, start, end, self._read(field))
            for group, start, end in zip(groups, starts, starts[1:], strict=False)
            for field in group
        ]
        return nesting.counters

    def _read(self, field: Length) -> int:
        return int.from_bytes(self.family.cursor_at(field.offset).take(field.width), field.order)


def size_start(nesting: Nesting, field: Length) -> int:
    """Return where the bytes start that a size counts: the value of a tag, the content of the nesting, what follows in a save."""
    tag = nesting.tag
    if tag is not None and field.offset < tag.value_offset:
        return tag.value_offset
    return field.offset + field.width if isinstance(nesting.event, SaveStart) else content_start(nesting.event)


def as_bytes(number: int, field: Length) -> bytes:
    """Return a size or count as the bytes of its field.

    Raises:
        EditError: it is too large.
    """
    if not 0 <= number < 1 << (8 * field.width - 1):
        raise EditError("a size or count is out of range", number, f"0 to {(1 << (8 * field.width - 1)) - 1}")
    return number.to_bytes(field.width, field.order)
