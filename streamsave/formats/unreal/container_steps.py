"""Steps through arrays and binary structs: elements and members, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave._native import i64
from streamsave.decode.codecs import Array, Codec, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.events import Event, StructEnter
from streamsave.formats.unreal.codecs import Dynamic, PropertyList, read_reference
from streamsave.formats.unreal.frames import AFTER_MEMBERS, ARRAY, LIST, MEMBERS, Frame
from streamsave.formats.unreal.nestings import Nestings
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tags import starts_list

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["ContainerSteps"]


class ContainerSteps:
    """Makes the next event of an elements, array or members frame, which is the innermost nesting.

    A step returns None where it has only opened or left a frame: the next step is that of the innermost frame then.
    """

    def __init__(self, nestings: Nestings, guesses: StructGuesses) -> None:
        self._nestings = nestings
        self._guesses = guesses
        # Of the last struct that was entered and has its type before it: that type, and where both start.
        self._script_struct: ObjectReference | None = None
        self._dynamic_at: i64 = -1

    # --- containers ---

    def next_element(self, reader: Reader, frame: Frame) -> Event | None:
        """Open the next property list of an array or set; among those of a set there may be binary structs."""
        cursor = reader.cursor
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._nestings.end_container(reader.cursor, frame)
        codec = frame.codec
        if codec is not None and not starts_list(cursor, frame.last_tag):
            cursor.need(codec.least)
            return self._open_codec(reader, frame.name, codec, frame.index)
        element = Frame(LIST, frame.name, -1, -1)
        element.index = frame.index
        element.last_tag = frame.last_tag
        self._nestings.push(cursor, element)
        return StructEnter(cursor.tell(), frame.name, frame.type_name, 0, -1, frame.index, -1)

    def next_item(self, reader: Reader, frame: Frame) -> Event | None:
        """Announce the next value of an array."""
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._nestings.end_container(reader.cursor, frame)
        codec = frame.codec
        assert codec is not None  # noqa: S101 - an array frame is made with one
        # A value of fixed size is passed over unread: a count that is too large would go on far beyond the end of the stream.
        reader.cursor.need(codec.least)
        return self._open_codec(reader, frame.name, codec, frame.index)

    # --- binary structs ---

    def next_member(self, reader: Reader, frame: Frame) -> Event | None:
        """Announce the next named value of a binary struct."""
        struct = frame.struct
        assert struct is not None  # noqa: S101 - a members frame is made with one
        nestings = self._nestings
        at = frame.at
        if frame.skipped:
            return nestings.exit(reader.cursor, reader.cursor.tell(), 0)
        if at < len(struct.members):
            frame.at = at + 1
            return self._open_codec(reader, struct.names[at], struct.members[at], -1)
        if len(nestings.frames) == 1:
            nestings.list_end = frame.claim
            nestings.pop(reader.cursor)
            return None
        offset = reader.cursor.tell()
        start = frame.claim if frame.claim >= 0 else offset
        if frame.end >= 0 and offset != frame.end:
            return nestings.rest(reader.cursor, frame, start, AFTER_MEMBERS)
        return nestings.exit(reader.cursor, start, offset - start)

    def has_list(self, reader: Reader, codec: Codec) -> bool:
        """Pass over a value, and return whether a property list is in it."""
        reader.found_list = False
        codec.measure(reader.cursor, reader)
        return reader.found_list

    def enter_struct(self, cursor: Cursor, name: str, codec: Codec, start: i64, index: i64, end: i64) -> Event:
        """Open a binary struct that ends at `end` (-1: unknown); the bytes from `start` to the cursor belong to its header."""
        content = cursor.tell()
        frame = Frame(MEMBERS, name, end, cursor.limit() if end >= 0 else -1)
        frame.index = index
        frame.struct = codec if isinstance(codec, Struct) else Struct(codec.name, None, value=codec)
        self._nestings.push(cursor, frame)
        return StructEnter(start, name, codec.name, content - start, end - content if end >= 0 else -1, index, -1)

    def _open_codec(self, reader: Reader, name: str, codec: Codec, index: i64) -> Event | None:
        """Announce a value of a binary struct: a leaf, or a nesting where it has much inside."""
        cursor = reader.cursor
        start = cursor.tell()
        if not codec.streams:
            if not codec.may_have_list or reader.building or not self.has_list(reader, codec):
                if cursor.tell() == start:
                    codec.measure(cursor, reader)
                return reader.passed(name, codec, start, index)
            cursor.seek(start)
        if isinstance(codec, PropertyList):
            frame = Frame(LIST, name, -1, -1)
            frame.index = index
            frame.inline = not codec.nested
            frame.last_tag = self._guesses.list_start(codec.name)
            self._nestings.push(cursor, frame)
            return StructEnter(start, name, codec.name, 0, -1, index, -1) if codec.nested else None
        if isinstance(codec, Dynamic):
            return self._open_dynamic(reader, name, codec, index)
        if isinstance(codec, Optional):
            if not cursor.bool32():
                return reader.passed(name, codec, start, index)
            return self.enter_struct(cursor, name, codec.element, start, index, -1)
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            frame = Frame(ARRAY, name, -1, -1)
            frame.count = count
            frame.codec = codec.element
            self._nestings.push(cursor, frame)
            return StructEnter(start, name, codec.name, cursor.tell() - start, -1, index, count)
        return self.enter_struct(cursor, name, codec, start, index, -1)

    def _open_dynamic(self, reader: Reader, name: str, codec: Codec, index: i64) -> Event:
        """Open a struct that has its type before it: a nesting if its bytes are a property list, else a leaf."""
        cursor = reader.cursor
        start = cursor.tell()
        if cursor.bool32():
            script_struct = read_reference(cursor)
            size = cursor.count(1)
            content = cursor.tell()
            if self._guesses.starts_list(cursor, content + size):
                frame = Frame(LIST, name, content + size, cursor.limit())
                self._nestings.push(cursor, frame)
                cursor.set_limit(content + size)
                self._script_struct = script_struct
                self._dynamic_at = start
                return StructEnter(start, name, script_struct.path_name, content - start, size, index, -1)
        cursor.seek(start)
        return reader.field(name, codec, index)

    def forget(self) -> None:
        """Forget the last struct that was entered: another walk begins."""
        self._dynamic_at = -1

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Return the type before the struct that was entered last; None if there is none."""
        return self._script_struct if enter.offset == self._dynamic_at and enter.header_size > 0 else None
