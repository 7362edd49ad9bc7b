"""A format of one's own in one file: boxes that hold boxes.

| part | content |
|---|---|
| start | `BOX1`, u8 count of boxes |
| box | u8 size and name, u32 size of the data; in it, i32 weight, f32 price, u8 count of boxes, the boxes, and a u8 lid |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from streamsave.decode.codecs import F32, I32, U8
from streamsave.events import Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats import Cursor, FileWindows, Format, Reader
from streamsave.headers import Header
from streamsave.input.source import Source
from streamsave.limits import Limits


def sniff(head: bytes, _source: Callable[[], Source]) -> bool:
    """Whether it is a save of boxes."""
    return head.startswith(b"BOX1")


BOX = Format("Box save", sniff, "nested_format:BoxReader", extensions=(".box",))


@frozen
class BoxHeader(Header):
    """What `info` shows."""

    boxes: int


class BoxReader(Reader):
    """Each box is an object; `holds_objects` says that there may be more in it."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)

    def events(self) -> Iterator[Event]:
        """All events."""
        self.cursor.skip(4)
        count = self.cursor.u8()
        yield SaveStart(0, "box", 1, BoxHeader(count))
        yield StructEnter(0, "boxes", "", self.cursor.tell(), -1, -1, count)
        self.steps.append("boxes")
        yield from self.boxes(count)
        self.steps.pop()
        yield StructExit(self.cursor.tell(), "boxes", 0)
        yield SaveEnd(self.cursor.tell())

    def holds_objects(self, header: ObjectHeader) -> bool:
        """Every box can."""
        return True

    def boxes(self, count: int) -> Iterator[Event]:
        """The events of boxes, one after the other."""
        cursor = self.cursor
        for _ in range(count):
            start = cursor.tell()
            name = cursor.take(cursor.u8()).decode()
            size = cursor.u32()
            data = cursor.tell()
            kind = name.partition("_")[0]
            yield ObjectHeader(start, "box", kind, name, "", "", None, 0, 1, data - start, 0, data, size)
            if cursor.tell() == data:  # else, the consumer has skipped it
                self.steps.append(name)
                yield self.field("weight", I32)
                cursor.seek(data + 4)
                yield self.field("price", F32)
                cursor.seek(data + 8)
                yield self.field("count", U8)
                cursor.seek(data + 8)
                yield from self.boxes(cursor.u8())
                cursor.seek(data + size - 1)
                yield self.field("lid", U8)
                self.steps.pop()
            cursor.seek(data + size)
            yield ObjectEnd(data + size, name, 0)
