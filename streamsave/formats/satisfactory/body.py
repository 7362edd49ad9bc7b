"""The inflated body of a save.

| field | type | SaveVersion |
|---|---|---|
| body_size | of all that follows; i64 from 41, i32 before | 21 |
| version_data | of the persistent level, see `version_data` | 53 |
| validation_grids | i32 n, n grids | 41 |
| level_count | i32 | 29 |
| streaming levels | `level_count` levels, see `levels` | 29 |
| persistent level | a level without a name; before 29 the only one | |
| unresolved_destroyed_actors | list of references; some tools leave it out | 29 |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import I32, I64, STRING, U32, Array, Map, Struct
from streamsave.events import Event
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.level_layout import REFERENCES
from streamsave.formats.satisfactory.levels import PERSISTENT_LEVEL, LevelWalker
from streamsave.formats.satisfactory.objects import walk_value
from streamsave.formats.satisfactory.version_data import VERSION_DATA, read_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)

__all__ = ["VALIDATION_GRIDS", "BodyWalker"]

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
