"""The readers of saves (`.sav`) and blueprints (`.sbp`): a header as it is, then a body in chunks.

`header` has the layouts of the headers. The body of a blueprint is its size, i32, and one level; that of a save:

| field | type | SaveVersion |
|---|---|---|
| body_size | of all that follows; i64 from 41, i32 before | 21 |
| version_data | of the persistent level, see `version_data` | 53 |
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
from streamsave.decode.codecs import I32, I64, STRING, U32, Array, Map, Struct
from streamsave.events import Event, SaveStart
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.header import BlueprintHeader, SaveHeader, read_blueprint_header, read_header
from streamsave.formats.satisfactory.level_layout import REFERENCES, level_layout
from streamsave.formats.satisfactory.levels import BLUEPRINT, PERSISTENT_LEVEL
from streamsave.formats.satisfactory.objects import walk_value
from streamsave.formats.satisfactory.version_data import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["VALIDATION_GRIDS", "BlueprintReader", "SatisfactoryReader"]

VALIDATION_GRIDS: Final = Array(
    Struct("ValidationGrid", None, grid=STRING, cell_size=I32, grid_hash=U32, cells=Map(STRING, U32)), streams=True
)


class SatisfactoryReader(BodyReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: SaveHeader | None = None
        #: How many streaming levels there are.
        self._level_count: i64 = 0

    def start(self) -> SaveStart:
        header = read_header(self.cursor)
        version = header.save_version
        self.header = header
        self.use_versions(version, header.build_version)
        self.layout = level_layout(version)
        self.has_wide_size = version >= SAVE_VERSION_64_BIT
        if version >= SAVE_VERSION_COMPRESSED:
            self.open_chunks(header.size)
        else:
            self.open_plain(header.size)
        return SaveStart(0, "satisfactory", version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        version = self.save_version
        levels = self.make_levels(self.layout, self.build_version)
        if version >= SAVE_VERSION_COMPRESSED:
            wide = self.has_wide_size
            yield self.passed("body_size", I64 if wide else I32, self.body_size(wide=wide))
        yield from self.before_levels()
        for index in range(self._level_count):
            yield from levels.streaming_level(version, self.ue5_version, index)
        yield from levels.persistent_level(PERSISTENT_LEVEL, version, self.ue5_version, self._level_count)
        if version >= SAVE_VERSION_LEVELS and self.cursor.remaining() > 0:
            yield self.field("unresolved_destroyed_actors", REFERENCES)
        yield from self.finish()

    def before_levels(self) -> Iterator[Event]:
        """Walk what comes between the size of the body and the levels."""
        cursor = self.cursor
        version = self.save_version
        if version >= SAVE_VERSION_VERSION_DATA:
            start = cursor.tell()
            self.ue5_version = read_ue5_version(cursor)
            yield self.passed("version_data", VERSION_DATA, start)
        if version >= SAVE_VERSION_VALIDATION_GRIDS:
            yield from walk_value(self, "validation_grids", VALIDATION_GRIDS)
        if version >= SAVE_VERSION_LEVELS:
            start = self.cursor.tell()
            self._level_count = self.cursor.count(4)
            yield self.passed("level_count", I32, start)


class BlueprintReader(BodyReader):
    """Walks a blueprint."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: BlueprintHeader | None = None

    def start(self) -> SaveStart:
        header = read_blueprint_header(self.cursor)
        self.header = header
        self.use_versions(header.save_version, header.build_version)
        self.ue5_version = header.ue5_version
        self.is_blueprint = True
        self.open_chunks(header.size)
        return SaveStart(0, "satisfactory-blueprint", header.save_version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        yield self.passed("body_size", I32, self.body_size(wide=False))
        levels = self.make_levels(self.layout, self.build_version)
        yield from levels.persistent_level(BLUEPRINT, self.save_version, self.ue5_version, 0)
        yield from self.finish()
