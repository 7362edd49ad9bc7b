"""What tags of properties look like: their names and types, and where in some bytes one may start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import SaveError
from streamsave.events import PropertyTag
from streamsave.formats.unreal.pool import NONE, STORED_NONE, PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import ARRAY_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE, STRUCT, TAG_KINDS, TypeName, looks_like_list

__all__ = [
    "MOST_SAID",
    "NEAR",
    "bytes_at",
    "check_names",
    "has_end",
    "is_inner_tag",
    "is_list_at",
    "misfit",
    "names_at",
    "starts_in",
    "string_before",
    "tags_in",
]

TYPE_NAME: Final = re.compile("[A-Za-z0-9_]*Property")
STORED_ENDING: Final = b"Property\0"
#: The end of a type, or of a list.
START: Final = re.compile(re.escape(STORED_ENDING) + b"|" + re.escape(STORED_NONE))
STORED_STRUCT: Final = STRUCT.encode() + b"\0"
#: Types whose tags say what type their elements have.
CONTAINERS: Final = frozenset((ARRAY_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE))
FIRST_PRINTABLE: Final = 0x20
LAST_PRINTABLE: Final = 0x7E
#: The last position in a static array. A game's code says how long one is: thousands are many.
MOST_INDEX: Final = 0xFFFF
#: Letters of a type that a message has.
MOST_SAID: Final = 64
NEAR: Final = 512
#: Larger values are passed over.
MOST_LOOKED_AT: Final = 64 * 1024
#: Bytes from the type of an array of structs to the tag of its elements: two types, a size, an index, what follows, the count.
ARRAY_TAG: Final = 80


def check_names(reader: UnrealReader, tag: PropertyTag) -> None:
    """Look at the names and numbers in the last tag.

    Raises:
        DamagedSave: it is that of no property.
    """
    types = [tag.type]
    if tag.inner_type or tag.type == ARRAY_TYPE or (reader.dialect.new_tags and tag.type in CONTAINERS):
        types.append(tag.inner_type)
    if tag.value_type:
        types.append(tag.value_type)
    cursor = reader.cursor
    wrong = next((name for name in types if not TYPE_NAME.fullmatch(name)), None)
    is_type = tag.name != tag.type and (tag.name in TAG_KINDS or reader.dialect.scalar(tag.name) is not None)
    if wrong is None and reader.dialect.new_tags and has_nul(reader.tags.tree):
        wrong = reader.tags.tree.name
    if wrong is None and (is_type or "\0" in tag.name or "\0" in tag.type_name or not 0 <= tag.index <= MOST_INDEX):
        wrong = tag.name
    if wrong is None and not (isinstance(cursor, PoolCursor) and cursor.names):
        at = cursor.tell()
        cursor.seek(tag.offset)
        if abs(int(cursor.i32())) <= len(tag.name):
            wrong = tag.name  # it has no NUL
        cursor.seek(at)
    if wrong is not None:
        actual = wrong[:MOST_SAID]
        raise cursor.damaged("not the tag of a property", offset=tag.offset, expected="a name, a type", actual=actual)


def has_nul(tree: TypeName) -> bool:
    """Return whether a name in a type goes on after its end."""
    return "\0" in tree.name or any(has_nul(parameter) for parameter in tree.parameters)


def misfit(cursor: Cursor, tag: PropertyTag) -> SaveError:
    """Make the error about a value that does not have its size."""
    message = f"value of {tag.type} {tag.name} does not have its size"
    return cursor.damaged(message, offset=tag.value_offset, actual=tag.size)


def bytes_at(cursor: Cursor, at: int, size: int) -> bytes:
    """Return the bytes at an offset, as far as they are there, beyond the limit of a cursor; it stays where it is.

    Raises:
        SaveError: the first one cannot be read.
    """
    start, limit = cursor.tell(), cursor.limit()
    cursor.set_limit(NO_LIMIT)
    cursor.seek(at)
    try:
        return bytes(cursor.peek(size))
    finally:
        cursor.set_limit(limit)
        cursor.seek(start)


def has_end(cursor: Cursor, tag: PropertyTag) -> bool:
    """Return whether what ends a list is in the value of a tag; a large one is not looked at."""
    try:
        return tag.size <= MOST_LOOKED_AT and STORED_NONE in bytes_at(cursor, tag.value_offset, tag.size)
    except SaveError:
        return False


def names_at(cursor: Cursor) -> bytes:
    """Return name and type of the tag at the cursor, which stays there, as they are stored; nothing if there is none."""
    start = cursor.tell()
    try:
        if not looks_like_list(cursor) or cursor.name() == NONE:
            return b""
        cursor.name()
        size = int(cursor.tell() - start)
        cursor.seek(start)
        return bytes(cursor.take(size))
    except SaveError:
        return b""
    finally:
        cursor.seek(start)


def is_list_at(cursor: Cursor, at: int) -> bool:
    """Return whether a tag or the end of a list seems to be at an offset."""
    start = cursor.tell()
    cursor.seek(at)
    try:
        return looks_like_list(cursor)
    except SaveError:
        return False
    finally:
        cursor.seek(start)


def is_inner_tag(scout: UnrealReader, tag: PropertyTag, *, if_hidden: bool) -> bool:
    """Return whether the tag of a struct is that of the elements of an array.

    Before it are the array's tag, or a part of it, which has its name, and a count; `if_hidden`, where a hole may have had these.
    """
    name = tag.name.encode(errors="replace") + b"\0"
    name = len(name).to_bytes(4, "little") + name
    begin = max(tag.offset - len(name) - ARRAY_TAG, 0)
    try:
        before = bytes_at(scout.cursor, begin, tag.offset - begin)
    except SaveError:
        return if_hidden
    if len(before) < tag.offset - begin:
        return if_hidden
    # The end of its type, up to two flags, the count.
    return STORED_STRUCT[-2:] in before[-8:-4] or name in before


def starts_in(data: bytes) -> Iterator[int]:
    """Yield where in some bytes a tag starts, or a list may end."""
    for match in START.finditer(data):
        at = match.start()
        if match[0] != STORED_NONE:
            at = string_before(data, string_before(data, match.end()))
        if at >= 0:
            yield at


def tags_in(data: bytes) -> Iterator[int]:
    """Yield where in some bytes a name starts that a type follows."""
    for at in starts_in(data):
        if data[at : at + len(STORED_NONE)] != STORED_NONE:
            yield at


def string_before(data: bytes, end: int) -> int:
    """Return where a string of printable ASCII starts that ends at an offset, with its length; -1 if there is none."""
    if not 0 < end <= len(data) or data[end - 1] != 0:  # a hole may come before the end
        return -1
    at = end - 1
    while at >= 4 and data[at - 1] != 0:  # no string is so long that the last byte of its length is another one
        at -= 1
        if not FIRST_PRINTABLE <= data[at] <= LAST_PRINTABLE:
            return -1
    return at - 4 if at >= 4 and int.from_bytes(data[at - 4 : at], "little") == end - at else -1
