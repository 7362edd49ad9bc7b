"""The walk over property lists: one flat machine with a stack of frames, because most of the time is spent here.

| part | what it does |
|---|---|
| `tags` | reads tags; keeps what the last one says |
| `nestings` | the frames that are open |
| `openers` | step into the value of the last tag |
| `containers` | opens sets and maps, steps through containers and binary structs |
| `guesses` | find structs that no tag names |

Whatever has a size is bounded by it: a value that claims more than is around it is damaged, one that leaves bytes over is
followed by a `BlobSkip`.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import LARGEST_SIZE, Cursor
from streamsave.decode.reader import Reader
from streamsave.events import Event, PropertyTag, StructEnter
from streamsave.formats.unreal.containers import Containers
from streamsave.formats.unreal.dialect import Dialect, noted_value
from streamsave.formats.unreal.frames import AFTER_LIST, ARRAY, DELTA, ELEMENTS, LIST, MEMBERS, Frame, Nestings
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.value_openers import ValueOpeners, list_frame
from streamsave.limits import Limits

__all__ = ["STORED_NONE", "PropertyWalker"]

#: The name that ends a property list, as a string.
STORED_NONE: Final = b"\5\0\0\0None\0"


class PropertyWalker:
    """Walks a property list, or the members of a binary struct, at the cursor of the reader that it belongs to.

    The reader is given to each method: a reference to it would be a cycle, and keep what a save took until the next garbage
    collection.
    """

    def __init__(self, limits: Limits, dialect: Dialect) -> None:
        self.tags = TagReader(dialect)
        self.nestings = Nestings(limits)
        self.guesses = StructGuesses(self.tags)
        self.containers = Containers(self.tags, self.nestings, self.guesses)
        self.openers = ValueOpeners(self.tags, self.nestings, self.guesses, self.containers)

    # --- begin, end ---

    def begin_list(self, cursor: Cursor, end: i64, class_name: str) -> None:
        """Walk the property list of an object of that class, which starts at the cursor and ends before `end`."""
        nestings = self.nestings
        nestings.list_end = -1
        self.containers.forget()
        outer = cursor.limit()
        nestings.push(cursor, list_frame(self.tags.dialect, "", class_name, -1, outer))
        if outer != end:
            cursor.set_limit(end)

    def begin_members(self, cursor: Cursor, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or after the leaf just announced)."""
        nestings = self.nestings
        nestings.list_end = -1
        frame = Frame(MEMBERS, "", -1, cursor.limit())
        frame.struct = struct
        nestings.push(cursor, frame)
        cursor.set_limit(end)

    def abandon(self, reader: Reader) -> None:
        """Leave all nestings: the consumer went to the end of the object."""
        self.nestings.clear(reader.cursor)
        self.leave_leaf(reader)

    def leave_leaf(self, reader: Reader) -> None:
        """Forget the leaf that the last event announced."""
        reader.leaf_end = -1
        self.tags.nests = False

    # --- the step ---

    def open(self, reader: Reader) -> Event | None:
        """Step into the value of the last tag: return its first event, or None if it is a leaf, and stay at its start."""
        return self.openers.open(reader)

    def walk(self, reader: Reader) -> Event | None:
        """Make the next event inside of the outermost frame; None when that is done."""
        if reader.leaf_end >= 0:
            if self.tags.nests:
                event = self.openers.open(reader)
                if event is not None:
                    return event
            reader.cursor.pass_to(reader.leaf_end)
            reader.leaf_end = -1
            self.tags.nests = False
        nestings = self.nestings
        while True:
            frame = nestings.top
            if frame is None:
                return None
            kind = frame.kind
            if kind == LIST:
                event = self.next_tag(reader, frame)
            elif kind == ELEMENTS or kind == ARRAY:
                event = self._announced(reader, frame, self.containers.next_element(reader, frame))
            elif kind == MEMBERS:
                event = self.containers.next_member(reader, frame)
            elif kind == DELTA:
                event = self.containers.next_part(reader, frame)
            else:
                opens = frame.at == 0
                event = self.containers.next_pair(reader, frame)
                if opens:
                    event = self._announced(reader, frame, event)
            if event is not None:
                return event

    def _announced(self, reader: Reader, container: Frame, event: Event | None) -> Event | None:
        """Return the event that opens an element: an `ObjectHeader`, if the elements of the container are objects."""
        row = container.row
        headers = self.openers.headers
        if row is None or headers is None or not isinstance(event, StructEnter):
            return event
        return headers.announce(reader, self.nestings, row, event)

    def next_tag(self, reader: Reader, frame: Frame) -> Event | None:
        """Make the next event of a list frame, the innermost nesting: pass over the last leaf, read a tag.

        Nearly all events are made here. The bytes are compared with the tag that came next last time; only others are read.

        Returns:
            None at the end of a list that has no exit of its own.
        """
        cursor = reader.cursor
        tags = self.tags
        offset = reader.leaf_end
        if offset >= 0:
            reader.leaf_end = -1
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
            reader.leaf_name = tag.name
        elif cursor.passes(offset, STORED_NONE):
            if last is not None:
                last.next = None
            return self._end_list(cursor, frame, offset)
        else:
            cursor.pass_to(offset)
            name = cursor.name()
            if name == "None":
                if last is not None:
                    last.next = None
                return self._end_list(cursor, frame, offset)
            tag = tags.read(cursor, offset, name)
            size_and_index = tags.size_and_index
            if last is not None and tag.size > 0:
                last.next = tag
            reader.leaf_name = name
            start = cursor.tell()
            size = size_and_index & 0xFFFFFFFF
            if size > cursor.remaining() or size > LARGEST_SIZE:
                raise tags.wrong_size(reader, offset, tag.type, size)
        frame.last_tag = tag
        nests = tag.nests and size != tag.leaf_size
        if nests:
            tags.last = tag
            if tag.is_noted:
                nests = False
                frame.noted = noted_value(cursor, size)
        tags.nests = nests
        tags.value_start = start
        reader.leaf_index = -1
        reader.leaf_end = start + size
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
            nestings.list_end = offset
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
