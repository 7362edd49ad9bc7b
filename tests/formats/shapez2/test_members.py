"""Each state, station and member that is a table: what the writer writes is taken to its last byte."""

import random
import struct

import pytest
from shapez2_cursors import decoded, reader_over, walked
from writer.shapez2_values import OPAQUE_STATES, STATES, Out, any_layout, put_layout

from streamsave import BlobSkip, DamagedSave, Field, StructEnter
from streamsave.formats.shapez2.header import FluidOnTrack
from streamsave.formats.shapez2.members import STATES as CODECS
from streamsave.formats.shapez2.members import hold
from streamsave.formats.shapez2.primitives import FLUID_PACKAGE


def test_hold():
    codec = hold(FLUID_PACKAGE)
    data = struct.pack("<hh", 1, 9) + struct.pack("<h", 2) + b"\0"
    assert decoded(codec, data) == {"capacity": 9, "packages": [FluidOnTrack(2, None)]}
    assert decoded(codec, struct.pack("<hh", 0, -1)) == {"capacity": -1, "packages": []}
    with pytest.raises(DamagedSave, match="count of Hold of") as caught:
        reader = reader_over(struct.pack("<hh", -1, 9))
        codec.measure(reader.cursor, reader)
    assert (caught.value.offset, caught.value.actual) == (0, -1)


def written(layout: str, *, checkpoints: bool, seed: int = 1) -> tuple[bytes, list[str]]:
    table: dict[str, int] = {}
    out = Out(checkpoints, table)
    put_layout(out, layout, any_layout(layout, random.Random(seed)))
    return bytes(out.data), list(table)


@pytest.mark.parametrize("checkpoints", [True, False])
@pytest.mark.parametrize("name", sorted(STATES))
def test_each_state(name, checkpoints):
    data, table = written(STATES[name], checkpoints=checkpoints)
    events = walked(CODECS[name], data, table=table, checkpoints=checkpoints)
    assert not [event for event in events if isinstance(event, BlobSkip)]
    names = [entry.split(":")[0] for entry in STATES[name].split() if not entry.startswith("!")]
    assert next(event.name for event in events if isinstance(event, (Field, StructEnter)) and event.name in names) == names[0]


@pytest.mark.parametrize("name", OPAQUE_STATES)
def test_states_that_are_opaque(name):
    assert walked(CODECS[name], b"abc", table=[]) == [BlobSkip(0, 3, f"{name} is not readable")]
