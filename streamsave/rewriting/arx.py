"""Writes containers of Arx saves: all entries in the order of the table, one chunk each, without gaps, then the table.

Entries without edits keep their packed bytes. Others are packed as their version wants: imploded in the versions of Arx Fatalis;
in those of Arx Libertatis, stored if they were stored, else deflated. Rows of the table keep what nothing else says.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final, NamedTuple

from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.arx.entry_walker import STEERING_ROWS
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.reader import ArxReader
from streamsave.formats.arx.versions import (
    CODEC_DEFLATE,
    CODEC_IMPLODE,
    CODEC_NAMES,
    CODEC_STORED,
    DATA_OFFSET,
    VERSION_CODECS,
    VERSION_NO_EXTENSION,
)
from streamsave.input.arx_entries import EntryWindows
from streamsave.input.implode import ImplodeCrypt
from streamsave.input.source import Source
from streamsave.limits import Limits
from streamsave.rewriting.family import Cutting, Facts, Family
from streamsave.rewriting.imploder import implode
from streamsave.rewriting.packing import Piece, edited
from streamsave.rewriting.rows import Row

__all__ = ["ArxFamily"]

#: What the names of entries end with before 2.1.
EXTENSION: Final = b".sav"
#: As the games write it.
DEFLATE_LEVEL: Final = 9
NUMBERS: Final = struct.Struct("<III")
CHUNK: Final = struct.Struct("<II")
TABLE_START: Final = struct.Struct("<II")
DATA_SIZE: Final = struct.Struct("<I")
LARGEST: Final = (1 << 32) - 1


class TableRow(NamedTuple):
    """A row of the table: its bytes, and what its numbers say."""

    raw: bytes
    name: bytes
    size: int
    codec: int


class ArxFamily(Family):
    """A save.

    Args:
        source: the save that is read.
        reader: reads it.
        limits: for reading it again.
    """

    def __init__(self, source: Source, reader: ArxReader, limits: Limits) -> None:
        super().__init__(source, limits)
        self._reader = reader

    # --- what can be edited ---

    def part(self, reader: Reader, event: Event) -> int:
        """Do as `Family.part`: an entry, the one that is walked."""
        return self._reader.entry_index if isinstance(event, ObjectHeader) else -1

    def holds(self, reader: Reader, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: an entry, an element of an array."""
        if isinstance(event, ObjectHeader):
            return True
        return isinstance(around, StructEnter) and bool(reader.lengths(around))

    def steers(self, reader: Reader, event: Event) -> bool:
        """Do as `Family.steers`."""
        return isinstance(event, Field) and event.name in STEERING_ROWS

    def facts(self, reader: Reader, event: ObjectHeader | PropertyTag) -> Facts | None:
        """Do as `Family.facts`: an entry; as they are unpacked, versions differ in nothing but their names."""
        header = self._reader.header
        if header is None or not isinstance(event, ObjectHeader):
            return None
        return ("format", "arx"), ("version", header.version)

    def insert_part(self, reader: Reader, cutting: Cutting, *, is_after: bool) -> bool:
        """Do as `Family.insert_part`: an entry."""
        assert isinstance(cutting.event, ObjectHeader)  # noqa: S101 - no property has facts
        index = self._reader.entry_index + is_after
        self.added.setdefault(index, []).append((cutting.event.instance_name, cutting.data))
        return True

    # --- the container ---

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        container = self._reader.header
        assert container is not None  # noqa: S101 - the first event has it
        table = self._source.read_at(container.table_offset, container.table_size)
        old = read_rows(table, container)
        made = [row.raw for row in old[: len(old) - len(container.entries)]]
        left = iter(rows)
        row = next(left, None)
        target.write(bytes(DATA_OFFSET))
        for entry, old_row in zip(container.entries, old[len(made) :], strict=True):
            end = self._end(entry.index)
            inside: list[Row] = []
            while row is not None and (end < 0 or row.start < end):
                inside.append(row)
                row = next(left, None)
            made += self._write_added(entry.index, container.version, target)
            part = self.parts.get(entry.index, b"")
            if part is None:
                continue
            size, codec = old_row.size, old_row.codec
            start = target.tell()
            if entry.index in self.parts or inside:
                data = part if entry.index in self.parts else b"".join(self._edited(entry, inside))
                packed, size, codec = packed_entry(data, old_row, entry, container.version)
                target.write(packed)
            else:
                self._copy(entry, target)
            made.append(new_row(old_row.name, size, codec, start, target.tell(), container.version))
        made += self._write_added(len(container.entries), container.version, target)
        data_end = target.tell()
        target.write(TABLE_START.pack(container.version, len(made)))
        target.writelines(made)
        target.seek(0)
        target.write(DATA_SIZE.pack(data_end - DATA_OFFSET))

    def _write_added(self, index: int, version: int, target: BinaryIO) -> Iterator[bytes]:
        """Write the entries that come before another one, and yield their rows."""
        extension = EXTENSION if version < VERSION_NO_EXTENSION else b""
        for name, data in self.added.get(index, ()):
            start = target.tell()
            packed, size, codec = packed_file(data, version)
            target.write(packed)
            yield new_row(name.encode("latin-1") + extension, size, codec, start, target.tell(), version)

    def _end(self, index: int) -> int:
        """Return where the entries after one start in the stream that was read; -1 after the last that was reached."""
        bases = self._reader.entries.starts
        return bases[index + 1] if index + 1 < len(bases) else -1

    def _edited(self, entry: ArxEntry, rows: list[Row]) -> Iterator[Piece]:
        """Yield the unpacked bytes of an entry with its edits."""
        windows = EntryWindows(self._source, self._limits, [entry])
        base = self._reader.entries.starts[entry.index]
        windows.enter(0, base)
        return edited(windows, rows, base)

    def _copy(self, entry: ArxEntry, target: BinaryIO) -> None:
        """Copy the packed bytes of an entry."""
        target.writelines(self._source.read_at(offset, size) for offset, size in entry.chunks)


def read_rows(table: bytes, container: ArxContainer) -> list[TableRow]:
    """Return all rows of a table that was read before, that of the dummy among them."""
    rows: list[TableRow] = []
    at = TABLE_START.size
    while at < len(table):
        start = at
        end = table.index(b"\0", at)
        name = table[at:end]
        size, chunk_count, codec = NUMBERS.unpack_from(table, end + 1)
        if container.version < VERSION_CODECS and chunk_count == 0:
            chunk_count = 1
        at = end + 1 + NUMBERS.size + chunk_count * CHUNK.size
        rows.append(TableRow(table[start:at], name, size, codec))
    return rows


def packed_entry(data: bytes, row: TableRow, entry: ArxEntry, version: int) -> tuple[bytes, int, int]:
    """Return an entry that is packed anew, and the size and codec of its row."""
    if version < VERSION_CODECS:
        packed = ImplodeCrypt().apply(implode(data))
        return packed, len(packed), row.codec
    if entry.codec not in CODEC_NAMES.values():
        return data, row.size, row.codec  # how it is packed is not known: these are its packed bytes
    if row.codec == CODEC_STORED:
        return data, len(data), CODEC_STORED
    return zlib.compress(data, DEFLATE_LEVEL), len(data), CODEC_DEFLATE


def packed_file(data: bytes, version: int) -> tuple[bytes, int, int]:
    """Return an entry that no container had as it is packed, and the size and codec of its row."""
    if version < VERSION_CODECS:
        packed = ImplodeCrypt().apply(implode(data))
        return packed, len(packed), CODEC_IMPLODE
    if not data:
        return data, 0, CODEC_STORED
    return zlib.compress(data, DEFLATE_LEVEL), len(data), CODEC_DEFLATE


def new_row(name: bytes, size: int, codec: int, start: int, end: int, version: int) -> bytes:
    """Return the row of an entry whose packed bytes are from `start` to `end` of the file.

    Raises:
        EditError: the container is too large.
    """
    if max(end, size) > LARGEST:
        raise EditError("the container is too large", max(end, size), f"at most {LARGEST} bytes")
    chunks = [CHUNK.pack(end - start, start - DATA_OFFSET)] if end > start or version < VERSION_CODECS else []
    return name + b"\0" + NUMBERS.pack(size, len(chunks), codec) + b"".join(chunks)
