"""The walk over property lists, whole: here the values are decoded, and the verbs of the stream act.

`frames` says what is open, `tagreader` reads tags, `tagwalker` goes from one to the next, `openings` and `keyed` step into their
values, `containers` through what is in them.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.build import build_list
from streamsave.decode.codecs import NAME, U8, Array, Codec, Map, Optional, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import PathStep, SaveError, UnsupportedSave
from streamsave.events import Damage, Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.frames import ARRAY, DELTA, ELEMENTS, MAP, Frame
from streamsave.formats.unreal.openings import ValueOpener
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.values import ContainerDelta, Loss, Opaque

__all__ = ["PropertyWalker"]


class PropertyWalker(ValueOpener):
    """Walks property lists and binary structs at a cursor."""

    # --- values ---

    def value(self, event: Event) -> object:
        if not isinstance(event, PropertyTag):
            return super().value(event)
        self._type = event.type
        self._type_name = event.type_name
        self._inner = event.inner_type
        self._value_type = event.value_type
        cursor = self.cursor
        start = self._value_start
        end = self.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
        try:
            value = self._decode(event)
            left = cursor.remaining()
            if left > 0 and cursor.take(left).strip(b"\0"):
                raise cursor.damaged(
                    "bytes left behind the value", offset=end - left, expected=f"{event.size - left} bytes", actual=event.size
                )
        except UnsupportedSave as unsupported:
            cursor.seek(start)
            value = Opaque(cursor.take(end - start), unsupported.message)
        finally:
            cursor.set_limit(outer)
        cursor.seek(end)
        self.leaf_end = -1
        self._nests = False
        return value

    def _decode(self, tag: PropertyTag) -> object:
        cursor = self.cursor
        kind = self._type
        size = self.leaf_end - self._value_start
        self.spend(1, 0)
        if kind == "BoolProperty":
            return tag.flag
        if kind == "ByteProperty":
            return cursor.u8() if size == 1 else cursor.name()
        if kind == "StructProperty":
            struct = self.dialect.struct(self._type_name, size)
            if struct is None:
                return Opaque(cursor.take(size), f"unknown struct {self._type_name}")
            return struct.decode(cursor, self)
        if kind == "ArrayProperty":
            return self._decode_array(size)
        if kind == "SetProperty":
            if self._inner == "StructProperty":
                codec = self._struct_codec("element", self._type_name)
                if codec is None:
                    raise cursor.unsupported("set of unknown structs")
                return self._changed(self._decode_removed(codec, peeks=True), Array(codec))
            codec = self._codecs([self._inner])[0]
            return self._changed(self._decode_removed(codec, peeks=False), Array(codec))
        if kind == "MapProperty":
            key, value = self._codecs([self._inner, self._value_type])
            return self._changed(self._decode_removed(key, peeks=False), Map(key, value))
        if kind == "OptionalProperty":
            return self._decode_optional(size)
        return self._scalar(kind).decode(cursor, self)

    def _decode_array(self, size: i64) -> object:
        """Decode an array that is a leaf: of scalars, or of binary structs of one size."""
        cursor = self.cursor
        inner = self._inner
        if inner == "ByteProperty":
            count = cursor.count(1)
            # The size tells bytes from names of an enum's values; of an empty array only a new tag does.
            if count == size - 4 and (count > 0 or not self._type_name):
                self.spend(0, count)
                return cursor.take(count)
            cursor.seek(self._value_start)
            return Array(NAME).decode(cursor, self)
        if inner != "StructProperty":
            return Array(self._scalar(inner)).decode(cursor, self)
        count = cursor.count(0)
        type_name = self._inner_struct_tag()
        codec = self.dialect.struct(type_name, cursor.remaining() // count if count > 0 else -1)
        if codec is None:
            raise cursor.unsupported(f"array of unknown struct {type_name}")
        self.spend(count, 0)
        return [codec.decode(cursor, self) for _ in range(count)]

    def _decode_removed(self, codec: Codec, *, peeks: bool) -> list[object]:
        """Decode what a set or map that is a leaf wants removed: elements or keys."""
        cursor = self.cursor
        count = self._count_distinct(codec)
        self.spend(count, 0)
        return [
            self.properties(cursor) if peeks and looks_like_list(cursor) else codec.decode(cursor, self) for _ in range(count)
        ]

    def _codecs(self, types: list[str]) -> list[Codec]:
        """Find the codecs of what is in a set or map that is a leaf.

        A byte is a number or the name of an enum's value. New tags name the enum; of old ones the size of all tells, but for a
        number and an empty name, of which either may come first.
        """
        numbers = [self._scalar(kind) for kind in types]
        if "ByteProperty" not in types:
            return numbers
        enums = [self._type_name] if len(types) == 1 else [self._key_type_name, self._type_name]
        told = [
            NAME if kind == "ByteProperty" and enum else codec for kind, enum, codec in zip(types, enums, numbers, strict=True)
        ]
        if self.dialect.new_tags and self._take_all(told):
            return told
        if self._take_all(numbers):
            return numbers
        names = [NAME if kind == "ByteProperty" else codec for kind, codec in zip(types, numbers, strict=True)]
        if self._take_all(names):
            return names
        if types == ["ByteProperty", "ByteProperty"]:
            for mixed in ([numbers[0], NAME], [NAME, numbers[1]]):
                if self._take_all(mixed):
                    return mixed
        return numbers

    def _take_all(self, codecs: list[Codec]) -> bool:
        pair = codecs[0] if len(codecs) == 1 else Struct("", None, key=codecs[0], value=codecs[1])
        whole = Struct("", None, removed=Array(codecs[0]), added=Array(pair))
        return self._fits(whole, 1, self._value_start, self.leaf_end)

    def _changed(self, removed: list[object], codec: Codec) -> object:
        """Decode what a set or map has or, where it removes something, adds."""
        added = codec.decode(self.cursor, self)
        return ContainerDelta(removed, added) if removed and isinstance(added, list) else added

    def _decode_optional(self, size: i64) -> object:
        """Decode an optional that is a leaf."""
        codec = self.dialect.struct(self._type_name, size - 4) if self._inner == "StructProperty" else self._scalar(self._inner)
        if self._inner == "ByteProperty" and size > 4 + U8.size:
            codec = NAME  # of an enum's value
        if codec is not None:
            return Optional(codec).decode(self.cursor, self)
        if self.cursor.bool32():
            raise self.cursor.unsupported(f"optional of unknown struct {self._type_name}")
        return None

    def _scalar(self, type_name: str) -> Codec:
        codec = self.dialect.scalar(type_name)
        if codec is None:
            raise self.cursor.unsupported(f"unknown type {type_name}")
        return codec

    # --- verbs ---

    def skip(self, event: Event) -> bool:
        kind = type(event)
        if kind is ObjectHeader:
            if self.frames:
                self.abandon()
        elif kind is PropertyTag or kind is Field:
            self._nests = False
            self.cursor.seek(self.leaf_end)
            self.leaf_end = -1
            return True
        elif isinstance(event, StructEnter) and event.size >= 0 and self.top is not None:
            self.top.skipped = True
        return super().skip(event)

    def path(self) -> tuple[PathStep, ...]:
        steps: list[PathStep] = list(self.steps)
        container = ""
        for frame in self.frames:
            if frame.name and frame.name != container:
                steps.append(frame.name)
            if frame.kind == MAP:
                if frame.at > 0:
                    steps.append(int(frame.index))
            elif frame.index >= 0 and frame.kind != ELEMENTS and frame.kind != ARRAY:
                steps.append(int(frame.index))
            container = frame.name if frame.kind == ELEMENTS or frame.kind == ARRAY else ""
        leaf = self.leaf_path()
        if leaf and leaf[0] == container:
            leaf = leaf[1:]
        return (*steps, *leaf)

    # --- faults ---

    def confine(self, error: SaveError, outer_depth: i64, least: i64 = 0) -> Event | None:
        """Give up the innermost value whose end is known, and go behind it; None where there is none.

        Args:
            error: what is wrong inside of it.
            outer_depth: how many nestings are open around the property list.
            least: in front of that, nothing can be read: a value that ends there is given up with the one that it is in.
        """
        end = self.leaf_end
        if end >= 0 and end >= least:
            name = self.leaf_name
        else:
            while self.frames and not self._can_leave(self.frames[-1], least):
                self._drop_frame()
            if not self.frames:
                return None
            top = self.frames[-1]
            top.skipped = True
            top.at = 0
            end = top.end
            name = top.name
        depth = outer_depth
        limit = NO_LIMIT
        for frame in self.frames[1:]:
            if not frame.inline:
                depth += 1
            if frame.kind == MAP and frame.at > 0:
                depth += 1  # the pair that is open
            if frame.end >= 0:
                limit = frame.end
        self.leaf_end = -1
        self._nests = False
        self.cursor.set_limit(limit)
        self.cursor.seek(end)
        path = self.path()
        if path[-1:] != (name,):
            path = (*path, name)
        # Where it starts is where the claims before it end: the stream knows that.
        self.damage = Damage(0, end, error, Loss("property", name, path, -1))
        self.damage_depth = depth
        return self.damage

    def _can_leave(self, frame: Frame, least: i64) -> bool:
        """Tell whether it is known where a frame ends, and whether that is behind what cannot be read."""
        return frame.end >= 0 and frame.end >= least and frame.kind != DELTA and not frame.skipped

    def _drop_frame(self) -> None:
        self.frames.pop()
        self.top = self.frames[-1] if self.frames else None

    # --- property lists inside of values ---

    def properties(self, cursor: Cursor) -> dict[str, object]:
        walker = self._nested(cursor)
        walker.begin_list(cursor.limit())
        try:
            return build_list(walker)
        finally:
            self._spent_nodes = walker._spent_nodes  # noqa: SLF001 - the same class
            self._spent_size = walker._spent_size  # noqa: SLF001
            walker.abandon()

    def skip_properties(self, cursor: Cursor) -> None:
        walker = self._nested(cursor)
        walker.begin_list(cursor.limit())
        try:
            event = walker.walk()
            while event is not None:
                walker.skip(event)
                event = walker.walk()
        finally:
            walker.abandon()

    def _nested(self, cursor: Cursor) -> PropertyWalker:
        walker = PropertyWalker(cursor, self.limits, self.dialect)
        walker.building = self.building
        walker.nesting = self.nesting
        walker._depth_left = self._depth_left - len(self.frames) - 1
        walker._spent_nodes = self._spent_nodes
        walker._spent_size = self._spent_size
        if walker._depth_left <= 0:
            raise cursor.exceeded("depth", self.limits.depth + 1)
        return walker

    def starts_property_list(self, cursor: Cursor) -> bool:
        return looks_like_list(cursor)
