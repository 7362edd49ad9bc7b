"""The walk over property lists: the nestings that are open, and one frame for each. A frame makes the next event of its nesting.

| frame | walks | events |
|---|---|---|
| list | property tags up to `None` | `PropertyTag`, then what its value opens |
| elements | elements of an array or set | `StructEnter` ... `StructExit`, or `Field`, each |
| map | pairs of which key or value is a property list | `StructEnter("MapEntry")`, `key`, `value`, `StructExit` |
| delta | what a set or map removes, then what it adds | `StructEnter` ... `StructExit` each |
| members | the named values of a binary struct | `Field` each, or nested as above |

Frames take the reader as an argument. If they held a reference to it, the cycle would keep the memory of a save until the next
garbage collection.

The module is long because a frame and the reader that holds it call each other at each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, final

from streamsave._native import i64
from streamsave.decode.codecs import BuildState, Codec, Struct
from streamsave.decode.cursor import LARGEST_SIZE, Cursor
from streamsave.decode.reader import EventAllowance, Leaf, Reader
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, ObjectEnd, PropertyTag, StructExit
from streamsave.formats.unreal.dialect import Dialect, noted_value
from streamsave.formats.unreal.object_rows import MemberNode, ObjectRow
from streamsave.formats.unreal.pool import NONE, STORED_NONE
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import Tag

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["AFTER_ELEMENTS", "AFTER_LIST", "AFTER_MEMBERS", "LEFT_OVER", "Frame", "FrameReader", "ListFrame"]

#: Reasons of a `BlobSkip`: a nesting has ended before its size does. No known game writes such a save.
AFTER_ELEMENTS: Final = "bytes after the last element"
AFTER_LIST: Final = "bytes after the end of a property list"
AFTER_MEMBERS: Final = "bytes after the last member"
LEFT_OVER: Final = frozenset((AFTER_ELEMENTS, AFTER_LIST, AFTER_MEMBERS))


class Frame:
    """One open nesting. Most values start as the class says, so that an instance is cheap to make.

    Those that each step reads are set in each instance: plain Python finds them sooner there.
    """

    #: It has the pairs of a map.
    is_map = False
    #: It has the elements of an array or set.
    is_elements = False
    #: The next member of a binary struct, or the next part of a pair or delta.
    at: i64 = 0
    #: Why the rest of a container is passed over after all its elements were walked.
    rest = AFTER_ELEMENTS
    #: Of the games that have it: the value that says what a blob in here is (`BlobLayouts`).
    noted = ""
    #: Where an inline property list ended whose terminator no event has claimed yet, or -1.
    claim: i64 = -1
    #: Of a container whose elements are objects: which ones.
    row: ObjectRow | None = None
    #: It is an object, or the pair that is open is one; and the name of that.
    is_object = False
    object_name = ""

    def __init__(
        self,
        name: str,
        end: i64,
        outer_limit: i64,
        *,
        index: i64 = -1,
        count: i64 = 0,
        codec: Codec | None = None,
        struct: Struct | None = None,
        type_name: str = "",
        peeks: bool = False,
        inline: bool = False,
        last_tag: Tag | None = None,
    ) -> None:
        self.name = name
        #: Where it ends, or -1 where only its content shows that.
        self.end: i64 = end
        #: The limit to go back to, or -1 if the frame has set none.
        self.outer_limit: i64 = outer_limit
        #: The consumer went to the end of it.
        self.skipped = False
        #: Position in the container, -1 if it is in none. For a container: position of the element that is open.
        self.index: i64 = index
        #: Elements of a container (of a delta: those to remove).
        self.count: i64 = count
        #: Element of an array; members of a binary struct.
        self.codec = codec
        self.struct = struct
        #: Name of the struct type of elements.
        self.type_name = type_name
        #: Each element, of a delta each one that it removes, is a property list or binary, as a look at it shows.
        self.peeks = peeks
        #: A property list without a nesting of its own: the struct around it claims its terminator.
        self.inline = inline
        #: Of a property list: its last tag, or the stand-in for its start. Old tags only.
        self.last_tag = last_tag

    def step(self, walk: FrameReader) -> Event | None:
        """Make the next event, as the innermost nesting. None: it has only opened or left a frame; the innermost one goes on."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return another frame in the same state. Its elements are no objects."""
        other = type(self)(
            self.name,
            self.end,
            self.outer_limit,
            index=self.index,
            count=self.count,
            codec=self.codec,
            struct=self.struct,
            type_name=self.type_name,
            peeks=self.peeks,
            inline=self.inline,
            last_tag=self.last_tag,
        )
        other.follow(self)
        return other

    def follow(self, other: Frame) -> None:
        """Take over how far another frame of the same nesting is."""
        self.index = other.index
        self.skipped = other.skipped
        self.at = other.at
        self.rest = other.rest
        self.noted = other.noted
        self.claim = other.claim

    def advance(self) -> bool:
        """Go to the next element of a container; return False if there is none, or the rest is passed over."""
        self.index += 1
        return not self.skipped and self.index < self.count

    def leave_element(self) -> None:
        """Note that the consumer went to the end of the element that it is."""
        self.skipped = True


@final
class ListFrame(Frame):
    """The tags of a property list."""

    def copy(self) -> Self:  # written out: it is called for each object that is an element, and the general way is slower
        other = ListFrame(self.name, self.end, self.outer_limit, index=self.index, inline=self.inline, last_tag=self.last_tag)
        other.follow(self)
        return other

    def step(self, walk: FrameReader) -> Event | None:
        """Pass over the last leaf, read a tag. Return None at the end of a list that has no exit of its own.

        Nearly all events are made here. The bytes are compared with the tag that came next last time; only others are read.
        """
        cursor = walk.cursor
        tags = walk.tags
        if walk.is_pending:
            offset = walk.leaf.end
            walk.is_pending = False
        else:
            offset = cursor.tell()
        if self.skipped:
            cursor.pass_to(offset)
            return walk.exit(offset, 0)
        last = self.last_tag
        tag = None if last is None else last.next
        size_and_index: i64 = -1
        if tag is not None:
            size_and_index = cursor.size_at(offset, tag.stored)
        if tag is not None and size_and_index >= 0:
            start = offset + tag.size
            size = size_and_index & 0xFFFFFFFF
        else:
            name = NONE
            if not cursor.passes(offset, STORED_NONE):
                cursor.pass_to(offset)
                name = cursor.name()
            if name == NONE:
                if last is not None:
                    last.next = None
                return self._end(walk, offset)
            tag = tags.read(cursor, walk.dialect, offset, name)
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
        self.last_tag = tag
        nests = tag.nests and size != tag.leaf_size
        if nests:
            tags.last = tag
            if tag.is_noted:
                nests = False
                self.noted = noted_value(cursor, size)
        walk.leaf = Leaf(tag.name, start, start + size, -1, None, opens=nests)
        walk.is_pending = True
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

    def _end(self, walk: FrameReader, offset: i64) -> Event | None:
        """Leave the list, whose terminator, the name `None`, was read at `offset`."""
        if len(walk.frames) == 1:
            walk.list_end = offset
            walk.pop()
            return None
        if self.inline:
            walk.pop()
            walk.frames[-1].claim = offset
            return None
        end = walk.cursor.tell()
        if self.end >= 0 and end != self.end:
            return walk.pass_rest(self, offset, AFTER_LIST)
        return walk.exit(offset, end - offset)

    def pass_known(self, cursor: Cursor, node: MemberNode | None) -> None:
        """Pass over properties that come as they did last time, up to one that is needed or says what a blob is.

        Args:
            cursor: at the start of a tag.
            node: the members that are needed; None: no member is.
        """
        offset = cursor.tell()
        tag = self.last_tag
        if tag is None:
            return
        known = tag.next
        while known is not None and not known.is_noted and (node is None or node.child(known.name) is None):
            size_and_index = cursor.size_at(offset, known.stored)
            if size_and_index < 0:
                break
            offset += known.size + (size_and_index & 0xFFFFFFFF)
            self.last_tag = known
            known = known.next
        cursor.seek(offset)


class FrameReader(Reader):
    """A reader whose nestings are frames, innermost last. Where one ends is a limit of the cursor."""

    def __init__(
        self, cursor: Cursor, dialect: Dialect, allowance: EventAllowance | None = None, build: BuildState | None = None
    ) -> None:
        super().__init__(cursor, allowance=allowance, build=build)
        #: The dialect of the property list that is read.
        self.dialect = dialect
        #: Reads tags; keeps what the last one says.
        self.tags = TagReader()
        self.frames: list[Frame] = []
        #: The innermost frame; None while nothing is walked.
        self.top: Frame | None = None
        #: Where the outermost list ended, once it is done, until an event claims its terminator; else -1.
        self.list_end: i64 = -1
        #: How many frames may be open: fewer than `Limits.depth` in a walk that is nested in another.
        self.most: i64 = cursor.limits.depth
        #: Of the last struct that was entered and has its type before it: that type, and where both start.
        self.script: ObjectReference | None = None
        self.script_at: i64 = -1

    def walk(self) -> Event | None:
        """Make the next event inside of the outermost frame; None when that is done."""
        raise NotImplementedError

    # --- open, leave ---

    def push(self, frame: Frame) -> None:
        """Open a nesting.

        Raises:
            LimitExceeded: more than `Limits.depth` are open.
        """
        if len(self.frames) >= self.most:
            raise self.cursor.exceeded("depth", self.limits.depth + 1)
        self.frames.append(frame)
        self.top = frame

    def push_list(self, name: str, type_name: str, end: i64, outer_limit: i64) -> None:
        """Open the property list of a class or struct."""
        self.push(ListFrame(name, end, outer_limit, last_tag=self.dialect.tag_cache.start(type_name)))

    def pop(self) -> Frame:
        """Leave the innermost nesting, and go back to the limit around it."""
        frames = self.frames
        frame = frames.pop()
        self.top = frames[-1] if frames else None
        if frame.outer_limit >= 0:
            self.cursor.set_limit(frame.outer_limit)
        return frame

    def drop(self, depth: i64) -> None:
        """Forget all but the outermost `depth` frames."""
        del self.frames[depth:]
        self.top = self.frames[-1] if self.frames else None

    def abandon(self) -> None:
        if self.frames:
            self.cursor.set_limit(self.frames[0].outer_limit)
            self.drop(0)
        self.leave_leaf()

    def follow(self, other: FrameReader, depth: i64, shared: i64 = 0) -> None:
        """Open copies of the outermost `depth` frames of another walk; the outermost `shared` of them only to be looked at."""
        self.frames = [*other.frames[:shared], *[frame.copy() for frame in other.frames[shared:depth]]]
        self.drop(depth)
        self.list_end = -1

    # --- the last events of a nesting ---

    def exit(self, offset: i64, size: i64) -> Event:
        """Leave the innermost nesting: return its exit, which claims `size` bytes."""
        frame = self.pop()
        return ObjectEnd(offset, frame.object_name, size) if frame.is_object else StructExit(offset, frame.name, size)

    def pass_rest(self, frame: Frame, start: i64, reason: str) -> Event:
        """Pass over what is left of a frame, from `start` on."""
        self.cursor.pass_to(frame.end)
        frame.skipped = True
        return BlobSkip(start, frame.end - start, reason)

    def end_container(self, frame: Frame) -> Event:
        """Return the next event after the last element: what is left, if it is anything, then the exit."""
        offset = self.cursor.tell()
        if not frame.skipped and frame.end >= 0 and offset != frame.end:
            return self.pass_rest(frame, offset, frame.rest)
        return self.exit(offset, 0)

    # --- where ---

    def path(self) -> tuple[PathStep, ...]:
        if self.top is None and not self.is_pending:
            return tuple(self.steps)  # at the header of an object, mostly: each selected object has its path
        return (*self.steps, *self.frame_path(self.leaf_path()))

    def frame_path(self, leaf: tuple[PathStep, ...] = ()) -> tuple[PathStep, ...]:
        """Return names and positions from the outermost frame to the last event's `leaf`."""
        steps: list[PathStep] = []
        container = ""
        for frame in self.frames:
            if frame.name and frame.name != container:
                steps.append(frame.name)
            if frame.index >= 0 and not frame.is_elements and (frame.at > 0 or not frame.is_map):
                steps.append(int(frame.index))
            container = frame.name if frame.is_elements else ""
        if leaf and leaf[0] == container:
            leaf = leaf[1:]
        return (*steps, *leaf)

    def noted(self, depth: i64) -> str:
        """Return what was noted last in the outermost `depth` nestings; "" if nothing was."""
        while depth > 0:
            depth -= 1
            if self.frames[depth].noted:
                return self.frames[depth].noted
        return ""
