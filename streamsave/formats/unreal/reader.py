"""The base of readers for Unreal saves: they have property lists in them, and binary structs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_list
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.decode.slices import Slices
from streamsave.errors import PathStep, SaveError, UnsupportedSave
from streamsave.events import Damage, Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import LIST
from streamsave.formats.unreal.object_rows import ObjectProfile
from streamsave.formats.unreal.property_walker import PropertyWalker
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.value_decoder import ValueDecoder
from streamsave.input.forward import ForwardWindows, has_bytes_after
from streamsave.limits import Limits
from streamsave.values import Loss, Opaque

if TYPE_CHECKING:
    from streamsave.formats.unreal.proven_tags import Doubt
    from streamsave.values import ObjectReference

__all__ = ["UnrealReader"]


class UnrealReader(Reader):
    """Reader of a save with property lists in it.

    A family's reader calls `begin_list` or `begin_members`, then `walk()` for the first event; `next_event` gives the others.
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
        #: With `prove_tags`: where tags are whose values are lost, in the container that was measured last.
        self._doubts: dict[int, Doubt] | None = None

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

    def prove_tags(self) -> None:
        """Give no property of a damaged save before it is proven, see `proven_tags`."""
        from streamsave.formats.unreal.measured_walk import MeasuredWalker  # noqa: PLC0415 - few saves are damaged
        from streamsave.formats.unreal.proven_tags import ProvenWalker  # noqa: PLC0415

        ahead = UnrealReader(self.cursor, self.limits, self.dialect)
        ahead.loses_values = self.loses_values
        ahead.allowance.source = self.allowance.source
        walker = ProvenWalker(self.limits, ahead.walker, {})
        ahead.walker = walker
        self.walker = MeasuredWalker(self.limits, self.walker, ahead, walker)
        self._doubts = walker.doubts

    def give_objects(self, profile: ObjectProfile, version: int) -> None:
        """Make objects of the elements of the containers that a profile names.

        Args:
            profile: which containers.
            version: `ObjectHeader.save_version`.
        """
        look = UnrealReader(self.cursor, self.limits, self.dialect)
        look.allowance = self.allowance
        headers = ElementHeaders(profile, version, look, look.walker.nestings, look.walker.tags)
        if self._doubts is not None:
            from streamsave.formats.unreal.measured_walk import KnownWalker, MeasuredWalker  # noqa: PLC0415 - few saves are damaged

            assert isinstance(self.walker, MeasuredWalker)  # noqa: S101 - as `prove_tags` has made it
            self.walker.expect_full(profile.full)
            headers.doubts = self._doubts
            look.walker = KnownWalker(self.limits, look.walker, self._doubts)
            look.loses_values = self.loses_values
            look.resyncs = True
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
        return super().next_event()

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

    def find_references(self, event: Event, found: list[str]) -> None:
        if isinstance(event, PropertyTag):
            self._decoder.find_references(self, event, found)
        else:
            super().find_references(event, found)

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

    # --- damage ---

    def give_up(self, error: SaveError) -> Event | None:
        if not self.loses_values or not has_bytes_after(error, self.windows) or not self.survives(error):
            return None
        return self.give_up_value(error, 1, self.hole_end(error))

    def give_up_value(self, error: SaveError, outer_depth: i64, least: i64 = 0) -> Event | None:
        """Give up the smallest enclosing value whose end is known, and go past it.

        Args:
            error: what is wrong inside of it.
            outer_depth: how many nestings are open around the property list.
            least: lower bound for that end. A value that ends before is given up with the one around it.

        Returns:
            What was lost; None if no end is known.
        """
        nestings = self._nestings
        end = self.leaf_end
        if end >= 0 and end >= least and self.walker.leads(self, len(nestings.frames), end, fault=error.offset):
            name = self.leaf_name
        else:
            top = nestings.keep_readable(least)
            while top is not None and not self.walker.leads(self, len(nestings.frames) - 1, top.end, fault=error.offset):
                nestings.frames.pop()
                top = nestings.keep_readable(least)
            if top is None:
                return None
            top.skipped = True
            top.at = 0
            end = top.end
            name = top.name
        if not self._reaches(end):
            return None  # nor do the values around it end before the stream does
        self.walker.leave_leaf(self)
        self.cursor.set_limit(nestings.limit())
        self.cursor.seek(end)
        path = self.path()
        if path[-1:] != (name,):
            path = (*path, name)
        # Where it starts is where the claims before it end: the stream knows that.
        self.damage = Damage(0, end, error, Loss("property", name, path, -1))
        self.damage_depth = outer_depth + nestings.depth()
        return self.damage

    def hole_end(self, error: SaveError) -> i64:
        windows = self.windows
        return windows.hole_end(error.offset) if error is self.cursor.fault and isinstance(windows, ForwardWindows) else -1

    def _reaches(self, offset: i64) -> bool:
        """Return whether all before an offset can be read."""
        try:
            return self.windows.reaches(offset)
        except SaveError:  # the fault that is survived was reported, and nothing follows this one
            return False

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
