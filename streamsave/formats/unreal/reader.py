"""The base of readers for Unreal saves, which have property lists in them, and binary structs.

The walk over these is one flat machine with a stack of frames (`frames`), because most of the time is spent here. Whatever has a
size is bounded by it: a value that claims more than is around it is damaged, one that leaves bytes over is followed by a
`BlobSkip`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from streamsave._native import i64
from streamsave.decode.build import Members
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.slices import Slices
from streamsave.errors import UnsupportedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.containers import MembersFrame
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import FrameReader, ListFrame
from streamsave.formats.unreal.object_rows import ObjectProfile
from streamsave.formats.unreal.tag_values import check_rest, decode_value, find_slices, measure_value
from streamsave.formats.unreal.tags import STRUCT, looks_like_list
from streamsave.formats.unreal.value_openers import open_leaf
from streamsave.values import Opaque

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["BEGUN", "UnrealReader"]

#: The generator of a family's reader yields it where a walk is begun: its events come next, and a fault in it ends no generator.
BEGUN: Final = Event(-1)


class UnrealReader(FrameReader):
    """Reader of a save with property lists in it.

    A family's reader calls `begin_list` or `begin_members`, then yields `BEGUN`, or `walk()` for the first event; `next_event`
    gives the others.
    """

    #: Makes objects of the elements of containers; None: there are none.
    headers: ElementHeaders | None = None
    #: Reads property lists inside of values. There is one for each depth: a map may have a list in each of its values.
    _nested: UnrealReader | None = None
    # The last nesting of unknown size whose content has a codec: it is skipped without a walk.
    _entered: StructEnter | None = None
    _content: Codec | None = None
    #: The generator that makes the events in place of `events`, see `detour`.
    _inner: Iterator[Event] | None = None

    # --- what a family's reader uses ---

    def give_objects(self, profile: ObjectProfile, version: int) -> None:
        """Make objects of the elements of the containers that a profile names.

        Args:
            profile: which containers.
            version: `ObjectHeader.save_version`.
        """
        self.headers = ElementHeaders(profile, version, UnrealReader(self.cursor, self.dialect, self.allowance))

    def begin_list(self, end: i64, class_name: str = "") -> None:
        """Walk the property list of an object of that class, which starts at the cursor; the list ends before `end`."""
        self.list_end = -1
        self.script_at = -1
        self.push_list("", class_name, -1, self.cursor.limit())
        self.cursor.set_limit(end)

    def begin_members(self, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or after the leaf just announced)."""
        self.list_end = -1
        self.push(MembersFrame("", -1, self.cursor.limit(), struct=struct))
        self.cursor.set_limit(end)

    def walk_value(self, name: str, codec: Codec) -> Iterator[Event]:
        """Walk one value that starts at the cursor: its first event, after which `next_event` gives the others."""
        self.begin_members(Struct("", None, **{name: codec}), self.cursor.limit())
        yield from self.walk_on()

    def entered(self, enter: StructEnter, content: Codec, depth: i64) -> StructEnter:
        """Note how to pass over the content of a nesting of unknown size; return its event, which has to come next.

        Raises:
            LimitExceeded: with this one, `depth` are open, which is more than `Limits.depth`.
        """
        self.set_outer_depth(depth)
        self._entered = enter
        self._content = content
        return enter

    def set_outer_depth(self, depth: i64) -> None:
        """Count `depth` nestings that are open around those of the walk.

        Raises:
            LimitExceeded: more than `Limits.depth`.
        """
        most = i64(self.limits.depth) - depth
        if most < 0:
            raise self.cursor.exceeded("depth", self.limits.depth + 1)
        self.most = most

    def detour(self, inner: Iterator[Event]) -> Iterator[Event]:
        """Return what to `yield from` in place of a generator that makes most events of a save.

        It has the first event. `next_event` takes the others straight from the generator, then goes on with `events`: an event
        does not pass through all the generators around this one.
        """
        if self._inner is not None:
            return inner
        for event in inner:
            self._inner = inner
            return iter((event,))
        return inner

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        frame = self.top
        if frame is not None:
            # Most steps: from a leaf to the next tag.
            event = (
                frame.step(self) if isinstance(frame, ListFrame) and not (self.is_pending and self.leaf.opens) else self.walk()
            )
            if event is not None:
                return event
            if self.top is not None:
                event = self.walk()
                if event is not None:
                    return event
        if self._inner is not None:  # nearly all other steps
            if self.is_pending:
                self.cursor.pass_to(self.leaf.end)
                self.is_pending = False
            for event in self._inner:
                return event
            self._inner = None
        made = super().next_event()
        return self.next_event() if made is BEGUN else made

    def close(self) -> None:
        self._inner = None
        super().close()

    def open_value(self) -> Event | None:
        event = open_leaf(self)
        if self.headers is not None and event is not None and not isinstance(event, BlobSkip) and not self.build.is_running:
            self.headers.mark(self)
        return event

    def decode(self, event: Event) -> object:
        return decode_value(self, event) if isinstance(event, PropertyTag) else super().decode(event)

    def only_numbers(self, event: Field | PropertyTag) -> bool:
        if not isinstance(event, PropertyTag):
            return super().only_numbers(event)
        dialect = self.dialect
        codec = dialect.struct(event.type_name, event.size) if event.type == STRUCT else dialect.scalar(event.type)
        return codec is not None and codec.only_numbers and codec.size == event.size

    def find_slices(self, event: Event) -> Slices | None:
        return find_slices(self, event) if isinstance(event, PropertyTag) else super().find_slices(event)

    def next_slice(self, event: Event, slices: Slices) -> list[object] | bytes | None:
        start = self.cursor.tell()
        try:
            return super().next_slice(event, slices)
        except UnsupportedSave as unsupported:
            if not isinstance(event, PropertyTag):
                raise
            reason = unsupported.message
        # As `value` does with all of it, but what came before was given already.
        slices.left = 0
        self.cursor.seek(start)
        left = self.leaf.end - start
        self.spend(1, left)
        return [Opaque(self.cursor.take(left), reason)]

    def close_slices(self, event: Event) -> None:
        if isinstance(event, PropertyTag):
            check_rest(self, event)

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        return self.script if enter.offset == self.script_at and enter.header_size > 0 else None

    def skip(self, event: Event) -> bool:
        kind = type(event)
        if isinstance(event, ObjectHeader):
            if event.size < 0:
                return False
            top = self.top
            if top is not None:
                if self.headers is not None:
                    top.leave_element()
                else:
                    self.abandon()
        elif kind is PropertyTag or kind is Field:
            self.cursor.seek(self.leaf.end)
            self.leave_leaf()
            return True
        elif isinstance(event, StructEnter):
            content = self._content
            if event.size >= 0:
                if self.top is not None:
                    self.top.skipped = True
            elif content is not None and event is self._entered:
                content.measure(self.cursor, self)
                return True
        return super().skip(event)

    def holds_objects(self, header: ObjectHeader) -> bool:
        headers = self.headers
        return headers is not None and header.level in headers.profile.holders

    def leads_to_objects(self, event: Event) -> bool:
        headers = self.headers
        return headers is not None and headers.profile.leads(self.path())

    # --- the step ---

    def walk(self) -> Event | None:
        if self.is_pending:
            if self.leaf.opens:
                event = self.open_value()
                if event is not None:
                    return event
            self.cursor.pass_to(self.leaf.end)
            self.is_pending = False
        while True:
            frame = self.top
            if frame is None:
                return None
            event = frame.step(self)
            if event is not None:
                break
        row = frame.row
        # Only the event that opens an element has a position.
        if row is None or self.headers is None or not isinstance(event, StructEnter) or event.index < 0:
            return event
        return self.headers.announce(self, row, event)

    def walk_on(self) -> tuple[Event, ...]:
        """Return the first event of a walk inside another, to `yield from`; `next_event` gives the others."""
        event = self.walk()
        return () if event is None else (event,)

    # --- property lists inside of values ---

    def properties(self, cursor: Cursor) -> dict[str, object]:
        nested = self._begin_nested(cursor)
        members = Members()
        try:
            event = nested.walk()
            while event is not None:
                self.allowance.spend(cursor)
                members.add(nested, event)
                event = nested.walk()
        finally:
            nested.abandon()
        return members.values

    def skip_properties(self, cursor: Cursor, *, is_strict: bool = False) -> None:
        nested = self._begin_nested(cursor)
        spent = self.build.spent()
        try:
            event = nested.walk()
            while event is not None:
                self.allowance.spend(cursor)
                if not is_strict:
                    nested.skip(event)
                elif isinstance(event, PropertyTag):
                    measure_value(nested, event)
                event = nested.walk()
        finally:
            self.build.restore(spent)
            nested.abandon()

    def _begin_nested(self, cursor: Cursor) -> UnrealReader:
        """Return the reader of a property list that starts at `cursor`, inside of a value.

        Raises:
            LimitExceeded: more than `Limits.depth` nestings are open.
        """
        nested = self._nested
        if nested is None:
            nested = self._nested = UnrealReader(cursor, self.dialect, self.allowance, self.build)
        nested.most = self.most - len(self.frames) - 1
        if nested.most <= 0:
            raise cursor.exceeded("depth", self.limits.depth + 1)
        nested.cursor = cursor
        nested.dialect = self.dialect
        nested.begin_list(cursor.limit())
        return nested

    def starts_property_list(self, cursor: Cursor) -> bool:
        return looks_like_list(cursor)
