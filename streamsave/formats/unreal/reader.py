"""The base of readers for Unreal saves, which have property lists in them, and binary structs.

The walk over these is one flat machine with a stack of frames, because most of the time is spent here.

| part | what it does |
|---|---|
| `tags` | reads tags; keeps what the last one says |
| `nestings` | the frames that are open |
| `openers` | step into the value of the last tag |
| `stepper` | opens sets and maps, steps through containers and binary structs |
| `guesses` | find structs that no tag names |
| `values` | decodes and encodes the value of a tag |

These parts take the reader as an argument. If they held a reference to it, the cycle would keep the memory of a save until the
next garbage collection.

Whatever has a size is bounded by it: a value that claims more than is around it is damaged, one that leaves bytes over is
followed by a `BlobSkip`.

The module is long because the walk of a property list is here, with what the stream asks in the middle of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_list
from streamsave.decode.codecs import BuildState, Codec, Struct
from streamsave.decode.cursor import LARGEST_SIZE, Cursor
from streamsave.decode.reader import EventAllowance, Leaf, Length, Reader
from streamsave.decode.slices import Slices
from streamsave.errors import PathStep, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.containers import Containers
from streamsave.formats.unreal.dialect import Dialect, noted_value
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import AFTER_LIST, ARRAY, ELEMENTS, LIST, MEMBERS, DeltaFrame, Frame, MapFrame, Nestings
from streamsave.formats.unreal.object_rows import ObjectProfile
from streamsave.formats.unreal.pool import NONE, STORED_NONE
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import NEW_TAG, OLD_TAG, TagReader, struct_lengths, tag_length
from streamsave.formats.unreal.tag_values import TagValues
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.value_openers import ValueOpeners, list_frame
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

    def __init__(
        self, cursor: Cursor, dialect: Dialect, allowance: EventAllowance | None = None, build: BuildState | None = None
    ) -> None:
        super().__init__(cursor, allowance=allowance, build=build)
        limits = cursor.limits
        self.tags = TagReader(dialect)
        self.nestings = Nestings(limits)
        self.guesses = StructGuesses(self.tags)
        self.stepper = Containers(self.tags, self.nestings, self.guesses)
        self.openers = ValueOpeners(self.tags, self.nestings, self.guesses, self.stepper)
        self.values = TagValues(self.tags, self.guesses)
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
        return self.tags.dialect

    @dialect.setter
    def dialect(self, dialect: Dialect) -> None:
        self.tags.dialect = dialect

    def give_objects(self, profile: ObjectProfile, version: int) -> None:
        """Make objects of the elements of the containers that a profile names.

        Args:
            profile: which containers.
            version: `ObjectHeader.save_version`.
        """
        look = UnrealReader(self.cursor, self.dialect, self.allowance)
        headers = ElementHeaders(profile, version, look, look.nestings, look.tags)
        self.openers.headers = headers

    def begin_list(self, end: i64, class_name: str = "") -> None:
        """Walk the property list of an object of that class, which starts at the cursor; the list ends before `end`."""
        cursor = self.cursor
        nestings = self.nestings
        nestings.end_list()
        self.stepper.forget()
        outer = cursor.limit()
        nestings.push(cursor, list_frame(self.tags.dialect, "", class_name, -1, outer))
        if outer != end:
            cursor.set_limit(end)

    def begin_members(self, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or after the leaf just announced)."""
        cursor = self.cursor
        nestings = self.nestings
        nestings.end_list()
        nestings.push(cursor, Frame(MEMBERS, "", -1, cursor.limit(), struct=struct))
        cursor.set_limit(end)

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
        self.nestings.set_most(most)

    def abandon(self) -> None:
        """Leave all open nestings of the walk: the consumer went to the end of the object."""
        self.nestings.clear(self.cursor)
        self.leave_leaf()

    # --- walks from any place ---

    def frames(self) -> list[Frame]:
        """Return the open nestings of the walk, outermost first."""
        return self.nestings.frames

    def nesting_depth(self, frames: i64) -> i64:
        """Return how many nestings the events of the walk have entered for the outermost of these frames, and not left."""
        return self.nestings.depth(frames)

    def resume(self, depth: i64, at: i64, index: i64 = 0) -> None:
        """Leave all but the outermost `depth` nestings, and walk on at an offset in the innermost of them.

        Args:
            depth: at least 1.
            at: where a tag starts, the end of a list, or an element; in a pair of a map, where the next pair does.
            index: the position of that element, in a container.
        """
        nestings = self.nestings
        nestings.drop(depth)
        nestings.frames[-1].resume(index)
        self.leave_leaf()
        self._entered = None
        nestings.set_limits(self.cursor)
        self.cursor.seek(at)

    def reopen(self, leaf: Leaf, limit: i64, depth: i64) -> None:
        """Go back to the start of the value of the last tag, as if nothing had opened it; what it has opened was left."""
        nestings = self.nestings
        nestings.drop(depth)
        self.cursor.set_limit(limit)
        self.cursor.seek(leaf.start)
        self.announce(leaf)

    def ahead(self, cursor: Cursor) -> UnrealReader:
        """Return a reader of the same property lists with another cursor. It makes no objects."""
        return UnrealReader(cursor, self.dialect, EventAllowance(self.limits, self.allowance.source))

    def open_like(self, other: UnrealReader, depth: i64) -> None:
        """Open copies of the outermost `depth` nestings of another reader."""
        self.steps = other.steps
        self.nestings.follow(other.nestings, depth)
        self.nestings.set_most(other.nestings.most)

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        nestings = self.nestings
        frame = nestings.top
        if frame is not None:
            # Most steps: from a leaf to the next tag.
            event = self.next_tag(frame) if frame.kind == LIST and not (self.is_pending and self.leaf.opens) else self.walk()
            if event is not None:
                return event
            if nestings.top is not None:
                event = self.walk()
                if event is not None:
                    return event
        if self._inner is not None and not self.is_pending:
            # What the method of the base would do, without the call: nearly all other steps.
            for event in self._inner:
                return event
        made = super().next_event()
        return self.next_event() if made is BEGUN else made

    def open_value(self) -> Event | None:
        return self.openers.open(self)

    def value(self, event: Event) -> object:
        return self.values.read(self, event) if isinstance(event, PropertyTag) else super().value(event)

    def open_slices(self, event: Event) -> Slices | None:
        return self.values.open_slices(self, event) if isinstance(event, PropertyTag) else super().open_slices(event)

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
            self.values.check_rest(self.cursor, event)

    def encode(self, event: Event, value: object) -> bytes:
        if not isinstance(event, PropertyTag):
            return super().encode(event, value)
        encoder = self.encoder()
        self.values.encode(self, event, value, encoder)
        return bytes(encoder.data)

    def lengths(self, event: Event) -> list[Length]:
        if isinstance(event, PropertyTag):
            return [tag_length(self.dialect, event, self.cursor_back())]
        if isinstance(event, StructEnter):
            return struct_lengths(self.dialect, event, self.cursor_back())
        return []

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        if not isinstance(event, PropertyTag):
            return super().layouts(event)
        tag: tuple[int, Codec] = (event.offset, NEW_TAG if self.dialect.new_tags else OLD_TAG)
        if not self.is_pending:
            return [tag]
        cursor = self.cursor.fork()
        cursor.set_limit(self.leaf.end)
        codec = self.values.layout(self, cursor, event)
        return [tag] if codec is None else [tag, (event.value_offset, codec)]

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        return self.stepper.script_struct(enter)

    def skip(self, event: Event) -> bool:
        kind = type(event)
        if isinstance(event, ObjectHeader):
            if event.size < 0:
                return False
            headers = self.openers.headers
            if headers is not None:
                headers.leave(self.nestings)
            elif self.nestings.top is not None:
                self.abandon()
        elif kind is PropertyTag or kind is Field:
            self.cursor.seek(self.leaf.end)
            self.leave_leaf()
            return True
        elif isinstance(event, StructEnter):
            content = self._content
            if event.size >= 0:
                top = self.nestings.top
                if top is not None:
                    top.pass_over()
            elif content is not None and event is self._entered:
                content.measure(self.cursor, self)
                return True
        return super().skip(event)

    def holds_objects(self, header: ObjectHeader) -> bool:
        headers = self.openers.headers
        return headers is not None and header.level in headers.profile.holders

    def leads_to_objects(self, event: Event) -> bool:
        headers = self.openers.headers
        return headers is not None and headers.profile.leads(self.path())

    def path(self) -> tuple[PathStep, ...]:
        if self.nestings.top is None and not self.is_pending:
            return tuple(self.steps)  # at the header of an object, mostly: each selected object has its path
        return (*self.steps, *self.nestings.path(self.leaf_path()))

    def list_start(self, event: ObjectHeader | StructEnter) -> i64:
        """Return where the property list starts that the last event has opened; -1 if it has opened none."""
        top = self.nestings.top
        start = content_start(event)
        return start if top is not None and top.kind == LIST and self.cursor.tell() == start else -1

    # --- the step ---

    def walk(self) -> Event | None:
        """Make the next event inside of the outermost frame; None when that is done."""
        if self.is_pending:
            if self.leaf.opens:
                event = self.openers.open(self)
                if event is not None:
                    return event
            self.cursor.pass_to(self.leaf.end)
            self.is_pending = False
        nestings = self.nestings
        while True:
            frame = nestings.top
            if frame is None:
                return None
            kind = frame.kind
            if kind == LIST:
                event = self.next_tag(frame)
            elif kind == ELEMENTS or kind == ARRAY:
                event = self._announced(frame, self.stepper.next_element(self, frame))
            elif kind == MEMBERS:
                event = self.stepper.next_member(self, frame)
            elif isinstance(frame, DeltaFrame):
                event = self.stepper.next_part(self, frame)
            elif isinstance(frame, MapFrame):
                opens = frame.at == 0
                event = self.stepper.next_pair(self, frame)
                if opens:
                    event = self._announced(frame, event)
            if event is not None:
                return event

    def _announced(self, container: Frame, event: Event | None) -> Event | None:
        """Return the event that opens an element: an `ObjectHeader`, if the elements of the container are objects."""
        row = container.row
        headers = self.openers.headers
        if row is None or headers is None or not isinstance(event, StructEnter):
            return event
        return headers.announce(self, self.nestings, row, event)

    def next_tag(self, frame: Frame) -> Event | None:
        """Make the next event of a list frame, the innermost nesting: pass over the last leaf, read a tag.

        Nearly all events are made here. The bytes are compared with the tag that came next last time; only others are read.

        Returns:
            None at the end of a list that has no exit of its own.
        """
        cursor = self.cursor
        tags = self.tags
        if self.is_pending:
            offset = self.leaf.end
            self.is_pending = False
        else:
            offset = cursor.tell()
        if frame.skipped:
            cursor.pass_to(offset)
            return self.nestings.exit(cursor, offset, 0)
        last = frame.last_tag
        tag = None if last is None else last.next
        size_and_index: i64 = -1
        if tag is not None:
            size_and_index = cursor.size_at(offset, tag.stored)
        if tag is not None and size_and_index >= 0:
            start = offset + tag.size
            size = size_and_index & 0xFFFFFFFF
        elif cursor.passes(offset, STORED_NONE):
            if last is not None:
                last.next = None
            return self._end_list(cursor, frame, offset)
        else:
            cursor.pass_to(offset)
            name = cursor.name()
            if name == NONE:
                if last is not None:
                    last.next = None
                return self._end_list(cursor, frame, offset)
            tag = tags.read(cursor, offset, name)
            size_and_index = tags.size_and_index
            if last is not None and tag.size > 0:
                last.next = tag
            start = cursor.tell()
            size = size_and_index & 0xFFFFFFFF
            if size > cursor.remaining() or size > LARGEST_SIZE:
                raise cursor.damaged(
                    f"size of {tag.type} {name} does not fit",
                    offset=offset,
                    expected=f"0 to {cursor.remaining()} bytes",
                    actual=size,
                )
        frame.last_tag = tag
        nests = tag.nests and size != tag.leaf_size
        if nests:
            tags.last = tag
            if tag.is_noted:
                nests = False
                frame.noted = noted_value(cursor, size)
        self.leaf = Leaf(tag.name, start, start + size, -1, None, opens=nests)
        self.is_pending = True
        return PropertyTag(
            offset,
            tag.name,
            tag.type,
            size,
            size_and_index >> 32,
            start,
            tag.type_name,
            tag.inner_type,
            tag.value_type,
            tag.flag,
            tag.struct_guid,
            tag.guid,
        )

    def _end_list(self, cursor: Cursor, frame: Frame, offset: i64) -> Event | None:
        """Leave a list whose terminator, the name `None`, was read at `offset`."""
        nestings = self.nestings
        if len(nestings.frames) == 1:
            nestings.end_list(offset)
            nestings.pop(cursor)
            return None
        if frame.inline:
            nestings.pop(cursor)
            frame = nestings.frames[-1]
            frame.claim = offset
            return None
        end = cursor.tell()
        if frame.end >= 0 and end != frame.end:
            return nestings.rest(cursor, frame, offset, AFTER_LIST)
        return nestings.exit(cursor, offset, end - offset)

    # --- property lists inside of values ---

    def properties(self, cursor: Cursor) -> dict[str, object]:
        nested = self._begin_nested(cursor)
        try:
            return build_list(nested)
        finally:
            nested.abandon()

    def skip_properties(self, cursor: Cursor) -> None:
        nested = self._begin_nested(cursor)
        spent = self.build.spent()
        try:
            event = nested.walk()
            while event is not None:
                self.allowance.spend(cursor)
                nested.skip(event)
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
        nestings = self.nestings
        most = nestings.most - len(nestings.frames) - 1
        if most <= 0:
            raise cursor.exceeded("depth", self.limits.depth + 1)
        nested.nestings.set_most(most)
        nested.use_cursor(cursor)
        nested.dialect = self.dialect
        nested.begin_list(cursor.limit())
        return nested

    def starts_property_list(self, cursor: Cursor) -> bool:
        return looks_like_list(cursor)
