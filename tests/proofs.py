"""What is given of damaged save games, property by property, and what is lost."""

from __future__ import annotations

from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import Prop

import streamsave
from streamsave import Damage, PropertyTag, SaveEnd
from streamsave.input.source import SourceLike


def save(*properties: Prop[object]) -> bytes:
    return SaveGame(list(properties)).encode()


def with_size(data: bytes, name: str, size: int) -> bytes:
    """Let the size of a property be another: `i32` after its name and type."""
    at = data.index(fstring(name)) + len(fstring(name))
    at += 4 + int.from_bytes(data[at : at + 4], "little")
    return data[:at] + i32(size) + data[at + 4 :]


def given_and_lost(data: SourceLike) -> tuple[list[str], list[str]]:
    """Return the names of the properties that are given with their values, and of those that are lost."""
    given: list[str] = []
    lost: list[str] = []
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            if isinstance(event, PropertyTag):
                given.append(event.name)
            elif isinstance(event, Damage):
                if event.error.offset >= 0 and given and event.lost.name == given[-1]:
                    given.pop()
                lost.append(event.lost.name or event.lost.kind)
        assert isinstance(event, SaveEnd)
    return given, lost
