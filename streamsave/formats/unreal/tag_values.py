"""The values of tags that are leaves: each is of one codec, which the tag says, or the first bytes do.

| type | bytes |
|---|---|
| `ArrayProperty` | `i32 count`; of structs, in old tags, an inner tag; elements |
| `SetProperty` | `i32 removed; elements; i32 count; elements` |
| `MapProperty` | `i32 removed; keys; i32 count; pairs of key and value` |
| `OptionalProperty` | `bool32; value` |
| `BoolProperty` | nothing: the value is in the tag |
| others | see `dialect` |

The module is long because it has all types of values.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.codecs import BYTES, NAME, U8, Array, BuildContext, Codec, Map, Optional, Struct, encode_each, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.decode.slices import Slices, slices_of
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import PropertyTag
from streamsave.formats.unreal.containers import fits, struct_codec
from streamsave.formats.unreal.frames import FrameReader
from streamsave.formats.unreal.maps import count_distinct
from streamsave.formats.unreal.pool import NONE
from streamsave.formats.unreal.tag_reader import inner_size_offset, read_inner
from streamsave.formats.unreal.tags import ARRAY_TYPE, BOOL_TYPE, BYTE_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE, STRUCT, looks_like_list
from streamsave.values import ContainerDelta, Opaque

__all__ = ["Delta", "check_rest", "decode_value", "encode_value", "find_slices", "layout_of", "measure_value"]


class Delta(Struct):
    """A set or map: the elements or keys to remove, then those that it has or, where it removes something, adds.

    Args:
        element: an element or key.
        added: an `Array` or a `Map`.
        peeks: an element may be a property list, as a look at it shows.
    """

    def __init__(self, element: Codec, added: Codec, *, peeks: bool = False) -> None:
        super().__init__("", None, removed=Array(element), added=added)
        self.element = element
        self.added = added
        self._peeks = peeks

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        removed = self._removed(cursor, context)
        added = self.added.decode(cursor, context)
        return ContainerDelta(removed, added) if removed and isinstance(added, list) else added

    def encode(self, value: object, encoder: Encoder) -> None:
        removed, added = parts_of(value)
        Array(self.element).encode(removed, encoder)
        self.added.encode(added, encoder)

    def _removed(self, cursor: Cursor, context: BuildContext) -> list[object]:
        count = count_distinct(cursor, self.element)
        context.spend(count, 0)
        return [
            context.properties(cursor) if self._peeks and looks_like_list(cursor) else self.element.decode(cursor, context)
            for _ in range(count)
        ]


class StructArray(Array):
    """An array of binary structs: `i32 count`, bytes that come between, elements.

    Args:
        element: a struct.
        inner_size: bytes of the inner tag of an old tag; 0 where there is none.
        inner: the inner tag, if values are encoded.
        size_at: where in it the size of all elements is.
    """

    def __init__(self, element: Codec, inner_size: i64, inner: bytes = b"", size_at: int = 0) -> None:
        super().__init__(element)
        self._inner_size: i64 = inner_size
        self._inner = inner
        self._size_at = size_at

    def open(self, cursor: Cursor) -> i64:
        count = cursor.count(0)
        cursor.skip(self._inner_size)
        return count

    def encode(self, value: object, encoder: Encoder) -> None:
        values = list_of(value)
        encoder.count(len(values))
        inner_at = len(encoder.data)
        encoder.put(self._inner)
        encode_each(self.element, values, encoder)
        if self._inner:
            size_at = inner_at + self._size_at
            size = len(encoder.data) - inner_at - len(self._inner)
            encoder.data[size_at : size_at + 4] = size.to_bytes(4, "little")


def decode_value(walk: FrameReader, tag: PropertyTag) -> object:
    """Decode the value of the last tag, to which the cursor is limited. Zeros may follow a number or struct up to its size.

    Raises:
        DamagedSave: other bytes follow it, or it runs past its size.
    """
    cursor = walk.cursor
    walk.spend(1, 0)
    try:
        value: object = tag.flag if tag.type == BOOL_TYPE else codec_of(walk, cursor, tag).decode(cursor, walk)
        check_rest(walk, tag)
    except UnsupportedSave as unsupported:
        cursor.seek(tag.value_offset)
        value = Opaque(cursor.take(walk.leaf.end - tag.value_offset), unsupported.message)
    return value


def measure_value(walk: FrameReader, tag: PropertyTag) -> None:
    """Pass over the value of the last tag, if it is a leaf of known layout, which it has to have.

    Raises:
        SaveError: it does not.
    """
    leaf = walk.leaf
    if leaf.opens or tag.type == BOOL_TYPE:
        return
    cursor = walk.cursor
    outer = cursor.limit()
    cursor.set_limit(leaf.end)
    codec = layout_of(walk, cursor, tag)
    if codec is not None:
        codec.measure(cursor, walk)
        check_rest(walk, tag)
    cursor.set_limit(outer)


def check_rest(walk: FrameReader, tag: PropertyTag) -> None:
    """Check what follows a value up to its size, to which the cursor is limited.

    Raises:
        DamagedSave: it may not be there.
    """
    cursor = walk.cursor
    left = cursor.remaining()
    if left > 0 and (cursor.take(left).strip(b"\0") or ends_itself(walk, tag)):
        end = cursor.tell()
        raise cursor.damaged(
            "bytes left after the value", offset=end - left, expected=f"{tag.size - left} bytes", actual=tag.size
        )


def ends_itself(walk: FrameReader, tag: PropertyTag) -> bool:
    """Return whether a value of this type has its own length or count: its size has to be that of what it counts."""
    kind = tag.type
    if kind == STRUCT or kind == BOOL_TYPE:
        return False
    if kind == BYTE_TYPE:
        return tag.size > 1
    codec = walk.dialect.scalar(kind)
    return codec is None or codec.size < 0


def find_slices(walk: FrameReader, tag: PropertyTag) -> Slices | None:
    """Move to the first element of the last tag's value, a leaf; return None, without moving, if it has no elements.

    A set or map that removes something has none: it is two lists.

    Raises:
        SaveError: the count is damaged.
    """
    cursor = walk.cursor
    slices: Slices | None = None
    try:
        codec = codec_of(walk, cursor, tag)
        if isinstance(codec, Delta):
            if count_distinct(cursor, codec.element) == 0:
                slices = slices_of(codec.added, cursor)
        elif tag.type == ARRAY_TYPE:
            slices = slices_of(codec, cursor)
    except UnsupportedSave:  # so `decode_value` returns the bytes
        pass
    if slices is None:
        cursor.seek(tag.value_offset)
    return slices


def layout_of(walk: FrameReader, cursor: Cursor, tag: PropertyTag) -> Codec | None:
    """Return the codec of the value of the last tag, a leaf; None if it is unknown.

    Args:
        walk: whose last tag it is.
        cursor: at the start of the value, and limited to it.
        tag: the tag.
    """
    try:
        return codec_of(walk, cursor, tag)
    except UnsupportedSave:
        return None


def encode_value(walk: FrameReader, tag: PropertyTag, value: object, encoder: Encoder) -> None:
    """Write the value of the last tag; of a bool nothing, as its value is in the tag.

    Raises:
        EditError: the value does not fit there, or can only be replaced as bytes.
    """
    if tag.type == BOOL_TYPE:
        typed(value, bool, "a bool")
        return
    cursor = walk.cursor.fork()
    cursor.set_limit(tag.value_offset + tag.size)
    cursor.seek(tag.value_offset)
    try:
        codec = codec_of(walk, cursor, tag, [value])
    except UnsupportedSave as unsupported:
        raise EditError(f"a value of type {tag.type} can only be replaced as bytes", unsupported.message) from None
    codec.encode(value, encoder)


# --- which codec ---


def codec_of(walk: FrameReader, cursor: Cursor, tag: PropertyTag, written: list[object] | None = None) -> Codec:
    """Return the codec of a value.

    Args:
        walk: whose last tag it is.
        cursor: at the value, and limited to it; it stays there.
        tag: the tag.
        written: the value to write, if it is not one to read: it shows what bytes are.

    Raises:
        UnsupportedSave: a type or struct is unknown.
    """
    dialect = walk.dialect
    kind = tag.type
    inner = tag.inner_type
    codec = dialect.scalar(kind)
    if kind == BYTE_TYPE:
        if written is not None:
            return U8 if tag.size == 1 and tag.type_name in {"", NONE} else byte_codec(written)
        return U8 if tag.size == 1 else NAME
    if codec is not None:
        return codec
    if kind == STRUCT:
        codec = dialect.struct(tag.type_name, tag.size)
        if codec is None:
            raise cursor.unsupported(f"unknown struct {tag.type_name}")
        return codec
    if kind == ARRAY_TYPE:
        if inner == BYTE_TYPE:
            return byte_array_codec(cursor, tag, written)
        return struct_array_codec(walk, cursor, tag, written) if inner == STRUCT else Array(scalar_codec(walk, cursor, inner))
    if kind == SET_TYPE:
        if inner != STRUCT:
            element = element_codecs(walk, cursor, tag, [inner], written)[0]
            return Delta(element, Array(element))
        codec = struct_codec(walk, "element", tag.type_name)
        if codec is None:
            raise cursor.unsupported("set of unknown structs")
        return Delta(codec, Array(codec), peeks=True)
    if kind == MAP_TYPE:
        key, value = element_codecs(walk, cursor, tag, [inner, tag.value_type], written)
        return Delta(key, Map(key, value))
    if kind == OPTIONAL:
        return Optional(optional_codec(walk, cursor, tag, written))
    raise cursor.unsupported(f"unknown type {kind}")


def scalar_codec(walk: FrameReader, cursor: Cursor, type_name: str) -> Codec:
    """Return the codec of a value of a type that has no parts."""
    codec = walk.dialect.scalar(type_name)
    if codec is None:
        raise cursor.unsupported(f"unknown type {type_name}")
    return codec


def byte_array_codec(cursor: Cursor, tag: PropertyTag, written: list[object] | None) -> Codec:
    """Return the codec of bytes, or of the names of an enum's values.

    The size shows which; of an empty array only a new tag does.
    """
    if written is not None:
        return BYTES if isinstance(written[0], bytes) else Array(NAME)
    count = cursor.count(1)
    cursor.seek(tag.value_offset)
    return BYTES if count == tag.size - 4 and (count > 0 or not tag.type_name) else Array(NAME)


def struct_array_codec(walk: FrameReader, cursor: Cursor, tag: PropertyTag, written: list[object] | None) -> Codec:
    """Return the codec of an array of structs, which is at the cursor, with the tag of its elements."""
    start = tag.value_offset
    count = cursor.count(0)
    type_name = read_inner(cursor, walk.dialect, tag.type_name)
    content = cursor.tell()
    codec = walk.dialect.struct(type_name, cursor.remaining() // count if count > 0 else -1)
    if codec is None:
        raise cursor.unsupported(f"array of unknown struct {type_name}")
    cursor.seek(start)
    inner_size = content - start - 4
    if written is None or inner_size == 0:
        return StructArray(codec, inner_size)
    size_at = inner_size_offset(start, content, cursor) - start - 4
    cursor.seek(start + 4)
    return StructArray(codec, inner_size, cursor.take(inner_size), size_at)


def optional_codec(walk: FrameReader, cursor: Cursor, tag: PropertyTag, written: list[object] | None) -> Codec:
    """Return the codec of what may be in an optional."""
    inner = tag.inner_type
    if inner == BYTE_TYPE:
        return byte_codec(written) if written is not None else NAME if tag.size > 4 + U8.size else U8
    if inner != STRUCT:
        return scalar_codec(walk, cursor, inner)
    codec = walk.dialect.struct(tag.type_name, tag.size - 4)
    if codec is not None:
        return codec
    if written is None and not cursor.bool32():
        cursor.seek(tag.value_offset)
        return U8  # which is not there
    raise cursor.unsupported(f"optional of unknown struct {tag.type_name}")


def element_codecs(
    walk: FrameReader, cursor: Cursor, tag: PropertyTag, types: list[str], written: list[object] | None
) -> list[Codec]:
    """Return the codecs of the elements of a set, or of the keys and values of a map.

    A byte is a number or the name of an enum's value. New tags name the enum. Of old ones the size of all shows it, except
    for a number and an empty name, of which either may come first.
    """
    codecs = [scalar_codec(walk, cursor, kind) for kind in types]
    if BYTE_TYPE not in types:
        return codecs
    if written is not None:
        removed, added = parts_of(written[0])
        if len(types) == 1:
            return [byte_codec([*removed, *added])]
        pairs = [pair for pair in added if isinstance(pair, tuple) and len(pair) == 2]
        shown = [byte_codec([*removed, *[pair[0] for pair in pairs]]), byte_codec([pair[1] for pair in pairs])]
        return [one if kind == BYTE_TYPE else codec for kind, one, codec in zip(types, shown, codecs, strict=True)]
    tags = walk.tags
    names: list[Codec] = [NAME if kind == BYTE_TYPE else codec for kind, codec in zip(types, codecs, strict=True)]
    tries = [codecs, names]
    if walk.dialect.new_tags:
        enums = [tag.type_name] if len(types) == 1 else [tags.last.key_type_name, tag.type_name]
        tries.insert(0, [name if enum else codec for name, enum, codec in zip(names, enums, codecs, strict=True)])
    if types == [BYTE_TYPE, BYTE_TYPE]:
        tries += [[U8, NAME], [NAME, U8]]
    for tried in tries:
        whole = Delta(tried[0], Array(tried[0]) if len(tried) == 1 else Map(tried[0], tried[1]))
        if fits(walk, whole, 1, tag.value_offset, tag.value_offset + tag.size):
            return tried
    return codecs


def parts_of(value: object) -> tuple[list[object], list[object]]:
    """Return what a set or map removes, and what it has or adds."""
    if isinstance(value, ContainerDelta):
        return value.removed, value.added
    return [], list_of(value)


def byte_codec(values: list[object]) -> Codec:
    """Return the codec of bytes that are written: numbers, or names of an enum's values, as the first of them shows."""
    return NAME if values and isinstance(values[0], str) else U8
