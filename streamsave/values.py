"""Small value types that `build()` makes where a plain number, string, list or dict would not do.

Numbers of vectors are in the unit of the save: Unreal's centimetres for places, degrees for rotators.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import define, field, frozen

# Frozen for type checkers only, like events: each actor of a world has a transform.
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


@frozen
class ObjectReference:
    """Unreal object reference on disc: the level and the path name of the target. Both empty: no target."""

    level_name: str
    path_name: str


@frozen
class SoftObjectPath:
    """A reference to an asset that may not be loaded: package, asset, path inside of it."""

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
    """Degrees."""

    pitch: float
    yaw: float
    roll: float


@frozen
class Box:
    """A box along the axes; `is_valid` is 0 where it has no extent."""

    min: Vector
    max: Vector
    is_valid: int


@frozen
class Color:
    """Eight bits a channel, in the order of the bytes."""

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
        """The same moment as a naive `datetime`, to the microsecond; None where the calendar does not reach."""
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
        """The same duration as Python counts it, to the microsecond."""
        return timedelta(microseconds=self.ticks // 10)


@frozen
class Delegate:
    """What is called when something happens: a function of an object."""

    object: str
    function: str


@frozen
class FieldPath:
    """A path to a field of a class, from the innermost name outwards, and who owns it; before engine 4.25 nobody does."""

    names: list[str]
    owner: str


@frozen
class RailroadTrackPosition:
    """A place on a railway: the track, centimetres from its start, and which way is forward."""

    track: ObjectReference
    offset: float
    forward: float


@frozen
class DynamicStruct:
    """A struct whose type is stored beside it: the type and its properties (or its bytes, where they are no property list)."""

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
    #: What a reader of the game would see, as far as the save itself tells.
    source: str
    #: All fields of the history by name.
    fields: dict[str, object]


@frozen
class ContainerDelta:
    """A map or set that is stored as a change of what a new object has: what to remove from that, and what to add.

    Nearly all are stored whole, and are lists.
    """

    #: Keys of the map, or elements of the set.
    removed: list[object]
    #: (key, value) pairs of the map, or elements of the set.
    added: list[object]


@frozen
class Opaque:
    """Bytes whose layout is not known, with the reason."""

    data: bytes
    reason: str


@frozen
class Loss:
    """What a fault has cost."""

    #: `"object"`, `"property"`, `"member"`, `"level"`, `"rest of the save"`; of several at once, `"headers"` of objects of which
    #: nothing else is known, `"object data"` of those that were told before, `"levels"`.
    kind: str
    #: Its name, or "" where nobody can tell.
    name: str
    #: Names and indices from the outermost nesting to it.
    path: tuple[str | int, ...]
    #: All of its bytes in the inflated stream, those too that were read before the fault; -1 where nothing tells.
    size: int
    #: Of an object: its class, or "" where nobody can tell.
    class_name: str = ""
    #: How many objects or levels that is, where it is several; -1 where nothing tells.
    count: int = 1
