"""Headers of objects: three ways to read one, which end at the same place."""

import pickle
import struct

import attrs
import pytest
from cursors import Uncounted, cursor_over
from writer.primitives import Ref, bool32, fstring, ref, u32

from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec, header_layout
from streamsave.values import Quat, Vector

PLACE = struct.pack("<I10fI", 1, *range(1, 11), 1)


def header_bytes(*, actor: bool, flags: bool) -> bytes:
    start = bool32(actor) + fstring("/Game/A.A_C") + ref(Ref("Level", "A_1")) + (u32(0x80000008) if flags else b"")
    return start + (PLACE if actor else fstring("Owner"))


@pytest.mark.parametrize("needed", [0, 1, 256])
@pytest.mark.parametrize("placed", [0, 1, 1 << 24])
def test_the_bools_around_a_place(needed, placed):
    """As four bytes of `struct`; any but 0 is true."""
    place = struct.pack("<I10fI", needed, *range(10), placed)
    codec = ObjectHeaderCodec(36)
    codec.decode(cursor_over(bool32(True) + fstring("A") * 3 + place))
    event = codec.event(36, 4, 0, 0, 0)
    assert (event.need_transform, event.was_placed_in_level) == (needed != 0, placed != 0)
    assert event.migrate_references is None
    for copy in (pickle.loads(pickle.dumps(event)), attrs.evolve(event)):  # noqa: S301 - our own
        assert copy == event
        assert (copy.need_transform, copy.was_placed_in_level) == (needed != 0, placed != 0)


@pytest.mark.parametrize("version", [25, 48, 49, 60])
@pytest.mark.parametrize("is_actor", [True, False])
def test_the_rows_of_the_layout(is_actor, version):
    """The code that is fast and the rows say the same of each field."""
    data = header_bytes(actor=is_actor, flags=version >= 49)
    layout = header_layout(version, is_actor=is_actor)
    cursor = cursor_over(data + b"next")
    row = layout.decode(cursor, Uncounted())
    assert cursor.tell() == len(data)
    cursor = cursor_over(data + b"next")
    layout.measure(cursor, Uncounted())
    assert cursor.tell() == len(data)
    codec = ObjectHeaderCodec(version)
    codec.decode(cursor_over(data))
    event = codec.event(version, 12, 0, 0, 0)
    assert (row["is_actor"], row["class_name"]) == (is_actor, event.class_name)
    assert (row["level"], row["instance_name"]) == (event.level, event.instance_name)
    assert row.get("object_flags", 0) == event.flags
    assert row.get("outer", "") == event.outer
    place = row.get("place", {})
    transform = event.transform
    assert place == (
        {}
        if transform is None
        else {
            "need_transform": event.need_transform,
            "rotation": Quat(*transform.rotation),
            "translation": Vector(*transform.translation),
            "scale": Vector(*transform.scale),
            "was_placed_in_level": event.was_placed_in_level,
        }
    )
