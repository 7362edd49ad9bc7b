"""Reading tags, whose layout is in `tags`; and where the sizes and counts of property lists are.

Events do not say where these are: what has them is read again, when it is asked for.

| what was opened | its fields |
|---|---|
| a tag | `i32 size` after its name and type |
| an array | `i32 count` at its start; the `i32 size` of the inner tag that an old array of structs has |
| a set or map, also as a part of a delta | `i32 count` before its first element |
| what a set or map removes | `i32 count` before its first element |
| a struct with its type before it | `i32 size` before its properties |
| an array of bytes that has a layout | `i32 size` at its start |
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.build import CONTAINER_DELTA
from streamsave.decode.codecs import I32, NAME, U8, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length
from streamsave.events import PropertyTag, StructEnter
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.tags import (
    ARRAY_TYPE,
    BYTE_TYPE,
    ENUM_TYPE,
    FLAG_ARRAY_INDEX,
    FLAG_BINARY,
    FLAG_BOOL_TRUE,
    FLAG_EXTENSIONS,
    FLAG_GUID,
    GUID_SIZE,
    NO_TAG,
    NO_TYPE,
    OPTIONAL,
    STRUCT,
    TAG_ARRAY,
    TAG_BOOL,
    TAG_ENUM,
    TAG_KINDS,
    TAG_MAP,
    TAG_PLAIN,
    TAG_SET,
    TAG_STRUCT,
    TAG_UNKNOWN,
    ZERO_GUID,
    Tag,
    TypeName,
    read_type_name,
    skip_extensions,
    struct_guid,
)

__all__ = ["NEW_TAG", "OLD_TAG", "TagReader", "flag_offset", "inner_size_offset", "read_inner", "struct_lengths", "tag_length"]

#: Types whose value may say what a blob is.
NAME_TYPES: Final = frozenset(("NameProperty", ENUM_TYPE, "StrProperty", BYTE_TYPE))
#: Bytes of an array without elements.
EMPTY_SIZE: Final = 4


class TagReader:
    """Reads tags, and keeps what opening and decoding the last tag's value takes.

    The value itself is the reader's `leaf`.
    """

    def __init__(self) -> None:
        #: Structs that were found to be property lists, and are never binary.
        self.list_structs: set[str] = set()
        #: The last tag whose value may have events inside.
        self.last = NO_TAG
        #: The type in the new tag that was read last.
        self.tree: TypeName = NO_TYPE
        #: `i32 size; i32 array_index` of the tag that was read last.
        self.size_and_index: i64 = 0

    def read(self, cursor: Cursor, dialect: Dialect, offset: i64, name: str) -> Tag:
        """Read a tag, which starts at `offset`, after its name; its size and index are left in `size_and_index`."""
        lead_size: i64 = 0
        if dialect.new_tags:
            tag = self._read_new(cursor, name)
        else:
            property_type = cursor.name()
            lead_size = cursor.tell() - offset
            self.size_and_index = cursor.i64()
            tag = Tag(name, property_type)
            read_old_rest(cursor, dialect, tag)
        kind: i64 = TAG_KINDS.get(tag.type, TAG_UNKNOWN)
        if kind == TAG_STRUCT:
            codec = dialect.struct(tag.type_name, -1) if tag.is_binary or not dialect.new_tags else None
            if codec is not None and not codec.tentative and not codec.may_have_list:
                tag.leaf_size = codec.size
            tag.nests = True
        elif kind == TAG_ARRAY or kind == TAG_SET:
            tag.nests = tag.inner_type == STRUCT or tag.type == OPTIONAL
        elif kind == TAG_MAP:
            tag.nests = True
        elif kind == TAG_UNKNOWN:
            tag.nests = dialect.scalar(tag.type) is None
        blobs = dialect.blobs
        if blobs is not None:
            if name in blobs.noted_names and tag.type in NAME_TYPES:
                tag.nests = True
                tag.is_noted = True
            elif name == blobs.name and kind == TAG_ARRAY and tag.inner_type == BYTE_TYPE:
                tag.nests = True
                tag.leaf_size = EMPTY_SIZE
        return dialect.tag_cache.keep(tag, cursor.since(offset), lead_size) if lead_size > 0 else tag

    def _read_new(self, cursor: Cursor, name: str) -> Tag:
        """Read a new tag after its name."""
        tree = read_type_name(cursor)
        size = cursor.i32()
        flags = cursor.u8()
        index = cursor.i32() if flags & FLAG_ARRAY_INDEX else 0
        self.size_and_index = (size & 0xFFFFFFFF) | (index << 32)
        self.tree = tree
        tag = Tag(name, tree.name)
        tag.guid = cursor.take(GUID_SIZE) if flags & FLAG_GUID else None
        if flags & FLAG_EXTENSIONS:
            skip_extensions(cursor)
        tag.is_binary = (flags & FLAG_BINARY) != 0
        kind: i64 = TAG_KINDS.get(tree.name, TAG_UNKNOWN)
        first = tree.parameter(0)
        if kind == TAG_STRUCT or kind == TAG_ENUM:
            tag.type_name = first.name
            if kind == TAG_STRUCT:
                tag.struct_guid = struct_guid(tree)
        elif kind == TAG_BOOL:
            tag.flag = (flags & FLAG_BOOL_TRUE) != 0
        elif kind == TAG_ARRAY or kind == TAG_SET:
            tag.inner_type = first.name
            tag.type_name = first.parameter(0).name
        elif kind == TAG_MAP:
            second = tree.parameter(1)
            tag.inner_type = first.name
            tag.value_type = second.name
            tag.key_type_name = first.parameter(0).name
            tag.type_name = second.parameter(0).name
        return tag


def read_old_rest(cursor: Cursor, dialect: Dialect, tag: Tag) -> None:
    """Read the fields of an old tag after its index: those by type, then the property's GUID and extensions."""
    kind: i64 = TAG_KINDS.get(tag.type, TAG_UNKNOWN)
    if kind == TAG_PLAIN:
        pass
    elif kind == TAG_STRUCT:
        tag.type_name = cursor.name()
        if dialect.struct_guids:
            guid = cursor.take(GUID_SIZE)
            tag.struct_guid = None if guid == ZERO_GUID else guid
    elif kind == TAG_ENUM:
        tag.type_name = cursor.name()
    elif kind == TAG_BOOL:
        tag.flag = cursor.u8() != 0
    elif kind == TAG_ARRAY:
        tag.inner_type = cursor.name()
    elif dialect.container_types:
        if kind == TAG_SET:
            tag.inner_type = cursor.name()
        elif kind == TAG_MAP:
            tag.inner_type = cursor.name()
            tag.value_type = cursor.name()
    if dialect.property_guids and cursor.u8() != 0:
        tag.guid = cursor.take(GUID_SIZE)
    if dialect.extensions:
        skip_extensions(cursor)


def read_inner(cursor: Cursor, dialect: Dialect, type_name: str) -> str:
    """Return the struct of the elements of an array; old tags have it in a tag of its own, which is read.

    Args:
        cursor: at the inner tag, if there is one, and limited to the value.
        dialect: of the tags.
        type_name: the struct that the tag of the array names.

    Raises:
        DamagedSave: the inner tag is of another type, or its size is not that of all elements.
    """
    if dialect.new_tags or not dialect.inner_tags:
        return type_name
    cursor.name()
    offset = cursor.tell()
    inner = Tag("", cursor.name())
    if inner.type != STRUCT:
        raise cursor.damaged("type inside of an array of structs", offset=offset, expected=STRUCT, actual=inner.type)
    size = cursor.i32()
    cursor.i32()
    read_old_rest(cursor, dialect, inner)
    if size != cursor.remaining():
        raise cursor.damaged("size of the elements of an array", offset=offset, expected=cursor.remaining(), actual=size)
    return inner.type_name


class TypeTree(Codec):
    """The type of a new tag: a name, the number of its parameters, and these, which are types, too."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        read_type_name(cursor)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return read_type_name(cursor).name


#: How each tag starts. What follows depends on its type or its flags.
OLD_TAG: Final = Struct("PropertyTag", None, name=NAME, type=NAME, size=I32, array_index=I32)
NEW_TAG: Final = Struct("PropertyTag", None, name=NAME, type=TypeTree("type tree", -1, 8), size=I32, flags=U8)
REMOVED = "Removed"
#: Bytes of a count or size.
WIDTH = 4
#: The fewest bytes before the properties of a struct with its type before it: a bool, two strings, the size.
LEAST_DYNAMIC = 16


def tag_length(dialect: Dialect, tag: PropertyTag, cursor: Cursor) -> Length:
    """Return where the size of a tag's value is; the cursor is moved."""
    cursor.seek(tag.offset)
    cursor.name()
    if dialect.new_tags:
        read_type_name(cursor)
    else:
        cursor.name()
    return Length(int(cursor.tell()), WIDTH, counts=False)


def flag_offset(dialect: Dialect, size: Length) -> int:
    """Return where a tag says whether its bool is true: a byte of its own, or in new tags its flags; `size` is the tag's."""
    return size.offset + size.width + (0 if dialect.new_tags else 4)


def inner_size_offset(start: int, content: int, cursor: Cursor) -> int:
    """Return where the size in the inner tag of an array of structs is; -1 if there is no inner tag.

    Args:
        start: of the value of the array.
        content: where its first element starts.
        cursor: any; it is moved.
    """
    if content == start + WIDTH:
        return -1
    cursor.seek(start + WIDTH)
    cursor.name()
    cursor.name()
    return int(cursor.tell())


def struct_lengths(dialect: Dialect, enter: StructEnter, cursor: Cursor) -> list[Length]:
    """Return the fields of a nesting in a property list, without those of the tag whose value it is; the cursor is moved."""
    start = enter.offset
    content = start + enter.header_size
    if enter.type_name == REMOVED:
        return [Length(start - WIDTH, WIDTH, counts=True)]
    if enter.count >= 0 and enter.type_name == ARRAY_TYPE:
        inner = inner_size_offset(start, content, cursor)
        sizes = [Length(inner, WIDTH, counts=False)] if inner >= 0 else []
        return [Length(start, WIDTH, counts=True), *sizes]
    if enter.count >= 0:
        return [Length(content - WIDTH, WIDTH, counts=True)]
    blobs = dialect.blobs
    is_blob = blobs is not None and enter.name == blobs.name and enter.header_size == WIDTH and enter.type_name != CONTAINER_DELTA
    if is_blob:  # an optional struct of this name has a bool there
        cursor.seek(start)
        is_blob = cursor.i32() == enter.size
    if enter.size >= 0 and (is_blob or enter.header_size >= LEAST_DYNAMIC):
        return [Length(content - WIDTH, WIDTH, counts=False)]
    return []
