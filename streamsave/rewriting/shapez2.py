"""Writes saves of shapez 2: a zip archive. Members without edits are copied as they are; the directory keeps its order.

Bytes of the archive that belong to no member are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, Final

from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import Event, Field, ObjectHeader, StructEnter
from streamsave.formats.shapez2.game_reader import ISLAND
from streamsave.formats.shapez2.jsontext import JSON_ARRAY
from streamsave.formats.shapez2.layout import Tally
from streamsave.formats.shapez2.layout_walker import CHECKPOINT_SIZE
from streamsave.formats.shapez2.objects import BUILDING
from streamsave.formats.shapez2.reader import FIRST, JSON, SAVEGAME, STRINGS, SaveReader
from streamsave.input.members import STORED, Chunk
from streamsave.input.source import Source
from streamsave.input.zip_directory import Archive
from streamsave.input.zip_format import (
    ELSEWHERE,
    END_RECORD,
    ENTRY,
    FLAG_SIZES_FOLLOW,
    LOCAL_HEADER,
    LOCAL_HEADER_SIZE,
)
from streamsave.limits import Limits
from streamsave.rewriting.copying import Piece, edited
from streamsave.rewriting.family import Family
from streamsave.rewriting.json_edits import JSON_NESTINGS, before_json_value, json_span
from streamsave.rewriting.packing import Counted, deflated
from streamsave.rewriting.rows import Row

__all__ = ["SpzFamily"]

#: Bytes of a member that are copied at a time.
PIECE_SIZE: Final = 1024 * 1024
#: Fields that say how other bytes are read.
STEERING: Final = frozenset(("island_count", "building_count", "has_configuration", "serialization_id", "string_count"))
#: The same, in `savegame.json`.
STEERING_JSON: Final = frozenset(("Version", "BinaryDataCheckpoints"))
OBJECT_KINDS: Final = frozenset((ISLAND, BUILDING))


class SpzFamily(Family):
    """A save.

    Args:
        source: the save that is read.
        reader: reads it.
        limits: for reading it again.
    """

    split_at = "building_count"

    def __init__(self, source: Source, reader: SaveReader, limits: Limits) -> None:
        super().__init__(source, limits)
        self._reader = reader

    # --- what can be edited ---

    def part(self, reader: Reader, event: Event) -> int:
        """Do as `Family.part`: a member."""
        member = self._reader.member
        if member is None or event is not member:
            return -1
        if member.name == SAVEGAME:
            raise EditError("it says how other members are read: replace its values")
        return self._reader.member_index

    def holds(self, reader: Reader, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: a member, an object, an element whose sequence has a count, what is in JSON."""
        if not isinstance(around, StructEnter):
            member = self._reader.member
            return member is not None and event is member and member.name != STRINGS
        if around.type_name in JSON_NESTINGS:
            return around.type_name == JSON_ARRAY or not self._is_json(SAVEGAME)
        if isinstance(event, ObjectHeader):
            return True
        return around.count >= 0 and bool(reader.lengths(around))

    def span(self, reader: Reader, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Do as `Family.span`: a comma goes with JSON, the checkpoint before it with an object."""
        if self._is_json():
            return json_span(self._reader, start, end, edited_to)
        if isinstance(event, ObjectHeader) and event.kind in OBJECT_KINDS and self._reader.game.has_checkpoints:
            return start - CHECKPOINT_SIZE, end
        return start, end

    def before_value(self, reader: Reader, event: Field) -> int:
        """Do as `Family.before_value`."""
        return before_json_value(self._reader, event)

    def steers(self, reader: Reader, event: Event) -> bool:
        """Do as `Family.steers`."""
        if not isinstance(event, Field):
            return False
        if isinstance(reader.codec, Tally):
            return True
        if self._is_json():
            return self._is_json(SAVEGAME) and event.name in STEERING_JSON and len(reader.steps) == 2
        return event.name in STEERING

    def _is_json(self, name: str = "") -> bool:
        """Return whether the member that is walked is JSON, and has a name."""
        member = self._reader.member
        return member is not None and member.type_name == JSON and (not name or name == member.name)

    # --- the archive ---

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        archive = self.windows if isinstance(self.windows, Archive) else Archive(self._source, self._limits, FIRST)
        left = iter(rows)
        row = next(left, None)
        #: Of each member that is kept, by where its header was in the file.
        written: dict[int, Written] = {}
        for index, chunk in enumerate(archive.chunks):
            inside: list[Row] = []
            while row is not None and row.start < chunk.offset + chunk.size:
                inside.append(row)
                row = next(left, None)
            offset = target.tell()
            part = self.parts.get(index, b"")
            if part is None:
                continue
            if index in self.parts:
                written[chunk.compressed_offset] = write_member(archive, chunk, [part], target, fast=self.fast)
            elif inside:
                data: Iterable[Piece] = edited(archive, inside, chunk.offset, chunk.offset + chunk.size)
                written[chunk.compressed_offset] = write_member(archive, chunk, data, target, fast=self.fast)
            else:
                self._copy(chunk.compressed_offset, archive.member_end(chunk), target)
                written[chunk.compressed_offset] = Written(offset, None)
        write_directory(self._source, archive, written, target)

    def _copy(self, start: int, end: int, target: BinaryIO) -> None:
        """Copy bytes of the file as they are."""
        target.writelines(self._source.read_at(at, min(PIECE_SIZE, end - at)) for at in range(start, end, PIECE_SIZE))


class Written:
    """A member of the new archive: where it is, and the CRC-32, compressed and inflated size of one that was packed anew."""

    def __init__(self, offset: int, sizes: tuple[int, int, int] | None) -> None:
        self.offset = offset
        self.sizes = sizes


def write_member(archive: Archive, chunk: Chunk, pieces: Iterable[Piece], target: BinaryIO, *, fast: bool = False) -> Written:
    """Pack a member anew, as it was packed, with its old header but for the sizes.

    Raises:
        SaveError: the header of the old one is damaged.
        EditError: it is too large.
    """
    start = target.tell()
    header = archive.local_header(chunk)
    head = bytearray(archive.source.read_at(chunk.compressed_offset, header.data_offset - chunk.compressed_offset))
    target.write(head)
    counted = Counted(pieces)
    compressed_size = 0
    for packed in counted if chunk.method == STORED else deflated(counted, fast=fast):
        compressed_size += len(packed)
        target.write(packed)
    if max(counted.size, compressed_size) >= ELSEWHERE:
        raise EditError(f"member {chunk.name!r} is too large", counted.size, f"less than {ELSEWHERE} bytes")
    sizes = (counted.checksum, compressed_size, counted.size)
    fields = list(LOCAL_HEADER.unpack_from(head))
    fields[2] &= ~FLAG_SIZES_FOLLOW
    fields[6:9] = sizes
    LOCAL_HEADER.pack_into(head, 0, *fields)
    target.seek(start)
    target.write(head[:LOCAL_HEADER_SIZE])
    target.seek(0, 2)
    return Written(start, sizes)


def write_directory(source: Source, archive: Archive, written: dict[int, Written], target: BinaryIO) -> None:
    """Write the entries of the members that there are, and the end record with its comment.

    Raises:
        EditError: the archive is too large.
    """
    start = target.tell()
    at = archive.directory_offset
    for _ in archive.chunks:
        head = source.read_at(at, ENTRY.size)
        fields = list(ENTRY.unpack(head))
        size = ENTRY.size + sum(fields[10:13])
        member = written.get(fields[16])
        if member is not None:
            if member.sizes is not None:
                fields[3] &= ~FLAG_SIZES_FOLLOW
                fields[7:10] = member.sizes
            fields[16] = member.offset
            if member.offset >= ELSEWHERE:
                raise EditError("the archive is too large", member.offset, f"less than {ELSEWHERE} bytes")
            target.write(ENTRY.pack(*fields) + source.read_at(at + ENTRY.size, size - ENTRY.size))
        at += size
    record = list(END_RECORD.unpack(source.read_at(at, END_RECORD.size)))
    end = target.tell()
    if end >= ELSEWHERE:
        raise EditError("the archive is too large", end, f"less than {ELSEWHERE} bytes")
    record[3] = record[4] = len(written)
    record[5] = end - start
    record[6] = start
    target.write(END_RECORD.pack(*record) + source.read_at(at + END_RECORD.size, record[7]))
