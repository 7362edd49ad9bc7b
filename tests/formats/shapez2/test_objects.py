"""Islands, buildings and states: their headers, and counts at what fits."""

from __future__ import annotations

import struct

import pytest
from shapez2_cursors import reader_over

from streamsave import DamagedSave, Field, ObjectHeader
from streamsave.events import Event
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS
from streamsave.formats.shapez2.members import STATES
from streamsave.formats.shapez2.objects import (
    BUILDING_SIZE,
    ISLAND_SIZE,
    STATE_SIZE,
    ObjectWalker,
    blob_of,
)

TABLE = ["Island", "Building"]
NO_BUILDINGS = b"\0" + struct.pack("<ii", 4, 0)
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


def test_least_sizes():
    """What the objects take in a save without checkpoints, where all that may be empty is."""
    assert ISLAND_SIZE + len(NO_BUILDINGS) == len(island(NO_BUILDINGS))
    assert len(BUILDING) == BUILDING_SIZE
    assert struct.calcsize("<iihii") == STATE_SIZE


def test_an_island_with_a_building():
    content = b"\0" + struct.pack("<ii", 4 + len(BUILDING), 1) + BUILDING
    found = headers(walked(struct.pack("<i", 1) + island(content)))
    assert [(each.kind, each.class_name, each.instance_name, each.outer, each.flags) for each in found] == [
        ("island", "Island", "(7, -8, 1)", "", 2),
        ("building", "Building", "(7, -8, 1):(-1, 2, 3)", "(7, -8, 1)", 1),
    ]
    assert {(each.level, each.save_version) for each in found} == {("member", 1138)}
    assert (found[0].offset, found[0].header_size, found[0].size) == (4, 15, 4 + len(content))
    assert (found[1].header_size, found[1].size) == (len(BUILDING), 0)


def test_states_have_names_of_their_own():
    record = struct.pack("<iihii", 1, 2, 3, 1, 4) + struct.pack("<i", -(1 << 31))
    found = headers(walked((struct.pack("<i", 1) + record) * 2, states=True))
    assert [(each.kind, each.instance_name) for each in found] == [
        ("island state", "island state:(1, 2, 3)"),
        ("building state", "building state:(1, 2, 3)"),
    ]


@pytest.mark.parametrize("count", [2, 3])
def test_counts_at_what_fits_and_one_above(count):
    """Room for two of the least size: three are refused before anything is read of them."""
    for least, states, data in (
        (ISLAND_SIZE, False, b""),
        (STATE_SIZE, True, b""),
        (BUILDING_SIZE, False, BUILDING * 2),
    ):
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


def test_blobs_by_id():
    name = "LabelDefaultInternalVariant"
    known = blob_of("Configuration", name, BUILDING_CONFIGURATIONS)
    assert (known.name, known.content) == ("LabelConfig", BUILDING_CONFIGURATIONS[name])
    unknown = blob_of("Configuration", "New", BUILDING_CONFIGURATIONS)
    assert (unknown.content, unknown.reason) == (None, "configuration of unknown id New")
    assert blob_of("State", "TrashState", STATES).content is STATES["TrashState"]
    assert (blob_of("State", "New", STATES).content, blob_of("State", "New", STATES).reason) == (None, "state of unknown id New")
