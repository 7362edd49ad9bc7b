"""The walk over property tags: one flat machine with a stack of frames, because this is where the time goes.

Whatever has a size is bounded by it: a value that claims more than encloses it is damaged, one that leaves bytes over is
followed by a `BlobSkip`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import LARGEST_SIZE, Cursor
from streamsave.events import BlobSkip, Event, PropertyTag, StructExit
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.frames import ARRAY, DELTA, ELEMENTS, LIST, MEMBERS, Frame
from streamsave.formats.unreal.tagreader import TagReader
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["TagWalker"]


class TagWalker(TagReader):
    """Walks the tags of property lists; what their values are is for those that build on it."""

    def __init__(self, cursor: Cursor, limits: Limits, dialect: Dialect) -> None:
        super().__init__(cursor, limits, dialect)
        self.frames: list[Frame] = []
        self.top: Frame | None = None
        #: Offset of the terminator of the outermost list, once it is done.
        self.list_end: i64 = -1
        #: How many frames may be open: less than `Limits.depth` in a walk that is nested in another.
        self._depth_left: i64 = limits.depth
        #: Of the last struct that was entered and has its type in front of it: that, and where both start.
        self._script_struct: ObjectReference | None = None
        self._dynamic_at: i64 = -1
        #: Nothing but their bytes told what the structs of a container are.
        self._guessed = False

    # --- begin ---

    def begin_list(self, end: i64, class_name: str = "") -> None:
        """Walk a property list that starts at the cursor, of an object of that class; the list ends before `end`."""
        self.list_end = -1
        self._push(self._list_frame("", class_name, -1, self.cursor.limit()))
        self.cursor.set_limit(end)

    def begin_members(self, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or behind the leaf just announced)."""
        self.list_end = -1
        frame = Frame(MEMBERS, "", -1, self.cursor.limit())
        frame.struct = struct
        self._push(frame)
        self.cursor.set_limit(end)

    def abandon(self) -> None:
        """Leave all frames: the consumer went to the end of the object."""
        if self.frames:
            self.cursor.set_limit(self.frames[0].outer_limit)
            self.frames.clear()
            self.top = None
        self.leaf_end = -1
        self._nests = False

    # --- the step ---

    def next_event(self) -> Event | None:
        frame = self.top
        if frame is not None:
            # Most steps: from a leaf to the next tag.
            event = self._next_tag(frame) if frame.kind == LIST and not self._nests else self.walk()
            if event is None and self.top is not None:
                event = self.walk()
            if event is not None:
                return event
        return super().next_event()

    def walk(self) -> Event | None:
        """Make the next event inside of the outermost frame; None when that is done."""
        if self.leaf_end >= 0:
            if self._nests:
                event = self.open_value()
                if event is not None:
                    return event
            self.cursor.seek(self.leaf_end)
            self.leaf_end = -1
            self._nests = False
        while True:
            frame = self.top
            if frame is None:
                return None
            kind = frame.kind
            if kind == LIST:
                event = self._next_tag(frame)
            elif kind == ELEMENTS:
                event = self._next_element(frame)
            elif kind == MEMBERS:
                event = self._next_member(frame)
            elif kind == ARRAY:
                event = self._next_item(frame)
            elif kind == DELTA:
                event = self._next_part(frame)
            else:
                event = self._next_pair(frame)
            if event is not None:
                return event

    def _list_frame(self, name: str, type_name: str, end: i64, outer_limit: i64) -> Frame:
        """Make the frame of the property list of a class or struct."""
        frame = Frame(LIST, name, end, outer_limit)
        frame.head = self.dialect.heads.first(type_name)
        return frame

    def _push(self, frame: Frame) -> None:
        frames = self.frames
        if len(frames) >= self._depth_left:
            raise self.cursor.exceeded("depth", self.limits.depth + 1)
        frames.append(frame)
        self.top = frame

    def _pop(self) -> Frame:
        frames = self.frames
        frame = frames.pop()
        self.top = frames[-1] if frames else None
        if frame.outer_limit >= 0:
            self.cursor.set_limit(frame.outer_limit)
        return frame

    # --- property lists ---

    def _next_tag(self, frame: Frame) -> Event | None:
        cursor = self.cursor
        offset = self.leaf_end
        if offset >= 0:
            self.leaf_end = -1
        else:
            offset = cursor.tell()
        if frame.skipped:
            cursor.seek(offset)
            return self._exit(offset, 0)
        last = frame.head
        selects = self.wanted is not None and len(self.frames) == 1
        head = None if last is None or selects else last.next
        size_and_index: i64 = -1
        if head is not None:
            size_and_index = cursor.size_at(offset, head.lead, head.tail)
        if head is not None and size_and_index >= 0:
            start = offset + head.size
            size = size_and_index & 0xFFFFFFFF
            self.leaf_name = head.name
        else:
            cursor.seek(offset)
            name = cursor.name()
            if self.wanted is not None and selects:
                while name != "None" and name not in self.wanted:
                    self._pass_tag(offset, name)
                    offset = cursor.tell()
                    name = cursor.name()
            if name == "None":
                if last is not None:
                    last.next = None
                return self._end_list(frame, offset)
            if self.dialect.new_tags:
                return self._new_tag(offset, name)
            head = self._read_head(offset, name)
            size_and_index = self._size_and_index
            if last is not None and head.size > 0:
                last.next = head
            self.leaf_name = name
            start = cursor.tell()
            size = size_and_index & 0xFFFFFFFF
            if size > cursor.remaining() or size > LARGEST_SIZE:
                raise self._wrong_size(offset, head.type, size)
        frame.head = head
        nests = head.nests and size != head.leaf_size
        if nests:
            self._type = head.type
            self._type_name = head.type_name
            self._key_type_name = ""
            self._inner = head.inner_type
            self._value_type = head.value_type
            self._binary = False
        self._nests = nests
        self.leaf_index = -1
        self._value_start = start
        self.leaf_end = start + size
        return PropertyTag(
            offset,
            head.name,
            head.type,
            size,
            size_and_index >> 32,
            start,
            head.type_name,
            head.inner_type,
            head.value_type,
            head.flag,
            head.struct_guid,
            head.guid,
        )

    def _end_list(self, frame: Frame, offset: i64) -> Event | None:
        """The name `None` was read at `offset`."""
        if len(self.frames) == 1:
            self.list_end = offset
            self._pop()
            return None
        if frame.inline:
            self._pop()
            frame = self.frames[-1]
            frame.claim = offset
            return None
        if frame.end >= 0 and self.cursor.tell() != frame.end:
            return self._rest(frame, offset, "bytes behind the end of a property list")
        return self._exit(offset, self.cursor.tell() - offset)

    def _rest(self, frame: Frame, start: i64, reason: str) -> Event:
        """Pass over what is left of a frame, from `start`."""
        self.cursor.seek(frame.end)
        frame.skipped = True
        return BlobSkip(start, frame.end - start, reason)

    def _exit(self, offset: i64, size: i64) -> Event:
        return StructExit(offset, self._pop().name, size)

    # --- frames of other kinds ---

    def _next_element(self, frame: Frame) -> Event | None:
        """Make the next event of an elements frame; None where a frame was only opened or left."""
        raise NotImplementedError

    def _next_item(self, frame: Frame) -> Event | None:
        """Make the next event of an array frame."""
        raise NotImplementedError

    def _next_member(self, frame: Frame) -> Event | None:
        """Make the next event of a members frame."""
        raise NotImplementedError

    def _next_pair(self, frame: Frame) -> Event | None:
        """Make the next event of a map frame."""
        raise NotImplementedError

    def _next_part(self, frame: Frame) -> Event | None:
        """Make the next event of a delta frame."""
        raise NotImplementedError
