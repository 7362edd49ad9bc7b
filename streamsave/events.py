"""The events: one class for each, without logic.

Every event has `offset`: where it starts in the inflated stream, in bytes. Nesting is strict: each `StructEnter` has its
`StructExit` and each `ObjectHeader` its `ObjectEnd`, also after `EventStream.skip()`. Objects whose size the save does not say
(imploded entries of Arx) are not inflated where they are skipped: offsets after them count them as empty.

An event *claims* the bytes that are its own, not those of events inside it. Together the claims cover each byte of the inflated
stream exactly once (`streamsave.claims`):

| event | claims |
|---|---|
| `StructEnter` | `[offset, offset + header_size)`: a name, a count, a tag of the elements, ... |
| `StructExit` | `[offset, offset + size)`: a terminator |
| `ObjectHeader` | `[offset, offset + header_size)` in the table of contents, `[data_offset - prefix_size, data_offset)` |
| `ObjectEnd` | `[offset, offset + size)`: a terminator, a count of 0, version data |
| `PropertyTag` | `[offset, value_offset)`; a leaf also `[value_offset, value_offset + size)` |
| `Field`, `Checkpoint`, `BlobSkip`, `Damage` | `[offset, offset + size)` |

A `PropertyTag` is a leaf unless a `StructEnter`, `BlobSkip` or `Damage` follows that starts at its `value_offset`. A `Field`
claims nothing if a `Damage` follows that starts at its `offset`.
"""

# The module is long because the classes are written out by hand: mypyc would make slower ones of attrs classes. Compiled, the
# decorators above them save half of the time to make and free one: `free_list_len=1` keeps the memory of the last event that was
# freed for the next one, `acyclic=True` keeps those out of the garbage collector that refer to nothing but numbers and texts.

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from streamsave._fields import name_fields
from streamsave.frequent_values import FrequentValue, Transform

if TYPE_CHECKING:
    from streamsave.errors import SaveError
    from streamsave.values import Loss

__all__ = [
    "BlobSkip",
    "Checkpoint",
    "ChunkStart",
    "Damage",
    "Event",
    "Field",
    "ObjectEnd",
    "ObjectHeader",
    "PropertyTag",
    "SaveEnd",
    "SaveStart",
    "StructEnter",
    "StructExit",
]

#: The reason of a `BlobSkip` whose bytes mean nothing: what fills a buffer or a struct of the game.
PADDING: Final = "padding"
#: The place of an actor of Satisfactory: rotation, translation and scale between two bools.
STORED_PLACE: Final = struct.Struct("<4x10f4x")
#: The same of a lightweight buildable.
WIDE_PLACE: Final = struct.Struct("<10d")

#: Bits of `ObjectHeader.stored_flags`: the bools themselves, and which of them the save stores for this object.
NEEDS_TRANSFORM: Final = 1
PLACED_IN_LEVEL: Final = 2
MIGRATES_REFERENCES: Final = 4
STORES_PLACE: Final = 8
STORES_MIGRATION: Final = 16


#: What a save says of an object in its header: the attributes of `ObjectHeader` that JSON, `build()` and the equations show.
OBJECT_MEMBERS: Final = ("kind", "class_name", "instance_name", "level", "outer", "transform", "flags", "save_version")
#: The same, where a format stores it: None elsewhere.
STORED_MEMBERS: Final = ("need_transform", "was_placed_in_level", "migrate_references")


@mypyc_attr(acyclic=True)
class Event(FrequentValue):
    """Base class of all events. Events are read-only: compiled, assigning to a field raises `AttributeError`.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__

    def __init__(self, offset: int) -> None:
        # Subclasses assign it themselves: a call of this costs 8 % of the event loop in plain Python.
        self.offset: Final = offset

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, but never a key


class SaveStart(Event):
    """The first event: what kind of save this is.

    Attributes:
        offset (int): 0.
        format (str): name of the format: `"satisfactory"`, `"satisfactory-blueprint"`, ...
        version (int): the version number that selects the layout.
        header (Header): what the save says of itself: a class of `streamsave.headers`, or one of another package.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "format", "version", "header")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, format: str, version: int, header: Any) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.format: Final = format
        self.version: Final = version
        self.header: Final = header


@mypyc_attr(acyclic=True)
class ChunkStart(Event):
    """The stream enters a compressed chunk or archive member. A chunk that is skipped whole has no event.

    Attributes:
        offset (int): where its inflated bytes start in the inflated stream.
        index (int): its number, from 0.
        size (int): inflated bytes; -1 if unknown.
        compressed_offset (int): where its header starts in the file, in bytes.
        compressed_size (int): how many compressed bytes follow the header; -1 if unknown.
        codec (str): the compression: `"zlib"`, `"stored"`, ...
        archive_version (int): version of the header of the Unreal archive that it is, or is a block of: 1 or 2; 0 if it is in
            none, or unknown.
    """

    __match_args__: ClassVar[tuple[str, ...]] = (
        "offset",
        "index",
        "size",
        "compressed_offset",
        "compressed_size",
        "codec",
        "archive_version",
    )
    __slots__ = __match_args__[1:]

    def __init__(
        self,
        offset: int,
        index: int,
        size: int,
        compressed_offset: int,
        compressed_size: int,
        codec: str,
        archive_version: int = 0,
    ) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.index: Final = index
        self.size: Final = size
        self.compressed_offset: Final = compressed_offset
        self.compressed_size: Final = compressed_size
        self.codec: Final = codec
        self.archive_version: Final = archive_version


@mypyc_attr(free_list_len=1, acyclic=True)
class StructEnter(Event):
    """A named nesting opens: a level, an archive member, a struct value, a container, or an element of one.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        name (str): its name: of the property, the level, the member; that of the container for an element; "" if it has none.
        type_name (str): the type of the struct, or the kind of nesting: `"Level"`, `"ArrayProperty"`, `"MapEntry"`, ...
        header_size (int): bytes that this event claims; the content starts after them.
        size (int): bytes of content; -1 if the save does not say before the end.
        index (int): position in the container, from 0; -1 if it is in none.
        count (int): number of elements; -1 if it is no container.
    """

    __match_args__: ClassVar[tuple[str, ...]] = (
        "offset",
        "name",
        "type_name",
        "header_size",
        "size",
        "index",
        "count",
    )
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, type_name: str, header_size: int, size: int, index: int, count: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.type_name: Final = type_name
        self.header_size: Final = header_size
        self.size: Final = size
        self.index: Final = index
        self.count: Final = count


@mypyc_attr(free_list_len=1, acyclic=True)
class StructExit(Event):
    """The nesting that the matching `StructEnter` opened is complete.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        name (str): that of the `StructEnter`.
        size (int): bytes of the terminator, which this event claims; 0 if there is none.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, size: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.size: Final = size


@mypyc_attr(free_list_len=1, acyclic=True)
class ObjectHeader(Event):
    """An object opens: an actor, a component, an archive entry, ...

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        kind (str): kind of object in the words of the format: `"actor"`, `"object"`, `"pal"`, ...
        class_name (str): its class; "" if the save has none.
        instance_name (str): its name; "" for the one object of a save game.
        level (str): the level in its own reference; "" if the save has none.
        outer (str): instance name of the object that owns it; "" if none does.
        transform (Transform | None): place in the world: rotation, translation and scale; None if the save does not say. Its
            translation, x, y and z, is `position`.
        flags (int): object flags of the engine; 0 if the save has none.
        save_version (int): the format version that its data was written with.
        header_size (int): bytes of its header in the table of contents, at `offset`.
        prefix_size (int): bytes before its data that belong to it, such as its size.
        data_offset (int): where its data start in the inflated stream, in bytes.
        size (int): bytes of its data; -1 if only walking shows it.
        stored_flags (int): bools that a Satisfactory save stores of it, as bits: read `need_transform`, `was_placed_in_level` and
            `migrate_references`.
    """

    __match_args__: ClassVar[tuple[str, ...]] = (
        "offset",
        "kind",
        "class_name",
        "instance_name",
        "level",
        "outer",
        "transform",
        "flags",
        "save_version",
        "header_size",
        "prefix_size",
        "data_offset",
        "size",
        "stored_flags",
    )
    __slots__ = (*__match_args__[1:6], "_transform", "_place", *__match_args__[7:])

    def __init__(
        self,
        offset: int,
        kind: str,
        class_name: str,
        instance_name: str,
        level: str,
        outer: str,
        transform: Transform | None,
        flags: int,
        save_version: int,
        header_size: int,
        prefix_size: int,
        data_offset: int,
        size: int,
        stored_flags: int = 0,
        place: bytes | None = None,
    ) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.kind: Final = kind
        self.class_name: Final = class_name
        self.instance_name: Final = instance_name
        self.level: Final = level
        self.outer: Final = outer
        # Few programs look at the transform, so a reader may pass it as it is stored.
        self._transform = transform
        self._place: Final = place
        self.flags: Final = flags
        self.save_version: Final = save_version
        self.header_size: Final = header_size
        self.prefix_size: Final = prefix_size
        self.data_offset: Final = data_offset
        self.size: Final = size
        self.stored_flags: Final = stored_flags

    @property
    def need_transform(self) -> bool | None:
        """Whether the game moves the actor to its transform when it loads; None for what is no actor of Satisfactory."""
        return self.stored_flags & NEEDS_TRANSFORM != 0 if self.stored_flags & STORES_PLACE else None

    @property
    def was_placed_in_level(self) -> bool | None:
        """Whether the actor is a part of the map, not built by a player; None for what is no actor of Satisfactory."""
        return self.stored_flags & PLACED_IN_LEVEL != 0 if self.stored_flags & STORES_PLACE else None

    @property
    def migrate_references(self) -> bool | None:
        """Whether references in its data are to be moved to the persistent level; None where the save does not say."""
        return self.stored_flags & MIGRATES_REFERENCES != 0 if self.stored_flags & STORES_MIGRATION else None

    @property
    def transform(self) -> Transform | None:
        """Place in the world, with rotation and scale, or None."""
        place = self._place
        if place is not None and self._transform is None:
            numbers = (STORED_PLACE if len(place) == STORED_PLACE.size else WIDE_PLACE).unpack(place)
            self._transform = Transform(numbers[:4], numbers[4:7], numbers[7:])
        return self._transform

    @property
    def position(self) -> tuple[float, float, float] | None:
        """x, y and z of the place in the world, or None."""
        transform = self.transform
        return None if transform is None else transform.translation

    def _is_placed_like(self, other: ObjectHeader) -> bool:
        """Return whether another object has the same transform, or neither has one."""
        place, others = self._place, other._place
        if place is not None and others is not None and len(place) == len(others):
            return place == others
        return self.transform == other.transform


@mypyc_attr(free_list_len=1, acyclic=True)
class ObjectEnd(Event):
    """The object that the matching `ObjectHeader` opened is complete.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        instance_name (str): that of the `ObjectHeader`.
        size (int): bytes of the terminator, which this event claims; 0 if there is none.
        ucs_modified_properties (int): how many properties of a component of Satisfactory its construction script has modified, if
            this event claims the count; -1: another event claims it, there is none, or the object was skipped.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "instance_name", "size", "ucs_modified_properties")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, instance_name: str, size: int, ucs_modified_properties: int = -1) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.instance_name: Final = instance_name
        self.size: Final = size
        self.ucs_modified_properties: Final = ucs_modified_properties


@mypyc_attr(free_list_len=1, acyclic=True)
class PropertyTag(Event):
    """One tagged property: name, type and size are in the bytes; the value is decoded only when asked for.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        name (str): name of the property.
        type (str): the outer type's name: `"ArrayProperty"`.
        size (int): bytes of the value; 0 for a bool, whose value is in the tag.
        index (int): position in a static array: the same name repeats with 0, 1, 2, ...
        value_offset (int): where the value starts in the inflated stream, in bytes.
        type_name (str): name of the struct or enum, or ""; that of the elements, if the tag of a container has it.
        inner_type (str): type of the elements of an array, a set or an optional, or of the keys of a map; else "".
        value_type (str): type of the values of a map; else "".
        flag (bool): the value of a bool; False for all other types.
        struct_guid (bytes | None): GUID of the struct type, 16 bytes; None if the tag has none, or zero.
        guid (bytes | None): GUID of the property, 16 bytes; None if the tag has none.
    """

    __match_args__: ClassVar[tuple[str, ...]] = (
        "offset",
        "name",
        "type",
        "size",
        "index",
        "value_offset",
        "type_name",
        "inner_type",
        "value_type",
        "flag",
        "struct_guid",
        "guid",
    )
    __slots__ = __match_args__[1:]

    def __init__(
        self,
        offset: int,
        name: str,
        type: str,
        size: int,
        index: int,
        value_offset: int,
        type_name: str,
        inner_type: str,
        value_type: str,
        flag: bool,
        struct_guid: bytes | None,
        guid: bytes | None,
    ) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.type: Final = type
        self.size: Final = size
        self.index: Final = index
        self.value_offset: Final = value_offset
        self.type_name: Final = type_name
        self.inner_type: Final = inner_type
        self.value_type: Final = value_type
        self.flag: Final = flag
        self.struct_guid: Final = struct_guid
        self.guid: Final = guid


@mypyc_attr(free_list_len=1, acyclic=True)
class Field(Event):
    """One value at a place that the format defines, without a tag. `EventStream.build()` decodes it.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        name (str): its name, which the layout gives it.
        type (str): name of the type: `"i32"`, `"str"`, `"ObjectReference[]"`, ...
        size (int): bytes of the value.
        index (int): position in the container, from 0; -1 if it is in none.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "type", "size", "index")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, type: str, size: int, index: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.type: Final = type
        self.size: Final = size
        self.index: Final = index


@mypyc_attr(acyclic=True)
class Checkpoint(Event):
    """A marker that is where the format says it must be.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        name (str): what it marks.
        hash (int): the number that is stored there.
        size (int): bytes of the marker.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "hash", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, hash: int, size: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.hash: Final = hash
        self.size: Final = size


@mypyc_attr(free_list_len=1, acyclic=True)
class BlobSkip(Event):
    """Bytes passed over: opaque, unknown, or skipped on request.

    Attributes:
        offset (int): where it starts in the inflated stream, in bytes.
        size (int): how many bytes.
        reason (str): why: `"skipped"`, `"padding"`, or what is unknown.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "reason")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, reason: str) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.size: Final = size
        self.reason: Final = reason


class Damage(Event):
    """What was lost; only with `on_damage="resync"`.

    It comes where the reader met the fault. The exits of all nestings that were lost with it follow, then what is sound.

    Attributes:
        offset (int): where the lost bytes start that this event claims, in the inflated stream.
        size (int): bytes that this event claims: the lost bytes that no event before has claimed; -1 if unknown.
        error (SaveError): the fault.
        lost (Loss): what was lost.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "error", "lost")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, error: SaveError, lost: Loss) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.size: Final = size
        self.error: Final = error
        self.lost: Final = lost


@mypyc_attr(acyclic=True)
class SaveEnd(Event):
    """The last event: every byte is claimed.

    Attributes:
        offset (int): where the inflated stream ends: its size in bytes.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__[1:]


# The classes are written out: a compiled `__init__` takes a quarter of the time of one that attrs makes. `attrs.fields` works on
# them, too.
_KINDS: tuple[type[Event], ...] = (Event, *Event.__subclasses__())
for _kind in _KINDS:
    name_fields(_kind, _kind.__match_args__[_kind is not Event :])
