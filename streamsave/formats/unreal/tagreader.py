"""Reading tags, which `tags` lays out: old ones, new ones, and past those of which nobody wants the value."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import LARGEST_SIZE, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import Event, PropertyTag
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.tag_cache import TagHead
from streamsave.formats.unreal.tags import (
    FLAG_ARRAY_INDEX,
    FLAG_BINARY,
    FLAG_BOOL_TRUE,
    FLAG_EXTENSIONS,
    FLAG_GUID,
    NO_TYPE,
    TypeName,
    read_type_name,
    skip_extensions,
)
from streamsave.limits import Limits

__all__ = ["TagReader"]

#: What an old tag has between its index and `has_guid`, by type; the other types have nothing there.
_TAG_UNKNOWN: Final = 0
_TAG_PLAIN: Final = 1
_TAG_BOOL: Final = 2
_TAG_ENUM: Final = 3
_TAG_STRUCT: Final = 4
_TAG_ARRAY: Final = 5
_TAG_MAP: Final = 6
TAG_KINDS: Final[dict[str, int]] = {
    "IntProperty": _TAG_PLAIN,
    "FloatProperty": _TAG_PLAIN,
    "ObjectProperty": _TAG_PLAIN,
    "StrProperty": _TAG_PLAIN,
    "NameProperty": _TAG_PLAIN,
    "StructProperty": _TAG_STRUCT,
    "BoolProperty": _TAG_BOOL,
    "ByteProperty": _TAG_ENUM,
    "EnumProperty": _TAG_ENUM,
    "ArrayProperty": _TAG_ARRAY,
    "SetProperty": _TAG_ARRAY,
    "OptionalProperty": _TAG_ARRAY,
    "MapProperty": _TAG_MAP,
}

ZERO_GUID: Final = bytes(16)


class TagReader(Reader):
    """Reads tags, and keeps of the last one what stepping into its value takes."""

    def __init__(self, cursor: Cursor, limits: Limits, dialect: Dialect) -> None:
        super().__init__(cursor, limits)
        self.dialect = dialect
        # The value of the last tag: where it starts (it ends at `leaf_end`), whether it may nest, what its tag says of it.
        self._value_start: i64 = -1
        self._nests = False
        self._type = ""
        self._type_name = ""
        self._inner = ""
        self._value_type = ""
        self._key_type_name = ""
        self._binary = False
        #: `i32 size; i32 array_index` of the old tag that was read last.
        self._size_and_index: i64 = 0

    def _read_head(self, offset: i64, name: str) -> TagHead:
        """Read an old tag behind its name; its size and index are left in `_size_and_index`."""
        cursor = self.cursor
        dialect = self.dialect
        property_type = cursor.name()
        lead_size = cursor.tell() - offset
        self._size_and_index = cursor.i64()
        head = TagHead(name, property_type)
        kind: i64 = TAG_KINDS.get(property_type, _TAG_UNKNOWN)
        if kind == _TAG_PLAIN:
            pass
        elif kind == _TAG_STRUCT:
            head.type_name = cursor.name()
            if dialect.struct_guids:
                struct_guid = cursor.take(16)
                head.struct_guid = None if struct_guid == ZERO_GUID else struct_guid
            codec = dialect.struct(head.type_name, -1)
            if codec is not None and not codec.tentative and not codec.may_have_list:
                head.leaf_size = codec.size
            head.nests = True
        elif kind == _TAG_ENUM:
            head.type_name = cursor.name()
        elif kind == _TAG_BOOL:
            head.flag = cursor.u8() != 0
        elif kind == _TAG_ARRAY:
            if property_type == "ArrayProperty" or dialect.container_types:
                head.inner_type = cursor.name()
            head.nests = head.inner_type == "StructProperty" or property_type == "OptionalProperty"
        elif kind == _TAG_MAP:
            if dialect.container_types:
                head.inner_type = cursor.name()
                head.value_type = cursor.name()
            head.nests = True
        else:
            head.nests = dialect.scalar(property_type) is None
        if dialect.property_guids and cursor.u8() != 0:
            head.guid = cursor.take(16)
        if dialect.extensions:
            skip_extensions(cursor)
        return dialect.heads.keep(head, cursor.since(offset), lead_size)

    def _new_tag(self, offset: i64, name: str) -> Event:
        cursor = self.cursor
        tree = read_type_name(cursor)
        size = cursor.i32()
        flags = cursor.u8()
        array_index = cursor.i32() if flags & FLAG_ARRAY_INDEX else 0
        guid = cursor.take(16) if flags & FLAG_GUID else None
        if flags & FLAG_EXTENSIONS:
            skip_extensions(cursor)
        self.leaf_name = name
        kind: i64 = TAG_KINDS.get(tree.name, _TAG_UNKNOWN)
        first = tree.parameter(0)
        second = NO_TYPE
        type_name = ""
        inner_type = ""
        value_type = ""
        self._key_type_name = ""
        if kind == _TAG_STRUCT or kind == _TAG_ENUM:
            type_name = first.name
        elif kind == _TAG_ARRAY:
            inner_type = first.name
            type_name = first.parameter(0).name
        elif kind == _TAG_MAP:
            second = tree.parameter(1)
            inner_type = first.name
            value_type = second.name
            self._key_type_name = first.parameter(0).name
            type_name = second.parameter(0).name
        start = cursor.tell()
        if size < 0 or size > cursor.remaining():
            raise self._wrong_size(offset, tree.name, size)
        self._type = tree.name
        self._type_name = type_name
        self._inner = inner_type
        self._value_type = value_type
        self._binary = (flags & FLAG_BINARY) != 0
        self.leaf_index = -1
        self._nests = kind >= _TAG_STRUCT or (kind == _TAG_UNKNOWN and self.dialect.scalar(tree.name) is None)
        self._value_start = start
        self.leaf_end = start + size
        return PropertyTag(
            offset,
            name,
            tree.name,
            size,
            array_index,
            start,
            type_name,
            inner_type,
            value_type,
            kind == _TAG_BOOL and (flags & FLAG_BOOL_TRUE) != 0,
            _guid_of(tree) if kind == _TAG_STRUCT else None,
            guid,
        )

    def _pass_tag(self, offset: i64, name: str) -> None:
        """Pass over a property whose name was read: its tag, as `_next_tag` and `_new_tag` read it, and its value."""
        cursor = self.cursor
        dialect = self.dialect
        self.leaf_name = name
        if dialect.new_tags:
            property_type = read_type_name(cursor).name
            size = cursor.i32()
            flags = cursor.u8()
            if flags & FLAG_ARRAY_INDEX:
                cursor.skip(4)
            if flags & FLAG_GUID:
                cursor.skip(16)
            if flags & FLAG_EXTENSIONS:
                skip_extensions(cursor)
        else:
            property_type = cursor.name()
            size = cursor.i64() & 0xFFFFFFFF
            kind: i64 = TAG_KINDS.get(property_type, _TAG_UNKNOWN)
            if kind == _TAG_BOOL:
                cursor.skip(1)
            elif kind == _TAG_STRUCT:
                cursor.name()
                cursor.skip(16 if dialect.struct_guids else 0)
            elif kind == _TAG_ENUM or (kind == _TAG_ARRAY and (property_type == "ArrayProperty" or dialect.container_types)):
                cursor.name()
            elif kind == _TAG_MAP and dialect.container_types:
                cursor.name()
                cursor.name()
            if dialect.property_guids and cursor.u8() != 0:
                cursor.skip(16)
            if dialect.extensions:
                skip_extensions(cursor)
        if size < 0 or size > cursor.remaining() or size > LARGEST_SIZE:
            raise self._wrong_size(offset, property_type, size)
        cursor.seek(cursor.tell() + size)

    def _wrong_size(self, offset: i64, property_type: str, size: i64) -> SaveError:
        return self.cursor.damaged(
            f"size of {property_type} {self.leaf_name} does not fit",
            offset=offset,
            expected=f"0 to {self.cursor.remaining()} bytes",
            actual=size,
        )


def _guid_of(tree: TypeName) -> bytes | None:
    """Give the GUID of a user-defined struct: the second parameter of its type, as text."""
    text = tree.parameter(1).name.replace("-", "").strip("{}")
    if len(text) != 32:
        return None
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return None
    return b"".join(data[at : at + 4][::-1] for at in range(0, 16, 4))
