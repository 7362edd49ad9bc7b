"""Damaged saves and what must be left of them: a part of what the sound save gives, and no more."""

from __future__ import annotations

from collections.abc import Iterable

import streamsave
from streamsave import (
    ChunkStart,
    Damage,
    Event,
    Limits,
    ObjectEnd,
    ObjectHeader,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.source import SourceLike


def survived(source: SourceLike, limits: Limits | None = None) -> list[Event]:
    """All events of a damaged save but those of chunks, of which the order is checked."""
    with streamsave.open(source, limits=limits, on_damage="resync") as events:
        seen = [event for event in events if not isinstance(event, ChunkStart)]
    assert_in_order(seen)
    return seen


def assert_in_order(events: list[Event]) -> None:
    """Each nesting is left by its own exit; the save starts and ends."""
    assert isinstance(events[0], SaveStart)
    assert isinstance(events[-1], SaveEnd)
    opened: list[Event] = []
    for event in events:
        if isinstance(event, (StructEnter, ObjectHeader)):
            opened.append(event)
        elif isinstance(event, StructExit):
            enter = opened.pop()
            assert isinstance(enter, StructEnter)
            assert enter.name == event.name
        elif isinstance(event, ObjectEnd):
            header = opened.pop()
            assert isinstance(header, ObjectHeader)
            assert header.instance_name == event.instance_name
    assert opened == []


def losses(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Kind and name of what was lost."""
    return [(event.lost.kind, event.lost.name) for event in events if isinstance(event, Damage)]


def whole_objects(events: Iterable[Event]) -> list[list[Event]]:
    """The events of each object that is whole and in no other."""
    found: list[list[Event]] = []
    inside: list[Event] = []
    depth = 0
    for event in events:
        depth += isinstance(event, ObjectHeader)
        if depth:
            inside.append(event)
        if isinstance(event, ObjectEnd):
            depth -= 1
            if depth == 0:
                if not any(isinstance(one, Damage) for one in inside):
                    found.append(inside)
                inside = []
    return found


def is_part_of(some: list[list[Event]], whole: list[list[Event]]) -> bool:
    """Whether these are objects of the sound save, as they were, in its order."""
    left = iter(whole)
    return all(any(one == other for other in left) for one in some)
