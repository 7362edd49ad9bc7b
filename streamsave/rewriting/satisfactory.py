"""Write Satisfactory saves and blueprints: the header, then chunks.

Up to the first edit that changes a size, chunks are copied, except those with an edit. From that edit on, all chunks are packed
again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, ClassVar, Final

from streamsave.decode.codecs import BOOL32, BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Length
from streamsave.errors import DamagedSave, EditError, SaveError
from streamsave.events import Event, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.formats.satisfactory.config import ConfigReader
from streamsave.formats.satisfactory.header import SAVE_HEADER, BlueprintHeader, SaveHeader, new_md5
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.formats.satisfactory.lightweight import LIGHTWEIGHT
from streamsave.formats.satisfactory.object_entry import entry_layout
from streamsave.formats.satisfactory.object_header import ACTOR, header_layout
from streamsave.formats.satisfactory.reader import BodyReader, SatisfactoryReader
from streamsave.formats.satisfactory.versions import members
from streamsave.frequent_values import Quat, Vector
from streamsave.input.archive_header import HEADER_V2_SIZE, ArchiveHeader, read_archive_header
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.windows import BytesWindows, FileWindows
from streamsave.limits import Limits
from streamsave.rewriting.family import Facts, Family, UnrealFamily, check_session_name, is_transform
from streamsave.rewriting.packing import ChunkPacker, Piece, edited
from streamsave.rewriting.rows import Row

__all__ = ["ConfigFamily", "SatisfactoryFamily"]

#: The name of the session in the options of the map.
OPTION: Final = re.compile(r"(?<=\?sessionName=)[^?]*")


class SatisfactoryFamily(UnrealFamily[BodyReader]):
    """Write saves and blueprints. The reader must have read the header before `write`."""

    has_sizes = True
    steering: ClassVar[frozenset[str]] = frozenset(
        (
            "body_size",
            "version_data",
            "level_count",
            "data_blob",
            "level_save_version",
            "serialization_control",
            "lightweight_version",
        )
    )

    #: The new name for the header; "": keep the old one.
    _session_name = ""

    def rename_session(self, name: str) -> None:
        """Do as `Family.rename_session`."""
        if not isinstance(self.reader, SatisfactoryReader):
            super().rename_session(name)
        check_session_name(name)
        if "?" in name:
            raise EditError("the name of a session cannot have a ?: that ends a map option", name)
        self._session_name = name
        self.converts = True

    def _level_versions(self) -> tuple[int, int]:
        """Return the SaveVersion and the UE5 object version of the level that was entered last."""
        level = self.reader.open_level
        return (0, 0) if level is None else (level.version, level.ue5_version)

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`."""
        reader = self.reader
        if isinstance(event, SaveStart):
            return [] if reader.chunks is None else [Length(0, int(reader.size_codec.size), counts=False)]
        if isinstance(event, ObjectHeader):
            # The size ends where the data start; instances have none.
            return [Length(event.data_offset - 4, 4, counts=False)] if event.prefix_size > 0 else []
        if reader.open_level is not None and isinstance(event, StructEnter) and event.type_name == LEVEL:
            return reader.open_level.lengths(event)
        return super().lengths(event)

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        """Do as `Family.layouts`: the header of an object, and the start of its entry."""
        if not isinstance(event, ObjectHeader) or event.prefix_size <= 0:
            return super().layouts(event)
        header = header_layout(self._level_versions()[0], is_actor=event.kind == ACTOR)
        return [(event.offset, header), (event.data_offset - event.prefix_size, entry_layout(event.prefix_size))]

    def list_start(self, event: ObjectHeader | StructEnter) -> int:
        """Do as `Family.list_start`."""
        if not isinstance(event, ObjectHeader):
            return super().list_start(event)
        level = self.reader.open_level
        if level is None or event.kind == LIGHTWEIGHT:
            return -1
        return int(level.objects.list_start(self.reader, event, self.cursor_at(event.data_offset)))

    def facts(self, event: ObjectHeader | PropertyTag) -> Facts:
        """Do as `Family.facts`: for objects with a header, in a level of the same name; and for properties."""
        save_version, ue5_version = self._level_versions()
        name = "satisfactory" if isinstance(self.reader, SatisfactoryReader) else "satisfactory-blueprint"
        shared: Facts = (("format", name), ("SaveVersion of the level", save_version))
        if isinstance(event, PropertyTag):
            return (*shared, *self.dialect_facts(self.reader.dialect))
        if event.header_size <= 0:
            return super().facts(event)
        return (*shared, ("UE5 version of the level", ue5_version), ("level", event.level))

    def header(self, header: ObjectHeader, members: Mapping[str, object]) -> bytes:
        """Do as `Family.header`."""
        if header.header_size <= 0:
            return super().header(header, members)
        if members.get("instance_name") == "":
            raise EditError("an object needs a name, as a reference to '' is one to nothing")
        layout = header_layout(self._level_versions()[0], is_actor=header.kind == ACTOR)
        cursor = self.cursor_at(header.offset)
        cursor.set_limit(header.offset + header.header_size)
        return layout.encoded(with_members(layout.decode(cursor, self.reader), members), self.encoder())

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        self._write_sealed(self._edited(iter(rows)), target)

    def write_body(self, pieces: Iterable[Piece], target: BinaryIO) -> None:
        """Write the save with another body."""
        chunks = self.reader.chunks
        self._write_sealed(
            pieces if chunks is None else ChunkPacker(self._chunk_header(chunks), fast=self.fast).pack(pieces), target
        )

    @property
    def _header(self) -> SaveHeader | BlueprintHeader:
        header = getattr(self.reader, "header", None)
        assert isinstance(header, (SaveHeader, BlueprintHeader))  # noqa: S101 - the first event has it
        return header

    def _write_sealed(self, body: Iterable[Piece], target: BinaryIO) -> None:
        """Write the header and the body, and the MD5 of the body into the header."""
        header = self._header
        head = self._source.read_at(0, header.size)
        if self._session_name and isinstance(header, SaveHeader):
            head = renamed_header(head, header, self._limits, self._session_name)
        target.write(head)
        digest = new_md5()
        for piece in body:
            digest.update(piece)
            target.write(piece)
        if isinstance(header, SaveHeader) and header.save_data_hash is not None:
            target.seek(md5_offset(head, self._limits))
            target.write(digest.digest())

    def _chunk_header(self, chunks: ChunkTable) -> ArchiveHeader:
        """Return the first chunk header that is sound.

        Raises:
            SaveError: none is.
        """
        fault: SaveError = DamagedSave("there is no chunk", 0)
        for index in range(len(chunks.starts)):
            try:
                return read_archive_header(self._source.read_at(chunks.place(index)[0], HEADER_V2_SIZE))
            except SaveError as error:
                fault = error
        raise fault

    def _edited(self, rows: Iterator[Row]) -> Iterator[Piece]:
        """Yield the body with edits, as it is stored in the file."""
        start = self._header.size
        if self.reader.chunks is None:
            yield from edited(FileWindows(self._source, start), rows)
            return
        file = FileWindows(self._source)
        table = ChunkTable(self._source, start, self._limits)
        packer = ChunkPacker(read_archive_header(self._source.read_at(start, HEADER_V2_SIZE)), fast=self.fast)
        row = next(rows, None)
        copied = start
        end = 0
        while row is not None:
            index = table.find(max(row.start, end))
            # An insertion at the very end belongs to the last chunk.
            first, last, at, end = table.place(index if index >= 0 else len(table.starts) - 1)
            yield from edited(file, (), copied, first)
            inside: list[Row] = []
            while row is not None and not row.shifts and row.start < end:
                begin = max(row.start, at)
                inside.append(Row(begin, min(row.end, end), row.data[begin - row.start : end - row.start]))
                if row.end > end:  # the rest is in the next chunk
                    break
                row = next(rows, None)
            if row is not None and (index < 0 or (row.shifts and row.start < end)):
                yield from packer.pack(edited(table, itertools.chain(inside, (row,), rows), at))
                return
            yield packer.chunk(b"".join(edited(table, inside, at, end)))
            copied = last
        yield from edited(file, (), copied)


def with_members(stored: object, members: Mapping[str, object]) -> dict[str, object]:
    """Return the members of a header, as `header_layout` decodes them, with new values.

    Raises:
        EditError: it has no such member, or the transform is none.
    """
    header = as_dict(stored)
    place = as_dict(header.get("place"))
    for name, value in members.items():
        stored_name = "object_flags" if name == "flags" else name
        if name == "transform" and place:
            if not is_transform(value):
                raise EditError("not a transform of 4, 3 and 3 numbers", value)
            place |= {
                "rotation": Quat(*value.rotation),
                "translation": Vector(*value.translation),
                "scale": Vector(*value.scale),
            }
        elif stored_name in place:
            place[stored_name] = value
        elif stored_name in header and name not in {"is_actor", "place"}:
            header[stored_name] = value
        else:
            raise EditError(f"{name} cannot be changed")
    return header | ({"place": place} if place else {})


def as_dict(value: object) -> dict[str, object]:
    """Return a copy of a dict; {} for anything else."""
    return dict(value) if isinstance(value, dict) else {}


def field_offset(head: bytes, name: str, limits: Limits) -> int:
    """Return where a field starts in the bytes of a save's header.

    Raises:
        SaveError: the header cannot be read.
    """
    cursor = Cursor(BytesWindows(head), limits)
    context = BuildContext()
    rows = members(cursor.i32(), SAVE_HEADER)
    for codec in list(rows.values())[: list(rows).index(name)]:
        codec.measure(cursor, context)
    return int(cursor.tell())


def md5_offset(head: bytes, limits: Limits) -> int:
    """Return where the MD5 is in the bytes of a save's header, which has one; it raises as `field_offset` does."""
    return field_offset(head, "save_data_hash", limits) + int(BOOL32.size)


def renamed_header(head: bytes, header: SaveHeader, limits: Limits, name: str) -> bytes:
    """Return the bytes of a save's header with another session name; it raises as `field_offset` does."""
    encoder = Encoder()
    encoder.string(OPTION.sub(lambda _: name, header.map_options))
    encoder.string(name)
    start, end = field_offset(head, "map_options", limits), field_offset(head, "play_duration", limits)
    return head[:start] + bytes(encoder.data) + head[end:]


class ConfigFamily(Family[ConfigReader]):
    """Write configurations of blueprints: the whole file is fields."""

    steering: ClassVar[frozenset[str]] = frozenset(("config_version",))

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        target.writelines(edited(self.reader.windows, rows, 0, self.end))
