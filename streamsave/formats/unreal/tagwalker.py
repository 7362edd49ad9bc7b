"""The walk over property tags: one flat machine with a stack of frames, because this is where the time goes.

Whatever has a size is bounded by it: a value that claims more than encloses it is damaged, one that leaves bytes over is
followed by a `BlobSkip`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave.codecs import Struct
from streamsave.cursor import LARGEST_SIZE, Cursor
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, PropertyTag, StructExit
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.frames import ARRAY, DELTA, ELEMENTS, LIST, MEMBERS, Frame
from streamsave.formats.unreal.heads import TagHead
from streamsave.formats.unreal.tags import (
    FLAG_ARRAY_INDEX,
    FLAG_BINARY,
    FLAG_BOOL_TRUE,
    FLAG_EXTENSIONS,
    FLAG_GUID,
    NO_TYPE,
    TypeName,
    read_type_name,
    skip_extensions,
)
from streamsave.limits import Limits
from streamsave.native import i64
from streamsave.reader import Reader

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["TagWalker"]

#: What an old tag has between its index and `has_guid`, by type; the other types have nothing there.
_TAG_UNKNOWN: Final = 0
_TAG_PLAIN: Final = 1
_TAG_BOOL: Final = 2
_TAG_ENUM: Final = 3
_TAG_STRUCT: Final = 4
_TAG_ARRAY: Final = 5
_TAG_MAP: Final = 6
TAG_KINDS: Final[dict[str, int]] = {
    "IntProperty": _TAG_PLAIN,
    "FloatProperty": _TAG_PLAIN,
    "ObjectProperty": _TAG_PLAIN,
    "StrProperty": _TAG_PLAIN,
    "NameProperty": _TAG_PLAIN,
    "StructProperty": _TAG_STRUCT,
    "BoolProperty": _TAG_BOOL,
    "ByteProperty": _TAG_ENUM,
    "EnumProperty": _TAG_ENUM,
    "ArrayProperty": _TAG_ARRAY,
    "SetProperty": _TAG_ARRAY,
    "OptionalProperty": _TAG_ARRAY,
    "MapProperty": _TAG_MAP,
}

ZERO_GUID: Final = bytes(16)


class TagWalker(Reader):
    """Walks the tags of property lists; what their values are is for those that build on it."""

    def __init__(self, cursor: Cursor, limits: Limits, dialect: Dialect) -> None:
        super().__init__(cursor, limits)
        self.dialect = dialect
        self.frames: list[Frame] = []
        self.top: Frame | None = None
        #: Offset of the terminator of the outermost list, once it is done.
        self.list_end: i64 = -1
        #: How many frames may be open: less than `Limits.depth` in a walk that is nested in another.
        self._depth_left: i64 = limits.depth
        # The value of the last tag: where it starts (it ends at `leaf_end`), whether it may nest, what its tag says of it.
        self._value_start: i64 = -1
        self._nests = False
        self._type = ""
        self._type_name = ""
        self._inner = ""
        self._value_type = ""
        self._key_type_name = ""
        self._binary = False
        #: `i32 size; i32 array_index` of the old tag that was read last.
        self._size_and_index: i64 = 0
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

    def _pass_tag(self, offset: i64, name: str) -> None:
        """Pass over a property whose name was read: its tag, as `_next_tag` and `_new_tag` read it, and its value."""
        cursor = self.cursor
        dialect = self.dialect
        self.leaf_name = name
        if dialect.new_tags:
            property_type = read_type_name(cursor).name
            size = cursor.i32()
            flags = cursor.u8()
            if flags & FLAG_ARRAY_INDEX:
                cursor.skip(4)
            if flags & FLAG_GUID:
                cursor.skip(16)
            if flags & FLAG_EXTENSIONS:
                skip_extensions(cursor)
        else:
            property_type = cursor.name()
            size = cursor.i64() & 0xFFFFFFFF
            kind: i64 = TAG_KINDS.get(property_type, _TAG_UNKNOWN)
            if kind == _TAG_BOOL:
                cursor.skip(1)
            elif kind == _TAG_STRUCT:
                cursor.name()
                cursor.skip(16 if dialect.struct_guids else 0)
            elif kind == _TAG_ENUM or (kind == _TAG_ARRAY and (property_type == "ArrayProperty" or dialect.container_types)):
                cursor.name()
            elif kind == _TAG_MAP and dialect.container_types:
                cursor.name()
                cursor.name()
            if dialect.property_guids and cursor.u8() != 0:
                cursor.skip(16)
            if dialect.extensions:
                skip_extensions(cursor)
        if size < 0 or size > cursor.remaining() or size > LARGEST_SIZE:
            raise self._wrong_size(offset, property_type, size)
        cursor.seek(cursor.tell() + size)

    def _read_head(self, offset: i64, name: str) -> TagHead:
        """Read an old tag behind its name; its size and index are left in `_size_and_index`."""
        cursor = self.cursor
        dialect = self.dialect
        property_type = cursor.name()
        lead_size = cursor.tell() - offset
        self._size_and_index = cursor.i64()
        head = TagHead(name, property_type)
        kind: i64 = TAG_KINDS.get(property_type, _TAG_UNKNOWN)
        if kind == _TAG_PLAIN:
            pass
        elif kind == _TAG_STRUCT:
            head.type_name = cursor.name()
            if dialect.struct_guids:
                struct_guid = cursor.take(16)
                head.struct_guid = None if struct_guid == ZERO_GUID else struct_guid
            codec = dialect.struct(head.type_name, -1)
            if codec is not None and not codec.tentative and not codec.may_have_list:
                head.leaf_size = codec.size
            head.nests = True
        elif kind == _TAG_ENUM:
            head.type_name = cursor.name()
        elif kind == _TAG_BOOL:
            head.flag = cursor.u8() != 0
        elif kind == _TAG_ARRAY:
            if property_type == "ArrayProperty" or dialect.container_types:
                head.inner_type = cursor.name()
            head.nests = head.inner_type == "StructProperty" or property_type == "OptionalProperty"
        elif kind == _TAG_MAP:
            if dialect.container_types:
                head.inner_type = cursor.name()
                head.value_type = cursor.name()
            head.nests = True
        else:
            head.nests = dialect.scalar(property_type) is None
        if dialect.property_guids and cursor.u8() != 0:
            head.guid = cursor.take(16)
        if dialect.extensions:
            skip_extensions(cursor)
        return dialect.heads.keep(head, cursor.since(offset), lead_size)

    def _new_tag(self, offset: i64, name: str) -> Event:
        cursor = self.cursor
        tree = read_type_name(cursor)
        size = cursor.i32()
        flags = cursor.u8()
        array_index = cursor.i32() if flags & FLAG_ARRAY_INDEX else 0
        guid = cursor.take(16) if flags & FLAG_GUID else None
        if flags & FLAG_EXTENSIONS:
            skip_extensions(cursor)
        self.leaf_name = name
        kind: i64 = TAG_KINDS.get(tree.name, _TAG_UNKNOWN)
        first = tree.parameter(0)
        second = NO_TYPE
        type_name = ""
        inner_type = ""
        value_type = ""
        self._key_type_name = ""
        if kind == _TAG_STRUCT or kind == _TAG_ENUM:
            type_name = first.name
        elif kind == _TAG_ARRAY:
            inner_type = first.name
            type_name = first.parameter(0).name
        elif kind == _TAG_MAP:
            second = tree.parameter(1)
            inner_type = first.name
            value_type = second.name
            self._key_type_name = first.parameter(0).name
            type_name = second.parameter(0).name
        start = cursor.tell()
        if size < 0 or size > cursor.remaining():
            raise self._wrong_size(offset, tree.name, size)
        self._type = tree.name
        self._type_name = type_name
        self._inner = inner_type
        self._value_type = value_type
        self._binary = (flags & FLAG_BINARY) != 0
        self.leaf_index = -1
        self._nests = kind >= _TAG_STRUCT or (kind == _TAG_UNKNOWN and self.dialect.scalar(tree.name) is None)
        self._value_start = start
        self.leaf_end = start + size
        return PropertyTag(
            offset,
            name,
            tree.name,
            size,
            array_index,
            start,
            type_name,
            inner_type,
            value_type,
            kind == _TAG_BOOL and (flags & FLAG_BOOL_TRUE) != 0,
            _guid_of(tree) if kind == _TAG_STRUCT else None,
            guid,
        )

    def _wrong_size(self, offset: i64, property_type: str, size: i64) -> SaveError:
        return self.cursor.damaged(
            f"size of {property_type} {self.leaf_name} does not fit",
            offset=offset,
            expected=f"0 to {self.cursor.remaining()} bytes",
            actual=size,
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


def _guid_of(tree: TypeName) -> bytes | None:
    """Give the GUID of a user-defined struct: the second parameter of its type, as text."""
    text = tree.parameter(1).name.replace("-", "").strip("{}")
    if len(text) != 32:
        return None
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return None
    return b"".join(data[at : at + 4][::-1] for at in range(0, 16, 4))
