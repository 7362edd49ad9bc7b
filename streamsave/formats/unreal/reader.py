"""The base of readers for Unreal saves: they have property lists in them, and binary structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_list
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.decode.slices import Slices
from streamsave.errors import PathStep, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import LIST, Frame
from streamsave.formats.unreal.object_rows import ObjectProfile
from streamsave.formats.unreal.property_walker import PropertyWalker
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.value_decoder import ValueDecoder
from streamsave.limits import Limits
from streamsave.values import Opaque

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["BEGUN", "UnrealReader"]

#: The generator of a family's reader yields it where a walk is begun: its events come next, and a fault in it ends no generator.
BEGUN: Final = Event(-1)


class UnrealReader(Reader):
    """Reader of a save with property lists in it.

    A family's reader calls `begin_list` or `begin_members`, then yields `BEGUN`, or `walk()` for the first event; `next_event`
    gives the others.
    """

    def __init__(self, cursor: Cursor, limits: Limits, dialect: Dialect) -> None:
        super().__init__(cursor, limits)
        self.walker = PropertyWalker(limits, dialect)
        # One attribute less on the way to what each event needs.
        self._tags = self.walker.tags
        self._nestings = self.walker.nestings
        self._decoder = ValueDecoder(self._tags, self.walker.guesses, self.walker.keyed)
        #: Reads property lists inside of values. There is one for each depth: a map may have a list in each of its values.
        self._nested: UnrealReader | None = None
        # The last nesting of unknown size whose content has a codec: it is skipped without a walk.
        self._entered: StructEnter | None = None
        self._content: Codec | None = None
        self._most_depth: i64 = limits.depth

    # --- what a family's reader uses ---

    @property
    def dialect(self) -> Dialect:
        """The dialect of the property list that is read."""
        return self._tags.dialect

    @dialect.setter
    def dialect(self, dialect: Dialect) -> None:
        self._tags.dialect = dialect

    @property
    def list_end(self) -> i64:
        """Where the last outermost list ended, until the caller sets it to -1 because an event claims its terminator."""
        return self._nestings.list_end

    @list_end.setter
    def list_end(self, offset: i64) -> None:
        self._nestings.list_end = offset

    def give_objects(self, profile: ObjectProfile, version: int) -> None:
        """Make objects of the elements of the containers that a profile names.

        Args:
            profile: which containers.
            version: `ObjectHeader.save_version`.
        """
        look = UnrealReader(self.cursor, self.limits, self.dialect)
        look.allowance = self.allowance
        headers = ElementHeaders(profile, version, look, look.walker.nestings, look.walker.tags)
        self.walker.openers.headers = headers

    def begin_list(self, end: i64, class_name: str = "") -> None:
        """Walk a property list that starts at the cursor, of an object of that class; the list ends before `end`."""
        self.walker.begin_list(self.cursor, end, class_name)

    def begin_members(self, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or after the leaf just announced)."""
        self.walker.begin_members(self.cursor, struct, end)

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
        most = self._most_depth - depth
        if most < 0:
            raise self.cursor.exceeded("depth", self.limits.depth + 1)
        self._nestings.most = most

    def abandon(self) -> None:
        """Leave all open nestings of the walk: the consumer went to the end of the object."""
        self.walker.abandon(self)

    # --- walks from any place ---

    def frames(self) -> list[Frame]:
        """Return the open nestings of the walk, outermost first."""
        return self._nestings.frames

    def nesting_depth(self, frames: i64) -> i64:
        """Return how many nestings the events of the walk have entered for the outermost of these frames, and not left."""
        return self._nestings.depth(frames)

    def resume(self, depth: i64, at: i64, index: i64 = 0) -> None:
        """Leave all but the outermost `depth` nestings, and walk on at an offset in the innermost of them.

        Args:
            depth: at least 1.
            at: where a tag starts, the end of a list, or an element; in a pair of a map, where the next pair does.
            index: the position of that element, in a container.
        """
        nestings = self._nestings
        frames = nestings.frames
        del frames[depth:]
        frame = frames[-1]
        nestings.top = frame
        frame.skipped = False
        if frame.kind != LIST:
            frame.index = index - 1
            frame.at = 0
        self.walker.leave_leaf(self)
        self._entered = None
        self.cursor.set_limit(nestings.limit())
        self.cursor.seek(at)

    def reopen(self, start: i64, end: i64, limit: i64) -> None:
        """Go back to the start of the value of the last tag, as if nothing had opened it; what it has opened was left."""
        nestings = self._nestings
        nestings.top = nestings.frames[-1] if nestings.frames else None
        self.cursor.set_limit(limit)
        self.cursor.seek(start)
        self.leaf_end = end
        self._tags.nests = True

    def ahead(self, cursor: Cursor) -> UnrealReader:
        """Return a reader of the same property lists with another cursor. It makes no objects."""
        other = UnrealReader(cursor, self.limits, self.dialect.fork())
        other.steps = self.steps
        other.allowance.source = self.allowance.source
        return other

    def open_like(self, other: UnrealReader, depth: i64) -> None:
        """Open copies of the outermost `depth` nestings of another reader."""
        nestings = self._nestings
        nestings.frames = [frame.copy() for frame in other._nestings.frames[:depth]]
        nestings.top = nestings.frames[-1] if nestings.frames else None
        nestings.most = other._nestings.most
        nestings.list_end = -1

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        nestings = self._nestings
        frame = nestings.top
        if frame is not None:
            walker = self.walker
            # Most steps: from a leaf to the next tag.
            event = walker.next_tag(self, frame) if frame.kind == LIST and not self._tags.nests else walker.walk(self)
            if event is not None:
                return event
            if nestings.top is not None:
                event = walker.walk(self)
                if event is not None:
                    return event
        if self._inner is not None and self.leaf_end < 0:
            # What the method of the base would do, without the call: nearly all other steps.
            for event in self._inner:
                return event
        made = super().next_event()
        return self.next_event() if made is BEGUN else made

    def walk(self) -> Event | None:
        return self.walker.walk(self)

    def open_value(self) -> Event | None:
        return self.walker.open(self)

    def value(self, event: Event) -> object:
        return self._decoder.value(self, event) if isinstance(event, PropertyTag) else super().value(event)

    def open_slices(self, event: Event) -> Slices | None:
        return self._decoder.open_slices(self, event) if isinstance(event, PropertyTag) else super().open_slices(event)

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
        left = self.leaf_end - start
        self.spend(1, left)
        return [Opaque(self.cursor.take(left), reason)]

    def close_slices(self, event: Event) -> None:
        if isinstance(event, PropertyTag):
            self._decoder.check_rest(self.cursor, event)

    def encode(self, event: Event, value: object) -> bytes:
        if not isinstance(event, PropertyTag):
            return super().encode(event, value)
        from streamsave.formats.unreal.value_encoder import encode_value  # noqa: PLC0415 - most programs only read

        encoder = self.encoder()
        encode_value(self, self._tags, self.walker.guesses, event, value, encoder)
        return bytes(encoder.data)

    def lengths(self, event: Event) -> list[Length]:
        from streamsave.formats.unreal.tag_lengths import struct_lengths, tag_length  # noqa: PLC0415 - most programs only read

        if isinstance(event, PropertyTag):
            return [tag_length(self.dialect, event, self.cursor_back())]
        if isinstance(event, StructEnter):
            return struct_lengths(self.dialect, event, self.cursor_back())
        return []

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        if not isinstance(event, PropertyTag):
            return super().layouts(event)
        from streamsave.formats.unreal.tag_lengths import NEW_TAG, OLD_TAG  # noqa: PLC0415 - most programs only read

        tag: tuple[int, Codec] = (event.offset, NEW_TAG if self.dialect.new_tags else OLD_TAG)
        if self.leaf_end < 0:
            return [tag]
        outer = self.cursor.limit()
        start = self.cursor.tell()
        self.cursor.set_limit(self.leaf_end)
        try:
            self._tags.use(event)
            codec = self._decoder.layout(self, event)
        finally:
            self.cursor.set_limit(outer)
            self.cursor.seek(start)
        return [tag] if codec is None else [tag, (event.value_offset, codec)]

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        return self.walker.steps.script_struct(enter)

    def skip(self, event: Event) -> bool:
        kind = type(event)
        if isinstance(event, ObjectHeader):
            headers = self.walker.openers.headers
            if headers is not None:
                if event.size < 0:
                    return False
                headers.leave(self._nestings)
            elif self._nestings.top is not None:
                self.walker.abandon(self)
        elif kind is PropertyTag or kind is Field:
            self.cursor.seek(self.leaf_end)
            self.walker.leave_leaf(self)
            return True
        elif isinstance(event, StructEnter):
            content = self._content
            if event.size >= 0:
                top = self._nestings.top
                if top is not None:
                    top.skipped = True
            elif content is not None and event is self._entered:
                content.measure(self.cursor, self)
                return True
        return super().skip(event)

    def holds_objects(self, header: ObjectHeader) -> bool:
        headers = self.walker.openers.headers
        return headers is not None and header.level in headers.profile.holders

    def leads_to_objects(self, event: Event) -> bool:
        headers = self.walker.openers.headers
        return headers is not None and headers.profile.leads(self.path())

    def path(self) -> tuple[PathStep, ...]:
        return (*self.steps, *self._nestings.path(self.leaf_path()))

    def list_start(self, event: ObjectHeader | StructEnter) -> i64:
        """Return where the property list starts that the last event has opened; -1 if it has opened none."""
        top = self._nestings.top
        start = content_start(event)
        return start if top is not None and top.kind == LIST and self.cursor.tell() == start else -1

    # --- property lists inside of values ---

    def properties(self, cursor: Cursor) -> dict[str, object]:
        nested = self._begin_nested(cursor)
        try:
            return build_list(nested)
        finally:
            self.restore_spent(nested.spent())
            nested.abandon()

    def skip_properties(self, cursor: Cursor) -> None:
        nested = self._begin_nested(cursor)
        try:
            event = nested.walk()
            while event is not None:
                self.allowance.spend(cursor)
                nested.skip(event)
                event = nested.walk()
        finally:
            nested.abandon()

    def _begin_nested(self, cursor: Cursor) -> UnrealReader:
        """Return the reader of a property list that starts at `cursor`, inside of a value.

        Raises:
            LimitExceeded: more than `Limits.depth` nestings are open.
        """
        nested = self._nested
        if nested is None:
            nested = UnrealReader(cursor, self.limits, self.dialect)
            nested.allowance = self.allowance
            self._nested = nested
        nestings = self._nestings
        most = nestings.most - len(nestings.frames) - 1
        if most <= 0:
            raise cursor.exceeded("depth", self.limits.depth + 1)
        nested._nestings.most = most
        nested.cursor = cursor
        nested.dialect = self.dialect
        nested.building = self.building
        nested.nesting = self.nesting
        nested.restore_spent(self.spent())
        nested.begin_list(cursor.limit())
        return nested

    def starts_property_list(self, cursor: Cursor) -> bool:
        return looks_like_list(cursor)
