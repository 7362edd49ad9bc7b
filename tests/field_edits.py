"""Edits of saves whose values are fields, those of shapez 2 and Arx, and what the events of the new save have to be."""

import random
from functools import partial
from pathlib import Path
from typing import Any

from edits import Edits, Said, bytes_at, family_of

import streamsave
from streamsave import BlobSkip, ChunkStart, Event, Field, ObjectHeader, StructEnter
from streamsave.rewriting import RewriteStream


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
            # Without a comma before JSON, and blanks.
            return ("blob", event.reason, bytes_at(family_of(events), event.offset, event.size).lstrip(b", \t\r\n"))
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


def replace_field(save: RewriteStream, chance: random.Random, event: Event, words: Said) -> Said | None:
    if not isinstance(event, Field):
        return None
    other = other_value(chance, save.build())
    save.replace(other)
    return (*words[:-1], repr(other))


def rewrite_at_random(path: Path, target: Path, counts: set[str], seed: int, rate: float) -> int:
    """Rewrite a save with random edits, and compare the new save with what it has to be; return how many edits there were."""
    naming = frozenset({"strings", "T", "X", "Y", "Z", "L", "R"})
    return Edits(partial(view, counts=counts), (replace_field,), naming).rewrite(path, target, seed, rate)
