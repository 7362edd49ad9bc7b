"""Property types, property tags and property lists.

Old tags (UE5 version < 1012):

+------------+----------------------------------------------------------------+
| Name       | FString, "None" ends the list                                  |
| Type       | FString                                                        |
| Size       | i32                                                            |
| ArrayIndex | i32                                                            |
| extras     | Struct: FString name, GUID; Bool: u8; Byte, Enum: FString enum;|
|            | Array, Set: FString inner; Map: FString key, value             |
| HasGuid    | u8; [GUID]                                                     |
+------------+----------------------------------------------------------------+

New tags:

+------------+----------------------------------------------------------------+
| Name       | FString, "None" ends the list                                  |
| TypeName   | FString; i32 n; n * TypeName                                   |
| Size       | i32                                                            |
| Flags      | u8: 01 index, 02 GUID, 08 binary struct inside, 10 bool is true|
| ArrayIndex | i32, with flag 01                                              |
| GUID       | 16 bytes, with flag 02                                         |
+------------+----------------------------------------------------------------+

A type is an object that encodes values: ``Prop("mCount", INT, 5)``, ``Prop("mIds", Array(INT), [1, 2])``,
``Prop("mStack", Fields("InventoryStack"), [Prop(...), ...])``. Types hold properties and properties hold types, so both
live here, which makes the file long.

The module is long because old and new tags are written of each type.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

from attrs import field, frozen

from writer.dialect import Dialect
from writer.primitives import NO_GUID, Ref, counted, fstring, i32, ref, u8
from writer.text import FText, ftext

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

FLAG_INDEX = 0x01
FLAG_GUID = 0x02
FLAG_BINARY = 0x08
FLAG_TRUE = 0x10

CORE = "/Script/CoreUObject"
GAME = "/Script/FactoryGame"
END = fstring("None")


@frozen
class TypeName:
    """A node of the type tree of a new tag."""

    name: str
    children: tuple[TypeName, ...] = ()

    def encode(self) -> bytes:
        """Preorder: name, number of children, the children."""
        return fstring(self.name) + counted(self.children, TypeName.encode)


@frozen
class PropType(Generic[T]):
    """How values of one property type are written. ``name`` is the outer type of the tag."""

    name: str

    def type_name(self) -> TypeName:
        """The type tree of a new tag."""
        return TypeName(self.name)

    def extras(self, _value: T) -> bytes:
        """What an old tag holds beside name, type, size and index."""
        return b""

    def binary(self) -> bool:
        """Whether a new tag of this type carries flag 08."""
        return False

    def payload(self, value: T, dialect: Dialect, prop_name: str) -> bytes:
        """The value as a property of its own; its length is the tag's Size."""
        return self.element(value, dialect)

    def element(self, value: T, dialect: Dialect) -> bytes:
        """The value as an element of a container."""
        raise NotImplementedError

    def elements(self, values: Sequence[T], dialect: Dialect) -> bytes:
        """Many values, one after the other."""
        return b"".join([self.element(value, dialect) for value in values])


@frozen
class Number(PropType[T]):
    """A number of fixed width; ``code`` is its :mod:`struct` letter."""

    code: str

    def element(self, value: T, dialect: Dialect) -> bytes:
        """The packed number."""
        return struct.pack("<" + self.code, value)

    def elements(self, values: Sequence[T], dialect: Dialect) -> bytes:
        """All numbers in one go."""
        return struct.pack(f"<{len(values)}{self.code}", *values)


@frozen
class Byte(PropType[int]):
    """A plain byte: the tag's enum is "None". Arrays of it are raw bytes."""

    name: str = "ByteProperty"

    def extras(self, _value: int) -> bytes:
        """No enum."""
        return END

    def element(self, value: int, dialect: Dialect) -> bytes:
        """One byte."""
        return u8(value)

    def elements(self, values: Sequence[int], dialect: Dialect) -> bytes:
        """Raw bytes."""
        return bytes(values)


@frozen
class Bool(PropType[bool]):
    """A bool: in the tag when it is a property, a byte when it is an element."""

    name: str = "BoolProperty"

    def extras(self, value: bool) -> bytes:
        """The value itself."""
        return u8(value)

    def payload(self, value: bool, dialect: Dialect, prop_name: str) -> bytes:
        """Nothing: the value is in the tag."""
        return b""

    def element(self, value: bool, dialect: Dialect) -> bytes:
        """One byte."""
        return u8(value)


@frozen
class Encoded(PropType[T]):
    """A value that one function of it encodes."""

    encode: Callable[[T], bytes]

    def element(self, value: T, dialect: Dialect) -> bytes:
        """The encoded value."""
        return self.encode(value)


@frozen
class Enum(PropType[str]):
    """An enum stored by the name of its value: an EnumProperty, or a ByteProperty that names an enum."""

    enum: str
    package: str = GAME
    name: str = field(default="EnumProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """EnumProperty(Enum(package), ByteProperty), or ByteProperty(Enum(package))."""
        child = TypeName(self.enum, (TypeName(self.package),))
        if self.name == "EnumProperty":
            return TypeName(self.name, (child, TypeName("ByteProperty")))
        return TypeName(self.name, (child,))

    def extras(self, _value: str) -> bytes:
        """The name of the enum."""
        return fstring(self.enum)

    def element(self, value: str, dialect: Dialect) -> bytes:
        """The name of the value."""
        return fstring(value)


def byte_enum(enum: str, package: str = GAME) -> Enum:
    """An old-style enum in a ByteProperty."""
    return Enum(enum, package, name="ByteProperty")


@frozen
class SoftPath:
    """A soft reference: package, asset, path inside the asset."""

    package: str
    asset: str
    sub_path: str = ""

    def encode(self, dialect: Dialect) -> bytes:
        """Three strings; two before UE5, once one."""
        package = fstring(self.package) if dialect.soft_path_parts > 2 else b""
        return package + fstring(self.asset) + dialect.sub_path(self.sub_path)


@frozen
class SoftObject(PropType[SoftPath]):
    """A soft reference to an object."""

    name: str = "SoftObjectProperty"

    def element(self, value: SoftPath, dialect: Dialect) -> bytes:
        """The path."""
        return value.encode(dialect)


@frozen
class Prop(Generic[T]):
    """One property: name, type, value; ``index`` of a static array; its own GUID, rarely."""

    name: str
    type: PropType[T]
    value: T
    index: int = 0
    guid: bytes | None = None

    def encode(self, dialect: Dialect) -> bytes:
        """Tag and value."""
        payload = self.type.payload(self.value, dialect, self.name)
        name = fstring(self.name)
        if dialect.new_tags:
            return b"".join((name, self.type.type_name().encode(), i32(len(payload)), self._flags(), payload))
        return b"".join((
            name,
            fstring(self.type.name),
            i32(len(payload)),
            i32(self.index),
            dialect.tag_extras(self.type.name, self.type.extras(self.value)),
            dialect.tag_end(self.guid),
            payload,
        ))  # fmt: skip

    def _flags(self) -> bytes:
        flags = (FLAG_INDEX if self.index else 0) | (FLAG_GUID if self.guid is not None else 0)
        flags |= FLAG_BINARY if self.type.binary() else 0
        flags |= FLAG_TRUE if isinstance(self.type, Bool) and self.value else 0
        return u8(flags) + (i32(self.index) if self.index else b"") + (self.guid or b"")


Props = Sequence[Prop[Any]]


def guid_text(guid: bytes) -> str:
    """A GUID as Unreal's type names have it: four little-endian words, cut as the parts of any GUID are."""
    return str(UUID(bytes=b"".join(guid[at : at + 4][::-1] for at in range(0, 16, 4))))


def property_list(props: Props, dialect: Dialect) -> bytes:
    """Every property, then "None"."""
    return b"".join([prop.encode(dialect) for prop in props]) + END


@frozen
class Struct(PropType[T]):
    """A struct: name, package (new tags only), GUID (zero but for structs made in the editor)."""

    struct: str
    package: str = GAME
    guid: bytes = NO_GUID
    name: str = field(default="StructProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """StructProperty(Struct(package)), with the GUID as second child when there is one."""
        child = TypeName(self.struct, (TypeName(self.package),))
        if self.guid == NO_GUID:
            return TypeName(self.name, (child,))
        return TypeName(self.name, (child, TypeName(guid_text(self.guid))))

    def extras(self, _value: T) -> bytes:
        """Name and GUID of the struct."""
        return fstring(self.struct) + self.guid


@frozen
class Fields(Struct[Props]):
    """A struct stored as a property list."""

    def element(self, value: Props, dialect: Dialect) -> bytes:
        """A property list."""
        return property_list(value, dialect)


@frozen
class Native(Struct[T]):
    """A struct with a binary layout."""

    encode: Callable[[T, Dialect], bytes] = field(kw_only=True)

    def binary(self) -> bool:
        """Always."""
        return True

    def element(self, value: T, dialect: Dialect) -> bytes:
        """Its binary layout."""
        return self.encode(value, dialect)


@frozen
class Array(PropType[Sequence[V]]):
    """An array. Before the new tags an array of structs repeats a tag inside."""

    inner: PropType[V]
    name: str = field(default="ArrayProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """ArrayProperty(inner)."""
        return TypeName(self.name, (self.inner.type_name(),))

    def extras(self, _value: Sequence[V]) -> bytes:
        """The inner type."""
        return fstring(self.inner.name)

    def binary(self) -> bool:
        """As its elements."""
        return self.inner.binary()

    def payload(self, value: Sequence[V], dialect: Dialect, prop_name: str) -> bytes:
        """Count, inner tag of structs, elements."""
        data = self.inner.elements(value, dialect)
        if not isinstance(self.inner, Struct) or not dialect.inner_tags:
            return i32(len(value)) + data
        return b"".join((
            i32(len(value)),
            fstring(prop_name),
            fstring(self.inner.name),
            i32(len(data)),
            i32(0),
            dialect.tag_extras(self.inner.name, fstring(self.inner.struct) + self.inner.guid),
            dialect.tag_end(None),
            data,
        ))  # fmt: skip


@frozen
class Delta(Generic[K, T]):
    """A set or map that is a change: what to remove from what a new object has, and what to add."""

    removed: Sequence[K]
    added: T


@frozen
class Set(PropType[Sequence[V] | Delta[V, Sequence[V]]]):
    """A set: elements to remove, which are rare, then the elements."""

    inner: PropType[V]
    name: str = field(default="SetProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """SetProperty(inner)."""
        return TypeName(self.name, (self.inner.type_name(),))

    def extras(self, _value: Sequence[V] | Delta[V, Sequence[V]]) -> bytes:
        """The inner type."""
        return fstring(self.inner.name)

    def binary(self) -> bool:
        """As its elements."""
        return self.inner.binary()

    def element(self, value: Sequence[V] | Delta[V, Sequence[V]], dialect: Dialect) -> bytes:
        """i32 count; elements to remove; i32 count; elements."""
        delta = value if isinstance(value, Delta) else Delta((), value)
        parts = (delta.removed, delta.added)
        return b"".join([i32(len(part)) + self.inner.elements(part, dialect) for part in parts])


@frozen
class Map(PropType[Sequence[tuple[K, V]] | Mapping[K, V] | Delta[K, Sequence[tuple[K, V]]]]):
    """A map: keys to remove, which are rare, then pairs. Struct keys and values carry no hint of their type in old tags."""

    key: PropType[K]
    value: PropType[V]
    name: str = field(default="MapProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """MapProperty(key, value)."""
        return TypeName(self.name, (self.key.type_name(), self.value.type_name()))

    def extras(self, _value: Sequence[tuple[K, V]] | Mapping[K, V] | Delta[K, Sequence[tuple[K, V]]]) -> bytes:
        """Key type and value type."""
        return fstring(self.key.name) + fstring(self.value.name)

    def binary(self) -> bool:
        """When keys or values are; no real file with such a key is known."""
        return self.key.binary() or self.value.binary()

    def element(self, value: Sequence[tuple[K, V]] | Mapping[K, V] | Delta[K, Sequence[tuple[K, V]]], dialect: Dialect) -> bytes:
        """i32 count; keys to remove; i32 count; key, value, key, value."""
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        delta = pairs if isinstance(pairs, Delta) else Delta((), pairs)
        parts = [self.key.element(key, dialect) + self.value.element(item, dialect) for key, item in delta.added]
        return b"".join((
            i32(len(delta.removed)),
            self.key.elements(delta.removed, dialect),
            i32(len(parts)),
            *parts,
        ))  # fmt: skip


INT8: PropType[int] = Number("Int8Property", "b")
INT16: PropType[int] = Number("Int16Property", "h")
INT: PropType[int] = Number("IntProperty", "i")
INT64: PropType[int] = Number("Int64Property", "q")
UINT8: PropType[int] = Number("UInt8Property", "B")
UINT16: PropType[int] = Number("UInt16Property", "H")
UINT32: PropType[int] = Number("UInt32Property", "I")
UINT64: PropType[int] = Number("UInt64Property", "Q")
FLOAT: PropType[float] = Number("FloatProperty", "f")
DOUBLE: PropType[float] = Number("DoubleProperty", "d")
BOOL = Bool()
BYTE = Byte()
STR: PropType[str] = Encoded("StrProperty", fstring)
NAME: PropType[str] = Encoded("NameProperty", fstring)
TEXT: PropType[FText] = Encoded("TextProperty", ftext)
OBJECT: PropType[Ref] = Encoded("ObjectProperty", ref)
INTERFACE: PropType[Ref] = Encoded("InterfaceProperty", ref)
SOFT_OBJECT = SoftObject()
