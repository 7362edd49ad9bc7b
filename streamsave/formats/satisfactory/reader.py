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
from streamsave.formats.satisfactory.levels import BLUEPRINT, PERSISTENT_LEVEL, LevelWalker
from streamsave.formats.satisfactory.objects import walk_value
from streamsave.formats.satisfactory.version_data import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_NEWEST,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["VALIDATION_GRIDS", "BlueprintReader", "BodyWalker", "SatisfactoryReader"]

VALIDATION_GRIDS: Final = Array(
    Struct("ValidationGrid", None, grid=STRING, cell_size=I32, grid_hash=U32, cells=Map(STRING, U32)), streams=True
)


class BodyWalker:
    """Walks the body of a save, at the cursor of its reader.

    Args:
        reader: its cursor is at the start of the body.
        levels: walks the levels.
        version: the SaveVersion of the save.
    """

    def __init__(self, reader: BodyReader, levels: LevelWalker, version: int) -> None:
        self._reader = reader
        self._levels = levels
        self._version = version
        #: UE5 object version of the persistent level, 0 before there were any.
        self._ue5_version = 0
        #: How many streaming levels there are.
        self._level_count: i64 = 0

    def events(self) -> Iterator[Event]:
        """Walk the body."""
        reader = self._reader
        version = self._version
        yield from self._start()
        yield from self._streaming_levels()
        yield from self._levels.persistent_level(PERSISTENT_LEVEL, version, self._ue5_version, self._level_count)
        if version >= SAVE_VERSION_LEVELS and reader.cursor.remaining() > 0:
            yield reader.field("unresolved_destroyed_actors", REFERENCES)

    def _start(self) -> Iterator[Event]:
        """Walk what comes before the levels."""
        reader = self._reader
        if self._version >= SAVE_VERSION_COMPRESSED:
            wide = reader.has_wide_size
            yield reader.passed("body_size", I64 if wide else I32, reader.body_size(wide=wide))
        yield from self.before_levels()

    def before_levels(self) -> Iterator[Event]:
        """Walk what comes between the size of the body and the levels."""
        reader = self._reader
        version = self._version
        if version >= SAVE_VERSION_VERSION_DATA:
            start = reader.cursor.tell()
            self._ue5_version = read_ue5_version(reader.cursor)
            yield reader.passed("version_data", VERSION_DATA, start)
        if version >= SAVE_VERSION_VALIDATION_GRIDS:
            yield from walk_value(reader, "validation_grids", VALIDATION_GRIDS)
        if version >= SAVE_VERSION_LEVELS:
            start = reader.cursor.tell()
            self._level_count = reader.cursor.count(4)
            yield reader.passed("level_count", I32, start)

    def _streaming_levels(self) -> Iterator[Event]:
        """Walk all streaming levels."""
        for index in range(self._level_count):
            yield from self._levels.streaming_level(self._version, self._ue5_version, index)


class SatisfactoryReader(BodyReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: SaveHeader | None = None

    def start(self) -> SaveStart:
        header = read_header(self.cursor, self)
        version = header.save_version
        warn_if_newer(self.source, version)
        self.header = header
        self.save_version = version
        self.build_version = header.build_version
        self.layout = level_layout(version)
        self.has_wide_size = version >= SAVE_VERSION_64_BIT
        if version >= SAVE_VERSION_COMPRESSED:
            self.open_chunks(header.size)
        else:
            self.open_plain(header.size)
        return SaveStart(0, "satisfactory", version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        levels = self.make_levels(self.layout, self.build_version)
        yield from BodyWalker(self, levels, self.save_version).events()
        yield from self.finish()


class BlueprintReader(BodyReader):
    """Walks a blueprint."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: BlueprintHeader | None = None

    def start(self) -> SaveStart:
        header = read_blueprint_header(self.cursor)
        version = header.save_version
        warn_if_newer(self.source, version)
        self.header = header
        self.save_version = version
        self.ue5_version = header.ue5_version
        self.build_version = header.build_version
        self.is_blueprint = True
        self.open_chunks(header.size)
        return SaveStart(0, "satisfactory-blueprint", version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        yield self.passed("body_size", I32, self.body_size(wide=False))
        levels = self.make_levels(self.layout, self.build_version)
        yield from levels.persistent_level(BLUEPRINT, self.save_version, self.ue5_version, 0)
        yield from self.finish()


def warn_if_newer(source: Source, save_version: int) -> None:
    """Warn if a newer game than any known here has written the save."""
    if save_version > SAVE_VERSION_NEWEST:
        source.warn("save is newer than known, read like the newest", save_version=save_version, newest=SAVE_VERSION_NEWEST)
