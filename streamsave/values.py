"""Small value types that `build()` returns where a plain number, string, list or dict is not enough.

Numbers of vectors are in the unit of the save: Unreal's centimetres for places, degrees for rotators.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from attrs import define, frozen

from streamsave._fields import html_table, names_of_fields
from streamsave.frequent_values import (
    DynamicStruct,
    Guid,
    InventoryItem,
    LinearColor,
    ObjectReference,
    Quat,
    Rotator,
    Transform,
    Vector,
)

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

    def _repr_html_(self) -> str:
        """Return the fields as a table, for notebooks."""
        names = names_of_fields(type(self)) or ()
        return html_table(type(self).__name__, [(name, getattr(self, name)) for name in names])


@frozen
class SoftObjectPath:
    """Reference to an asset that may not be loaded: package, asset, path inside the asset.

    Attributes:
        package_name (str): path of the package.
        asset_name (str): the asset in it.
        sub_path (str): the object inside of the asset; "" for the asset itself.
    """

    package_name: str
    asset_name: str
    sub_path: str


@frozen
class Vector2D:
    """Two numbers: a place on a map, a size.

    Attributes:
        x (float): in the unit of the save.
        y (float): the same.
    """

    x: float
    y: float


@frozen
class Vector4:
    """Four numbers.

    Attributes:
        x (float): in the unit of the save.
        y (float): the same.
        z (float): the same.
        w (float): the same.
    """

    x: float
    y: float
    z: float
    w: float


@frozen
class Box:
    """A box along the axes; `is_valid` is 0 if it has no extent.

    Attributes:
        min (Vector): the corner with the smallest numbers.
        max (Vector): the corner with the largest numbers.
        is_valid (int): 0 if it has no extent.
    """

    min: Vector
    max: Vector
    is_valid: int


@frozen
class Color:
    """A colour of eight bits for each channel, in the order of the bytes.

    Attributes:
        b (int): blue, 0 to 255.
        g (int): green, 0 to 255.
        r (int): red, 0 to 255.
        a (int): opacity, 0 to 255.
    """

    b: int
    g: int
    r: int
    a: int


@frozen(str=False, order=True)
class DateTime:
    """A moment as Unreal counts it: ticks of 100 ns since 0001-01-01, any 64-bit number.

    Attributes:
        ticks (int): 100 ns each, since 0001-01-01.
    """

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


@frozen(str=False, order=True)
class Timespan:
    """A duration as Unreal counts it: ticks of 100 ns.

    Attributes:
        ticks (int): 100 ns each.
    """

    ticks: int

    def __str__(self) -> str:
        return str(self.to_timedelta())

    def to_timedelta(self) -> timedelta:
        """Return the same duration as a `timedelta`, to the microsecond."""
        return timedelta(microseconds=self.ticks // 10)


@frozen
class Delegate:
    """A function of an object, which the game calls at an event.

    Attributes:
        object (str): name of the object.
        function (str): name of the function.
    """

    object: str
    function: str


@frozen
class FieldPath:
    """A path to a field of a class, from the innermost name outwards, and its owner; before engine 4.25 it has none.

    Attributes:
        names (list[str]): from the innermost one outwards.
        owner (str): the class that has the field; "" before engine 4.25.
    """

    names: list[str]
    owner: str


@frozen
class RailroadTrackPosition:
    """A place on a railway: the track, centimetres from its start, and the forward direction.

    Attributes:
        track (ObjectReference): the track.
        offset (float): centimetres from its start.
        forward (float): the forward direction, as stored.
    """

    track: ObjectReference
    offset: float
    forward: float


@frozen
class Text:
    """Localised text: flags, the kind of history, and what that kind stores.

    Attributes:
        flags (int): as the engine stores them.
        history (str): the kind of history: how the text is made.
        source (str): what a player would see, as far as the save has it.
        fields (dict[str, object]): all fields of the history by name.
    """

    flags: int
    history: str
    source: str
    fields: dict[str, object]


@frozen
class ContainerDelta:
    """A map or set that is stored as a difference to that of a new object: what to remove, and what to add.

    Nearly all maps and sets are stored whole: they are lists.

    Attributes:
        removed (list[object]): keys of the map, or elements of the set.
        added (list[object]): (key, value) pairs of the map, or elements of the set.
    """

    removed: list[object]
    added: list[object]


@frozen
class Opaque:
    """Bytes of unknown layout, with the reason why they were not decoded.

    Attributes:
        data (bytes): the bytes.
        reason (str): why they were not decoded.
    """

    data: bytes
    reason: str


@frozen
class Loss:
    """What was lost through a fault.

    Attributes:
        kind (str): `"object"`, `"property"`, `"member"`, `"level"`, `"rest of the save"`; for several at once, `"headers"` of
            objects of which nothing else is known, `"object data"` of objects that had their events before, `"levels"`.
        name (str): its name; "" if unknown.
        path (tuple[str | int, ...]): names and indices from the outermost nesting to it.
        size (int): all of its bytes in the inflated stream, also those before the fault; -1 if unknown.
        class_name (str): the class of an object; "" if unknown.
        count (int): how many objects or levels were lost; -1 if unknown.
    """

    kind: str
    name: str
    path: tuple[str | int, ...]
    size: int
    class_name: str = ""
    count: int = 1
