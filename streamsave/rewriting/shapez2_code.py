"""Writes blueprint codes of shapez 2: the envelope stays, its payload is packed anew."""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from streamsave.decode.reader import Reader
from streamsave.events import Event, Field, ObjectHeader, StructEnter
from streamsave.formats.shapez2.code import CodeReader
from streamsave.formats.shapez2.envelope import Envelope
from streamsave.formats.shapez2.jsontext import JSON_ARRAY
from streamsave.input.source import Source
from streamsave.limits import Limits
from streamsave.rewriting.copying import edited
from streamsave.rewriting.family import Family
from streamsave.rewriting.json_edits import before_json_value, json_span
from streamsave.rewriting.packing import gzip_header, gzipped
from streamsave.rewriting.rows import Row

__all__ = ["CodeFamily"]

#: Characters of base64 that hold the header of a gzip member.
HEAD_SIZE: Final = 64 * 1024
#: Keys that say how other values are read.
STEERING: Final = frozenset(("V", "$type"))


class CodeFamily(Family):
    """A blueprint code.

    Args:
        source: the code that is read.
        reader: reads it.
        limits: for reading it again.
    """

    def __init__(self, source: Source, reader: CodeReader, limits: Limits) -> None:
        super().__init__(source, limits)
        self._reader = reader

    def holds(self, reader: Reader, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: an entry, an element of an array, a leaf of an entry but its class."""
        if isinstance(around, StructEnter):
            return around.type_name == JSON_ARRAY
        return isinstance(around, ObjectHeader) and isinstance(event, Field) and event.name != "T"

    def span(self, reader: Reader, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Do as `Family.span`: a comma goes with JSON."""
        return json_span(self._reader, start, end, edited_to)

    def before_value(self, reader: Reader, event: Field) -> int:
        """Do as `Family.before_value`."""
        return before_json_value(self._reader, event)

    def steers(self, reader: Reader, event: Event) -> bool:
        """Do as `Family.steers`."""
        return isinstance(event, Field) and event.name in STEERING

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        envelope = Envelope(self._source, self._limits)
        start, end = envelope.payload_offset, envelope.payload_end
        head = self._source.read_at(start, min(HEAD_SIZE, end - start))
        payload = gzipped(
            gzip_header(binascii.a2b_base64(head)), edited(self.windows or envelope.windows, rows, 0, self.end), fast=self.fast
        )
        target.write(self._source.read_at(0, start))
        target.writelines(in_base64(payload))
        target.write(self._source.read_at(end, self._limits.string_size + 1))


def in_base64(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield base64 without line ends; only the last piece may be padded."""
    waiting = bytearray()
    for piece in stream:
        waiting += piece
        size = len(waiting) // 3 * 3
        yield binascii.b2a_base64(waiting[:size], newline=False)
        del waiting[:size]
    yield binascii.b2a_base64(waiting, newline=False)
