"""Reading tags, whose layout is in `tags`."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import PropertyTag
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.frames import Frame
from streamsave.formats.unreal.object_rows import MemberNode
from streamsave.formats.unreal.tag_cache import CachedTag
from streamsave.formats.unreal.tags import (
    FLAG_ARRAY_INDEX,
    FLAG_BINARY,
    FLAG_BOOL_TRUE,
    FLAG_EXTENSIONS,
    FLAG_GUID,
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
    TypeName,
    read_type_name,
    skip_extensions,
    struct_guid,
)

__all__ = ["TagReader"]

ZERO_GUID: Final = bytes(16)
BYTE: Final = "ByteProperty"
#: Bytes of an array without elements.
EMPTY_SIZE: Final = 4


class TagReader:
    """Reads tags, and keeps what opening and decoding the last tag's value takes.

    The name of the last tag is the reader's `leaf_name`, the end of its value the reader's `leaf_end`.
    """

    def __init__(self, dialect: Dialect) -> None:
        #: The dialect of the property list that is read.
        self.dialect = dialect
        #: Where the last tag's value starts, and whether it may open something.
        self.value_start: i64 = -1
        self.nests = False
        #: What the last tag says of its value. These are set only if the value may nest; `use` sets them for any.
        self.property_type = ""
        self.type_name = ""
        self.inner_type = ""
        self.value_type = ""
        #: New tags only: the struct or enum of a map's keys, and whether a struct is binary.
        self.key_type_name = ""
        self.is_binary = False
        #: The type in the new tag that was announced last.
        self.tree: TypeName = NO_TYPE
        #: `i32 size; i32 array_index` of the old tag that was read last.
        self.size_and_index: i64 = 0
        # The new tag that was read last.
        self._size: i64 = 0
        self._flags: i64 = 0
        self._index: i64 = 0
        self._guid: bytes | None = None
        #: Takes the fields of old tags that are passed over.
        self._passed = CachedTag("", "")

    def use(self, tag: PropertyTag) -> None:
        """Take over what an event says of its value, which is the last one."""
        self.property_type = tag.type
        self.type_name = tag.type_name
        self.inner_type = tag.inner_type
        self.value_type = tag.value_type

    def use_cached(self, tag: CachedTag) -> None:
        """Take over what an old tag says of its value."""
        self.property_type = tag.type
        self.type_name = tag.type_name
        self.key_type_name = ""
        self.inner_type = tag.inner_type
        self.value_type = tag.value_type
        self.is_binary = False

    # --- old tags ---

    def read_old(self, cursor: Cursor, offset: i64, name: str) -> CachedTag:
        """Read an old tag after its name; its size and index are left in `size_and_index`."""
        dialect = self.dialect
        property_type = cursor.name()
        lead_size = cursor.tell() - offset
        self.size_and_index = cursor.i64()
        tag = CachedTag(name, property_type)
        kind: i64 = TAG_KINDS.get(property_type, TAG_UNKNOWN)
        self._read_old_rest(cursor, tag, kind, keeps_guids=True)
        if kind == TAG_STRUCT:
            codec = dialect.struct(tag.type_name, -1)
            if codec is not None and not codec.tentative and not codec.may_have_list:
                tag.leaf_size = codec.size
            tag.nests = True
        elif kind == TAG_ARRAY or kind == TAG_SET:
            tag.nests = tag.inner_type == STRUCT or property_type == OPTIONAL
        elif kind == TAG_MAP:
            tag.nests = True
        elif kind == TAG_UNKNOWN:
            tag.nests = dialect.scalar(property_type) is None
        blobs = dialect.blobs
        if blobs is not None:
            if name in blobs.noted_names and (kind == TAG_PLAIN or kind == TAG_ENUM):
                tag.nests = True
                tag.is_noted = True
            elif name == blobs.name and kind == TAG_ARRAY and tag.inner_type == BYTE:
                tag.nests = True
                tag.leaf_size = EMPTY_SIZE
        return dialect.tag_cache.keep(tag, cursor.since(offset), lead_size)

    def _read_old_rest(self, cursor: Cursor, tag: CachedTag, kind: i64, *, keeps_guids: bool) -> None:
        """Read the fields of an old tag after its index: those by type, then the property's GUID and extensions."""
        dialect = self.dialect
        if kind == TAG_PLAIN:
            pass
        elif kind == TAG_STRUCT:
            tag.type_name = cursor.name()
            if dialect.struct_guids:
                if keeps_guids:
                    guid = cursor.take(16)
                    tag.struct_guid = None if guid == ZERO_GUID else guid
                else:
                    cursor.skip(16)
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
            if keeps_guids:
                tag.guid = cursor.take(16)
            else:
                cursor.skip(16)
        if dialect.extensions:
            skip_extensions(cursor)

    def read_inner(self, cursor: Cursor) -> str:
        """Return the struct of the elements of an array; old tags have it in a tag of its own, which is read.

        Raises:
            DamagedSave: the inner tag is of another type, or its size is not that of all elements.
        """
        dialect = self.dialect
        if dialect.new_tags or not dialect.inner_tags:
            return self.type_name
        cursor.name()
        offset = cursor.tell()
        inner = cursor.name()
        if inner != STRUCT:
            raise cursor.damaged("type inside of an array of structs", offset=offset, expected=STRUCT, actual=inner)
        size = cursor.i32()
        cursor.i32()
        tag = self._passed
        self._read_old_rest(cursor, tag, TAG_STRUCT, keeps_guids=False)
        if size != cursor.remaining():
            raise cursor.damaged("size of the elements of an array", offset=offset, expected=cursor.remaining(), actual=size)
        return tag.type_name

    # --- new tags ---

    def read_new(self, reader: Reader, offset: i64, name: str) -> PropertyTag:
        """Read a new tag after its name, and announce it."""
        cursor = reader.cursor
        tree = self._read_new_rest(cursor)
        size = self._size
        flags = self._flags
        reader.leaf_name = name
        kind: i64 = TAG_KINDS.get(tree.name, TAG_UNKNOWN)
        first = tree.parameter(0)
        second = NO_TYPE
        type_name = ""
        inner_type = ""
        value_type = ""
        self.key_type_name = ""
        if kind == TAG_STRUCT or kind == TAG_ENUM:
            type_name = first.name
        elif kind == TAG_ARRAY or kind == TAG_SET:
            inner_type = first.name
            type_name = first.parameter(0).name
        elif kind == TAG_MAP:
            second = tree.parameter(1)
            inner_type = first.name
            value_type = second.name
            self.key_type_name = first.parameter(0).name
            type_name = second.parameter(0).name
        start = cursor.tell()
        if size < 0 or size > cursor.remaining():
            raise self.wrong_size(reader, offset, tree.name, size)
        self.tree = tree
        self.property_type = tree.name
        self.type_name = type_name
        self.inner_type = inner_type
        self.value_type = value_type
        self.is_binary = (flags & FLAG_BINARY) != 0
        self.nests = kind >= TAG_STRUCT or (kind == TAG_UNKNOWN and self.dialect.scalar(tree.name) is None)
        self.value_start = start
        reader.leaf_index = -1
        reader.leaf_end = start + size
        return PropertyTag(
            offset,
            name,
            tree.name,
            size,
            self._index,
            start,
            type_name,
            inner_type,
            value_type,
            kind == TAG_BOOL and (flags & FLAG_BOOL_TRUE) != 0,
            struct_guid(tree) if kind == TAG_STRUCT else None,
            self._guid,
        )

    def read_size(self, cursor: Cursor, offset: i64, name: str) -> i64:
        """Read the rest of a tag that starts at `offset`, after its name; return the size of its value. The last tag stays."""
        if self.dialect.new_tags:
            self._read_new_rest(cursor)
            return self._size
        self.read_old(cursor, offset, name)
        return self.size_and_index & 0xFFFFFFFF

    def _read_new_rest(self, cursor: Cursor) -> TypeName:
        """Read the fields of a new tag after its name: return the type, leave the others in the attributes."""
        tree = read_type_name(cursor)
        self._size = cursor.i32()
        flags = cursor.u8()
        self._flags = flags
        self._index = cursor.i32() if flags & FLAG_ARRAY_INDEX else 0
        self._guid = cursor.take(16) if flags & FLAG_GUID else None
        if flags & FLAG_EXTENSIONS:
            skip_extensions(cursor)
        return tree

    # --- both ---

    def pass_known(self, cursor: Cursor, frame: Frame, node: MemberNode | None) -> None:
        """Pass over properties of a list that come as they did last time, up to one that is needed or says what a blob is.

        Args:
            cursor: at the start of a tag.
            frame: of the list.
            node: the members that are needed; None: no member is.
        """
        offset = cursor.tell()
        tag = frame.last_tag
        if tag is None:
            return
        known = tag.next
        while known is not None and not known.is_noted and (node is None or node.child(known.name) is None):
            size_and_index = cursor.size_at(offset, known.stored)
            if size_and_index < 0:
                break
            offset += known.size + (size_and_index & 0xFFFFFFFF)
            frame.last_tag = known
            known = known.next
        cursor.seek(offset)

    def pass_tag(self, cursor: Cursor) -> tuple[str, i64]:
        """Pass over the rest of a tag after its name; return its type, and the size of its value."""
        if self.dialect.new_tags:
            property_type = self._read_new_rest(cursor).name
            return property_type, self._size
        property_type = cursor.name()
        size = cursor.i64() & 0xFFFFFFFF
        self._read_old_rest(cursor, self._passed, TAG_KINDS.get(property_type, TAG_UNKNOWN), keeps_guids=False)
        return property_type, size

    def wrong_size(self, reader: Reader, offset: i64, property_type: str, size: i64) -> SaveError:
        """Make the error about a size that runs past what is around the value."""
        cursor = reader.cursor
        return cursor.damaged(
            f"size of {property_type} {reader.leaf_name} does not fit",
            offset=offset,
            expected=f"0 to {cursor.remaining()} bytes",
            actual=size,
        )
