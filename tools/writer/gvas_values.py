"""Values that only save games have, or have otherwise: types of properties, and structs with a binary layout of their own.

LWC = f64 from UE5 1004 on, f32 before.

+-----------------------+--------------------------------------------------------------+
| objects, classes, ... | FString                                                      |
| LazyObject            | 16 bytes                                                     |
| delegate              | FString object, function; multicast: i32 n; n * delegate     |
| Utf8Str, VerseString, |                                                              |
| AnsiStr               | i32 n; n bytes                                               |
| FieldPath             | i32 n; n * FString; [FString owner]                          |
| Text                  | FText, as the custom versions have it                        |
| Optional              | bool32; [value]                                              |
+-----------------------+--------------------------------------------------------------+
| Timespan              | i64 ticks                                                    |
| Vector2f, Vector3f, ..| 2, 3, 4 f32                                                  |
| Vector2d, Vector3d, ..| 2, 3, 4 f64                                                  |
| Box2D                 | 4 LWC; u8 valid                                              |
| Matrix, TwoVectors    | 16, 6 LWC                                                    |
| FrameNumber           | i32                                                          |
| RichCurveKey          | 3 u8; 6 f32                                                  |
| KeyHandleMap          | nothing                                                      |
| GameplayTagContainer  | i32 n; n * FString                                           |
| TopLevelAssetPath     | FString package, asset                                       |
| PerPlatform...        | bool32 cooked; value; not cooked: i32 n; n (FString; value)  |
| UniqueNetIdRepl       | i32 size; not 0: [FString type]; FString contents            |
| InstancedStruct       | FString struct; i32 size; property list                      |
+-----------------------+--------------------------------------------------------------+
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from attrs import field, frozen

from writer.dialect import Dialect
from writer.gvas import CORE_FIELD_OWNER, CORE_OBJECT, UE4_NET_ID_TYPE, GameDialect
from writer.primitives import bool32, counted, doubles, f32, floats, fstring, i32, i64, sized, u8
from writer.structs import lwc
from writer.tags import CORE, Encoded, Native, Props, PropType, TypeName, property_list
from writer.text import FText, ftext

T = TypeVar("T")


def _game(dialect: Dialect) -> GameDialect:
    """The dialect of a save game: these values are in no other."""
    if not isinstance(dialect, GameDialect):
        raise TypeError(dialect)
    return dialect


# --- types ---


@frozen
class GameText(PropType[FText]):
    """A text."""

    name: str = "TextProperty"

    def element(self, value: FText, dialect: Dialect) -> bytes:
        """As the custom versions have it."""
        return ftext(value, _game(dialect).text_spelling)


@frozen
class Field:
    """A path to a field of a class: names from the innermost one outwards, and who owns it."""

    names: Sequence[str]
    owner: str = ""


@frozen
class FieldPath(PropType[Field]):
    """A reference to a field."""

    name: str = "FieldPathProperty"

    def element(self, value: Field, dialect: Dialect) -> bytes:
        """Names, and the owner from 4.25 on."""
        has_owner = _game(dialect).custom_version(CORE_OBJECT) >= CORE_FIELD_OWNER
        return counted(value.names, fstring) + (fstring(value.owner) if has_owner else b"")


@frozen
class Optional(PropType[T | None]):
    """A value that may not be there."""

    inner: PropType[T]
    name: str = field(default="OptionalProperty", kw_only=True)

    def type_name(self) -> TypeName:
        """OptionalProperty(inner)."""
        return TypeName(self.name, (self.inner.type_name(),))

    def extras(self, _value: T | None) -> bytes:
        """The inner type."""
        return fstring(self.inner.name)

    def binary(self) -> bool:
        """As what is in it."""
        return self.inner.binary()

    def element(self, value: T | None, dialect: Dialect) -> bytes:
        """Whether there is one, and it."""
        return bool32(False) if value is None else bool32(True) + self.inner.element(value, dialect)


def delegate(value: tuple[str, str]) -> bytes:
    """An object and its function."""
    return fstring(value[0]) + fstring(value[1])


def path_type(name: str) -> PropType[str]:
    """A reference to an object or a class, which is the text of a path."""
    return Encoded(name, fstring)


def multicast(name: str) -> PropType[Sequence[tuple[str, str]]]:
    """Many delegates."""
    return Encoded(name, lambda values: counted(values, delegate))


def utf8_type(name: str) -> PropType[str]:
    """A string of bytes."""
    return Encoded(name, lambda text: sized(text.encode()))


PATHS = (
    "ObjectProperty",
    "ClassProperty",
    "InterfaceProperty",
    "WeakObjectProperty",
    "AssetObjectProperty",
    "AssetClassProperty",
)
MULTICASTS = ("MulticastDelegateProperty", "MulticastInlineDelegateProperty", "MulticastSparseDelegateProperty")
UTF8_STRINGS = ("Utf8StrProperty", "VerseStringProperty", "AnsiStrProperty")

GAME_TEXT = GameText()
FIELD_PATH = FieldPath()
LAZY_OBJECT: PropType[bytes] = Encoded("LazyObjectProperty", bytes)
DELEGATE: PropType[tuple[str, str]] = Encoded("DelegateProperty", delegate)

# --- structs ---


@frozen
class Bounds2D:
    """A box on a map: two corners and whether it holds anything."""

    minimum: Sequence[float]
    maximum: Sequence[float]
    valid: bool = True


@frozen
class Platforms:
    """A value for all platforms, or, uncooked, others for some."""

    default: Any
    others: Sequence[tuple[str, Any]] | None = None


@frozen
class NetId:
    """A player's id at an online service."""

    type: str
    contents: str


@frozen
class Instanced:
    """A struct whose type is stored with it."""

    struct: str
    fields: Props = ()


def _bounds(value: Bounds2D, dialect: Dialect) -> bytes:
    return lwc((*value.minimum, *value.maximum), dialect) + u8(value.valid)


def _curve_key(value: tuple[bytes, Sequence[float]], _dialect: Dialect) -> bytes:
    return value[0] + floats(value[1])


def _net_id(value: NetId | None, dialect: Dialect) -> bytes:
    if value is None:
        return i32(0)
    named = fstring(value.type) if _game(dialect).ue4 >= UE4_NET_ID_TYPE else b""
    return i32(len(value.contents) + 1) + named + fstring(value.contents)


def _instanced(value: Instanced, dialect: Dialect) -> bytes:
    return fstring(value.struct) + sized(property_list(value.fields, dialect))


def _native(name: str, encode: Callable[[Any, Dialect], bytes]) -> Native[Any]:
    return Native(name, CORE, encode=encode)


def _plain(name: str, encode: Callable[[Any], bytes]) -> Native[Any]:
    return _native(name, lambda value, _dialect: encode(value))


def per_platform(name: str, encode: Callable[[Any], bytes]) -> Native[Platforms]:
    """A value by platform."""

    def platforms(value: Platforms) -> bytes:
        others = value.others
        rest = b"" if others is None else counted(others, lambda pair: fstring(pair[0]) + encode(pair[1]))
        return bool32(others is None) + encode(value.default) + rest

    return _plain(name, platforms)


TIMESPAN: Native[int] = _plain("Timespan", i64)
BOX2D: Native[Bounds2D] = _native("Box2D", _bounds)
#: Names of structs of so many numbers that are wide in large worlds, that never are, that always are.
REALS = {"Plane": 4, "Matrix": 16, "TwoVectors": 6}
SINGLES = {"Vector2f": 2, "Vector3f": 3, "Vector4f": 4, "Quat4f": 4}
DOUBLES = {"Vector2d": 2, "Vector3d": 3, "Vector4d": 4, "Quat4d": 4}
REAL_STRUCTS: dict[str, Native[Sequence[float]]] = {name: _native(name, lwc) for name in REALS}
SINGLE_STRUCTS: dict[str, Native[Sequence[float]]] = {name: _plain(name, floats) for name in SINGLES}
DOUBLE_STRUCTS: dict[str, Native[Sequence[float]]] = {name: _plain(name, doubles) for name in DOUBLES}
FRAME_NUMBER: Native[int] = _plain("FrameNumber", i32)
#: Three modes, six numbers.
RICH_CURVE_KEY: Native[tuple[bytes, Sequence[float]]] = _native("RichCurveKey", _curve_key)
KEY_HANDLE_MAP: Native[None] = _plain("KeyHandleMap", lambda _value: b"")
GAMEPLAY_TAGS: Native[Sequence[str]] = _plain("GameplayTagContainer", lambda names: counted(names, fstring))
ASSET_PATH: Native[tuple[str, str]] = _plain("TopLevelAssetPath", delegate)
PLATFORM_FLOAT = per_platform("PerPlatformFloat", f32)
PLATFORM_INT = per_platform("PerPlatformInt", i32)
PLATFORM_BOOL = per_platform("PerPlatformBool", bool32)
NET_ID: Native[NetId | None] = _native("UniqueNetIdRepl", _net_id)
INSTANCED: Native[Instanced] = _native("InstancedStruct", _instanced)
#: Weights, aliases, total weight.
SAMPLING: Native[tuple[Sequence[float], Sequence[int], float]] = _plain(
    "SkeletalMeshSamplingLODBuiltData",
    lambda value: counted(value[0], f32) + counted(value[1], i32) + struct.pack("<f", value[2]),
)
#: Structs that are a soft path.
SOFT_PATHS = ("SoftObjectPath", "SoftClassPath", "StringAssetReference", "StringClassReference")
