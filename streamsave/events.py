"""The events: one class for each, without logic.

Every event has `offset`: where it starts in the inflated stream, in bytes. Nesting is strict: each `StructEnter` has its
`StructExit` and each `ObjectHeader` its `ObjectEnd`, also after `EventStream.skip()`.

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

The module is long because the classes are written out by hand: mypyc would make slower ones of attrs classes. Compiled, the
decorators above them save half of the time to make and free one: `free_list_len=1` keeps the memory of the last event that
was freed for the next one, `acyclic=True` keeps those out of the garbage collector that refer to nothing but numbers and texts.
"""

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
    """Base class of all events. Events are read-only: compiled, assigning to a field raises `AttributeError`."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__

    def __init__(self, offset: int) -> None:
        # Subclasses assign it themselves: a call of this costs 8 % of the event loop in plain Python.
        #: Where it starts in the inflated stream, in bytes.
        self.offset: Final = offset

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, but never a key


class SaveStart(Event):
    """The first event: what kind of save this is."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "format", "version", "header")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, format: str, version: int, header: Any) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        #: Name of the format: `"satisfactory"`, `"satisfactory-blueprint"`, ...
        self.format: Final = format
        #: The version number that selects the layout.
        self.version: Final = version
        #: Of the format's own class, one of `streamsave.headers`.
        self.header: Final = header


@mypyc_attr(acyclic=True)
class ChunkStart(Event):
    """The stream enters a compressed chunk or archive member. A chunk that is skipped whole has no event."""

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
        #: Inflated bytes; -1 if unknown.
        self.size: Final = size
        #: Where its header starts in the file, and how many compressed bytes follow the header (-1 if unknown).
        self.compressed_offset: Final = compressed_offset
        self.compressed_size: Final = compressed_size
        #: Compression: `"zlib"`, `"stored"`, ...
        self.codec: Final = codec
        #: Version of the header of the Unreal archive that it is, or is a block of: 1 or 2; 0 if it is in none, or unknown.
        self.archive_version: Final = archive_version


@mypyc_attr(free_list_len=1, acyclic=True)
class StructEnter(Event):
    """A named nesting opens: a level, an archive member, a struct value, a container, or an element of one."""

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
        #: The type of the struct, or the kind of nesting: `"Level"`, `"ArrayProperty"`, `"MapEntry"`, ...
        self.type_name: Final = type_name
        #: Bytes that this event claims; the content starts after them.
        self.header_size: Final = header_size
        #: Bytes of content, or -1 if the save does not say before the end.
        self.size: Final = size
        #: Position in the container, or -1 if it is in none.
        self.index: Final = index
        #: Number of elements, or -1 if it is no container.
        self.count: Final = count


@mypyc_attr(free_list_len=1, acyclic=True)
class StructExit(Event):
    """The nesting that the matching `StructEnter` opened is complete."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, size: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.size: Final = size


@mypyc_attr(free_list_len=1, acyclic=True)
class ObjectHeader(Event):
    """An object opens: an actor, a component, an archive entry, ..."""

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
        #: Kind of object in the words of the format: `"actor"`, `"component"`, ...
        self.kind: Final = kind
        self.class_name: Final = class_name
        self.instance_name: Final = instance_name
        #: The level in its own reference.
        self.level: Final = level
        #: Instance name of the object that owns it, or "".
        self.outer: Final = outer
        # Few programs look at the transform, so a reader may pass it as it is stored.
        self._transform = transform
        self._place: Final = place
        #: Object flags, or 0.
        self.flags: Final = flags
        #: The format version that its data was written with.
        self.save_version: Final = save_version
        #: Bytes of its header in the table of contents, at `offset`.
        self.header_size: Final = header_size
        #: Bytes before its data.
        self.prefix_size: Final = prefix_size
        #: Where its data starts, and its size in bytes (-1 if only walking shows it).
        self.data_offset: Final = data_offset
        self.size: Final = size
        #: Bools that a Satisfactory save stores of each object, as bits: see `need_transform` and the like.
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
        """Place in the world, or None."""
        place = self._place
        if place is not None and self._transform is None:
            numbers = (STORED_PLACE if len(place) == STORED_PLACE.size else WIDE_PLACE).unpack(place)
            self._transform = Transform(numbers[:4], numbers[4:7], numbers[7:])
        return self._transform

    def _is_placed_like(self, other: ObjectHeader) -> bool:
        """Return whether another object has the same transform, or neither has one."""
        place, others = self._place, other._place
        if place is not None and others is not None and len(place) == len(others):
            return place == others
        return self.transform == other.transform


@mypyc_attr(free_list_len=1, acyclic=True)
class ObjectEnd(Event):
    """The object that the matching `ObjectHeader` opened is complete."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "instance_name", "size", "ucs_modified_properties")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, instance_name: str, size: int, ucs_modified_properties: int = -1) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.instance_name: Final = instance_name
        self.size: Final = size
        #: How many properties of a component of Satisfactory its construction script has modified, if this event claims the
        #: count; -1: another event claims it, there is none, or the object was skipped.
        self.ucs_modified_properties: Final = ucs_modified_properties


@mypyc_attr(free_list_len=1, acyclic=True)
class PropertyTag(Event):
    """One tagged property: name, type and size are in the bytes; the value is decoded only when asked for."""

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
        #: The outer type's name: `"ArrayProperty"`.
        self.type: Final = type
        #: Bytes of the value; 0 for a bool, whose value is in the tag.
        self.size: Final = size
        #: Position in a static array: the same name repeats with 0, 1, 2, ...
        self.index: Final = index
        #: Where the value starts.
        self.value_offset: Final = value_offset
        #: Name of the struct or enum, or ""; that of the elements, if the tag of a container has it.
        self.type_name: Final = type_name
        #: Type of the elements of an array, a set or an optional, of the keys of a map, or "".
        self.inner_type: Final = inner_type
        #: Type of the values of a map, or "".
        self.value_type: Final = value_type
        #: The value of a bool, else False.
        self.flag: Final = flag
        #: GUIDs of the struct type and of the property; None if the tag has none, or zero.
        self.struct_guid: Final = struct_guid
        self.guid: Final = guid


@mypyc_attr(free_list_len=1, acyclic=True)
class Field(Event):
    """One value at a place that the format defines, without a tag. `EventStream.build()` decodes it."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "type", "size", "index")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, type: str, size: int, index: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        #: Name of the type: `"i32"`, `"str"`, `"ObjectReference[]"`, ...
        self.type: Final = type
        self.size: Final = size
        #: Position in the container, or -1 if it is in none.
        self.index: Final = index


@mypyc_attr(acyclic=True)
class Checkpoint(Event):
    """A marker that is where the format says it must be."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "hash", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, hash: int, size: int) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.name: Final = name
        self.hash: Final = hash
        self.size: Final = size


@mypyc_attr(free_list_len=1, acyclic=True)
class BlobSkip(Event):
    """Bytes passed over: opaque, unknown, or skipped on request."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "reason")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, reason: str) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        self.size: Final = size
        self.reason: Final = reason


class Damage(Event):
    """What was lost; only with `on_damage="resync"`.

    It comes where the reader met the fault. The exits of all nestings that were lost with it follow, then what is sound.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "error", "lost")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, error: SaveError, lost: Loss) -> None:
        self.offset = offset  # type: ignore[misc]  # see `Event`
        #: Bytes that this event claims: the lost bytes that no event before has claimed; -1 if unknown.
        self.size: Final = size
        self.error: Final = error
        self.lost: Final = lost


@mypyc_attr(acyclic=True)
class SaveEnd(Event):
    """The last event: every byte is claimed."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__[1:]


# The classes are written out: a compiled `__init__` takes a quarter of the time of one that attrs makes. `attrs.fields` works on
# them, too.
_KINDS: tuple[type[Event], ...] = (Event, *Event.__subclasses__())
for _kind in _KINDS:
    name_fields(_kind, _kind.__match_args__[_kind is not Event :])
