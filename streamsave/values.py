"""Small value types that `build()` returns where a plain number, string, list or dict is not enough.

Numbers of vectors are in the unit of the save: Unreal's centimetres for places, degrees for rotators.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import define, field, frozen

# Frozen for type checkers only: each actor of a world has a transform, and frozen ones take longer to make.
if TYPE_CHECKING:
    from attrs import frozen as made_often
else:
    made_often = define(unsafe_hash=True)

__all__ = [
    "Box",
    "Color",
    "ContainerDelta",
    "DateTime",
    "Delegate",
    "DynamicStruct",
    "FieldPath",
    "Guid",
    "Header",
    "InventoryItem",
    "LinearColor",
    "Loss",
    "ObjectReference",
    "Opaque",
    "Quat",
    "RailroadTrackPosition",
    "Rotator",
    "SoftObjectPath",
    "Text",
    "Timespan",
    "Transform",
    "Vector",
    "Vector2D",
    "Vector4",
]


@define
class Header:
    """Base class of the headers of all formats, also of those that others add. Each is an attrs class."""


@frozen
class ObjectReference:
    """Reference to an Unreal object: the level and the path name of the target. Both empty: no target."""

    level_name: str
    path_name: str


@frozen
class SoftObjectPath:
    """Reference to an asset that may not be loaded: package, asset, path inside the asset."""

    package_name: str
    asset_name: str
    sub_path: str


@made_often
class Transform:
    """Place of an actor: rotation as a quaternion x, y, z, w; translation in centimetres; scale."""

    rotation: tuple[float, float, float, float]
    translation: tuple[float, float, float]
    scale: tuple[float, float, float]


@frozen
class Vector:
    """Three numbers: a place, a direction, a scale."""

    x: float
    y: float
    z: float


@frozen
class Vector2D:
    """Two numbers: a place on a map, a size."""

    x: float
    y: float


@frozen
class Vector4:
    """Four numbers."""

    x: float
    y: float
    z: float
    w: float


@frozen
class Quat:
    """A rotation as a quaternion."""

    x: float
    y: float
    z: float
    w: float


@frozen
class Rotator:
    """A rotation in degrees."""

    pitch: float
    yaw: float
    roll: float


@frozen
class Box:
    """A box along the axes; `is_valid` is 0 if it has no extent."""

    min: Vector
    max: Vector
    is_valid: int


@frozen
class Color:
    """A colour of eight bits for each channel, in the order of the bytes."""

    b: int
    g: int
    r: int
    a: int


@frozen
class LinearColor:
    """A colour of floats; channels beyond 1 are brighter than white."""

    r: float
    g: float
    b: float
    a: float


@frozen(str=False)
class Guid:
    """A GUID as Unreal prints it: four little-endian 32-bit words, in upper-case hexadecimal."""

    data: bytes = field(repr=False)

    def __str__(self) -> str:
        words = [f"{int.from_bytes(self.data[at : at + 4], 'little'):08X}" for at in range(0, 16, 4)]
        return "-".join(words)


@frozen(str=False)
class DateTime:
    """A moment as Unreal counts it: ticks of 100 ns since 0001-01-01, any 64-bit number."""

    ticks: int

    def __str__(self) -> str:
        moment = self.to_datetime()
        return f"{self.ticks} ticks" if moment is None else moment.isoformat(sep=" ")

    def to_datetime(self) -> datetime | None:
        """Return the same moment as a naive `datetime`, to the microsecond; None if it is outside the years 1 to 9999."""
        try:
            return datetime(1, 1, 1) + timedelta(microseconds=self.ticks // 10)  # noqa: DTZ001 - the save states no zone
        except OverflowError:
            return None


@frozen(str=False)
class Timespan:
    """A duration as Unreal counts it: ticks of 100 ns."""

    ticks: int

    def __str__(self) -> str:
        return str(self.to_timedelta())

    def to_timedelta(self) -> timedelta:
        """Return the same duration as a `timedelta`, to the microsecond."""
        return timedelta(microseconds=self.ticks // 10)


@frozen
class Delegate:
    """A function of an object, which the game calls at an event."""

    object: str
    function: str


@frozen
class FieldPath:
    """A path to a field of a class, from the innermost name outwards, and its owner; before engine 4.25 it has none."""

    names: list[str]
    owner: str


@frozen
class RailroadTrackPosition:
    """A place on a railway: the track, centimetres from its start, and the forward direction."""

    track: ObjectReference
    offset: float
    forward: float


@frozen
class DynamicStruct:
    """A struct whose type is stored beside it: the type, and its properties (its bytes, if they are no property list)."""

    script_struct: ObjectReference
    value: object


@frozen
class InventoryItem:
    """An item in an inventory or on a belt, with its state: a `DynamicStruct`, a reference to an actor (older saves), or None."""

    item: ObjectReference
    state: DynamicStruct | ObjectReference | None


@frozen
class Text:
    """Localised text: flags, the kind of history, and what that kind stores."""

    flags: int
    history: str
    #: What a player would see, as far as the save has it.
    source: str
    #: All fields of the history by name.
    fields: dict[str, object]


@frozen
class ContainerDelta:
    """A map or set that is stored as a difference to that of a new object: what to remove, and what to add.

    Nearly all maps and sets are stored whole: they are lists.
    """

    #: Keys of the map, or elements of the set.
    removed: list[object]
    #: (key, value) pairs of the map, or elements of the set.
    added: list[object]


@frozen
class Opaque:
    """Bytes of unknown layout, with the reason why they were not decoded."""

    data: bytes
    reason: str


@frozen
class Loss:
    """What was lost through a fault."""

    #: `"object"`, `"property"`, `"member"`, `"level"`, `"rest of the save"`; for several at once, `"headers"` of objects of which
    #: nothing else is known, `"object data"` of objects that had their events before, `"levels"`.
    kind: str
    #: Its name, or "" if unknown.
    name: str
    #: Names and indices from the outermost nesting to it.
    path: tuple[str | int, ...]
    #: All of its bytes in the inflated stream, also those before the fault; -1 if unknown.
    size: int
    #: The class of an object, or "" if unknown.
    class_name: str = ""
    #: How many objects or levels were lost; -1 if unknown.
    count: int = 1
