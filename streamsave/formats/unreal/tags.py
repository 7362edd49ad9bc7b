"""Property tags: what comes before a value and gives its name, type and size.

Old tag (before `UE5_TYPE_TREES`):

| field | type | |
|---|---|---|
| name | name | `None` ends the list |
| type | name | `IntProperty`, ... |
| size | i32 | bytes of the value |
| array_index | i32 | position in a static array |
| by type | | see below |
| has_guid | u8 | then 16 bytes; from `UE4_PROPERTY_GUID` on |
| extensions | u8, then `u8, bool32` if it has bit 0x02 | from `UE5_SERIALIZATION_CONTROL` on, for save games |

| type | fields by type |
|---|---|
| struct | name of the struct; 16 bytes GUID, from `UE4_STRUCT_GUID` on |
| bool | u8 value |
| byte, enum | name of the enum |
| array | name of the element's type |
| set, optional | the same, from `UE4_CONTAINER_TYPES` on |
| map | names of the types of key and value, from `UE4_CONTAINER_TYPES` on |

New tag:

| field | type | |
|---|---|---|
| name | name | `None` ends the list |
| type | tree | name, `i32` number of parameters, that many trees |
| size | i32 | bytes of the value |
| flags | u8 | see the constants below |
| array_index | i32 | flag 0x01 |
| guid | 16 bytes | flag 0x02 |
| extensions | u8, then `u8, bool32` if it has bit 0x02 | flag 0x04 |
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i32_le

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.known_bytes import BytesAround, is_at
from streamsave.formats.unreal.pool import STORED_NONE, PoolCursor

__all__ = [
    "TAG_KINDS",
    "UE5_SERIALIZATION_CONTROL",
    "UE5_TYPE_TREES",
    "Tag",
    "TagCache",
    "TypeName",
    "looks_like_list",
    "read_type_name",
    "skip_extensions",
    "starts_list",
    "struct_guid",
]

# Object versions of UE5; 0 where a save has none.
#: A byte before the properties of an object or save game; old tags end with extensions.
UE5_SERIALIZATION_CONTROL: Final = 1011
#: New tags: type trees and flags.
UE5_TYPE_TREES: Final = 1012

# What a type has in its tag. The types up to `TAG_ENUM` are leaves, the values of those from `TAG_STRUCT` on may nest.
TAG_UNKNOWN: Final = 0
TAG_PLAIN: Final = 1
TAG_BOOL: Final = 2
TAG_ENUM: Final = 3
TAG_STRUCT: Final = 4
TAG_ARRAY: Final = 5
TAG_SET: Final = 6
TAG_MAP: Final = 7
STRUCT: Final = "StructProperty"
OPTIONAL: Final = "OptionalProperty"
ARRAY_TYPE: Final = "ArrayProperty"
SET_TYPE: Final = "SetProperty"
MAP_TYPE: Final = "MapProperty"
BOOL_TYPE: Final = "BoolProperty"
BYTE_TYPE: Final = "ByteProperty"
ENUM_TYPE: Final = "EnumProperty"
GUID_SIZE: Final = 16
ZERO_GUID: Final = bytes(GUID_SIZE)
#: Types that are not listed have nothing of their own in the tag.
TAG_KINDS: Final[dict[str, int]] = {
    "IntProperty": TAG_PLAIN,
    "FloatProperty": TAG_PLAIN,
    "ObjectProperty": TAG_PLAIN,
    "StrProperty": TAG_PLAIN,
    "NameProperty": TAG_PLAIN,
    STRUCT: TAG_STRUCT,
    BOOL_TYPE: TAG_BOOL,
    BYTE_TYPE: TAG_ENUM,
    ENUM_TYPE: TAG_ENUM,
    ARRAY_TYPE: TAG_ARRAY,
    SET_TYPE: TAG_SET,
    OPTIONAL: TAG_SET,
    MAP_TYPE: TAG_MAP,
}

FLAG_ARRAY_INDEX: Final = 0x01
FLAG_GUID: Final = 0x02
FLAG_EXTENSIONS: Final = 0x04
#: Set exactly where binary structs are in the value: a struct, elements, keys or values. Of a map it does not say which.
FLAG_BINARY: Final = 0x08
FLAG_BOOL_TRUE: Final = 0x10

EXTENSION_OVERRIDABLE: Final = 0x02

#: A property's name and type rarely have more bytes together; the peek looks no further.
PEEK_SIZE: Final = 1024
#: Nearly all have fewer. To look further may enter the next chunk, and meet a fault in it, before an event needs that chunk.
SHORT_PEEK_SIZE: Final = 96
#: The cache is emptied when it has this many tags, so that names that never repeat cost no memory.
KEPT_TAGS: Final = 4096
#: Longer ones are not kept.
KEPT_SIZE: Final = 256
NOTHING: Final = BytesAround(b"", b"")


class Tag:
    """What a tag says besides its size and index. All is read often: no default is in the class."""

    def __init__(self, name: str, property_type: str) -> None:
        self.name = name
        self.type = property_type
        #: The tag that came after this one last time, if it was not the end of the list.
        self.next: Tag | None = None
        #: Of an old tag, the bytes before `size` and after `array_index`, as they are stored.
        self.stored = NOTHING
        #: Bytes of the whole tag; 0 if it is not kept.
        self.size: i64 = 0
        self.type_name = ""
        self.inner_type = ""
        self.value_type = ""
        #: New tags only: the struct or enum of a map's keys, and whether a struct is binary.
        self.key_type_name = ""
        self.is_binary = False
        self.flag = False
        self.struct_guid: bytes | None = None
        self.guid: bytes | None = None
        #: The value may open something, but not if it has `leaf_size` bytes: then it is a binary struct.
        self.nests = False
        self.leaf_size: i64 = -1
        #: The value says what a blob is that follows.
        self.is_noted = False


NO_TAG: Final = Tag("", "")


class TagCache:
    """Old tags of one dialect that were read before: all bytes of a tag but its size and index.

    Objects of a class nearly always have the same properties in the same order. So each cached tag knows which one came after it
    last time. Comparing the next bytes with that one is much cheaper than reading them name by name. A wrong guess costs only the
    comparison: equal bytes mean the same, all others are read.
    """

    def __init__(self) -> None:
        self._tags: dict[bytes, Tag] = {}
        self._starts: dict[str, Tag] = {}

    def start(self, type_name: str) -> Tag:
        """Return the stand-in for the start of a property list of a class or struct: its `next` is the first tag."""
        start = self._starts.get(type_name)
        if start is None:
            start = Tag("", "")
            if len(type_name) <= KEPT_SIZE:
                if len(self._starts) >= KEPT_TAGS:
                    self._starts.clear()
                self._starts[type_name] = start
        return start

    def keep(self, tag: Tag, raw: bytes, lead_size: int) -> Tag:
        """Return the one tag with these bytes: `tag`, or one from before.

        Args:
            tag: what was read.
            raw: all bytes of the tag, or none if they are not at hand: then it is not cached.
            lead_size: how many of them come before the 8 bytes of size and index.
        """
        if not raw or len(raw) > KEPT_SIZE:
            return tag
        lead = raw[:lead_size]
        tail = raw[lead_size + 8 :]
        key = lead + tail
        known = self._tags.get(key)
        if known is not None:
            return known
        tag.stored = BytesAround(lead, tail)
        tag.size = len(raw)
        if len(self._tags) >= KEPT_TAGS:
            self._tags.clear()
        self._tags[key] = tag
        return tag


class TypeName:
    """A type with its parameters: `MapProperty(ObjectProperty, StructProperty(Vector(/Script/CoreUObject)))`."""

    def __init__(self, name: str, parameters: list[TypeName]) -> None:
        self.name = name
        self.parameters = parameters

    def parameter(self, index: int) -> TypeName:
        """Return a parameter, or one without a name where there is none."""
        return self.parameters[index] if index < len(self.parameters) else NO_TYPE


NO_TYPE: Final = TypeName("", [])


def read_type_name(cursor: Cursor, depth: int = 0) -> TypeName:
    """Read a type tree.

    Raises:
        LimitExceeded: deeper than `Limits.depth`.
    """
    if depth > cursor.limits.depth:
        raise cursor.exceeded("depth", depth)
    name = cursor.name()
    count = cursor.count(8)
    return TypeName(name, [read_type_name(cursor, depth + 1) for _ in range(count)])


def struct_guid(tree: TypeName) -> bytes | None:
    """Return the GUID of a user-defined struct: the second parameter of its type, as text. None if there is none."""
    text = tree.parameter(1).name.replace("-", "").strip("{}")
    if len(text) != 32:
        return None
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return None
    return b"".join([data[at : at + 4][::-1] for at in range(0, 16, 4)])


def skip_extensions(cursor: Cursor) -> None:
    """Pass over the extensions of a tag."""
    if cursor.u8() & EXTENSION_OVERRIDABLE:
        cursor.skip(5)


def _expect(cursor: Cursor, size: i64) -> None:
    """Refuse to guess where the stream was cut: by the lengths around it, `size` bytes should be here.

    Raises:
        SaveError: the stream ends before them, or is at fault.
    """
    if size <= PEEK_SIZE and size <= cursor.remaining() and cursor.limit() < NO_LIMIT:
        cursor.need(size)


def looks_like_list(cursor: Cursor) -> bool:
    """Return whether the next bytes look like the start of a property list; the cursor stays where it is.

    They do if they are the name `None`, or a name, whose only NUL is its last character, and a type that ends in `Property`.
    Before `UE5_TYPE_TREES` no tag has the type of a struct in a map or set; this look is right in every save seen.
    """
    if isinstance(cursor, PoolCursor) and cursor.names:
        return cursor.starts_list()
    ahead = cursor.peek(SHORT_PEEK_SIZE)
    if len(ahead) == SHORT_PEEK_SIZE and _size_of_names(ahead) > SHORT_PEEK_SIZE:
        ahead = cursor.peek(PEEK_SIZE)
    have: i64 = len(ahead)
    if have < 9:
        _expect(cursor, 9)
        return False
    value: int = read_i32_le(ahead, 0)
    name_size: i64 = value
    if is_at(ahead, 0, STORED_NONE):
        return True
    at: i64 = 4 + (name_size if name_size > 0 else -2 * name_size)
    if name_size == 0 or at + 4 > have:
        _expect(cursor, at + 4)
        return False
    value = read_i32_le(ahead, at)
    type_size: i64 = value
    if type_size < 9 or at + 4 + type_size > have:
        _expect(cursor, at + 4 + type_size)
        return False
    if name_size > 0 and ahead.find(b"\0", 4) != at - 1:
        return False
    return ahead[at + type_size - 5 : at + type_size + 4] == b"Property\0"


def starts_list(cursor: Cursor, start: Tag | None) -> bool:
    """Return what `looks_like_list` does: a look is not needed where a list starts as the last one with this start did."""
    if start is not None:
        first = start.next
        if first is not None and cursor.has(first.stored.lead):
            return True
    return looks_like_list(cursor)


def _size_of_names(ahead: bytes) -> i64:
    """Return the bytes of a tag's name and type, or of the name if not all of it is there."""
    value: int = read_i32_le(ahead, 0)
    name_size: i64 = value
    at: i64 = 4 + (name_size if name_size > 0 else -2 * name_size)
    if at + 4 > len(ahead):
        return at + 4
    value = read_i32_le(ahead, at)
    type_size: i64 = value
    return at + 4 + type_size
