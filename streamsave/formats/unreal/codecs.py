"""Codecs that only Unreal saves have: GUIDs, moments, references, and values with property lists inside."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BOOL32, I64, STRING, BuildContext, Codec, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.errors import EditError
from streamsave.formats.unreal.pool import NONE
from streamsave.frequent_values import guid_text
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath

__all__ = [
    "ABSENT",
    "DATE_TIME",
    "GUID",
    "OBJECT_GUID",
    "REFERENCE",
    "SIZED_PROPERTIES",
    "SOFT_OBJECT_PATH",
    "SOFT_OBJECT_PATH_UE4",
    "Dynamic",
    "PropertyList",
    "Raw",
    "read_reference",
    "soft_object",
    "write_reference",
]


class Raw(Codec):
    """A fixed number of bytes."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.take(self.size)

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.put(value, self.size)


class GuidCodec(Codec):
    """16 bytes."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        data = cursor.take(16)
        return guid_text(data) if context.build.guid_texts else Guid(data)

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.put(typed(value, Guid, "a Guid").data, 16)


class Reference(Codec):
    """Satisfactory's reference to an object: two strings, level and path."""

    def __init__(self) -> None:
        super().__init__("ObjectReference", -1, 8)
        self.strings = 2

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip_strings(2)

    def measure_many(self, cursor: Cursor, context: BuildContext, count: i64) -> None:
        cursor.skip_strings(2 * count)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        reference = read_reference(cursor)
        context.spend(1, len(reference.path_name))
        return reference

    def encode(self, value: object, encoder: Encoder) -> None:
        write_reference(value, encoder)


def read_reference(cursor: Cursor) -> ObjectReference:
    """Read a reference to an object: two strings, level and path."""
    level_name = cursor.string()
    return ObjectReference(level_name, cursor.string())


def write_reference(value: object, encoder: Encoder) -> None:
    """Write a reference to an object; None is one without a target.

    Raises:
        EditError: it is none.
    """
    reference = ObjectReference("", "") if value is None else typed(value, ObjectReference, "an ObjectReference")
    encoder.string(reference.level_name)
    encoder.string(reference.path_name)


class Absent(Codec):
    """A part that values of a version do not have: no bytes, an empty text."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return ""

    def encode(self, value: object, encoder: Encoder) -> None:
        if value:
            raise EditError("values of this version have no such part", value)


ABSENT: Final[Codec] = Absent("absent", 0, 0)


def soft_object(parts: int, sub_path: Codec = STRING) -> Codec:
    """Make a soft object path: three strings (package, asset, path inside), or two before that (path, path inside), or one."""
    return Struct(
        "SoftObjectPath",
        SoftObjectPath,
        package_name=STRING if parts == 3 else ABSENT,
        asset_name=STRING,
        sub_path=sub_path if parts >= 2 else ABSENT,
    )


class ObjectGuid(Codec):
    """The end of an object's property list: its terminator, `bool32`, a GUID if that is set."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cursor.name()
        return GUID.decode(cursor, context) if cursor.bool32() else None

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.name(NONE)
        BOOL32.encode(value is not None, encoder)
        if value is not None:
            GUID.encode(value, encoder)


GUID: Final[Codec] = GuidCodec("Guid", 16, 16)
OBJECT_GUID: Final[Codec] = ObjectGuid("ObjectGuid", -1, 8)
#: Ticks of 100 ns.
DATE_TIME: Final[Codec] = Struct("DateTime", DateTime, ticks=I64)
REFERENCE: Final[Codec] = Reference()
SOFT_OBJECT_PATH: Final[Codec] = soft_object(3)
SOFT_OBJECT_PATH_UE4: Final[Codec] = soft_object(2)


class PropertyList(Codec):
    """Tagged properties up to the name `None`.

    Args:
        nested: they are a nesting of their own. Without it, they are the last member of the struct around them.
        is_strict: as for `BuildContext.skip_properties`.
    """

    def __init__(self, *, nested: bool = False, is_strict: bool = False) -> None:
        super().__init__("PropertyList", -1, 4)
        self.streams = True
        self.nested = nested
        self._is_strict = is_strict

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        context.skip_properties(cursor, is_strict=self._is_strict)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return context.properties(cursor)


class SizedProperties(Codec):
    """`i32 size`, and that many bytes: a property list, or of unknown layout."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        context.build.lists += 1
        cursor.skip(cursor.count(1))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        size = cursor.count(1)
        outer = cursor.limit()
        start = cursor.tell()
        cursor.set_limit(start + size)
        value: object
        try:
            if context.starts_property_list(cursor):
                value = context.properties(cursor)
                if cursor.tell() != start + size:
                    raise cursor.damaged("bytes left after the value", expected="0 bytes", actual=cursor.remaining())
            else:
                context.spend(0, size)
                value = Opaque(cursor.take(size), "no property list")
        finally:
            cursor.set_limit(outer)
        return value

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Opaque):
            super().encode(value, encoder)
        else:
            encoder.count(len(value.data))
            encoder.put(value.data)


SIZED_PROPERTIES: Final[Codec] = SizedProperties("SizedProperties", -1, 4)


class Dynamic(Optional):
    """A struct with its type before it: `bool32`; if set the type's reference, `i32` size, and that many bytes.

    The bytes are a property list for most types, and of unknown layout for the others.
    """

    def __init__(self) -> None:
        super().__init__(Struct("DynamicStruct", DynamicStruct, script_struct=REFERENCE, value=SIZED_PROPERTIES))
        self.name = "DynamicStruct"
        self.may_have_list = True
