"""Each member that is a table: what the writer writes is taken to its last byte."""

from __future__ import annotations

import struct

import pytest
from shapez2_cursors import decoded, reader_over, walked
from shapez2_worlds import members_of
from writer.shapez2_samples import full_save, save_bytes

from streamsave import BlobSkip, DamagedSave
from streamsave.formats.shapez2.header import FluidOnTrack
from streamsave.formats.shapez2.members import MEMBERS, Hold
from streamsave.formats.shapez2.primitives import FLUID_PACKAGE


def strings_of(data: bytes) -> list[str]:
    """The table of strings.bin."""
    found = []
    at = 4
    for _ in range(int.from_bytes(data[:4], "little")):
        (size,) = struct.unpack_from("<i", data, at)
        found.append(data[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return found


@pytest.mark.parametrize("checkpoints", [True, False])
@pytest.mark.parametrize("name", MEMBERS)
def test_each_member(name, checkpoints):
    members = members_of(save_bytes(full_save(checkpoints=checkpoints, padded=False)))
    table = strings_of(members["strings.bin"])
    events = walked(MEMBERS[name], members[name], table=table, checkpoints=checkpoints)
    assert events
    assert {event.reason for event in events if isinstance(event, BlobSkip)} <= {"tracker of unknown layout"}


def test_hold():
    hold = Hold(FLUID_PACKAGE)
    data = struct.pack("<hh", 1, 9) + struct.pack("<h", 2) + b"\0"
    assert decoded(hold, data) == {"capacity": 9, "packages": [FluidOnTrack(2, None)]}
    assert decoded(hold, struct.pack("<hh", 0, -1)) == {"capacity": -1, "packages": []}
    with pytest.raises(DamagedSave, match="number of packages") as caught:
        reader = reader_over(struct.pack("<hh", -1, 9))
        hold.measure(reader.cursor, reader)
    assert (caught.value.offset, caught.value.actual) == (0, -1)
