"""Tags that are leaves -> Python values."""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.codecs import NAME, U8, Array, Codec, Map, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.decode.slices import Slices, slices_of
from streamsave.errors import UnsupportedSave
from streamsave.events import PropertyTag
from streamsave.formats.unreal.keyed_containers import KeyedContainers
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import STRUCT, looks_like_list
from streamsave.values import ContainerDelta, Opaque

__all__ = ["ValueDecoder"]


class ValueDecoder:
    """Decodes the value of the last tag, which is a leaf."""

    def __init__(self, tags: TagReader, guesses: StructGuesses, keyed: KeyedContainers) -> None:
        self._tags = tags
        self._guesses = guesses
        self._keyed = keyed

    def value(self, reader: Reader, tag: PropertyTag) -> object:
        """Decode the value of the last tag and move past it. Zeros may follow a number or struct up to its size.

        Raises:
            DamagedSave: other bytes follow it, or it runs past its size.
        """
        tags = self._tags
        tags.use(tag)
        cursor = reader.cursor
        start = tags.value_start
        end = reader.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
        try:
            value = self._decode(reader, tag)
            self.check_rest(cursor, tag)
        except UnsupportedSave as unsupported:
            cursor.seek(start)
            value = Opaque(cursor.take(end - start), unsupported.message)
        finally:
            cursor.set_limit(outer)
        cursor.seek(end)
        reader.leaf_end = -1
        tags.nests = False
        return value

    def _decode(self, reader: Reader, tag: PropertyTag) -> object:
        cursor = reader.cursor
        tags = self._tags
        kind = tags.property_type
        size = reader.leaf_end - tags.value_start
        reader.spend(1, 0)
        if kind == "BoolProperty":
            return tag.flag
        if kind == "ByteProperty":
            return cursor.u8() if size == 1 else cursor.name()
        if kind == STRUCT:
            struct = tags.dialect.struct(tags.type_name, size)
            if struct is None:
                return Opaque(cursor.take(size), f"unknown struct {tags.type_name}")
            return struct.decode(reader.cursor, reader)
        if kind == "ArrayProperty":
            return self._decode_array(reader, size)
        if kind == "SetProperty":
            if tags.inner_type == STRUCT:
                codec = self._guesses.struct_codec(reader, "element", tags.type_name)
                if codec is None:
                    raise cursor.unsupported("set of unknown structs")
                return self._delta(reader, self._decode_removed(reader, codec, peeks=True), Array(codec))
            codec = self._codecs(reader, [tags.inner_type])[0]
            return self._delta(reader, self._decode_removed(reader, codec, peeks=False), Array(codec))
        if kind == "MapProperty":
            key, value = self._codecs(reader, [tags.inner_type, tags.value_type])
            return self._delta(reader, self._decode_removed(reader, key, peeks=False), Map(key, value))
        if kind == "OptionalProperty":
            return self._decode_optional(reader, size)
        return self._scalar(reader, kind).decode(reader.cursor, reader)

    def check_rest(self, cursor: Cursor, tag: PropertyTag) -> None:
        """Check what follows a value up to its size, to which the cursor is limited.

        Raises:
            DamagedSave: it may not be there.
        """
        left = cursor.remaining()
        if left > 0 and (cursor.take(left).strip(b"\0") or self.ends_itself(tag)):
            end = cursor.tell()
            raise cursor.damaged(
                "bytes left after the value", offset=end - left, expected=f"{tag.size - left} bytes", actual=tag.size
            )

    def open_slices(self, reader: Reader, tag: PropertyTag) -> Slices | None:
        """Move to the first element of the last tag's value, a leaf; return None, without moving, if it has no elements.

        A set or map that removes something has none: it is two lists.

        Raises:
            SaveError: the count is damaged.
        """
        tags = self._tags
        tags.use(tag)
        cursor = reader.cursor
        outer = cursor.limit()
        cursor.set_limit(reader.leaf_end)
        slices: Slices | None = None
        try:
            slices = self._find_slices(reader, cursor)
        except UnsupportedSave:  # so `value` returns the bytes
            pass
        finally:
            cursor.set_limit(outer)
        if slices is None:
            cursor.seek(tags.value_start)
        else:
            tags.nests = False
        return slices

    def _find_slices(self, reader: Reader, cursor: Cursor) -> Slices | None:
        tags = self._tags
        kind = tags.property_type
        inner = tags.inner_type
        if kind == "ArrayProperty":
            if inner == "ByteProperty":
                count = cursor.count(1)
                if count == reader.leaf_end - cursor.tell() and (count > 0 or not tags.type_name):
                    return Slices(count, U8, is_bytes=True)
                cursor.seek(tags.value_start)
                return slices_of(Array(NAME), cursor)
            if inner != STRUCT:
                return slices_of(Array(self._scalar(reader, inner)), cursor)
            count = cursor.count(0)
            type_name = tags.read_inner(cursor)
            codec = tags.dialect.struct(type_name, cursor.remaining() // count if count > 0 else -1)
            return None if codec is None else Slices(count, codec)
        if kind == "SetProperty":
            if inner == STRUCT:
                element = self._guesses.struct_codec(reader, "element", tags.type_name)
            else:
                element = self._codecs(reader, [inner])[0]
            if element is None or self._keyed.count_distinct(cursor, element) > 0:
                return None
            return slices_of(Array(element), cursor)
        if kind == "MapProperty":
            key, value = self._codecs(reader, [inner, tags.value_type])
            if self._keyed.count_distinct(cursor, key) > 0:
                return None
            return slices_of(Map(key, value), cursor)
        return None

    def ends_itself(self, tag: PropertyTag) -> bool:
        """Return whether a value of this type has its own length or count: its size has to be that of what it counts."""
        kind = tag.type
        if kind == STRUCT or kind == "BoolProperty":
            return False
        if kind == "ByteProperty":
            return tag.size > 1
        codec = self._tags.dialect.scalar(kind)
        return codec is None or codec.size < 0

    def layout(self, reader: Reader, tag: PropertyTag) -> Codec | None:
        """Return the codec of the value of the last tag, a leaf; None if it is unknown, or all values of that type fit.

        The cursor is at the start of the value, and limited to it.
        """
        tags = self._tags
        cursor = reader.cursor
        dialect = tags.dialect
        kind = tag.type
        codec = dialect.scalar(tag.inner_type)
        if kind == STRUCT:
            return dialect.struct(tag.type_name, tag.size)
        if kind == "ArrayProperty":
            if tag.inner_type == "ByteProperty":
                return Array(U8 if cursor.i32() == tag.size - 4 else NAME)
            return None if codec is None else Array(codec)
        if kind == "OptionalProperty":
            return None if codec is None else Optional(codec)
        if kind == "SetProperty" and tag.inner_type == STRUCT:
            codec = self._guesses.struct_codec(reader, "element", tag.type_name)
            return None if codec is None else Struct("", None, removed=Array(codec), added=Array(codec))
        if kind == "SetProperty" and codec is not None:
            codec = self._codecs(reader, [tag.inner_type])[0]
            return Struct("", None, removed=Array(codec), added=Array(codec))
        if kind == "MapProperty" and codec is not None and dialect.scalar(tag.value_type) is not None:
            key, value = self._codecs(reader, [tag.inner_type, tag.value_type])
            return Struct("", None, removed=Array(key), added=Map(key, value))
        return dialect.scalar(kind)

    def _decode_array(self, reader: Reader, size: i64) -> object:
        """Decode an array of scalars, or of binary structs of one size."""
        tags = self._tags
        cursor = reader.cursor
        inner = tags.inner_type
        if inner == "ByteProperty":
            count = cursor.count(1)
            # The size shows whether these are bytes or names of an enum's values; of an empty array only a new tag does.
            if count == size - 4 and (count > 0 or not tags.type_name):
                reader.spend(0, count)
                return cursor.take(count)
            cursor.seek(tags.value_start)
            return Array(NAME).decode(cursor, reader)
        if inner != STRUCT:
            return Array(self._scalar(reader, inner)).decode(reader.cursor, reader)
        count = cursor.count(0)
        type_name = tags.read_inner(cursor)
        codec = tags.dialect.struct(type_name, cursor.remaining() // count if count > 0 else -1)
        if codec is None:
            raise cursor.unsupported(f"array of unknown struct {type_name}")
        reader.spend(count, 0)
        return [codec.decode(reader.cursor, reader) for _ in range(count)]

    # --- sets and maps ---

    def _decode_removed(self, reader: Reader, codec: Codec, *, peeks: bool) -> list[object]:
        """Decode the elements or keys that a set or map removes."""
        cursor = reader.cursor
        count = self._keyed.count_distinct(cursor, codec)
        reader.spend(count, 0)
        return [
            reader.properties(cursor) if peeks and looks_like_list(cursor) else codec.decode(cursor, reader) for _ in range(count)
        ]

    def _delta(self, reader: Reader, removed: list[object], codec: Codec) -> object:
        """Decode what a set or map has or, where it removes something, adds."""
        added = codec.decode(reader.cursor, reader)
        return ContainerDelta(removed, added) if removed and isinstance(added, list) else added

    def _codecs(self, reader: Reader, types: list[str]) -> list[Codec]:
        """Return the codecs of the elements of a set, or of the keys and values of a map.

        A byte is a number or the name of an enum's value. New tags name the enum. Of old ones the size of all shows it, except
        for a number and an empty name, of which either may come first.
        """
        tags = self._tags
        numbers = [self._scalar(reader, kind) for kind in types]
        if "ByteProperty" not in types:
            return numbers
        enums = [tags.type_name] if len(types) == 1 else [tags.key_type_name, tags.type_name]
        named = [
            NAME if kind == "ByteProperty" and enum else codec for kind, enum, codec in zip(types, enums, numbers, strict=True)
        ]
        if tags.dialect.new_tags and self._fill_value(reader, named):
            return named
        if self._fill_value(reader, numbers):
            return numbers
        names = [NAME if kind == "ByteProperty" else codec for kind, codec in zip(types, numbers, strict=True)]
        if self._fill_value(reader, names):
            return names
        if types == ["ByteProperty", "ByteProperty"]:
            for mixed in ([numbers[0], NAME], [NAME, numbers[1]]):
                if self._fill_value(reader, mixed):
                    return mixed
        return numbers

    def _fill_value(self, reader: Reader, codecs: list[Codec]) -> bool:
        """Return whether a set or map of these fills the value."""
        pair = codecs[0] if len(codecs) == 1 else Struct("", None, key=codecs[0], value=codecs[1])
        whole = Struct("", None, removed=Array(codecs[0]), added=Array(pair))
        return self._guesses.fits(reader, whole, 1, self._tags.value_start, reader.leaf_end)

    # --- others ---

    def _decode_optional(self, reader: Reader, size: i64) -> object:
        tags = self._tags
        cursor = reader.cursor
        inner = tags.inner_type
        codec = tags.dialect.struct(tags.type_name, size - 4) if inner == STRUCT else self._scalar(reader, inner)
        if inner == "ByteProperty" and size > 4 + U8.size:
            codec = NAME  # of an enum's value
        if codec is not None:
            return Optional(codec).decode(reader.cursor, reader)
        if cursor.bool32():
            raise cursor.unsupported(f"optional of unknown struct {tags.type_name}")
        return None

    def _scalar(self, reader: Reader, type_name: str) -> Codec:
        codec = self._tags.dialect.scalar(type_name)
        if codec is None:
            raise reader.cursor.unsupported(f"unknown type {type_name}")
        return codec
