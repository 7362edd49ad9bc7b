"""The values that a save has by the hundred thousand. `streamsave.values` has them, too, and all others.

They are written out by hand, as the events are: compiled, making one takes a tenth of the time that a frozen attrs class takes.
They are read-only: type checkers refuse to assign to a field, and compiled, that raises `AttributeError`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from streamsave._fields import name_fields

__all__ = [
    "DynamicStruct",
    "FrequentValue",
    "Guid",
    "InventoryItem",
    "LinearColor",
    "ObjectReference",
    "Quat",
    "Rotator",
    "Transform",
    "Vector",
    "guid_text",
]

#: The four words of a GUID, as they are stored and as they are printed; and the empty GUID.
words_of: Final = struct.Struct("<4I").unpack
big_words: Final = struct.Struct(">4I").pack
ZERO: Final = bytes(16)
ZERO_TEXT: Final = "00000000-00000000-00000000-00000000"


@mypyc_attr(acyclic=True)  # the garbage collector need not look into numbers and strings
class FrequentValue:
    """Base class of these values and of events: equal by their fields, hashable, and printed as attrs prints a class.

    `__match_args__` has the names of all fields.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()
    __slots__ = ()

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.__match_args__])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrequentValue) or type(self) is not type(other):
            return NotImplemented
        # One by one, as attrs compares: a tuple takes a NaN for equal to itself.
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        values = zip(self.__match_args__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in values])})"

    def __reduce__(self) -> tuple[type[FrequentValue], tuple[object, ...]]:
        return type(self), self._values()


@mypyc_attr(acyclic=True)
class Numbers(FrequentValue):
    """Base class of values of a few numbers. They unpack, and are indexed, as a tuple of these: `x, y, z = place`."""

    __slots__ = ()

    def __iter__(self) -> Iterator[float]:
        return iter([getattr(self, name) for name in self.__match_args__])

    def __getitem__(self, index: int) -> float:
        number: float = getattr(self, self.__match_args__[index])
        return number

    def __len__(self) -> int:
        return len(self.__match_args__)


@mypyc_attr(acyclic=True)
class ObjectReference(FrequentValue):
    """Reference to an Unreal object: the level and the path name of the target. Both empty: no target.

    Attributes:
        level_name (str): level of the target; "" for an asset, or without a target.
        path_name (str): path of the target in the level, or of the asset; "" without a target.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("level_name", "path_name")
    __slots__ = __match_args__

    def __init__(self, level_name: str, path_name: str) -> None:
        self.level_name: Final = level_name
        self.path_name: Final = path_name


@mypyc_attr(acyclic=True)
class Transform(FrequentValue):
    """Place of an actor: rotation as a quaternion x, y, z, w; translation in centimetres; scale.

    Attributes:
        rotation (tuple[float, float, float, float]): a quaternion: x, y, z, w.
        translation (tuple[float, float, float]): x, y, z, in the unit of the save (Unreal: centimetres).
        scale (tuple[float, float, float]): along x, y, z; 1 is the size as made.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("rotation", "translation", "scale")
    __slots__ = __match_args__

    def __init__(
        self,
        rotation: tuple[float, float, float, float],
        translation: tuple[float, float, float],
        scale: tuple[float, float, float],
    ) -> None:
        self.rotation: Final = rotation
        self.translation: Final = translation
        self.scale: Final = scale


@mypyc_attr(acyclic=True)
class Vector(Numbers):
    """Three numbers: a place, a direction, a scale.

    Attributes:
        x (float): in the unit of the save.
        y (float): the same.
        z (float): the same.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    __slots__ = __match_args__

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x: Final = x
        self.y: Final = y
        self.z: Final = z


@mypyc_attr(acyclic=True)
class Quat(Numbers):
    """A rotation as a quaternion.

    Attributes:
        x (float): of the axis.
        y (float): of the axis.
        z (float): of the axis.
        w (float): of the angle.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("x", "y", "z", "w")
    __slots__ = __match_args__

    def __init__(self, x: float, y: float, z: float, w: float) -> None:
        self.x: Final = x
        self.y: Final = y
        self.z: Final = z
        self.w: Final = w


@mypyc_attr(acyclic=True)
class Rotator(Numbers):
    """A rotation in degrees.

    Attributes:
        pitch (float): in degrees.
        yaw (float): in degrees.
        roll (float): in degrees.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("pitch", "yaw", "roll")
    __slots__ = __match_args__

    def __init__(self, pitch: float, yaw: float, roll: float) -> None:
        self.pitch: Final = pitch
        self.yaw: Final = yaw
        self.roll: Final = roll


@mypyc_attr(acyclic=True)
class LinearColor(Numbers):
    """A colour of floats; channels beyond 1 are brighter than white.

    Attributes:
        r (float): red, from 0.
        g (float): green, from 0.
        b (float): blue, from 0.
        a (float): opacity: 1 is opaque.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("r", "g", "b", "a")
    __slots__ = __match_args__

    def __init__(self, r: float, g: float, b: float, a: float) -> None:
        self.r: Final = r
        self.g: Final = g
        self.b: Final = b
        self.a: Final = a


@mypyc_attr(acyclic=True)
class Guid(FrequentValue):
    """A GUID as Unreal prints it: four little-endian 32-bit words, in upper-case hexadecimal.

    Attributes:
        data (bytes): its 16 bytes, as stored.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("data",)
    __slots__ = __match_args__

    def __init__(self, data: bytes) -> None:
        self.data: Final = data

    def __repr__(self) -> str:
        return f"<Guid {guid_text(self.data)}>"

    def __str__(self) -> str:
        return guid_text(self.data)


def guid_text(data: bytes) -> str:
    """Return the 16 bytes of a GUID as Unreal prints it."""
    if data == ZERO:  # in a world of Palworld, nearly half of them
        return ZERO_TEXT
    # To swap the bytes of each word takes half of the time that it takes to write four numbers.
    return big_words(*words_of(data)).hex("-", 4).upper()


class DynamicStruct(FrequentValue):
    """A struct whose type is stored beside it: the type, and its properties (its bytes, if they are no property list).

    Attributes:
        script_struct (ObjectReference): the type.
        value (object): the properties by name; `bytes` if they are no property list.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("script_struct", "value")
    __slots__ = __match_args__

    def __init__(self, script_struct: ObjectReference, value: object) -> None:
        self.script_struct: Final = script_struct
        self.value: Final = value


class InventoryItem(FrequentValue):
    """An item in an inventory or on a belt, with its state: a `DynamicStruct`, a reference to an actor (older saves), or None.

    Attributes:
        item (ObjectReference): the class of the item; without a target for an empty slot.
        state (DynamicStruct | ObjectReference | None): its state: a `DynamicStruct`; a reference to an actor in older saves; None
            without state.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("item", "state")
    __slots__ = __match_args__

    def __init__(self, item: ObjectReference, state: DynamicStruct | ObjectReference | None) -> None:
        self.item: Final = item
        self.state: Final = state


for _kind in (ObjectReference, Transform, Vector, Quat, Rotator, LinearColor, Guid, DynamicStruct, InventoryItem):
    name_fields(_kind, _kind.__match_args__)
