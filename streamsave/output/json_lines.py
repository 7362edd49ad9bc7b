"""Events -> lines of JSON, one for each object, as `streamsave.output.json_document` writes objects.

The first line is the save itself. Each object has a line, with the `path` of what contains it. So has each value that is in no
object: under its name, with its `path`.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.consume.stream import EventStream
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
from streamsave.output.json_document import BUILT_SIZE, JsonWriter, save_members

__all__ = ["LineWriter", "json_lines"]


class LineWriter:
    """Writes lines: a line ends with its object or value."""

    def __init__(self, events: EventStream, *, builds_objects: bool = True, built_size: int = BUILT_SIZE) -> None:
        self._events = events
        self._builds_objects = builds_objects
        self._built_size = built_size
        self._writer = self._make_writer()
        #: Whether a line is open, how many nestings are open in it, and whether a value is wrapped in an object of JSON.
        self._in_line = False
        self._depth = 0
        self._is_wrapped = False

    def _make_writer(self) -> JsonWriter:
        return JsonWriter(self._events, builds_objects=self._builds_objects, built_size=self._built_size)

    def feed(self, event: Event) -> None:
        """Write the stream's last event.

        Raises:
            SaveError: a value cannot be built; `failed` goes on with its events.
            LimitExceeded: an object has more names than `Limits.table_entries`.
        """
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
        elif isinstance(event, PropertyTag) and self._events._leads_to_objects(event):
            pass  # the objects in it have lines
        elif isinstance(event, (PropertyTag, Field, BlobSkip)):
            self._in_line, self._depth, self._is_wrapped = True, 0, True
            writer.open()
            writer.members({"path": list(self._events.path)})
            writer.feed(event)
        self._end_if_complete()

    def go_on(self) -> None:
        """Go on with a value that was not written to its end, as `JsonWriter.go_on` does."""
        self._writer.go_on()
        self._end_if_complete()

    def failed(self, event: Event) -> int:
        """Go on after `feed` or `go_on` failed to build the value that `event` opened, as `JsonWriter.failed` does."""
        return self._writer.failed(event)

    def _end_if_complete(self) -> None:
        if self._in_line and self._depth == 0 and not self._writer.waits():
            if self._is_wrapped:
                self._writer.close()
            self._writer.write(b"\n")
            self._in_line = False

    def in_line(self) -> bool:
        """Return whether a line is open."""
        return self._in_line

    def is_full(self) -> bool:
        """Return whether there is a piece of text to take."""
        return self._writer.is_full()

    def take(self) -> bytes:
        """Return the text written since the last call."""
        return self._writer.take()

    def drop(self) -> None:
        """Discard the open line, and all text since `take`."""
        self._writer = self._make_writer()
        self._in_line = False


def json_lines(events: EventStream, *, built_size: int = BUILT_SIZE) -> Iterator[bytes]:
    """Yield a save as lines of JSON, in pieces of about 64 KiB that may end inside a line.

    Args:
        events: a stream at its start.
        built_size: most bytes of a value that is built and written at once.

    Raises:
        SaveError: the bytes are damaged; all lines but the last one are complete.
        LimitExceeded: a value, or the number of names in one object, is more than `Limits` allows.
    """
    writer = LineWriter(events, built_size=built_size)
    for event in events:
        writer.feed(event)
        while writer.is_full():
            yield writer.take()
            writer.go_on()
    yield writer.take()
