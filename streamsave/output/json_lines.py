"""Events -> JSON text, one object a line, as `streamsave.output.json_document` writes it.

First comes the save itself, then each object with the `path` of what it stands in, and each value that is in no object, under its
name, with its `path`.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.events import (
    BlobSkip,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.output.json_document import JsonWriter, save_members
from streamsave.stream.stream import EventStream

__all__ = ["LineWriter", "json_lines"]


class LineWriter:
    """Writes lines: a line is complete where its object or value is."""

    def __init__(self, events: EventStream, *, builds_objects: bool = True) -> None:
        self._events = events
        self._builds_objects = builds_objects
        self._writer = self._make_writer()
        #: A line is being written: nestings that are open in it, and whether it has an object around what is written.
        self._in_line = False
        self._depth = 0
        self._is_wrapped = False

    def _make_writer(self) -> JsonWriter:
        return JsonWriter(self._events, builds_objects=self._builds_objects)

    def feed(self, event: Event) -> None:
        """Write what the stream's last event says."""
        writer = self._writer
        if self._in_line:
            writer.feed(event)
            self._depth += isinstance(event, (StructEnter, ObjectHeader)) - isinstance(event, (StructExit, ObjectEnd))
        elif isinstance(event, SaveStart):
            writer.value(save_members(event))
            writer.write(b"\n")
        elif isinstance(event, ObjectHeader):
            self._in_line, self._depth, self._is_wrapped = True, 1, False
            writer.begin_object(event)
        elif isinstance(event, (PropertyTag, Field, BlobSkip)):
            self._in_line, self._depth, self._is_wrapped = True, 0, True
            writer.open()
            writer.members({"path": list(self._events.path)})
            writer.feed(event)
        self._end_if_complete()

    def failed(self, event: Event) -> None:
        """What `event` has opened cannot be built."""
        self._writer.failed(event)

    def _end_if_complete(self) -> None:
        if self._in_line and self._depth == 0 and not self._writer.waits():
            if self._is_wrapped:
                self._writer.close()
            self._writer.write(b"\n")
            self._in_line = False

    def in_line(self) -> bool:
        """Whether a line is not complete."""
        return self._in_line

    def is_full(self) -> bool:
        """Whether there is enough text to hand on."""
        return self._writer.is_full()

    def take(self) -> bytes:
        """Give the text gathered so far, and forget it."""
        return self._writer.take()

    def drop(self) -> None:
        """Forget the line that is being written."""
        self._writer = self._make_writer()
        self._in_line = False


def json_lines(events: EventStream) -> Iterator[bytes]:
    """Write a save as lines of JSON, in pieces of some 64 KiB that may end inside of a line.

    Raises:
        SaveError: the bytes are at fault; all lines but the last one are sound.
        LimitExceeded: one value, or the names in one object, are more than `Limits` allows.
    """
    writer = LineWriter(events)
    for event in events:
        writer.feed(event)
        if writer.is_full():
            yield writer.take()
    yield writer.take()
