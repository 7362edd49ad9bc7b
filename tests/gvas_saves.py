"""Unreal save games of the writer, read by the package: events, values, faults."""

from attrs import evolve
from saves import read, read_to_error
from writer.gvas_samples import plain
from writer.tags import Prop

import streamsave
from streamsave import ChunkStart, ObjectEnd, ObjectHeader, SaveEnd

events_of, fault_of = read, read_to_error


def build(data: bytes, **hints: str) -> dict[str, object]:
    """The properties of a save game as values."""
    with streamsave.open(data, type_hints=hints) as events:
        built = next(events.build() for event in events if isinstance(event, ObjectHeader))
        assert [type(rest) for rest in events if not isinstance(rest, ChunkStart)] == [ObjectEnd, SaveEnd]
        return built["properties"]


def save(*props: Prop[object], ue5: int = 1008) -> bytes:
    return evolve(plain(), props=props, ue5=ue5).encode()
