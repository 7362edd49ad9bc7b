"""The nouns: one class an event, no logic.

Every event has `offset`: where it starts in the inflated stream, in bytes. Nesting is strict: each `StructEnter` has its
`StructExit` and each `ObjectHeader` its `ObjectEnd`, also after `EventStream.skip()`.

An event *claims* the bytes that belong to nobody below it. Together the claims tile the inflated stream exactly:

| event | claims |
|---|---|
| `StructEnter` | `[offset, offset + header_size)`: a name, a count, a tag of the elements, ... |
| `StructExit` | `[offset, offset + size)`: a terminator |
| `ObjectHeader` | `[offset, offset + header_size)` in the table of contents, `[data_offset - prefix_size, data_offset)` |
| `ObjectEnd` | `[offset, offset + size)`: a terminator, version data |
| `PropertyTag` | `[offset, value_offset)`; a leaf also `[value_offset, value_offset + size)` |
| `Field`, `Checkpoint`, `BlobSkip`, `Damage` | `[offset, offset + size)` |

A `PropertyTag` is a leaf unless a `StructEnter`, `BlobSkip` or `Damage` follows that starts at its `value_offset`. A `Field`
claims nothing where a `Damage` follows that starts at its `offset`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Frozen for type checkers only: at run time `frozen` costs 3.6 times as much to make as `define`.
if TYPE_CHECKING:
    from attrs import frozen as event

    from streamsave.errors import SaveError
    from streamsave.values import Loss, Transform
else:
    from attrs import define as event

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


@event
class Event:
    """What all events have."""

    #: Where it starts in the inflated stream, in bytes.
    offset: int


@event
class SaveStart(Event):
    """The first event: what kind of save this is."""

    #: `"satisfactory"`, `"satisfactory-blueprint"`, ...
    format: str
    #: The version number that the format's layout hangs on.
    version: int
    #: The format's own attrs class, e.g. `streamsave.formats.satisfactory.SaveHeader`.
    header: Any


@event
class ChunkStart(Event):
    """The stream enters a compressed chunk or archive member. Chunks that are skipped whole are not entered."""

    index: int
    #: Inflated bytes.
    size: int
    #: Where its header starts in the file, and how many bytes are compressed behind the header.
    compressed_offset: int
    compressed_size: int
    #: `"zlib"`, `"stored"`, ...
    codec: str


@event
class StructEnter(Event):
    """Any named nesting opens: a level, an archive member, a struct value, a container, an element of one."""

    name: str
    #: The struct's type, or what the nesting is: `"Level"`, `"ArrayProperty"`, `"MapEntry"`, ...
    type_name: str
    #: Bytes that this event claims; the content starts behind them.
    header_size: int
    #: Bytes of content, or -1 where the format does not tell before the end.
    size: int
    #: Position in the container, or -1 where it is in none.
    index: int
    #: Number of elements, or -1 where it is no container.
    count: int


@event
class StructExit(Event):
    """The nesting that the matching `StructEnter` opened is complete."""

    name: str
    size: int


@event
class ObjectHeader(Event):
    """An object (an actor, a component, an archive entry, ...) opens."""

    #: What the format calls it: `"actor"`, `"component"`, ...
    kind: str
    class_name: str
    instance_name: str
    #: The level that it is in, as its own reference says.
    level: str
    #: Instance name of the object that owns it, or "".
    outer: str
    #: Place in the world, or None.
    transform: Transform | None
    #: Object flags, or 0.
    flags: int
    #: The format version that its data was written with.
    save_version: int
    #: Bytes of its header in the table of contents, at `offset`.
    header_size: int
    #: Bytes in front of its data.
    prefix_size: int
    #: Where its data starts, and how many bytes it has.
    data_offset: int
    size: int


@event
class ObjectEnd(Event):
    """The object that the matching `ObjectHeader` opened is complete."""

    instance_name: str
    size: int


@event
class PropertyTag(Event):
    """One tagged property: name, type and size are in the bytes; the value is decoded only when asked for."""

    name: str
    #: The outer type's name: `"ArrayProperty"`.
    type: str
    #: Bytes of the value; 0 for a bool, whose value is in the tag.
    size: int
    #: Position in a static array; the same name repeats with 0, 1, 2, ...
    index: int
    #: Where the value starts.
    value_offset: int
    #: Name of the struct or enum, or "". Of the elements, for a container that tells.
    type_name: str
    #: Type of the elements of an array, a set or an optional, of the keys of a map, or "".
    inner_type: str
    #: Type of the values of a map, or "".
    value_type: str
    #: The value of a bool, else False.
    flag: bool
    #: Of the struct's type and of the property, where the tag has one that is not zero.
    struct_guid: bytes | None
    guid: bytes | None


@event
class Field(Event):
    """One value that stands where the format fixes it, without a tag. `EventStream.build()` decodes it."""

    name: str
    #: The type's name: `"i32"`, `"str"`, `"ObjectReference[]"`, ...
    type: str
    size: int
    #: Position in the container, or -1 where it is in none.
    index: int


@event
class Checkpoint(Event):
    """A marker found where the format says it must be."""

    name: str
    hash: int
    size: int


@event
class BlobSkip(Event):
    """Bytes passed over: opaque, unknown, or skipped on request."""

    size: int
    reason: str


@event
class Damage(Event):
    """Only with `on_damage="resync"`: what was lost.

    It stands where the walk met the fault. The exits of all nestings that were lost with it follow, then what is sound.
    """

    #: Bytes that this event claims: of what was lost those that no event before has claimed; -1 where nothing tells.
    size: int
    error: SaveError
    lost: Loss


@event
class SaveEnd(Event):
    """The last event: every byte was accounted for."""
