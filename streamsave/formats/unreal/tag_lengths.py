"""Where the sizes and counts of property lists are. Events do not say it: what has them is read again, when it is asked for.

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

from streamsave.decode.build import CONTAINER_DELTA
from streamsave.decode.codecs import I32, NAME, U8, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.events import PropertyTag, StructEnter
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.tags import read_type_name

__all__ = ["NEW_TAG", "OLD_TAG", "flag_offset", "inner_size_offset", "struct_lengths", "tag_length"]


class TypeTree(Codec):
    """The type of a new tag: a name, the number of its parameters, and these, which are types, too."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        read_type_name(cursor)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return read_type_name(cursor).name


#: How each tag starts. What follows depends on its type or its flags.
OLD_TAG: Final = Struct("PropertyTag", None, name=NAME, type=NAME, size=I32, array_index=I32)
NEW_TAG: Final = Struct("PropertyTag", None, name=NAME, type=TypeTree("type tree", -1, 8), size=I32, flags=U8)
ARRAY = "ArrayProperty"
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
    if enter.count >= 0 and enter.type_name == ARRAY:
        inner = inner_size_offset(start, content, cursor)
        sizes = [Length(inner, WIDTH, counts=False)] if inner >= 0 else []
        return [Length(start, WIDTH, counts=True), *sizes]
    if enter.count >= 0:
        return [Length(content - WIDTH, WIDTH, counts=True)]
    blobs = dialect.blobs
    is_blob = blobs is not None and enter.name == blobs.name and enter.header_size == WIDTH and enter.type_name != CONTAINER_DELTA
    if enter.size >= 0 and (is_blob or enter.header_size >= LEAST_DYNAMIC):
        return [Length(content - WIDTH, WIDTH, counts=False)]
    return []
