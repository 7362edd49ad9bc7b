"""How levels are stored: how many headers fit; whole saves have each version gate."""

import pytest
from cursors import cursor_over
from writer.primitives import i32

from streamsave import DamagedSave
from streamsave.formats.satisfactory.level_layout import LevelLayout
from streamsave.formats.satisfactory.object_header import LEAST_HEADER


@pytest.mark.parametrize("room", [0, 1, 3])
@pytest.mark.parametrize("spare", [0, LEAST_HEADER - 1])
@pytest.mark.parametrize("sized", [True, False])
def test_as_many_headers_as_there_is_room_for(room, spare, sized):
    """One more is refused, before anything is made for them."""
    size = room * LEAST_HEADER + spare
    layout = LevelLayout(52)
    for count in (0, room):
        data = i32(count) + bytes(size)
        end = len(data) if sized else -1
        assert layout.header_count(cursor_over(data + b"more" * sized), end) == count
    for count in (room + 1, -1, (1 << 31) - 1):
        data = i32(count) + bytes(size)
        end = len(data) if sized else -1
        with pytest.raises(DamagedSave, match="objects do not fit") as error:
            layout.header_count(cursor_over(data + b"more" * sized), end)
        assert (error.value.offset, error.value.expected, error.value.actual) == (0, f"0 to {room}", count)
