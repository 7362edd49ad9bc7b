"""Values that only Palworld's `RawData` has: by hand-made bytes, decoded and passed over."""

import struct

import pytest
from cursors import Uncounted, cursor_over
from writer.primitives import doubles, floats, i32, u8, u32

from streamsave import DamagedSave
from streamsave.decode.codecs import U8, BuildContext
from streamsave.decode.encoder import Encoder
from streamsave.formats.palworld.codecs import CLASS_END, FLAG, PACKED_ROTATOR, PACKED_VECTOR, Connectors, Constant
from streamsave.values import Guid, Rotator, Vector

KEY = bytes(range(16))
TURN = u8(1) + struct.pack("<H", 0x4000)

VALUES = [
    (CLASS_END, i32(0), 0),
    (FLAG, i32(1), True),
    (FLAG, i32(0), False),
    (Constant(U8, 2), u8(2), 2),
    (PACKED_ROTATOR, bytes(3), Rotator(0.0, 0.0, 0.0)),
    (PACKED_ROTATOR, u8(0) + TURN + u8(0), Rotator(0.0, 90.0, 0.0)),
    (PACKED_ROTATOR, TURN * 3, Rotator(90.0, 90.0, 90.0)),
    (PACKED_VECTOR, u32(0) + floats((1.0, 2.0, -3.0)), Vector(1.0, 2.0, -3.0)),
    (PACKED_VECTOR, u32(64) + doubles((1.0, 2.0, -3.0)), Vector(1.0, 2.0, -3.0)),
    (PACKED_VECTOR, u32(8) + b"\x7f\x80\xff", Vector(127.0, -128.0, -1.0)),
    # The bytes may have more bits than the number, as the game writes them or without: they are the same number.
    (PACKED_VECTOR, u32(64 | 10) + b"\x00\xfe\xff\x03\x01\x00", Vector(-512.0, -1.0, 1.0)),
    (PACKED_VECTOR, u32(20) + b"\xba\xa5\xfa" + b"\xba\xa5\x0a" + b"\x01\0\0", Vector(-350_790.0, -350_790.0, 1.0)),
    (PACKED_VECTOR, u32(63) + bytes(8) * 2 + b"\xff" * 8, Vector(0.0, 0.0, -1.0)),
    (Connectors(0), b"", []),
    (Connectors(0), u8(3) + i32(0), [{"index": 3, "connections": []}]),
    (
        Connectors(0),
        (u8(1) + i32(1) + KEY + u8(9)) * 2,
        [{"index": 1, "connections": [{"connect_to_model_instance_id": Guid(KEY), "index": 9}]}] * 2,
    ),
]

FAULTS = [
    (CLASS_END, i32(1)),
    (CLASS_END, i32(-1)),
    (FLAG, i32(2)),
    (Constant(U8, 2), u8(1)),
    (PACKED_ROTATOR, b"\0\0\2"),
    (PACKED_VECTOR, u32(128) + bytes(100)),
    (PACKED_VECTOR, u32(20) + bytes(8)),
    (Connectors(0), u8(1) + i32(1) + KEY),
    (Connectors(0), u8(1) + i32(-1)),
    (Connectors(0), u8(1)),
]


@pytest.mark.parametrize(("codec", "data", "value"), VALUES)
def test_values(codec, data, value):
    for act in (codec.decode, codec.measure):
        cursor = cursor_over(data)
        made = act(cursor, Uncounted())
        assert cursor.tell() == len(data)
        if act == codec.decode:
            assert made == value
            assert type(made) is type(value)


@pytest.mark.parametrize(
    ("angle", "stored"), [(-90.0, 0xC000), (270.0, 0xC000), (-359.0, 182), (359.999, 0), (360.0, 0), (-360.0, 0), (-0.001, 0)]
)
def test_an_angle_may_be_a_turn_more_or_less(angle, stored):
    expected = u8(1) + struct.pack("<H", stored) if stored else u8(0)
    assert PACKED_ROTATOR.encoded(Rotator(0.0, angle, 0.0), Encoder()) == u8(0) + expected + u8(0)


@pytest.mark.parametrize(("codec", "data"), FAULTS)
def test_what_cannot_be_such_a_value_is_not_passed_over_either(codec, data):
    for act in (codec.decode, codec.measure):
        cursor = cursor_over(data)
        with pytest.raises(DamagedSave):
            act(cursor, Uncounted())


@pytest.mark.parametrize(("codec", "data"), FAULTS[:4])
def test_a_wrong_constant_is_where_it_is(codec, data):
    cursor = cursor_over(b"x" + data)
    cursor.u8()
    with pytest.raises(DamagedSave) as caught:
        codec.decode(cursor, Uncounted())
    assert caught.value.offset == 1


@pytest.mark.parametrize("left", [4, 8])
def test_connectors_end_before_what_is_left(left):
    cursor = cursor_over(u8(1) + i32(0) + bytes(left))
    Connectors(left).measure(cursor, Uncounted())
    assert cursor.tell() == 5


def test_connections_count_as_values():
    spent = []

    class Counting(Uncounted):
        def spend(self, nodes: int, size: int) -> None:
            spent.append(nodes)

    cursor = cursor_over(u8(1) + i32(2) + (KEY + u8(9)) * 2)
    Connectors(0).decode(cursor, Counting())
    assert sum(spent) == 2 + 2 + 2 * 2  # members, connections, members of these


@pytest.mark.parametrize("component", [0.5, -1.5, 2.0**53 - 1, 2.0**53, -(2.0**53), 1e300])
def test_a_packed_vector_keeps_what_is_no_small_integer(component):
    """As integers where all are below 2 ** 53, else as doubles: nothing is rounded."""
    vector = Vector(1.0, component, -3.0)
    encoder = Encoder()
    PACKED_VECTOR.encode(vector, encoder)
    cursor = cursor_over(bytes(encoder.data))
    assert PACKED_VECTOR.decode(cursor, BuildContext()) == vector
    assert cursor.remaining() == 0
