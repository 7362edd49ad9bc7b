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

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

if TYPE_CHECKING:
    from streamsave.errors import SaveError
    from streamsave.values import Loss, Transform

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


class Event:
    """What all events have."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__

    def __init__(self, offset: int) -> None:
        #: Where it starts in the inflated stream, in bytes.
        self.offset = offset

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.__match_args__])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and type(self) is type(other) and self._values() == other._values()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # an event may be changed, so it is no key

    def __repr__(self) -> str:
        values = zip(self.__match_args__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in values])})"

    def __reduce__(self) -> tuple[type[Event], tuple[object, ...]]:
        return type(self), self._values()


class SaveStart(Event):
    """The first event: what kind of save this is."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "format", "version", "header")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, format: str, version: int, header: Any) -> None:
        self.offset = offset
        #: `"satisfactory"`, `"satisfactory-blueprint"`, ...
        self.format = format
        #: The version number that the format's layout hangs on.
        self.version = version
        #: The format's own attrs class, e.g. `streamsave.formats.satisfactory.SaveHeader`.
        self.header = header


class ChunkStart(Event):
    """The stream enters a compressed chunk or archive member. Chunks that are skipped whole are not entered."""

    __match_args__: ClassVar[tuple[str, ...]] = (
        "offset",
        "index",
        "size",
        "compressed_offset",
        "compressed_size",
        "codec",
    )
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, index: int, size: int, compressed_offset: int, compressed_size: int, codec: str) -> None:
        self.offset = offset
        self.index = index
        #: Inflated bytes.
        self.size = size
        #: Where its header starts in the file, and how many bytes are compressed behind the header.
        self.compressed_offset = compressed_offset
        self.compressed_size = compressed_size
        #: `"zlib"`, `"stored"`, ...
        self.codec = codec


class StructEnter(Event):
    """Any named nesting opens: a level, an archive member, a struct value, a container, an element of one."""

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
        self.offset = offset
        self.name = name
        #: The struct's type, or what the nesting is: `"Level"`, `"ArrayProperty"`, `"MapEntry"`, ...
        self.type_name = type_name
        #: Bytes that this event claims; the content starts behind them.
        self.header_size = header_size
        #: Bytes of content, or -1 where the format does not tell before the end.
        self.size = size
        #: Position in the container, or -1 where it is in none.
        self.index = index
        #: Number of elements, or -1 where it is no container.
        self.count = count


class StructExit(Event):
    """The nesting that the matching `StructEnter` opened is complete."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, size: int) -> None:
        self.offset = offset
        self.name = name
        self.size = size


class ObjectHeader(Event):
    """An object (an actor, a component, an archive entry, ...) opens."""

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
    )
    __slots__ = __match_args__[1:]

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
    ) -> None:
        self.offset = offset
        #: What the format calls it: `"actor"`, `"component"`, ...
        self.kind = kind
        self.class_name = class_name
        self.instance_name = instance_name
        #: The level that it is in, as its own reference says.
        self.level = level
        #: Instance name of the object that owns it, or "".
        self.outer = outer
        #: Place in the world, or None.
        self.transform = transform
        #: Object flags, or 0.
        self.flags = flags
        #: The format version that its data was written with.
        self.save_version = save_version
        #: Bytes of its header in the table of contents, at `offset`.
        self.header_size = header_size
        #: Bytes in front of its data.
        self.prefix_size = prefix_size
        #: Where its data starts, and how many bytes it has.
        self.data_offset = data_offset
        self.size = size


class ObjectEnd(Event):
    """The object that the matching `ObjectHeader` opened is complete."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "instance_name", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, instance_name: str, size: int) -> None:
        self.offset = offset
        self.instance_name = instance_name
        self.size = size


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
        self.offset = offset
        self.name = name
        #: The outer type's name: `"ArrayProperty"`.
        self.type = type
        #: Bytes of the value; 0 for a bool, whose value is in the tag.
        self.size = size
        #: Position in a static array; the same name repeats with 0, 1, 2, ...
        self.index = index
        #: Where the value starts.
        self.value_offset = value_offset
        #: Name of the struct or enum, or "". Of the elements, for a container that tells.
        self.type_name = type_name
        #: Type of the elements of an array, a set or an optional, of the keys of a map, or "".
        self.inner_type = inner_type
        #: Type of the values of a map, or "".
        self.value_type = value_type
        #: The value of a bool, else False.
        self.flag = flag
        #: Of the struct's type and of the property, where the tag has one that is not zero.
        self.struct_guid = struct_guid
        self.guid = guid


class Field(Event):
    """One value that stands where the format fixes it, without a tag. `EventStream.build()` decodes it."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "type", "size", "index")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, type: str, size: int, index: int) -> None:
        self.offset = offset
        self.name = name
        #: The type's name: `"i32"`, `"str"`, `"ObjectReference[]"`, ...
        self.type = type
        self.size = size
        #: Position in the container, or -1 where it is in none.
        self.index = index


class Checkpoint(Event):
    """A marker found where the format says it must be."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "name", "hash", "size")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, name: str, hash: int, size: int) -> None:
        self.offset = offset
        self.name = name
        self.hash = hash
        self.size = size


class BlobSkip(Event):
    """Bytes passed over: opaque, unknown, or skipped on request."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "reason")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, reason: str) -> None:
        self.offset = offset
        self.size = size
        self.reason = reason


class Damage(Event):
    """Only with `on_damage="resync"`: what was lost.

    It stands where the walk met the fault. The exits of all nestings that were lost with it follow, then what is sound.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("offset", "size", "error", "lost")
    __slots__ = __match_args__[1:]

    def __init__(self, offset: int, size: int, error: SaveError, lost: Loss) -> None:
        self.offset = offset
        #: Bytes that this event claims: of what was lost those that no event before has claimed; -1 where nothing tells.
        self.size = size
        self.error = error
        self.lost = lost


class SaveEnd(Event):
    """The last event: every byte was accounted for."""

    __match_args__: ClassVar[tuple[str, ...]] = ("offset",)
    __slots__ = __match_args__[1:]


# The classes are written out, since a class that is compiled with its `__init__` takes a quarter of the time to make that attrs'
# own `__init__` takes, and since what attrs writes for a class takes long to import. Attrs tells their fields.
_KINDS: tuple[type[Event], ...] = (Event, *Event.__subclasses__())
for _kind in _KINDS:
    attrs.define(
        _kind,
        these={name: attrs.field() for name in _kind.__match_args__[_kind is not Event :]},
        init=False,
        eq=False,
        repr=False,
        slots=False,
    )
