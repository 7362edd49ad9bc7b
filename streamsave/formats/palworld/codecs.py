"""Values that only Palworld's `RawData` has, and structs that several of its layouts have.

A value raises `DamagedSave` where the bytes cannot be such a value.

A layout is only believed if it takes the bytes exactly, so that bools and zeros are checked while they are passed over, too.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import (
    F32,
    F64,
    I32,
    STRING,
    U8,
    U32,
    Array,
    BuildContext,
    Codec,
    Scalar,
    Struct,
    encode_each,
    list_of,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.errors import EditError
from streamsave.formats.palworld.versions import CHAIN, Member
from streamsave.formats.unreal.codecs import GUID
from streamsave.values import LinearColor, Quat, Rotator, Vector

__all__ = [
    "BYTE_ARRAY",
    "CLASS_END",
    "COLOR",
    "CONNECTOR",
    "END",
    "FLAG",
    "INSTANCE_ID",
    "ITEM_AND_COUNT",
    "ITEM_ID",
    "MARKER",
    "PACKED_ROTATOR",
    "PACKED_VECTOR",
    "PERMISSION",
    "QUAT",
    "STRINGS",
    "TRANSFORM",
    "TRIED_PLAYER",
    "VECTOR",
    "Connectors",
    "Constant",
]

FULL_TURN: Final = 360.0

#: Bits of the first number of a packed vector: how many bits a component has, and a flag.
COMPONENT_BITS: Final = 0x3F
VECTOR_FLAG: Final = 0x40
#: Larger components are written as plain numbers: they have more bits than a double has for integers.
LARGEST_COMPONENT: Final = 1 << 53


class Constant(Codec):
    """A number that always has one value, or one that says what follows.

    Args:
        number: its codec, `I32` or `U8`.
        value: the value.
        message: says what it means that there is another one.
    """

    def __init__(self, number: Codec, value: i64, message: str = "another kind") -> None:
        super().__init__(number.name, -1, number.size)
        self._number = number
        self._value: i64 = value
        self._message = message

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        value = cursor.i32() if self.least == 4 else cursor.u8()
        if value != self._value:
            raise cursor.damaged(self._message, offset=cursor.tell() - self.least, expected=int(self._value), actual=value)
        return value

    def encode(self, value: object, encoder: Encoder) -> None:
        if value != self._value:
            raise EditError(self._message, value, int(self._value))
        self._number.encode(value, encoder)


class PackedRotator(Codec):
    """Three angles: `u8`, and if that is 1 a `u16`, the part of a full turn."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        pitch = _angle(cursor)
        yaw = _angle(cursor)
        return Rotator(pitch, yaw, _angle(cursor))

    def encode(self, value: object, encoder: Encoder) -> None:
        rotator = typed(value, Rotator, "a Rotator")
        for angle in (rotator.pitch, rotator.yaw, rotator.roll):
            if not -FULL_TURN <= angle <= FULL_TURN:  # nor is NaN
                raise EditError("no angle", angle, "degrees of one turn")
            part = round(angle * 65536.0 / FULL_TURN) & 0xFFFF  # a turn more or less is the same angle
            U8.encode(1 if part else 0, encoder)
            if part:
                encoder.integer(part, 2, signed=False)


def _angle(cursor: Cursor) -> float:
    """Read an angle in degrees: the part of a full turn; one that is not stored is 0."""
    is_stored = cursor.u8()
    if is_stored != 0 and is_stored != 1:
        raise cursor.damaged("not an angle", offset=cursor.tell() - 1, expected="0 or 1", actual=is_stored)
    part: int = cursor.u16() if is_stored == 1 else 0
    return part * FULL_TURN / 65536.0


class PackedVector(Codec):
    """`u32`: how many bits a component has, and a flag; three components, or plain numbers if it has no bits.

    A component is a signed integer in as few bytes as it needs. With the flag, plain numbers are doubles.
    """

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        head = cursor.u32()
        if head > COMPONENT_BITS + VECTOR_FLAG:
            raise cursor.damaged("not a packed vector", offset=cursor.tell() - 4, expected="at most 127", actual=head)
        bits = head & COMPONENT_BITS
        if bits == 0:
            if head & VECTOR_FLAG:
                return Vector(cursor.f64(), cursor.f64(), cursor.f64())
            return Vector(cursor.f32(), cursor.f32(), cursor.f32())
        x = _component(cursor, bits)
        y = _component(cursor, bits)
        return Vector(x, y, _component(cursor, bits))

    def encode(self, value: object, encoder: Encoder) -> None:
        vector = typed(value, Vector, "a Vector")
        components = (vector.x, vector.y, vector.z)
        if all(component.is_integer() and abs(component) < LARGEST_COMPONENT for component in components):
            numbers = [int(component) for component in components]
            bits = max(1 + (number if number >= 0 else ~number).bit_length() for number in numbers)
            U32.encode(bits | VECTOR_FLAG, encoder)
            for number in numbers:
                encoder.put(number.to_bytes((bits + 7) // 8, "little", signed=True))
        else:
            U32.encode(VECTOR_FLAG, encoder)
            for component in components:
                F64.encode(component, encoder)


def _component(cursor: Cursor, bits: i64) -> float:
    """Read a signed integer of that many bits; the bytes may have more."""
    sign = 1 << int(bits - 1)
    value = int.from_bytes(cursor.block((bits + 7) // 8), "little") & (2 * sign - 1)
    return float((value ^ sign) - sign)


class Connectors(Codec):
    """Connectors up to `left` bytes before the end: `u8 index; u32 n; n * (guid, u8)`.

    They are not counted. Their field ends where the last one does, so that decoding the field goes up to its end.
    """

    def __init__(self, left: i64) -> None:
        super().__init__("Connector[]", -1, 0)
        self._left: i64 = left

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        while cursor.remaining() > self._left:
            CONNECTOR.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        connectors: list[object] = []
        while cursor.remaining() > 0:
            connectors.append(CONNECTOR.decode(cursor, context))
        return connectors

    def encode(self, value: object, encoder: Encoder) -> None:
        encode_each(CONNECTOR, list_of(value), encoder)


CONNECTION: Final = Struct("PalConnection", None, connect_to_model_instance_id=GUID, index=U8)
CONNECTOR: Final = Struct("PalConnector", None, index=U8, connections=Array(CONNECTION))
#: An i32 that is always 0: the fields of one class of the inheritance chain end here.
CLASS_END: Final[Codec] = Constant(I32, 0, "the fields of a class do not end here")
FLAG: Final[Codec] = Scalar("bool32", 4, Cursor.bool32, is_checked=True)
PACKED_ROTATOR: Final[Codec] = PackedRotator("Rotator", -1, 3)
PACKED_VECTOR: Final[Codec] = PackedVector("Vector", -1, 7)


#: The end of the fields of one class.
END: Final = Member("class_end", CLASS_END, CHAIN)

VECTOR: Final = Struct("Vector", Vector, x=F64, y=F64, z=F64)
QUAT: Final = Struct("Quat", Quat, x=F64, y=F64, z=F64, w=F64)
TRANSFORM: Final = Struct("Transform", None, rotation=QUAT, translation=VECTOR, scale_3d=VECTOR)
COLOR: Final = Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)

BYTE_ARRAY: Final[Codec] = Array(U8)
STRINGS: Final[Codec] = Array(STRING)

#: An item: which one, and its entry among the dynamic items.
ITEM_ID: Final = Struct("PalItemId", None, static_id=STRING, created_world_id=GUID, local_id_in_created_world=GUID)
ITEM_AND_COUNT: Final = Struct("PalItemAndNum", None, item_id=ITEM_ID, num=U32)
#: A character.
INSTANCE_ID: Final = Struct("PalInstanceId", None, player_uid=GUID, instance_id=GUID)
#: Which items a slot or container takes.
PERMISSION: Final = Struct("PalItemPermission", None, type_a=BYTE_ARRAY, type_b=BYTE_ARRAY, item_static_ids=STRINGS)

#: A mark on the map of a guild.
MARKER: Final = Struct("PalGuildMarker", None, id=GUID, location=VECTOR, icon=I32, owner=GUID)
#: A player who has tried the password of a lock.
TRIED_PLAYER: Final = Struct("PalTriedPlayer", None, player_uid=GUID, try_failed_count=I32, is_successful=FLAG)
