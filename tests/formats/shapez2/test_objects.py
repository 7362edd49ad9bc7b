"""Islands, buildings and states: their headers, and counts at what fits."""

import struct

import pytest
from shapez2_cursors import reader_over

from streamsave import DamagedSave, Field, ObjectHeader
from streamsave.events import Event
from streamsave.formats.shapez2.objects import BUILDING_SIZE, ISLAND_SIZE, STATE_SIZE, ObjectWalker

TABLE = ["Island", "Building"]
BUILDING = struct.pack("<hhBBi?", -1, 2, 3, 1, 1, False)


def walked(data: bytes, *, states: bool = False) -> list[Event]:
    reader = reader_over(data, TABLE)
    walker = ObjectWalker(reader, 1138)
    events = []
    for event in walker.states("member") if states else walker.islands("member"):
        events.append(event)
        if isinstance(event, Field):
            reader.cursor.seek(event.offset + event.size)
        reader.leave_leaf()
    return events


def headers(events: list[Event]) -> list[ObjectHeader]:
    return [event for event in events if isinstance(event, ObjectHeader)]


def island(data: bytes) -> bytes:
    return struct.pack("<iihiBi", 7, -8, 1, 0, 2, len(data)) + data


@pytest.mark.parametrize("count", [2, 3])
def test_counts_at_what_fits_and_one_above(count):
    """Room for two of the least size: three are refused before anything is read of them."""
    for least, states, data in ((ISLAND_SIZE, False, b""), (STATE_SIZE, True, b""), (BUILDING_SIZE, False, BUILDING * 2)):
        if data:
            whole = struct.pack("<i", 1) + island(b"\0" + struct.pack("<ii", 4 + len(data), count) + data)
        else:
            whole = struct.pack("<i", count) + bytes(2 * int(least))
        if count == 3:
            with pytest.raises(DamagedSave, match="count 3 does not fit"):
                walked(whole, states=states)
        elif data:
            assert len(headers(walked(whole))) == 3
        else:
            # The count is taken; blobs of no bytes are refused later.
            with pytest.raises(DamagedSave) as caught:
                walked(whole, states=states)
            assert "count 2" not in caught.value.message


def test_a_building_needs_the_room_of_its_configuration():
    data = struct.pack("<hhBBi?", 0, 0, 0, 0, 1, True) + struct.pack("<i", 2) + b"?"
    with pytest.raises(DamagedSave, match="size of a blob does not fit"):
        walked(struct.pack("<i", 1) + island(b"\0" + struct.pack("<ii", 4 + len(data), 1) + data))
