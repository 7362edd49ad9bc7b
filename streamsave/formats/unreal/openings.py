"""What the value of a tag opens: nothing, if it is a leaf; a struct, a container; or bytes of unknown layout.

Old tags do not tell the struct of a map's keys and values, nor of a set's elements: hints and a look at the bytes do.
"""

from __future__ import annotations

from typing import Final

from streamsave.build import CONTAINER_DELTA
from streamsave.codecs import Codec
from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.containers import ContainerWalker
from streamsave.formats.unreal.dialect import ROLES
from streamsave.formats.unreal.frames import ARRAY, DELTA, ELEMENTS, LIST, MAP, Frame
from streamsave.formats.unreal.tags import (
    looks_like_list,
    skip_extensions,
)
from streamsave.native import i64

__all__ = ["ValueOpener"]

# Statics of the compiled module: a global would be looked up in a dict each time.
_StructEnter: Final = StructEnter
_BlobSkip: Final = BlobSkip

#: How far pairs of a map are walked to see whether they are what they are taken for.
FITTING_SIZE: Final = 256 * 1024
#: The nestings in a set or map that removes something.
DELTA_PARTS: Final = ("removed", "added")
#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096


class ValueOpener(ContainerWalker):
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

    def _opaque(self, reason: str) -> Event:
        """Announce the whole value as bytes."""
        return _BlobSkip(self._value_start, self.leaf_end - self._value_start, reason)

    def _open_struct(self) -> Event | None:
        cursor = self.cursor
        start = self._value_start
        size = self.leaf_end - start
        type_name = self._type_name
        if not self.dialect.new_tags and type_name in self.dialect.list_structs:
            pass
        elif self._binary or not self.dialect.new_tags:
            codec = self.dialect.struct(type_name, size)
            if codec is not None:
                return self._open_binary(codec) if codec.may_have_list and not self.building else None
            if self._binary or not self._is_list(type_name):
                return self._opaque(f"unknown struct {type_name}")
        frame = Frame(LIST, self.leaf_name, self.leaf_end, cursor.limit())
        self._push(frame)
        cursor.set_limit(self.leaf_end)
        return _StructEnter(start, self.leaf_name, type_name, 0, size, -1, -1)

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
        frame.codec = codec
        self._push(frame)
        return _StructEnter(start, self.leaf_name, self._type, content - start, end - content, -1, count)

    def _open_set(self) -> Event | None:
        """`i32 removed; elements; i32 count; elements`. The tag does not tell the struct, unless it is a new one."""
        cursor = self.cursor
        start = self._value_start
        end = self.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
        codec = self._struct_codec("element", self._type_name)
        removed = self._pass_removed(codec, peeks=True)
        count: i64 = cursor.count(0) if removed >= 0 else -1
        content = cursor.tell()
        listed = count == 0 or (count > 0 and looks_like_list(cursor))
        fits = not listed and codec is not None and codec.size >= 0 and count * codec.size == end - content
        if listed:
            frame = Frame(ELEMENTS, self.leaf_name, end, outer)
            frame.count = count
            frame.type_name = self._type_name
            frame.codec = codec
            return self._enter_delta(frame, codec, self._type_name, removed, content, peeks=True)
        cursor.set_limit(outer)
        cursor.seek(start)
        return None if fits else self._opaque("set of unknown structs")

    def _struct_codec(self, role: str, type_name: str) -> Codec | None:
        """Find what structs in a set or map are where they are no property lists: by hint, by the tag's type, else a GUID."""
        dialect = self.dialect
        hint = dialect.hints.get((self.leaf_name, role), "")
        if dialect.path_hints and not hint:
            hint = self._path_hint(role)
        if not hint:
            hint = type_name
        self._guessed = not hint
        return dialect.struct(hint or "Guid", -1)

    def _path_hint(self, role: str) -> str:
        """Find a hint that tells more names than the last one."""
        names = [step for step in self.path() if isinstance(step, str) and step not in ROLES and step not in DELTA_PARTS]
        for path, hinted_role, struct in self.dialect.path_hints:
            if hinted_role == role and names[-len(path) :] == path:
                return struct
        return ""

    def _pass_removed(self, codec: Codec | None, *, peeks: bool) -> i64:
        """Pass over the elements or keys that a set or map wants removed from what a new object has: `i32 n; n elements`.

        Gives their number, or -1 where one is of unknown layout.
        """
        cursor = self.cursor
        count = cursor.count(1)
        for _ in range(count):
            if peeks and looks_like_list(cursor):
                self.skip_properties(cursor)
            elif codec is not None:
                codec.measure(cursor, self)
            else:
                return -1
        return count

    def _enter_delta(
        self, added: Frame, codec: Codec | None, type_name: str, removed: i64, content: i64, *, peeks: bool
    ) -> Event:
        """Open a set or map: its elements, which start at `content`; where it removes some, these and those in a nesting each."""
        cursor = self.cursor
        start = self._value_start
        end = added.end
        if removed == 0:
            cursor.seek(content)
            self._push(added)
            return _StructEnter(start, self.leaf_name, self._type, content - start, end - content, -1, added.count)
        frame = Frame(DELTA, self.leaf_name, end, added.outer_limit)
        added.name = "added"
        added.outer_limit = -1
        frame.added = added
        frame.count = removed
        frame.codec = codec
        frame.type_name = self._type
        frame.key_type = type_name
        frame.key_peeks = peeks
        cursor.seek(start + 4)
        self._push(frame)
        return _StructEnter(start, self.leaf_name, CONTAINER_DELTA, 4, end - start - 4, -1, -1)

    def _open_map(self) -> Event | None:
        """`i32 removed; keys; i32 count; pairs of key and value`."""
        cursor = self.cursor
        dialect = self.dialect
        start = self._value_start
        end = self.leaf_end
        key_struct = self._inner == "StructProperty"
        value_struct = self._value_type == "StructProperty"
        key = self._struct_codec("key", self._key_type_name) if key_struct else dialect.scalar(self._inner)
        key_guessed = self._guessed
        value = self._struct_codec("value", self._type_name) if value_struct else dialect.scalar(self._value_type)
        if (key is None and not key_struct) or (value is None and not value_struct):
            return self._opaque(f"map of unknown types {self._inner}, {self._value_type}")
        if not key_struct and not value_struct:
            return None
        outer = cursor.limit()
        cursor.set_limit(end)
        removed = self._pass_removed(key, peeks=key_struct)
        count: i64 = cursor.count(1) if removed >= 0 else -1
        content = cursor.tell()
        frame = Frame(MAP, self.leaf_name, end, outer)
        frame.count = count
        frame.key = key
        frame.key_type = self._key_type_name
        frame.key_peeks = key_struct
        frame.key_known = key_struct and not key_guessed and key is not None
        frame.value = value
        frame.value_type = self._type_name
        frame.value_peeks = value_struct
        frame.value_known = value_struct and not self._guessed and value is not None
        if count < 0 or (count > 0 and not self._pairs_fit(frame, content, end)):
            cursor.set_limit(outer)
            cursor.seek(start)
            return self._opaque("map of unknown structs")
        return self._enter_delta(frame, key, frame.key_type, removed, content, peeks=key_struct)

    def _pairs_fit(self, frame: Frame, content: i64, end: i64) -> bool:
        """Look whether pairs are what they are taken for: the first ones, as far as binary values let us see."""
        cursor = self.cursor
        key = frame.key
        value = frame.value
        if frame.key_peeks and looks_like_list(cursor) and not (frame.key_known and self._is_followed_by_list(frame)):
            return True
        if key is None:
            return False
        if frame.key_known:
            frame.key_peeks = False
        cursor.seek(content)
        key.measure(cursor, self)
        if frame.value_peeks and looks_like_list(cursor):
            return True
        if value is None:
            return False
        if frame.value_known:
            frame.value_peeks = False
        if key.size >= 0 and value.size >= 0:
            return frame.count * (key.size + value.size) == end - content
        cursor.seek(content)
        try:
            for _ in range(frame.count):
                key.measure(cursor, self)
                value.measure(cursor, self)
                if cursor.tell() - content > FITTING_SIZE:
                    return True
        except DamagedSave:
            return False
        return cursor.tell() == end

    def _is_followed_by_list(self, frame: Frame) -> bool:
        """Tell whether a property list stands behind a binary key: such a key may look like the start of a list itself."""
        key = frame.key
        if key is None or key.size < 0 or not frame.value_peeks:
            return False
        self.cursor.skip(key.size)
        return looks_like_list(self.cursor)

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
        self._push(Frame(LIST, self.leaf_name, end, cursor.limit()))
        cursor.set_limit(end)
        return _StructEnter(start, self.leaf_name, self._type_name, content - start, end - content, -1, -1)
