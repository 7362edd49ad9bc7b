"""A Satisfactory save: header, chunks, levels.

The inflated body, by SaveVersion (`version data` is described in `version_data`, a level in `levels`, an object in `objects`):

| field | type | from |
|---|---|---|
| body_size | of all that follows; i64 from 41, i32 before, missing below 21 | 21 |
| version_data | of the persistent level | 53 |
| validation_grids | map of grids | 41 |
| level_count | i32 | 29 |
| levels | str name, then a level, each | 29 |
| persistent level | a level without a name; before 29 the only one | |
| unresolved_destroyed_actors | list of references; some tools leave it out | 29 |
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from streamsave._log import warn
from streamsave._native import i64
from streamsave.decode.codecs import I32, I64, STRING, U32, Array, Map, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, SaveEnd, SaveStart
from streamsave.formats.satisfactory.header import BlueprintHeader, SaveHeader, read_blueprint_header, read_header
from streamsave.formats.satisfactory.level_layout import REFERENCES, level_layout
from streamsave.formats.satisfactory.level_recovery import MANY
from streamsave.formats.satisfactory.levels import BLUEPRINT, PERSISTENT_LEVEL, LevelReader
from streamsave.formats.satisfactory.sniff import sniff_blueprint, sniff_save
from streamsave.formats.satisfactory.version_data import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_NEWEST,
    SAVE_VERSION_VERSION_DATA,
    UE5_TYPE_TREES,
)
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["BlueprintReader", "SatisfactoryReader", "sniff_blueprint", "sniff_save"]

VALIDATION_GRIDS: Final = Array(
    Struct("ValidationGrid", None, grid=STRING, cell_size=I32, grid_hash=U32, cells=Map(STRING, U32)), streams=True
)


class BodyReader(LevelReader):
    """What saves and blueprints share: a header as it is, then a body in chunks that starts with its size."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)
        self.source = source
        self.chunks: ChunkTable | None = None

    def open_chunks(self, offset: int) -> None:
        """Go on in the inflated body, whose chunks start at `offset` in the file."""
        self.chunks = ChunkTable(self.source, offset, self.limits)
        self.chunks.bridges = self.resyncs
        self.windows = self.chunks
        self.cursor = Cursor(self.chunks, self.limits)
        self.data = self.cursor.fork()

    def body_size(self, wide: bool) -> i64:
        """Read the size of the body, and bound all that follows by it."""
        start = self.cursor.tell()
        size = self.cursor.i64() if wide else self.cursor.i32()
        if size < 0 or size > NO_LIMIT:  # behind that, offsets of compiled code turn negative
            raise self.cursor.damaged("size of the body", offset=start, expected=f"0 to {NO_LIMIT}", actual=size)
        self.cursor.set_limit(self.cursor.tell() + size)
        self.stream_end = self.cursor.limit()
        if self.chunks is not None:
            self.chunks.declared_size = self.stream_end
        return start

    def finish(self) -> Iterator[Event]:
        """Account for every byte: of the body up to its size, and of the chunks up to the end of the file."""
        end = self.cursor.tell()
        body_end = self.cursor.limit()
        chunks = self.chunks
        if chunks is None:
            # No size tells where the body ends, and what was passed over was not read: its last byte has to be there.
            self.cursor.seek(end - 1)
            self.cursor.u8()
            if self.cursor.peek(1):
                raise self.cursor.damaged("bytes behind the save", expected="the end of the file", actual=self.cursor.peek(8))
            yield SaveEnd(end)
            return
        if end != body_end:
            yield BlobSkip(end, body_end - end, "bytes behind the save")
            self.cursor.seek(body_end)
        inflated_size = chunks.inflated_size()
        if inflated_size < body_end:
            raise self.cursor.truncated(body_end - inflated_size)
        if inflated_size > body_end:
            raise self.cursor.damaged("chunks behind the body", expected=f"{body_end} bytes", actual=inflated_size)
        yield SaveEnd(body_end)


class SatisfactoryReader(BodyReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: SaveHeader | None = None
        #: Of the persistent level.
        self._body_ue5_version = 0

    def events(self) -> Iterator[Event]:
        header = read_header(self.cursor)
        version = header.save_version
        warn_if_newer(version)
        self.header = header
        self.build_version = header.build_version
        self.layout = level_layout(version)
        if version >= SAVE_VERSION_COMPRESSED:
            self.open_chunks(header.size)
        else:
            self.windows = FileWindows(self.source, header.size)
            self.cursor = Cursor(self.windows, self.limits)
            self.cursor.set_limit(NO_LIMIT)
            self.data = self.cursor.fork()
        yield SaveStart(0, "satisfactory", version, header)
        yield from self._body(version)
        yield from self.finish()

    def _body(self, version: int) -> Iterator[Event]:
        ue5_version = 0
        fault: SaveError | None = None
        try:
            level_count = yield from self._start(version)
            ue5_version = self._body_ue5_version
            index: i64 = 0
        except SaveError as error:
            if self.chunks is None or not self.survives(error):
                raise
            self._end_with(self.chunks, error)
            fault = error
        if fault is not None:
            if version >= SAVE_VERSION_VERSION_DATA:
                ue5_version = UE5_TYPE_TREES  # the engine of the first game that wrote this SaveVersion had them
            level_count = MANY
            left: i64 = 0
            if version >= SAVE_VERSION_LEVELS:
                left = yield from self.lose_levels(fault, level_count)
            else:
                self.lost_start = fault
            index = level_count - left
        while index < level_count:
            self.claimed = self.cursor.tell()
            fault = None
            try:
                yield from self.streaming_level(version, ue5_version, index)
                index += 1
            except SaveError as error:
                if not self.survives(error):
                    raise
                fault = error
            if fault is not None:
                left = yield from self.lose_levels(fault, level_count - index)
                index = level_count - left
        yield from self.persistent_level(PERSISTENT_LEVEL, version, ue5_version, level_count)
        if version >= SAVE_VERSION_LEVELS and self.cursor.remaining() > 0:
            yield self.field("unresolved_destroyed_actors", REFERENCES)

    def _end_with(self, chunks: ChunkTable, error: SaveError) -> None:
        """Take it that the body ends with the chunks, as its size is lost: `error`, which is raised where they do not tell."""
        try:
            self.stream_end = chunks.inflated_size()
        except SaveError:
            raise error from None

    def _start(self, version: int) -> Generator[Event, None, i64]:
        """Walk what stands before the levels; give how many of them are streaming levels."""
        wide = version >= SAVE_VERSION_64_BIT
        if version >= SAVE_VERSION_COMPRESSED:
            yield self.passed("body_size", I64 if wide else I32, self.body_size(wide))
        if version >= SAVE_VERSION_VERSION_DATA:
            start = self.cursor.tell()
            self._body_ue5_version = read_ue5_version(self.cursor)
            yield self.passed("version_data", VERSION_DATA, start)
        if wide:
            yield from self.walk_codec("validation_grids", VALIDATION_GRIDS)
        level_count: i64 = 0
        if version >= SAVE_VERSION_LEVELS:
            start = self.cursor.tell()
            level_count = self.cursor.count(4)
            yield self.passed("level_count", I32, start)
        return level_count


class BlueprintReader(BodyReader):
    """Walks a blueprint: a header, then chunks with one level of objects."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: BlueprintHeader | None = None
        self.object_versions = False

    def events(self) -> Iterator[Event]:
        header = read_blueprint_header(self.cursor)
        warn_if_newer(header.save_version)
        self.header = header
        self.build_version = header.build_version
        self.open_chunks(header.size)
        yield SaveStart(0, "satisfactory-blueprint", header.save_version, header)
        yield self.passed("body_size", I32, self.body_size(wide=False))
        yield from self.persistent_level(BLUEPRINT, header.save_version, header.ue5_version, 0)
        yield from self.finish()


def warn_if_newer(save_version: int) -> None:
    """Say once that a save was written by a game that is newer than this reader."""
    if save_version > SAVE_VERSION_NEWEST:
        warn("save is newer than known, read like the newest", save_version=save_version, newest=SAVE_VERSION_NEWEST)
