"""Inside of containers and binary structs: elements, pairs and members, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave._native import i64
from streamsave.decode.codecs import Array, Codec, Optional, Struct
from streamsave.events import Event, StructEnter, StructExit
from streamsave.formats.unreal.codecs import Dynamic, PropertyList, read_reference
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, LIST, MAP, MEMBERS, Frame
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.tagwalker import TagWalker

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["ContainerWalker"]


class ContainerWalker(TagWalker):
    """Steps through the frames that are no property lists."""

    # --- containers ---

    def _next_element(self, frame: Frame) -> Event | None:
        """Open the next property list of an array or set; among those of a set there may be binary structs."""
        cursor = self.cursor
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._end_container(frame)
        codec = frame.codec
        if codec is not None and not looks_like_list(cursor):
            cursor.need(codec.least)
            return self._open_codec(frame.name, codec, frame.index)
        element = Frame(LIST, frame.name, -1, -1)
        element.index = frame.index
        element.head = frame.head
        self._push(element)
        return StructEnter(cursor.tell(), frame.name, frame.type_name, 0, -1, frame.index, -1)

    def _end_container(self, frame: Frame) -> Event:
        offset = self.cursor.tell()
        if not frame.skipped and frame.end >= 0 and offset != frame.end:
            return self._rest(frame, offset, frame.rest)
        return self._exit(offset, 0)

    def _next_item(self, frame: Frame) -> Event | None:
        """Announce the next value of an array."""
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._end_container(frame)
        codec = frame.codec
        assert codec is not None  # noqa: S101 - an array frame is made with one
        # One of a fixed size is passed over unread: a count that lies would go on far behind the end of the stream.
        self.cursor.need(codec.least)
        return self._open_codec(frame.name, codec, frame.index)

    def _open_codec(self, name: str, codec: Codec, index: i64) -> Event | None:
        """Announce a value of a binary struct: a leaf, or a nesting where it has much inside."""
        cursor = self.cursor
        start = cursor.tell()
        self._nests = False
        if not codec.streams:
            if not codec.may_have_list or self.building or not self._has_list(codec):
                if cursor.tell() == start:
                    codec.measure(cursor, self)
                return self.passed(name, codec, start, index)
            cursor.seek(start)
        if isinstance(codec, PropertyList):
            frame = Frame(LIST, name, -1, -1)
            frame.inline = True
            self._push(frame)
            return None
        if isinstance(codec, Dynamic):
            return self._open_dynamic(name, codec, index)
        if isinstance(codec, Optional):
            if not cursor.bool32():
                return self.passed(name, codec, start, index)
            return self._enter_struct(name, codec.element, start, index, -1)
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            frame = Frame(ARRAY, name, -1, -1)
            frame.count = count
            frame.codec = codec.element
            self._push(frame)
            return StructEnter(start, name, codec.name, cursor.tell() - start, -1, index, count)
        return self._enter_struct(name, codec, start, index, -1)

    def _enter_struct(self, name: str, codec: Codec, start: i64, index: i64, end: i64) -> Event:
        """Open a binary struct that ends at `end` (-1: not told); the bytes from `start` to the cursor belong to its header."""
        content = self.cursor.tell()
        frame = Frame(MEMBERS, name, end, self.cursor.limit() if end >= 0 else -1)
        frame.index = index
        frame.struct = codec if isinstance(codec, Struct) else Struct(codec.name, None, value=codec)
        self._push(frame)
        return StructEnter(start, name, codec.name, content - start, end - content if end >= 0 else -1, index, -1)

    def _open_dynamic(self, name: str, codec: Codec, index: i64) -> Event:
        """Open a struct that has its type beside it: a nesting if its bytes are a property list, else a leaf."""
        cursor = self.cursor
        start = cursor.tell()
        if cursor.bool32():
            script_struct = read_reference(cursor)
            size = cursor.count(1)
            content = cursor.tell()
            if self._starts_list(content + size):
                frame = Frame(LIST, name, content + size, cursor.limit())
                self._push(frame)
                cursor.set_limit(content + size)
                self._script_struct = script_struct
                self._dynamic_at = start
                return StructEnter(start, name, script_struct.path_name, content - start, size, index, -1)
        cursor.seek(start)
        return self.field(name, codec, index)

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        return self._script_struct if enter.offset == self._dynamic_at and enter.header_size > 0 else None

    def _next_member(self, frame: Frame) -> Event | None:
        """Announce the next named value of a binary struct."""
        struct = frame.struct
        assert struct is not None  # noqa: S101 - a members frame is made with one
        at = frame.at
        if frame.skipped:
            return self._exit(self.cursor.tell(), 0)
        if at < len(struct.members):
            frame.at = at + 1
            return self._open_codec(struct.names[at], struct.members[at], -1)
        if len(self.frames) == 1:
            self.list_end = frame.claim
            self._pop()
            return None
        offset = self.cursor.tell()
        start = frame.claim if frame.claim >= 0 else offset
        if frame.end >= 0 and offset != frame.end:
            return self._rest(frame, start, "bytes behind the last member")
        return self._exit(start, offset - start)

    def _next_pair(self, frame: Frame) -> Event | None:
        """Walk a map: enter a pair, its key, its value, leave it."""
        cursor = self.cursor
        offset = cursor.tell()
        if frame.at == 0:
            frame.index += 1
            if frame.skipped or frame.index >= frame.count:
                return self._end_container(frame)
            frame.at = 1
            return StructEnter(offset, "", "MapEntry", 0, -1, frame.index, -1)
        if frame.at == 3:
            frame.at = 0
            return StructExit(offset, "", 0)
        name, codec, type_name, peeks = "key", frame.key, frame.key_type, frame.key_peeks
        if frame.at == 2:
            name, codec, type_name, peeks = "value", frame.value, frame.value_type, frame.value_peeks
        frame.at += 1
        if not peeks or not looks_like_list(cursor):
            if codec is None:
                # Only the first pair was looked at when the map was opened: this one says something else.
                raise cursor.damaged(
                    f"{name} of a map is no property list", expected="a property's name and type", actual=cursor.peek(8)
                )
            self._nests = False
            cursor.need(codec.least)
            return self.field(name, codec)
        self._push(Frame(LIST, name, -1, -1))
        return StructEnter(offset, name, type_name, 0, -1, -1, -1)

    def _next_part(self, frame: Frame) -> Event | None:
        """Open what a set or map removes, then what it adds."""
        cursor = self.cursor
        offset = cursor.tell()
        added = frame.added
        frame.at += 1
        if frame.skipped or frame.at > 2 or added is None:
            return self._end_container(frame)
        if frame.at == 2:
            is_known = added.count >= 0
            count = self._count_distinct(added.key if added.kind == MAP else added.codec)
            added.count = count
            if not is_known and count > 0 and not self._added_fit(added):
                added.count = 0
                added.rest = "unknown structs"
            self._push(added)
            return StructEnter(offset, added.name, frame.type_name, 4, frame.end - offset - 4, -1, count)
        removed = Frame(ELEMENTS if frame.key_peeks else ARRAY, "removed", -1, -1)
        removed.count = frame.count
        removed.type_name = frame.key_type
        removed.codec = frame.codec
        self._push(removed)
        return StructEnter(offset, removed.name, "Removed", 0, -1, -1, removed.count)

    def _count_distinct(self, codec: Codec | None) -> i64:
        """Read how many elements of a set or keys of a map follow: no two are the same, so at most one takes no bytes."""
        cursor = self.cursor
        if codec is None or codec.least > 0:
            return cursor.count(1)
        count = cursor.i32()
        if count != 0 and count != 1:
            message = f"a set or map has more than one {codec.name}, which takes no bytes"
            raise cursor.damaged(message, offset=cursor.tell() - 4, expected="0 or 1", actual=count)
        return count

    def _added_fit(self, added: Frame) -> bool:
        """Look whether what a delta adds, from the cursor on, is what it is taken for."""
        raise NotImplementedError

    def _has_list(self, codec: Codec) -> bool:
        """Pass over a value and tell whether a property list is in it."""
        self.found_list = False
        codec.measure(self.cursor, self)
        return self.found_list

    def _starts_list(self, end: i64) -> bool:
        """Look for a property list that ends before `end`."""
        cursor = self.cursor
        outer = cursor.limit()
        cursor.set_limit(end)
        found = looks_like_list(cursor)
        cursor.set_limit(outer)
        return found
