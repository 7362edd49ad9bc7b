"""The walk over property lists: one flat machine with a stack of frames, because this is where the time goes.

| frame | walks | events |
|---|---|---|
| list | property tags up to `None` | `PropertyTag`, then what its value opens |
| elements | structs of an array or set that are property lists | `StructEnter` ... `StructExit` each |
| array | other values of an array | `Field` each, or `StructEnter` ... `StructExit` where they have much inside |
| map | pairs of which one is a property list | `StructEnter("MapEntry")`, `key`, `value`, `StructExit` |
| members | the named values of a binary struct | `Field` each, or nested as above |

Whatever has a size is bounded by it: a value that claims more than encloses it is damaged, one that leaves bytes over is
followed by a `BlobSkip`.
"""

from __future__ import annotations

from typing import Final

from streamsave.build import build_list
from streamsave.codecs import (
    BOOL8,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    NAME,
    STRING,
    U8,
    U16,
    U32,
    U64,
    UTF8_STRING,
    Array,
    Codec,
    Map,
    Optional,
    Struct,
)
from streamsave.cursor import Cursor
from streamsave.errors import DamagedSave, PathStep, SaveError, UnsupportedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.formats.unreal.codecs import GUID, REFERENCE, SOFT_OBJECT_PATH, Dynamic, PropertyList, read_reference
from streamsave.formats.unreal.tags import (
    FLAG_ARRAY_INDEX,
    FLAG_BINARY,
    FLAG_BOOL_TRUE,
    FLAG_EXTENSIONS,
    FLAG_GUID,
    NO_TYPE,
    TypeName,
    looks_like_list,
    read_type_name,
    skip_extensions,
)
from streamsave.formats.unreal.text import TextCodec
from streamsave.limits import Limits
from streamsave.native import i64
from streamsave.reader import Reader
from streamsave.values import Opaque

__all__ = ["Dialect", "PropertyWalker"]

# Statics of the compiled module: a global would be looked up in a dict each time.
_PropertyTag: Final = PropertyTag
_StructEnter: Final = StructEnter
_StructExit: Final = StructExit
_Field: Final = Field
_ObjectHeader: Final = ObjectHeader
_BlobSkip: Final = BlobSkip

_LIST: Final = 0
_ELEMENTS: Final = 1
_ARRAY: Final = 2
_MAP: Final = 3
_MEMBERS: Final = 4

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

#: Types whose values look the same in every Unreal save.
SCALARS: Final[dict[str, Codec]] = {
    "Int8Property": I8,
    "UInt8Property": U8,
    "Int16Property": I16,
    "UInt16Property": U16,
    "IntProperty": I32,
    "UInt32Property": U32,
    "Int64Property": I64,
    "UInt64Property": U64,
    "FloatProperty": F32,
    "DoubleProperty": F64,
    "BoolProperty": BOOL8,
    "ByteProperty": U8,
    "StrProperty": STRING,
    "NameProperty": NAME,
    "EnumProperty": NAME,
    "Utf8StrProperty": UTF8_STRING,
    "LazyObjectProperty": GUID,
}

#: What a struct may be to a container.
ROLES: Final = ("key", "value", "element")

ZERO_GUID: Final = bytes(16)
#: Sizes are signed.
LARGEST_SIZE: Final = (1 << 31) - 1

#: How far pairs of a map are walked to see whether they are what they are taken for.
FITTING_SIZE: Final = 256 * 1024
#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096


class Dialect:
    """What differs between Unreal saves of different games and versions, below the level of a tag."""

    def __init__(self) -> None:
        #: UE5 object version 1012 and later: type trees and flags.
        self.new_tags = False
        #: What old tags have: a struct's GUID, the property's GUID, types inside of sets and maps, extensions.
        self.struct_guids = True
        self.property_guids = True
        self.container_types = True
        self.extensions = False
        #: Arrays of structs start with a tag of their own, where tags are old.
        self.inner_tags = True
        #: Binary structs by name.
        self.structs: dict[str, Codec] = {}
        #: The same with numbers of the other precision, for values whose size says so.
        self.other_structs: dict[str, Codec] = {}
        #: Structs that have turned out to be property lists.
        self.list_structs: set[str] = set()
        #: Values of object types, soft objects, texts and other types that are not in `SCALARS`.
        self.types: dict[str, Codec] = {
            "ObjectProperty": REFERENCE,
            "InterfaceProperty": REFERENCE,
            "SoftObjectProperty": SOFT_OBJECT_PATH,
            "TextProperty": TextCodec(),
        }
        #: Binary structs in maps and sets whose tag does not tell: (property name, "key" | "value" | "element") -> struct name.
        self.hints: dict[tuple[str, str], str] = {}
        #: The same for names with others in front: path, role, struct.
        self.path_hints: list[tuple[list[str], str, str]] = []

    def add_hint(self, path: str, struct: str) -> None:
        """Add a hint from the user: names joined by dots, the last one may be the role (`Key`, `Value`, `Element`)."""
        steps = path.strip(".").split(".")
        role = steps[-1].lower()
        roles = [role] if role in ROLES and len(steps) > 1 else ["value", "element"]
        if len(roles) == 1:
            steps.pop()
        names = [step for step in steps[:-1] if step.lower() not in ROLES] + steps[-1:]
        for role in roles:
            if len(names) == 1:
                self.hints[names[0], role] = struct
            else:
                self.path_hints.append((names, role, struct))

    def struct(self, name: str, size: i64) -> Codec | None:
        """Find the layout of a binary struct: the one that fits `size` bytes, if there is a choice (-1: unknown)."""
        codec = self.structs.get(name)
        if codec is not None and size >= 0 and codec.size >= 0 and codec.size != size:
            codec = self.other_structs.get(name)
            if codec is not None and codec.size != size:
                codec = None
        return codec

    def scalar(self, type_name: str) -> Codec | None:
        """Find the codec of a property type that is no struct and no container."""
        codec = SCALARS.get(type_name)
        return self.types.get(type_name) if codec is None else codec


class Frame:
    """One open nesting. Most values start as the class says, so that an instance is cheap to make."""

    #: Position in the container, -1 in none. For a container: of its element that is open.
    index: i64 = -1
    #: Elements of a container, and the next member of a binary struct or the next part of a map's pair.
    count: i64 = 0
    at: i64 = 0
    #: The consumer went to the end of it.
    skipped = False
    #: A property list without a nesting of its own: the struct around it claims its terminator.
    inline = False
    #: Element of an array; members of a binary struct; key and value of a map.
    codec: Codec | None = None
    struct: Struct | None = None
    key: Codec | None = None
    value: Codec | None = None
    #: Name of the struct type of elements, of map keys and of map values.
    type_name = ""
    key_type = ""
    value_type = ""
    #: Keys and values that are structs: each is a property list or binary, as a look at it tells.
    key_peeks = False
    value_peeks = False
    #: They have a name that says that they are binary, unless the first one shows that they are not.
    key_known = False
    value_known = False
    #: Where an inline property list ended whose terminator nobody has claimed yet, or -1.
    claim: i64 = -1

    def __init__(self, kind: i64, name: str, end: i64, outer_limit: i64) -> None:
        self.kind: i64 = kind
        self.name = name
        #: Where it ends, or -1 where only its own content tells.
        self.end: i64 = end
        #: The limit to go back to, or -1 where it has none of its own.
        self.outer_limit: i64 = outer_limit


class PropertyWalker(Reader):
    """Walks property lists and binary structs at a cursor."""

    def __init__(self, cursor: Cursor, limits: Limits, dialect: Dialect) -> None:
        super().__init__(cursor, limits)
        self.dialect = dialect
        self.frames: list[Frame] = []
        self.top: Frame | None = None
        #: Offset of the terminator of the outermost list, once it is done.
        self.list_end: i64 = -1
        #: How many frames may be open: less than `Limits.depth` in a walk that is nested in another.
        self._depth_left: i64 = limits.depth
        # The value of the last tag: where it starts (it ends at `leaf_end`), whether it may nest, what its tag says of it.
        self._value_start: i64 = -1
        self._nests = False
        self._type = ""
        self._type_name = ""
        self._inner = ""
        self._value_type = ""
        self._key_type_name = ""
        self._binary = False
        #: Nothing but their bytes told what the structs of a container are.
        self._guessed = False

    # --- begin ---

    def begin_list(self, end: i64) -> None:
        """Walk a property list that starts at the cursor; the list ends before `end`."""
        self.list_end = -1
        self._push(Frame(_LIST, "", -1, self.cursor.limit()))
        self.cursor.set_limit(end)

    def begin_members(self, struct: Struct, end: i64) -> None:
        """Walk the members of a binary struct that starts at the cursor (or behind the leaf just announced)."""
        self.list_end = -1
        frame = Frame(_MEMBERS, "", -1, self.cursor.limit())
        frame.struct = struct
        self._push(frame)
        self.cursor.set_limit(end)

    def abandon(self) -> None:
        """Leave all frames: the consumer went to the end of the object."""
        if self.frames:
            self.cursor.set_limit(self.frames[0].outer_limit)
            self.frames.clear()
            self.top = None
        self.leaf_end = -1
        self._nests = False

    # --- the step ---

    def next_event(self) -> Event | None:
        frame = self.top
        if frame is not None:
            if frame.kind == _LIST and not self._nests:
                # Most steps: from a leaf to the next tag.
                if self.leaf_end >= 0:
                    self.cursor.seek(self.leaf_end)
                    self.leaf_end = -1
                event = self._next_tag(frame)
            else:
                event = self.walk()
            if event is None:
                event = self.walk()
            if event is not None:
                return event
        return super().next_event()

    def walk(self) -> Event | None:
        """Make the next event inside of the outermost frame; None when that is done."""
        if self.leaf_end >= 0:
            if self._nests:
                event = self.open_value()
                if event is not None:
                    return event
            self.cursor.seek(self.leaf_end)
            self.leaf_end = -1
            self._nests = False
        while True:
            frame = self.top
            if frame is None:
                return None
            kind = frame.kind
            if kind == _LIST:
                event = self._next_tag(frame)
            elif kind == _ELEMENTS:
                event = self._next_element(frame)
            elif kind == _MEMBERS:
                event = self._next_member(frame)
            elif kind == _ARRAY:
                event = self._next_item(frame)
            else:
                event = self._next_pair(frame)
            if event is not None:
                return event

    def _push(self, frame: Frame) -> None:
        frames = self.frames
        if len(frames) >= self._depth_left:
            raise self.cursor.exceeded("depth", self.limits.depth + 1)
        frames.append(frame)
        self.top = frame

    def _pop(self) -> Frame:
        frames = self.frames
        frame = frames.pop()
        self.top = frames[-1] if frames else None
        if frame.outer_limit >= 0:
            self.cursor.set_limit(frame.outer_limit)
        return frame

    # --- property lists ---

    def _next_tag(self, frame: Frame) -> Event | None:
        cursor = self.cursor
        offset = cursor.tell()
        if frame.skipped:
            return self._exit(offset, 0)
        name = cursor.name()
        if name == "None":
            return self._end_list(frame, offset)
        if self.dialect.new_tags:
            return self._new_tag(offset, name)
        self.leaf_name = name
        property_type = cursor.name()
        size_and_index = cursor.i64()
        type_name = ""
        inner_type = ""
        value_type = ""
        flag = False
        nests = False
        struct_guid: bytes | None = None
        kind: i64 = TAG_KINDS.get(property_type, _TAG_UNKNOWN)
        if kind == _TAG_PLAIN:
            pass
        elif kind == _TAG_STRUCT:
            type_name = cursor.name()
            if self.dialect.struct_guids:
                struct_guid = cursor.take(16)
                if struct_guid == ZERO_GUID:
                    struct_guid = None
            nests = True
        elif kind == _TAG_ENUM:
            type_name = cursor.name()
        elif kind == _TAG_BOOL:
            flag = cursor.u8() != 0
        elif kind == _TAG_ARRAY:
            if property_type == "ArrayProperty" or self.dialect.container_types:
                inner_type = cursor.name()
            nests = True
        elif kind == _TAG_MAP:
            if self.dialect.container_types:
                inner_type = cursor.name()
                value_type = cursor.name()
            nests = True
        else:
            nests = self.dialect.scalar(property_type) is None
        guid = cursor.take(16) if self.dialect.property_guids and cursor.u8() != 0 else None
        if self.dialect.extensions:
            skip_extensions(cursor)
        start = cursor.tell()
        size = size_and_index & 0xFFFFFFFF
        if size > cursor.remaining() or size > LARGEST_SIZE:
            raise self._wrong_size(offset, property_type, size)
        if nests:
            self._type = property_type
            self._type_name = type_name
            self._key_type_name = ""
            self._inner = inner_type
            self._value_type = value_type
            self._binary = False
        self._nests = nests
        self.leaf_index = -1
        self._value_start = start
        self.leaf_end = start + size
        return _PropertyTag(
            offset,
            name,
            property_type,
            size,
            size_and_index >> 32,
            start,
            type_name,
            inner_type,
            value_type,
            flag,
            struct_guid,
            guid,
        )

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
        return _PropertyTag(
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

    def _wrong_size(self, offset: i64, property_type: str, size: i64) -> SaveError:
        return self.cursor.damaged(
            f"size of {property_type} {self.leaf_name} does not fit",
            offset=offset,
            expected=f"0 to {self.cursor.remaining()} bytes",
            actual=size,
        )

    def _end_list(self, frame: Frame, offset: i64) -> Event | None:
        """The name `None` was read at `offset`."""
        if len(self.frames) == 1:
            self.list_end = offset
            self._pop()
            return None
        if frame.inline:
            self._pop()
            frame = self.frames[-1]
            frame.claim = offset
            return None
        if frame.end >= 0 and self.cursor.tell() != frame.end:
            return self._rest(frame, offset, "bytes behind the end of a property list")
        return self._exit(offset, self.cursor.tell() - offset)

    def _rest(self, frame: Frame, start: i64, reason: str) -> Event:
        """Pass over what is left of a frame, from `start`."""
        self.cursor.seek(frame.end)
        frame.skipped = True
        return _BlobSkip(start, frame.end - start, reason)

    def _exit(self, offset: i64, size: i64) -> Event:
        return _StructExit(offset, self._pop().name, size)

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
        frame = Frame(_LIST, self.leaf_name, self.leaf_end, cursor.limit())
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

    def _has_list(self, codec: Codec) -> bool:
        """Pass over a value and tell whether a property list is in it."""
        self.found_list = False
        codec.measure(self.cursor, self)
        return self.found_list

    def _is_list(self, type_name: str) -> bool:
        """Tell whether a struct is a property list; one look is enough for a type that is never binary."""
        lists = self.dialect.list_structs
        if not self._starts_list(self.leaf_end):
            return False
        if len(lists) < KNOWN_LISTS and type_name not in self.dialect.structs:
            lists.add(type_name)
        return True

    def _starts_list(self, end: i64) -> bool:
        """Look for a property list that ends before `end`."""
        cursor = self.cursor
        outer = cursor.limit()
        cursor.set_limit(end)
        found = looks_like_list(cursor)
        cursor.set_limit(outer)
        return found

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
        frame = Frame(_ELEMENTS if codec is None else _ARRAY, self.leaf_name, end, outer)
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
        count: i64 = cursor.count(0) if self._skip_removed(codec, peeks=True) else -1
        content = cursor.tell()
        listed = count == 0 or (count > 0 and looks_like_list(cursor))
        fits = not listed and codec is not None and codec.size >= 0 and count * codec.size == end - content
        if listed:
            event = self._enter_container(None, self._type_name, start, content, end, outer, count)
            self.frames[-1].codec = codec
            return event
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
        names = [step for step in self.path() if isinstance(step, str) and step not in ROLES]
        for path, hinted_role, struct in self.dialect.path_hints:
            if hinted_role == role and names[-len(path) :] == path:
                return struct
        return ""

    def _skip_removed(self, codec: Codec | None, *, peeks: bool) -> bool:
        """Pass over the elements or keys that a set or map wants removed from what a new object has: `i32 n; n elements`.

        False where one is of unknown layout.
        """
        cursor = self.cursor
        for _ in range(cursor.count(1)):
            if peeks and looks_like_list(cursor):
                self.skip_properties(cursor)
            elif codec is not None:
                codec.measure(cursor, self)
            else:
                return False
        return True

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
        count: i64 = cursor.count(1) if self._skip_removed(key, peeks=key_struct) else -1
        content = cursor.tell()
        frame = Frame(_MAP, self.leaf_name, end, outer)
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
        cursor.seek(content)
        self._push(frame)
        return _StructEnter(start, self.leaf_name, "MapProperty", content - start, end - content, -1, count)

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
        self._push(Frame(_LIST, self.leaf_name, end, cursor.limit()))
        cursor.set_limit(end)
        return _StructEnter(start, self.leaf_name, self._type_name, content - start, end - content, -1, -1)

    # --- containers ---

    def _next_element(self, frame: Frame) -> Event | None:
        """Open the next property list of an array or set; among those of a set there may be binary structs."""
        cursor = self.cursor
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._end_container(frame)
        codec = frame.codec
        if codec is not None and not looks_like_list(cursor):
            return self._open_codec(frame.name, codec, frame.index)
        element = Frame(_LIST, frame.name, -1, -1)
        element.index = frame.index
        self._push(element)
        return _StructEnter(cursor.tell(), frame.name, frame.type_name, 0, -1, frame.index, -1)

    def _end_container(self, frame: Frame) -> Event:
        offset = self.cursor.tell()
        if not frame.skipped and frame.end >= 0 and offset != frame.end:
            return self._rest(frame, offset, "bytes behind the last element")
        return self._exit(offset, 0)

    def _next_item(self, frame: Frame) -> Event | None:
        """Announce the next value of an array."""
        frame.index += 1
        if frame.skipped or frame.index >= frame.count:
            return self._end_container(frame)
        codec = frame.codec
        assert codec is not None  # noqa: S101 - an array frame is made with one
        return self._open_codec(frame.name, codec, frame.index)

    def _open_codec(self, name: str, codec: Codec, index: i64) -> Event | None:
        """Announce a value of a binary struct: a leaf, or a nesting where it has much inside."""
        cursor = self.cursor
        start = cursor.tell()
        self._nests = False
        if not codec.streams:
            if not codec.may_have_list or self.building or not self._has_list(codec):
                if cursor.tell() == start:
                    codec.measure(cursor, self)
                return self.passed(name, codec, start, index)
            cursor.seek(start)
        if isinstance(codec, PropertyList):
            frame = Frame(_LIST, name, -1, -1)
            frame.inline = True
            self._push(frame)
            return None
        if isinstance(codec, Dynamic):
            return self._open_dynamic(name, codec, index)
        if isinstance(codec, Optional):
            if not cursor.bool32():
                return self.passed(name, codec, start, index)
            return self._enter_struct(name, codec.element, start, index, -1)
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            frame = Frame(_ARRAY, name, -1, -1)
            frame.count = count
            frame.codec = codec.element
            self._push(frame)
            return _StructEnter(start, name, codec.name, cursor.tell() - start, -1, index, count)
        return self._enter_struct(name, codec, start, index, -1)

    def _enter_struct(self, name: str, codec: Codec, start: i64, index: i64, end: i64) -> Event:
        """Open a binary struct that ends at `end` (-1: not told); the bytes from `start` to the cursor belong to its header."""
        content = self.cursor.tell()
        frame = Frame(_MEMBERS, name, end, self.cursor.limit() if end >= 0 else -1)
        frame.index = index
        frame.struct = codec if isinstance(codec, Struct) else Struct(codec.name, None, value=codec)
        self._push(frame)
        return _StructEnter(start, name, codec.name, content - start, end - content if end >= 0 else -1, index, -1)

    def _open_dynamic(self, name: str, codec: Codec, index: i64) -> Event:
        """Open a struct that has its type beside it: a nesting if its bytes are a property list, else a leaf."""
        cursor = self.cursor
        start = cursor.tell()
        if cursor.bool32():
            type_name = read_reference(cursor).path_name
            size = cursor.count(1)
            content = cursor.tell()
            if self._starts_list(content + size):
                frame = Frame(_LIST, name, content + size, cursor.limit())
                self._push(frame)
                cursor.set_limit(content + size)
                return _StructEnter(start, name, type_name, content - start, size, index, -1)
        cursor.seek(start)
        return self.field(name, codec, index)

    def _next_member(self, frame: Frame) -> Event | None:
        """Announce the next named value of a binary struct."""
        struct = frame.struct
        assert struct is not None  # noqa: S101 - a members frame is made with one
        at = frame.at
        if frame.skipped:
            return self._exit(self.cursor.tell(), 0)
        if at < len(struct.members):
            frame.at = at + 1
            return self._open_codec(struct.names[at], struct.members[at], -1)
        if len(self.frames) == 1:
            self.list_end = frame.claim
            self._pop()
            return None
        offset = self.cursor.tell()
        start = frame.claim if frame.claim >= 0 else offset
        if frame.end >= 0 and offset != frame.end:
            return self._rest(frame, start, "bytes behind the last member")
        return self._exit(start, offset - start)

    def _next_pair(self, frame: Frame) -> Event | None:
        """Walk a map: enter a pair, its key, its value, leave it."""
        cursor = self.cursor
        offset = cursor.tell()
        if frame.at == 0:
            frame.index += 1
            if frame.skipped or frame.index >= frame.count:
                return self._end_container(frame)
            frame.at = 1
            return _StructEnter(offset, "", "MapEntry", 0, -1, frame.index, -1)
        if frame.at == 3:
            frame.at = 0
            return _StructExit(offset, "", 0)
        name, codec, type_name, peeks = "key", frame.key, frame.key_type, frame.key_peeks
        if frame.at == 2:
            name, codec, type_name, peeks = "value", frame.value, frame.value_type, frame.value_peeks
        frame.at += 1
        if not peeks or not looks_like_list(cursor):
            if codec is None:
                # Only the first pair was looked at when the map was opened: this one says something else.
                raise cursor.damaged(
                    f"{name} of a map is no property list", expected="a property's name and type", actual=cursor.peek(8)
                )
            self._nests = False
            return self.field(name, codec)
        self._push(Frame(_LIST, name, -1, -1))
        return _StructEnter(offset, name, type_name, 0, -1, -1, -1)

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
            inner = self._inner
            codec = self._struct_codec("element", self._type_name) if inner == "StructProperty" else self._scalar(inner)
            if codec is None:
                raise cursor.unsupported("set of unknown structs")
            self._skip_removed(codec, peeks=False)
            return Array(codec).decode(cursor, self)
        if kind == "MapProperty":
            key_codec = self._scalar(self._inner)
            value_codec = self._scalar(self._value_type)
            self._skip_removed(key_codec, peeks=False)
            return Map(key_codec, value_codec).decode(cursor, self)
        if kind == "OptionalProperty":
            return self._decode_optional(size)
        return self._scalar(kind).decode(cursor, self)

    def _decode_array(self, size: i64) -> object:
        """Decode an array that is a leaf: of scalars, or of binary structs of one size."""
        cursor = self.cursor
        inner = self._inner
        if inner == "ByteProperty":
            count = cursor.count(1)
            if count == size - 4:
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

    def _decode_optional(self, size: i64) -> object:
        """Decode an optional that is a leaf."""
        codec = self.dialect.struct(self._type_name, size - 4) if self._inner == "StructProperty" else self._scalar(self._inner)
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
        if kind is _ObjectHeader:
            if self.frames:
                self.abandon()
        elif kind is _PropertyTag or kind is _Field:
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
            if frame.kind == _MAP:
                if frame.at > 0:
                    steps.append(int(frame.index))
            elif frame.index >= 0 and frame.kind != _ELEMENTS and frame.kind != _ARRAY:
                steps.append(int(frame.index))
            container = frame.name if frame.kind == _ELEMENTS or frame.kind == _ARRAY else ""
        leaf = self.leaf_path()
        if leaf and leaf[0] == container:
            leaf = leaf[1:]
        return (*steps, *leaf)

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
        walker._depth_left = self._depth_left - len(self.frames) - 1
        walker._spent_nodes = self._spent_nodes
        walker._spent_size = self._spent_size
        if walker._depth_left <= 0:
            raise cursor.exceeded("depth", self.limits.depth + 1)
        return walker

    def starts_property_list(self, cursor: Cursor) -> bool:
        return looks_like_list(cursor)


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
