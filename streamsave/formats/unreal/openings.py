"""What the value of a tag opens: nothing, if it is a leaf; a struct, a container; or bytes of unknown layout."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, Frame
from streamsave.formats.unreal.keyed import KeyedOpener
from streamsave.formats.unreal.tags import (
    looks_like_list,
    skip_extensions,
)

__all__ = ["ValueOpener"]

#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096


class ValueOpener(KeyedOpener):
    """Steps into values."""

    # --- the value of a tag ---

    def open_value(self) -> Event | None:
        """Step into the value of the last tag: its first event, or None where it is a leaf (the cursor stays in front of it)."""
        start = self._value_start
        if not self._nests or self.cursor.tell() != start or self.leaf_end == start:
            return None
        if not self.building:
            self._spent_nodes = 0
            self._spent_size = 0
        event: Event | None = None
        kind = self._type
        if kind == "StructProperty":
            event = self._open_struct()
        elif kind == "ArrayProperty":
            if self._inner == "StructProperty":
                event = self._open_array()
        elif kind == "SetProperty":
            if self._inner == "StructProperty":
                event = self._open_set()
        elif kind == "MapProperty":
            event = self._open_map()
        elif kind == "OptionalProperty":
            event = self._open_optional()
        elif self.dialect.scalar(kind) is None:
            event = self._opaque(f"unknown type {kind}")
        if event is not None:
            self._nests = False
            if not isinstance(event, BlobSkip):
                self.leaf_end = -1
        return event

    def _open_struct(self) -> Event | None:
        cursor = self.cursor
        start = self._value_start
        size = self.leaf_end - start
        type_name = self._type_name
        if not self.dialect.new_tags and type_name in self.dialect.list_structs:
            pass
        elif self._binary or not self.dialect.new_tags:
            codec = self.dialect.struct(type_name, size)
            if codec is not None and (not codec.tentative or self._fits(codec, 1, start, self.leaf_end)):
                return self._open_binary(codec) if codec.may_have_list and not self.building else None
            if self._binary or not self._is_list(type_name):
                return self._opaque(f"unknown struct {type_name}")
        frame = self._list_frame(self.leaf_name, type_name, self.leaf_end, cursor.limit())
        self._push(frame)
        cursor.set_limit(self.leaf_end)
        return StructEnter(start, self.leaf_name, type_name, 0, size, -1, -1)

    def _open_binary(self, codec: Codec) -> Event | None:
        """Step into a binary struct if there is a property list in it; else it is a leaf."""
        cursor = self.cursor
        start = self._value_start
        outer = cursor.limit()
        cursor.set_limit(self.leaf_end)
        nested = self._has_list(codec)
        cursor.seek(start)
        cursor.set_limit(outer)
        if not nested:
            return None
        event = self._enter_struct(self.leaf_name, codec, start, -1, self.leaf_end)
        cursor.set_limit(self.leaf_end)
        return event

    def _is_list(self, type_name: str) -> bool:
        """Tell whether a struct is a property list; one look is enough for a type that is never binary."""
        lists = self.dialect.list_structs
        if not self._starts_list(self.leaf_end):
            return False
        if len(lists) < KNOWN_LISTS and type_name not in self.dialect.structs:
            lists.add(type_name)
        return True

    def _open_array(self) -> Event | None:
        """`i32 count`; in old tags an inner tag that tells the struct and the size of all; elements."""
        cursor = self.cursor
        start = self._value_start
        end = self.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
        count = cursor.count(0)
        type_name = self._inner_struct_tag()
        content = cursor.tell()
        codec = self.dialect.struct(type_name, (end - content) // count if count > 0 else -1)
        if codec is not None and self.dialect.new_tags and not self._binary:
            codec = None
        if codec is not None and codec.tentative and not self._fits(codec, count, content, end):
            codec = None
        opaque = False
        if codec is None:
            opaque = self._binary or (count > 0 and not looks_like_list(cursor))
        elif codec.size >= 0:
            opaque = count * codec.size != end - content
        if opaque or (codec is not None and codec.size >= 0):
            cursor.set_limit(outer)
            cursor.seek(start)
            return self._opaque(f"array of unknown struct {type_name}") if opaque else None
        return self._enter_container(codec, type_name, start, content, end, outer, count)

    def _inner_struct_tag(self) -> str:
        """Read the tag inside of an array of structs, which new tags do not have; give the name of the struct."""
        dialect = self.dialect
        if dialect.new_tags or not dialect.inner_tags:
            return self._type_name
        cursor = self.cursor
        cursor.name()
        offset = cursor.tell()
        inner = cursor.name()
        if inner != "StructProperty":
            raise cursor.damaged("type inside of an array of structs", offset=offset, expected="StructProperty", actual=inner)
        size = cursor.i32()
        cursor.i32()
        type_name = cursor.name()
        if dialect.struct_guids:
            cursor.skip(16)
        if dialect.property_guids and cursor.u8() != 0:
            cursor.skip(16)
        if dialect.extensions:
            skip_extensions(cursor)
        if size != cursor.remaining():
            raise cursor.damaged("size of the elements of an array", offset=offset, expected=cursor.remaining(), actual=size)
        return type_name

    def _enter_container(
        self, codec: Codec | None, type_name: str, start: i64, content: i64, end: i64, outer: i64, count: i64
    ) -> Event:
        """Open a container of property lists, or of binary structs without a fixed size."""
        self.cursor.seek(content)
        frame = Frame(ELEMENTS if codec is None else ARRAY, self.leaf_name, end, outer)
        frame.count = count
        frame.type_name = type_name
        frame.head = self.dialect.heads.first(type_name)
        frame.codec = codec
        self._push(frame)
        return StructEnter(start, self.leaf_name, self._type, content - start, end - content, -1, count)

    def _open_optional(self) -> Event | None:
        """`bool32; value`: a nesting where the value is a property list."""
        cursor = self.cursor
        codec = self.dialect.scalar(self._inner)
        if codec is not None:
            return None
        if self._inner != "StructProperty":
            return self._opaque(f"optional of unknown type {self._inner}")
        start = self._value_start
        end = self.leaf_end
        is_set = cursor.bool32()
        content = cursor.tell()
        listed = is_set and self._starts_list(end)
        cursor.seek(start)
        if not listed:
            known = self.dialect.struct(self._type_name, end - content) is not None
            return None if known or not is_set else self._opaque(f"optional of unknown struct {self._type_name}")
        cursor.seek(content)
        self._push(self._list_frame(self.leaf_name, self._type_name, end, cursor.limit()))
        cursor.set_limit(end)
        return StructEnter(start, self.leaf_name, self._type_name, content - start, end - content, -1, -1)
