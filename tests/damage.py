"""Damaged saves and what must be left of them: a part of what the sound save gives, and no more."""

from collections.abc import Iterable

import orjson
from saves import chunks_of
from tiling import Tiling

import streamsave
from streamsave import Damage, Event, Field, Limits, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.input.source import SourceLike
from streamsave.output.salvage import salvage


def survived(source: SourceLike, limits: Limits | None = None) -> list[Event]:
    """All events of a damaged save but those of chunks, of which the order is checked."""
    with streamsave.open(source, limits=limits, on_damage="resync") as events:
        seen = [event for event in events if not isinstance(event, streamsave.ChunkStart)]
    assert_in_order(seen)
    return seen


def assert_in_order(events: list[Event]) -> None:
    """Each nesting is left by its own exit; the save starts and ends."""
    assert isinstance(events[0], SaveStart)
    assert isinstance(events[-1], SaveEnd)
    tiling = Tiling()
    for event in events:
        tiling.nest(event)
    assert tiling.opened == []


def losses(events: Iterable[Event]) -> list[tuple[str, str]]:
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


def lines(data: bytes) -> tuple[list[bytes], list[Damage]]:
    """The lines that are salvaged, with sorted keys, and what was lost."""
    text, lost = [], []
    with streamsave.open(data, on_damage="resync") as events:
        for piece in salvage(events):
            if isinstance(piece, Damage):
                lost.append(piece)
            else:
                text.append(piece)
    return [orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS) for line in b"".join(text).splitlines()], lost


def is_part(some: Iterable[object], whole: Iterable[object]) -> bool:
    """Whether these (lines, objects, types of events) are among those, as they were and in their order."""
    left = iter(whole)
    return all(one in left for one in some)


def broken_chunk(data: bytes, which: int) -> bytes:
    """A Satisfactory save one of whose chunks does not inflate any more."""
    chunk = chunks_of(data)[which]
    bad = bytearray(data)
    bad[chunk.payload_offset + chunk.compressed_size // 2] ^= 0x5A
    bad[chunk.payload_offset + chunk.compressed_size - 1] ^= 0x01
    return bytes(bad)


def broken_header(data: bytes, which: int, at: int) -> bytes:
    """A Satisfactory save with another byte in the header of one of its chunks."""
    offset = chunks_of(data)[which].offset + at
    return data[:offset] + bytes([data[offset] ^ 0x5A]) + data[offset + 1 :]


def span_of(data: bytes, which: int) -> tuple[int, int]:
    """Where a chunk's bytes are in the inflated stream."""
    sizes = [len(chunk.data) for chunk in chunks_of(data)]
    start = sum(sizes[:which])
    return start, start + sizes[which]


#: Levels after which nothing else can be, and what comes before objects without a size.
LAST_LEVELS = ("Persistent_Level", "Blueprint")
COUNT_SIZE = 4


def touching(events: list[Event], start: int, end: int) -> set[int]:
    """Offsets of the headers of those objects of which any byte is from `start` to `end`.

    Where nothing else says how to go on, that is all objects of a level: of a streaming level, if its name, sizes or tail are
    there; in old saves, where headers and objects have no sizes, if the last header or the number of objects do.
    """
    found: set[int] = set()
    inside: set[int] = set()
    levels: list[Event] = []
    opened: list[ObjectHeader] = []
    behind, is_touched, is_lost = 0, False, False
    # An object in another one has no header of its own.
    last_header = max((event.offset for event in events if isinstance(event, ObjectHeader) and event.header_size), default=0)

    def touches(one: int, other: int) -> bool:
        return one < end and start < other

    for event in events:
        if isinstance(event, StructEnter):
            if not levels:
                inside, behind = set(), event.offset + event.header_size
                is_touched = touches(event.offset, behind)
            levels.append(event)
        elif isinstance(event, StructExit):
            levels.pop()
            if not levels and (is_lost or (event.name not in LAST_LEVELS and (is_touched or touches(behind, event.offset)))):
                found |= inside
        elif isinstance(event, Field) and event.name == "data_blob":
            is_touched |= touches(event.offset, event.offset + event.size)
            is_lost |= event.size == COUNT_SIZE and touches(last_header, event.offset + event.size)
        elif isinstance(event, ObjectHeader):
            opened.append(event)
        elif isinstance(event, ObjectEnd):
            header = opened.pop()
            behind = event.offset + event.size
            inside.add(header.offset)
            if touches(header.offset, header.offset + header.header_size) or touches(
                header.data_offset - header.prefix_size, behind
            ):
                found.add(header.offset)
    return found
