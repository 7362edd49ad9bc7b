"""Each state and each station: what the writer writes is taken to its last byte."""

from __future__ import annotations

import random

import pytest
from shapez2_cursors import walked
from writer.shapez2_values import LAYOUTS, OPAQUE_STATES, STATES, Out, any_layout, put_layout

from streamsave import BlobSkip, Field, StructEnter
from streamsave.formats.shapez2.states import FLUID_EXCHANGER, SHAPE_EXCHANGER, TRANSFER
from streamsave.formats.shapez2.states import STATES as CODECS


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


@pytest.mark.parametrize(
    ("layout", "codec"), [("shapestation", SHAPE_EXCHANGER), ("fluidstation", FLUID_EXCHANGER), ("transfer", TRANSFER)]
)
def test_each_station(layout, codec):
    data, table = written(LAYOUTS[layout], checkpoints=True)
    events = walked(codec, data, table=table, checkpoints=True)
    assert not [event for event in events if isinstance(event, BlobSkip)]
