"""Codecs that only Unreal saves have: GUIDs, moments, references, and values with property lists inside."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError, SaveError
from streamsave.frequent_values import guid_text
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath

__all__ = [
    "DATE_TIME",
    "GUID",
    "OBJECT_GUID",
    "REFERENCE",
    "SIZED_PROPERTIES",
    "SOFT_OBJECT_PATH",
    "SOFT_OBJECT_PATH_UE4",
    "Dynamic",
    "PropertyList",
    "SoftObject",
    "read_reference",
    "ticks_of",
    "write_reference",
]


class GuidCodec(Codec):
    """16 bytes."""

    def __init__(self) -> None:
        super().__init__("Guid", 16, 16)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        data = cursor.take(16)
        return guid_text(data) if context.guid_texts else Guid(data)

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Guid):
            raise EditError("not a Guid", value)
        encoder.put(value.data, 16)


class DateTimeCodec(Codec):
    """`i64` ticks of 100 ns."""

    def __init__(self) -> None:
        super().__init__("DateTime", 8, 8)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return DateTime(cursor.i64())

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.i64(ticks_of(value))


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
    if value is None:
        value = ObjectReference("", "")
    if not isinstance(value, ObjectReference):
        raise EditError("not an ObjectReference", value)
    encoder.string(value.level_name)
    encoder.string(value.path_name)


def ticks_of(value: object) -> int:
    """Return the ticks of a moment.

    Raises:
        EditError: it is none.
    """
    if not isinstance(value, DateTime):
        raise EditError("not a DateTime", value)
    return value.ticks


class SoftObject(Codec):
    """A soft object path: three strings (package, asset, path inside), or two before that (path, path inside), or one."""

    def __init__(self, parts: i64) -> None:
        super().__init__("SoftObjectPath", -1, 4 * parts)
        self._parts: i64 = parts

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip_strings(self._parts)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        package_name = cursor.string() if self._parts == 3 else ""
        asset_name = cursor.string()
        sub_path = cursor.string() if self._parts >= 2 else ""
        return SoftObjectPath(package_name, asset_name, sub_path)

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, SoftObjectPath):
            raise EditError("not a SoftObjectPath", value)
        if (self._parts < 3 and value.package_name) or (self._parts < 2 and value.sub_path):
            raise EditError(f"paths of this version have {self._parts} parts", value)
        if self._parts == 3:
            encoder.string(value.package_name)
        encoder.string(value.asset_name)
        if self._parts >= 2:
            encoder.string(value.sub_path)


class ObjectGuid(Codec):
    """The end of an object's property list: its terminator, `bool32`, a GUID if that is set."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cursor.name()
        return GUID.decode(cursor, context) if cursor.bool32() else None

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.name("None")
        encoder.bool32(value is not None)
        if value is not None:
            GUID.encode(value, encoder)


GUID: Final[Codec] = GuidCodec()
OBJECT_GUID: Final[Codec] = ObjectGuid("ObjectGuid", -1, 8)
DATE_TIME: Final[Codec] = DateTimeCodec()
REFERENCE: Final[Codec] = Reference()
SOFT_OBJECT_PATH: Final[Codec] = SoftObject(3)
SOFT_OBJECT_PATH_UE4: Final[Codec] = SoftObject(2)


class PropertyList(Codec):
    """Tagged properties up to the name `None`.

    Args:
        nested: they are a nesting of their own. Without it, they are the last member of the struct around them.
    """

    def __init__(self, *, nested: bool = False) -> None:
        super().__init__("PropertyList", -1, 4)
        self.streams = True
        self.nested = nested

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        context.skip_properties(cursor)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return context.properties(cursor)


class Dynamic(Codec):
    """A struct with its type before it: `bool32`; if set the type's reference, `i32` size, and that many bytes.

    The bytes are a property list for most types, and of unknown layout for the others.
    """

    def __init__(self) -> None:
        super().__init__("DynamicStruct", -1, 4)
        self.may_have_list = True

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        if cursor.bool32():
            context.found_list = True
            REFERENCE.measure(cursor, context)
            cursor.skip(cursor.i32())

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        if not cursor.bool32():
            return None
        script_struct = read_reference(cursor)
        return DynamicStruct(script_struct, SIZED_PROPERTIES.decode(cursor, context))

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.bool32(value is not None)
        if value is None:
            return
        if not isinstance(value, DynamicStruct):
            raise EditError("not a DynamicStruct", value)
        write_reference(value.script_struct, encoder)
        SIZED_PROPERTIES.encode(value.value, encoder)


class SizedProperties(Codec):
    """`i32 size`, and that many bytes: a property list, or of unknown layout."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
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
                    raise bytes_left(cursor)
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


def bytes_left(cursor: Cursor) -> SaveError:
    """Make the error about bytes that are left after a value that should have filled its length."""
    return cursor.damaged("bytes left after the value", expected="0 bytes", actual=cursor.remaining())
