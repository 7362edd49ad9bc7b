"""Walk the instances of a damaged lightweight subsystem on: an instance that cannot be read is lost alone.

Nothing stores where an instance ends. So all of them are measured first: only if the last one ends where the subsystem does, are
their sizes right, and each can be given, or be lost, on its own. Otherwise they come as values, up to the fault that costs the
subsystem.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.errors import SaveError
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.guard import Guard
from streamsave.formats.satisfactory.lightweight import LightweightWalker
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LightweightRecovery", "sizes_lead_to_end"]


def sizes_lead_to_end(reader: UnrealReader, trailer: Struct, end: i64) -> bool:
    """Return whether a trailer that starts at the cursor can be measured, and ends at `end`."""
    cursor = reader.cursor.fork()
    try:
        trailer.measure(cursor, reader)
    except SaveError:
        return False
    return cursor.tell() == end


class LightweightRecovery(LightweightWalker):
    """Walks the trailer of one subsystem whose sizes lead to its end."""

    def __init__(self, reader: UnrealReader, header: ObjectHeader, trailer: Struct) -> None:
        super().__init__(header, trailer)
        self._guard = Guard(reader)

    def _instances(self, reader: UnrealReader, name: str, instance: Struct) -> Iterator[Event]:
        guard = self._guard
        cursor = reader.cursor
        limit = cursor.limit()
        depth = len(reader.steps)
        first = cursor.tell()
        while self._index < self._count:
            with guard:
                yield from super()._instances(reader, name, instance)
            fault = guard.fault
            if fault is None:
                return
            index = self._index - 1
            end = self._end
            if index < 0 or end <= first:
                raise fault  # it has no size after all
            first = end
            reader.abandon()
            reader.list_end = -1
            cursor.set_limit(limit)
            cursor.seek(end)
            header = self._open
            del reader.steps[depth:]
            if header is None:  # not even its place can be read
                yield reader.lost(fault, "object", self._name, self._start, end, class_name=self._class_name)
            else:
                reader.steps.append(int(index))
                yield reader.lost(fault, "object", self._name, self._start, end)
                reader.steps.pop()
                yield ObjectEnd(end, self._name, 0)
