"""Where the sizes of records are."""

from __future__ import annotations

import pytest

from streamsave import ObjectHeader, StructEnter
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.formats.astroneer.record_lengths import block_length, has_custom_data, record_lengths
from streamsave.input.windows import BytesWindows
from streamsave.limits import Limits


@pytest.mark.parametrize(
    ("save_flags", "lengths"),
    [
        (0x02, [Length(16, 4, counts=False)]),
        (0x04, [Length(12, 4, counts=False, end=25), Length(16, 4, counts=False)]),
        (0x3F, [Length(12, 4, counts=False, end=25), Length(16, 4, counts=False)]),
    ],
)
def test_an_object(save_flags, lengths):
    header = ObjectHeader(0, "object", "C", "c", "", "", None, 0xFFFFFFFF | save_flags << 32, 41, 20, 0, 20, 9)
    cursor = Cursor(BytesWindows(bytes(12) + b"\5\0\0\0" + b"\x09\0\0\0" + bytes(9)), Limits())
    assert record_lengths(header, cursor) == lengths
    assert has_custom_data(header) == (len(lengths) == 2)


def test_a_voxel_block():
    assert block_length(StructEnter(30, "voxel_blocks", "VoxelBlock", 0, 36, 0, -1)) == [Length(38, 4, counts=False)]
