"""What is given of damaged save games, property by property, and what is lost."""

import random
from collections.abc import Sequence
from functools import cache

from attack.contract import Finding
from attack.edited import Edited
from attack.layers import unpack
from attack.mutator import COMPARED
from attack.stream_truth import Reading, StreamTruth, has_other_names, lies_of_stream, reading_of
from saves import ROOT, read
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Array, Fields, Prop

import streamsave
from streamsave import Damage, PropertyTag, SaveEnd
from streamsave.input.source import SourceLike

BEFORE = Prop("Before", INT, 1)
COUNT = Prop("Count", INT, 770_077)
LABEL = Prop("Label", STR, "needle")
AFTER = Prop("After", INT, 2)
ITEMS = Prop("Items", Array(Fields("Item", "/Script/Game")), [[Prop("Name", STR, "one")], [Prop("Name", STR, "two")]])


def save(*properties: Prop[object]) -> bytes:
    return SaveGame(list(properties)).encode()


def with_size(data: bytes, name: str, size: int) -> bytes:
    """Let the size of a property be another: `i32` after its name and type."""
    at = data.index(fstring(name)) + len(fstring(name))
    at += 4 + int.from_bytes(data[at : at + 4], "little")
    return data[:at] + i32(size) + data[at + 4 :]


def put(data: bytes, at: int, new: bytes, gone: int | None = None) -> bytes:
    """Other bytes in the place of as many, or of so many."""
    return data[:at] + new + data[at + (len(new) if gone is None else gone) :]


def place(data: bytes, name: str, start: int = 0) -> int:
    """Where a text is, from a place on; the last one, if that is -1."""
    return data.rindex(fstring(name)) if start < 0 else data.index(fstring(name), start)


#: What is damaged, the save, the names that are given, those that are lost with commas between; None: whatever.
Case = tuple[str, bytes, str, str | None]


def assert_given(data: SourceLike, names: str, lost: str | None) -> None:
    found = given_and_lost(data)
    assert found[0] == names.split()
    assert lost is None or ", ".join(found[1]) == lost


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


@cache
def sound_of(name: str) -> tuple[bytes, Reading]:
    """Return the stream of a sample, and what it gives; the sample is a file of corpora/ with one stream."""
    data = (ROOT / "corpora" / name).read_bytes()
    unpacked = unpack(data)
    reading = reading_of(data, COMPARED)
    assert reading is not None
    return data if unpacked is None else unpacked[0][0][1], reading


def packed(name: str, stream: bytes) -> bytes:
    """Return the file of a stream that is packed as that of a sample is."""
    unpacked = unpack((ROOT / "corpora" / name).read_bytes())
    return stream if unpacked is None else unpacked[1]([stream], random.Random(0))


def lies_after(name: str, edits: Sequence[tuple[int, int, str]]) -> tuple[list[Finding], int]:
    """Change bytes of a sample's stream: start, end, what comes there. What is given wrongly then, and how much is lost."""
    sound, reading = sound_of(name)
    changed = Edited(sound)
    for start, end, new in sorted(edits, reverse=True):
        changed[start:end] = bytes.fromhex(new)
    data = packed(name, bytes(changed))
    lost = sum(isinstance(event, Damage) for event in read(data, on_damage="resync"))
    return lies_of_stream(data, StreamTruth(reading, changed, has_other_names(reading, changed), sound)), lost
