"""Unreal save games of the writer, read by the package: events, values, faults."""

from __future__ import annotations

from attrs import evolve
from writer.gvas_samples import plain
from writer.tags import Prop

import streamsave
from streamsave import ChunkStart, Event, ObjectEnd, ObjectHeader, SaveEnd, SaveError


def build(data: bytes, **hints: str) -> dict[str, object]:
    """The properties of a save game as values."""
    with streamsave.open(data, type_hints=hints) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                built = events.build()
                assert [type(rest) for rest in events if not isinstance(rest, ChunkStart)] == [ObjectEnd, SaveEnd]
                return built["properties"]
    raise AssertionError("no object")


def events_of(data: object, **options: object) -> list[Event]:
    with streamsave.open(data, **options) as events:
        return list(events)


def fault_of(data: object, **options: object) -> tuple[list[Event], SaveError | None]:
    """The events before a fault, and the fault."""
    made: list[Event] = []
    try:
        with streamsave.open(data, **options) as events:
            made.extend(events)
    except SaveError as error:
        return made, error
    return made, None


def save(*props: Prop[object], ue5: int = 1008) -> bytes:
    return evolve(plain(), props=props, ue5=ue5).encode()
