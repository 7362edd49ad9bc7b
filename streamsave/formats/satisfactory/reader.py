"""The readers of saves (`.sav`) and blueprints (`.sbp`): a header as it is, then a body in chunks.

`header` has the layouts of the headers. The body of a blueprint is its size, i32, and one level; that of a save:

| field | type | SaveVersion |
|---|---|---|
| body_size | of all that follows; i64 from 41, i32 before | 21 |
| version_data | of the persistent level, see `object_entry` | 53 |
| validation_grids | i32 n, n grids | 41 |
| level_count | i32 | 29 |
| streaming levels | `level_count` levels, see `levels` | 29 |
| persistent level | a level without a name; before 29 the only one | |
| unresolved_destroyed_actors | list of references; some tools leave it out | 29 |

Before SaveVersion 21, a save's body is stored without chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import I32, I64, STRING, U32, Array, Codec, Map, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.events import Event, ObjectHeader, SaveEnd, SaveStart, StructEnter
from streamsave.formats.satisfactory.header import BlueprintHeader, SaveHeader, read_blueprint_header, read_header
from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT, REFERENCES, LevelLayout
from streamsave.formats.satisfactory.levels import BLUEPRINT, LEVEL, PERSISTENT_LEVEL, LevelWalker, OpenLevel
from streamsave.formats.satisfactory.lightweight import LIGHTWEIGHT, holds_instances
from streamsave.formats.satisfactory.object_entry import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.objects import FIXED_MEMBERS
from streamsave.formats.satisfactory.trailers import LIGHTWEIGHT_MEMBERS
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_NEWEST,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["VALIDATION_GRIDS", "BlueprintReader", "BodyReader", "SatisfactoryReader"]

VALIDATION_GRIDS: Final = Array(
    Struct("ValidationGrid", None, grid=STRING, cell_size=I32, grid_hash=U32, cells=Map(STRING, U32)), streams=True
)


class BodyReader(UnrealReader):
    """Walks the body of a save or blueprint; a level walker walks the levels in it."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), Dialect())
        self.source = source
        self.chunks: ChunkTable | None = None
        #: The level that was entered last. What walks the levels refers to the reader: it does not refer to that.
        self.open_level: OpenLevel | None = None
        #: The size of the body.
        self.size_codec: Codec = I32
        #: What the header says: its SaveVersion, UE5 object version and build; how its levels are stored.
        self.save_version = 0
        self.ue5_version = 0
        self.build_version = 0
        self.is_blueprint = False
        #: How many streaming levels there are.
        self._level_count: i64 = 0
        self.layout: LevelLayout = BLUEPRINT_LAYOUT

    def start(self) -> SaveStart:
        """Read the header and open the body; return the first event.

        Raises:
            SaveError: the header is damaged.
        """
        raise NotImplementedError

    def events(self) -> Iterator[Event]:
        yield self.start()
        version = self.save_version
        levels = LevelWalker(self, self.layout, self.build_version)
        self.open_level = levels.open_level
        if self.chunks is not None:
            yield self.passed("body_size", self.size_codec, self.body_size())
        yield from self.before_levels()
        for index in range(self._level_count):
            yield from levels.streaming_level(version, self.ue5_version, index)
        name = BLUEPRINT if self.is_blueprint else PERSISTENT_LEVEL
        yield from levels.persistent_level(name, version, self.ue5_version, self._level_count)
        if version >= SAVE_VERSION_LEVELS and not self.is_blueprint and self.cursor.remaining() > 0:
            yield self.field("unresolved_destroyed_actors", REFERENCES)
        yield from self.finish()

    def before_levels(self) -> Iterator[Event]:
        """Walk what comes between the size of the body and the levels: nothing in a blueprint."""
        return iter(())

    def use_versions(self, save_version: int, build_version: int) -> None:
        """Note what the header says; warn if a newer game than any known here has written the save."""
        self.save_version = save_version
        self.build_version = build_version
        if save_version > SAVE_VERSION_NEWEST:
            message = "save is newer than known, read like the newest"
            self.source.warn(message, save_version=save_version, newest=SAVE_VERSION_NEWEST)

    def open_chunks(self, offset: int) -> None:
        """Go on in the inflated body, whose chunks start at `offset` in the file."""
        self.chunks = ChunkTable(self.source, offset, self.limits)
        self.cursor = Cursor(self.chunks, self.limits)

    def open_plain(self, offset: int) -> None:
        """Go on in a body that is stored as it is, from `offset` in the file on."""
        self.cursor = Cursor(FileWindows(self.source, offset), self.limits)
        self.cursor.set_limit(NO_LIMIT)

    def body_size(self) -> i64:
        """Read the size of the body, and bound all that follows by it; return where it starts."""
        start = self.cursor.tell()
        size = self.cursor.i64() if self.size_codec is I64 else self.cursor.i32()
        if size < 0 or size > NO_LIMIT:  # beyond that, offsets of compiled code turn negative
            raise self.cursor.damaged("size of the body", offset=start, expected=f"0 to {NO_LIMIT}", actual=size)
        self.cursor.set_limit(self.cursor.tell() + size)
        self.stream_end = self.cursor.limit()
        if self.chunks is not None:
            self.chunks.declared_size = self.stream_end
        return start

    def finish(self) -> Iterator[Event]:
        """Account for every byte: of the body up to its size, and of the chunks up to the end of the file.

        Raises:
            TruncatedSave: the chunks end before the body does.
            DamagedSave: bytes follow the body.
        """
        cursor = self.cursor
        end = cursor.tell()
        body_end = cursor.limit()
        chunks = self.chunks
        if chunks is None:
            # No size says where the body ends, and what was passed over was not read: its last byte has to be there.
            cursor.seek(end - 1)
            cursor.u8()
            if cursor.peek(1):
                raise cursor.damaged("bytes after the save", expected="the end of the file", actual=cursor.peek(8))
            yield SaveEnd(end)
            return
        yield from self.blob(body_end, "bytes after the save")
        inflated_size = chunks.inflated_size()
        if inflated_size < body_end:
            raise cursor.truncated(body_end - inflated_size)
        if inflated_size > body_end:
            raise cursor.damaged("chunks after the body", expected=f"{body_end} bytes", actual=inflated_size)
        yield SaveEnd(body_end)

    # --- what the stream calls ---

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self.abandon()
            if event.size >= 0:  # else no test needs its data
                self.cursor.seek(event.data_offset + event.size)
            return True
        level = self.open_level
        if level is not None and isinstance(event, StructEnter) and event.type_name == LEVEL:
            level.skip(self.cursor, self)
            return True
        return super().skip(event)

    def stores_name(self, name: str) -> bool:
        return name not in FIXED_MEMBERS and name not in LIGHTWEIGHT_MEMBERS

    def leads_to_objects(self, event: Event) -> bool:
        # Levels, and the nestings around the instances of a subsystem.
        return isinstance(event, StructEnter) and (event.type_name == LEVEL or event is self._entered)

    def holds_objects(self, header: ObjectHeader) -> bool:
        return not self.options.as_values and header.kind != LIGHTWEIGHT and holds_instances(header.class_name)


class SatisfactoryReader(BodyReader):
    """Walks a save."""

    header: SaveHeader | None = None

    def start(self) -> SaveStart:
        header = read_header(self.cursor)
        version = header.save_version
        self.header = header
        self.use_versions(version, header.build_version)
        self.layout = LevelLayout(version)
        self.size_codec = I64 if version >= SAVE_VERSION_64_BIT else I32
        if version >= SAVE_VERSION_COMPRESSED:
            self.open_chunks(header.size)
        else:
            self.open_plain(header.size)
        return SaveStart(0, "satisfactory", version, header)

    def before_levels(self) -> Iterator[Event]:
        cursor = self.cursor
        version = self.save_version
        if version >= SAVE_VERSION_VERSION_DATA:
            start = cursor.tell()
            self.ue5_version = read_ue5_version(cursor)
            yield self.passed("version_data", VERSION_DATA, start)
        if version >= SAVE_VERSION_VALIDATION_GRIDS:
            yield from self.walk_value("validation_grids", VALIDATION_GRIDS)
        if version >= SAVE_VERSION_LEVELS:
            self._level_count = yield from self.count_field("level_count", 4)


class BlueprintReader(BodyReader):
    """Walks a blueprint."""

    header: BlueprintHeader | None = None

    def start(self) -> SaveStart:
        header = read_blueprint_header(self.cursor)
        self.header = header
        self.use_versions(header.save_version, header.build_version)
        self.ue5_version = header.ue5_version
        self.is_blueprint = True
        self.open_chunks(header.size)
        return SaveStart(0, "satisfactory-blueprint", header.save_version, header)
