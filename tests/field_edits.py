"""Edits of saves whose values are fields, those of shapez 2 and Arx, and what the events of the new save have to be."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from edits import Said, after, bytes_at

import streamsave
from streamsave import BlobSkip, ChunkStart, Event, Field, ObjectHeader, SaveEnd, StructEnter
from streamsave.errors import EditError
from streamsave.events import ObjectEnd, StructExit
from streamsave.rewriting import RewriteStream, rewrite

#: What a comma before JSON has.
COMMA = b", \t\r\n"
#: Events that come with an object and are before it.
MARKS = ("Checkpoint",)
#: Fields that other events are named after.
NAMING = {"strings", "T", "X", "Y", "Z", "L", "R"}
MARKED = {"island", "building"}


def view(path: Path, counts: set[str]) -> list[Said]:
    """What all events of a save say: of a field its value, unless it is one of `counts`."""
    with streamsave.open(path) as events:
        return [said_of(event, events, counts) for event in events if not isinstance(event, ChunkStart)]


def said_of(event: Event, events: Any, counts: set[str]) -> Said:
    match event:
        case Field():
            return ("field", event.name, event.type, None if event.name in counts else repr(events.build()))
        case StructEnter():
            return ("enter", event.name, event.type_name)
        case ObjectHeader():
            return ("object", event.kind, event.class_name, event.instance_name, event.level, event.outer, event.transform)
        case BlobSkip():
            return ("blob", event.reason, bytes_at(events._reader, event.offset, event.size).lstrip(COMMA))
        case _:
            return (type(event).__name__,)


def other_value(chance: random.Random, value: Any) -> Any:
    """Another value of the same type; itself where none is known."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([0, 1, 7, value, -value])
    if isinstance(value, float):
        return chance.randrange(1000) / 4
    if isinstance(value, str):
        return chance.choice(["", "a", 'Ä"\\', "x" * 60])
    if isinstance(value, list):
        return [other_value(chance, part) for part in reversed(value)]
    if isinstance(value, dict):
        return {name: part if name in {"type", "name"} else other_value(chance, part) for name, part in value.items()}
    return value


def random_edits(save: RewriteStream, words: list[Said], chance: random.Random, rate: float) -> tuple[list[Said], int]:
    """Drop and replace at random; return what all events of the new save have to say, and how many edits there were."""
    dropped: list[tuple[int, int]] = []
    replaced: dict[int, Said] = {}
    opened: list[tuple[Event, int]] = []
    place = -1

    def gone(event: Event, start: int) -> int:
        end = after(words, start)
        if isinstance(event, ObjectHeader) and event.kind in MARKED and words[start - 1] == MARKS:
            start -= 1
        dropped.append((start, end))
        return end

    for event in save:
        if isinstance(event, ChunkStart):
            continue
        place += 1
        if isinstance(event, (StructExit, ObjectEnd)):
            opened.pop()
        if isinstance(event, (StructEnter, ObjectHeader)):
            opened.append((event, place))
        if chance.random() >= rate or isinstance(event, SaveEnd) or (isinstance(event, Field) and event.name in NAMING):
            continue
        try:
            kind = chance.randrange(3)
            if kind == 0:
                save.drop()
                end = gone(event, place)
                place = end - 2 if isinstance(event, (StructEnter, ObjectHeader)) else end - 1  # the exit of a nesting comes
            elif kind == 1 and opened and chance.random() < 0.3:
                around, start = chance.choice(opened)
                save.drop(around)
                end = gone(around, start)
                if around is event:
                    place = end - 2
            elif kind == 2 and isinstance(event, Field):
                other = other_value(chance, save.build())
                save.replace(other)
                replaced[place] = (*words[place][:-1], repr(other))
        except EditError:
            continue
    lost = {at for start, end in dropped for at in range(start, end)}
    return [replaced.get(at, said) for at, said in enumerate(words) if at not in lost], len(dropped) + len(replaced)


def rewrite_at_random(path: Path, target: Path, counts: set[str], seed: int, rate: float) -> int:
    """Rewrite a save with random edits, and compare the new save with what it has to be; return how many edits there were."""
    words = view(path, counts)
    with rewrite(path, target) as save:
        expected, edits = random_edits(save, words, random.Random(seed), rate)
    found = view(target, counts)
    if found != expected:
        place = next(at for at in range(len(expected) + 1) if found[at : at + 1] != expected[at : at + 1])
        around = slice(max(place - 2, 0), place + 2)
        raise AssertionError(f"event {place} with seed {seed}: expected {expected[around]}, found {found[around]}")
    return edits
