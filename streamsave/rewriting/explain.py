"""What reads a byte of a save: the event that claims it, what is open around that, and the row of the layout.

A row is found by walking the layout that the reader has used, member by member, down to the one that has the byte. Where it is
written down, a look at the source of the formats shows: a member has the name there that it has here.

The module is long because it finds a byte by a path or an offset, then what is around it, then its row and the line of that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from streamsave.check.foreign_reader import without_chunks
from streamsave.claims import claimed_spans, content_start
from streamsave.consume.selected_object import header_values
from streamsave.consume.stream import EventStream, open_save
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.codecs import BOOL8, Array, Codec, Map, Optional, Repeat, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.leaves import BYTES, Key, Step
from streamsave.decode.reader import Reader
from streamsave.errors import PathStep, SaveError, format_path
from streamsave.events import (
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats import Format, MakeReader
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.unreal.dialect import SCALARS
from streamsave.formats.unreal.tag_values import Delta
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.rewriting.family import Family, find_family
from streamsave.rewriting.written_down import member_source, source_of

__all__ = ["WIDTH", "Explanation", "LayoutRow", "chunk_of", "explain", "offset_of", "part_of"]

#: Bytes before and after the byte that are shown.
AROUND: Final = 32
#: Bytes of a count, and of the bool before an optional value.
WIDTH: Final = 4
#: What paths name of the header of an object -> the steps to it in the layout of one, where the names are not the same.
ROWS_OF_HEADER: Final[dict[Step, tuple[Step, ...]]] = {
    **{f"@{name}": ("place", name) for name in ("rotation", "scale", "need_transform", "was_placed_in_level")},
    "@position": ("place", "translation"),
    "@kind": ("is_actor",),
    "@flags": ("object_flags",),
}
#: What ends the part of a path, or of an instance name, before a name.
SEPARATORS: Final = ("/", ".", ":")
#: A name in a path, and the number that `build()` adds if it repeats.
REPEATED: Final = re.compile(r"([^/.:\[\]]+)#\d+(?=$|[/\[])")
#: No path starts so.
NOWHERE: Final = "//"
#: The steps to a header of a save that is before the inflated stream, as most are.
OUTSIDE: Final = ("@header",)


@frozen
class LayoutRow:
    """One part of what an event claims, from the outermost to the one that has the byte."""

    #: The name of a member, or the index of an element.
    name: str
    #: `Codec.name`.
    type: str
    #: Where it starts and ends in the inflated stream.
    start: int
    end: int
    #: Where the layout is written down: `streamsave/formats/satisfactory/structs.py:57`; "" if that is not known.
    source: str = ""
    #: The versions that have it; "" for all.
    versions: str = ""
    #: Its value, if it has no parts.
    value: object = None


@frozen
class Explanation:
    """What reads one byte."""

    offset: int
    #: As `EventStream.location`: chunk, position in its inflated bytes, where it starts in the file.
    location: tuple[int, int, int] | None
    path: tuple[PathStep, ...]
    #: The events whose nestings are open around the byte, from the outermost on.
    frames: list[Event]
    event: Event
    before: Event | None
    after: Event | None
    rows: list[LayoutRow]
    #: The first byte of `data`, and bytes from there on.
    start: int
    data: bytes


def chunk_of(events: EventStream, position: int) -> ChunkStart | None:
    """Return the chunk that has a byte of the file; None if the save has no chunks.

    Raises:
        LookupError: none of its chunks has the byte.
        SaveError: the save is damaged before it.
    """
    has_chunks = False
    for event in events:
        if isinstance(event, ChunkStart):
            if event.compressed_offset <= position < event.compressed_offset + event.compressed_size:
                return event
            has_chunks = True
    if has_chunks:
        raise LookupError(f"no chunk has byte {position} of the file")
    return None


def offset_of(events: EventStream, path: str) -> int | None:
    """Return where the first value or nesting starts whose path, as an error has it, ends with the given one; None for none.

    JSON and `cat --flat` have the type of a struct beside its value: such a path leads there, too.

    Raises:
        SaveError: the save is damaged before it.
    """
    #: What the paths start with that lead into the last struct which follows its type.
    typed = NOWHERE
    for event in events:
        if isinstance(event, (ObjectHeader, PropertyTag, Field, StructEnter)):
            steps = (*events.path, event.instance_name) if isinstance(event, ObjectHeader) else events.path
            here = f"/{format_path(steps)}"
            for place in (here, f"{typed}value/{here.removeprefix(typed)}") if here.startswith(typed) else (here,):
                if place.endswith(path) and place[: -len(path)].endswith(SEPARATORS):
                    return _value_start(events, event)
            if isinstance(event, StructEnter) and events._script_struct(event) is not None:
                typed = f"{here}/"
    return None


def _value_start(events: EventStream, event: Event) -> int:
    """Return where the value of the last event starts; a bool is in its tag."""
    if not isinstance(event, PropertyTag):
        return event.offset
    if event.size:
        return event.value_offset
    return next((start for start, codec in _family_of(events).layouts(event) if codec is BOOL8), event.offset)


def _family_of(events: EventStream) -> Family[Reader]:
    reader = events._reader
    return find_family(events._source, reader, reader.limits)  # noqa: SLF001 - only to write is the source needed


def part_of(events: EventStream, path: str, largest: int) -> tuple[int, tuple[Step, ...]] | None:
    """Find the first value whose path, as `cat --flat` prints it, ends with the given one, or leads on from there.

    Args:
        events: of the save; nothing was read yet.
        path: the path, or the end of one.
        largest: as for `Walk`. A few paths are those of values that come whole: in a struct with its type.

    Returns:
        The offset of its event, and the steps from the value of that to it; None if there is no such value.

    Raises:
        SaveError: the save is damaged before it.
    """
    from streamsave.output.flat_text import path_text  # noqa: PLC0415 - needs orjson, and only paths of values do

    #: Names of which the path has another than the first one, and how many values came at each path with such a name.
    repeated = set(REPEATED.findall(path))
    counts: Counter[tuple[Step, ...]] = Counter()
    path = re.escape(path.removeprefix("/"))
    ends = re.compile(rf"(?:^|[{''.join(SEPARATORS)}]){path}(?=$|[/\[])")
    walk = Walk(events, largest=largest)
    for step in walk:
        part = step
        if isinstance(step, SaveStart):
            part = Part((), ("@header",), 0, step.header)
        elif isinstance(step, ObjectHeader):
            part = Part(walk.place, (), len(walk.place), header_values(step))
        if isinstance(part, Part):
            if part.first <= 0 and part.steps and part.steps[0] in repeated:
                place = tuple([each for each in part.path if each != BYTES])  # bytes come whole, or as how many there are
                counts[place] += 1
                if counts[place] > 1:
                    numbered = f"{part.steps[0]}#{counts[place]}"
                    part = Part(part.around, (numbered, *part.steps[1:]), part.base, part.value, part.first)
            for steps, _ in leaves(part):
                if ends.search(path_text(steps, part.base)):
                    event = walk.event
                    assert event is not None  # noqa: S101 - a step has one
                    if isinstance(step, SaveStart) and not isinstance(step.header, GvasHeader):
                        return 0, OUTSIDE
                    return _value_start(events, event), steps[len(part.path) :]
    return None


def explain(
    source: SourceLike,
    offset: int,
    steps: tuple[Step, ...] = (),
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
) -> Explanation | None:
    """Walk to the event that claims a byte of the inflated stream, and say what reads it; None if no event does.

    Args:
        source: as for `streamsave.open`.
        offset: of the byte.
        steps: from the value that starts there to a part of it, whose first byte is meant; or `OUTSIDE`.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.

    Raises:
        SaveError: the save is damaged before it.
        OSError: it cannot be read.
    """
    frames: list[Event] = []
    before: Event | None = None
    is_of_header = str(steps[0]).startswith("@") if steps else False
    with open_save(source, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader) as events:
        made = events._reader
        family = _family_of(events)
        for event in without_chunks(events):
            if steps == OUTSIDE:
                return Explanation(0, None, (), frames, event, None, _next(events), [], 0, b"")
            # Where the header of an object is made of values, it claims no bytes.
            if _claims(event, offset, events) or (is_of_header and isinstance(event, ObjectHeader) and event.offset == offset):
                path = events.path
                at, limit = made.cursor.tell(), made.cursor.limit()
                if steps:
                    name = str(steps[0]).removeprefix("@")
                    for start, codec in family.layouts(event):
                        if start == offset or (isinstance(event, ObjectHeader) and name in getattr(codec, "names", ())):
                            offset = _start_of(made, _cursor_at(family, start), codec, steps)
                    made.cursor.seek(at)
                rows = _rows(family, event, frames[-1] if frames else None, offset)
                made.cursor.set_limit(limit)
                made.cursor.seek(at)
                location = made.windows.locate(offset)
                start, data = _around(family, offset)
                return Explanation(offset, location, path, frames, event, before, _next(events), rows, start, data)
            before = event
            if isinstance(event, (StructEnter, ObjectHeader)):
                frames.append(event)
                if event.size >= 0 and not 0 <= offset - content_start(event) < event.size:
                    events.skip()
            elif isinstance(event, (StructExit, ObjectEnd)):
                frames.pop()
    return None


def _claims(event: Event, offset: int, events: EventStream) -> bool:
    """Return whether the last event claims a byte, and not the events inside of it."""
    if not any(start <= offset < end for start, end in claimed_spans(event)):
        return False
    return not isinstance(event, PropertyTag) or offset < event.value_offset or events.is_leaf()


def _next(events: EventStream) -> Event | None:
    """Return the next event; None if there is none, or the save is damaged there."""
    try:
        return next(without_chunks(events), None)
    except SaveError:  # what was asked for is before it
        return None


def _around(family: Family[Reader], offset: int) -> tuple[int, bytes]:
    """Return bytes around an offset, and where they start: not before the member of an archive that has it."""
    start = max(offset - AROUND, 0) // AROUND * AROUND
    data = _bytes_at(family, start, offset + AROUND)
    return (start, data) if offset < start + len(data) else (offset, _bytes_at(family, offset, offset + AROUND))


def _bytes_at(family: Family[Reader], start: int, end: int) -> bytes:
    """Return bytes of the stream; fewer where it ends."""
    try:
        return family.bytes_at(start, end - start)
    except SaveError:  # the byte itself was read: those around it are not needed
        return b""


# --- rows ---


def _rows(family: Family[Reader], event: Event, around: Event | None, offset: int) -> list[LayoutRow]:
    """Return the parts of what an event claims that have a byte, the outermost first."""
    for start, codec in family.layouts(event):
        rows = list(_parts(family.reader, _cursor_at(family, start), None, [(getattr(event, "name", ""), codec)], offset))
        if rows:
            if isinstance(event, Field):
                source, versions = member_source(None, getattr(around, "type_name", ""), event.name)
                rows[0] = evolve(rows[0], source=source or rows[0].source, versions=versions)
            elif isinstance(event, PropertyTag) and not rows[0].source:
                kind = event.type if event.value_type else event.inner_type or event.type  # a map has two types
                rows[0] = evolve(rows[0], source=member_source(SCALARS, "", kind)[0])
            return rows
    for length in family.lengths(event):
        start, end = length.offset, length.offset + length.width
        if start <= offset < end:
            value = int.from_bytes(_bytes_at(family, start, end), length.order, signed=True)
            return [LayoutRow("count" if length.counts else "size", f"i{8 * length.width}", start, end, value=value)]
    return []


def _cursor_at(family: Family[Reader], start: int) -> Cursor:
    """Return a cursor to read a value, up to its end: that of the reader, which may read more, unless it is beyond."""
    reader = family.reader
    leaf = reader.leaf
    cursor = family.cursor_at(start) if start < reader.cursor.tell() else reader.cursor
    cursor.set_limit(leaf.end if leaf.start <= start < leaf.end else NO_LIMIT)
    cursor.seek(start)
    return cursor


def _start_of(reader: Reader, cursor: Cursor, codec: Codec, steps: tuple[Step, ...]) -> int:
    """Return where a part of the value at the cursor starts, as far as its layout has such parts."""
    start = cursor.tell()
    if not steps:
        return start
    steps = (*ROWS_OF_HEADER.get(steps[0], steps[:1]), *steps[1:])
    step, rest = steps[0], steps[1:]
    wanted = str(step).removeprefix("@")
    if isinstance(codec, Struct) and isinstance(step, int) and not isinstance(codec, Delta) and step < len(codec.names):
        wanted = codec.names[step]
    elif isinstance(codec, Optional):
        wanted, rest = "value", steps
    elif isinstance(codec, Delta) and step not in codec.names:  # it removes nothing
        wanted, rest = "added", steps
    elif isinstance(codec, Map) and isinstance(step, Key):
        half, *inner = rest if step.text is None else ("value", *rest)
        wanted, rest = f"{step.index} {half}", tuple(inner)
    for name, part in _members(cursor, codec, start):
        if name == wanted:
            return _start_of(reader, cursor, part, rest)
        part.measure(cursor, reader)
    return start


def _parts(
    reader: Reader, cursor: Cursor, whole: Codec | None, members: Iterable[tuple[str, Codec]], offset: int
) -> Iterator[LayoutRow]:
    """Yield the part of a value that has a byte, then the part of that, and so on. The cursor is at the start of the first."""
    for name, part in members:
        start = cursor.tell()
        if offset < start:
            return
        part.measure(cursor, reader)
        end = cursor.tell()
        if offset < end:
            cursor.seek(start)
            source = source_of(part) if whole is None else member_source(whole, whole.name, name)
            yield LayoutRow(name, part.name, start, end, *source, _value(reader, cursor, part))
            yield from _parts(reader, cursor, part, _members(cursor, part, offset), offset)
            if isinstance(part, (Array, Optional)) and offset < start + WIDTH:
                cursor.seek(start)
                label = "is_set" if isinstance(part, Optional) else "count"
                yield LayoutRow(label, "i32", start, start + WIDTH, value=cursor.i32())
            return


def _members(cursor: Cursor, codec: Codec, offset: int) -> Iterator[tuple[str, Codec]]:
    """Yield the parts of a value, each when the cursor is where it starts."""
    if isinstance(codec, Struct):
        yield from zip(codec.names, codec.members, strict=True)
    elif isinstance(codec, Map):
        for index in range(cursor.count(codec.pair.least)):
            yield f"{index} key", codec.pair.key
            yield f"{index} value", codec.pair.value
    elif isinstance(codec, (Array, Repeat)):
        count = int(codec.open(cursor) if isinstance(codec, Array) else codec.count)
        first = 0
        if codec.element.size > 0:  # those before the byte need not be walked
            first = min(max((offset - cursor.tell()) // codec.element.size, 0), count)
            cursor.skip(first * codec.element.size)
        for index in range(first, count):
            yield str(index), codec.element
    elif isinstance(codec, Optional) and cursor.bool32():
        yield "value", codec.element


def _value(reader: Reader, cursor: Cursor, codec: Codec) -> object:
    """Decode the value at the cursor, which stays, if it has no parts; None for others."""
    if isinstance(codec, (Struct, Array, Repeat, Optional)):
        return None
    start = cursor.tell()
    value = codec.decode(cursor, reader)
    cursor.seek(start)
    return value
