"""Walk the instances of a damaged lightweight subsystem on: an instance that cannot be read is lost alone.

Nothing stores where an instance ends. So all of them are measured first: only if the last one ends where the subsystem does, are
their sizes right, and each can be given, or be lost, on its own. Otherwise all are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.guard import Guard
from streamsave.formats.satisfactory.lightweight import LightweightWalker
from streamsave.formats.satisfactory.versions import LIGHTWEIGHT_FIRST, LIGHTWEIGHT_NEWEST
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LightweightRecovery", "prove_sizes"]

#: Bytes that other tools leave after the instances.
FILLER_SIZE: Final = 4


def prove_sizes(reader: UnrealReader, trailer: Struct, end: i64) -> None:
    """Find out whether a trailer that starts at the cursor ends at `end`.

    Other tools leave a zero i32 after it, and newer games may write more.

    Raises:
        SaveError: it does not, or cannot be measured.
    """
    cursor = reader.cursor
    start = cursor.tell()
    trailer.measure(cursor, reader)
    at = cursor.tell()
    left = end - at
    if left > 0 and not (left == FILLER_SIZE and cursor.i32() == 0) and version_of(reader, trailer, start) <= LIGHTWEIGHT_NEWEST:
        raise cursor.damaged("the instances end before their subsystem does", offset=at, expected="0 bytes", actual=left)
    cursor.seek(start)


def version_of(reader: UnrealReader, trailer: Struct, start: i64) -> i64:
    """Read the version of the subsystem whose trailer starts at an offset."""
    cursor = reader.cursor
    cursor.seek(start)
    for at in range(len(trailer.names)):
        if trailer.names[at] == "lightweight_version":
            return cursor.i32()
        if trailer.members[at].streams:
            break
        trailer.members[at].measure(cursor, reader)
    return LIGHTWEIGHT_FIRST


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
