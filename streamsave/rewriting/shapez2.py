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
from streamsave.formats.shapez2.reader import FIRST, JSON, STRINGS, SaveReader
from streamsave.formats.shapez2.sniff import SAVEGAME
from streamsave.input.source import Source
from streamsave.input.zip_directory import Archive
from streamsave.limits import Limits
from streamsave.rewriting.copying import Piece, edited
from streamsave.rewriting.family import Family
from streamsave.rewriting.json_edits import JSON_NESTINGS, before_json_value, json_span
from streamsave.rewriting.rows import Row
from streamsave.rewriting.zip_archive import Written, copy_member, write_directory, write_member

__all__ = ["SpzFamily"]

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

    split_at: str | None = "building_count"
    no_facts = "objects of shapez 2 refer to the strings and members of their own save: they mean nothing in another one"

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
            part = self.parts.get(index, b"")
            if part is None:
                continue
            if index in self.parts:
                written[chunk.compressed_offset] = write_member(archive, chunk, [part], target, fast=self.fast)
            elif inside:
                data: Iterable[Piece] = edited(archive, inside, chunk.offset, chunk.offset + chunk.size)
                written[chunk.compressed_offset] = write_member(archive, chunk, data, target, fast=self.fast)
            else:
                written[chunk.compressed_offset] = copy_member(archive, chunk, target)
        write_directory(self._source, archive, written, target)
