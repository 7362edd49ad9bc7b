"""What is sound of a damaged save, as edits that leave out the rest.

Each `Damage` says how many nestings stay open around what was lost. What is left out is:

| what was lost | what goes |
|---|---|
| a nesting | it, with its tag; what is around it, unless that is a list of properties or counts it |
| the value of a property, an element of a container | the same |
| all from there to the end of a list of properties, or of a container | the rest: it ends there, if it has anything |
| other bytes of a nesting | that nesting |
| the rest of the save | all from there on; lists of properties and containers that are open end there |

Sizes and counts around it follow. Where the plain walk of the events goes on, so do the bytes.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Final

from streamsave.claims import claims_value, content_start
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.rewriting.family import Family
from streamsave.rewriting.ledger import Ledger, Nesting, read_length
from streamsave.rewriting.rows import Row
from streamsave.rewriting.shapez2 import JSON_NESTINGS

__all__ = ["REST", "Remains"]

#: `Loss.kind` of all that follows a fault.
REST: Final = "rest of the save"
OBJECT: Final = "object"
PROPERTY: Final = "property"
#: The type of an entry of a map: a key, a value.
ENTRY: Final = "MapEntry"
#: Losses of what a nesting has, from the damage on, all that is left of it.
WHOLE: Final = frozenset((OBJECT, "member"))
#: Those of elements: a container goes on after them.
ELEMENT: Final = frozenset((OBJECT, PROPERTY))
#: What a list of properties ends with.
NONE: Final = "None"
BRACKETS: Final = dict(zip(JSON_NESTINGS, (b"]", b"}"), strict=True))


class Inside:
    """What has come in an open nesting."""

    __slots__ = ("children", "has_fields", "has_tags", "is_cut", "left_out", "left_with", "unseen")

    def __init__(self) -> None:
        self.children = 0
        #: How many of them are left out; how many elements are that had no event.
        self.left_out = 0
        self.unseen = 0
        #: The same of those after the open one, which is left out: they are noted at its end.
        self.left_with = 0
        self.has_tags = False
        self.has_fields = False
        #: All of it from the last damage on is lost, and it ends there.
        self.is_cut = False


class Remains:
    """Takes the events of a save, or of one object, and notes what has to be left out.

    Args:
        reader: makes the events.
        family: what the format of the save has for edits.
        outside: how many nestings are open around the first event.
        root: the first nesting may lose some of what is in it.
    """

    def __init__(self, reader: Reader, family: Family, outside: int = 0, *, root: bool = True) -> None:
        self._reader = reader
        self._family = family
        self._outside = outside
        self._root = root
        self._ledger = Ledger(reader.lengths, partial(read_length, reader), partial(family.span, reader))
        self._inside: list[Inside] = []
        self._tag: PropertyTag | None = None
        self._last: Event | None = None
        #: Rows that take the place of those of the same bytes.
        self._last_rows: list[Row] = []
        #: Where the stream ends, as the rest of it is lost; -1: where it ended.
        self.end = -1
        #: Something was left out.
        self.is_edited = False

    def rows(self) -> list[Row]:
        """Return all edits in the order of the bytes, after the last event."""
        replaced = {row.start for row in self._last_rows if row.end > row.start}
        rows = [row for row in self._ledger.rows() if row.start not in replaced and (self.end < 0 or row.end <= self.end)]
        return sorted([*rows, *self._last_rows], key=itemgetter(0, 1))  # what is inserted at one place stays in its order

    @property
    def growth(self) -> int:
        """How many bytes more there are than before."""
        return sum(len(row.data) - (row.end - row.start) for row in self.rows())

    def feed(self, event: Event) -> None:
        """Take the next event.

        Raises:
            SaveError: nothing can be left out there.
        """
        if isinstance(event, ChunkStart):
            return
        tag = self._tag
        self._tag = None
        if isinstance(event, PropertyTag):
            self._tag = event
            if self._inside:
                self._inside[-1].has_tags = True
        elif isinstance(event, (SaveStart, StructEnter, ObjectHeader)):
            if self._inside:
                self._inside[-1].children += 1
            self._ledger.open(event, tag if tag is not None and tag.value_offset == event.offset else None)
            self._inside.append(Inside())
        elif isinstance(event, (StructExit, ObjectEnd)):
            if self.end < 0:
                self._close(event)
        elif isinstance(event, BlobSkip):
            self._tag = tag if tag is not None and tag.value_offset == event.offset else None
        elif isinstance(event, Field):
            if event.name == self._family.split_at:
                self._ledger.split(event.offset)
            if self._inside:
                self._inside[-1].children += event.index >= 0
                self._inside[-1].has_fields = True
        elif isinstance(event, Damage):
            self._lose(event)
        self._last = event

    def _close(self, event: StructExit | ObjectEnd) -> None:
        """Leave a nesting; end what has lost its end."""
        ledger = self._ledger
        inside = self._inside.pop()
        opened = ledger.nestings[-1].event
        if inside.is_cut and event.size == 0 and not ledger.is_dropping:
            if isinstance(opened, StructEnter) and counts(opened):
                ledger.edit(event.offset, event.offset, b"", inside.children + inside.unseen - opened.count)
            else:
                ledger.edit(event.offset, event.offset, self._none())
        end = event.offset + event.size
        ledger.close(end)
        around = self._inside[-1] if self._inside else None
        if around is not None and around.left_with and not ledger.is_dropping:
            ledger.edit(end, end, b"", -around.left_with)
            around.unseen += around.left_with
            around.left_with = 0

    # --- damage ---

    @property
    def _first(self) -> int:
        """How many of the open nestings have no event in the stream: that of the save."""
        return 1 if isinstance(self._ledger.nestings[0].event, SaveStart) else 0

    def _lose(self, damage: Damage) -> None:
        is_rest = damage.lost.kind == REST
        if damage.size <= 0 and not is_rest and damage.lost.count == 0:
            return
        if is_rest:
            self._end_at(damage)
            return
        if self._ledger.is_dropping:
            return
        self.is_edited = True
        nestings = self._ledger.nestings
        kept = int(self._reader.damage_depth) - self._outside + self._first
        # A driver leaves its nesting with what is lost, but for an object whose end is known.
        is_whole = damage.lost.kind in WHOLE and is_named(nestings[kept - 1].event, damage.lost.name)
        if is_whole and kept > self._first and not counts(nestings[kept - 1].event):
            self._lose_nesting(kept - 1, damage.error)
            return
        end = damage.offset + max(damage.size, 0)
        ended = self._ended(kept, end)
        for inside in self._inside[kept:ended]:
            inside.is_cut = True
        if len(nestings) > ended:
            if ended == kept and counts(nestings[kept - 1].event):
                self._inside[kept - 1].left_with = max(damage.lost.count - 1, 0)
            self._lose_nesting(ended, damage.error)
            return
        last = self._last
        if last is not None and not claims_value(last, damage):
            if isinstance(last, PropertyTag):
                self._ledger.edit(last.offset, end, b"")
                return
            if isinstance(last, Field) and self._holds(nestings[-1], last):
                self._ledger.leave_out(last, last.offset, end, -1)
                self._inside[-1].left_out += 1
                return
        elif self._inside[-1].is_cut:
            self._ledger.edit(damage.offset, end, b"")
            return
        elif damage.lost.kind in ELEMENT and counts(nestings[-1].event):
            self._ledger.edit(damage.offset, end, b"", -damage.lost.count)
            self._inside[-1].unseen += damage.lost.count
            return
        elif len(nestings) > self._first and is_all_of(damage, nestings[-1].event):
            pass  # an empty struct would not even say that its list of properties ends
        elif len(nestings) <= self._first or (damage.lost.kind == PROPERTY and self._has_properties(nestings[-1].event)):
            # A property with its tag; or perhaps nothing: a member of an archive that is somewhere else.
            self._ledger.edit(damage.offset, end, b"")
            return
        self._lose_nesting(len(nestings) - 1, damage.error)

    def _lose_nesting(self, at: int, error: SaveError) -> None:
        """Leave out the innermost nesting from which nothing is missed.

        Raises:
            SaveError: there is none.
        """
        nestings = self._ledger.nestings
        while at > 0 or (at == 0 and self._root):
            nesting = nestings[at]
            contents = self._family.contents(nesting.event)
            if contents:
                for start, end in contents:
                    self._ledger.edit(start, end, b"")
                return
            if at > 0 and (nesting.tag is not None or self._holds(nestings[at - 1], nesting.event)):
                part = self._family.part(self._reader, nesting.event)
                if part >= 0:
                    self._family.parts[part] = None
                self._ledger.drop(nesting)
                if at > 0:
                    self._inside[at - 1].left_out += 1
                return
            at -= 1
        raise error

    def _ended(self, kept: int, end: int) -> int:
        """Return up to which of the nestings that are left with what is lost each ends where its loss starts.

        Args:
            kept: the number of the outermost one that is left.
            end: where the lost bytes end.
        """
        for number in range(kept, len(self._inside)):
            nesting = self._ledger.nestings[number]
            inside = self._inside[number]
            event = nesting.event
            if not isinstance(event, StructEnter):
                return number
            ends = [] if event.size < 0 else [content_start(event) + event.size]
            if nesting.tag is not None:
                ends.append(nesting.tag.value_offset + nesting.tag.size)
            # Where all that it has left is lost, it has as much less as is left out; the outermost one has to say so.
            if any(one != end for one in ends) or (number == kept and not ends):
                return number
            if inside.children == 0 if counts(event) else (inside.has_fields or not inside.has_tags):
                return number
        return len(self._inside)

    def _has_properties(self, event: Event) -> bool:
        """Return whether what is in a nesting may be a list of properties."""
        return not counts(event) and not (isinstance(event, StructEnter) and event.type_name == ENTRY)

    def _holds(self, around: Nesting, event: Event) -> bool:
        return self._family.holds(self._reader, around.event, event)

    # --- the rest ---

    def _end_at(self, damage: Damage) -> None:
        """End the stream before a damage, and all that is open."""
        self.is_edited = True
        ledger = self._ledger
        nestings = ledger.nestings
        last = self._last
        at = damage.offset
        if isinstance(last, (PropertyTag, Field)) and not claims_value(last, damage):
            at = last.offset
            if isinstance(last, Field) and last.index >= 0:
                self._inside[-1].children -= 1
        kept = len(nestings)
        for number, nesting in enumerate(nestings):
            if nesting.is_dropped or not self._may_end(number):
                kept = number
                at = nesting.start
                if number > 0:
                    self._inside[number - 1].children -= 1
                break
        if kept < len(nestings) and kept <= self._first:
            raise damage.error
        ending = b""
        growth = 0
        for number in reversed(range(kept)):
            nesting = nestings[number]
            ending += self._terminator(nesting, number)
            growth += nesting.growth
            for field in self._fields(nesting):
                value = self._inside[number].children - self._inside[number].left_out
                if not field.counts:
                    value = at - size_start(nesting, field) + growth + len(ending)
                self._last_rows.append(Row(field.offset, field.offset + field.width, value.to_bytes(field.width, "little")))
        self._last_rows.append(Row(at, at, ending))
        self.end = at

    def _may_end(self, number: int) -> bool:
        """Return whether an open nesting may end anywhere between two parts of it."""
        event = self._ledger.nestings[number].event
        if isinstance(event, SaveStart) or self._inside[number].has_tags:
            return True
        return isinstance(event, StructEnter) and (event.type_name in BRACKETS or counts(event))

    def _terminator(self, nesting: Nesting, number: int) -> bytes:
        event = nesting.event
        if isinstance(event, StructEnter) and event.type_name in BRACKETS:
            return BRACKETS[event.type_name]
        if not self._inside[number].has_tags:
            return b""
        # No GUID follows the save game.
        return self._none() + (bytes(4) if event.offset == 0 else b"")

    def _none(self) -> bytes:
        """Return what ends a list of properties."""
        encoder = self._reader.encoder()
        encoder.name(NONE)
        return bytes(encoder.data)

    def _fields(self, nesting: Nesting) -> list[Length]:
        fields = [] if nesting.tag is None else self._reader.lengths(nesting.tag)
        return [*fields, *self._reader.lengths(nesting.event)]


def is_named(event: Event, name: str) -> bool:
    """Return whether an event has opened the object of a name."""
    return isinstance(event, ObjectHeader) and event.instance_name == name


def is_all_of(damage: Damage, event: Event) -> bool:
    """Return whether a damage has cost all that is in a struct."""
    if not isinstance(event, StructEnter) or counts(event) or event.size <= 0:
        return False
    return damage.offset == content_start(event) and damage.size == event.size


def counts(event: Event) -> bool:
    """Return whether an event has opened a container that says how many elements it has."""
    return isinstance(event, StructEnter) and event.count >= 0


def size_start(nesting: Nesting, field: Length) -> int:
    """Return from where on a field counts bytes: that of a tag its value, all others what is in the nesting."""
    tag = nesting.tag
    event = nesting.event
    if tag is not None and field.offset < tag.value_offset:
        return tag.value_offset
    return event.offset + event.header_size if isinstance(event, StructEnter) else event.offset
