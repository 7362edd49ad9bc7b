"""What differs between Unreal saves of different games and versions, below the level of a tag: types, structs, hints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave._log import warn
from streamsave._native import i64
from streamsave.decode.codecs import (
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
    Codec,
    Struct,
)
from streamsave.decode.cursor import Cursor
from streamsave.formats.unreal.codecs import DATE_TIME, GUID, REFERENCE, SOFT_OBJECT_PATH
from streamsave.formats.unreal.tags import BOOL_TYPE, BYTE_TYPE, ENUM_TYPE, TagCache
from streamsave.formats.unreal.text import text_codec
from streamsave.values import Box, Color, LinearColor, Quat, Rotator, Vector, Vector2D, Vector4

__all__ = ["ROLES", "SCALARS", "BlobLayouts", "Dialect", "engine_structs", "noted_value"]

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
    BOOL_TYPE: BOOL8,
    BYTE_TYPE: U8,
    "StrProperty": STRING,
    "NameProperty": NAME,
    ENUM_TYPE: NAME,
    "Utf8StrProperty": UTF8_STRING,
    "LazyObjectProperty": GUID,
}

#: What a struct may be in a container.
ROLES: Final = ("key", "value", "element")


class Dialect:
    """What differs between Unreal saves of different games and versions, below the level of a tag."""

    def __init__(self) -> None:
        #: Tags have type trees and flags.
        self.new_tags = False
        #: What old tags have: a struct's GUID, the property's GUID, types inside of sets and maps, extensions. See `tags`.
        self.struct_guids = True
        self.property_guids = True
        self.container_types = True
        self.extensions = False
        #: Arrays of structs start with a tag of their own, if tags are old.
        self.inner_tags = True
        #: Arrays of bytes that have or may have a layout; None: there are none.
        self.blobs: BlobLayouts | None = None
        #: Binary structs by name.
        self.structs: dict[str, Codec] = {}
        #: The same with numbers of the other precision: some values have that size.
        self.other_structs: dict[str, Codec] = {}
        #: Tags that were read before.
        self.tag_cache = TagCache()
        #: Values of object types, soft objects, texts and other types that are not in `SCALARS`.
        self.types: dict[str, Codec] = {
            "ObjectProperty": REFERENCE,
            "InterfaceProperty": REFERENCE,
            "SoftObjectProperty": SOFT_OBJECT_PATH,
            "TextProperty": text_codec(),
        }
        #: Binary structs in maps and sets whose tag does not name them: (property name, one of `ROLES`) -> struct name.
        self.hints: dict[tuple[str, str], str] = {}
        #: The same for paths of several names: path, role, struct.
        self.path_hints: list[tuple[list[str], str, str]] = []

        #: The same by the class of the object that is walked: part of its name, role, struct.
        self.owner_hints: tuple[tuple[str, str, str], ...] = ()
        self.owner = ""

    def owner_hint(self, role: str) -> str:
        """Return the hint for the class of the object that is walked, "" if there is none."""
        return next((struct for part, hinted, struct in self.owner_hints if hinted == role and part in self.owner), "")

    def add_hints(self, hints: dict[str, str]) -> None:
        """Add the user's hints: names joined by dots, the last one may be the role (`Key`, `Value`, `Element`) -> struct."""
        for path, struct in hints.items():
            if struct not in self.structs:
                warn("struct of a type hint is not known", hint=f"{path}={struct}")
            self._add_hint(path, struct)

    def _add_hint(self, path: str, struct: str) -> None:
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
        """Return the layout of a binary struct, None if it is unknown.

        Args:
            name: the struct.
            size: bytes of the value, -1 if unknown: a layout of fixed size must have that size.
        """
        codec = self.structs.get(name)
        if codec is not None and size >= 0 and codec.size >= 0 and codec.size != size:
            codec = self.other_structs.get(name)
            if codec is not None and codec.size != size:
                codec = None
        return codec

    def scalar(self, type_name: str) -> Codec | None:
        """Return the codec of a property type; None for structs, containers and unknown types."""
        codec = SCALARS.get(type_name)
        return self.types.get(type_name) if codec is None else codec


#: Longer names of what a blob is are cut.
NOTED_SIZE: Final = 256


class BlobLayouts:
    """Which arrays of bytes of one game have a layout, and which one.

    Attributes:
        name: of the properties that are such arrays.
        versions_name: of the array of bytes after each of them, which has its versions; not all have one. "": none has.
        noted_names: of the properties that say what a blob is; they come before it, in a list around it. Keys of maps do so, too,
            if there are such properties.
        is_certain: all of them have a layout, known or not. Else those that no layout takes are plain bytes.
    """

    def __init__(self, name: str, versions_name: str, noted_names: frozenset[str], *, is_certain: bool = True) -> None:
        self.name = name
        self.versions_name = versions_name
        self.noted_names = noted_names
        self.is_certain = is_certain
        #: The last blob whose layout was found, and where it is: to make the header of an object, the walk looks ahead.
        self.last_layout: Struct | None = None
        self.last_start: i64 = -1
        self.last_end: i64 = -1
        #: Logs a warning: that of the source that is read, if the reader sets it.
        self.warn: Callable[..., None] = warn

    def kind(self, names: list[str], noted: str) -> str:
        """Return what a blob is, in words for a reason.

        Args:
            names: of the nestings around it.
            noted: the value that was noted last in these; "" if there is none.
        """
        raise NotImplementedError

    def layouts(self, names: list[str], noted: str, versions: bytes | None) -> list[Struct]:
        """Return the layouts that a blob may have: the first one that takes exactly its bytes is right.

        Args:
            names: as for `kind`.
            noted: as for `kind`.
            versions: the bytes of the array after it; None if there is none.
        """
        raise NotImplementedError


def noted_value(cursor: Cursor, size: i64) -> str:
    """Return the name that is the value at the cursor, which has `size` bytes. The cursor does not move."""
    most = min(size, NOTED_SIZE)
    return cursor.peek(most)[4:].rstrip(b"\0").decode("latin-1")


def engine_structs(real: Codec) -> dict[str, Codec]:
    """Make the table; `real` is a float, or a double where worlds are large."""
    vector = Struct("Vector", Vector, x=real, y=real, z=real)
    vector4 = Struct("Vector4", Vector4, x=real, y=real, z=real, w=real)
    vector3f = Struct("Vector3f", Vector, x=F32, y=F32, z=F32)
    rows: list[Codec] = [
        Struct("Color", Color, b=U8, g=U8, r=U8, a=U8),
        Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32),
        Struct("IntPoint", None, x=I32, y=I32),
        Struct("IntVector", None, x=I32, y=I32, z=I32),
        Struct("IntVector4", None, x=I32, y=I32, z=I32, w=I32),
        vector,
        vector4,
        vector3f,
        Struct("Vector2D", Vector2D, x=real, y=real),
        Struct("Rotator", Rotator, pitch=real, yaw=real, roll=real),
        Struct("Quat", Quat, x=real, y=real, z=real, w=real),
        Struct("Box", Box, min=vector, max=vector, is_valid=U8),
        Struct("Box3f", Box, min=vector3f, max=vector3f, is_valid=U8),
    ]
    table = {row.name: row for row in rows}
    table["Guid"] = GUID
    table["DateTime"] = DATE_TIME
    table["Vector4D"] = vector4
    return table
