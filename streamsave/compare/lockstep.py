"""Two saves side by side: an event of the one, an event of the other.

What is the same thing in both (`identity`) is compared: first its bytes; if they differ, what is inside. What is not there in
the other one, or not at this place, is noted in `Unmatched`; inside of an object, its value is kept until the nesting ends.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.compare.identity import (
    digest_of,
    is_certain,
    is_same_object,
    key_of_object,
    key_of_value,
    place_of_object,
    place_of_value,
)
from streamsave.compare.object_values import Seen, Values, object_values, one_value, values_as_bytes
from streamsave.compare.pair import Pair, Path, Report, header_differences, path_in
from streamsave.compare.unmatched import NEW, OLD, Unmatched
from streamsave.compare.value_differences import by_key, text_of, value_differences
from streamsave.errors import format_path
from streamsave.events import (
    BlobSkip,
    Checkpoint,
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.stream.stream import EventStream

__all__ = ["Lockstep"]

#: Largest value or object whose bytes are compared; in larger ones, what is inside is.
LARGEST: Final = 128 * 1024
#: Largest object whose values are kept until its twin comes.
LARGEST_KEPT: Final = 16 * 1024
PLAIN: Final = (str, int, float)
BOOL: Final = "BoolProperty"
#: Most names of nestings that are kept to find where both saves are side by side again.
MOST_NAMES: Final = 16_384


class Lockstep:
    """Compares two streams of one format.

    Args:
        old: the events of the old save; nothing was read yet.
        new: those of the new one.
        report: gets the differences inside of what is in both.
        unmatched: gets what is not at the same place.
        objects_only: what is in no object is passed over.
    """

    def __init__(self, old: EventStream, new: EventStream, report: Report, unmatched: Unmatched, *, objects_only: bool) -> None:
        self._streams: tuple[EventStream, EventStream] = (old, new)
        self._report = report
        self._unmatched = unmatched
        self._objects_only = objects_only
        #: Equal bytes may be other values.
        self._by_value: bool = old.format.by_number or new.format.by_number
        self._loose = Pair(None, None)
        #: The key of the object around, while only one save has it.
        self._holder = b""
        #: The bytes that were compared last are others.
        self._bytes_differ = False

    def run(self) -> None:
        """Read both saves to their end.

        Raises:
            SaveError: one is damaged; what was found before was reported.
        """
        old, new = self._next(OLD), self._next(NEW)
        if isinstance(old, SaveStart) and isinstance(new, SaveStart):
            if old.version != new.version:
                self._by_value = True
            if not self._objects_only:
                self._values(self._loose, ("@header",), old.header, new.header, "")
        self._members(self._loose, within=False)

    def _next(self, side: int) -> Event:
        """Return the next event of a save that matters here."""
        for event in self._streams[side]:
            kind = type(event)
            if kind is not ChunkStart and kind is not Checkpoint:
                return event
        raise RuntimeError("a save has no end")

    # --- nestings ---

    def _members(self, pair: Pair, *, within: bool) -> None:
        """Compare what is in a nesting that is open in both saves, up to the end of it.

        Args:
            pair: the object around it.
            within: it is in an object that has no objects in it: so values can be kept.
        """
        #: Members that one save has, by what they are known by -> path and value.
        kept: tuple[dict[str, tuple[Path, object]], dict[str, tuple[Path, object]]] = ({}, {})
        #: Nestings that only one save has at this place.
        alone: tuple[set[str], set[str]] = (set(), set())
        old, new = self._next(OLD), self._next(NEW)
        while True:
            old_ends = isinstance(old, (StructExit, ObjectEnd, SaveEnd))
            new_ends = isinstance(new, (StructExit, ObjectEnd, SaveEnd))
            if old_ends and new_ends:
                break
            if not old_ends and not new_ends and _is_same(old, new):
                self._both(pair, old, new, within=within)
                old, new = self._next(OLD), self._next(NEW)
                continue
            # If what comes is known from the other save, only this one goes on: then they are side by side again.
            takes_old = not old_ends and (new_ends or not self._is_known(OLD, new, pair, kept, alone, within=within))
            takes_new = not new_ends and (old_ends or not self._is_known(NEW, old, pair, kept, alone, within=within))
            if not takes_old and not takes_new:
                takes_old = takes_new = True
            if takes_old:
                self._one(OLD, old, pair, kept, alone, within=within)
                old = self._next(OLD)
            if takes_new:
                self._one(NEW, new, pair, kept, alone, within=within)
                new = self._next(NEW)
        for path, value in kept[OLD].values():
            self._found(pair, path, text_of(value), None)
        for path, value in kept[NEW].values():
            self._found(pair, path, None, text_of(value))

    def _is_known(
        self,
        side: int,
        event: Event,
        pair: Pair,
        kept: tuple[dict[str, tuple[Path, object]], dict[str, tuple[Path, object]]],
        alone: tuple[set[str], set[str]],
        *,
        within: bool,
    ) -> bool:
        """Return whether what `event` of the other save opens has come in this one already."""
        if isinstance(event, ObjectHeader):
            return self._unmatched.waits(side, key_of_object(event))
        name = _name_of(event)
        if within:
            return name in kept[side]
        return name in alone[side]

    def _one(
        self,
        side: int,
        event: Event,
        pair: Pair,
        kept: tuple[dict[str, tuple[Path, object]], dict[str, tuple[Path, object]]],
        alone: tuple[set[str], set[str]],
        *,
        within: bool,
    ) -> None:
        """Take what only one save has at this place."""
        if not within or isinstance(event, ObjectHeader):
            if not isinstance(event, ObjectHeader):
                if len(alone[side]) >= MOST_NAMES:
                    alone[side].clear()
                alone[side].add(_name_of(event))
            self._unpaired(side, event)
            return
        name = _name_of(event)
        events = self._streams[side]
        path = path_in(events.path, pair.old if side == OLD else pair.new, pair.steps[side])
        if isinstance(event, PropertyTag) and event.index > 0:
            path = (*path, event.index)
        value = _value(events, event)
        twin = kept[1 - side].pop(name, None)
        if twin is None:
            while name in kept[side]:  # a name that comes twice
                name += "'"
            kept[side][name] = (path, value)
        elif side == NEW:
            self._values(pair, path, twin[1], value, _type_of(event))
        else:
            self._values(pair, path, value, twin[1], _type_of(event))

    def _unpaired(self, side: int, event: Event) -> None:
        """Note all objects and values in what only one save has at this place; in no object, or in one that holds objects."""
        events = self._streams[side]
        if isinstance(event, ObjectHeader):
            self._unpaired_object(side, event)
        elif isinstance(event, StructEnter):
            self._unpaired_members(side)
        elif isinstance(event, (PropertyTag, Field)):
            path = events.path
            if events.is_leaf() and not self._objects_only:
                self._note(side, path, event)
        elif isinstance(event, BlobSkip) and event.size and not self._objects_only:
            self._note(side, events.path, event)

    def _unpaired_object(self, side: int, header: ObjectHeader) -> None:
        events = self._streams[side]
        place = place_of_object(events._key_of(header.offset))
        key = key_of_object(header)
        if events.holds_objects(header):
            self._unmatched.add(side, key, digest_of(header, b""), Seen(place, header, {}))
            outer, self._holder = self._holder, key
            self._unpaired_members(side)
            self._holder = outer
            return
        values: Values | None = None
        if 0 <= header.size <= LARGEST_KEPT and self._unmatched.may_keep():
            data = events._peek(LARGEST_KEPT)
            values = object_values(events, header, len(events.path))
            if self._by_value or len(data) != header.size:
                data = values_as_bytes(values)
        elif self._by_value:
            data = values_as_bytes(object_values(events, header, len(events.path)))
        else:
            data = events.raw()
            self._next(side)
        self._unmatched.add(side, key, digest_of(header, data), Seen(place, header, values))

    def _note(self, side: int, path: Path, event: Event) -> None:
        """Note a value that is in no object: the last event."""
        key = key_of_value(f"{_name_of(event)} {format_path(path)}")
        values = one_value(self._streams[side], event)
        digest = digest_of(None, values_as_bytes(values))
        is_small = isinstance(event, (PropertyTag, Field, BlobSkip)) and event.size <= LARGEST_KEPT
        kept = values if is_small and self._unmatched.may_keep() else None
        self._unmatched.add(side, key, digest, Seen(place_of_value(event.offset), None, kept, self._holder))

    def _unpaired_members(self, side: int) -> None:
        """Note all up to the end of the nesting that was opened."""
        event = self._next(side)
        while not isinstance(event, (StructExit, ObjectEnd)):
            self._unpaired(side, event)
            event = self._next(side)

    # --- what is in both saves ---

    def _both(self, pair: Pair, old: Event, new: Event, *, within: bool) -> None:
        """Compare what is the same thing in both saves, and go to its end."""
        if isinstance(old, ObjectHeader) and isinstance(new, ObjectHeader):
            self._objects(old, new)
        elif isinstance(old, PropertyTag) and isinstance(new, PropertyTag):
            self._tags(pair, old, new, within=within)
        elif isinstance(old, Field) and isinstance(new, Field):
            if self._objects_only and not within:
                return
            if not self._are_equal(old.size, new.size):
                path = path_in(self._streams[NEW].path, pair.new, pair.steps[NEW])
                self._values(pair, path, self._streams[OLD].build(), self._streams[NEW].build(), "")
        elif isinstance(old, StructEnter) and isinstance(new, StructEnter):
            self._members(pair, within=within)
        elif isinstance(old, BlobSkip) and isinstance(new, BlobSkip):
            self._blobs(pair, old, new, within=within)

    def _are_equal(self, old_size: i64, new_size: i64) -> bool:
        """Return whether the next bytes of both saves are equal; if so, pass over them."""
        self._bytes_differ = False
        if self._by_value or old_size < 0 or new_size < 0:
            return False
        if old_size != new_size:
            self._bytes_differ = True
            return False
        if old_size == 0:
            return False
        old, new = self._streams
        data = old._peek(LARGEST)
        if len(data) != old_size:
            return False
        if data != new._peek(LARGEST):
            self._bytes_differ = True
            return False
        old.skip()
        new.skip()
        return True

    def _objects(self, old: ObjectHeader, new: ObjectHeader) -> None:
        streams = self._streams
        holds = streams[OLD].holds_objects(old)
        is_like = (
            old._is_placed_like(new)
            and old.outer == new.outer
            and old.flags == new.flags
            and old.stored_flags == new.stored_flags
            and old.save_version == new.save_version
            and old.kind == new.kind
        )
        are_equal = not holds and self._are_equal(old.size, new.size)
        bytes_differ = self._bytes_differ and not holds
        if are_equal:
            self._next(OLD)
            self._next(NEW)
            if is_like:
                return
            pair = Pair(old, new)
            for path, before, after in header_differences(old, new):
                self._found_at(pair, path, before, after)
            return
        if not holds and not is_certain(old):
            self._unpaired(OLD, old)
            self._unpaired(NEW, new)
            return
        pair = Pair(old, new)
        for side in (OLD, NEW):
            pair.steps[side] = len(streams[side].path)
        if not is_like:
            for path, before, after in header_differences(old, new):
                self._found_at(pair, path, before, after)
        self._members(pair, within=not holds)
        if bytes_differ and pair.found == 0:
            self._found_at(pair, "@data", text_of(f"{old.size} bytes"), text_of(f"{new.size} other bytes"))

    def _tags(self, pair: Pair, old: PropertyTag, new: PropertyTag, *, within: bool) -> None:
        streams = self._streams
        same_type = old.type == new.type and old.type_name == new.type_name and old.inner_type == new.inner_type
        if same_type and old.value_type == new.value_type:
            if old.type == BOOL:
                if old.flag == new.flag and old.size == 0 and new.size == 0:
                    return
            elif self._are_equal(old.size, new.size):
                return
        path = path_in(streams[NEW].path, pair.new, pair.steps[NEW])
        if new.index > 0:
            path = (*path, new.index)
        old_is_leaf, new_is_leaf = streams[OLD].is_leaf(), streams[NEW].is_leaf()
        if not old_is_leaf and not new_is_leaf and same_type:
            self._both_openings(pair, path, within=within)
            return
        before = streams[OLD].build() if old_is_leaf else _value(streams[OLD], self._next(OLD))
        after = streams[NEW].build() if new_is_leaf else _value(streams[NEW], self._next(NEW))
        self._values(pair, path, before, after, new.type)

    def _both_openings(self, pair: Pair, path: Path, *, within: bool) -> None:
        """Compare the values of two tags that have events inside."""
        old, new = self._next(OLD), self._next(NEW)
        if isinstance(old, StructEnter) and isinstance(new, StructEnter):
            self._members(pair, within=within)
        elif isinstance(old, BlobSkip) and isinstance(new, BlobSkip):
            self._blobs(pair, old, new, within=within)
        else:
            self._values(pair, path, _value(self._streams[OLD], old), _value(self._streams[NEW], new), "")

    def _blobs(self, pair: Pair, old: BlobSkip, new: BlobSkip, *, within: bool) -> None:
        if self._objects_only and not within:
            return
        before, after = self._streams[OLD].opaque(old).data, self._streams[NEW].opaque(new).data
        if before != after:
            path = (*path_in(self._streams[NEW].path, pair.new, pair.steps[NEW]), "@bytes")
            other = "other bytes" if len(before) == len(after) else "bytes"
            self._found(pair, path, text_of(f"{len(before)} bytes"), text_of(f"{len(after)} {other}"))

    # --- differences ---

    def _values(self, pair: Pair, path: Path, old: object, new: object, type_name: str) -> None:
        if isinstance(old, PLAIN) and isinstance(new, PLAIN):
            old_text, new_text = text_of(old), text_of(new)
            if old_text != new_text:
                self._found(pair, path, old_text, new_text)
            return
        for where, before, after in value_differences(path, by_key(old, type_name), by_key(new, type_name)):
            self._found(pair, where, before, after)

    def _found(self, pair: Pair, path: Path, old: str | None, new: str | None) -> None:
        self._found_at(pair, format_path(path), old, new)

    def _found_at(self, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        pair.found += 1
        self._report(pair, path, old, new)


def _is_same(old: Event, new: Event) -> bool:
    """Return whether two events open the same thing of both saves: `_name_of` is the same, without making texts."""
    if isinstance(old, PropertyTag):
        return isinstance(new, PropertyTag) and old.name == new.name and old.index == new.index
    if isinstance(old, ObjectHeader):
        return isinstance(new, ObjectHeader) and is_same_object(old, new)
    if isinstance(old, Field):
        return isinstance(new, Field) and old.name == new.name and old.index == new.index
    if isinstance(old, StructEnter):
        return isinstance(new, StructEnter) and old.name == new.name and old.index == new.index
    return isinstance(old, BlobSkip) and isinstance(new, BlobSkip) and old.reason == new.reason


def _name_of(event: Event) -> str:
    """Return what a member of a nesting is known by."""
    if isinstance(event, PropertyTag):
        return f"tag {event.name} {event.index}"
    if isinstance(event, Field):
        return f"field {event.name} {event.index}"
    if isinstance(event, StructEnter):
        return f"struct {event.name} {event.index}"
    if isinstance(event, BlobSkip):
        return f"bytes {event.reason}"
    return type(event).__name__


def _type_of(event: Event) -> str:
    return event.type if isinstance(event, PropertyTag) else ""


def _value(events: EventStream, event: Event) -> object:
    """Return the value of the last event."""
    if isinstance(event, BlobSkip):
        return events.opaque(event)
    return events.build()
